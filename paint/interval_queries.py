"""The three questions of Appendix D to objects with two attributes: first_k, the least x2, and the least y.

They are asked of the kd-tree of `paint.corner_tree`. Every region is a closed box of the two attributes, with values
of y, or of x2, between two of (value, id): a node outside of it, or without anything better than what is found, is
left out. O(sqrt n + answers) each, as of any kd-tree. `waiting` is scratch memory for the nodes still to be looked
at, as long as the tree has nodes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit_inner, njit_within
from paint.corner_tree import ROOT, CornerTree, below

__all__ = ["Within", "first_k", "least_x2", "least_y"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class Within(NamedTuple):
    """A closed box of the two attributes."""

    left: float
    right: float
    low: float
    high: float


@njit_inner
def _holds(box: Within, x: float, x2: float) -> bool:
    return box.left <= x <= box.right and box.low <= x2 <= box.high


@njit_inner
def _meets(box: Within, tree: CornerTree, node: int) -> bool:
    """Whether the objects of a node may lie in a box."""
    least, most = tree.box[node, 0], tree.box[node, 1]
    return bool(least[0] <= box.right and most[0] >= box.left and least[1] <= box.high and most[1] >= box.low)


@njit_within
def _push(waiting: Ids, count: int, a: int, b: int, a_first: bool) -> int:
    """Let two nodes wait, of which one is looked at first; how many wait then."""
    waiting[count], waiting[count + 1] = b if a_first else a, a if a_first else b
    return count + 2


@njit_inner
def first_k(tree: CornerTree, i: int, west: bool, k: int, out: Ids, waiting: Ids) -> int:
    """List the first k objects west or east of object i, in order of (x1, id), that rank above it with x2 no greater.

    The number found; the nearest comes first.
    """
    x, x2, y = tree.x[i, 0], tree.x[i, 1], tree.y[i]
    found = 0
    waiting[0], count = ROOT, 1
    while count > 0:
        count -= 1
        node = waiting[count]
        h = tree.lowest[node]
        if h < 0 or not below(tree.y[h], h, y, i) or tree.box[node, 0, 1] > x2:
            continue
        near = tree.box[node, 1, 0] if west else tree.box[node, 0, 0]
        if (tree.box[node, 0, 0] > x) if west else (tree.box[node, 1, 0] < x):
            continue
        if found == k:
            last = tree.x[out[k - 1], 0]
            if (near < last) if west else (near > last):
                continue
        if tree.left[node] >= 0:
            a, b = tree.left[node], tree.right[node]
            nearer = tree.box[a, 1, 0] >= tree.box[b, 1, 0] if west else tree.box[a, 0, 0] <= tree.box[b, 0, 0]
            count = _push(waiting, count, a, b, nearer)
            continue
        for at in range(tree.size[node]):
            h = tree.members[node, at]
            beside = below(tree.x[h, 0], h, x, i) if west else below(x, i, tree.x[h, 0], h)
            if h == i or not beside or tree.x[h, 1] > x2 or not below(tree.y[h], h, y, i):
                continue
            to = found
            while to > 0:
                g = out[to - 1]
                closer = below(tree.x[g, 0], g, tree.x[h, 0], h) if west else below(tree.x[h, 0], h, tree.x[g, 0], g)
                if not closer:
                    break
                if to < k:
                    out[to] = g
                to -= 1
            if to < k:
                out[to] = h
                found = min(found + 1, k)
    return found


@njit_inner
def least_x2(tree: CornerTree, box: Within, after: int, i: int, waiting: Ids) -> int:
    """Find the least (x2, id) above (`box.low`, `after`) in a box, of the objects that rank above object i; or -1."""
    y = tree.y[i]
    best = -1
    waiting[0], count = ROOT, 1
    while count > 0:
        count -= 1
        node = waiting[count]
        h = tree.lowest[node]
        if h < 0 or not below(tree.y[h], h, y, i) or not _meets(box, tree, node):
            continue
        if best >= 0 and tree.box[node, 0, 1] > tree.x[best, 1]:
            continue
        if tree.left[node] >= 0:
            a, b = tree.left[node], tree.right[node]
            lower = tree.box[a, 0, 1] <= tree.box[b, 0, 1]
            count = _push(waiting, count, a, b, lower)
            continue
        for at in range(tree.size[node]):
            h = tree.members[node, at]
            x2 = tree.x[h, 1]
            if (
                below(tree.y[h], h, y, i)
                and _holds(box, tree.x[h, 0], x2)
                and below(box.low, after, x2, h)
                and (best < 0 or below(x2, h, tree.x[best, 1], best))
            ):
                best = h
    return best


@njit_inner
def least_y(tree: CornerTree, box: Within, y: float, last: int, y_end: float, end: int, waiting: Ids) -> int:
    """Find the least (y, id) in a box that lies between (y, last) and (y_end, end), both excluded; or -1."""
    best = -1
    waiting[0], count = ROOT, 1
    while count > 0:
        count -= 1
        node = waiting[count]
        h = tree.lowest[node]
        if h < 0 or not below(tree.y[h], h, y_end, end) or not _meets(box, tree, node):
            continue
        if below(y, last, tree.y[h], h) and _holds(box, tree.x[h, 0], tree.x[h, 1]):
            best, y_end, end = h, tree.y[h], h
            continue
        if tree.left[node] >= 0:
            a, b = tree.left[node], tree.right[node]
            g, h = tree.lowest[a], tree.lowest[b]
            first = h < 0 or (g >= 0 and below(tree.y[g], g, tree.y[h], h))
            count = _push(waiting, count, a, b, first)
            continue
        for at in range(tree.size[node]):
            h = tree.members[node, at]
            if (
                below(y, last, tree.y[h], h)
                and below(tree.y[h], h, y_end, end)
                and _holds(box, tree.x[h, 0], tree.x[h, 1])
            ):
                best, y_end, end = h, tree.y[h], h
    return best
