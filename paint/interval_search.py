"""The search by intervals of Appendix D, for [l1, r1] x (-inf, r2]: Algorithms 7 and 11, mended (`docs/errata.md`).

A plane is swept over x2, from object i upwards. Between two of its stops, in an *interval*, the lists of one
dimension are the same: the x1 of the nearest k better objects west and east of i. What lies between the k-th of
either side is the interval's part of the influence polygon; a list shorter than k leaves its side open. The stops are
found by one question after the other for the least x2 in the polygon (Algorithm 7), the last of which finds nothing.
What lies below i in x2 belongs to the first interval.

As i sinks, every interval has a *candidate*, the least (y, id) in its part of the polygon beyond the last exposed
object. The least of all is exposed next: it cuts its interval in two, unless it lies on a stop or below the first,
and joins the lists of all intervals above that it lies within; an interval whose lists are then those of the one
before is joined to it. Only intervals of which the candidate is not known are asked: those just cut, and those whose
candidate fell out of the polygon. One that has none has none for good, since the polygon only shrinks.

Objects are kept in a band and tiles are made from it as ever (`paint.skyband`, `paint.slabs`), so messages are those
of the search over corners: only the questions are others. With ties in x1 a candidate may have k kept corners below
all the same, and of an object that moves those beyond the limit do not count: such a candidate is passed over.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit_inner
from paint.algorithm import FIRST_K, MIN_X2, MIN_Y, MIN_Y_APART
from paint.corner_search import HEAP, LAST, ORIGIN, Search, outside
from paint.corner_tree import CornerTree, below
from paint.interval_queries import Within, first_k, least_x2, least_y
from paint.list_slabs import near
from paint.sides import Sides, corner, seen_from
from paint.skyband import Skyband, add
from paint.sweep import EAST, WEST

__all__ = ["Intervals", "expose_in_intervals", "make_intervals", "next_in_intervals", "start_intervals"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

NOBODY = -1
"""Candidate of an interval that has none."""
UNKNOWN = -2
"""Candidate of an interval that has to be asked."""
SIZE, ASKED = range(2)
"""Positions in `Intervals.state`: number of intervals, and whether they have been asked for the first time."""


class Intervals(NamedTuple):
    """Intervals of x2, from the x2 of object i upwards.

    Attributes
    ----------
    low : float64 array
        Where each begins.
    xs, counts : float64 array of shape (intervals, 2, k), int64 array of shape (intervals, 2)
        The lists of each, as in `paint.geometry`.
    candidate : int64 array
        The next object of each to be exposed, NOBODY or UNKNOWN.
    state : int64 array of 2
        See SIZE and ASKED.
    ids : int64 array of k
        Scratch memory.
    """

    low: Floats
    xs: Floats
    counts: Ids
    candidate: Ids
    state: Ids
    ids: Ids


def make_intervals(k: int, room: int) -> Intervals:
    """Allocate for so many objects; memory that no event touches costs nothing."""
    integers = np.int64
    return Intervals(
        np.empty(room + 2), np.empty((room + 2, 2, k)), np.empty((room + 2, 2), integers),
        np.empty(room + 2, integers), np.zeros(2, integers), np.empty(k, integers),
    )  # fmt: skip


@njit_inner
def _sides_of(intervals: Intervals, at: int, k: int) -> tuple[float, float]:
    """The x1 that an interval's part of the polygon lies between, both excluded."""
    xs, counts = intervals.xs[at], intervals.counts[at]
    west = xs[WEST, k - 1] if counts[WEST] == k else -np.inf
    east = xs[EAST, k - 1] if counts[EAST] == k else np.inf
    return west, east


@njit_inner
def _within(intervals: Intervals, search: Search, at: int, k: int) -> tuple[float, float, float, float]:
    """An interval's part of the polygon, within the reach of those who matter, as a `Within` has it."""
    west, east = _sides_of(intervals, at, k)
    high = np.inf
    if at + 1 < intervals.state[SIZE]:
        high = np.nextafter(intervals.low[at + 1], -np.inf)
    left, right = max(np.nextafter(west, np.inf), -search.reach[0]), min(np.nextafter(east, -np.inf), search.reach[1])
    return left, right, -np.inf if at == 0 else intervals.low[at], min(high, search.reach[2])


@njit_inner
def _lies_west(tree: CornerTree, h: int, i: int) -> bool:
    """Whether object h lies west of object i, by (x1, id)."""
    return below(tree.x[h, 0], h, tree.x[i, 0], i)


@njit_inner
def _copy(intervals: Intervals, of: int, to: int) -> None:
    """Write one interval over another."""
    intervals.low[to], intervals.candidate[to] = intervals.low[of], intervals.candidate[of]
    for side in range(2):
        count = intervals.counts[of, side]
        intervals.counts[to, side] = count
        for at in range(count):
            intervals.xs[to, side, at] = intervals.xs[of, side, at]


@njit_inner
def _keep(tree: CornerTree, search: Search, band: Skyband, sides: Sides, h: int, i: int, k: int) -> None:
    seen_from(sides, tree.x, h, search.origin, search.point)
    add(band, len(search.origin), search.point, _lies_west(tree, h, i), k)


