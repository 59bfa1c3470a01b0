"""The default object index: an array min-tree ("tournament") over the objects in x order.

The paper's indexes answer each min_y from scratch. The sweep has more structure than that: the influence interval
only shrinks, and the objects in it that rank above i are exactly the lists that first_k finds. They cut the
interval into at most 2k + 2 gaps, and climbing the tree from one list member to the next passes every other object
of the gap between them, so first_k knows the least y of each gap for free. The gap with the least y then yields the
next exposed object, which splits it in two: O((k + v)(k + log n)) for an event that exposes v objects, the k in the
second factor being a scan of the gaps as long as the list of tiles it leads to, instead of v searches of the whole
index.

Objects sit in `size` slots, a power of two, in (x, id) order with free slots between them. Node 1 is the root, the
children of node j are 2j and 2j + 1, slot s is the leaf size + s; a node holds the least (y, id) of its subtree. A
free slot holds (+inf, NOBODY). An insertion takes a free slot at its place, or spreads the objects of the smallest
aligned window that is not too full (a packed memory array, O(log^2 n) amortised); a full array is doubled.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from paint.sweep import EAST, WEST, Sweep

__all__ = [
    "FULLEST",
    "NOBODY",
    "Tournament",
    "fill",
    "first_k",
    "min_y",
    "next_exposed",
    "open_sweep",
    "place",
    "set_leaf",
    "update",
]

NOBODY = np.iinfo(np.int32).max
FULLEST = 0.75


class Tournament(NamedTuple):
    """The flat arrays of the index; `size` slots, room for c object ids.

    Attributes
    ----------
    x, y : float64 array of c
        Values by object id; y is +inf for an id that is not in the index.
    slot : int64 array of c
        Slot of each object, -1 for an id that is not in the index.
    node_y, node_id : float64 and int32 array of 2 * size
        The least (y, id) under each node.
    slot_x, slot_id : float64 and int32 array of size
        Search keys: nondecreasing over the slots in (x, id), and the object's own in a slot that is taken.
    gap_y : float64 array of shape (size, 3)
        The gaps of the sweep: least y, least and largest search key in x.
    gap : int64 array of shape (size, 3)
        The object with that y, the first and the last slot of the gap. Gaps are disjoint, so `size` is room enough.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    slot: NDArray[np.int64]
    node_y: NDArray[np.float64]
    node_id: NDArray[np.int32]
    slot_x: NDArray[np.float64]
    slot_id: NDArray[np.int32]
    gap_y: NDArray[np.float64]
    gap: NDArray[np.int64]


@njit_inner
def _below(y_1: float, id_1: int, y_2: float, id_2: int) -> bool:
    return y_1 < y_2 or (y_1 == y_2 and id_1 < id_2)


@njit_inner
def set_leaf(arrays: Tournament, slot: int, y: float, i: int) -> None:
    """Write a leaf and play its matches again up to the first node that does not change; O(log n)."""
    node_y, node_id = arrays.node_y, arrays.node_id
    node = len(arrays.slot_x) + slot
    node_y[node] = y
    node_id[node] = i
    while node > 1:
        rival = node ^ 1
        best = rival if _below(node_y[rival], node_id[rival], node_y[node], node_id[node]) else node
        node >>= 1
        if node_y[node] == node_y[best] and node_id[node] == node_id[best]:
            return
        node_y[node] = node_y[best]
        node_id[node] = node_id[best]


@njit
def update(arrays: Tournament, i: int, y: float) -> None:
    """Give object i a new y; O(log n)."""
    arrays.y[i] = y
    set_leaf(arrays, arrays.slot[i], y, i)


@njit_inner
def _next_above_rank(arrays: Tournament, node: int, west: int, y: float, i: int) -> tuple[int, float, int]:
    """Find the nearest leaf west (1) or east (0) with a key below (y, i), and the least key passed on the way.

    Returns the leaf (0 if there is none), and the y and id of that least key; O(log of the distance) typically.
    """
    node_y, node_id = arrays.node_y, arrays.node_id
    size = len(arrays.slot_x)
    gap_y, gap_id = np.inf, NOBODY
    while node > 1:
        if node & 1 == west:
            near = node ^ 1
            if _below(node_y[near], node_id[near], y, i):
                while near < size:
                    near = 2 * near + west
                    if not _below(node_y[near], node_id[near], y, i):
                        if _below(node_y[near], node_id[near], gap_y, gap_id):
                            gap_y, gap_id = node_y[near], node_id[near]
                        near ^= 1
                return near, gap_y, gap_id
            if _below(node_y[near], node_id[near], gap_y, gap_id):
                gap_y, gap_id = node_y[near], node_id[near]
        node >>= 1
    return 0, gap_y, gap_id


