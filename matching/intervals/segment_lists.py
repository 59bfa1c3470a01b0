"""The lists of a segment tree, in the order of ranks: their arrays, and the paths that points take.

Seed 002, Section 4.1.4, and seed 000, Section 2.1.2. A balanced tree over elementary intervals; a range stands in the
lists of the fewest nodes that tile it, at most two per level. A point lies in all nodes of one path, and every range
in a list of the path holds it. Lists are filled in the order of ranks, so the unscored tree of seed 002 and the
scored one of seed 000 are the same arrays.

Seed 000 takes closed segments between neighbouring ends, which overlap in their ends; points and open gaps do not.
Nodes are numbered as in a heap: node 1 is the root, node j has the children 2j and 2j + 1, elementary interval i is
the leaf `leaves` + i, and `leaves` is a power of two.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.intervals.elementary import elementary_number, elementary_runs
from matching.range_index import Floats, Ids, Ints

__all__ = ["SegmentLists", "check_segments", "leaf_at", "segment_lists", "stab_all", "stabbed"]


class SegmentLists(NamedTuple):
    """The arrays of the tree."""

    value: npt.NDArray[np.float64]
    """(m,): distinct ends of ranges."""
    offset: npt.NDArray[np.int64]
    """(2 * leaves + 1,): where the list of a node starts."""
    rank: npt.NDArray[np.int32]
    """(entries,): ranks, ascending in each list."""
    id: npt.NDArray[np.int32]
    """(n,): ids by rank."""


@njit
def _tiled(first: Ints, last: Ints, leaves: int) -> tuple[Ints, Ids]:
    """Lists of ranks by node: in the first round they are counted, in the second one filled."""
    offset = np.zeros(2 * leaves + 1, np.int64)
    rank = np.empty(0, np.int32)
    filled = offset
    for filling in range(2):
        for i in range(len(first)):
            low, behind = leaves + first[i], leaves + last[i] + 1
            while low < behind:
                if low & 1:
                    if filling:
                        rank[filled[low]] = i
                        filled[low] += 1
                    else:
                        offset[low + 1] += 1
                    low += 1
                if behind & 1:
                    behind -= 1
                    if filling:
                        rank[filled[behind]] = i
                        filled[behind] += 1
                    else:
                        offset[behind + 1] += 1
                low >>= 1
                behind >>= 1
        if not filling:
            for node in range(2 * leaves):
                offset[node + 1] += offset[node]
            filled = offset.copy()
            rank = np.empty(offset[-1], np.int32)
    return offset, rank


def segment_lists(l: Floats, r: Floats, ids: Ids) -> SegmentLists:
    """The tree over ranges in the order of ranks; O(n log n) in time and space."""
    value, first, last = elementary_runs(l, r)
    leaves = 1 << (2 * value.size).bit_length()
    return SegmentLists(value, *_tiled(first, last, leaves), ids)


@njit
def leaf_at(tree: SegmentLists, x: float) -> int:
    """The leaf whose path a point takes: the node itself, half of it and so on to 1."""
    return len(tree.offset) // 2 + elementary_number(tree.value, x)


@njit
def stabbed(tree: SegmentLists, x: float) -> tuple[Ids, int]:
    """Ranks of the ranges that hold a point, ascending, and the nodes visited."""
    nodes, found = 0, 0
    node = leaf_at(tree, x)
    while node > 0:
        found += tree.offset[node + 1] - tree.offset[node]
        nodes += 1
        node >>= 1
    ranks = np.empty(found, np.int32)
    found = 0
    node = leaf_at(tree, x)
    while node > 0:
        for at in range(tree.offset[node], tree.offset[node + 1]):
            ranks[found] = tree.rank[at]
            found += 1
        node >>= 1
    ranks.sort()
    return ranks, nodes


@njit
def stab_all(tree: SegmentLists, xs: Floats, bounds: Ints, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.array_index`."""
    evaluations = 0
    for i in range(len(xs)):
        if bounds[i] < bounds[i + 1]:
            ranks, nodes = stabbed(tree, xs[i])
            counts[i] = len(ranks)
            for at in range(len(ranks)):
                out[bounds[i] + at] = tree.id[ranks[at]]
        else:
            counts[i], nodes = 0, 0
            node = leaf_at(tree, xs[i])
            while node > 0:
                counts[i] += tree.offset[node + 1] - tree.offset[node]
                nodes += 1
                node >>= 1
        evaluations += nodes
    return evaluations


def check_segments(tree: SegmentLists, n: int) -> None:
    """Raise AssertionError unless every range is tiled by its nodes, of which no two are siblings."""
    leaves = len(tree.offset) // 2
    assert (np.diff(tree.value) > 0).all()
    assert 2 * tree.value.size + 1 <= leaves
    assert sorted(tree.id.tolist()) == list(range(n))
    nodes: dict[int, set[int]] = {}
    for node in range(1, 2 * leaves):
        ranks = tree.rank[tree.offset[node] : tree.offset[node + 1]]
        assert (np.diff(ranks) > 0).all()
        for rank in ranks.tolist():
            nodes.setdefault(rank, set()).add(node)
    assert sorted(nodes) == list(range(n))
    for own in nodes.values():
        assert not any(node ^ 1 in own for node in own if node > 1)
        spans = []
        for node in own:
            width = leaves >> (node.bit_length() - 1)
            first = node * width - leaves
            spans.append((first, first + width))
        spans.sort()
        assert all(a[1] == b[0] for a, b in pairwise(spans))
        assert spans[0][0] % 2 == 1
        assert (spans[-1][1] - 1) % 2 == 1
