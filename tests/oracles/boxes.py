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
    places: Iterable[tuple[float, ...]], dimensions: float, most: int | None, rng: np.random.Generator
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
    if most is None or size <= most:
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


def check_box(message: Any) -> None:
    assert np.all(message["l_out"] < message["l_in"]), f"an empty box is sent: {message}"
    assert np.all(message["r_in"] < message["r_out"]), f"an empty box is sent: {message}"


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
        aware: bool = False,
    ) -> None:
        """Take the objects, and what to allow: what epsilon allows, and, unless aware, messages that reach nobody."""
        self.left, self.right = (end.copy() for end in ends)
        self.aware = aware
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
            check_box(message)
            i, reached = int(message["object"]), self.deliver(message)
            assert reached.any() or not self.aware, f"a message reaches nobody: {message}"
            assert not (told.get(i, nobody) & reached).any(), f"somebody hears twice of object {i}"
            told[i] = told.get(i, nobody) | reached
        self._check_news(told, before, after, objects)
        self._check_lists(after, objects)
        self.objects = dict(objects)

    def leave(self, s: int) -> None:
        """Let a subscription leave: its row stays, and holds nothing any more."""
        self.left[s], self.right[s] = np.inf, -np.inf
        self.held[s] = {}

    def come(self, left: Floats, right: Floats) -> int:
        """Let a subscription come, with the list that is right for it; its row."""
        s = len(self.left)
        self.left, self.right = np.vstack((self.left, left)), np.vstack((self.right, right))
        order = sorted(self.objects, key=lambda i: (self.sign * self.objects[i][1], i))
        inside = [i for i in order if self.contains(self.objects[i][0])[s]]
        self.held[s] = {i: self.objects[i] for i in inside[: self.k]}
        return s

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

    def told_by_place(self, rows: Any, objects: Objects) -> None:
        """Check that all that hold an object, where it was or is, hear of it once and of nothing else (CN-Relax)."""
        changed = [i for i in {**self.objects, **objects} if self.objects.get(i) != objects.get(i)]
        for i in changed:
            spots = [state[i] for state in (self.objects, objects) if i in state]
            hold = np.any([self.contains(place) for place, _ in spots], axis=0)
            reached = [reaches(message, self.left, self.right) for message in rows]
            assert (np.sum(reached, axis=0) == hold).all(), f"those that hold object {i} do not hear of it once"
            place, y = objects.get(i, (spots[0][0], self.sign * math.inf))
            for message in rows:
                check_box(message)
                told = int(message["object"]), tuple(np.atleast_1d(message["x"]).tolist()), float(message["y"])
                assert told == (i, place, y)
        assert len(changed) == 1 or not len(rows), "a message of what has not changed"
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


def maximal_corners(region: set[tuple[int, ...]]) -> int:
    """How many cells of a region have no neighbour in it that is further up in one side."""

    def goes_on(cell: tuple[int, ...]) -> bool:
        return any((*cell[:side], at + 1, *cell[side + 1 :]) in region for side, at in enumerate(cell))

    return sum(not goes_on(cell) for cell in region)


def fewest_boxes(region: set[tuple[int, ...]], somebody: set[tuple[int, ...]]) -> int:
    """The least number of disjoint boxes that cover exactly `region` among the cells of a grid that hold somebody.

    Every set of cells that a box holds, and that are all of the region, is a candidate; the fewest that cover each
    cell of the region once are found by integer programming, which is exact.
    """
    if not region:
        return 0
    cells = [*sorted(region), *sorted(somebody - region)]  # a set of cells is a number, with a bit for each
    found = {2 ** len(cells) - 1}
    for side in range(len(cells[0])):
        axis = range(min(cell[side] for cell in region), max(cell[side] for cell in region) + 1)
        at = [sum(1 << bit for bit, cell in enumerate(cells) if cell[side] == value) for value in axis]
        spans = {sum(at[low:high]) for high in range(len(at) + 1) for low in range(high)}
        found = {box & span for box in found for span in spans} - {0}
    columns = [box for box in sorted(found) if box < 2 ** len(region)]
    rows = np.array([[box >> bit & 1 for box in columns] for bit in range(len(region))])
    once = LinearConstraint(csc_array(rows), 1, 1)
    least = milp(
        np.ones(len(columns)), constraints=once, integrality=np.ones(len(columns), np.int64), bounds=Bounds(0, 1)
    )
    assert least.success
    return round(float(least.fun))