@njit
def first_k(arrays: Tournament, i: int, y: float, west: bool, k: int, out: NDArray[np.int64]) -> int:
    """List the first k objects west or east of object i whose (y, id) is below (y, i), nearest first; O(k log n)."""
    side = 1 if west else 0
    node = len(arrays.slot_x) + arrays.slot[i]
    for count in range(k):
        node, _, _ = _next_above_rank(arrays, node, side, y, i)
        if node == 0:
            return count
        out[count] = arrays.node_id[node]
    return k


@njit_inner
def _best(arrays: Tournament, first: int, last: int) -> tuple[float, int]:
    """Find the least (y, id) in the slots `first` to `last`; O(log of their number)."""
    node_y, node_id = arrays.node_y, arrays.node_id
    y, i = np.inf, NOBODY
    low = first + len(arrays.slot_x)
    high = last + 1 + len(arrays.slot_x)
    while low < high:
        if low & 1:
            if _below(node_y[low], node_id[low], y, i):
                y, i = node_y[low], node_id[low]
            low += 1
        if high & 1:
            high -= 1
            if _below(node_y[high], node_id[high], y, i):
                y, i = node_y[high], node_id[high]
        low >>= 1
        high >>= 1
    return y, i


@njit_inner
def _add_gap(arrays: Tournament, sweep: Sweep, y: float, i: int, first: int, last: int) -> None:
    """Add the gap of slots `first` to `last`, unless its best object (y, i) lies at or above the end of the sweep."""
    if not _below(y, i, sweep.ys[1], sweep.counts[3]):
        return
    at = sweep.counts[4]
    sweep.counts[4] = at + 1
    arrays.gap_y[at, 0] = y
    arrays.gap_y[at, 1] = arrays.slot_x[first]
    arrays.gap_y[at, 2] = arrays.slot_x[last]
    arrays.gap[at, 0] = i
    arrays.gap[at, 1] = first
    arrays.gap[at, 2] = last


@njit_inner
def _drop_gap(arrays: Tournament, sweep: Sweep, at: int) -> None:
    """Take a gap out; the last one fills its place."""
    end = sweep.counts[4] - 1
    sweep.counts[4] = end
    for field in range(3):
        arrays.gap_y[at, field] = arrays.gap_y[end, field]
        arrays.gap[at, field] = arrays.gap[end, field]


@njit
def open_sweep(arrays: Tournament, sweep: Sweep, i: int, y: float, k: int) -> None:
    """Start the sweep of object i from its y in the index up to `y`: the lists and the gaps; O(k log n)."""
    size = len(arrays.slot_x)
    old = arrays.y[i]
    sweep.ys[0] = old
    sweep.ys[1] = y
    sweep.counts[2] = i
    sweep.counts[3] = i
    sweep.counts[4] = 0
    for side in (WEST, EAST):
        west = 1 if side == WEST else 0
        node = size + arrays.slot[i]
        count = 0
        while count < k:
            before = node - size
            node, gap_y, gap_id = _next_above_rank(arrays, node, west, old, i)
            if node == 0:
                if west:
                    _add_gap(arrays, sweep, gap_y, gap_id, 0, before - 1)
                else:
                    _add_gap(arrays, sweep, gap_y, gap_id, before + 1, size - 1)
                break
            if west:
                _add_gap(arrays, sweep, gap_y, gap_id, node - size + 1, before - 1)
            else:
                _add_gap(arrays, sweep, gap_y, gap_id, before + 1, node - size - 1)
            sweep.ids[side, count] = arrays.node_id[node]
            sweep.xs[side, count] = arrays.slot_x[node - size]
            count += 1
        sweep.counts[side] = count


@njit
def next_exposed(arrays: Tournament, sweep: Sweep, left: float, right: float) -> int:
    """Find the next object of the sweep with left < x < right, or -1; the interval may only shrink.

    Drops the gaps outside the interval and splits the one with the least object; O(k + log n). One loop and no calls
    but small ones: Numba counts references to every array at a call that LLVM does not inline.
    """
    gap_y, gap = arrays.gap_y, arrays.gap
    found = -1
    while found < 0 and sweep.counts[4] > 0:
        lowest, lowest_y, lowest_id = -1, np.inf, NOBODY
        at = 0
        while at < sweep.counts[4]:
            if gap_y[at, 2] <= left or gap_y[at, 1] >= right:
                _drop_gap(arrays, sweep, at)
            else:
                if _below(gap_y[at, 0], gap[at, 0], lowest_y, lowest_id):
                    lowest, lowest_y, lowest_id = at, gap_y[at, 0], gap[at, 0]
                at += 1
        if lowest >= 0:
            h, first, last = gap[lowest, 0], gap[lowest, 1], gap[lowest, 2]
            _drop_gap(arrays, sweep, lowest)
            slot = arrays.slot[h]
            x = arrays.slot_x[slot]
            if x > left and slot > first:
                y, i = _best(arrays, first, slot - 1)
                _add_gap(arrays, sweep, y, i, first, slot - 1)
            if x < right and slot < last:
                y, i = _best(arrays, slot + 1, last)
                _add_gap(arrays, sweep, y, i, slot + 1, last)
            if left < x < right:
                found = h
                sweep.ys[0] = lowest_y
                sweep.ys[2] = x
                sweep.counts[2] = h
    return found


