"""Brute force for ranges over several attributes: lists by definition, the subscribers' side, the fewest boxes.

An object is a point x of d numbers with a y; a subscription has an end l and an end r for each attribute, and -inf
for the l of an attribute that has an upper bound only. Whatever is asked of all subscriptions is asked of arrays with
a row for each. No corners, no tiles here.
"""

import math
from collections.abc import Callable, Iterable
from itertools import pairwise, product
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csc_array

from tests.oracles.topk import hear, reaches

Objects = dict[int, tuple[tuple[float, ...], float]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

LARGEST = 1.7976931348623157e308
EXPOSED = 1


def attributes_of(dimensions: float) -> int:
    return math.ceil(dimensions)


def ends_of(values: Iterable[float]) -> list[float]:
    """Ends on values, between them, beyond them, and open ones."""
    known = sorted(set(values))
    if not known:
        return [-LARGEST, 0.0, LARGEST]
    between = [(a + b) / 2 for a, b in pairwise(known)]
    return sorted({-LARGEST, known[0] - 1.0, *known, *between, known[-1] + 1.0, LARGEST})


def distinct_subscriptions(
    places: Iterable[tuple[float, ...]], dimensions: float, most: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Rows l and r of every subscription that differs from others in what it holds, or `most` of them."""
    d = attributes_of(dimensions)
    places = list(places)
    choices = []
    for j in range(d):
        ends = ends_of(place[j] for place in places)
        one_sided = dimensions != d and j == d - 1
        lefts = [-LARGEST] if one_sided else ends
        choices.append([(l, r) for l in lefts for r in ends if l <= r])
    size = math.prod(len(one) for one in choices)
    if size <= most:
        rows = np.array(list(product(*choices)))
    else:
        rows = np.stack([np.array(one)[rng.integers(0, len(one), most)] for one in choices], axis=1)
    return rows[:, :, 0], rows[:, :, 1]


def holds(left: Floats, right: Floats, place: tuple[float, ...]) -> Flags:
    """Which subscriptions contain a place."""
    at = np.array(place)
    return np.asarray(np.logical_and(left <= at, at <= right).all(axis=1))


def ranks(contains: Callable[[tuple[float, ...]], Flags], objects: Objects, sign: float = 1.0) -> dict[int, Any]:
    """For each object, the best first, its rank in each subscription's range, 0 where it is outside.

    What `topk.ranked` says of one subscription, for hundreds of them at once in a twentieth of the time.
    """
    seen: Any = 0
    found = {}
    for i in sorted(objects, key=lambda i: (sign * objects[i][1], i)):
        inside = contains(objects[i][0])
        seen = seen + inside
        found[i] = np.where(inside, seen, 0)
    return found


def holders(
    contains: Callable[[tuple[float, ...]], Flags], objects: Objects, k: int, sign: float = 1.0
) -> dict[int, Flags]:
    """For each object, the best first, which subscriptions have it in their list."""
    return {i: (rank > 0) & (rank <= k) for i, rank in ranks(contains, objects, sign).items()}


class Subscribers:
    """Subscriptions, their lists kept by the protocol, and checks of what an event sent."""

    def __init__(
        self,
        objects: Objects,
        k: int,
        ends: tuple[Floats, Floats],
        *,
        epsilon: float | None = None,
        sign: float = 1.0,
    ) -> None:
        self.left, self.right = ends
        self.objects, self.k, self.epsilon, self.sign = dict(objects), k, epsilon, sign
        self.held = self._right_lists(self._top_k(objects), objects)

    def contains(self, place: tuple[float, ...]) -> Flags:
        """Which subscriptions contain a place."""
        return holds(self.left, self.right, place)

    def _top_k(self, objects: Objects) -> dict[int, Flags]:
        return holders(self.contains, objects, self.k, self.sign)

    def event(self, rows: Any, objects: Objects) -> None:
        """Deliver the messages of one event and check lists, false notifications and repetitions."""
        before, after = self._top_k(self.objects), self._top_k(objects)
        told: dict[int, Flags] = {}
        nobody = np.zeros(len(self.left), bool)
        for message in rows:
            assert np.all(message["l_out"] < message["l_in"]), f"an empty box is sent: {message}"
            assert np.all(message["r_in"] < message["r_out"]), f"an empty box is sent: {message}"
            i, reached = int(message["object"]), self.deliver(message)
            assert not (told.get(i, nobody) & reached).any(), f"somebody hears twice of object {i}"
            told[i] = told.get(i, nobody) | reached
        self._check_news(told, before, after, objects)
        self._check_lists(after, objects)
        self.objects = dict(objects)

    def unicast_event(self, rows: Any, objects: Objects) -> None:
        """Deliver messages to single subscriptions, each (subscription, dropped, object, y), and check the lists."""
        told = set()
        for message in rows:
            s, dropped, i = (int(message[name]) for name in ("subscription", "dropped", "object"))
            assert s not in told, f"subscription {s} is written to twice"
            told.add(s)
            entries = self.held[s]
            before = dict(entries)
            if dropped >= 0:
                del entries[dropped]
            if i >= 0:
                entries[i] = (objects[i][0], float(message["y"]))
            assert entries != before, f"subscription {s} is written to for nothing"
        self._check_lists(self._top_k(objects), objects)
        self.objects = dict(objects)

    def deliver(self, message: Any, *, believed: bool = False) -> Flags:
        """Let all hear of a message whom it reaches: those; `believed` when nobody looks whether it lies in range."""
        i, x, y = int(message["object"]), tuple(np.atleast_1d(message["x"]).tolist()), float(message["y"])
        reached: Flags = reaches(message, self.left, self.right)
        inside = (self.contains(x) | believed).tolist()
        for s in np.flatnonzero(reached).tolist():
            hear(self.held[s], i, x, y, self.k, inside=inside[s], descending=self.sign < 0)
        return reached

    def wrong(self, objects: Objects) -> list[int]:
        """Subscriptions that hold another list than the right one."""
        right = self._right_lists(self._top_k(objects), objects)
        return [s for s, entries in self.held.items() if entries != right[s]]

    def _check_news(
        self, told: dict[int, Flags], before: dict[int, Flags], after: dict[int, Flags], objects: Objects
    ) -> None:
        nobody = np.zeros(len(self.left), bool)
        orders = [ranks(self.contains, state, self.sign) for state in (self.objects, objects)]
        beyond = np.full(len(self.left), 10**9)
        for i, reached in told.items():
            same = self.objects.get(i) == objects.get(i)
            held, holds_now = before.get(i, nobody), after.get(i, nobody)
            needed = (held != holds_now) if same else (held | holds_now)
            if self.epsilon is None:
                assert not (reached & ~needed).any(), f"somebody hears of object {i} for nothing"
                continue
            slack = math.ceil(self.epsilon * self.k - 1e-9) - 1
            best = beyond
            for order in orders:
                if i in order:
                    best = np.minimum(best, np.where(order[i] > 0, order[i], 10**9))
            assert (best[reached] <= self.k + slack).all(), f"somebody hears of object {i}, which ranks too low"

    def _right_lists(self, flags: dict[int, Flags], objects: Objects) -> dict[int, Objects]:
        right: dict[int, Objects] = {s: {} for s in range(len(self.left))}
        for i, holders in flags.items():
            for s in np.flatnonzero(holders).tolist():
                right[s][i] = objects[i]
        return right

    def _check_lists(self, after: dict[int, Flags], objects: Objects) -> None:
        right = self._right_lists(after, objects)
        for s, entries in self.held.items():
            assert entries == right[s], f"{self.left[s]} {self.right[s]} holds {entries}, right is {right[s]}"


def fewest_boxes(region: set[tuple[int, ...]], somebody: set[tuple[int, ...]]) -> int:
    """The least number of disjoint boxes that cover exactly `region` among the cells of a grid that hold somebody.

    Every box of cells that meets nobody outside the region is a candidate; the fewest that cover each cell of the
    region once are found by integer programming, which is exact.
    """
    if not region:
        return 0
    axes = [sorted({cell[side] for cell in region}) for side in range(len(next(iter(region))))]
    spans = [[(a, b) for a in axis for b in axis if a <= b] for axis in axes]
    cells = sorted(region)
    number = {cell: at for at, cell in enumerate(cells)}
    columns = []
    for box in product(*spans):
        inside = [cell for cell in product(*(range(a, b + 1) for a, b in box)) if cell in somebody]
        if inside and all(cell in region for cell in inside):
            columns.append([number[cell] for cell in inside])
    rows = np.concatenate([np.array(one) for one in columns])
    at = np.repeat(np.arange(len(columns)), [len(one) for one in columns])
    cover = csc_array((np.ones(len(rows)), (rows, at)), (len(cells), len(columns)))
    once = LinearConstraint(cover, np.ones(len(cells)), np.ones(len(cells)))
    found = milp(
        np.ones(len(columns)), constraints=once, integrality=np.ones(len(columns), np.int64), bounds=Bounds(0, 1)
    )
    assert found.success
    return round(float(found.fun))
