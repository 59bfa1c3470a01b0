"""Several attributes against brute force: exact lists, nobody told twice or for nothing, the fewest boxes."""

from collections import Counter
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

import paint
from paint.corner_index import CornerIndex, OneSidedIndex
from paint.corner_tree import STRIP
from paint.messages import message_of
from paint.sides import boxes_of, points_of, sides_of, upper_sides
from tests.oracles.boxes import (
    Objects,
    Subscribers,
    attributes_of,
    distinct_subscriptions,
    fewest_boxes,
    holders,
    holds,
)
from tests.oracles.topk import reaches
from tests.paint.event_runs import EventRun
from tests.uncompiled import run_uncompiled

DIMENSIONS = (1.5, 2, 2.5, 3)
AWARE = ("sparse", "sparse-tiles", "unicast")
EVERYTHING: list[dict[str, Any]] = [
    {},
    {"descending": True},
    {"epsilon": 0.5},
    {"epsilon": 0.4, "cut": "tiles"},
    {"epsilon": 0.25},
    {"epsilon": 1, "descending": True},
    {"algorithm": "relax"},
    {"algorithm": "relax", "descending": True},
    {"algorithm": "sparse"},
    {"algorithm": "sparse", "descending": True},
    {"algorithm": "sparse", "epsilon": 0.5},
    {"algorithm": "sparse", "epsilon": 0.25, "cut": "tiles"},
    {"algorithm": "sparse", "epsilon": 1, "descending": True},
    {"algorithm": "sparse-tiles"},
    {"algorithm": "sparse-tiles", "epsilon": 0.5},
    {"algorithm": "sparse", "sketch": 1},
    {"algorithm": "sparse", "sketch": 7, "descending": True},
    {"algorithm": "sparse", "sketch": 7, "epsilon": 0.5},
    {"algorithm": "unicast"},
    {"algorithm": "unicast", "descending": True},
]


def ends_as_rows(ends: tuple[Any, Any], dimensions: float) -> Any:
    """Ends of subscriptions in the order of the sides, as a server takes them."""
    d = attributes_of(dimensions)
    columns = [ends[which][:, j] for j in range(d) for which in (0, 1) if which or dimensions == d or j < d - 1]
    return np.stack(columns, axis=1)