@njit_inner
def start_intervals(
    tree: CornerTree, search: Search, intervals: Intervals, band: Skyband, sides: Sides, i: int, y_end: float, k: int,
    costs: Ids,
) -> None:  # fmt: skip
    """Keep the objects that rank above object i, and make the intervals (Algorithm 7); see `corner_search.start`.

    Two first_k calls, and one more of the least x2 than it finds objects.
    """
    corner(sides, tree.x, i, search.origin)
    search.counts[HEAP], search.counts[LAST], search.counts[ORIGIN] = 0, i, i
    search.ys[0], search.ys[1] = tree.y[i], y_end
    for side in range(len(search.origin)):
        search.reach[side] = np.inf
    band.size[len(search.origin) - 2] = 0
    intervals.low[0], intervals.candidate[0] = tree.x[i, 1], UNKNOWN
    intervals.state[SIZE], intervals.state[ASKED] = 1, 0
    for side in (WEST, EAST):
        costs[FIRST_K] += 1
        count = first_k(tree, i, side == WEST, k, intervals.ids, search.waiting)
        intervals.counts[0, side] = count
        for at in range(count):
            h = intervals.ids[at]
            intervals.xs[0, side, at] = tree.x[h, 0]
            _keep(tree, search, band, sides, h, i, k)
    last, x2, after = 0, tree.x[i, 1], len(tree.y)
    while True:
        west, east = _sides_of(intervals, last, k)
        costs[MIN_X2] += 1
        within = Within(np.nextafter(west, np.inf), np.nextafter(east, -np.inf), x2, np.inf)
        h = least_x2(tree, within, after, i, search.waiting)
        if h < 0:
            break
        x2, after = tree.x[h, 1], h
        if x2 > intervals.low[last]:
            _copy(intervals, last, last + 1)
            last += 1
            intervals.low[last] = x2
            intervals.state[SIZE] = last + 1
        near(intervals.xs[last], intervals.counts[last], _lies_west(tree, h, i), tree.x[h, 0], k)
        _keep(tree, search, band, sides, h, i, k)


@njit_inner
def _same_lists(intervals: Intervals, one: int, other: int) -> bool:
    for side in range(2):
        if intervals.counts[one, side] != intervals.counts[other, side]:
            return False
        for at in range(intervals.counts[one, side]):
            if intervals.xs[one, side, at] != intervals.xs[other, side, at]:
                return False
    return True


@njit_inner
def _join(tree: CornerTree, intervals: Intervals, at: int) -> None:
    """Join an interval to the one before, whose lists it has."""
    g, h = intervals.candidate[at - 1], intervals.candidate[at]
    if g == UNKNOWN or h == UNKNOWN:
        intervals.candidate[at - 1] = UNKNOWN
    elif g == NOBODY or (h >= 0 and below(tree.y[h], h, tree.y[g], g)):
        intervals.candidate[at - 1] = h
    size = intervals.state[SIZE]
    for of in range(at + 1, size):
        _copy(intervals, of, of - 1)
    intervals.state[SIZE] = size - 1


@njit_inner
def expose_in_intervals(tree: CornerTree, intervals: Intervals, h: int, i: int, k: int) -> None:
    """Let the exposed object h join the lists of intervals that it lies within (lines 21 to 44 of Algorithm 11)."""
    x, x2, size = tree.x[h, 0], tree.x[h, 1], intervals.state[SIZE]
    at = size - 1
    while at > 0 and intervals.low[at] > x2:
        at -= 1
    intervals.candidate[at] = UNKNOWN
    if x2 > intervals.low[at]:
        for of in range(size - 1, at - 1, -1):
            _copy(intervals, of, of + 1)
        intervals.state[SIZE] = size + 1
        at += 1
        intervals.low[at] = x2
    first, west = at, _lies_west(tree, h, i)
    while at < intervals.state[SIZE]:
        # Lists only come nearer with x2: past one that h is not in, it is in none.
        if not near(intervals.xs[at], intervals.counts[at], west, x, k):
            break
        if at > first and _same_lists(intervals, at - 1, at):
            _join(tree, intervals, at)
        else:
            at += 1


@njit_inner
def _ask(
    tree: CornerTree, search: Search, intervals: Intervals, at: int, y: float, last: int, k: int, costs: Ids
) -> None:
    """Look for the candidate of an interval beyond (y, last); one out of reach is asked by the paper alone."""
    left, right, low, high = _within(intervals, search, at, k)
    intervals.candidate[at] = NOBODY
    if left <= right and low <= high:
        costs[MIN_Y] += 1
        box = Within(left, right, low, high)
        intervals.candidate[at] = least_y(tree, box, y, last, search.ys[1], search.counts[ORIGIN], search.waiting)
    else:
        costs[MIN_Y_APART] += 1


@njit_inner
def next_in_intervals(
    tree: CornerTree, search: Search, intervals: Intervals, band: Skyband, limit: Floats, sides: Sides, k: int,
    costs: Ids,
) -> int:  # fmt: skip
    """Find the next object to be exposed, or -1; its corner is in `search.point` (lines 16 to 21 of Algorithm 11).

    The caller tiles what it gains, adds it to the band, and calls `expose_in_intervals`.
    """
    for at in range(intervals.state[SIZE]):
        h = intervals.candidate[at]
        if h >= 0:
            west, east = _sides_of(intervals, at, k)
            above = at + 1 < intervals.state[SIZE] and tree.x[h, 1] >= intervals.low[at + 1]
            if above or not west < tree.x[h, 0] < east:
                h = UNKNOWN
        if h == UNKNOWN:
            _ask(tree, search, intervals, at, search.ys[0], search.counts[LAST], k, costs)
    intervals.state[ASKED] = 1
    while True:
        best, place = NOBODY, 0
        for at in range(intervals.state[SIZE]):
            h = intervals.candidate[at]
            if h >= 0 and (best < 0 or below(tree.y[h], h, tree.y[best], best)):
                best, place = h, at
        if best < 0:
            return NOBODY
        seen_from(sides, tree.x, best, search.origin, search.point)
        if not outside(search, band, limit, k):
            search.ys[0], search.counts[LAST] = tree.y[best], best
            return int(best)
        _ask(tree, search, intervals, place, tree.y[best], best, k, costs)
