"""The questions of an event to the index over several attributes: which objects are kept, and which exposed.

Both are one search. Seen from object i no corner of a node lies below its *nearest* one, that of the box itself;
where k kept corners are below that, nothing in the node can be kept or exposed, now or later. `start` goes down,
nearer child first, wherever there are better objects than i, and keeps what it finds (`paint.skyband`); the nodes it
meets without better ones are where exposed objects may be. `next_exposed` takes these best-first in (y, id).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit_inner
from paint.corner_tree import LEAF, ROOT, CornerTree, below
from paint.sides import Sides, corner, seen_from
from paint.skyband import Skyband, add, full_below

__all__ = ["HEAP", "LAST", "ORIGIN", "Search", "make_search", "next_exposed", "out_of_reach", "outside", "start"]

HEAP, LAST, ORIGIN = range(3)
"""Positions in `Search.counts`: entries waiting, the last exposed object, object i."""

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class Search(NamedTuple):
    """Scratch memory of the search of an event.

    Attributes
    ----------
    heap : int64 array
        What may hold exposed objects, least (y, id) on top: a node, or ~id for an object.
    key_y, key_id : float64 and int64 array
        The least (y, id) of each entry.
    counts : int64 array of 3
        See HEAP, LAST and ORIGIN.
    ys : float64 array of 2
        The y of the last exposed object, and that at which the sweep ends.
    waiting : int64 array
        Nodes that are still to be looked at.
    origin, point : float64 arrays of D
        The corner of object i, and one that is looked at.
    reach : float64 array of D
        Beyond it there is nobody who matters, in any side; +inf as long as that is not known. It may only shrink.
    """

    heap: Ids
    key_y: Floats
    key_id: Ids
    counts: Ids
    ys: Floats
    waiting: Ids
    origin: Floats
    point: Floats
    reach: Floats


def make_search(sides: int, room: int) -> Search:
    """Allocate for so many objects; memory that no event touches costs nothing."""
    entries = 2 * room + 2 * LEAF
    return Search(
        np.empty(entries, np.int64), np.empty(entries), np.empty(entries, np.int64), np.zeros(3, np.int64),
        np.zeros(2), np.empty(entries, np.int64), np.zeros(sides), np.zeros(sides), np.zeros(sides),
    )  # fmt: skip


@njit_inner
def _push(search: Search, y: float, i: int, entry: int) -> None:
    """Push an entry on the heap, least (y, id) on top."""
    heap, key_y, key_id = search.heap, search.key_y, search.key_id
    at = search.counts[HEAP]
    search.counts[HEAP] = at + 1
    while at > 0:
        up = (at - 1) >> 1
        if not below(y, i, key_y[up], key_id[up]):
            break
        heap[at], key_y[at], key_id[at] = heap[up], key_y[up], key_id[up]
        at = up
    heap[at], key_y[at], key_id[at] = entry, y, i


@njit_inner
def _pop(search: Search) -> int:
    """Take the top entry of the heap."""
    heap, key_y, key_id = search.heap, search.key_y, search.key_id
    top: int = heap[0]
    size = search.counts[HEAP] - 1
    search.counts[HEAP] = size
    entry, y, i = heap[size], key_y[size], key_id[size]
    at = 0
    while 2 * at + 1 < size:
        down = 2 * at + 1
        if down + 1 < size and below(key_y[down + 1], key_id[down + 1], key_y[down], key_id[down]):
            down += 1
        if not below(key_y[down], key_id[down], y, i):
            break
        heap[at], key_y[at], key_id[at] = heap[down], key_y[down], key_id[down]
        at = down
    heap[at], key_y[at], key_id[at] = entry, y, i
    return top


@njit_inner
def out_of_reach(search: Search, band: Skyband, limit: Floats, k: int) -> bool:
    """Whether the point that is looked at is outside of the polygon, or beyond who matters."""
    for side in range(len(search.point)):
        if search.point[side] > search.reach[side]:
            return True
    return outside(search, band, limit, k)


@njit_inner
def outside(search: Search, band: Skyband, limit: Floats, k: int) -> bool:
    """Whether k kept corners, or the limit, lie below the point that is looked at."""
    point = search.point
    level = len(point) - 2
    if limit[0] < np.inf:
        under = True
        for side in range(len(point)):
            under = under and limit[side] <= point[side]
        if under:
            return True
    return full_below(band.corner, level, band.size[level], point, k)


@njit_inner
def _nearest(sides: Sides, box: Floats, node: int, origin: Floats, out: Floats) -> None:
    """Write the nearest corner of a node's box, seen from the origin."""
    for side in range(len(origin)):
        j = sides.attribute[side]
        value = box[node, 0, j] if sides.sign[side] > 0 else -box[node, 1, j]
        out[side] = max(value, origin[side])