class Run(EventRun):
    """A server over boxes."""

    def __init__(
        self, seed: int, dimensions: float, *, events: int = 8, most: int | None = 300, m: int | None = None,
        n: int | None = None, distinct: int | None = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(seed, attributes_of(dimensions), events, n=n, distinct=distinct)
        ends = distinct_subscriptions(self.every_place(), dimensions, most, self.rng)
        self.dimensions, self.algorithm = dimensions, options.get("algorithm", "dense")
        self.everyone = ends
        if self.algorithm in AWARE:
            count = int(self.rng.choice([0, 1, 10, 60, most or 300])) if m is None else m
            some = self.rng.integers(0, len(ends[0]), count)
            ends = ends[0][some], ends[1][some]
            options = {**options, "subscriptions": ends_as_rows(ends, dimensions)}
        sign = -1.0 if options.get("descending") else 1.0
        self.server = paint.Server(self.x, self.y, k=self.k, dimensions=dimensions, **options)
        self.subscribers = Subscribers(
            self.objects, self.k, ends, epsilon=options.get("epsilon"), sign=sign,
            aware=self.algorithm in AWARE and "sketch" not in options,
        )  # fmt: skip

    def check(self, messages: paint.Messages) -> None:
        if self.algorithm == "relax":
            self.subscribers.told_by_place(messages.table, self.objects)
        else:
            super().check(messages)

    def come_and_go(self) -> None:
        """Let one subscription leave, if any is left, and another come."""
        if self.algorithm not in AWARE:
            return
        there = np.flatnonzero(self.subscribers.left[:, 0] < np.inf)
        if len(there):
            gone = int(self.rng.choice(there))
            self.server.unsubscribe(gone)
            self.subscribers.leave(gone)
        if self.rng.random() < 0.8:
            at = int(self.rng.integers(len(self.everyone[0])))
            left, right = self.everyone[0][at], self.everyone[1][at]
            two_sided = left[: int(self.dimensions)]
            assert self.server.subscribe(two_sided, right) == self.subscribers.come(left, right)


@pytest.mark.slow
@pytest.mark.parametrize("options", EVERYTHING, ids=str)
@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_every_algorithm_is_exact(dimensions: float, options: dict[str, Any]) -> None:
    for seed in range(40):
        Run(seed, dimensions, most=600, **options).run()
    for seed in range(4):
        Run(seed, dimensions, n=60, **options).run()


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_paint_dense_is_exact(dimensions: float) -> None:
    for seed in range(12):
        Run(seed, dimensions, **EVERYTHING[seed % 6]).run()


@pytest.mark.parametrize(("dimensions", "distinct", "size"), [(1.5, 3, 405), (2, 3, 2025), (2.5, 2, 5488)])
def test_paint_dense_is_exact_for_every_distinct_subscription(dimensions: float, distinct: int, size: int) -> None:
    largest = 0
    for seed in range(6):
        run = Run(seed, dimensions, events=5, most=None, n=1 + seed % 3, distinct=distinct, **EVERYTHING[seed % 4])
        largest = max(largest, len(run.subscribers.left))
        run.run()
    assert largest == size


def replay(one: Run, other: Run) -> None:
    """The same updates at once, and one after the other."""
    ids, ys = one.rng.choice(sorted(one.objects), 6), one.values(6)
    stream = one.server.replay(ids, ys)
    single = [other.server.update(i, value).table for i, value in zip(ids.tolist(), ys.tolist(), strict=True)]
    assert stream.table.tobytes() == np.concatenate(single).tobytes()
    assert np.diff(stream.offsets).tolist() == [len(table) for table in single]
    assert one.server.costs == other.server.costs


def run_all() -> None:
    """Every algorithm in every dimension, with k, n and ties of its own; all of them send something."""
    sent: Counter[str] = Counter()
    for seed, (options, dimensions) in enumerate(product(EVERYTHING, DIMENSIONS)):
        one, other = (Run(seed, dimensions, most=60, m=40, **options) for _ in range(2))
        one.run()
        other.run()
        if one.objects:
            replay(one, other)
        sent[str(options)] += one.sent
    few = {options: count for options, count in sent.items() if count < 10}
    assert not few, few
    for seed, dimensions in ((10, 1.5), (12, 1.5), (15, 2)):  # tiles of a sublist reach some who are served already
        Run(seed, dimensions, most=200, m=100, n=25, distinct=1000, algorithm="sparse", epsilon=1).run()
    for dimensions, algorithm in zip(DIMENSIONS, ("dense", "sparse", "sparse-tiles", "unicast"), strict=True):
        run = Run(9, dimensions, most=60, m=60, events=5, n=60, distinct=30, algorithm=algorithm)
        run.run()
        assert run.sent > 0, algorithm


def run_moves() -> None:
    """CN-Relax tells of one that moves in some of its attributes, or in none, who holds its old or its new place."""
    for dimensions in DIMENSIONS:
        run = Run(3, dimensions, most=1000, n=5, distinct=4, algorithm="relax")
        for _ in range(25):
            i = int(run.rng.integers(5))
            x, y = run.objects[i]
            stays = run.rng.random(len(x)) < 0.4
            place = tuple(np.where(stays, x, run.places(1)[0]).tolist())
            run.objects[i] = (place, y)
            messages = run.server.move(i, place)
            run.check(messages)
            run.sent += len(messages)
        assert run.sent > 30


def test_all_are_exact_without_compilation() -> None:
    run_uncompiled("from tests.paint.test_sides import run_all, run_moves; run_all(); run_moves()")


def example(objects: int, k: int, dimensions: float) -> paint.Messages:
    """The y of object 0 goes from 3 to 10."""
    x = [(5.0, 2.0), (2.0, 1.0), (7.0, 4.0), (4.0, 3.0), (8.0, 1.0), (6.0, 5.0)][:objects]
    server = paint.Server(x, [3.0, 1.0, 2.0, 5.0, 6.0, 7.0][:objects], k=k, dimensions=dimensions)
    return server.update(0, 10.0)


def test_a_worked_example() -> None:
    rows = example(6, 2, 1.5).table
    inf = np.inf
    told = [
        (0, 10, (-inf, 5), (5, inf), (2, 4)),
        (0, 10, (-inf, 2), (5, 7), (4, inf)),
        (0, 10, (2, 5), (5, inf), (4, inf)),
        (3, 5, (-inf, 2), (5, inf), (3, 4)),
        (3, 5, (-inf, 2), (5, 7), (4, inf)),
        (3, 5, (2, 4), (7, inf), (4, inf)),
        (4, 6, (-inf, 2), (8, inf), (2, 3)),
        (4, 6, (2, 4), (8, inf), (3, 4)),
        (4, 6, (4, 5), (8, inf), (4, inf)),
        (5, 7, (2, 4), (6, 7), (5, inf)),
        (5, 7, (4, 5), (7, 8), (5, inf)),
    ]
    assert told == [
        (h, y, (l_out[0], l_in[0]), (r_in[0], r_out[0]), (r_in[1], r_out[1]))
        for l_in, r_in, l_out, r_out, h, y in rows[["l_in", "r_in", "l_out", "r_out", "object", "y"]]
    ]
    assert rows["cause"].tolist() == [0] * 3 + [1] * 8
    assert np.isinf(rows["l_in"][:, 1]).all()
    assert np.isinf(rows["l_out"][:, 1]).all()


def test_a_worked_example_of_boxes() -> None:
    rows = example(4, 1, 2).table
    assert rows["object"].tolist() == [0] * 4 + [3] * 4
    inf = np.inf
    boxes = sorted(tuple(np.ravel([row[name] for name in ("l_out", "l_in", "r_in", "r_out")])) for row in rows[:4])
    assert boxes == [
        (-inf, 1.0, 5.0, 2.0, 5.0, 2.0, inf, 4.0),
        (-inf, 1.0, 5.0, 2.0, 5.0, 4.0, 7.0, inf),
        (2.0, -inf, 5.0, 1.0, 5.0, 2.0, inf, 4.0),
        (2.0, -inf, 5.0, 1.0, 5.0, 4.0, 7.0, inf),
    ]
    exposed = sorted(tuple(np.ravel([row[name] for name in ("l_out", "l_in", "r_in", "r_out")])) for row in rows[4:])
    assert exposed == sorted((a, b, min(c, 4.0), d, e, max(f, 3.0), g, h) for a, b, c, d, e, f, g, h in boxes)


@pytest.mark.parametrize("d", [2, 3])
def test_an_attribute_without_a_left_side_is_cut_last(d: int) -> None:
    rng = np.random.default_rng(d)
    x, y = rng.random((700, d)), rng.random(700)
    index = OneSidedIndex(x, y)
    for i in range(300):
        index.delete(i)
        index.insert(700 + i, rng.random(d), 0.5)
    index._check()
    arrays = index.arrays
    inner = np.flatnonzero((arrays.left >= 0) & (arrays.size > 1.5 * STRIP))  # some have changed since they were cut
    assert len(inner) > 3
    assert (arrays.axis[inner] < d - 1).all()
    assert (CornerIndex(x, y).arrays.axis == d - 1).any()
    x[:, :-1] = 7.0
    tied = OneSidedIndex(x, y).arrays
    assert (tied.axis[tied.left >= 0] == d - 1).all()
    x[:, 0], x[:, -1] = rng.random(700), 7.0
    flat = OneSidedIndex(x, y).arrays
    assert (flat.axis[flat.left >= 0] == 0).all()


def grid_of(x: Any, dimensions: float) -> list[tuple[tuple[int, ...], Any, Any]]:
    """A subscription in every cell of the grid of ends that differ: its cell, l and r."""
    d = attributes_of(dimensions)
    ends = [[-1.0, *sorted(set(x[:, j]))] for j in range(d)]
    choices = []
    for j in range(d):
        lefts = [-np.finfo(float).max] if dimensions != d and j == d - 1 else [*ends[j][1:], ends[j][-1] + 1]
        choices.append(
            [((a, b), l, r) for a, l in enumerate(reversed(lefts)) for b, r in enumerate(ends[j]) if l <= r]
        )
    found = []
    for one in product(*choices):
        cell = tuple(at for part in one for at in part[0])
        found.append((cell, np.array([part[1] for part in one]), np.array([part[2] for part in one])))
    return found


@pytest.mark.parametrize(("dimensions", "n", "seeds"), [(1.5, 6, 8), (2, 4, 4)])
def test_paint_dense_sends_the_fewest(dimensions: float, n: int, seeds: int) -> None:
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        k = 1 + seed % 2
        x = np.stack([rng.permutation(n) + 1.0 for _ in range(attributes_of(dimensions))], axis=1)
        y = rng.permutation(n) * 1.0
        grid = grid_of(x, dimensions)
        left, right = np.array([one[1] for one in grid]), np.array([one[2] for one in grid])
        server = paint.Server(x, y, k=k, dimensions=dimensions)
        best = int(np.argmin(y))
        rows = server.update(best, float(n)).table
        objects: Objects = {i: (tuple(x[i].tolist()), float(y[i])) for i in range(n)}
        within = partial(holds, left, right)
        before = holders(within, objects, k)
        after = holders(within, objects | {best: (objects[best][0], float(n))}, k)
        cells = {one[0] for one in grid}
        for h in set(rows["object"].tolist()):
            wanted = before[best] | after[best] if h == best else after[h] & ~before[h]
            region = {grid[at][0] for at in np.flatnonzero(wanted).tolist()}
            told = rows[rows["object"] == h]
            assert {grid[at][0] for row in told for at in np.flatnonzero(reaches(row, left, right))} == region
            assert len(told) == fewest_boxes(region, cells)


def test_subscriptions_come_and_go() -> None:
    server = paint.Server([(1.0, 1.0)], [1.0], k=1, dimensions=1.5, algorithm="sparse", subscriptions=[])
    assert len(server.update(0, 2.0)) == 0
    assert server.subscribe([0.0], [2.0, 3.0]) == 0
    assert len(server.update(0, 3.0)) == 1
    server.unsubscribe(0)
    assert len(server.update(0, 4.0)) == 0


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"dimensions": 4}, ValueError, r"dimensions must be one of 1, 1.5, 2, 2.5, 3, got 4"),
        ({"dimensions": "2"}, TypeError, "dimensions must be one of"),
        ({"x": [(1.0, 2.0, 3.0)] * 2}, ValueError, r"x must have the shape \(n, 2\), .*, got \(2, 3\)"),
        ({"x": [1.0, 2.0]}, ValueError, r"x must have the shape \(n, 2\)"),
        ({"x": [(1.0, 2.0), (1.0, np.nan)]}, ValueError, r"x must be finite, got x\[1, 1\] = nan"),
        ({"x": [(1.0, 2.0), (1.0,)]}, ValueError, "x must be rows of 2 numbers .* unequal"),
        ({"x": [("a", "b")] * 2}, TypeError, "x must be numbers"),
        ({"k": 0}, ValueError, "k must be at least 1"),
        ({"index": "tournament"}, ValueError, "index must be one of intervals, kd in 1.5 dimensions"),
        ({"algorithm": "unicast-tiles"}, ValueError, "algorithm must be one of dense"),
        ({"algorithm": "sparse"}, ValueError, "needs subscriptions, rows of l1, r1, r2; there may be none"),
        (
            {"algorithm": "sparse", "subscriptions": [[0.0, 1.0]]},
            ValueError,
            r"\(m, 3\), one row \[l1, r1, r2\] each",
        ),
        ({"algorithm": "sparse", "subscriptions": [[2.0, 1.0, 1.0]]}, ValueError, "l <= r in every attribute"),
        ({"algorithm": "sparse", "subscriptions": [[0.0, 1.0, np.nan]]}, ValueError, "no NaN, got .* in row 0"),
        ({"algorithm": "sparse", "subscriptions": [[0.0], [1.0, 2.0]]}, ValueError, "rows of equal lengths"),
        ({"algorithm": "unicast", "subscriptions": [], "sketch": 3}, ValueError, "takes no sketch"),
        ({"epsilon": 0.5, "cut": "strips"}, ValueError, "cut 'strips' is for one dimension, and not in"),
    ],
)
def test_a_server_that_cannot_be(options: dict[str, Any], error: type[Exception], words: str) -> None:
    arguments = {"x": [(1.0, 2.0), (2.0, 1.0)], "y": [1.0, 2.0], "k": 1, "dimensions": 1.5, **options}
    with pytest.raises(error, match=words):
        paint.Server(arguments.pop("x"), arguments.pop("y"), **arguments)


