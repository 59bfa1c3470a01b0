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

from rangecast import njit

BUCKET = 16


class RangeTree(NamedTuple):
    """A range tree in flat arrays: by object, by slot, by node, by (depth, object)."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    slot: NDArray[np.int64]
    """Slot of the object, -1 when it has none."""
    priority: NDArray[np.int64]
    """Heap order of the treaps: the bits of the id, mixed."""
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
    """Scratch of `_spread`: the objects of a subtree, in x order."""


def empty(objects: int, slots: int) -> RangeTree:
    """Arrays for that many object ids and slots (a power of two, at least BUCKET), all empty."""
    buckets = slots // BUCKET
    depths = buckets.bit_length() - 1
    ids = np.arange(objects, dtype=np.uint64)
    # Finaliser of splitmix64: consecutive ids get unrelated priorities.
    ids = (ids + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    ids = (ids ^ (ids >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return RangeTree(
        x=np.zeros(objects),
        y=np.full(objects, np.inf),
        slot=np.full(objects, -1, np.int64),
        priority=(ids ^ (ids >> np.uint64(31))).astype(np.int64),
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
def _below(tree: RangeTree, i: int, j: int) -> bool:
    """Whether object i comes before object j by (y, id)."""
    yi, yj = tree.y[i], tree.y[j]
    return yi < yj or (yi == yj and i < j)


@njit
def _treap_add(tree: RangeTree, node: int, depth: int, object: int) -> None:
    """Add an object to the treap of a node: find its place by priority, then split what hangs there."""
    lower, upper = tree.lower[depth], tree.upper[depth]
    parent, under = -1, False
    at = tree.root[node]
    while at >= 0 and tree.priority[at] >= tree.priority[object]:
        parent, under = at, _below(tree, object, at)
        at = lower[at] if under else upper[at]
    if parent < 0:
        tree.root[node] = object
    elif under:
        lower[parent] = object
    else:
        upper[parent] = object
    # `small` and `large` are the objects whose upper and lower child the rest of the split still has to set.
    small, large = object, object
    while at >= 0:
        if _below(tree, at, object):
            if small == object:
                lower[object] = at
            else:
                upper[small] = at
            small, at = at, upper[at]
        else:
            if large == object:
                upper[object] = at
            else:
                lower[large] = at
            large, at = at, lower[at]
    if small == object:
        lower[object] = -1
    else:
        upper[small] = -1
    if large == object:
        upper[object] = -1
    else:
        lower[large] = -1


@njit
def _treap_remove(tree: RangeTree, node: int, depth: int, object: int) -> None:
    """Remove an object from the treap of a node, merging its children into its place."""
    lower, upper = tree.lower[depth], tree.upper[depth]
    parent, under = -1, False
    at = tree.root[node]
    while at != object:
        parent, under = at, _below(tree, object, at)
        at = lower[at] if under else upper[at]
    a, b = lower[object], upper[object]
    while True:
        first = a >= 0 and (b < 0 or tree.priority[a] >= tree.priority[b])
        child = a if first else b
        if parent < 0:
            tree.root[node] = child
        elif under:
            lower[parent] = child
        else:
            upper[parent] = child
        if a < 0 or b < 0:
            return
        parent, under = child, not first
        if first:
            a = upper[a]
        else:
            b = lower[b]


@njit
def _refresh(tree: RangeTree, bucket: int) -> None:
    """Set the lowest object of a bucket and of its ancestors, from the bottom up."""
    lowest, height = -1, np.inf
    for s in range(bucket * BUCKET, (bucket + 1) * BUCKET):
        i = tree.occupant[s]
        if tree.height[s] < height or (tree.height[s] == height and height < np.inf and i < lowest):
            lowest, height = i, tree.height[s]
    node = tree.root.size + bucket
    tree.lowest[node] = lowest
    node >>= 1
    while node > 0:
        _join(tree, node)
        node >>= 1


@njit
def _join(tree: RangeTree, node: int) -> None:
    """Set the lowest object of an inner node from its children."""
    i, j = tree.lowest[2 * node], tree.lowest[2 * node + 1]
    tree.lowest[node] = j if i < 0 or (j >= 0 and _below(tree, j, i)) else i


@njit
def update(tree: RangeTree, object: int, y: float) -> None:
    """Give an object that has a slot a new y; +inf makes it no longer live. O(log^2 n), expected."""
    slot = tree.slot[object]
    bucket = slot // BUCKET
    buckets = tree.root.size
    depths = tree.lower.shape[0]
    if tree.y[object] < np.inf:
        for depth in range(depths):
            _treap_remove(tree, (buckets + bucket) >> (depths - depth), depth, object)
    tree.y[object] = y
    tree.height[slot] = y
    if y < np.inf:
        for depth in range(depths):
            _treap_add(tree, (buckets + bucket) >> (depths - depth), depth, object)
    _refresh(tree, bucket)


@njit
def first_k(tree: RangeTree, object: int, y: float, west: bool, k: int, out: NDArray[np.int64]) -> int:
    """Write the k nearest objects west (east) of an object and below (y, object) to `out`; return how many.

    The order is that of (x, id), nearest first. O(log n) each: climb to the next node beside the path whose lowest
    object is below, and go down to the nearest bucket that has one.
    """
    step = -1 if west else 1
    buckets = tree.root.size
    count = 0
    slot = tree.slot[object] + step
    bucket = tree.slot[object] // BUCKET
    while True:
        while count < k and slot >= bucket * BUCKET and slot < (bucket + 1) * BUCKET:
            height, i = tree.height[slot], tree.occupant[slot]
            if height < y or (height == y and height < np.inf and i < object):
                out[count] = i
                count += 1
            slot += step
        if count == k:
            return count
        node = buckets + bucket
        while node > 1:
            beside = node ^ 1
            if (beside < node) == west:
                i = tree.lowest[beside]
                if i >= 0 and (tree.y[i] < y or (tree.y[i] == y and i < object)):
                    break
            node >>= 1
        if node <= 1:
            return count
        node ^= 1
        while node < buckets:
            node = 2 * node + 1 if west else 2 * node
            i = tree.lowest[node]
            if i < 0 or tree.y[i] > y or (tree.y[i] == y and i >= object):
                node ^= 1
        bucket = node - buckets
        slot = (bucket + 1) * BUCKET - 1 if west else bucket * BUCKET


@njit
def _treap_next(tree: RangeTree, node: int, depth: int, y: float, object: int) -> int:
    """Return the least object of a node's treap above (y, object), or -1."""
    found = -1
    at = tree.root[node]
    while at >= 0:
        if tree.y[at] > y or (tree.y[at] == y and at > object):
            found = at
            at = tree.lower[depth, at]
        else:
            at = tree.upper[depth, at]
    return found


