"""The state of one sweep over several attributes: what `paint.sweep` is to one dimension.

`CornerSweep` is scratch memory that a server allocates once: the sides, the search of the object index, the kept
corners and the tiles of slabs. Kernels take it whole.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from paint.algorithm import FIRST_K, MIN_Y, MIN_Y_APART, Plan
from paint.corner_search import Search, make_search, next_exposed, start
from paint.corner_tree import CornerTree
from paint.interval_search import (
    ASKED,
    SIZE,
    Intervals,
    expose_in_intervals,
    make_intervals,
    next_in_intervals,
    start_intervals,
)
from paint.sides import Sides
from paint.skyband import Skyband, add, make_skyband
from paint.slabs import Slabs, make_slabs

__all__ = ["CornerSweep", "keep", "kept_corners", "leave_off", "make_corner_sweep", "meet", "open_sweep"]

Floats = NDArray[np.float64]


class CornerSweep(NamedTuple):
    """Sweep of object i over the sides of a space; see the modules of its parts.

    Attributes
    ----------
    sides : Sides
        The sides of the space.
    search : Search
        Where in the object index the sweep is.
    band : Skyband
        The kept corners.
    slabs, boxes : Slabs, float64 array
        Scratch memory of tiles.
    limit : float64 array of D
        Corner of the subscriptions that are left out, +inf for none.
    intervals : Intervals or None
        Intervals of the search by those, if it is made in place of that over corners.
    """

    sides: Sides
    search: Search
    band: Skyband
    slabs: Slabs
    boxes: Floats
    limit: Floats
    intervals: Intervals | None


def make_corner_sweep(sides: Sides, k: int, room: int, *, by_intervals: bool = False) -> CornerSweep:
    """Allocate the scratch memory of sweeps among so many objects; what no event touches costs nothing."""
    count = len(sides.sign)
    slabs, boxes = make_slabs(count, k)
    return CornerSweep(
        sides, make_search(count, room), make_skyband(count, room), slabs, boxes, np.full(count, np.inf),
        make_intervals(k, room) if by_intervals else None,
    )  # fmt: skip


@njit_inner
def _start(
    arrays: CornerTree, plan: Plan, sweep: CornerSweep, intervals: Intervals | None, i: int, y_end: float
) -> None:
    search, band, sides = sweep.search, sweep.band, sweep.sides
    if intervals is None:
        plan.costs[FIRST_K] += 1
        start(arrays, search, band, sides, i, y_end, sweep.limit, plan.k)
    else:
        start_intervals(arrays, search, intervals, band, sides, i, y_end, plan.k, plan.costs)


@njit_inner
def open_sweep(
    arrays: CornerTree, plan: Plan, sweep: CornerSweep, i: int, y_end: float, place: Floats, all_told: bool
) -> None:
    """Start the sweep of object i from its y in the index up to y_end; the point looked at is its own corner.

    With y_end = -inf there is nothing to sweep and only the kept corners are found. Those that hold `place` are left
    out, unless it is NaN or all are told.
    """
    sides, limit = sweep.sides, sweep.limit
    for side in range(len(limit)):
        j, sign = sides.attribute[side], sides.sign[side]
        limit[side] = np.inf if all_told or np.isnan(place[j]) else max(sign * place[j], sign * arrays.x[i, j])
    _start(arrays, plan, sweep, sweep.intervals, i, y_end)
    for side in range(len(limit)):
        sweep.search.point[side] = sweep.search.origin[side]


@njit_inner
def _meet(arrays: CornerTree, plan: Plan, sweep: CornerSweep, intervals: Intervals | None) -> int:
    search, band, sides, limit, k = sweep.search, sweep.band, sweep.sides, sweep.limit, plan.k
    if intervals is None:
        plan.costs[MIN_Y] += 1
        return next_exposed(arrays, search, band, sides, limit, k)
    return next_in_intervals(arrays, search, intervals, band, limit, sides, k, plan.costs)


@njit_inner
def meet(arrays: CornerTree, plan: Plan, sweep: CornerSweep) -> int:
    """Find the next exposed object, or -1; its corner is the point looked at. One min_y call, or one per interval."""
    return _meet(arrays, plan, sweep, sweep.intervals)


@njit_inner
def _leave_off(plan: Plan, intervals: Intervals | None) -> None:
    if intervals is None:
        plan.costs[MIN_Y_APART] += 1
    elif intervals.state[ASKED] == 0:
        plan.costs[MIN_Y_APART] += intervals.state[SIZE]


@njit_inner
def leave_off(plan: Plan, sweep: CornerSweep) -> None:
    """Look for no exposed object any more, nobody being left; the paper does, once, or in every interval at first."""
    _leave_off(plan, sweep.intervals)


@njit_inner
def _expose(arrays: CornerTree, intervals: Intervals | None, h: int, i: int, k: int) -> None:
    if intervals is not None:
        expose_in_intervals(arrays, intervals, h, i, k)


@njit_inner
def keep(arrays: CornerTree, plan: Plan, sweep: CornerSweep, i: int, h: int) -> None:
    """Keep the exposed object h, whose corner is the point looked at."""
    x_h, x = arrays.x[h, 0], arrays.x[i, 0]
    add(sweep.band, len(sweep.limit), sweep.search.point, x_h < x or (x_h == x and h < i), plan.k)
    _expose(arrays, sweep.intervals, h, i, plan.k)


@njit
def kept_corners(sweep: CornerSweep, k: int) -> tuple[Floats, int]:
    """The kept corners, ascending in the last side, and how many; the limit, if there is one, counts k times."""
    band, limit = sweep.band, sweep.limit
    sides = len(limit)
    level, last = sides - 2, sides - 1
    size = band.size[level]
    if limit[0] == np.inf:
        return band.corner[level], size
    corners = np.empty((size + k, sides))
    at = 0
    while at < size and band.corner[level, at, last] <= limit[last]:
        at += 1
    for to in range(size + k):
        for side in range(sides):
            if to < at:
                corners[to, side] = band.corner[level, to, side]
            elif to < at + k:
                corners[to, side] = limit[side]
            else:
                corners[to, side] = band.corner[level, to - k, side]
    return corners, size + k
