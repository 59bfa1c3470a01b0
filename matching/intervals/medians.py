"""The skeleton of an interval tree: medians of ends, each with the ranges that it stabs.

Seed 002, Section 4.1.4, and seed 000, Section 2.1.1. A node's centre is the median of the distinct ends of its
ranges, of d ends the one at place ceil(d / 2); infinite ends count only where there are no others. Ranges that hold
the centre stay at the node, those below it go to the first child and those above it to the second. A child has at
most half the distinct ends, so the depth is O(log n).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.range_index import Floats, Ids, Ints

__all__ = ["Medians", "check_medians", "median_tree"]


class Medians(NamedTuple):
    """The arrays of the skeleton; node 0 is the root, if there is one."""

    centre: npt.NDArray[np.float64]
    """(nodes,)."""
    child: npt.NDArray[np.int32]
    """(nodes, 2): the node of ranges below the centre and that of ranges above it, or -1."""


@njit
def _median(l: Floats, r: Floats, ends: Ids) -> float:
    """The median of the distinct ends, given in order: left end i as i, right end i as ~i."""
    for finite_only in range(1, -1, -1):
        distinct = 0
        for counting in range(1, -1, -1):
            place, previous = 0, np.nan
            for end in ends:
                value = l[end] if end >= 0 else r[~end]
                if value == previous or (finite_only and np.isinf(value)):
                    continue
                previous = value
                place += 1
                if not counting and place == (distinct + 1) // 2:
                    return float(value)
            distinct = place
            if distinct == 0:
                break
    return np.nan


@njit
def _split(l: Floats, r: Floats, ends: Ids) -> tuple[Medians, Ints]:
    """The skeleton over ranges whose ends are given in order, and the node of each range; reorders the ends."""
    n = len(l)
    centre = np.empty(n)
    child = np.full((n, 2), -1, np.int32)
    home = np.empty(n, np.int64)
    above = np.empty(2 * n, np.int32)
    nodes = 0
    pending = [(0, 2 * n, -1, 0)]
    while len(pending) > 0:
        start, stop, parent, side = pending.pop()
        if start == stop:
            continue
        c = _median(l, r, ends[start:stop])
        if parent >= 0:
            child[parent, side] = nodes
        centre[nodes] = c
        low, high = start, 0
        for at in range(start, stop):
            end = ends[at]
            i = end if end >= 0 else ~end
            if r[i] < c:
                ends[low] = end
                low += 1
            elif l[i] > c:
                above[high] = end
                high += 1
            else:
                home[i] = nodes
        for at in range(high):
            ends[low + at] = above[at]
        pending.append((low, low + high, nodes, 1))
        pending.append((start, low, nodes, 0))
        nodes += 1
    return Medians(centre[:nodes].copy(), child[:nodes].copy()), home


def median_tree(l: Floats, r: Floats) -> tuple[Medians, Ints]:
    """The skeleton over ranges, and the node of each of them; O(n log n)."""
    ends = np.concatenate((np.arange(l.size), ~np.arange(l.size))).astype(np.int32)
    order = np.argsort(np.concatenate((l, r)), kind="stable")
    medians, home = _split(l, r, ends[order])
    return medians, home


def check_medians(centre: Floats, child: npt.NDArray[np.int32], homes: list[tuple[Floats, Floats]]) -> None:
    """Raise AssertionError unless nodes form a tree in which the ranges of each hold its centre and lie on its side.

    `homes` has the ends of the ranges of every node.
    """
    pending = [(0, -np.inf, np.inf)] if centre.size else []
    seen = 0
    while pending:
        node, low, high = pending.pop()
        seen += 1
        l, r = homes[node]
        c = centre[node]
        assert low <= c <= high
        assert ((l <= c) & (c <= r)).all()
        assert seen == 1 or (low < l).all() or low == -np.inf
        assert seen == 1 or (r < high).all() or high == np.inf
        if child[node, 0] >= 0:
            pending.append((int(child[node, 0]), low, c))
        if child[node, 1] >= 0:
            pending.append((int(child[node, 1]), c, high))
    assert seen == centre.size