@njit
def _slots_next(tree: RangeTree, first: int, last: int, y: float, object: int) -> int:
    """Return the least object in slots first..last - 1 above (y, object), or -1."""
    found, best = -1, np.inf
    for s in range(first, last):
        height, i = tree.height[s], tree.occupant[s]
        if height < y or (height == y and i <= object) or height == np.inf:
            continue
        if height < best or (height == best and i < found):
            found, best = i, height
    return found


@njit
def _lower_of(tree: RangeTree, i: int, j: int) -> int:
    """Return the lower of two objects, either of which may be -1."""
    return j if i < 0 or (j >= 0 and _below(tree, j, i)) else i


@njit
def min_y(tree: RangeTree, l: float, r: float, y: float, object: int) -> int:
    """Return the object with the least (y, id) above (y, object) among those with l < x < r, or -1.

    One treap search in each of the O(log n) nodes that make up the strip, and a scan of the buckets at its ends:
    O(log^2 n).
    """
    first = np.searchsorted(tree.key, l, side="right")
    last = np.searchsorted(tree.key, r, side="left")
    if first >= last:
        return -1
    a, b = first // BUCKET, (last - 1) // BUCKET
    if a == b:
        return _slots_next(tree, first, last, y, object)
    found = _slots_next(tree, first, (a + 1) * BUCKET, y, object)
    found = _lower_of(tree, found, _slots_next(tree, b * BUCKET, last, y, object))
    buckets = tree.root.size
    depth = tree.lower.shape[0]
    # Nodes strictly between the paths of the two end buckets.
    a, b = a + buckets, b + buckets
    while a ^ b != 1:
        if a & 1 == 0:
            found = _lower_of(tree, found, _node_next(tree, a ^ 1, depth, y, object))
        if b & 1 == 1:
            found = _lower_of(tree, found, _node_next(tree, b ^ 1, depth, y, object))
        a >>= 1
        b >>= 1
        depth -= 1
    return found