@njit
def min_y(arrays: Tournament, left: float, right: float, y: float, i: int) -> int:
    """Find the object with the least (y, id) above (y, i) among those with left < x < right, or -1.

    O((s + 1) log n) with s objects at or below (y, i) in the interval; s <= 2k + 1 in an influence interval.
    """
    node_y, node_id = arrays.node_y, arrays.node_id
    size = len(arrays.slot_x)
    first = np.searchsorted(arrays.slot_x, left, side="right")
    last = np.searchsorted(arrays.slot_x, right, side="left") - 1
    best_y, best_id = np.inf, NOBODY
    stack = np.empty(192, np.int64)
    depth = 0
    low, high = first + size, last + 1 + size
    while low < high:
        if low & 1:
            stack[depth] = low
            depth += 1
            low += 1
        if high & 1:
            high -= 1
            stack[depth] = high
            depth += 1
        low >>= 1
        high >>= 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if not _below(node_y[node], node_id[node], best_y, best_id):
            continue
        if _below(y, i, node_y[node], node_id[node]):
            best_y, best_id = node_y[node], node_id[node]
        elif node < size:
            stack[depth] = 2 * node
            stack[depth + 1] = 2 * node + 1
            depth += 2
    return best_id if best_id != NOBODY else -1


@njit
def fill(arrays: Tournament, ids: NDArray[np.int32], first: int, width: int) -> None:
    """Spread objects given in (x, id) order evenly over a window and play the matches in it; O(width)."""
    size = len(arrays.slot_x)
    count = len(ids)
    for slot in range(first, first + width):
        arrays.node_y[size + slot] = np.inf
        arrays.node_id[size + slot] = NOBODY
    for at in range(count):
        i = ids[at]
        slot = first + at * width // count
        arrays.slot[i] = slot
        arrays.node_y[size + slot] = arrays.y[i]
        arrays.node_id[size + slot] = i
        start = first if at == 0 else slot
        for key in range(start, first + (at + 1) * width // count):
            arrays.slot_x[key] = arrays.x[i]
            arrays.slot_id[key] = i
    low, high = (size + first) >> 1, (size + first + width - 1) >> 1
    while low > 0 and low <= high:
        for node in range(low, high + 1):
            left = 2 * node
            best = left
            if _below(arrays.node_y[left + 1], arrays.node_id[left + 1], arrays.node_y[left], arrays.node_id[left]):
                best = left + 1
            arrays.node_y[node] = arrays.node_y[best]
            arrays.node_id[node] = arrays.node_id[best]
        low >>= 1
        high >>= 1


@njit
def _slot_for(arrays: Tournament, i: int) -> int:
    """Find the first slot whose search key is not below that of object i; O(log n)."""
    x = arrays.x[i]
    low, high = 0, len(arrays.slot_x)
    while low < high:
        middle = (low + high) >> 1
        if _below(arrays.slot_x[middle], arrays.slot_id[middle], x, i):
            low = middle + 1
        else:
            high = middle
    return low


@njit
def place(arrays: Tournament, i: int) -> bool:
    """Give object i, whose x and y are set, a slot; False, and nothing changed, if the array is too full."""
    size = len(arrays.slot_x)
    place = _slot_for(arrays, i)
    for slot in (place, place - 1):
        if 0 <= slot < size and arrays.node_id[size + slot] == NOBODY:
            arrays.slot_x[slot] = arrays.x[i]
            arrays.slot_id[slot] = i
            arrays.slot[i] = slot
            set_leaf(arrays, slot, arrays.y[i], i)
            return True
    height = 0
    while 1 << height < size:
        height += 1
    near = min(place, size - 1)
    for level in range(1, height + 1):
        width = 1 << level
        first = near & ~(width - 1)
        count = 1
        for slot in range(first, first + width):
            count += arrays.node_id[size + slot] != NOBODY
        if count > width * (1 - (1 - FULLEST) * level / height):
            continue
        ids = np.empty(count, np.int32)
        at = 0
        for slot in range(first, first + width):
            if slot == place:
                ids[at] = i
                at += 1
            if arrays.node_id[size + slot] != NOBODY:
                ids[at] = arrays.node_id[size + slot]
                at += 1
        if at < count:
            ids[at] = i
        fill(arrays, ids, first, width)
        return True
    return False
