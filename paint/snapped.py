"""Boxes around the subscriptions there are, over any number of sides: snapped to tiles, and merged (Section III-B).

A box is written into a message's row as soon as it is known, and merged into one of the last `BACK` of its object if
the box around both holds nobody but those of the two. (The paper looks at the last one only.
Tiles in more than two sides do not lie in one line; looking further back saves messages.)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from matching.blocks import BLOCK, SIZE
from matching.side_queries import snap, somebody_else
from matching.side_tree import SideTree
from paint.algorithm import EMPTY, SNAP
from paint.holders import DEPTH, Cells, push_parts
from paint.messages import reserve
from paint.sides import Floats, Sides
from paint.tile_around import Ordered, in_order, tile_around

__all__ = [
    "BACK",
    "WRITTEN",
    "Boxes",
    "Groups",
    "fit_cell",
    "make_boxes",
    "make_groups",
    "paint_box",
    "paint_cells",
    "paint_groups",
    "paint_tiles",
    "start_boxes",
    "take_cell",
    "tile_of",
    "write_box",
    "write_next",
]

BACK = 4
"""Boxes that are looked at for merging."""

SEEN = 8
"""Boxes remembered of those who were in the way of merging; they often are again."""

WRITTEN, MET = range(2)
"""Positions in `Boxes.counts`."""


class Boxes(NamedTuple):
    """Memory of the boxes of one object.

    Attributes
    ----------
    around : float64 array of shape (BACK, 2, D)
        The last boxes written, closed, in turn.
    row : int64 array of BACK
        The row of each.
    counts : int64 array of 2
        How many were written, and how often somebody was in the way.
    in_the_way : float64 array of shape (SEEN, 2, D)
        Boxes with somebody in them, and nobody whom the object is told, who were in the way last.
    box, both : float64 arrays of shape (2, D)
        A box, and the one around two.
    passed, end : int64 arrays of D
        Scratch memory of `paint.tile_around`.
    """

    around: Floats
    row: NDArray[np.int64]
    counts: NDArray[np.int64]
    in_the_way: Floats
    box: Floats
    both: Floats
    passed: NDArray[np.int64]
    end: NDArray[np.int64]


def make_boxes(sides: int) -> Boxes:
    """Allocate for so many sides."""
    integers = np.int64
    return Boxes(
        np.empty((BACK, 2, sides)), np.empty(BACK, integers), np.zeros(2, integers), np.empty((SEEN, 2, sides)),
        np.empty((2, sides)), np.empty((2, sides)), np.empty(sides, integers), np.empty(sides, integers),
    )  # fmt: skip


@njit_inner
def start_boxes(boxes: Boxes) -> None:
    """Begin with the boxes of another object."""
    boxes.counts[WRITTEN] = boxes.counts[MET] = 0


@njit_inner
def write_box(sides: Sides, box: Floats, out: Floats, row: int) -> None:
    """Write a closed box as that of a message."""
    count = len(sides.sign)
    d = sides.attribute[count - 1] + 1
    if count < 2 * d:
        for j in range(d):
            out[row, j], out[row, 2 * d + j] = np.inf, -np.inf
    for side in range(count):
        sign = sides.sign[side]
        out[row, sides.low[side]] = sign * box[0, side]
        out[row, sides.high[side]] = sign * np.nextafter(box[1, side], np.inf)


@njit_inner
def _in_the_way(tree: SideTree, boxes: Boxes, at: int) -> bool:
    """Whether somebody is in the box around `box` and one before, and in neither."""
    one, both, seen = boxes.box, boxes.both, boxes.in_the_way
    for was in range(min(boxes.counts[MET], SEEN)):
        inside, off_one, off_other = True, False, False
        for side in range(both.shape[1]):
            lower, upper = seen[was, 0, side], seen[was, 1, side]
            inside &= (lower >= both[0, side]) & (upper <= both[1, side])
            off_one |= (lower > one[1, side]) | (upper < one[0, side])
            off_other |= (lower > boxes.around[at, 1, side]) | (upper < boxes.around[at, 0, side])
        if inside and off_one and off_other:
            return True
    if somebody_else(tree, both, one, boxes.around, at, seen[boxes.counts[MET] % SEEN]):
        boxes.counts[MET] += 1
        return True
    return False


@njit_inner
def _merged(tree: SideTree, sides: Sides, boxes: Boxes, costs: NDArray[np.int64], out: Floats) -> bool:
    """Whether the box in `boxes.box` could be merged into one before; then that one is written anew."""
    box, both, around = boxes.box, boxes.both, boxes.around
    written = boxes.counts[WRITTEN]
    for back in range(1, min(written, BACK) + 1):
        at = (written - back) % BACK
        for side in range(box.shape[1]):
            both[0, side] = min(box[0, side], around[at, 0, side])
            both[1, side] = max(box[1, side], around[at, 1, side])
        costs[EMPTY] += 1
        if not _in_the_way(tree, boxes, at):
            for side in range(box.shape[1]):
                around[at, 0, side], around[at, 1, side] = both[0, side], both[1, side]
            write_box(sides, both, out, boxes.row[at])
            return True
    return False


@njit
def paint_box(
    tree: SideTree, sides: Sides, boxes: Boxes, costs: NDArray[np.int64], out: Floats, row: int
) -> tuple[Floats, int]:
    """Merge the box in `boxes.box` into one before, with which it shares nobody, or write it; the row after."""
    if _merged(tree, sides, boxes, costs, out):
        return out, row
    out = reserve(out, row, 1)
    write_next(sides, boxes, out, row)
    return out, row + 1


@njit_inner
def write_next(sides: Sides, boxes: Boxes, out: Floats, row: int) -> None:
    """Write the box in `boxes.box`, and remember it."""
    box, at = boxes.box, boxes.counts[WRITTEN] % BACK
    for side in range(box.shape[1]):
        boxes.around[at, 0, side], boxes.around[at, 1, side] = box[0, side], box[1, side]
    boxes.row[at] = row
    boxes.counts[WRITTEN] += 1
    write_box(sides, box, out, row)


@njit
def paint_tiles(
    tree: SideTree, sides: Sides, boxes: Boxes, tiles: Floats, costs: NDArray[np.int64], out: Floats, row: int
) -> tuple[Floats, int]:
    """Snap tiles, rows of messages, and write the merged boxes of those that hold somebody (the paper's way)."""
    lo, hi = np.empty(len(sides.sign)), np.empty(len(sides.sign))
    costs[SNAP] += len(tiles)
    for at in range(len(tiles)):
        for side in range(len(sides.sign)):
            sign = sides.sign[side]
            lo[side] = sign * tiles[at, sides.low[side]]
            hi[side] = np.nextafter(sign * tiles[at, sides.high[side]], -np.inf)
        if snap(tree, lo, hi, boxes.box[0], boxes.box[1]):
            out, row = paint_box(tree, sides, boxes, costs, out, row)
    return out, row


class Groups(NamedTuple):
    """Cells by the tile that they are in.

    Attributes
    ----------
    tile, around : float64 arrays of shape (room, 2, D)
        Tiles, lo <= u < hi, in the order in which they were met, and the smallest closed box around those in each.
    recent : int64 array of room
        Tiles in the order in which they were met last, the last one first.
    cell : float64 array of shape (2, D)
        Box of the cell that is looked at.
    stack : int64 array
        Cells that wait.
    """

    tile: Floats
    around: Floats
    recent: NDArray[np.int64]
    cell: Floats
    stack: NDArray[np.int64]


@njit
def make_groups(room: int, sides: int) -> Groups:
    """Room for so many tiles."""
    return Groups(
        np.empty((room, 2, sides)), np.empty((room, 2, sides)), np.empty(room, np.int64), np.empty((2, sides)),
        np.empty(2 * DEPTH, np.int64),
    )  # fmt: skip


@njit
def _more_groups(groups: Groups, made: int) -> Groups:
    larger = make_groups(2 * made, groups.cell.shape[1])
    larger.tile[:made], larger.around[:made] = groups.tile, groups.around
    larger.recent[:made], larger.stack[:] = groups.recent, groups.stack
    return larger


@njit_inner
def tile_of(groups: Groups, made: int) -> int:
    """The tile with the lower corner of the cell that is looked at, or `made`, that of none so far; now the last."""
    lo, recent = groups.cell, groups.recent
    place = 0
    while place < made:
        at = recent[place]
        met = True
        for side in range(lo.shape[1]):
            met &= (groups.tile[at, 0, side] <= lo[0, side]) & (lo[0, side] < groups.tile[at, 1, side])
        if met:
            break
        place += 1
    at = recent[place] if place < made else made
    for to in range(place, 0, -1):
        recent[to] = recent[to - 1]
    recent[0] = at
    return int(at)


@njit_inner
def take_cell(tree: SideTree, groups: Groups, cell: int) -> bool:
    """Look at a cell, or at the subscription of a place of a block (its complement); whether it holds anybody."""
    box = groups.cell
    if cell >= 0:
        for side in range(box.shape[1]):
            box[0, side], box[1, side] = tree.box[cell, 0, side], tree.box[cell, 1, side]
        return bool(tree.link[cell, SIZE] > 0)
    for side in range(box.shape[1]):
        box[0, side] = box[1, side] = tree.ends[~cell // BLOCK, side, ~cell % BLOCK]
    return True


@njit_inner
def fit_cell(tree: SideTree, groups: Groups, at: int, cell: int, waiting: int) -> int:
    """Put the cell that is looked at into the box of a tile, or, if it reaches beyond, its parts on the stack.

    The number of cells that wait.
    """
    box, around = groups.cell, groups.around
    whole = True
    for side in range(box.shape[1]):
        whole &= box[1, side] < groups.tile[at, 1, side]
    if not whole:
        return int(push_parts(tree.link, cell, groups.stack, waiting))
    for side in range(box.shape[1]):
        around[at, 0, side] = min(around[at, 0, side], box[0, side])
        around[at, 1, side] = max(around[at, 1, side], box[1, side])
    return waiting


@njit_inner
def _group(
    tree: SideTree, boxes: Boxes, groups: Groups, cells: Cells, corners: Ordered, floor: Floats, exposed: bool,
    k: int, next_cell: int, cells_count: int, waiting: int, made: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Group cells as long as there is room for tiles: the next cell, those that wait before it, and tiles made."""
    box, around = groups.cell, groups.around
    while made < len(groups.recent):
        if waiting == 0:
            if next_cell == cells_count:
                break
            groups.stack[0], waiting = cells[next_cell, 0], 1
            next_cell += 1
        waiting -= 1
        cell = groups.stack[waiting]
        if not take_cell(tree, groups, cell):
            continue
        at = tile_of(groups, made)
        if at == made:
            tile_around(corners, floor, box[0], exposed, k, groups.tile[at], boxes.passed, boxes.end)
            for side in range(box.shape[1]):
                around[at, 0, side], around[at, 1, side] = np.inf, -np.inf
            made += 1
        waiting = fit_cell(tree, groups, at, cell, waiting)
    return next_cell, waiting, made


@njit
def paint_groups(
    tree: SideTree, sides: Sides, boxes: Boxes, groups: Groups, made: int, costs: NDArray[np.int64], out: Floats,
    row: int,
) -> tuple[Floats, int]:  # fmt: skip
    """Write the boxes around what is in the first `made` tiles."""
    for at in range(made):
        if groups.around[at, 0, 0] <= groups.around[at, 1, 0]:
            for side in range(groups.around.shape[2]):
                boxes.box[0, side], boxes.box[1, side] = groups.around[at, 0, side], groups.around[at, 1, side]
            out, row = paint_box(tree, sides, boxes, costs, out, row)
    return out, row


@njit
def paint_cells(
    tree: SideTree, sides: Sides, boxes: Boxes, cells: Cells, cells_count: int, kept: Floats, size: int,
    floor: Floats, exposed: bool, k: int, costs: NDArray[np.int64], out: Floats, row: int,
) -> tuple[Floats, int]:  # fmt: skip
    """Write the merged boxes of cells, those of one tile in one box; cells that reach beyond a tile are cut.

    Tiles are made as they are met; O(|K| D) each, and O(D) per cell and tile met since its own was.
    """
    corners, groups = in_order(kept, size), make_groups(64, len(floor))
    at, waiting, made = 0, 0, 0
    while True:
        at, waiting, made = _group(
            tree, boxes, groups, cells, corners, floor, exposed, k, at, cells_count, waiting, made
        )
        if at == cells_count and waiting == 0:
            break
        groups = _more_groups(groups, made)
    return paint_groups(tree, sides, boxes, groups, made, costs, out, row)
