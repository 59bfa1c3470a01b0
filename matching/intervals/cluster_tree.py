"""The keys of the Cluster Index: a tree that cuts the line where few ranges go both ways.

Seed 002, Section 4.1.1. A key v sends the ranges with l < v to the left and those with r >= v to the right, those
that do both to either side. The cost of a key is the difference of the two numbers and the number of ranges that go
both ways. Candidates are the distinct ends of the cluster's ranges, looked at by bisection: from the middle one into
the half where more ranges are, and the cheapest key that was seen is taken.

A key splits when neither side gets all ranges, which is when min r < v <= max l. Bisection finds one if there is one:
at v <= min r all ranges go right and not all go left, at v > max l the other way round, so it moves towards that run
of ends until it is in it. So a cluster is a leaf if and only if its ranges have a point in common, or it is small
enough.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.range_index import Floats, Ints

__all__ = ["ClusterTree", "cluster_tree", "leaf_of", "leaves_of"]


class ClusterTree(NamedTuple):
    """The arrays of the tree; leaves are numbered along the line. Without a node there is one leaf."""

    key: npt.NDArray[np.float64]
    """(nodes,): points below go to the first child, others to the second."""
    child: npt.NDArray[np.int32]
    """(nodes, 2): a node, or ~leaf."""


@njit
def _best_key(l: Floats, r: Floats) -> float:
    """The cheapest of the keys that bisection looks at, for ranges that have no point in common."""
    n = len(l)
    l, r = np.sort(l), np.sort(r)
    ends = np.unique(np.concatenate((l, r)))
    low, high = 0, len(ends) - 1
    key, least = ends[0], 3 * n
    while low <= high:
        middle = (low + high) // 2
        left = int(np.searchsorted(l, ends[middle]))
        right = n - int(np.searchsorted(r, ends[middle]))
        cost = abs(left - right) + left + right - n
        if left < n and right < n and cost < least:
            key, least = ends[middle], cost
        if right > left:
            low = middle + 1
        else:
            high = middle - 1
    return float(key)


@njit
def cluster_tree(l: Floats, r: Floats, smallest: int) -> ClusterTree:
    """Split ranges until a cluster has `smallest` of them or they have a point in common."""
    key = [0.0 for _ in range(0)]
    children = [(0, 0) for _ in range(0)]
    leaves = 0
    pending = [(-1, 0, np.arange(len(l)))]
    while len(pending) > 0:
        parent, side, ranks = pending.pop()
        own_l, own_r = l[ranks], r[ranks]
        split = len(ranks) > max(smallest, 1) and own_r.min() < own_l.max()
        here = len(key) if split else ~leaves
        if parent >= 0:
            first, second = children[parent]
            children[parent] = (here, second) if side == 0 else (first, here)
        if not split:
            leaves += 1
            continue
        v = _best_key(own_l, own_r)
        key.append(v)
        children.append((0, 0))
        pending.append((here, 1, ranks[own_r >= v]))
        pending.append((here, 0, ranks[own_l < v]))
    child = np.empty((len(key), 2), np.int32)
    for node in range(len(key)):
        child[node, 0], child[node, 1] = children[node]
    return ClusterTree(np.array(key), child)


@njit
def leaf_of(tree: ClusterTree, x: float) -> tuple[int, int]:
    """The leaf that holds a point, and the keys looked at."""
    node, keys = 0 if len(tree.key) else ~0, 0
    while node >= 0:
        keys += 1
        node = tree.child[node, int(x >= tree.key[node])]
    return ~node, keys


@njit
def leaves_of(tree: ClusterTree, xs: Floats) -> Ints:
    """The leaves that hold points."""
    leaves = np.empty(len(xs), np.int64)
    for i in range(len(xs)):
        leaves[i] = leaf_of(tree, xs[i])[0]
    return leaves
