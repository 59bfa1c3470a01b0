"""The Hybrid Index: keys of a Cluster Index over the elementary intervals of an Interval Index. Static.

Seed 002, Section 4.1.3. A leaf of the key tree with one range says that it may hold a point; any other leaf is
searched as an Interval Index over the elementary intervals of its piece of the line, which are those of all ranges:
whatever ends in a piece meets it. So one array of sets serves all leaves, and a leaf is a run of it.
"""

import operator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.array_index import StaticIndex
from matching.intervals.bit_vectors import BitVector, members, size, vector_of
from matching.intervals.cluster_tree import ClusterTree, cluster_tree, leaf_of, leaves_of
from matching.intervals.interval_index import IntervalSets, check_sets, covered_sets, search, set_at
from matching.range_index import Floats, Ids, Ints, checked_point

__all__ = ["HybridIndex", "HybridSets"]


class HybridSets(NamedTuple):
    """The arrays of the index."""

    tree: ClusterTree
    start: npt.NDArray[np.int64]
    """(leaves + 1,): where the elementary intervals of a leaf start."""
    only: npt.NDArray[np.int32]
    """(leaves,): the rank of the one range of a leaf, or -1."""
    l: npt.NDArray[np.float64]
    r: npt.NDArray[np.float64]
    """(n,): ends by rank."""
    sets: IntervalSets
    """Elementary intervals of all leaves."""


@njit
def _found(arrays: HybridSets, x: float) -> tuple[BitVector, int, int]:
    """Ranks that may hold a point, the keys looked at, and the one rank that is still to be tested, or -1."""
    leaf, keys = leaf_of(arrays.tree, x)
    only = arrays.only[leaf]
    if only >= 0:
        return vector_of(np.full(1, only, np.int32)), keys, int(only)
    place, more = search(arrays.sets, arrays.start[leaf], arrays.start[leaf + 1] - 1, x)
    return set_at(arrays.sets, place), keys + more, -1


@njit
def stab_all(arrays: HybridSets, xs: Floats, bounds: Ints, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.array_index`."""
    evaluations = 0
    for i in range(len(xs)):
        found, keys, only = _found(arrays, xs[i])
        evaluations += keys + (only >= 0)
        counts[i] = size(found)
        if only >= 0 and not arrays.l[only] <= xs[i] <= arrays.r[only]:
            counts[i] = 0
        if counts[i] > 0 and bounds[i] < bounds[i + 1]:
            ranks = members(found)
            for at in range(len(ranks)):
                out[bounds[i] + at] = arrays.sets.id[ranks[at]]
    return evaluations


class HybridIndex(StaticIndex):
    """All ranges that hold a point: O(log n) evaluations, however much ranges overlap.

    Takes the space of an Interval Index, and a little more.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    smallest
        Clusters of this size are not split further; the paper's *minimum cluster size*.
    """

    arrays: HybridSets
    _stab_all = staticmethod(stab_all)

    def __init__(
        self,
        l: npt.ArrayLike = (),
        r: npt.ArrayLike = (),
        score: npt.ArrayLike | None = None,
        smallest: int = 1,
    ) -> None:
        self._smallest = operator.index(smallest)
        if self._smallest < 1:
            raise ValueError(f"smallest must be at least 1, got {smallest}")
        super().__init__(l, r, score)

    def _built(self, l: Floats, r: Floats, ids: Ids) -> HybridSets:
        tree = cluster_tree(l, r, self._smallest)
        sets = covered_sets(l, r, ids)
        # A key is an end v_i of a range, and its leaf begins with that point, number 2i + 1.
        cuts = 2 * np.searchsorted(sets.value, np.sort(tree.key)) + 1
        start = np.concatenate(([0], np.searchsorted(sets.number, cuts), [sets.number.size]))
        # Ranges per leaf, and the sum of their ranks: of one range, that is its rank.
        steps = np.zeros((2, tree.key.size + 2), np.int64)
        for leaf, sign in ((leaves_of(tree, l), 1), (leaves_of(tree, r) + 1, -1)):
            np.add.at(steps[0], leaf, sign)
            np.add.at(steps[1], leaf, sign * np.arange(l.size))
        count, rank = np.cumsum(steps[:, :-1], axis=1)
        only = np.where(count == 1, rank, -1).astype(np.int32)
        return HybridSets(tree, start.astype(np.int64), only, l, r, sets)

    def candidates(self, x: float) -> BitVector:
        """Ranks of the ranges that may hold a point, as a bit vector; one of several does."""
        found, keys, _ = _found(self.arrays, checked_point(x))
        self._made += keys
        return found

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the index holds: O(members) in interpreted Python."""
        arrays = self.arrays
        sets = arrays.sets
        check_sets(sets, len(self))
        assert arrays.start[0] == 0
        assert arrays.start[-1] == sets.number.size
        edges = [-np.inf, *np.sort(arrays.tree.key).tolist(), np.inf]
        for leaf in range(arrays.tree.key.size + 1):
            cluster = np.flatnonzero((arrays.l < edges[leaf + 1]) & (arrays.r >= edges[leaf]))
            if leaf == arrays.tree.key.size:
                cluster = np.flatnonzero(arrays.r >= edges[leaf])
            assert arrays.only[leaf] == (cluster[0] if cluster.size == 1 else -1)
            places = range(arrays.start[leaf], arrays.start[leaf + 1])
            held = {rank for place in places for rank in members(set_at(sets, place)).tolist()}
            assert sorted(held) == cluster.tolist()