@njit_inner
def start(
    tree: CornerTree, search: Search, band: Skyband, sides: Sides, i: int, y_end: float, limit: Floats, k: int
) -> None:
    """Keep the objects that rank above object i, and find where those from its y to y_end may be exposed.

    With y_end = -inf there is nothing to sweep.
    """
    y, origin, point = tree.y[i], search.origin, search.point
    level = len(origin) - 2
    corner(sides, tree.x, i, origin)
    search.counts[HEAP], search.counts[LAST], search.counts[ORIGIN] = 0, i, i
    search.ys[0], search.ys[1] = y, y_end
    for side in range(len(origin)):
        search.reach[side] = np.inf
    band.size[level] = 0
    waiting, count = search.waiting, 1
    waiting[0] = ROOT
    while count > 0:
        count -= 1
        node = waiting[count]
        h = tree.lowest[node]
        if h < 0 or not (below(tree.y[h], h, y, i) or below(tree.y[h], h, y_end, i)):
            continue
        _nearest(sides, tree.box, node, origin, point)
        if out_of_reach(search, band, limit, k):
            continue
        if not below(tree.y[h], h, y, i) and h != i:
            _push(search, tree.y[h], h, node)
        elif tree.left[node] >= 0:
            axis = tree.axis[node]
            # Of an attribute without a left side, less is nearer.
            two_sided = 2 * axis + 1 < len(origin)
            first_right = two_sided and tree.x[i, axis] >= tree.cut[node]
            waiting[count] = tree.left[node] if first_right else tree.right[node]
            waiting[count + 1] = tree.right[node] if first_right else tree.left[node]
            count += 2
        else:
            for at in range(tree.size[node]):
                h = tree.members[node, at]
                if h == i:
                    continue
                if below(tree.y[h], h, y, i):
                    seen_from(sides, tree.x, h, origin, point)
                    x_h, x = tree.x[h, 0], tree.x[i, 0]
                    add(band, level + 2, point, x_h < x or (x_h == x and h < i), k)
                elif below(tree.y[h], h, y_end, i):
                    _push(search, tree.y[h], h, ~h)


@njit_inner
def next_exposed(tree: CornerTree, search: Search, band: Skyband, sides: Sides, limit: Floats, k: int) -> int:
    """Find the next object in (y, id) that fewer than k kept corners are below, or -1; its corner is in `point`.

    The caller tiles what it gains and adds it to the band.
    """
    y_end, i = search.ys[1], search.counts[ORIGIN]
    while search.counts[HEAP] > 0:
        entry = _pop(search)
        if entry < 0:
            seen_from(sides, tree.x, ~entry, search.origin, search.point)
            if not out_of_reach(search, band, limit, k):
                search.ys[0], search.counts[LAST] = tree.y[~entry], ~entry
                return int(~entry)
            continue
        _nearest(sides, tree.box, entry, search.origin, search.point)
        if out_of_reach(search, band, limit, k):
            continue
        if tree.left[entry] < 0:
            for at in range(tree.size[entry]):
                h = tree.members[entry, at]
                if below(tree.y[h], h, y_end, i):
                    _push(search, tree.y[h], h, ~h)
        else:
            for child in (tree.left[entry], tree.right[entry]):
                h = tree.lowest[child]
                if h >= 0 and below(tree.y[h], h, y_end, i):
                    _push(search, tree.y[h], h, child)
    return -1
