"""The Cluster Index: the line cut by keys into pieces, each with the set of ranges that meet it. Static.

Seed 002, Section 4.1.1; `matching.intervals.cluster_tree` chooses the keys. A leaf's set says which ranges may hold a
point, so each of them is tested afterwards.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.array_index import StaticIndex
from matching.intervals.bit_vectors import BitVector, BitVectors, consecutive_vectors, members, vector
from matching.intervals.cluster_tree import ClusterTree, cluster_tree, leaf_of, leaves_of
from matching.range_index import Floats, Ids, Ints, checked_point

__all__ = ["ClusterIndex", "Clusters"]


class Clusters(NamedTuple):
    """The arrays of the index."""

    tree: ClusterTree
    meeting: BitVectors
    """A set per leaf."""
    l: npt.NDArray[np.float64]
    r: npt.NDArray[np.float64]
    """(n,): ends by rank."""
    id: npt.NDArray[np.int32]
    """(n,): ids by rank."""


@njit
def _cluster(clusters: Clusters, x: float) -> tuple[BitVector, int]:
    leaf, keys = leaf_of(clusters.tree, x)
    return vector(clusters.meeting, leaf), keys


@njit
def stab_all(clusters: Clusters, xs: Floats, bounds: Ints, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.array_index`."""
    evaluations = 0
    for i in range(len(xs)):
        cluster, keys = _cluster(clusters, xs[i])
        ranks = members(cluster)
        evaluations += keys + len(ranks)
        found, room = bounds[i], bounds[i + 1]
        counts[i] = 0
        for rank in ranks:
            if clusters.l[rank] <= xs[i] <= clusters.r[rank]:
                counts[i] += 1
                if found < room:
                    out[found] = clusters.id[rank]
                    found += 1
    return evaluations


class ClusterIndex(StaticIndex):
    """All ranges that hold a point: O(log n) evaluations where few ranges overlap, and O(n) where all do.

    The sets of the leaves take up to 12 bytes per range and leaf that it meets, quadratic in n at worst.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    """

    arrays: Clusters
    _stab_all = staticmethod(stab_all)

    def _built(self, l: Floats, r: Floats, ids: Ids) -> Clusters:
        tree = cluster_tree(l, r, 1)
        sets = consecutive_vectors(leaves_of(tree, l), leaves_of(tree, r), tree.key.size + 1)
        return Clusters(tree, sets, l, r, ids)

    def candidates(self, x: float) -> BitVector:
        """Ranks of the ranges that may hold a point, as a bit vector."""
        cluster, keys = _cluster(self.arrays, checked_point(x))
        self._made += keys
        return cluster

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the index holds: O(members) in interpreted Python."""
        clusters = self.arrays
        tree = clusters.tree
        assert sorted(clusters.id.tolist()) == list(range(len(self)))
        leaves = []

        def descend(node: int, ranks: list[int]) -> None:
            if node < 0:
                leaves.append(~node)
                assert members(vector(clusters.meeting, ~node)).tolist() == ranks
                assert len(ranks) < 2 or clusters.l[ranks].max() <= clusters.r[ranks].min()
                return
            key = tree.key[node]
            left = [rank for rank in ranks if clusters.l[rank] < key]
            right = [rank for rank in ranks if clusters.r[rank] >= key]
            assert len(left) < len(ranks) > len(right)
            for side, there in enumerate((left, right)):
                descend(int(tree.child[node, side]), there)

        descend(0 if tree.key.size else ~0, list(range(len(self))))
        assert leaves == list(range(tree.key.size + 1))
