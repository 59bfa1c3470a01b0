"""The dynamic range tree of Section II-B: O(n log n) space, polylogarithmic time.

Objects stand in x order in an array of slots with gaps, cut into buckets of `BUCKET` slots; a binary tree over the
buckets is the primary tree, nodes numbered as in a heap (root 1, children 2v and 2v + 1). Each inner node orders its
live objects by (y, id) in a treap of its own; the treaps of one depth share one row of child pointers, because
they hold disjoint objects. A node also names its lowest object, which is what first_k climbs by.

A new x goes into a gap next to its place; when there is none, the smallest surrounding subtree that is thin enough is
spread evenly and its treaps are built anew (the density rule of packed memory arrays): O(log^3 n), amortised.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint import treap

BUCKET = 16


class RangeTree(NamedTuple):
    """A range tree in flat arrays: by object, by slot, by node, by (depth, object)."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    slot: NDArray[np.int64]
    """Slot of the object, -1 when it has none."""
    priority: NDArray[np.int64]
    """Heap order of the treaps."""
    key: NDArray[np.float64]
    key_object: NDArray[np.int64]
    """(key, key_object) ascends over the slots; an empty slot repeats any pair that fits between its neighbours."""
    occupant: NDArray[np.int64]
    """Object in the slot, live or not, -1 for a gap."""
    height: NDArray[np.float64]
    """y of the object in the slot, +inf where no live one is."""
    lowest: NDArray[np.int64]
    """Object with the least (y, id) of the node, -1 for none, shape (2 * buckets,)."""
    root: NDArray[np.int64]
    """Root of the node's treap, -1 when empty, shape (buckets,)."""
    lower: NDArray[np.int32]
    """Child of an object with smaller (y, id) in the treap of its node, shape (depths, objects)."""
    upper: NDArray[np.int32]
    gather: NDArray[np.int64]
    """Scratch of `spread`: the objects of a subtree, in x order."""


def empty(objects: int, slots: int) -> RangeTree:
    """Arrays for that many object ids and slots (a power of two, at least BUCKET), all empty."""
    buckets = slots // BUCKET
    depths = buckets.bit_length() - 1
    return RangeTree(
        x=np.zeros(objects),
        y=np.full(objects, np.inf),
        slot=np.full(objects, -1, np.int64),
        priority=treap.priorities(objects),
        key=np.full(slots, -np.inf),
        key_object=np.full(slots, -1, np.int64),
        occupant=np.full(slots, -1, np.int64),
        height=np.full(slots, np.inf),
        lowest=np.full(2 * buckets, -1, np.int64),
        root=np.full(buckets, -1, np.int64),
        lower=np.full((depths, objects), -1, np.int32),
        upper=np.full((depths, objects), -1, np.int32),
        gather=np.empty(slots, np.int64),
    )


@njit
def _below(arrays: RangeTree, h: int, j: int) -> bool:
    """Whether object h comes before object j by (y, id)."""
    yi, yj = arrays.y[h], arrays.y[j]
    return yi < yj or (yi == yj and h < j)


@njit
def _refresh(arrays: RangeTree, bucket: int) -> None:
    """Set the lowest object of a bucket and of its ancestors, from the bottom up."""
    lowest, height = -1, np.inf
    for s in range(bucket * BUCKET, (bucket + 1) * BUCKET):
        h = arrays.occupant[s]
        if arrays.height[s] < height or (arrays.height[s] == height and height < np.inf and h < lowest):
            lowest, height = h, arrays.height[s]
    node = arrays.root.size + bucket
    arrays.lowest[node] = lowest
    node >>= 1
    while node > 0:
        _join(arrays, node)
        node >>= 1


@njit
def _join(arrays: RangeTree, node: int) -> None:
    """Set the lowest object of an inner node from its children."""
    h, j = arrays.lowest[2 * node], arrays.lowest[2 * node + 1]
    arrays.lowest[node] = j if h < 0 or (j >= 0 and _below(arrays, j, h)) else h


