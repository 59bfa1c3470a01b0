"""The subscriptions that hold object i, and who of them loses it to an exposed object, by a walk over their tree.

A wider range has a better k-th object, so whether u holds i is monotone in u: the corners of a node's box decide for
all in it. With `lo` and `hi` the corners of a node, nobody in it holds i if `hi` is not above a(i), or if k kept
corners are below max(lo, a(i)); all do if `lo` is above a(i) and fewer than k are below `hi`. Else its children tell,
in the end single subscriptions. What is found is kept as *cells*: a node, or ~slot for one subscription, and how many
better objects are at least and at most in range of those in it, fewer than k.

An exposed object h adds one where it is in range. A cell of which all reach k by that gains h; one of which some may
is cut into its children. So an event costs what the cells cost that hold somebody, not the tiles there are.

A corner that is below all of a node is below all of its children, and one that is above all of it stays so. So a node
hands down how many are below it, and the list of those of which it cannot tell.
"""

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from matching.kdtree import BLOCK, CHILD, SIZE, following
from matching.side_tree import SideTree
from paint.sides import Floats

__all__ = ["DEPTH", "corner_of", "lose", "parts_of", "push_parts", "reach_of", "size_of", "slots_of", "walk"]

Cells = NDArray[np.int64]
"""Rows (node or ~slot, least count, greatest count)."""

DEPTH = 96
"""More levels than a tree of subscriptions can have: no child has above 0.7 of its parent's, and ids have 32 bits."""


@njit_inner
def corner_of(tree: SideTree, cell: int, upper: int, out: Floats) -> None:
    """Write the lower (0) or upper (1) corner of a cell."""
    for side in range(len(out)):
        if cell >= 0:
            out[side] = tree.box[cell, upper, side]
        else:
            out[side] = tree.ends[~cell // BLOCK, side, ~cell % BLOCK]


@njit_inner
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


@njit_inner
def push_parts(link: NDArray[np.int32], node: int, stack: NDArray[np.int64], waiting: int) -> int:
    """Push what a node consists of, as `parts_of` does, on a stack with so many entries; how many it then has."""
    child = int(link[node, CHILD])
    if child > 0:
        stack[waiting], stack[waiting + 1] = child + 1, child
        return waiting + 2
    for at in range(link[node, SIZE]):
        stack[waiting + at] = ~(~child * BLOCK + at)
    return int(waiting + link[node, SIZE])


@njit
def _more(cells: Cells, used: int, rows: int) -> Cells:
    """Give back cells, or a larger copy of those used, with room for some more."""
    if used + rows <= len(cells):
        return cells
    larger = np.empty((2 * (used + rows), 3), np.int64)
    for at in range(used):
        for column in range(3):
            larger[at, column] = cells[at, column]
    return larger


@njit_inner
def _put(cells: Cells, count: int, cell: int, least: int, most: int) -> int:
    cells[count, 0], cells[count, 1], cells[count, 2] = cell, least, most
    return count + 1


@njit_inner
def _descend(
    tree: SideTree, kept: Floats, origin: Floats, b: Floats, k: int, cells: Cells, left: int, gained: Cells,
    found: int, gaining: bool, stack: NDArray[np.int64], waiting: int, lists: NDArray[np.int32], box: Floats,
) -> tuple[int, int, int]:  # fmt: skip
    """Go down from the nodes that wait as long as there is room: cells left, those that reach k by b, nodes waiting.

    Nodes wait as rows (node, start, end, how many are below it for sure); lists[start:end] are the kept corners that
    it cannot tell. It writes its own list after that, which its children share: one comes after the other, with all
    below it. Those that reach k are put into `gained` if that is asked for.
    """
    sides = len(origin)
    last = sides - 1
    while waiting > 0 and left + BLOCK <= len(cells) and found + BLOCK <= len(gained):
        waiting -= 1
        node, start, end, sure = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        above, inside, lower, upper = True, True, 1, 1  # an empty node ends at -inf
        for side in range(sides):
            lo, hi = tree.box[node, 0, side], tree.box[node, 1, side]
            above &= hi >= origin[side]
            inside &= lo >= origin[side]
            lower &= lo >= b[side]
            upper &= hi >= b[side]
            box[0, side], box[1, side] = max(lo, origin[side]), hi
        if not above:
            continue
        top = end
        for entry in range(start, end):
            corner = lists[entry]
            if kept[corner, last] > box[1, last]:
                break
            some, every = True, kept[corner, last] <= box[0, last]
            for side in range(last):
                some &= kept[corner, side] <= box[1, side]
                every &= kept[corner, side] <= box[0, side]
            if every:
                sure += 1
                if sure == k:
                    break
            elif some:
                lists[top] = corner
                top += 1
        if sure + lower >= k:
            if gaining:
                found = _put(gained, found, node, k, k)
            continue
        if inside and sure + top - end + upper < k:
            left = _put(cells, left, node, sure + lower, sure + top - end + upper)
            continue
        child = tree.link[node, CHILD]
        if child > 0:
            for part in range(2):
                stack[waiting + part, 0], stack[waiting + part, 1] = child + 1 - part, end
                stack[waiting + part, 2], stack[waiting + part, 3] = top, sure
            waiting += 2
            continue
        for at in range(tree.link[node, SIZE] - 1, -1, -1):
            above, upper = True, 1
            for side in range(sides):
                value = tree.ends[~child, side, at]
                above &= value >= origin[side]
                upper &= value >= b[side]
                box[0, side] = value
            if not above:
                continue
            count = sure + upper
            for entry in range(end, top):
                if count >= k:
                    break
                every = 1
                for side in range(sides):
                    every &= kept[lists[entry], side] <= box[0, side]
                count += every
            cell = ~(~child * BLOCK + at)
            if count < k:
                left = _put(cells, left, cell, count, count)
            elif gaining:
                found = _put(gained, found, cell, k, k)
    return left, found, waiting


@njit
def _waiting_lists(size: int) -> NDArray[np.int32]:
    """Room for the lists of all that wait, and the first one: all corners."""
    lists = np.empty((DEPTH + 1) * size, np.int32)
    for at in range(size):
        lists[at] = at
    return lists


@njit
def walk(tree: SideTree, kept: Floats, size: int, origin: Floats, k: int, cells: Cells) -> tuple[Cells, int]:
    """Find the cells of those that hold an object with corner `origin`; the cells, and how many.

    The kept corners ascend in the last side.
    """
    count, waiting = 0, 1
    nowhere, box = np.full(len(origin), np.inf), np.empty((2, len(origin)))
    stack, lists = np.empty((2 * DEPTH, 4), np.int64), _waiting_lists(size)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, size, 0
    while waiting > 0:
        cells = _more(cells, count, BLOCK)
        # Nobody reaches k by a corner at infinity; what stands for the cells that do takes none.
        count, _, waiting = _descend(
            tree, kept, origin, nowhere, k, cells, count, cells, 0, False, stack, waiting, lists, box
        )
    return cells, count


@njit_inner
def _part(
    tree: SideTree, size: int, b: Floats, k: int, cells: Cells, count: int, gained: Cells, stack: NDArray[np.int64]
) -> tuple[int, int, int]:
    """Let an object be exposed to whole cells: those left, those that gain it, and those that wait to be cut."""
    left, found, waiting = 0, 0, 0
    for at in range(count):
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
        if most + upper < k:
            left = _put(cells, left, cell, least + lower, most + upper)
        elif least + lower == k:
            found = _put(gained, found, cell, k, k)
        else:
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3] = cell, 0, size, 0
            waiting += 1
    return left, found, waiting


