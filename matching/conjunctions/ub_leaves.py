"""Leaves of a UB-tree: runs of points along the Z-curve, found by their first point; insertion splits full ones.

Seed 004, Section 3.1. Its inner nodes have fan-out 4, "because binary search is fastest in main memory": here they
are one sorted array of the leaves' bounds, which is bisected. A leaf holds the points from its bound to the next
one's, in any order, at most CAPACITY of them in a block of that size. Points that are equal may be in several leaves,
so the first leaf that may hold a point is the last one whose bound is before it.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.codes import Points
from matching.conjunctions.grid_tables import Cells
from matching.conjunctions.z_order import interleaved, point_of_key, words_of, z_less
from matching.range_index import Ids, Ints

__all__ = [
    "CAPACITY",
    "LEAVES",
    "Leaves",
    "insert_points",
    "loaded",
    "read_point",
    "remove_points",
    "search",
    "with_room",
]

CAPACITY = 700
LOADED = 630
"""Points of a leaf when the tree is built."""
LEAVES = 0
"""Place in `state` of how many leaves, and blocks, are in use."""


class Leaves(NamedTuple):
    """The arrays of a UB-tree of L leaves, with room for more."""

    bound: npt.NDArray[np.uint16]
    """(leaves, dimensions): no point of a leaf is before it; ascending along the curve, from the origin."""
    block: npt.NDArray[np.int32]
    """(leaves,): block of a leaf; entry i of block b is at b CAPACITY + i."""
    size: npt.NDArray[np.int32]
    """(blocks,): entries of a block."""
    point: npt.NDArray[np.uint16]
    """(entries, dimensions): coordinates; without rows if keys are kept instead."""
    key: npt.NDArray[np.uint64]
    """(entries, words): Z-addresses; without rows if coordinates are kept instead."""
    cell: npt.NDArray[np.uint16]
    """(entries, tables): cells of the grid tables; without columns if there are none."""
    id: npt.NDArray[np.int32]
    """(entries,): ids."""
    state: npt.NDArray[np.int64]


def _empty(blocks: int, dimensions: int, tables: int, *, coordinates: bool) -> Leaves:
    entries = blocks * CAPACITY
    return Leaves(
        np.zeros((blocks, dimensions), np.uint16),
        np.zeros(blocks, np.int32),
        np.zeros(blocks, np.int32),
        np.empty((entries if coordinates else 0, dimensions), np.uint16),
        np.empty((0 if coordinates else entries, words_of(dimensions)), np.uint64),
        np.empty((entries, tables), np.uint16),
        np.empty(entries, np.int32),
        np.zeros(1, np.int64),
    )


def loaded(points: Points, cells: Cells, ids: Ids, *, coordinates: bool) -> Leaves:
    """Leaves of points that are given in the order of the curve: O(n)."""
    blocks = max(-(-len(ids) // LOADED), 1)
    leaves = _empty(blocks, points.shape[1], cells.shape[1], coordinates=coordinates)
    place = np.arange(len(ids))
    place = place // LOADED * CAPACITY + place % LOADED
    if coordinates:
        leaves.point[place] = points
    else:
        leaves.key[place] = interleaved(points)
    leaves.cell[place], leaves.id[place] = cells, ids
    leaves.size[:] = np.minimum(len(ids) - np.arange(blocks) * LOADED, LOADED)
    leaves.block[:] = np.arange(blocks)
    leaves.bound[1:] = points[LOADED::LOADED]
    leaves.state[LEAVES] = blocks
    return leaves


def with_room(leaves: Leaves) -> Leaves:
    """The same leaves with room for twice as many."""
    used = len(leaves.block)
    dimensions, tables = leaves.bound.shape[1], leaves.cell.shape[1]
    wider = _empty(2 * used, dimensions, tables, coordinates=len(leaves.point) > 0)
    columns: list[tuple[Any, Any]] = list(zip(leaves, wider, strict=True))
    for old, new in columns:
        new[: len(old)] = old
    return wider


@njit
def read_point(leaves: Leaves, entry: int, point: Points) -> None:
    """Write the coordinates of an entry."""
    if len(leaves.point) > 0:
        point[:] = leaves.point[entry]
    else:
        point_of_key(leaves.key[entry], point)


@njit
def search(leaves: Leaves, first: int, point: Points, behind_equal: bool) -> int:
    """The last leaf from `first` on whose bound is before a point, or, `behind_equal`, equal to it; else `first`."""
    low, high = first, leaves.state[LEAVES] - 1
    while low < high:
        middle = (low + high + 1) >> 1
        bound = leaves.bound[middle]
        before = not z_less(point, bound) if behind_equal else z_less(bound, point)
        if before:
            low = middle
        else:
            high = middle - 1
    return low


@njit
def _sorted_entries(leaves: Leaves, start: int, count: int) -> Ints:
    """Entries of a block along the curve, by merging runs."""
    dimensions = leaves.bound.shape[1]
    points = np.empty((count, dimensions), np.uint16)
    for i in range(count):
        read_point(leaves, start + i, points[i])
    order, other = np.arange(count), np.empty(count, np.int64)
    width = 1
    while width < count:
        for run in range(0, count, 2 * width):
            middle, behind = min(run + width, count), min(run + 2 * width, count)
            a, b = run, middle
            for out in range(run, behind):
                if a < middle and (b >= behind or not z_less(points[order[b]], points[order[a]])):
                    other[out] = order[a]
                    a += 1
                else:
                    other[out] = order[b]
                    b += 1
        order, other = other, order
        width *= 2
    return order


@njit
def _move(leaves: Leaves, source: int, target: int, place: Ids) -> None:
    """Copy an entry to another place."""
    if len(leaves.point) > 0:
        leaves.point[target] = leaves.point[source]
    else:
        leaves.key[target] = leaves.key[source]
    leaves.cell[target] = leaves.cell[source]
    leaves.id[target] = leaves.id[source]
    place[leaves.id[target]] = target


@njit
def _split(leaves: Leaves, leaf: int, place: Ids) -> None:
    """Move the half of a full leaf that is later on the curve to a new one behind it."""
    old, new = leaves.block[leaf], leaves.state[LEAVES]
    start = old * CAPACITY
    order = _sorted_entries(leaves, start, CAPACITY)
    half = CAPACITY // 2
    for i in range(half, CAPACITY):
        _move(leaves, start + order[i], new * CAPACITY + i - half, place)
    moved = np.zeros(CAPACITY, np.bool_)
    moved[order[half:]] = True
    filled = 0
    for i in range(CAPACITY):
        if not moved[i]:
            if filled < i:
                _move(leaves, start + i, start + filled, place)
            filled += 1
    leaves.size[old], leaves.size[new] = half, CAPACITY - half
    for later in range(leaves.state[LEAVES], leaf + 1, -1):
        leaves.bound[later] = leaves.bound[later - 1]
        leaves.block[later] = leaves.block[later - 1]
    leaves.block[leaf + 1] = new
    read_point(leaves, new * CAPACITY, leaves.bound[leaf + 1])
    leaves.state[LEAVES] += 1


@njit
def insert_points(leaves: Leaves, points: Points, cells: Cells, ids: Ids, done: int, place: Ids) -> int:
    """Insert points from the `done`-th on; how many are done when there is no room for another leaf, or all."""
    keys = np.empty((0, 0), np.uint64)
    if len(leaves.point) == 0:
        keys = interleaved(points)
    while done < len(ids):
        leaf = search(leaves, 0, points[done], True)
        if leaves.size[leaves.block[leaf]] == CAPACITY:
            if leaves.state[LEAVES] == len(leaves.block):
                return done
            _split(leaves, leaf, place)
            continue
        block = leaves.block[leaf]
        entry = block * CAPACITY + leaves.size[block]
        leaves.size[block] += 1
        if len(leaves.point) > 0:
            leaves.point[entry] = points[done]
        else:
            leaves.key[entry] = keys[done]
        leaves.cell[entry] = cells[done]
        leaves.id[entry] = ids[done]
        place[ids[done]] = entry
        done += 1
    return done


@njit
def remove_points(leaves: Leaves, ids: Ints, place: Ids) -> None:
    """Remove points; a leaf may become empty and stays, its bound with it."""
    for i in ids:
        entry = place[i]
        block = entry // CAPACITY
        leaves.size[block] -= 1
        last = block * CAPACITY + leaves.size[block]
        if entry < last:
            _move(leaves, last, entry, place)
        place[i] = -1
