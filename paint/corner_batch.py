"""Paint-Batch over several attributes: one round of messages for a window of events, of which the outcome matters.

What is told, to whom, in which order, and why lists are exact then, is as in `paint.batch` and `paint.window`, by the
same steps (`paint.outcome`). The regions of an object before and after the window are two bands of kept corners,
swept at once (`paint.slabs`): their union for an object whose y grows, what the second has beyond the first for one
that the window does not touch. Objects that move are told by tiles cut at the corners of their places.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from matching.flat_arrays import room_for
from paint.algorithm import Change, Plan, Rows
from paint.corner_halves import Spot
from paint.corner_index import CornerIndex
from paint.corner_sweep import CornerSweep, keep, meet, open_sweep
from paint.corner_tree import CornerTree
from paint.messages import EXPOSED, UPDATE, stamp_box
from paint.outcome import Outcome
from paint.sides import Floats, Sides
from paint.skyband import Skyband, make_skyband
from paint.slabs import Region, tile_region
from paint.staircase import Columns, make_columns

__all__ = ["paint_corner_window"]

Ids = NDArray[np.int64]


class Kept(NamedTuple):
    """Kept corners of an object at one time, and which of them lie west of it."""

    corner: Floats
    west: NDArray[np.bool_]


@njit
def _find_exposed(arrays: CornerTree, plan: Plan, sweep: CornerSweep, i: int, y_end: float, nowhere: Floats) -> Ids:
    """List the objects exposed as i rises from its y in the index to y_end; with y_end = -inf only keep corners."""
    open_sweep(arrays, plan, sweep, i, y_end, nowhere, True)
    found = np.empty(64, np.int64)
    count = 0
    while y_end > -np.inf:
        h = meet(arrays, plan, sweep)
        if h < 0:
            break
        found = room_for(found, count, 1)
        found[count] = h
        count += 1
        keep(arrays, plan, sweep, i, h)
    return found[:count]


@njit
def _tell_pair(
    arrays: CornerTree, plan: Plan, sweep: CornerSweep, before: Skyband, after: Skyband, columns: Columns, i: int,
    gains: bool, told: Spot, out: Rows,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell the union of two regions of object i, or what it gains from one to the other."""
    x, limit, origin = arrays.x[i], sweep.limit, sweep.search.origin
    for side in range(len(limit)):
        limit[side] = np.inf
        origin[side] = sweep.sides.sign[side] * x[sweep.sides.attribute[side]]
    region = Region(plan.k, plan.cut, gains, x[0], x[0], origin, limit)
    row = plan.k * 0
    _, out, end = tile_region(before, after, columns, sweep.slabs, sweep.sides, sweep.boxes, region, out, row)
    stamp_box(out, row, end, told[0], plan.sign * told[1], i, EXPOSED if gains else UPDATE)
    return out, end


@njit
def _tell_region(
    arrays: CornerTree, plan: Plan, sweep: CornerSweep, i: int, nowhere: Floats, out: Rows
) -> tuple[Rows, int]:
    """Tell IR(i) of object i, as the index has it."""
    x = arrays.x[i]
    open_sweep(arrays, plan, sweep, i, -np.inf, nowhere, True)
    region = Region(plan.k, plan.cut, False, x[0], x[0], sweep.search.origin, sweep.limit)
    row = plan.k * 0
    _, out, end = tile_region(sweep.band, None, None, sweep.slabs, sweep.sides, sweep.boxes, region, out, row)
    stamp_box(out, row, end, x, plan.sign * arrays.y[i], i, UPDATE)
    return out, end


def paint_corner_window(
    index: CornerIndex, plan: Plan, sides: Sides, sweep: CornerSweep, changes: list[Change]
) -> Rows:
    """Apply the changes of distinct objects to the index and give back their messages, as `paint.window` does."""
    window = _Window(index, plan, sides, sweep)
    return np.concatenate([*window.paint(changes), window.none])


