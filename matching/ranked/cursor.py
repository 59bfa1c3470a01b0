"""Where a ranked walk stands: runs of ranges in the order of ranks, merged by a heap.

A ranked index cuts the ranges that hold a point into runs, each of which gives them best first: the lists on a path
of a segment tree, the R-trees on a path of an IR-tree. The walk keeps the head of each run in a heap and always
leaves with the best; ties cannot be, since no two ranges have one rank. O(log runs) per range beside what the run
takes to find its next one.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit

__all__ = ["EVALUATIONS", "LIVE", "Cursor", "enter", "leave", "new_cursor", "resettle"]

LIVE, EVALUATIONS = range(2)
"""Positions in `Cursor.state`: runs in the heap, and how often the point was held against a key or a range."""


class Cursor(NamedTuple):
    """The arrays of a walk over r runs."""

    x: npt.NDArray[np.float64]
    """(1,): the point."""
    place: npt.NDArray[np.int64]
    """(r,): where in the index a run is: a node."""
    at: npt.NDArray[np.int64]
    """(r,): where the run goes on after its head."""
    key: npt.NDArray[np.float64]
    """(r,): what the head is ranked by, smaller is better: its rank, or its negated score."""
    id: npt.NDArray[np.int64]
    """(r,): the head, or what tells it; breaks ties of keys."""
    heap: npt.NDArray[np.int32]
    """(r,): runs, the best head first; only the first LIVE of them are."""
    state: npt.NDArray[np.int64]
    """(2,): see LIVE and EVALUATIONS."""


@njit
def new_cursor(x: float, runs: int) -> Cursor:
    """A walk without runs yet, with room for some."""
    return Cursor(
        np.full(1, x),
        np.empty(runs, np.int64),
        np.empty(runs, np.int64),
        np.empty(runs, np.float64),
        np.empty(runs, np.int64),
        np.empty(runs, np.int32),
        np.zeros(2, np.int64),
    )


@njit
def _before(cursor: Cursor, a: int, b: int) -> bool:
    key, of = cursor.key, cursor.id
    return bool(key[a] < key[b] or (key[a] == key[b] and of[a] < of[b]))


@njit
def enter(cursor: Cursor, run: int) -> None:
    """Put a run, whose head is set, into the heap."""
    heap = cursor.heap
    child = cursor.state[LIVE]
    cursor.state[LIVE] += 1
    while child > 0 and _before(cursor, run, heap[(child - 1) >> 1]):
        heap[child] = heap[(child - 1) >> 1]
        child = (child - 1) >> 1
    heap[child] = run


@njit
def resettle(cursor: Cursor) -> None:
    """Let the first run of the heap sink to its place after its head has changed."""
    heap, live = cursor.heap, cursor.state[LIVE]
    run = heap[0]
    hole = 0
    while 2 * hole + 1 < live:
        child = 2 * hole + 1
        if child + 1 < live and _before(cursor, heap[child + 1], heap[child]):
            child += 1
        if not _before(cursor, heap[child], run):
            break
        heap[hole] = heap[child]
        hole = child
    heap[hole] = run


@njit
def leave(cursor: Cursor) -> None:
    """Take the first run, which has ended, out of the heap."""
    cursor.state[LIVE] -= 1
    cursor.heap[0] = cursor.heap[cursor.state[LIVE]]
    if cursor.state[LIVE] > 0:
        resettle(cursor)
