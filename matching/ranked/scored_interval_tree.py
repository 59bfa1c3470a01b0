"""The scored interval tree: an interval tree whose nodes keep their ranges in the order of ranks. Static.

Seed 000, Section 2.2.2, *score-sorted*, which is what the paper means by scored interval tree. A node on the path of
a point has ranges that do not hold it, and a walk must pass over them one by one: O(n) at worst, and good only where
most ranges of a node hold the point. Each node keeps the smallest range around its ranges, so that one
which none of them can hold the point at is passed over at once.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.array_index import StaticIndex
from matching.intervals.medians import check_medians, median_tree
from matching.range_index import Floats, Ids, Ints
from matching.ranked.cursor import EVALUATIONS, Cursor, enter, new_cursor
from matching.ranked.merged_runs import merged_runs
from matching.ranked.walking import RankedArrayIndex

__all__ = ["ScoredIntervalTree", "ScoredLists", "open_walk", "stab_all", "take", "top_all"]


class ScoredLists(NamedTuple):
    """The arrays of the tree."""

    centre: npt.NDArray[np.float64]
    child: npt.NDArray[np.int32]
    """Fields of `Medians`."""
    low: npt.NDArray[np.float64]
    """(nodes,): the smallest left end of a node's ranges."""
    high: npt.NDArray[np.float64]
    """(nodes,): the largest right end of a node's ranges."""
    offset: npt.NDArray[np.int64]
    """(nodes + 1,): where the ranges of a node start."""
    l: npt.NDArray[np.float64]
    """(n,): left ends, in each node in the order of ranks."""
    r: npt.NDArray[np.float64]
    """(n,): right ends."""
    rank: npt.NDArray[np.int32]
    """(n,): ranks."""
    id: npt.NDArray[np.int32]
    """(n,): ids by rank."""


@njit
def _path(tree: ScoredLists, x: float) -> int:
    """Nodes on the path of a point."""
    nodes = 0
    node = 0 if len(tree.centre) else -1
    while node >= 0:
        nodes += 1
        node = -1 if x == tree.centre[node] else tree.child[node, int(x > tree.centre[node])]
    return nodes


@njit
def _next_head(tree: ScoredLists, cursor: Cursor, run: int) -> bool:
    """Set the head of a run to the next range of its node that holds the point, if there is one."""
    x = cursor.x[0]
    at, stop = cursor.at[run], tree.offset[cursor.place[run] + 1]
    first = at
    while at < stop and not (tree.l[at] <= x <= tree.r[at]):
        at += 1
    cursor.state[EVALUATIONS] += min(at + 1, stop) - first
    cursor.at[run] = at + 1
    if at == stop:
        return False
    cursor.key[run] = cursor.id[run] = tree.rank[at]
    return True


@njit
def open_walk(tree: ScoredLists, x: float) -> Cursor:
    """Kernel of `matching.ranked.walking`: a run for each node on the path with a range that holds the point."""
    nodes = _path(tree, x)
    cursor = new_cursor(x, nodes)
    run = 0
    node = 0
    for _ in range(nodes):
        cursor.state[EVALUATIONS] += 2
        if tree.low[node] <= x <= tree.high[node]:
            cursor.place[run] = node
            cursor.at[run] = tree.offset[node]
            if _next_head(tree, cursor, run):
                enter(cursor, run)
                run += 1
        node = tree.child[node, int(x > tree.centre[node])]
    return cursor


@njit
def _head(tree: ScoredLists, cursor: Cursor, run: int) -> int:
    return int(tree.id[cursor.id[run]])


take, top_all = merged_runs(__name__, open_walk, _head, _next_head)


@njit
def stab_all(tree: ScoredLists, xs: Floats, bounds: Ints, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.array_index`."""
    evaluations = 0
    for i in range(len(xs)):
        x = xs[i]
        ranks = np.empty(bounds[i + 1] - bounds[i], np.int32)
        found, node = 0, 0
        for _ in range(_path(tree, x)):
            evaluations += 2
            if tree.low[node] <= x <= tree.high[node]:
                evaluations += tree.offset[node + 1] - tree.offset[node]
                for at in range(tree.offset[node], tree.offset[node + 1]):
                    if tree.l[at] <= x <= tree.r[at]:
                        if found < len(ranks):
                            ranks[found] = tree.rank[at]
                        found += 1
            node = tree.child[node, int(x > tree.centre[node])]
        counts[i] = found
        ranks.sort()
        for at in range(len(ranks)):
            out[bounds[i] + at] = tree.id[ranks[at]]
    return evaluations


class ScoredIntervalTree(RankedArrayIndex, StaticIndex):
    """The k best ranges at a point, in O(n) at worst; about 28 bytes per range.

    With u ranges on the path of the point that do not hold it, O(u + (k + log n) log log n).

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    """

    arrays: ScoredLists
    _stab_all = staticmethod(stab_all)
    _open_walk = staticmethod(open_walk)
    _take = staticmethod(take)
    _top_all = staticmethod(top_all)

    def _built(self, l: Floats, r: Floats, ids: Ids) -> ScoredLists:
        medians, home = median_tree(l, r)
        offset = np.append(0, np.cumsum(np.bincount(home, minlength=medians.centre.size))).astype(np.int64)
        by_home = np.argsort(home, kind="stable")
        left, right = l[by_home], r[by_home]
        low = np.minimum.reduceat(left, offset[:-1]) if left.size else np.empty(0)
        high = np.maximum.reduceat(right, offset[:-1]) if left.size else np.empty(0)
        return ScoredLists(*medians, low, high, offset, left, right, by_home.astype(np.int32), ids)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the tree holds: O(n) in interpreted Python."""
        tree = self.arrays
        assert tree.offset[-1] == len(self)
        for ranks in (tree.rank, tree.id):
            assert sorted(ranks.tolist()) == list(range(len(self)))
        homes = []
        for node in range(tree.centre.size):
            here = slice(tree.offset[node], tree.offset[node + 1])
            assert (np.diff(tree.rank[here]) > 0).all()
            assert (tree.low[node], tree.high[node]) == (tree.l[here].min(), tree.r[here].max())
            homes.append((tree.l[here], tree.r[here]))
        check_medians(tree.centre, tree.child, homes)
