"""The subscriptions that hold object i, and who of them loses it to an exposed object, by a walk over their tree.

A wider range has a better k-th object, so whether u holds i is monotone in u: the corners of a node's box decide for
all in it. With `lo` and `hi` the corners of a node, nobody in it holds i if `hi` is not above a(i), or if k kept
corners are below max(lo, a(i)); all do if `lo` is above a(i) and fewer than k are below `hi`. Else its children tell,
in the end single subscriptions. What is found is kept as *cells*: a node, or ~slot for one subscription, and how many
better objects are at least and at most in range of those in it, fewer than k.

An exposed object h adds one where it is in range. A cell of which all reach k by that gains h; one of which some may
is cut into its children. So an event costs what the cells cost that hold somebody, not the tiles there are.
"""

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from matching.kdtree import BLOCK, CHILD, SIZE, following
from matching.side_tree import SideTree
from paint.sides import Floats

__all__ = ["corner_of", "count_below", "lose", "parts_of", "reach_of", "size_of", "slots_of", "walk"]

Cells = NDArray[np.int64]
"""Rows (node or ~slot, least count, greatest count)."""


@njit
def count_below(kept: Floats, size: int, point: Floats, k: int) -> int:
    """Number of kept corners below a point, at most k; they ascend in the last side."""
    last = len(point) - 1
    count = 0
    for at in range(size):
        if kept[at, last] > point[last]:
            break
        under = True
        for side in range(last):
            if kept[at, side] > point[side]:
                under = False
                break
        if under:
            count += 1
            if count == k:
                break
    return count


@njit
def corner_of(tree: SideTree, cell: int, upper: int, out: Floats) -> None:
    """Write the lower (0) or upper (1) corner of a cell."""
    for side in range(len(out)):
        if cell >= 0:
            out[side] = tree.box[cell, upper, side]
        else:
            out[side] = tree.ends[~cell // BLOCK, side, ~cell % BLOCK]


@njit
def size_of(tree: SideTree, cell: int) -> int:
    """Number of subscriptions in a cell."""
    return int(tree.link[cell, SIZE]) if cell >= 0 else 1


@njit
def parts_of(link: NDArray[np.int32], node: int, stack: list[int]) -> None:
    """Push what a node consists of: two nodes, or the subscriptions of a leaf."""
    child = int(link[node, CHILD])
    if child > 0:
        stack.append(child + 1)
        stack.append(child)
        return
    for at in range(link[node, SIZE]):
        stack.append(~(~child * BLOCK + at))


@njit
def _push(cells: Cells, count: int, cell: int, least: int, most: int) -> Cells:
    if count == len(cells):
        larger = np.empty((2 * count, 3), np.int64)
        for at in range(count):
            for column in range(3):
                larger[at, column] = cells[at, column]
        cells = larger
    cells[count, 0], cells[count, 1], cells[count, 2] = cell, least, most
    return cells


# In the walks below the tree's arrays are read in place, not by calls, which would count references to all of them.
@njit
def walk(
    tree: SideTree, kept: Floats, size: int, origin: Floats, k: int, point: Floats, cells: Cells
) -> tuple[Cells, int]:
    """Find the cells of those that hold an object with corner `origin`; the cells, and how many."""
    count = 0
    stack = [0]
    while len(stack) > 0:
        cell = stack.pop()
        above, inside = True, True  # an empty node ends at -inf
        if cell >= 0:
            for side in range(len(origin)):
                above &= tree.box[cell, 1, side] >= origin[side]
                inside &= tree.box[cell, 0, side] >= origin[side]
                point[side] = max(tree.box[cell, 0, side], origin[side])
        else:
            for side in range(len(origin)):
                point[side] = tree.ends[~cell // BLOCK, side, ~cell % BLOCK]
                above &= point[side] >= origin[side]
        if not above:
            continue
        least = count_below(kept, size, point, k)
        if least == k:
            continue
        if inside:
            most = least
            if cell >= 0:
                for side in range(len(origin)):
                    point[side] = tree.box[cell, 1, side]
                most = count_below(kept, size, point, k)
            if most < k:
                cells = _push(cells, count, cell, least, most)
                count += 1
                continue
        if cell >= 0:
            parts_of(tree.link, cell, stack)
    return cells, count


@njit
def lose(
    tree: SideTree, kept: Floats, size: int, b: Floats, k: int, point: Floats, cells: Cells, count: int,
    gained: Cells,
) -> tuple[Cells, int, Cells, int]:  # fmt: skip
    """Let an object with corner b, not yet kept, be exposed: cells left, how many, those that gain it, how many."""
    found, left, was = 0, 0, count
    stack = [0]
    stack.clear()
    for at in range(was):
        cell, least, most = cells[at, 0], cells[at, 1], cells[at, 2]
        lower, upper = 1, 1
        if cell >= 0:
            for side in range(len(b)):
                lower &= tree.box[cell, 0, side] >= b[side]
                upper &= tree.box[cell, 1, side] >= b[side]
        else:
            for side in range(len(b)):
                upper &= tree.ends[~cell // BLOCK, side, ~cell % BLOCK] >= b[side]
            lower = upper
        least += lower
        most += upper
        if most < k:
            cells[left, 0], cells[left, 1], cells[left, 2] = cell, least, most
            left += 1
        elif least == k:
            gained = _push(gained, found, cell, least, most)
            found += 1
        else:
            parts_of(tree.link, cell, stack)
    while len(stack) > 0:
        cell = stack.pop()
        if cell >= 0 and tree.link[cell, SIZE] == 0:
            continue
        least = 1
        for side in range(len(b)):
            if cell >= 0:
                point[side] = tree.box[cell, 0, side]
            else:
                point[side] = tree.ends[~cell // BLOCK, side, ~cell % BLOCK]
            least &= point[side] >= b[side]
        least += count_below(kept, size, point, k)
        most = least
        if cell >= 0:
            most = 1
            for side in range(len(b)):
                point[side] = tree.box[cell, 1, side]
                most &= point[side] >= b[side]
            most += count_below(kept, size, point, k)
        if least >= k:
            gained = _push(gained, found, cell, least, most)
            found += 1
        elif most < k:
            cells = _push(cells, left, cell, least, most)
            left += 1
        else:
            parts_of(tree.link, cell, stack)
    return cells, left, gained, found


@njit
def reach_of(tree: SideTree, cells: Cells, count: int, reach: Floats) -> None:
    """Write the upper corner of the smallest box around some cells."""
    for side in range(len(reach)):
        most = -np.inf
        for at in range(count):
            cell = cells[at, 0]
            if cell >= 0:
                most = max(most, tree.box[cell, 1, side])
            else:
                most = max(most, tree.ends[~cell // BLOCK, side, ~cell % BLOCK])
        reach[side] = most


@njit
def slots_of(tree: SideTree, cells: Cells, count: int) -> NDArray[np.int64]:
    """List the slots of the subscriptions in cells."""
    total = 0
    for at in range(count):
        total += size_of(tree, cells[at, 0])
    slots = np.empty(total, np.int64)
    to = 0
    for at in range(count):
        cell = cells[at, 0]
        if cell < 0:
            slots[to] = ~cell
            to += 1
            continue
        node = cell
        while node >= 0:
            child = tree.link[node, CHILD]
            if child > 0:
                node = child
                continue
            for slot in range(tree.link[node, SIZE]):
                slots[to] = ~child * BLOCK + slot
                to += 1
            node = following(tree.link, node, cell)
    return slots