@njit
def _node_next(tree: RangeTree, node: int, depth: int, y: float, object: int) -> int:
    """Return the least object of a node above (y, object), or -1."""
    buckets = tree.root.size
    if node < buckets:
        return _treap_next(tree, node, depth, y, object)
    return _slots_next(tree, (node - buckets) * BUCKET, (node - buckets + 1) * BUCKET, y, object)


@njit
def _grow_treaps(tree: RangeTree, top: int, depth: int, first: int, last: int) -> None:
    """Build the treaps of `top` and the nodes below it over the live objects of slots first..last - 1.

    Taken in ascending (y, id), each object ends the upper spine of its node's treap, and those of smaller priority
    on the spine become its lower child: O(s log s) for s slots.
    """
    buckets, depths = tree.root.size, tree.lower.shape[0]
    ids = np.sort(tree.occupant[first:last][tree.height[first:last] < np.inf])
    ids = ids[np.argsort(tree.y[ids], kind="mergesort")]
    up = np.empty(ids.size, np.int64)
    tail = np.empty(max(1, (last - first) // BUCKET), np.int64)
    low, high = top, top + 1
    while low < buckets:
        tree.root[low:high] = -1
        tail[: high - low] = -1
        for j in range(ids.size):
            i = ids[j]
            node = (buckets + tree.slot[i] // BUCKET) >> (depths - depth)
            at, child = tail[node - low], -1
            while at >= 0 and tree.priority[ids[at]] < tree.priority[i]:
                child, at = ids[at], up[at]
            tree.lower[depth, i], tree.upper[depth, i] = child, -1
            if at < 0:
                tree.root[node] = i
            else:
                tree.upper[depth, ids[at]] = i
            up[j] = at
            tail[node - low] = j
        low, high, depth = 2 * low, 2 * high, depth + 1


@njit
def _spread(tree: RangeTree, top: int, depth: int, first: int, last: int, count: int) -> None:
    """Spread gather[:count], in x order, over the slots first..last - 1 of `top` and build what hangs on them."""
    tree.occupant[first:last] = -1
    tree.height[first:last] = np.inf
    for j in range(count):
        i = tree.gather[j]
        s = first + j * (last - first) // count
        end = first + (j + 1) * (last - first) // count
        tree.slot[i], tree.occupant[s], tree.height[s] = s, i, tree.y[i]
        tree.key[s:end], tree.key_object[s:end] = tree.x[i], i
    _grow_treaps(tree, top, depth, first, last)
    for bucket in range(first // BUCKET, last // BUCKET):
        _refresh(tree, bucket)


@njit
def place(tree: RangeTree, object: int) -> bool:
    """Give a slot to an object whose x is set and that is not live; False when the slots are too full for it."""
    x = tree.x[object]
    slots = tree.key.size
    at, end = 0, slots
    while at < end:
        s = (at + end) // 2
        if tree.key[s] < x or (tree.key[s] == x and tree.key_object[s] < object):
            at = s + 1
        else:
            end = s
    for s in (at - 1, at):
        if 0 <= s < slots and tree.occupant[s] < 0:
            tree.slot[object], tree.occupant[s], tree.key[s], tree.key_object[s] = s, object, x, object
            return True
    depths = tree.lower.shape[0]
    bucket = min(at, slots - 1) // BUCKET
    for climb in range(depths + 1):
        size = BUCKET << climb
        first = (bucket >> climb) * size
        count = 1
        for s in range(first, first + size):
            count += tree.occupant[s] >= 0
        # Full at a bucket, three quarters at the root, evenly in between.
        if count * 4 * max(depths, 1) <= size * (4 * max(depths, 1) - climb):
            count = 0
            for s in range(first, first + size):
                if s == at:
                    tree.gather[count] = object
                    count += 1
                if tree.occupant[s] >= 0:
                    tree.gather[count] = tree.occupant[s]
                    count += 1
            if at == first + size:
                tree.gather[count] = object
                count += 1
            _spread(tree, (tree.root.size + bucket) >> climb, depths - climb, first, first + size, count)
            return True
    return False


class RangeTreeIndex:
    """Objects in a range tree, behind the protocol of the object indexes.

    Parameters
    ----------
    x, y : arrays of n floats
        Object i stands at (x[i], y[i]); y = +inf for one that is not live.
    """

    arrays: RangeTree

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self._load(x, y, np.arange(len(x)), max(len(x), 1))

    def _load(
        self, x: NDArray[np.float64], y: NDArray[np.float64], placed: NDArray[np.int64], capacity: int
    ) -> None:
        """Build over the objects that have a place, half of the slots gaps. O(n log n)."""
        slots = BUCKET
        while slots < 2 * max(len(placed), capacity // 2):
            slots *= 2
        tree = empty(capacity, slots)
        tree.x[: len(x)], tree.y[: len(y)] = x, y
        order = placed[np.lexsort((placed, x[placed]))]
        tree.gather[: len(order)] = order
        if len(order):
            _spread(tree, 1, 0, 0, slots, len(order))
        self.arrays = tree

    def update(self, object: int, y: float) -> None:
        """Give an object a new y. O(log^2 n), expected."""
        update(self.arrays, object, y)

    def insert(self, object: int, x: float, y: float) -> None:
        """Add an object, new or deleted before. O(log^3 n), amortised."""
        tree = self.arrays
        if object >= tree.x.size:
            self._load(tree.x, tree.y, np.flatnonzero(tree.slot >= 0), max(object + 1, 2 * tree.x.size))
        self.arrays.x[object] = x
        if not place(self.arrays, object):
            tree = self.arrays
            self._load(tree.x, tree.y, np.append(np.flatnonzero(tree.slot >= 0), object), tree.x.size)
        update(self.arrays, object, y)

    def delete(self, object: int) -> None:
        """Take an object out; its slot becomes a gap. O(log^2 n), expected."""
        tree = self.arrays
        update(tree, object, np.inf)
        tree.occupant[tree.slot[object]] = -1
        tree.slot[object] = -1

    def first_k(self, object: int, y: float, west: bool, k: int) -> NDArray[np.int64]:
        """Ids of the k nearest objects west (east) of an object and below (y, object), nearest first. O(k log n)."""
        out = np.empty(k, np.int64)
        return out[: first_k(self.arrays, object, y, west, k, out)]

    def min_y(self, l: float, r: float, y: float, object: int) -> int:
        """Id of the lowest object above (y, object) with l < x < r, or -1. O(log^2 n), expected."""
        return min_y(self.arrays, l, r, y, object)

    def _check(self) -> None:
        """Every invariant of the arrays."""
        tree = self.arrays
        slots, buckets, depths = tree.key.size, tree.root.size, tree.lower.shape[0]
        assert slots == buckets * BUCKET
        assert buckets == 2**depths
        keys = list(zip(tree.key.tolist(), tree.key_object.tolist(), strict=True))
        assert keys == sorted(keys)
        full = np.flatnonzero(tree.occupant >= 0)
        objects = tree.occupant[full]
        assert np.array_equal(tree.slot[objects], full)
        assert np.count_nonzero(tree.slot >= 0) == full.size
        assert np.array_equal(tree.key_object[full], objects)
        assert np.array_equal(tree.key[full], tree.x[objects])
        assert np.array_equal(tree.height[full], tree.y[objects])
        assert np.all(tree.height[tree.occupant < 0] == np.inf)
        assert np.all(tree.y[tree.slot < 0] == np.inf)
        for node in range(1, 2 * buckets):
            climb = depths + 1 - node.bit_length()
            first = ((node << climb) - buckets) * BUCKET
            inside = tree.occupant[first : first + (BUCKET << climb)]
            live = sorted((tree.y[i], int(i)) for i in inside if i >= 0 and tree.y[i] < np.inf)
            assert tree.lowest[node] == (live[0][1] if live else -1)
            if node < buckets:
                assert [i for _, i in live] == self._in_order(tree.root[node], depths - climb)

    def _in_order(self, at: int, depth: int) -> list[int]:
        """Objects of a treap in order, parents checked against children by priority."""
        if at < 0:
            return []
        tree = self.arrays
        for child in (tree.lower[depth, at], tree.upper[depth, at]):
            assert child < 0 or tree.priority[child] < tree.priority[at]
        return [
            *self._in_order(tree.lower[depth, at], depth),
            int(at),
            *self._in_order(tree.upper[depth, at], depth),
        ]
