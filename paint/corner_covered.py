"""Paint-Sparse over several attributes where a sketch stands in for the subscriptions (after Theorem 5, beyond 1-d).

Who holds an object cannot be found by a walk over a cover, which promises only that there may be somebody. So the
tiles are those of Paint-Dense, each snapped to the cover and dropped where that has nothing, as in one dimension. A
box is merged into one of the last of its object if all that the cover has in the box around both is in one of them.
Boxes stay inside tiles, or hold nobody beyond them, so lists stay exact; some messages reach nobody.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from matching.side_sketch import clear_between, snap_cover
from matching.side_tree import SideTree
from paint import corner_dense
from paint.algorithm import EMPTY, SNAP, Change, Plan, Rows
from paint.corner_halves import Spot, replay_of
from paint.corner_painting import CornerPainting
from paint.corner_sweep import CornerSweep
from paint.corner_tree import CornerTree
from paint.sides import Floats, Sides
from paint.snapped import BACK, WRITTEN, Boxes, make_boxes, start_boxes, write_box, write_next

__all__ = ["CornerCovered"]

_dense = corner_dense.half


@njit
def _merged(tree: SideTree, sides: Sides, boxes: Boxes, costs: NDArray[np.int64], out: Rows) -> bool:
    """Whether the box in `boxes.box` could be merged into one before."""
    written = boxes.counts[WRITTEN]
    for back in range(1, min(written, BACK) + 1):
        at = (written - back) % BACK
        for side in range(boxes.box.shape[1]):
            boxes.both[0, side] = min(boxes.box[0, side], boxes.around[at, 0, side])
            boxes.both[1, side] = max(boxes.box[1, side], boxes.around[at, 1, side])
        costs[EMPTY] += 1
        if clear_between(tree, boxes.both, boxes.box, boxes.around[at]):
            for side in range(boxes.box.shape[1]):
                boxes.around[at, 0, side], boxes.around[at, 1, side] = boxes.both[0, side], boxes.both[1, side]
            write_box(sides, boxes.both, out, boxes.row[at])
            return True
    return False


@njit
def cover(tree: SideTree, sides: Sides, boxes: Boxes, costs: NDArray[np.int64], out: Rows, row: int, end: int) -> int:
    """Snap the messages in rows `row` to `end`, drop and merge, in place; the row after the last one left."""
    told = out.view(np.int64)
    first = 4 * (sides.attribute[-1] + 1)
    lo, hi = np.empty(len(sides.sign)), np.empty(len(sides.sign))
    carried = np.empty(out.shape[1] - first, np.int64)
    costs[SNAP] += end - row
    to = row
    for at in range(row, end):
        same = at > row
        for column in range(len(carried)):
            same = same and told[at, first + column] == carried[column]
            carried[column] = told[at, first + column]
        if not same:
            start_boxes(boxes)
        for side in range(len(sides.sign)):
            sign = sides.sign[side]
            lo[side] = sign * out[at, sides.low[side]]
            hi[side] = np.nextafter(sign * out[at, sides.high[side]], -np.inf)
        if not snap_cover(tree, lo, hi, boxes.box[0], boxes.box[1]) or _merged(tree, sides, boxes, costs, out):
            continue
        for column in range(len(carried)):
            told[to, first + column] = carried[column]
        write_next(sides, boxes, out, to)
        to += 1
    return to


@njit
def half(
    arrays: CornerTree, plan: Plan, sweep: CornerSweep, tree: SideTree, own: Boxes, i: int,
    rises: bool, told: Spot, y_far: float, place: Floats, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell what Paint-Dense tells, where the cover has somebody."""
    out, end = _dense(arrays, plan, sweep, None, None, i, rises, told, y_far, place, out, row)
    return out, cover(tree, sweep.sides, own, plan.costs, out, row, end)


class CornerCovered(CornerPainting):
    """Paint-Sparse over a corner index and a sketch of the subscriptions, as a server drives it."""

    takes: ClassVar = frozenset({"cut", "epsilon", "subscriptions", "sketch"})
    tell: ClassVar = half
    stream: ClassVar = replay_of(half)
    _boxes: Boxes | None = None

    def _parts(self) -> tuple[CornerTree, Plan, CornerSweep, SideTree, Boxes]:
        if self._boxes is None:
            self._boxes = make_boxes(len(self._sides.sign))
        return self._index.arrays, self._plan, self._swept(), self._subscriptions.arrays, self._boxes

    def _rows(self, events: int) -> int:
        return max(1024, 8 * events)

    def window(self, changes: list[Change]) -> Rows:
        """Change distinct objects, which may enter, leave and move, and tell who may be there; rows of their own."""
        rows = super().window(changes)
        _, plan, _, tree, boxes = self._parts()
        return rows[: cover(tree, self._sides, boxes, plan.costs, rows, 0, len(rows))]
