"""Paint-Dense over several attributes (Section IV-C, Appendix D): `paint.dense` with corners in place of lists.

An object that rises tells its new influence region of itself. One that sinks tells the old one, and then goes up from
its old y to its new one: each object h met, with fewer than k kept corners below b(h), gains what lies above b(h)
with exactly k - 1 below, and is kept from then on. "b(h) in the influence region of i as it is by then" is all that
exposure means. One loop serves both; for an object that rises there is nobody to meet.
"""

from typing import ClassVar

import numpy as np

from floor.kernels import njit
from paint.algorithm import Plan, Rows
from paint.corner_halves import Spot, replay_of
from paint.corner_painting import CornerPainting
from paint.corner_sweep import CornerSweep, keep, meet, open_sweep
from paint.corner_tree import CornerTree
from paint.messages import EXPOSED, UPDATE, stamp_box
from paint.sides import Floats
from paint.slabs import Region, tile_region

__all__ = ["CornerDense"]


@njit
def half(
    arrays: CornerTree, plan: Plan, sweep: CornerSweep, _tree: None, _own: None, i: int,
    rises: bool, told: Spot, y_far: float, place: Floats, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell IR(i) of the spot told, then, unless i rises, of the objects exposed on its way from its y to y_far.

    v + 1 min_y calls when v objects are exposed; more by intervals.
    """
    search, limit = sweep.search, sweep.limit
    open_sweep(arrays, plan, sweep, i, -np.inf if rises else y_far, place, rises)
    x, boxes = arrays.x[i, 0], sweep.boxes
    h, x_h, y_h, cause = i, told[0], told[1], UPDATE
    while True:
        region = Region(plan.k, plan.cut, cause == EXPOSED, x, arrays.x[h, 0], search.point, limit)
        boxes, out, end = tile_region(sweep.band, None, None, sweep.slabs, sweep.sides, boxes, region, out, row)
        stamp_box(out, row, end, x_h, plan.sign * y_h, h, cause)
        row = end
        if rises:
            break
        if cause == EXPOSED:
            keep(arrays, plan, sweep, i, h)
        h = meet(arrays, plan, sweep)
        if h < 0:
            break
        x_h, y_h, cause = arrays.x[h], arrays.y[h], EXPOSED
    return out, row


class CornerDense(CornerPainting):
    """Paint-Dense over a corner index, as a server drives it."""

    takes: ClassVar = frozenset({"cut", "epsilon"})
    tell: ClassVar = half
    stream: ClassVar = replay_of(half)

    def _parts(self) -> tuple[CornerTree, Plan, CornerSweep, None, None]:
        return self._index.arrays, self._plan, self._swept(), None, None

    def _rows(self, events: int) -> int:
        # Untouched memory costs nothing, copying on growth does: start with what uniform data needs, up to 2^22 rows.
        return int(min(events * 8 * self._plan.k ** (len(self._sides.sign) - 1) + 64, 1 << 22))
