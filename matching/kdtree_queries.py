"""Queries of a kd-tree of subscriptions: the smallest box around those in a rectangle, their number, their ids.

Rectangles are closed boxes l_lo <= l <= l_hi, r_lo <= r <= r_hi; `closed_box` and `half_open` translate between
them and messages. Many questions about one part of the space are best asked of that part: `narrow` finds the few low
nodes that hold it, and each query starts there instead of at the root.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit, njit_inner
from matching.blocks import BLOCK, CHILD, LARGEST, SIZE, SOLID, Floats, following
from matching.kdtree import NOWHERE, Tree, from_key, to_key

__all__ = [
    "NARROW",
    "Part",
    "closed_box",
    "count",
    "counts",
    "half_open",
    "is_empty",
    "narrow",
    "range_of",
    "ranges",
    "report",
    "snap",
    "whole",
]

NARROW = 32
"""Nodes at which the queries of a part may start; 8 to 64 make no difference."""


class Part(NamedTuple):
    """What the queries about a part of the space need of a `Tree`; few arrays, because Numba counts references."""

    box: npt.NDArray[np.float64]
    link: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    start: npt.NDArray[np.int32]
    """Nodes, none below another, that hold every subscription of the part."""


@njit
def whole(tree: Tree) -> Part:
    """All of a tree as a part: queries start at the root."""
    return Part(tree.box, tree.link, tree.ends, np.zeros(1, np.int32))


@njit_inner
def closed_box(l_in: float, r_in: float, l_out: float, r_out: float) -> tuple[float, float, float, float]:
    """Closed box (l_lo, l_hi, r_lo, r_hi) of the subscriptions that a message reaches."""
    return np.nextafter(l_out, np.inf), l_in, r_in, np.nextafter(r_out, -np.inf)


@njit_inner
def half_open(l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> tuple[float, float, float, float]:
    """Range (l_in, r_in, l_out, r_out) of the message that reaches exactly a closed box."""
    return l_hi, r_lo, np.nextafter(l_lo, -np.inf), np.nextafter(r_hi, np.inf)


@njit_inner
def _meets(box: Floats, node: int, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> bool:
    """Whether the box of a node has a point in common with a rectangle."""
    return bool(box[node, 0] <= l_hi and box[node, 1] >= l_lo and box[node, 2] <= r_hi and box[node, 3] >= r_lo)


@njit
def narrow(tree: Tree, l_lo: float, l_hi: float, r_lo: float, r_hi: float, start: npt.NDArray[np.int32]) -> Part:
    """The part of a tree that queries inside a rectangle need.

    Goes down level by level through the nodes that meet the rectangle, as long as `start`, which receives them, has
    room for twice as many.
    """
    box, link = tree.box, tree.link
    start[0] = 0
    used = 1
    lower = True
    while lower and 0 < used <= len(start) // 2:
        lower = False
        level = used
        used = 0
        extra = level
        for at in range(level):
            first, nodes = start[at], 1
            if link[first, CHILD] > 0:
                first, nodes, lower = link[first, CHILD], 2, True
            for node in range(first, first + nodes):
                if _meets(box, node, l_lo, l_hi, r_lo, r_hi):
                    if used <= at:
                        start[used] = node
                        used += 1
                    else:
                        start[extra] = node
                        extra += 1
        for at in range(level, extra):
            start[used] = start[at]
            used += 1
    return Part(box, link, tree.ends, start[:used])


@njit_inner
def snap(part: Part, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> tuple[bool, float, float, float, float]:
    """Smallest closed box around the subscriptions inside a rectangle: (found, l_min, l_max, r_min, r_max).

    A node is entered only if what it shares with the rectangle sticks out of the answer so far. On solid leaves the
    answer is a box inside the rectangle that surely contains the smallest one. Section II-B of the paper.
    """
    a_min, a_max, b_min, b_max = np.inf, -np.inf, np.inf, -np.inf
    if l_lo > l_hi or r_lo > r_hi:
        return False, a_min, a_max, b_min, b_max
    l_hi = min(l_hi, LARGEST)
    box, link, ends = part.box, part.link, part.ends
    l_from, l_to, r_from, r_to = to_key(l_lo), to_key(l_hi), to_key(r_lo), to_key(r_hi)
    for top in part.start:
        node = int(top)
        while node >= 0:
            if _meets(box, node, l_lo, l_hi, r_lo, r_hi):
                l_min, l_max, r_min, r_max = box[node, 0], box[node, 1], box[node, 2], box[node, 3]
                within = l_min >= l_lo and l_max <= l_hi and r_min >= r_lo and r_max <= r_hi
                l_min, l_max, r_min, r_max = max(l_min, l_lo), min(l_max, l_hi), max(r_min, r_lo), min(r_max, r_hi)
                if l_min < a_min or l_max > a_max or r_min < b_min or r_max > b_max:
                    child = int(link[node, CHILD])
                    if within or child == SOLID:
                        a_min, a_max = min(a_min, l_min), max(a_max, l_max)
                        b_min, b_max = min(b_min, r_min), max(b_max, r_max)
                    elif child > 0:
                        node = child
                        continue
                    else:
                        l_least, l_most, r_least, r_most = to_key(a_min), to_key(a_max), to_key(b_min), to_key(b_max)
                        for at in range(BLOCK):
                            left, right = ends[~child, 0, at], ends[~child, 1, at]
                            here = (left >= l_from) & (left <= l_to) & (right >= r_from) & (right <= r_to)
                            l_least = min(l_least, left if here else NOWHERE)
                            l_most = max(l_most, left if here else -NOWHERE)
                            r_least = min(r_least, right if here else NOWHERE)
                            r_most = max(r_most, right if here else -NOWHERE)
                        a_min, a_max, b_min, b_max = (
                            from_key(l_least), from_key(l_most), from_key(r_least), from_key(r_most)
                        )  # fmt: skip
            node = following(link, node, top)
    return a_min <= a_max, a_min, a_max, b_min, b_max


@njit_inner
def _inside(ends: npt.NDArray[np.int64], block: int, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> int:
    """Number of subscriptions of a block inside a rectangle."""
    l_from, l_to, r_from, r_to = to_key(l_lo), to_key(l_hi), to_key(r_lo), to_key(r_hi)
    total = 0
    for at in range(BLOCK):
        left, right = ends[block, 0, at], ends[block, 1, at]
        total += (left >= l_from) & (left <= l_to) & (right >= r_from) & (right <= r_to)
    return total


@njit_inner
def is_empty(part: Part, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> bool:
    """Whether a rectangle holds no subscription (on solid leaves: surely holds none).

    Stops at the first proof of one: a box is the smallest around its subscriptions, so each of its sides has one;
    a box within the rectangle's span of l whose lower or upper side is in the span of r proves it, and so in turn.
    """
    if l_lo > l_hi or r_lo > r_hi:
        return True
    l_hi = min(l_hi, LARGEST)
    box, link, ends = part.box, part.link, part.ends
    for top in part.start:
        node = int(top)
        while node >= 0:
            if _meets(box, node, l_lo, l_hi, r_lo, r_hi):
                l_min, l_max, r_min, r_max = box[node, 0], box[node, 1], box[node, 2], box[node, 3]
                child = int(link[node, CHILD])
                if child == SOLID:
                    return False
                if l_min >= l_lo and l_max <= l_hi and (r_min >= r_lo or r_max <= r_hi):
                    return False
                if r_min >= r_lo and r_max <= r_hi and (l_min >= l_lo or l_max <= l_hi):
                    return False
                if child > 0:
                    node = child
                    continue
                if _inside(ends, ~child, l_lo, l_hi, r_lo, r_hi) > 0:
                    return False
            node = following(link, node, top)
    return True


@njit_inner
def count(tree: Tree, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> int:
    """Number of subscriptions inside a rectangle, O(sqrt(m)) at worst; a solid leaf that meets it counts in full."""
    box, link, ends = tree.box, tree.link, tree.ends
    total = 0
    node = 0
    while node >= 0:
        if _meets(box, node, l_lo, l_hi, r_lo, r_hi):
            l_min, l_max, r_min, r_max = box[node, 0], box[node, 1], box[node, 2], box[node, 3]
            child = link[node, CHILD]
            if child == SOLID or (l_min >= l_lo and l_max <= l_hi and r_min >= r_lo and r_max <= r_hi):
                total += link[node, SIZE]
            elif child > 0:
                node = child
                continue
            else:
                total += _inside(ends, ~child, l_lo, l_hi, r_lo, r_hi)
        node = following(link, node, 0)
    return total


@njit
def counts(tree: Tree, boxes: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Number of subscriptions inside each of many rectangles, rows l_lo, l_hi, r_lo, r_hi."""
    totals = np.empty(len(boxes), np.int64)
    for at in range(len(boxes)):
        totals[at] = count(tree, boxes[at, 0], boxes[at, 1], boxes[at, 2], boxes[at, 3])
    return totals


