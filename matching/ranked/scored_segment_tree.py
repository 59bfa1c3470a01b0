"""The scored segment tree: a segment tree whose lists stand in the order of ranks. Static.

Seed 000, Section 2.2.1. Every range in a list on the path of a point holds the point, so the lists are the runs of a
ranked walk as they are; `matching.intervals.segment_lists` keeps them in the order of ranks already.
"""

from floor.kernels import njit
from matching.intervals.segment_lists import SegmentLists, leaf_at
from matching.intervals.segment_tree import SegmentTree
from matching.ranked.cursor import EVALUATIONS, Cursor, enter, new_cursor
from matching.ranked.merged_runs import merged_runs
from matching.ranked.walking import RankedArrayIndex

__all__ = ["ScoredSegmentTree", "open_walk", "take", "top_all"]


@njit
def _next_head(tree: SegmentLists, cursor: Cursor, run: int) -> bool:
    """Set the head of a run to the next range of its list, if there is one."""
    at = cursor.at[run]
    if at == tree.offset[cursor.place[run] + 1]:
        return False
    cursor.at[run] = at + 1
    cursor.key[run] = cursor.id[run] = tree.rank[at]
    return True


@njit
def open_walk(tree: SegmentLists, x: float) -> Cursor:
    """Kernel of `matching.ranked.walking`: a run for each list that is not empty."""
    levels = 0
    node = leaf_at(tree, x)
    while node > 0:
        levels += 1
        node >>= 1
    cursor = new_cursor(x, levels)
    run = 0
    node = leaf_at(tree, x)
    while node > 0:
        cursor.place[run] = node
        cursor.at[run] = tree.offset[node]
        if _next_head(tree, cursor, run):
            enter(cursor, run)
            run += 1
        node >>= 1
    cursor.state[EVALUATIONS] += levels
    return cursor


@njit
def _head(tree: SegmentLists, cursor: Cursor, run: int) -> int:
    return int(tree.id[cursor.id[run]])


take, top_all = merged_runs(__name__, open_walk, _head, _next_head)


class ScoredSegmentTree(RankedArrayIndex, SegmentTree):
    """The k best ranges at a point in O((k + log n) log log n); O(n log n) space.

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
