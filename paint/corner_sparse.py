"""Paint-Sparse over several attributes: messages for the subscriptions there are (Sections III-B and IV-C).

Most tiles hold nobody, the more so the more sides there are. So those who hold the object are found by a walk over
their tree (`paint.holders`), and grouped by the tile that each is in (`paint.snapped`, `paint.tile_around`): what an
event costs goes by the tiles that hold somebody. `by_tiles`, the paper's way, makes every tile of Paint-Dense and
snaps it to the cells of that walk (`paint.tile_cells`); the approximate version, whose sublists are cut in the slabs,
snaps by the tree. Exposed objects are looked for as long as somebody is left to be served, and only where these can
see them; beyond that the approximate version tells nobody.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from matching.side_tree import SideTree
from paint.algorithm import SNAP_APART, Change, Plan, Rows
from paint.corner_halves import Spot, replay_of
from paint.corner_painting import CornerPainting
from paint.corner_sweep import CornerSweep, keep, kept_corners, leave_off, meet, open_sweep
from paint.corner_tree import CornerTree
from paint.geometry import EACH, START
from paint.holders import lose, reach_of, walk
from paint.messages import EXPOSED, UPDATE, stamp_box
from paint.sides import Floats, Sides
from paint.slabs import Region, tile_region
from paint.snapped import Boxes, make_boxes, paint_cells, paint_tiles, start_boxes
from paint.tile_cells import paint_tiles_of_cells

__all__ = ["CornerSparse", "CornerSparseByTiles"]

Own = tuple[Boxes, bool, bool, Rows]
"""Boxes; whether tiles are made and snapped; whether what the paper looks at is, and all its tiles counted; room."""


@njit_inner
def _keep_within(sides: Sides, reach: Floats, tiles: Rows) -> None:
    """Cut tiles off beyond the reach of who is left: who is there may hold better objects, not looked for."""
    for at in range(len(tiles)):
        for side in range(len(reach)):
            sign, high = sides.sign[side], sides.high[side]
            tiles[at, high] = sign * min(sign * tiles[at, high], np.nextafter(reach[side], np.inf))


@njit
def half(
    arrays: CornerTree, plan: Plan, sweep: CornerSweep, tree: SideTree, own: Own, i: int,
    rises: bool, told: Spot, y_far: float, place: Floats, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell those who hold object i of the spot told, then, unless it rises, of what takes its place up to y_far."""
    boxes, by_tiles, every, tiles = own
    search, sides, limit, k, costs = sweep.search, sweep.sides, sweep.limit, plan.k, plan.costs
    scratch = sweep.boxes
    exact = plan.cut.groups == 0 and plan.cut.step == 1  # boxes of sublists also hold others than those who gain
    open_sweep(arrays, plan, sweep, i, -np.inf if rises else y_far, place, rises)
    kept, size = kept_corners(sweep, k)
    x = arrays.x[i, 0]
    h, x_h, y_h, cause = i, told[0], told[1], UPDATE
    corner = search.point.copy()
    cells, left = walk(tree, kept, size, search.origin, k, np.empty((64, 3), np.int64))
    gained, found = cells, left
    others = np.empty((64, 3), np.int64)
    while True:
        if found > 0 or every:
            start_boxes(boxes)
            end = row
            if by_tiles:
                region = Region(k, plan.cut, cause == EXPOSED, x, arrays.x[h, 0], corner, limit)
                scratch, tiles, count = tile_region(
                    sweep.band, None, None, sweep.slabs, sides, scratch, region, tiles, START
                )
                if found > 0 and exact:
                    out, end = paint_tiles_of_cells(tree, sides, boxes, tiles[:count], gained, found, costs, out, row)
                elif found > 0:
                    _keep_within(sides, search.reach, tiles[:count])
                    out, end = paint_tiles(tree, sides, boxes, tiles[:count], costs, out, row)
                else:
                    costs[SNAP_APART] += count
            else:
                out, end = paint_cells(
                    tree, sides, boxes, gained, found, kept, size, corner, cause == EXPOSED, k, costs, out, row
                )
            stamp_box(out, row, end, x_h, plan.sign * y_h, h, cause)
            row = end
        if rises:
            break
        if cause == EXPOSED:
            for side in range(len(corner)):
                search.point[side] = corner[side]
            keep(arrays, plan, sweep, i, h)
            kept, size = kept_corners(sweep, k)
        if left == 0 and not every:
            leave_off(plan, sweep)
            break
        # The paper's first questions know nothing of subscriptions. What they have found is looked at as long as
        # somebody is left when the one before is done with; the questions that come then are asked in any case.
        if cause == EXPOSED or not every:
            reach_of(tree, cells, left, search.reach)
        h = meet(arrays, plan, sweep)
        if h < 0 or (left == 0 and cause == EXPOSED):
            break
        for side in range(len(corner)):
            corner[side] = search.point[side]
        x_h, y_h, cause = arrays.x[h], arrays.y[h], EXPOSED
        cells, left, others, found = lose(tree, kept, size, search.origin, corner, k, cells, left, others)
        gained = others
    return out, row