@pytest.mark.parametrize(
    ("event", "error", "words"),
    [
        (lambda s: s.insert((1.0,), 1.0), ValueError, r"x must be 2 numbers \(dimensions = 1.5\)"),
        (lambda s: s.insert(1.0, 1.0), ValueError, "x must be 2 numbers"),
        (lambda s: s.insert((1.0, np.inf), 1.0), ValueError, "x must be finite"),
        (lambda s: s.move(0, (1.0, np.nan)), ValueError, "new_x must be finite"),
        (lambda s: s.move(0, (1.0, "a")), TypeError, "new_x must be numbers"),
        (lambda s: s.move(9, (1.0, 1.0)), ValueError, "object_id = 9"),
        (lambda s: s.update(0, np.nan), ValueError, "new_y must be finite"),
        (lambda s: s.subscribe([0.0, 0.0], [1.0, 1.0]), ValueError, r"l must be 1 numbers \(l1\), got"),
        (lambda s: s.subscribe([0.0], [1.0]), ValueError, r"r must be 2 numbers \(r1, r2\), got"),
        (lambda s: s.subscribe([2.0], [1.0, 1.0]), ValueError, "l <= r"),
        (lambda s: s.subscribe(["a"], [1.0, 1.0]), TypeError, "l must be numbers"),
        (lambda s: s.unsubscribe(5), KeyError, "no subscription has the id 5"),
    ],
)
def test_an_event_that_cannot_be(event: Any, error: type[Exception], words: str) -> None:
    server = paint.Server(
        [(1.0, 2.0)], [1.0], k=1, dimensions=1.5, algorithm="sparse", subscriptions=[[0.0, 3.0, 3.0]]
    )
    with pytest.raises(error, match=words):
        event(server)
    assert server._count == 1


