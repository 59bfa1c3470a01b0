"""Boxes around the subscriptions there are, over any number of sides: snapped to tiles, and merged (Section III-B).

A box is written into a message's row as soon as it is known, and merged into one of the last `BACK` of its object if
the box around both holds nobody but those of the two: their numbers add up. (The paper looks at the last one only.
Tiles in more than two sides do not lie in one line; looking further back saves messages.)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from matching.blocks import BLOCK, SIZE
from matching.side_queries import count, count_up_to, snap
from matching.side_tree import SideTree
from paint.algorithm import EMPTY, SNAP
from paint.holders import Cells, parts_of
from paint.messages import reserve
from paint.sides import Floats, Sides
from paint.tile_around import in_order, tile_around

__all__ = ["BACK", "Boxes", "make_boxes", "paint_box", "paint_cells", "paint_tiles", "start_boxes", "write_box"]

BACK = 4
"""Boxes that are looked at for merging."""


class Boxes(NamedTuple):
    """Memory of the boxes of one object.

    Attributes
    ----------
    around : float64 array of shape (BACK, 2, D)
        The last boxes written, closed, in turn.
    held : int64 array of shape (BACK, 2)
        Subscriptions in each, and its row.
    written : int64 array of 1
        How many were written.
    box, both : float64 arrays of shape (2, D)
        A box, and the one around two.
    passed, end : int64 arrays of D
        Scratch memory of `paint.tile_around`.
    """

    around: Floats
    held: NDArray[np.int64]
    written: NDArray[np.int64]
    box: Floats
    both: Floats
    passed: NDArray[np.int64]
    end: NDArray[np.int64]


def make_boxes(sides: int) -> Boxes:
    """Allocate for so many sides."""
    integers = np.int64
    return Boxes(
        np.empty((BACK, 2, sides)), np.empty((BACK, 2), integers), np.zeros(1, integers), np.empty((2, sides)),
        np.empty((2, sides)), np.empty(sides, integers), np.empty(sides, integers),
    )  # fmt: skip


@njit
def start_boxes(boxes: Boxes) -> None:
    """Begin with the boxes of another object."""
    boxes.written[0] = 0


@njit
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


@njit
def paint_box(
    tree: SideTree, sides: Sides, boxes: Boxes, held: int, costs: NDArray[np.int64], out: Floats, row: int
) -> tuple[Floats, int]:
    """Merge the box in `boxes.box`, with so many subscriptions, into one before, or write it; the row after."""
    box, both = boxes.box, boxes.both
    written = boxes.written[0]
    for back in range(1, min(written, BACK) + 1):
        at = (written - back) % BACK
        for side in range(box.shape[1]):
            both[0, side] = min(box[0, side], boxes.around[at, 0, side])
            both[1, side] = max(box[1, side], boxes.around[at, 1, side])
        most = held + boxes.held[at, 0]
        costs[EMPTY] += 1
        if count_up_to(tree, both[0], both[1], most) == most:
            for side in range(box.shape[1]):
                boxes.around[at, 0, side], boxes.around[at, 1, side] = both[0, side], both[1, side]
            boxes.held[at, 0] = most
            write_box(sides, both, out, boxes.held[at, 1])
            return out, row
    at = written % BACK
    for side in range(box.shape[1]):
        boxes.around[at, 0, side], boxes.around[at, 1, side] = box[0, side], box[1, side]
    boxes.held[at, 0], boxes.held[at, 1] = held, row
    boxes.written[0] = written + 1
    out = reserve(out, row, 1)
    write_box(sides, box, out, row)
    return out, row + 1


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
            held = count(tree, boxes.box[0], boxes.box[1])
            out, row = paint_box(tree, sides, boxes, held, costs, out, row)
    return out, row


@njit
def paint_cells(
    tree: SideTree, sides: Sides, boxes: Boxes, cells: Cells, cells_count: int, kept: Floats, size: int,
    floor: Floats, exposed: bool, k: int, costs: NDArray[np.int64], out: Floats, row: int,
) -> tuple[Floats, int]:  # fmt: skip
    """Write the merged boxes of cells, those of one tile in one box; cells that reach beyond a tile are cut.

    Tiles are made as they are met; O(|K| D) each, and O(D) per cell and tile before it.
    """
    D = len(floor)
    lo, hi = np.empty(D), np.empty(D)
    tiles, around = np.empty((64, 2, D)), np.empty((64, 2, D))
    held = np.zeros(64, np.int64)
    made, at, last = 0, 0, 0
    corners = in_order(kept, size)
    stack = [0]
    stack.clear()
    for start in range(cells_count):
        stack.append(cells[start, 0])
        while len(stack) > 0:
            cell = stack.pop()
            number = 1
            if cell >= 0:
                number = tree.link[cell, SIZE]
                for side in range(D):
                    lo[side], hi[side] = tree.box[cell, 0, side], tree.box[cell, 1, side]
            else:
                for side in range(D):
                    lo[side] = hi[side] = tree.ends[~cell // BLOCK, side, ~cell % BLOCK]
            if number == 0:
                continue
            met, tried = False, 0
            while tried < made and not met:
                at = (last + made - tried) % made  # most often it is that of the cell before
                met = True
                for side in range(D):
                    met &= (tiles[at, 0, side] <= lo[side]) & (lo[side] < tiles[at, 1, side])
                tried += 1
            if not met:
                if made == len(held):
                    tiles, around = _larger(tiles), _larger(around)
                    more = np.zeros(2 * made, np.int64)
                    for old in range(made):
                        more[old] = held[old]
                    held = more
                at = made
                made += 1
                tile_around(corners, floor, lo, exposed, k, tiles[at], boxes.passed, boxes.end)
            last, whole = at, True
            for side in range(D):
                whole &= hi[side] < tiles[at, 1, side]
            if not whole:
                parts_of(tree.link, cell, stack)
                continue
            for side in range(D):
                around[at, 0, side] = lo[side] if held[at] == 0 else min(around[at, 0, side], lo[side])
                around[at, 1, side] = hi[side] if held[at] == 0 else max(around[at, 1, side], hi[side])
            held[at] += number
    for at in range(made):
        if held[at] > 0:
            for side in range(D):
                boxes.box[0, side], boxes.box[1, side] = around[at, 0, side], around[at, 1, side]
            out, row = paint_box(tree, sides, boxes, held[at], costs, out, row)
    return out, row


@njit
def _larger(array: Floats) -> Floats:
    larger = np.empty((2 * len(array), 2, array.shape[2]))
    for at in range(len(array)):
        for corner in range(2):
            for side in range(array.shape[2]):
                larger[at, corner, side] = array[at, corner, side]
    return larger