@njit
def thin(tree: SideTree, plan: Plan, sweep: CornerSweep, boxes: Boxes, rows: Rows, ends: NDArray[np.int64]) -> Rows:
    """Snap the messages of a batch, those up to each end in turn, which tell the same; drop and merge as ever."""
    d = sweep.sides.attribute[-1] + 1
    whole = rows.view(np.int64)
    out = np.empty((max(len(rows), 1), rows.shape[1]))
    row, first = START, START
    for end in ends:
        start_boxes(boxes)
        out, after = paint_tiles(tree, sweep.sides, boxes, rows[first:end], plan.costs, out, row)
        stamp_box(
            out, row, after, rows[first, 4 * d : 5 * d], rows[first, 5 * d],
            whole[first, 5 * d + 1], whole[first, 5 * d + 2],
        )  # fmt: skip
        row, first = after, end
    return out[:row]


class CornerSparse(CornerPainting):
    """Paint-Sparse over a corner index and the subscriptions, as a server drives it."""

    takes: ClassVar = frozenset({"cut", "epsilon", "subscriptions", "sketch"})
    tell: ClassVar = half
    stream: ClassVar = replay_of(half)
    by_tiles: ClassVar = False
    _boxes: Boxes | None = None

    def _parts(self) -> tuple[CornerTree, Plan, CornerSweep, SideTree, Own]:
        sweep, plan = self._swept(), self._plan
        if self._boxes is None:
            self._boxes = make_boxes(len(self._sides.sign))
        own = (self._boxes, self.by_tiles or plan.cut != EACH, self.by_tiles, self._table(256))
        return self._index.arrays, plan, sweep, self._subscriptions.arrays, own

    def _rows(self, events: int) -> int:
        return max(1024, 8 * events)

    def window(self, changes: list[Change]) -> Rows:
        """Change distinct objects, which may enter, leave and move, and tell who is there; rows of their own."""
        rows = super().window(changes)
        if not len(rows):
            return rows
        _, plan, sweep, tree, (boxes, *_) = self._parts()
        same = (rows[1:, 4 * self._attributes :] == rows[:-1, 4 * self._attributes :]).all(axis=1)
        return thin(tree, plan, sweep, boxes, rows, np.append(np.flatnonzero(~same) + 1, len(rows)))


class CornerSparseByTiles(CornerSparse):
    """Paint-Sparse that snaps tiles, as the paper does; the same lists.

    It counts those of every object looked at, and does without the snaps of objects that nobody gains. What has been
    found before subscriptions were asked is looked at, as the paper's Appendix D stores it, until an object has been
    looked at after which nobody is left.
    """

    takes: ClassVar = frozenset({"cut", "epsilon", "subscriptions"})
    by_tiles: ClassVar = True