@njit
def update(arrays: RangeTree, i: int, y: float) -> None:
    """Give an object that has a slot a new y; +inf makes it no longer live. O(log^2 n), expected."""
    slot = arrays.slot[i]
    bucket = slot // BUCKET
    buckets = arrays.root.size
    depths = arrays.lower.shape[0]
    if arrays.y[i] < np.inf:
        for depth in range(depths):
            node = (buckets + bucket) >> (depths - depth)
            treap.remove(arrays.root, node, arrays.lower[depth], arrays.upper[depth], arrays.priority, arrays.y, i)
    arrays.y[i] = y
    arrays.height[slot] = y
    if y < np.inf:
        for depth in range(depths):
            node = (buckets + bucket) >> (depths - depth)
            treap.add(arrays.root, node, arrays.lower[depth], arrays.upper[depth], arrays.priority, arrays.y, i)
    _refresh(arrays, bucket)


@njit
def first_k(arrays: RangeTree, i: int, y: float, west: bool, k: int, out: NDArray[np.int64]) -> int:
    """Write the k nearest objects west (east) of an object and below (y, i) to `out`; return how many.

    The order is that of (x, id), nearest first. O(log n) each: climb to the next node beside the path whose lowest
    object is below, and go down to the nearest bucket that has one.
    """
    step = -1 if west else 1
    buckets = arrays.root.size
    count = 0
    slot = arrays.slot[i] + step
    bucket = arrays.slot[i] // BUCKET
    while True:
        while count < k and slot >= bucket * BUCKET and slot < (bucket + 1) * BUCKET:
            height, h = arrays.height[slot], arrays.occupant[slot]
            if height < y or (height == y and height < np.inf and h < i):
                out[count] = h
                count += 1
            slot += step
        if count == k:
            return count
        node = buckets + bucket
        while node > 1:
            beside = node ^ 1
            if (beside < node) == west:
                h = arrays.lowest[beside]
                if h >= 0 and (arrays.y[h] < y or (arrays.y[h] == y and h < i)):
                    break
            node >>= 1
        if node <= 1:
            return count
        node ^= 1
        while node < buckets:
            node = 2 * node + 1 if west else 2 * node
            h = arrays.lowest[node]
            if h < 0 or arrays.y[h] > y or (arrays.y[h] == y and h >= i):
                node ^= 1
        bucket = node - buckets
        slot = (bucket + 1) * BUCKET - 1 if west else bucket * BUCKET


@njit
def _slots_next(arrays: RangeTree, first: int, last: int, y: float, i: int) -> int:
    """Return the least object in slots first..last - 1 above (y, i), or -1."""
    found, best = -1, np.inf
    for s in range(first, last):
        height, h = arrays.height[s], arrays.occupant[s]
        if height < y or (height == y and h <= i) or height == np.inf:
            continue
        if height < best or (height == best and h < found):
            found, best = h, height
    return found


@njit
def _lower_of(arrays: RangeTree, h: int, j: int) -> int:
    """Return the lower of two objects, either of which may be -1."""
    return j if h < 0 or (j >= 0 and _below(arrays, j, h)) else h


@njit
def _slot_after(arrays: RangeTree, x: float, i: int) -> int:
    """Return the first slot whose key is above (x, i); the number of slots if none is."""
    first, last = 0, arrays.key.size
    while first < last:
        s = (first + last) // 2
        if arrays.key[s] < x or (arrays.key[s] == x and arrays.key_object[s] <= i):
            first = s + 1
        else:
            last = s
    return first


@njit
def min_y(arrays: RangeTree, left: float, right: float, y: float, i: int) -> int:
    """Return the object with the least (y, id) above (y, i) among those with left < x < right, or -1.

    One treap search in each of the O(log n) nodes that make up the strip, and a scan of the buckets at its ends:
    O(log^2 n).
    """
    first = _slot_after(arrays, left, arrays.x.size)
    last = _slot_after(arrays, right, -2)
    if first >= last:
        return -1
    a, b = first // BUCKET, (last - 1) // BUCKET
    if a == b:
        return _slots_next(arrays, first, last, y, i)
    found = _slots_next(arrays, first, (a + 1) * BUCKET, y, i)
    found = _lower_of(arrays, found, _slots_next(arrays, b * BUCKET, last, y, i))
    buckets = arrays.root.size
    depth = arrays.lower.shape[0]
    # Nodes strictly between the paths of the two end buckets.
    a, b = a + buckets, b + buckets
    while a ^ b != 1:
        if a & 1 == 0:
            found = _lower_of(arrays, found, _node_next(arrays, a ^ 1, depth, y, i))
        if b & 1 == 1:
            found = _lower_of(arrays, found, _node_next(arrays, b ^ 1, depth, y, i))
        a >>= 1
        b >>= 1
        depth -= 1
    return found


