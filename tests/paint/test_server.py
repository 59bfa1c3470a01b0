"""The server's face: bad input changes nothing, CN-Relax, counters, and the same answers without compilation."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import paint
from floor.errors import RangecastError
from paint.messages import reserve, stamp
from paint.server import ALGORITHMS
from tests.oracles.topk import distinct_subscriptions, reaches
from tests.uncompiled import run_uncompiled

NAN = float("nan")
INF = float("inf")


def state(server: paint.Server) -> list[Any]:
    return [server._count, server.costs, *(array.tobytes() for array in server._index.arrays)]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"k": 0}, ValueError, "k must be at least 1"),
        ({"k": 2.5}, TypeError, "k must be an integer"),
        ({"x": [1.0, NAN]}, ValueError, r"x\[1\] = nan"),
        ({"y": [1.0, INF]}, ValueError, r"y\[1\] = inf"),
        ({"x": [1.0]}, ValueError, "equally long"),
        ({"x": [[1.0, 2.0]]}, ValueError, "one dimension"),
        ({"x": ["a", "b"]}, TypeError, "must be numbers"),
        ({"y": [None, 1.0]}, TypeError, "must be numbers"),
        ({"epsilon": 0.0}, ValueError, r"epsilon must be in \(0, 1\]"),
        ({"epsilon": 1.5}, ValueError, r"epsilon must be in \(0, 1\]"),
        ({"epsilon": NAN}, ValueError, "epsilon must be finite"),
        ({"epsilon": "half"}, TypeError, "epsilon must be a number"),
        ({"epsilon": 0.5, "algorithm": "relax"}, ValueError, "takes no epsilon"),
        ({"subscriptions": [[0.0, 1.0]]}, ValueError, "takes no subscriptions"),
        ({"algorithm": "watercolour"}, ValueError, "algorithm must be one of"),
        ({"index": "shoebox"}, ValueError, "index must be one of"),
        ({"algorithm": ["dense"]}, TypeError, r"algorithm must be one of dense, .*, got \['dense'\]"),
        ({"index": {}}, TypeError, "index must be one of kd, .*, got {}"),
        ({"k": 10**12}, ValueError, "k must be at least 1 and at most 1000000 .*, got 1000000000000"),
        ({"k": 10**30}, ValueError, "k must be at least 1 and at most"),
        ({"x": [[1.0], [2.0, 3.0]]}, ValueError, "x must have one dimension, got rows of unequal lengths"),
        ({"algorithm": "sparse", "subscriptions": [[1.0], [2.0, 3.0]]}, ValueError, "subscriptions must be rows"),
        ({"algorithm": "sparse", "subscriptions": [], "sketch": 0}, ValueError, "sketch must be at least 1 .* got 0"),
        (
            {"algorithm": "sparse", "subscriptions": [], "sketch": 1.5},
            TypeError,
            "sketch must be an integer",
        ),
    ],
)
def test_a_server_that_cannot_be(options: dict[str, Any], error: type[Exception], words: str) -> None:
    arguments = {"x": [1.0, 2.0], "y": [1.0, 2.0], "k": 1, **options}
    with pytest.raises(error, match=words):
        paint.Server(arguments.pop("x"), arguments.pop("y"), **arguments)


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (lambda server: server.update(9, 1.0), ValueError),
        (lambda server: server.update(-1, 1.0), ValueError),
        (lambda server: server.update(1, 1.0), ValueError),
        (lambda server: server.update("0", 1.0), TypeError),
        (lambda server: server.update(0.0, 1.0), TypeError),
        (lambda server: server.update(0, NAN), ValueError),
        (lambda server: server.update(0, INF), ValueError),
        (lambda server: server.update(0, "1"), TypeError),
        (lambda server: server.update(0, None), TypeError),
        (lambda server: server.insert(NAN, 1.0), ValueError),
        (lambda server: server.insert(1.0, INF), ValueError),
        (lambda server: server.delete(1), ValueError),
        (lambda server: server.move(0, NAN), ValueError),
        (lambda server: server.move(1, 2.0), ValueError),
        (lambda server: server.replay([0, 1], [1.0, 2.0]), ValueError),
        (lambda server: server.replay([0, 9], [1.0, 2.0]), ValueError),
        (lambda server: server.replay([0, -1], [1.0, 2.0]), ValueError),
        (lambda server: server.replay([0, 2], [1.0, NAN]), ValueError),
        (lambda server: server.replay([0, 2], [1.0]), ValueError),
        (lambda server: server.replay([0.0, 2.0], [1.0, 1.0]), TypeError),
        (lambda server: server.replay([[0, 2]], [1.0, 1.0]), ValueError),
        (lambda server: server.replay([0], ["a"]), TypeError),
    ],
)
def test_a_refused_event_changes_nothing(event: Callable[[paint.Server], Any], error: type[Exception]) -> None:
    server = paint.Server([1.0, 2.0, 3.0], [5.0, 6.0, 7.0], k=2)
    server.delete(1)
    before = state(server)
    with pytest.raises(error):
        event(server)
    assert state(server) == before


@pytest.mark.parametrize(
    ("event", "error", "words"),
    [
        (lambda s: s.batch([(0, 1.0), (9, 2.0)]), ValueError, r"^events\[1\] with object_id = 9 is not an object"),
        (lambda s: s.batch([(0, 1.0), (2, NAN)]), ValueError, r"^new_y must .*, got events\[1\] with new_y = nan$"),
        (lambda s: s.batch([(0.5, 1.0)]), TypeError, "^object_id must be integers, got an array of float64$"),
        (lambda s: s.batch([(0, "a")]), TypeError, "^new_y must be numbers"),
        (
            lambda s: s.batch([(0, 1.0), (2, 1.0, 3)]),
            TypeError,
            r"rows \(object_id, new_y\), got events\[1\] = \(2, 1",
        ),
        (lambda s: s.batch([(0, 1.0), 2]), TypeError, r"rows \(object_id, new_y\), got events\[1\] = 2$"),
        (lambda s: s.batch(None), TypeError, r"events must be rows \(object_id, new_y\), got None$"),
        (lambda s: s.batch([(0, [1.0]), (2, [1.0, 2.0])]), ValueError, "new_y must have one dimension"),
        (lambda s: s.window([(0, 1.0)]), TypeError, r"rows \(object_id, x, y\), got events\[0\] = \(0, 1.0\)$"),
        (lambda s: s.window([(0, 1.0, 2.0), None]), TypeError, r"got events\[1\] = None$"),
        (lambda s: s.window(None), TypeError, r"events must be rows \(object_id, x, y\), got None$"),
        (
            lambda s: s.replay([[0], [1, 2]], [1.0, 1.0]),
            ValueError,
            "^object_ids must have one dimension, got rows",
        ),
        (lambda s: s.replay([0, 9], [1.0, 1.0]), ValueError, r"^object_ids\[1\] = 9 is not an object"),
    ],
)
def test_a_refusal_speaks_of_what_was_given(
    event: Callable[[paint.Server], Any], error: type[Exception], words: str
) -> None:
    server = paint.Server([1.0, 2.0, 3.0], [5.0, 6.0, 7.0], k=2)
    before = state(server)
    with pytest.raises(error, match=words):
        event(server)
    assert state(server) == before


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_which_algorithms_take_subscriptions(algorithm: str) -> None:
    needs = "subscriptions" in ALGORITHMS[algorithm].takes
    server = paint.Server([1.0], [5.0], k=2, algorithm=algorithm, subscriptions=[] if needs else None)
    if needs:
        assert server.subscribe(0.0, 2.0) == 0
        return
    before = state(server)
    for ask in (lambda: server.subscribe(0.0, 2.0), lambda: server.unsubscribe(0)):
        with pytest.raises(RangecastError, match=r"those that do are sparse, unicast, unicast-tiles$"):
            ask()
    assert state(server) == before


def test_no_objects_at_all() -> None:
    server = paint.Server([], [], k=3)
    assert len(server.replay([], [])) == 0
    with pytest.raises(ValueError, match="it has none"):
        server.update(0, 1.0)
    i, messages = server.insert(2.0, 3.0)
    assert i == 0
    assert messages.table.tolist() == [(2.0, 2.0, -INF, INF, 2.0, 3.0, 0, paint.UPDATE)]
    assert server.delete(0).table["y"].tolist() == [INF]


def test_descending_messages_carry_the_true_y() -> None:
    server = paint.Server([1.0, 2.0], [5.0, 6.0], k=1, descending=True)
    assert server.update(0, 7.0).table["y"].tolist() == [7.0]
    assert server.delete(0).table[["y", "object", "cause"]].tolist() == [(-INF, 0, 0), (6.0, 1, 1)]


def test_costs_count_calls_of_the_index() -> None:
    server = paint.Server([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], k=1)
    server.update(2, 0.5)
    assert server.costs == {"first_k": 2, "min_y": 0, "snap": 0, "empty": 0}
    server.update(2, 2.5)
    assert server.costs == {"first_k": 4, "min_y": 3, "snap": 0, "empty": 0}


def test_integers_of_every_kind_are_ids() -> None:
    server = paint.Server(np.arange(3), np.arange(3, dtype=np.float32), k=1)
    assert len(server.update(np.int32(1), np.float32(-1))) == 1
    assert len(server.replay(np.array([1], np.uint8), [4])) > 0


def test_relax_tells_everybody_whose_range_contains_the_object() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 6, 10) * 1.0, rng.random(10)
    server = paint.Server(x, y, k=2, algorithm="relax")
    for i, messages, place in [
        (4, server.update(4, 0.5), x[4]),
        (7, server.replay([7], [0.25]), x[7]),
        (3, server.delete(3), x[3]),
    ]:
        assert messages.table["object"].tolist() == [i]
        for s in distinct_subscriptions(x):
            assert reaches(messages.table[0], *s) == (s[0] <= place <= s[1])
    assert len(server.update(4, 0.5)) == 0
    for new_x in (x[4] + 2.5, x[4] - 2.5):
        old_x = server._index.arrays.x[4]
        table = server.move(4, new_x).table
        for s in distinct_subscriptions([*x, old_x, new_x]):
            told = sum(reaches(message, *s) for message in table)
            assert told == (s[0] <= old_x <= s[1] or s[0] <= new_x <= s[1])


def test_rows_grow_and_keep_what_they_hold() -> None:
    out = np.arange(24.0).reshape(3, 8)
    assert reserve(out, 2, 1) is out
    larger = reserve(out, 2, 5)
    assert len(larger) >= 7
    assert (larger[:2] == out[:2]).all()
    stamp(larger, 1, 2, 3.0, 4.0, 5, paint.EXPOSED)
    messages = paint.Messages.of_rows(larger[:2], np.array([0, 2]))
    assert messages.table[1].tolist() == (8.0, 9.0, 10.0, 11.0, 3.0, 4.0, 5, 1)
    assert repr(messages) == "Messages(2 messages of 1 events)"


SCRIPT = """
import numpy as np, paint
rng = np.random.default_rng(11)
server = paint.Server(rng.integers(0, 30, 60) * 1.0, rng.random(60), k=4)
tables = [server.replay(rng.integers(0, 60, 80), rng.random(80)).table, server.insert(3.0, 0.1)[1].table]
tables += [server.update(5, 0.99).table, server.move(7, 12.0).table, server.delete(9).table]
tables.append(paint.Server([1.0, 2.0], [1.0, 2.0], k=1, algorithm="relax").replay([0], [3.0]).table)
print([table.tolist() for table in tables], server.costs)
"""


def test_the_same_answers_without_compilation(capsys: pytest.CaptureFixture[str]) -> None:
    exec(SCRIPT, {})
    compiled = capsys.readouterr().out
    assert len(compiled) > 10_000
    assert compiled == run_uncompiled(SCRIPT)
