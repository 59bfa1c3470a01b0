"""Tiles snapped to who is in them, where it is known who gains the object (Section III-B, Appendix D).

Nearly all tiles of a region over several attributes hold nobody. Those who gain the object are known as cells
(`paint.holders`), and an exact region is parted into its tiles. So every cell looks for its tile, in place of every
tile for those in it: the boxes are those that `matching.side_queries.snap` finds, in the order of the tiles.
"""

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from matching.side_tree import SideTree
from paint.algorithm import SNAP
from paint.holders import Cells
from paint.sides import Floats, Sides
from paint.snapped import Boxes, Groups, fit_cell, make_groups, paint_groups, take_cell, tile_of

__all__ = ["paint_tiles_of_cells"]


@njit_inner
def _open(sides: Sides, rows: Floats, tiles: Groups) -> None:
    """Take tiles from rows of messages, with nobody in them."""
    for at in range(len(rows)):
        tiles.recent[at] = at
        for side in range(len(sides.sign)):
            sign = sides.sign[side]
            tiles.tile[at, 0, side] = sign * rows[at, sides.low[side]]
            tiles.tile[at, 1, side] = sign * rows[at, sides.high[side]]
            tiles.around[at, 0, side], tiles.around[at, 1, side] = np.inf, -np.inf


@njit_inner
def _fit(tree: SideTree, cells: Cells, count: int, tiles: Groups) -> None:
    """Fit a box in every tile to the cells in it; cells that reach beyond a tile are cut."""
    for first in range(count):
        tiles.stack[0], waiting = cells[first, 0], 1
        while waiting > 0:
            waiting -= 1
            cell = tiles.stack[waiting]
            if take_cell(tree, tiles, cell):
                waiting = fit_cell(tree, tiles, tile_of(tiles, len(tiles.recent)), cell, waiting)


@njit
def paint_tiles_of_cells(
    tree: SideTree, sides: Sides, boxes: Boxes, rows: Floats, cells: Cells, cells_count: int,
    costs: NDArray[np.int64], out: Floats, row: int,
) -> tuple[Floats, int]:  # fmt: skip
    """Do what `paint.snapped.paint_tiles` does with tiles that part a region, those of all who gain being given.

    O(D) per tile, and per cell and tile met since its own was; the snaps are counted, though none is made.
    """
    count = len(rows)
    costs[SNAP] += count
    tiles = make_groups(count, len(sides.sign))
    _open(sides, rows, tiles)
    _fit(tree, cells, cells_count, tiles)
    return paint_groups(tree, sides, boxes, tiles, count, costs, out, row)
