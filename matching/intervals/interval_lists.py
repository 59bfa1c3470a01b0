"""The lists of an interval tree, sorted by ends: their arrays and the search.

Seed 002, Section 4.1.4, and seed 000, Section 2.1.1. Each node of the skeleton (`matching.intervals.medians`) keeps
its ranges twice: by left end ascending and by right end descending. For a point below the centre, those that hold it
are the first ones by left end, above it the first ones by right end, and at it all of them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.intervals.medians import check_medians, median_tree
from matching.range_index import Floats, Ids, Ints

__all__ = ["IntervalLists", "check_intervals", "interval_lists", "stab_all", "stabbed"]


class IntervalLists(NamedTuple):
    """The arrays of the tree."""

    centre: npt.NDArray[np.float64]
    child: npt.NDArray[np.int32]
    """Fields of `Medians`."""
    offset: npt.NDArray[np.int64]
    """(nodes + 1,): where the ranges of a node start, in both orders."""
    left: npt.NDArray[np.float64]
    """(n,): left ends of each node's ranges, ascending."""
    by_left: npt.NDArray[np.int32]
    """(n,): ranks of these ranges."""
    right: npt.NDArray[np.float64]
    """(n,): right ends of each node's ranges, descending."""
    by_right: npt.NDArray[np.int32]
    """(n,): ranks of these ranges."""
    id: npt.NDArray[np.int32]
    """(n,): ids by rank."""


def interval_lists(l: Floats, r: Floats, ids: Ids) -> IntervalLists:
    """The tree over ranges in the order of ranks; O(n log n)."""
    medians, home = median_tree(l, r)
    offset = np.append(0, np.cumsum(np.bincount(home, minlength=medians.centre.size)))
    by_left, by_right = np.lexsort((l, home)), np.lexsort((-r, home))
    return IntervalLists(
        *medians,
        offset.astype(np.int64),
        l[by_left],
        by_left.astype(np.int32),
        r[by_right],
        by_right.astype(np.int32),
        ids,
    )


@njit
def stabbed(tree: IntervalLists, x: float, out: Ids) -> tuple[int, int]:
    """Ranks of the ranges that hold a point, as far as there is room; their number, and keys and entries tested."""
    found, tests = 0, 0
    node = 0 if len(tree.centre) else -1
    while node >= 0:
        tests += 1
        side = int(x > tree.centre[node])
        here = x == tree.centre[node]
        for at in range(tree.offset[node], tree.offset[node + 1]):
            if not here:
                tests += 1
                if tree.right[at] < x if side else tree.left[at] > x:
                    break
            if found < len(out):
                out[found] = tree.by_right[at] if side else tree.by_left[at]
            found += 1
        if here:
            break
        node = tree.child[node, side]
    return found, tests


@njit
def stab_all(tree: IntervalLists, xs: Floats, bounds: Ints, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.array_index`."""
    evaluations = 0
    for i in range(len(xs)):
        ranks = np.empty(bounds[i + 1] - bounds[i], np.int32)
        counts[i], tests = stabbed(tree, xs[i], ranks)
        evaluations += tests
        ranks.sort()
        for at in range(len(ranks)):
            out[bounds[i] + at] = tree.id[ranks[at]]
    return evaluations


def check_intervals(tree: IntervalLists, n: int) -> None:
    """Raise AssertionError unless every invariant of the tree holds."""
    assert tree.offset[-1] == n
    for ranks in (tree.by_left, tree.by_right, tree.id):
        assert sorted(ranks.tolist()) == list(range(n))
    l, r = np.empty(n), np.empty(n)
    l[tree.by_left], r[tree.by_right] = tree.left, tree.right
    homes = []
    for node in range(tree.centre.size):
        here = slice(tree.offset[node], tree.offset[node + 1])
        assert here.start < here.stop
        assert sorted(tree.by_left[here].tolist()) == sorted(tree.by_right[here].tolist())
        assert (tree.left[here][1:] >= tree.left[here][:-1]).all()
        assert (tree.right[here][1:] <= tree.right[here][:-1]).all()
        homes.append((tree.left[here], r[tree.by_left[here]]))
    check_medians(tree.centre, tree.child, homes)