@njit
def lose(
    tree: SideTree, kept: Floats, size: int, origin: Floats, b: Floats, k: int, cells: Cells, count: int,
    gained: Cells,
) -> tuple[Cells, int, Cells, int]:  # fmt: skip
    """Let an object with corner b, not yet kept, be exposed: cells left, how many, those that gain it, how many."""
    gained = _more(gained, 0, count)
    stack = np.empty((count + 2 * DEPTH, 4), np.int64)
    left, found, waiting = _part(tree, size, b, k, cells, count, gained, stack)
    if waiting > 0:
        lists, box = _waiting_lists(size), np.empty((2, len(b)))
        while waiting > 0:
            cells, gained = _more(cells, left, BLOCK), _more(gained, found, BLOCK)
            left, found, waiting = _descend(
                tree, kept, origin, b, k, cells, left, gained, found, True, stack, waiting, lists, box
            )
    return cells, left, gained, found


@njit_inner
def reach_of(tree: SideTree, cells: Cells, count: int, reach: Floats) -> None:
    """Write the upper corner of the smallest box around some cells."""
    for side in range(len(reach)):
        reach[side] = -np.inf
    for at in range(count):
        cell = cells[at, 0]
        if cell >= 0:
            for side in range(len(reach)):
                reach[side] = max(reach[side], tree.box[cell, 1, side])
        else:
            for side in range(len(reach)):
                reach[side] = max(reach[side], tree.ends[~cell // BLOCK, side, ~cell % BLOCK])


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