@pytest.mark.parametrize("dimensions", [1, *DIMENSIONS])
def test_a_message_reaches_a_subscription_iff_its_box_holds_the_point(dimensions: float) -> None:
    rng = np.random.default_rng(7)
    d = attributes_of(dimensions)
    sides = sides_of(dimensions)
    table = np.zeros(40, message_of(d))
    l, r = (rng.integers(0, 5, (60, d)).astype(float) for _ in range(2))
    for name, least in {"l_in": 2, "r_in": 0, "l_out": -1, "r_out": 3}.items():
        table[name] = rng.integers(least, least + 3, table[name].shape)
    if dimensions != d:
        l[:, -1] = -np.finfo(float).max
        table["l_in"][:, -1], table["l_out"][:, -1] = np.inf, -np.inf
    shape = (slice(None), 0) if d == 1 else (slice(None),)
    u = points_of(sides, l[shape], r[shape])
    lo, hi = boxes_of(sides, table)
    inside = ((lo[:, None] <= u) & (u < hi[:, None])).all(axis=2)
    expected = np.array([reaches(row, l, r) for row in table])
    assert (inside == expected).all()
    assert 0 < inside.sum() < inside.size


def test_upper_sides_are_right_ends_without_left_ones() -> None:
    sides = upper_sides(3)
    r = np.arange(6.0).reshape(2, 3)
    assert (points_of(sides, np.full((2, 3), np.nan), r) == r).all()
    table = np.zeros(1, message_of(3))
    table["r_in"], table["r_out"] = (1, 2, 3), (4, 5, 6)
    assert [side.tolist() for side in boxes_of(sides, table)] == [[[1, 2, 3]], [[4, 5, 6]]]
