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

from floor.kernels import njit
from matching.range_index import Floats, Ids, Ints
from matching.ranked.cursor import EVALUATIONS, Cursor, new_cursor

__all__ = ["PackedRTree", "open_walk", "packed", "stab_all", "take", "top_all", "top_one"]


class PackedRTree(NamedTuple):
    """The arrays of the tree; positions are those of the arrangement."""

    l: npt.NDArray[np.float64]
    """(n,): left ends by position."""
    r: npt.NDArray[np.float64]
    """(n,): right ends by position."""
    id: npt.NDArray[np.int32]
    """(n,): ids by position."""
    low: npt.NDArray[np.float64]
    """(nodes,): left ends of extents, the nodes of the lowest level first."""
    high: npt.NDArray[np.float64]
    """(nodes,): right ends of extents."""
    level: npt.NDArray[np.int64]
    """(levels + 2,): b, then where each level of nodes starts, and the number of nodes."""


def packed(l: Floats, r: Floats, ids: Ids, b: int) -> PackedRTree:
    """The tree over ranges in the order of an arrangement, O(n)."""
    lows, highs = [l], [r]
    while lows[-1].size > b:
        at = np.arange(0, lows[-1].size, b)
        lows.append(np.minimum.reduceat(lows[-1], at))
        highs.append(np.maximum.reduceat(highs[-1], at))
    low, high = (np.concatenate(ends[1:] or [np.empty(0)]) for ends in (lows, highs))
    level = np.array([b, 0, *np.cumsum([ends.size for ends in lows[1:]])], np.int64)
    return PackedRTree(l, r, ids, low, high, level)


@njit
def _walk(tree: PackedRTree, x: float, at: int, most: int, out: Ints) -> tuple[int, int, int]:
    """Ids of the next ranges that hold x from a position on, `most` at most, as far as `out` has room.

    Returns their number, the position to go on from, and how many extents and ranges were tested.
    """
    l, r, low, high, level = tree.l, tree.r, tree.low, tree.high, tree.level
    n, b, top = len(l), level[0], len(level) - 2
    found, tests, height, place = 0, 0, 0, at
    while place < n:
        while height < top and place % b == 0:
            place //= b
            height += 1
        while height > 0:
            tests += 1
            node = level[height] + place
            if low[node] <= x <= high[node]:
                height -= 1
                place *= b
                continue
            if node + 1 == level[height + 1]:
                return found, n, tests
            place += 1
            while height < top and place % b == 0:
                place //= b
                height += 1
        for position in range(place, min((place // b + 1) * b, n)):
            tests += 1
            if l[position] <= x <= r[position]:
                if found < len(out):
                    out[found] = tree.id[position]
                found += 1
                if found == most:
                    return found, position + 1, tests
        place = (place // b + 1) * b
    return found, n, tests


@njit
def stab_all(tree: PackedRTree, xs: Floats, bounds: Ints, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.array_index`."""
    evaluations = 0
    for i in range(len(xs)):
        room = out[bounds[i] : bounds[i + 1]]
        counts[i], _, tests = _walk(tree, xs[i], 0, len(tree.l) + 1, room)
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


@njit
def top_one(
    l: Floats, r: Floats, ids: Ids, low: Floats, high: Floats, level: Ints, x: float, k: int, made: Ints
) -> Ints:
    """Ids of the k best at one point; the evaluations are added to `made`. Loose arrays are quicker to call with."""
    out = np.empty(k, np.int64)
    found, _, tests = _walk(PackedRTree(l, r, ids, low, high, level), x, 0, k, out)
    made[0] += tests
    return out[:found]
