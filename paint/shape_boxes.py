"""Boxes of S around cells of halfspaces or disks, of which no two hold the same subscription.

There are no tiles to group by: a cell is a box by itself, and boxes are merged as in `paint.snapped`. Where equal
coordinates lie on both sides of a split, the box of a cell holds subscriptions of other cells too, which are told for
themselves; such a cell is cut, in the end into single subscriptions, and of those at one point of S the first in the
tree speaks for all. So every box holds those that it is counted to hold, and nobody is told twice.
"""

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from matching.kdtree import BLOCK, CHILD, SIZE, following
from matching.side_queries import count_up_to
from matching.side_tree import SideTree
from paint.algorithm import SNAP, Rows
from paint.holders import corner_of, parts_of, size_of
from paint.messages import stamp_box
from paint.shape_walk import Pairs
from paint.sides import Floats, Sides
from paint.snapped import Boxes, paint_box, start_boxes

__all__ = ["paint_apart"]


@njit_inner
def _first_at(tree: SideTree, point: Floats, top: int) -> int:
    """The first slot, in the order of a walk over the subtree of a node, with a subscription at a point."""
    node = top
    while node >= 0:
        inside = True
        for side in range(len(point)):
            inside = inside and tree.box[node, 0, side] <= point[side] <= tree.box[node, 1, side]
        child = tree.link[node, CHILD]
        if inside and child > 0:
            node = child
            continue
        if inside:
            for at in range(tree.link[node, SIZE]):
                same = True
                for side in range(len(point)):
                    same = same and tree.ends[~child, side, at] == point[side]
                if same:
                    return int(~child * BLOCK + at)
        node = following(tree.link, node, top)
    return -1


@njit
def paint_apart(
    tree: SideTree, sides: Sides, boxes: Boxes, pairs: Pairs, costs: NDArray[np.int64], out: Rows, row: int,
    x: Floats, y: float, i: int, cause: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell the cells of pairs, which are disjoint, of object i, in merged boxes; one snap is counted per cell."""
    box = boxes.box
    start_boxes(boxes)
    end = row
    stack = [0]
    stack.clear()
    for at in range(len(pairs)):
        stack.append(pairs[at, 0])
        while len(stack) > 0:
            cell = stack.pop()
            held = size_of(tree, cell)
            if held == 0:
                continue
            corner_of(tree, cell, 0, box[0])
            corner_of(tree, cell, 1, box[1])
            costs[SNAP] += 1
            if count_up_to(tree, box[0], box[1], held) != held:
                single = True
                for side in range(box.shape[1]):
                    single = single and box[0, side] == box[1, side]
                if not single:
                    parts_of(tree.link, cell, stack)
                    continue
                if _first_at(tree, box[0], 0) != (~cell if cell < 0 else _first_at(tree, box[0], cell)):
                    continue
            out, end = paint_box(tree, sides, boxes, costs, out, end)
    stamp_box(out, row, end, x, y, i, cause)
    return out, end