@njit
def _node_next(arrays: RangeTree, node: int, depth: int, y: float, i: int) -> int:
    """Return the least object of a node above (y, i), or -1."""
    buckets = arrays.root.size
    if node < buckets:
        return treap.above(arrays.root[node], arrays.lower[depth], arrays.upper[depth], arrays.y, y, i)
    return _slots_next(arrays, (node - buckets) * BUCKET, (node - buckets + 1) * BUCKET, y, i)


@njit
def _grow_treaps(arrays: RangeTree, top: int, depth: int, ids: NDArray[np.int64]) -> None:
    """Build the treaps of `top` and the nodes below it over their live objects, in (y, id) order. O(s log s)."""
    buckets, depths = arrays.root.size, arrays.lower.shape[0]
    nodes = np.empty(ids.size, np.int64)
    low, high = top, top + 1
    while low < buckets:
        for j in range(ids.size):
            nodes[j] = ((buckets + arrays.slot[ids[j]] // BUCKET) >> (depths - depth)) - low
        treap.build(arrays.root[:high], low, nodes, ids, arrays.lower[depth], arrays.upper[depth], arrays.priority)
        low, high, depth = 2 * low, 2 * high, depth + 1


@njit
def spread(
    arrays: RangeTree, top: int, depth: int, first: int, last: int, count: int, ids: NDArray[np.int64]
) -> None:
    """Spread gather[:count], in x order, over the slots first..last - 1 of `top` and build what hangs on them.

    `ids` are the live ones among them in (y, id) order.
    """
    arrays.occupant[first:last] = -1
    arrays.height[first:last] = np.inf
    for j in range(count):
        h = arrays.gather[j]
        s = first + j * (last - first) // count
        end = first + (j + 1) * (last - first) // count
        arrays.slot[h], arrays.occupant[s], arrays.height[s] = s, h, arrays.y[h]
        arrays.key[s:end], arrays.key_object[s:end] = arrays.x[h], h
    _grow_treaps(arrays, top, depth, ids)
    for bucket in range(first // BUCKET, last // BUCKET):
        _refresh(arrays, bucket)


@njit
def place(arrays: RangeTree, i: int) -> bool:
    """Give a slot to an object whose x is set and that is not live; False when the slots are too full for it."""
    x = arrays.x[i]
    slots = arrays.key.size
    at = _slot_after(arrays, x, i)
    for s in (at - 1, at):
        if 0 <= s < slots and arrays.occupant[s] < 0:
            arrays.slot[i], arrays.occupant[s], arrays.key[s], arrays.key_object[s] = s, i, x, i
            return True
    depths = arrays.lower.shape[0]
    bucket = min(at, slots - 1) // BUCKET
    for climb in range(depths + 1):
        size = BUCKET << climb
        first = (bucket >> climb) * size
        count = 1
        for s in range(first, first + size):
            count += arrays.occupant[s] >= 0
        # Full at a bucket, three quarters at the root, evenly in between.
        if count * 4 * max(depths, 1) <= size * (4 * max(depths, 1) - climb):
            count = 0
            for s in range(first, first + size):
                if s == at:
                    arrays.gather[count] = i
                    count += 1
                if arrays.occupant[s] >= 0:
                    arrays.gather[count] = arrays.occupant[s]
                    count += 1
            if at == first + size:
                arrays.gather[count] = i
                count += 1
            top = (arrays.root.size + bucket) >> climb
            ids = np.empty(size if climb > 0 else 0, np.int64)
            if climb > 0:
                depth = depths - climb
                ids = ids[: treap.in_order(arrays.root[top], arrays.lower[depth], arrays.upper[depth], ids)]
            spread(arrays, top, depths - climb, first, first + size, count, ids)
            return True
    return False
