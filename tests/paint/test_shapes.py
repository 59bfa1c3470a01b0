"""Halfspaces and disks: one predicate, what messages are, and what is refused."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import paint
from matching.side_index import SideIndex
from paint.shapes import CROSSED, INSIDE, OUTSIDE, SHAPES, holds, lift, plane_of, planes_of, relation, under
from paint.sides import boxes_of, upper_sides
from tests.oracles.shapes import ShapeSubscribers, contains, point, relax_lists
from tests.paint.test_shape_events import SPACES, some_rows


def as_fractions(numbers: Any) -> list[Fraction]:
    return [Fraction(float(one)) for one in numbers]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_predicate_is_that_of_rational_numbers_where_floats_are_exact(shape: str) -> None:
    rng = np.random.default_rng(3)
    for d in SHAPES[shape]:
        places = rng.integers(-6, 7, (60, d)) / 2.0
        rows = some_rows(rng, shape, d, 400, places)
        found = holds(shape, lift(shape, rows, d)[:, None], places)
        border = 0
        for row, x in product(range(0, 400, 7), range(60)):
            u, at = as_fractions(rows[row]), as_fractions(places[x])
            if shape == "disks":
                left, right = (at[0] - u[0]) ** 2 + (at[1] - u[1]) ** 2, u[2] ** 2
            else:
                left, right = sum((a * b for a, b in zip(u[:-1], at[:-1], strict=True)), u[-1]), at[-1]
            border += left == right
            assert found[row, x] == (left <= right)
            assert found[row, x] == contains(shape, rows[row : row + 1], tuple(places[x]))[0]
        assert border > 20


@pytest.mark.parametrize("shape", SHAPES)
def test_the_predicate_is_one_in_arrays_and_in_kernels(shape: str) -> None:
    """On the border, as near as floats get: there every other order of operations decides otherwise at times."""
    rng = np.random.default_rng(4)
    for d in SHAPES[shape]:
        x = rng.standard_normal((300, d)) * 10.0 ** rng.integers(-3, 4, (300, d))
        sides = 3 if shape == "disks" else d
        u = rng.standard_normal((300, sides)) * 10.0 ** rng.integers(-3, 4, (300, sides))
        planes = planes_of(shape, x)
        u[:, -1] = planes[:, -1] - (planes[:, :-1] * u[:, :-1]).sum(axis=1)
        u[:, -1] += np.spacing(u[:, -1]) * rng.integers(-2, 3, 300)
        every = holds(shape, u, x)
        plane = np.empty(sides)
        for at in range(300):
            plane_of(shape == "disks", x[at], plane)
            assert (plane == planes[at]).all()
            assert under(plane, u[at]) == every[at] == (relation(plane, u[at], u[at]) == INSIDE)
        assert 0 < every.sum() < 300


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_said_of_a_box_holds_for_the_predicate_of_its_points(shape: str) -> None:
    rng = np.random.default_rng(5)
    d = SHAPES[shape][-1]
    sides = 3 if shape == "disks" else d
    seen = set()
    for _ in range(600):
        x = rng.standard_normal(d) * 10.0 ** rng.integers(-2, 3, d)
        plane = planes_of(shape, x)
        middle = rng.standard_normal(sides)
        middle[-1] = plane[-1] - (plane[:-1] * middle[:-1]).sum()
        ulps = np.spacing(middle) * 10.0 ** rng.integers(0, 9)
        points = middle + ulps * rng.integers(-3, 4, (8, sides))
        points[:, -1] += ulps[-1] * rng.integers(-9, 10)
        lo, hi = points.min(axis=0), points.max(axis=0)
        inside = np.concatenate((points, [lo, hi], rng.uniform(lo, hi, (8, sides)).clip(lo, hi)))
        held = holds(shape, inside, x)
        said = relation(plane, lo, hi)
        seen.add(said)
        assert said == CROSSED or held.all() == held.any() == (said == INSIDE)
        corners = np.array(list(product(*zip(lo, hi, strict=True))))
        reached = holds(shape, corners, x)
        assert said == (INSIDE if reached.all() else CROSSED if reached.any() else OUTSIDE)
    assert seen == {OUTSIDE, CROSSED, INSIDE}


def float_server(shape: str, d: int, **options: Any) -> tuple[paint.Server, Any, Any, Any]:
    rng = np.random.default_rng(6)
    x, y = rng.random((60, d)), rng.random(60)
    rows = rng.random((500, 3 if shape == "disks" else d))
    server = paint.Server(x, y, k=3, dimensions=d, shape=shape, subscriptions=rows, **options)
    return server, x, y, rows


@pytest.mark.parametrize("algorithm", ["sparse", pytest.param("unicast", marks=pytest.mark.slow)])
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_a_replayed_stream_is_that_of_single_updates(space: tuple[str, int], algorithm: str) -> None:
    rng = np.random.default_rng(8)
    ids, ys = rng.integers(0, 60, 15), rng.random(15)
    (one, *_), (other, *_) = (float_server(*space, algorithm=algorithm) for _ in range(2))
    stream = one.replay(ids, ys)
    single = [other.update(i, value).table for i, value in zip(ids.tolist(), ys.tolist(), strict=True)]
    assert stream.table.tobytes() == np.concatenate(single).tobytes()
    assert len(stream) > 15
    assert one.costs == other.costs


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_messages_are_boxes_of_upper_sides(space: tuple[str, int]) -> None:
    shape, d = space
    server, x, y, rows = float_server(shape, d, algorithm="sparse")
    table = server.update(int(np.argmin(y)), 2.0).table
    sides = 3 if shape == "disks" else d
    assert table["r_in"].shape == (len(table), sides)
    assert table["x"].shape == (len(table), d)
    assert table.dtype.itemsize == 8 * (4 * sides + d + 3)
    assert (table["l_in"] == np.inf).all()
    assert (table["l_out"] == -np.inf).all()
    lo, hi = boxes_of(upper_sides(sides), table)
    points = lift(shape, rows, d)
    told = np.all((lo[:, None] <= points) & (points < hi[:, None]), axis=2)
    own = table["object"] == int(np.argmin(y))
    assert (told[own].sum(axis=0) == holds(shape, points, x[np.argmin(y)])).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_an_index_of_points_is_taken_as_it_is(shape: str) -> None:
    server, x, y, rows = float_server(shape, 2, algorithm="sparse")
    index = SideIndex(lift(shape, rows, 2))
    other = paint.Server(x, y, k=3, dimensions=2, shape=shape, algorithm="sparse", subscriptions=index)
    assert server.update(4, 0.01).table.tobytes() == other.update(4, 0.01).table.tobytes()


@pytest.mark.parametrize("shape", SHAPES)
def test_subscriptions_come_and_go(shape: str) -> None:
    server = paint.Server([(1.0, 1.0)], [1.0], k=1, dimensions=2, shape=shape, algorithm="sparse", subscriptions=[])
    row = (1.0, 2.0, 1.0) if shape == "disks" else (0.5, 0.5)
    assert len(server.update(0, 2.0)) == 0
    assert server.subscribe(row) == 0
    assert server.subscribe(np.full(len(row), -np.finfo(float).max), point(shape, row)) == 1
    told = server.update(0, 3.0).table
    assert told["r_in"].tolist() == [list(point(shape, row))]
    server.unsubscribe(0)
    assert len(server.update(0, 4.0)) == 1
    server.unsubscribe(1)
    assert len(server.update(0, 5.0)) == 0


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_relax_tells_everybody_once(space: tuple[str, int]) -> None:
    shape, d = space
    rng = np.random.default_rng(9)
    x, y = rng.integers(-4, 5, (12, d)) / 2.0, rng.integers(0, 9, 12) * 1.0
    rows = some_rows(rng, shape, d, 50, x)
    server = paint.Server(x, y, k=2, dimensions=d, shape=shape, algorithm="relax", descending=True)
    told: dict[int, Any] = {i: (tuple(x[i].tolist()), float(y[i])) for i in range(12)}
    events = [server.update(3, 5.5), server.move(4, (1.0,) * d), server.delete(5), server.insert((0.0,) * d, 7.0)[1]]
    truth = {**told, 3: (told[3][0], 5.5), 4: ((1.0,) * d, told[4][1]), 12: ((0.0,) * d, 7.0)}
    del truth[5]
    for event in events:
        (message,) = event.table
        assert (message["r_in"] == -np.inf).all()
        assert (message["r_out"] == np.inf).all()
        told[int(message["object"])] = (tuple(message["x"].tolist()), float(message["y"]))
    subscribers = ShapeSubscribers(truth, 2, shape, rows, sign=-1.0)
    assert [sorted(one) for one in relax_lists(told, rows, shape, 2, -1.0)] == [
        sorted(subscribers.held[s]) for s in range(50)
    ]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"shape": "balls"}, ValueError, "shape must be one of boxes, disks, halfspaces, got 'balls'"),
        ({"shape": 3}, TypeError, "shape must be one of"),
        ({"dimensions": 3}, ValueError, "dimensions must be 2 for disks, got 3"),
        ({"dimensions": 1}, ValueError, "dimensions must be 2 for disks, got 1"),
        ({"dimensions": 1.5, "shape": "halfspaces"}, ValueError, "must be 2 or 3 for halfspaces, got 1.5"),
        (
            {"algorithm": "dense"},
            ValueError,
            "'dense' is for boxes: .* no unions of boxes, .* choose sparse",
        ),
        ({"algorithm": "sparse-tiles"}, ValueError, "'sparse-tiles' is for boxes"),
        ({"epsilon": 0.5}, ValueError, "epsilon is for boxes: it groups tiles, .* leave it out"),
        ({"index": "kd"}, ValueError, "index must be one of ranked in 2 dimensions, got 'kd'"),
        ({"x": [(1.0, 2.0, 3.0)] * 2}, ValueError, r"x must have the shape \(n, 2\), .*, got \(2, 3\)"),
        ({"x": [(1.0, 2.0), (1.0, np.nan)]}, ValueError, r"x must be finite, got x\[1, 1\] = nan"),
        ({"x": [(1.0, 2.0), (1.0, 1e200)]}, ValueError, r"x must be finite and at most 1e\+150 .* in row 1"),
        ({"subscriptions": [(1.0, 2.0)]}, ValueError, r"\(m, 3\), one row \[a, b, radius\] each, got \(1, 2\)"),
        ({"subscriptions": [(1.0, 2.0, 0.0), (1.0, 2.0, -0.5)]}, ValueError, "radius of at least 0, got .* in row 1"),
        ({"subscriptions": [(1.0, np.nan, 1.0)]}, ValueError, "subscriptions must be finite .* in row 0"),
        ({"subscriptions": [(1.0, 1.0, np.inf)]}, ValueError, "subscriptions must be finite .* in row 0"),
        ({"subscriptions": [("a", "b", "c")]}, TypeError, "subscriptions must be numbers"),
        ({"subscriptions": SideIndex([(1.0, 1.0)])}, ValueError, "must have 3 sides, got an index of 2"),
        ({"subscriptions": SideIndex([(1.0, 1.0, np.inf)])}, ValueError, r"points of .* at most 3e\+300"),
        ({"shape": "halfspaces"}, ValueError, r"\(m, 2\), one row \[a1, a2\] each, got \(1, 3\)"),
    ],
)
def test_a_server_that_cannot_be(options: dict[str, Any], error: type[Exception], words: str) -> None:
    given: dict[str, Any] = {
        "x": [(1.0, 2.0), (2.0, 1.0)],
        "y": [1.0, 2.0],
        "k": 1,
        "dimensions": 2,
        "shape": "disks",
    }
    given |= {"algorithm": "sparse", "subscriptions": [(0.0, 0.0, 1.0)], **options}
    with pytest.raises(error, match=words):
        paint.Server(given.pop("x"), given.pop("y"), **given)


@pytest.mark.parametrize(
    ("event", "error", "words"),
    [
        (lambda s: s.insert((1.0,), 1.0), ValueError, "x must be 2 numbers"),
        (lambda s: s.insert((1.0, 1e151), 1.0), ValueError, r"x must be finite and at most 1e\+150"),
        (lambda s: s.move(0, (1.0, np.nan)), ValueError, "new_x must be finite"),
        (lambda s: s.subscribe((0.0, 0.0)), ValueError, r"must be 3 numbers \(a, b, radius\), got \(0.0, 0.0\)"),
        (lambda s: s.subscribe((0.0, 0.0, -1.0)), ValueError, "radius of at least 0"),
        (lambda s: s.subscribe((0.0, 0.0, np.nan)), ValueError, "must be finite"),
        (lambda s: s.subscribe(("a", 0.0, 1.0)), TypeError, "must be 3 numbers"),
        (lambda s: s.subscribe(None, (0.0, 0.0, np.inf)), ValueError, "must be finite"),
        (lambda s: s.unsubscribe(5), KeyError, "no subscription has the id 5"),
        (lambda s: s.batch([(0, 2.0)], variant="printed"), ValueError, "'printed' is for one dimension"),
    ],
)
def test_an_event_that_cannot_be(event: Any, error: type[Exception], words: str) -> None:
    server = paint.Server(
        [(1.0, 2.0)], [1.0], k=1, dimensions=2, shape="disks", algorithm="sparse", subscriptions=[(0.0, 3.0, 3.0)]
    )
    with pytest.raises(error, match=words):
        event(server)
    assert server._count == 1
    assert len(server._subscriptions) == 1
