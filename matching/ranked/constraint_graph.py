"""The constraint graph of scored ranges, and the arrangement of them that a SOPT-R-tree is built on.

Seed 000, Section 3.2. An edge from I to J says that I ranks above J and that some point of both lies in no range
between them, so I must come first. Ranges are taken in the order of ranks; those seen so far hide each other, and
what is visible from below is a partition of the line into blocks, each with the last range that covers it. The next
range gets an edge from the owner of every block that it meets, and becomes a block itself.

Departures from the printed Algorithm 2, which misses blocks that a closed range meets in one point. A boundary is a
pair (value, side): a left end stands before its value, a right end behind it, so that ranges are half-open intervals
[first, behind) of boundaries and touching ranges overlap. A range inside a block leaves two blocks of one owner, so
an edge can come up twice; it is then kept twice and counted twice, and the bound of 3n edges holds with repetitions:
a range removes all blocks that it meets and leaves at most three, itself and what remains on either side.

The arrangement (Algorithm 1) places, of all ranges whose predecessors are placed, the one with the smallest left end
(ties by rank). O(n log n) for both, with `PositionSet` as ordered set of blocks and as queue.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.range_index import Floats, Ids, Ints
from matching.ranked.position_set import PositionSet, add, at_or_after, at_or_before, discard, new_set

__all__ = ["ConstraintGraph", "arrangement", "constraint_graph"]


class ConstraintGraph(NamedTuple):
    """Edges between ranks, in the order of their heads; one may stand there twice."""

    tail: npt.NDArray[np.int32]
    head: npt.NDArray[np.int32]


def _boundaries(l: Floats, r: Floats) -> tuple[Ids, Ids, int]:
    """First boundary of each range and the one behind it, and the number of boundaries; equal ones are one."""
    n = l.size
    ends = np.concatenate((l, r))
    order = np.argsort(ends, kind="stable")  # left ends before right ends of the same value
    steps = np.ones(2 * n, bool)
    steps[1:] = (ends[order][1:] != ends[order][:-1]) | ((order[1:] >= n) != (order[:-1] >= n))
    boundary = np.empty(2 * n, np.int32)
    boundary[order] = np.cumsum(steps) - 1
    return boundary[:n], boundary[n:], int(steps.sum())


@njit
def _edges(first: Ids, behind: Ids, starts: PositionSet, owner: Ids) -> tuple[Ids, Ids]:
    n = len(first)
    tail = np.empty(3 * n, np.int32)
    head = np.empty(3 * n, np.int32)
    found = 0
    add(starts, 0)
    owner[0] = -1
    for i in range(n):
        a, b = first[i], behind[i]
        block = at_or_before(starts, a)
        last = -1
        while 0 <= block < b:
            last = owner[block]
            if last >= 0:
                tail[found] = last
                head[found] = i
                found += 1
            if block > a:
                discard(starts, block)
            block = at_or_after(starts, block + 1)
        if block != b:
            add(starts, b)
            owner[b] = last
        add(starts, a)
        owner[a] = i
    return tail[:found].copy(), head[:found].copy()


def constraint_graph(l: Floats, r: Floats) -> ConstraintGraph:
    """Edges between ranges given in the order of ranks, at most 3n with repetitions; O(n log n).

    Seed 000, Section 3.2.2 and Lemma 3.4.
    """
    if l.size == 0:
        return ConstraintGraph(np.empty(0, np.int32), np.empty(0, np.int32))
    first, behind, boundaries = _boundaries(l, r)
    return ConstraintGraph(*_edges(first, behind, new_set(boundaries), np.empty(boundaries, np.int32)))


@njit
def _arranged(tail: Ids, head: Ids, by_left: Ids, waiting: PositionSet) -> Ids:
    n = len(by_left)
    indegree = np.zeros(n, np.int32)
    start = np.zeros(n + 1, np.int64)
    for edge in range(len(tail)):
        indegree[head[edge]] += 1
        start[tail[edge] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    filled = start[:-1].copy()
    follower = np.empty(len(tail), np.int32)
    for edge in range(len(tail)):
        follower[filled[tail[edge]]] = head[edge]
        filled[tail[edge]] += 1
    place = np.empty(n, np.int32)
    for position in range(n):
        place[by_left[position]] = position
        if indegree[by_left[position]] == 0:
            add(waiting, position)
    arranged = np.empty(n, np.int32)
    for placed in range(n):
        position = at_or_after(waiting, 0)
        discard(waiting, position)
        i = by_left[position]
        arranged[placed] = i
        for at in range(start[i], start[i + 1]):
            indegree[follower[at]] -= 1
            if indegree[follower[at]] == 0:
                add(waiting, place[follower[at]])
    return arranged


def arrangement(l: Floats, r: Floats) -> Ids:
    """Ranks in an order that respects the constraint graph and keeps neighbours together, seed 000, Algorithm 1."""
    if l.size == 0:
        return np.empty(0, np.int32)
    graph = constraint_graph(l, r)
    by_left: Ints = np.argsort(l, kind="stable")
    return _arranged(graph.tail, graph.head, by_left.astype(np.int32), new_set(l.size))