@njit
def report(tree: Tree, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> npt.NDArray[np.int64]:
    """Ids of the subscriptions inside a rectangle, in no particular order; solid leaves have none to give.

    `count` plus O(1) per id.
    """
    found = np.empty(count(tree, l_lo, l_hi, r_lo, r_hi), np.int64)
    box, link, ends = tree.box, tree.link, tree.ends
    l_from, l_to, r_from, r_to = to_key(l_lo), to_key(l_hi), to_key(r_lo), to_key(r_hi)
    total = 0
    node = 0
    while node >= 0 and total < found.size:
        if _meets(box, node, l_lo, l_hi, r_lo, r_hi):
            child = link[node, CHILD]
            if child > 0:
                node = child
                continue
            if child != SOLID:
                block = ~child
                for at in range(link[node, SIZE]):
                    left, right = ends[block, 0, at], ends[block, 1, at]
                    if (left >= l_from) & (left <= l_to) & (right >= r_from) & (right <= r_to):
                        found[total] = tree.id[block * BLOCK + at]
                        total += 1
        node = following(link, node, 0)
    return found[:total]


@njit
def range_of(tree: Tree, subscription: int) -> tuple[float, float]:
    """Ends (l, r) of the subscription with an id; it must be there."""
    block, at = divmod(tree.slot[subscription], BLOCK)
    return from_key(tree.ends[block, 0, at]), from_key(tree.ends[block, 1, at])


@njit
def ranges(tree: Tree, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Ends [l, r] of subscriptions, one row per id; all must be there."""
    ends = np.empty((ids.size, 2))
    for i in range(ids.size):
        ends[i, 0], ends[i, 1] = range_of(tree, ids[i])
    return ends
