"""The interval tree of old under ranked walks: nodes keep their ranges by their ends. Static.

Seed 000, Section 2.2.2, *conventional (endpoint-sorted)*. All ranges that hold the point are found first, then the
best of them are taken from heaps, so the cost grows with their number and not with k. The paper keeps a heap per node
and one over the nodes of the path; one heap for the whole path gives the same at less cost, and the k best of a point
need one of k ranges only.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.intervals.interval_lists import IntervalLists, stabbed
from matching.intervals.interval_tree import IntervalTree
from matching.range_index import Floats, Ids, Ints
from matching.ranked.walking import RankedArrayIndex

__all__ = ["EndSortedIntervalTree", "FoundRanges", "open_walk", "take", "top_all"]


class FoundRanges(NamedTuple):
    """Where a walk stands that has found all its ranges."""

    heap: npt.NDArray[np.int32]
    """Ranks, the least first; only the first `state[LIVE]` of them are still to come."""
    state: npt.NDArray[np.int64]
    """(2,): as that of `matching.ranked.cursor.Cursor`."""


@njit
def _sink(heap: Ids, size: int, hole: int, rank: int) -> None:
    """Put a rank into a heap, the least first, at a hole or below it."""
    while 2 * hole + 1 < size:
        child = 2 * hole + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= rank:
            break
        heap[hole] = heap[child]
        hole = child
    heap[hole] = rank


@njit
def open_walk(tree: IntervalLists, x: float) -> FoundRanges:
    """Kernel of `matching.ranked.walking`."""
    size, _ = stabbed(tree, x, np.empty(0, np.int32))
    heap = np.empty(size, np.int32)
    _, tests = stabbed(tree, x, heap)
    for hole in range(size // 2 - 1, -1, -1):
        _sink(heap, size, hole, heap[hole])
    return FoundRanges(heap, np.array([size, tests]))


@njit
def take(tree: IntervalLists, walk: FoundRanges, out: Ints) -> int:
    """Kernel of `matching.ranked.walking`."""
    heap, left = walk.heap, walk.state[0]
    found = 0
    while found < len(out) and left > 0:
        out[found] = tree.id[heap[0]]
        found += 1
        left -= 1
        _sink(heap, left, 0, heap[left])
    walk.state[0] = left
    return found


@njit
def top_all(tree: IntervalLists, xs: Floats, k: int, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.ranked.walking`."""
    evaluations, filled = 0, 0
    for i in range(len(xs)):
        size, _ = stabbed(tree, xs[i], np.empty(0, np.int32))
        ranks = np.empty(size, np.int32)
        _, tests = stabbed(tree, xs[i], ranks)
        evaluations += tests
        # The greatest of the k least so far stands first: ranks are negated in a heap.
        kept = min(k, size)
        best = -ranks[:kept]
        for hole in range(kept // 2 - 1, -1, -1):
            _sink(best, kept, hole, best[hole])
        for at in range(kept, size):
            if -ranks[at] > best[0]:
                _sink(best, kept, 0, -ranks[at])
        best.sort()
        for at in range(kept):
            out[filled] = tree.id[-best[kept - 1 - at]]
            filled += 1
        counts[i] = kept
    return evaluations


class EndSortedIntervalTree(RankedArrayIndex, IntervalTree):
    """The k best of m ranges that hold a point in O(log n + m log k); about 30 bytes per range.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    """

    _open_walk = staticmethod(open_walk)
    _take = staticmethod(take)
    _top_all = staticmethod(top_all)
