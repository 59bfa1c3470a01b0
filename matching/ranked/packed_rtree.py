"""R-trees of one dimension over an arrangement of ranges: the arrays, and the walk that gives ranges in that order.

Ranges stand in the order of an arrangement; b consecutive ones are a node, with the smallest range around them as
its extent, b nodes are a node of the next level, and so on (seed 000, Section 2.1.3). The walk goes from left to
right and skips a node whose extent does not hold the point, so it gives the ranges that do in the order of the
arrangement. Where any two ranges with a common point stand in the order of ranks, it gives them best first, whatever
the order of others (Lemma 3.2): the scored R-tree takes the order of ranks itself, the SOPT-R-tree one with fewer
holes.

A walk's whole state is the next position to look at: the nodes that begin there are tested from the highest down.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit, njit_brief
from matching.range_index import Floats, Ids, Ints
from matching.ranked.cursor import EVALUATIONS, Cursor, new_cursor

__all__ = ["PackedRTree", "columns", "open_walk", "packed", "stab_all", "take", "top_all", "top_one"]


class PackedRTree(NamedTuple):
    """The arrays of the tree, few since each takes time to hand to a kernel; positions are of the arrangement."""

    ends: npt.NDArray[np.float64]
    """(2 n + 2 nodes,): left ends by position, right ends, left ends of extents, the nodes of the lowest level first,
    and right ends of these."""
    id: npt.NDArray[np.int32]
    """(n,): ids by position."""
    level: npt.NDArray[np.int64]
    """(levels + 3,): b, then where each level of nodes starts, and the number of nodes; last the extents and ranges
    that `top_one` has tested so far."""


def packed(l: Floats, r: Floats, ids: Ids, b: int) -> PackedRTree:
    """The tree over ranges in the order of an arrangement, O(n)."""
    lows, highs = [l], [r]
    while lows[-1].size > b:
        at = np.arange(0, lows[-1].size, b)
        lows.append(np.minimum.reduceat(lows[-1], at))
        highs.append(np.maximum.reduceat(highs[-1], at))
    level = np.array([b, 0, *np.cumsum([ends.size for ends in lows[1:]]), 0], np.int64)
    return PackedRTree(np.concatenate((l, r, *lows[1:], *highs[1:])), ids, level)


@njit
def columns(tree: PackedRTree) -> tuple[Floats, Floats, Floats, Floats]:
    """Left and right ends of the ranges, and of the extents of nodes."""
    ends, n, nodes = tree.ends, len(tree.id), tree.level[-2]
    behind = 2 * n + nodes
    return ends[:n], ends[n : 2 * n], ends[2 * n : behind], ends[behind:]


@njit
def _risen(place: int, height: int, b: int, top: int) -> tuple[int, int, int]:
    """The highest node, or range, that begins where one does, and the place behind its last sibling."""
    while height < top and place % b == 0:
        place //= b
        height += 1
    return place, height, (place // b + 1) * b


@njit
def _walk(tree: PackedRTree, x: float, at: int, most: int, out: Ints) -> tuple[int, int, int]:
    """Ids of the next ranges that hold x from a position on, `most` at most, as far as `out` has room.

    Returns their number, the position to go on from, and how many extents and ranges were tested.
    """
    l, r, low, high = columns(tree)
    level = tree.level
    n, b, top = len(l), level[0], len(level) - 3
    found, tests, height, place = 0, 0, 0, at
    while place < n:
        place, height, end = _risen(place, height, b, top)
        while height > 0:
            tests += 1
            node = level[height] + place
            if low[node] <= x <= high[node]:
                height -= 1
                place *= b
                end = place + b
                continue
            if node + 1 == level[height + 1]:
                return found, n, tests
            place += 1
            if place == end:
                place, height, end = _risen(place, height, b, top)
        for position in range(place, min(end, n)):
            tests += 1
            if l[position] <= x <= r[position]:
                if found < len(out):
                    out[found] = tree.id[position]
                found += 1
                if found == most:
                    return found, position + 1, tests
        place = end
    return found, n, tests


@njit
def stab_all(tree: PackedRTree, xs: Floats, bounds: Ints, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.array_index`."""
    evaluations = 0
    for i in range(len(xs)):
        room = out[bounds[i] : bounds[i + 1]]
        counts[i], _, tests = _walk(tree, xs[i], 0, len(tree.id) + 1, room)
        evaluations += tests
    return evaluations


@njit
def open_walk(tree: PackedRTree, x: float) -> Cursor:  # noqa: ARG001
    """Kernel of `matching.ranked.walking`: one run, which begins at the first position."""
    cursor = new_cursor(x, 1)
    cursor.at[0] = 0
    return cursor


@njit
def take(tree: PackedRTree, cursor: Cursor, out: Ints) -> int:
    """Kernel of `matching.ranked.walking`."""
    found, cursor.at[0], tests = _walk(tree, cursor.x[0], cursor.at[0], len(out), out)
    cursor.state[EVALUATIONS] += tests
    return found


@njit
def top_all(tree: PackedRTree, xs: Floats, k: int, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.ranked.walking`."""
    evaluations, filled = 0, 0
    for i in range(len(xs)):
        counts[i], _, tests = _walk(tree, xs[i], 0, k, out[filled:])
        filled += counts[i]
        evaluations += tests
    return evaluations


@njit_brief
def top_one(ends: Floats, ids: Ids, level: Ints, x: float, out: Ints) -> int:
    """Write the ids of the best ranges at one point, as many as there is room for. Loose arrays are quick to hand."""
    found, _, tests = _walk(PackedRTree(ends, ids, level), x, 0, len(out), out)
    level[-1] += tests
    return found