class _Window(Outcome):
    """A corner index under the changes of one window, and scratch memory."""

    def __init__(self, index: CornerIndex, plan: Plan, sides: Sides, sweep: CornerSweep) -> None:
        super().__init__(index, plan)
        self._sides, self._sweep = sides, sweep
        attributes, room = index.arrays.x.shape[1], sweep.band.below.shape[1]
        self._nowhere = np.full(attributes, np.nan)
        self._bands = make_skyband(len(sides.sign), room), make_skyband(len(sides.sign), room)
        self._columns = make_columns(plan.k)
        self.none: Rows = np.empty((0, 5 * attributes + 3))
        self._out: Rows = np.empty((1024, 5 * attributes + 3))

    def _kept(self, i: int) -> Kept:
        """Kept corners of object i, as the index has it."""
        band, level = self._sweep.band, len(self._sides.sign) - 2
        _find_exposed(self._index.arrays, self._plan, self._sweep, i, -np.inf, self._nowhere)
        size = int(band.size[level])
        return Kept(band.corner[level, :size].copy(), band.west[level, :size].copy())

    def region(self, i: int) -> Rows:
        arrays = self._index.arrays
        self._out, end = _tell_region(arrays, self._plan, self._sweep, i, self._nowhere, self._out)
        return self._out[:end].copy()

    def _pair(self, i: int, before: Kept, after: Kept, *, gains: bool) -> Rows:
        """Messages about object i, as the index has it, to the union of two regions or what the second adds."""
        level = len(self._sides.sign) - 2
        for band, kept in zip(self._bands, (before, after), strict=True):
            size = len(kept.west)
            band.corner[level, :size], band.west[level, :size], band.size[level] = kept.corner, kept.west, size
        arrays, (first, second) = self._index.arrays, self._bands
        spot = (arrays.x[i], float(arrays.y[i]))
        self._out, end = _tell_pair(
            arrays, self._plan, self._sweep, first, second, self._columns, i, gains, spot, self._out
        )
        return self._out[:end].copy()

    def before(self, grown: list[Change]) -> list[Any]:
        """Kept corners of each, and of one that goes its region."""
        return [(self._kept(one.id), self.region(one.id) if one.y_1 == np.inf else None) for one in grown]

    def after(self, exposed: list[int]) -> list[Kept]:
        return [self._kept(h) for h in exposed]

    def union(self, one: Change, was: Any) -> Rows:
        kept, region = was
        return self._pair(one.id, kept, self._kept(one.id), gains=False) if region is None else self.told(region, one)

    def gains(self, exposed: list[int], after: list[Kept]) -> list[Rows]:
        return [self._pair(h, self._kept(h), kept, gains=True) for h, kept in zip(exposed, after, strict=True)]

    def exposed_by(self, i: int, y: float) -> list[int]:
        found: list[int] = _find_exposed(self._index.arrays, self._plan, self._sweep, i, y, self._nowhere).tolist()
        return found

    def told(self, rows: Rows, one: Change) -> Rows:
        stamp_box(rows, 0, len(rows), np.array(one.x_1), self._plan.sign * one.y_1, one.id, UPDATE)
        return rows

    def _corner(self, place: Any) -> Floats:
        corner: Floats = self._sides.sign * np.asarray(place)[self._sides.attribute]
        return corner

    def _boxes(self, rows: Rows) -> tuple[Floats, Floats]:
        return self._sides.sign * rows[:, self._sides.low], self._sides.sign * rows[:, self._sides.high]

    def _cut(self, rows: Rows, lo: Floats, hi: Floats) -> Rows:
        """Rows with other boxes, without those that are empty."""
        cut = rows.copy()
        cut[:, self._sides.low], cut[:, self._sides.high] = self._sides.sign * lo, self._sides.sign * hi
        kept: Rows = cut[(lo < hi).all(axis=1)]
        return kept

    def holding(self, rows: Rows, place: Any) -> Rows:
        lo, hi = self._boxes(rows)
        return self._cut(rows, np.maximum(lo, self._corner(place)), hi)

    def without(self, rows: Rows, inside: Any, outside: Any) -> Rows:
        del inside  # cut at every side
        corner = self._corner(outside)
        return self._outside(rows, corner, np.full(len(corner), np.inf))

    def difference(self, rows: Rows, taken: Rows) -> Rows:
        for low, high in zip(*self._boxes(taken), strict=True):
            rows = self._outside(rows, low, high)
        return rows

    def _outside(self, rows: Rows, low: Floats, high: Floats) -> Rows:
        """What of some tiles lies outside of one box: by side, below or above it, and within it in those before."""
        lo, hi = self._boxes(rows)
        parts = []
        for side in range(len(low)):
            for below in (True, False):
                one_lo, one_hi = lo.copy(), hi.copy()
                one_lo[:, :side] = np.maximum(lo[:, :side], low[:side])
                one_hi[:, :side] = np.minimum(hi[:, :side], high[:side])
                if below:
                    one_hi[:, side] = np.minimum(hi[:, side], low[side])
                else:
                    one_lo[:, side] = np.maximum(lo[:, side], high[side])
                parts.append(self._cut(rows, one_lo, one_hi))
        return np.concatenate(parts)
