"""The kd-tree of Section II-B: objects as points (x, y), in linear space, t(n) = O(sqrt n).

Cells are cut at the median, by x and by y in turn, down to leaves of at most `LEAF` objects. Every node keeps the tight
box of the objects below it and the lowest of them; an object that is not live (y = +inf) is in no leaf. A new y moves
an object from leaf to leaf; a subtree whose halves drift out of balance, or that holds too few objects, is built anew
(the scapegoat rule), which costs O(log^2 n) per change, amortised. Ties are ordered by (x, id) and (y, id).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rangecast import njit

LEAF = 8
ROOT = 0
_FREE = 0


class Kd(NamedTuple):
    """A kd-tree in flat arrays: the first four by object, the scratch arrays last, the others by node."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    leaf: NDArray[np.int64]
    """Leaf that holds the object, -1 when it is not live."""
    order: NDArray[np.int64]
    """Scratch of `_build`: the objects of a subtree."""
    left: NDArray[np.int64]
    """West or south child, -1 for a leaf."""
    right: NDArray[np.int64]
    parent: NDArray[np.int64]
    axis: NDArray[np.int64]
    """0 where the node is cut by (x, id), 1 where by (y, id)."""
    cut: NDArray[np.float64]
    cut_object: NDArray[np.int64]
    """The first object of the right child had this id, and `cut` for coordinate, when the node was cut."""
    size: NDArray[np.int64]
    box: NDArray[np.float64]
    """Least x, greatest x, least y and greatest y of the node's objects, shape (nodes, 4)."""
    lowest: NDArray[np.int64]
    """Object with the least (y, id) of the node."""
    members: NDArray[np.int64]
    """Objects of a leaf, shape (nodes, LEAF)."""
    free: NDArray[np.int64]
    """Stack of the nodes not in use."""
    counts: NDArray[np.int64]
    """One value: the height of the stack of free nodes."""
    heap: NDArray[np.int64]
    heap_key: NDArray[np.float64]


def empty(objects: int) -> Kd:
    """Arrays for that many object ids, none of them live; balance leaves no more nodes than ids (and the root)."""
    nodes = objects + LEAF
    integers, floats = np.int64, np.float64
    return Kd(
        x=np.zeros(objects, floats),
        y=np.full(objects, np.inf, floats),
        leaf=np.full(objects, -1, integers),
        order=np.empty(objects, integers),
        left=np.full(nodes, -1, integers),
        right=np.full(nodes, -1, integers),
        parent=np.full(nodes, -1, integers),
        axis=np.zeros(nodes, integers),
        cut=np.zeros(nodes, floats),
        cut_object=np.zeros(nodes, integers),
        size=np.zeros(nodes, integers),
        box=np.tile(np.array([np.inf, -np.inf, np.inf, -np.inf]), (nodes, 1)),
        lowest=np.full(nodes, -1, integers),
        members=np.empty((nodes, LEAF), integers),
        free=np.arange(nodes - 1, ROOT, -1, dtype=integers),
        counts=np.array([nodes - 1], integers),
        heap=np.empty(nodes, integers),
        heap_key=np.empty(nodes, floats),
    )


@njit
def _select(values: NDArray[np.float64], order: NDArray[np.int64], low: int, high: int, middle: int) -> None:
    """Partition order[low:high] so that the entry at `middle` is in its place by (value, id)."""
    high -= 1
    while low < high:
        # The middle of three as pivot: sorted input, the common case, stays linear.
        first, last, pivot = order[low], order[high], order[(low + high) // 2]
        if values[first] > values[last] or (values[first] == values[last] and first > last):
            first, last = last, first
        if values[pivot] < values[first] or (values[pivot] == values[first] and pivot < first):
            pivot = first
        elif values[pivot] > values[last] or (values[pivot] == values[last] and pivot > last):
            pivot = last
        value = values[pivot]
        i, j = low, high
        while i <= j:
            while values[order[i]] < value or (values[order[i]] == value and order[i] < pivot):
                i += 1
            while values[order[j]] > value or (values[order[j]] == value and order[j] > pivot):
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@njit
def _measure(tree: Kd, node: int, objects: NDArray[np.int64]) -> None:
    """Set size, box and lowest object of a node from the objects in it."""
    west, east, south, north = np.inf, -np.inf, np.inf, -np.inf
    lowest = -1
    for i in objects:
        x, y = tree.x[i], tree.y[i]
        west, east, north = min(west, x), max(east, x), max(north, y)
        if lowest < 0 or y < south or (y == south and i < lowest):
            south, lowest = y, i
    tree.box[node, 0], tree.box[node, 1], tree.box[node, 2], tree.box[node, 3] = west, east, south, north
    tree.lowest[node] = lowest
    tree.size[node] = len(objects)


@njit
def _join(tree: Kd, node: int) -> None:
    """Set size, box and lowest object of an inner node from its children."""
    a, b = tree.left[node], tree.right[node]
    box = tree.box
    tree.size[node] = tree.size[a] + tree.size[b]
    for side in (0, 2):
        box[node, side] = min(box[a, side], box[b, side])
        box[node, side + 1] = max(box[a, side + 1], box[b, side + 1])
    i, j = tree.lowest[a], tree.lowest[b]
    if i < 0 or (j >= 0 and (tree.y[j] < tree.y[i] or (tree.y[j] == tree.y[i] and j < i))):
        i = j
    tree.lowest[node] = i


@njit
def _take(tree: Kd) -> int:
    """Pop a free node."""
    tree.counts[_FREE] -= 1
    node: int = tree.free[tree.counts[_FREE]]
    return node


@njit
def _build(tree: Kd, top: int, size: int) -> None:
    """Make `top`, whose axis and parent are set, the root of a balanced tree over tree.order[:size]."""
    pending = [(top, 0, size)]
    while len(pending) > 0:
        node, low, high = pending.pop()
        _measure(tree, node, tree.order[low:high])
        if high - low <= LEAF:
            tree.left[node] = tree.right[node] = -1
            for j in range(low, high):
                tree.members[node, j - low] = tree.order[j]
                tree.leaf[tree.order[j]] = node
            continue
        middle = (low + high) // 2
        values = tree.x if tree.axis[node] == 0 else tree.y
        _select(values, tree.order, low, high, middle)
        tree.cut[node], tree.cut_object[node] = values[tree.order[middle]], tree.order[middle]
        a, b = _take(tree), _take(tree)
        tree.left[node], tree.right[node] = a, b
        tree.parent[a] = tree.parent[b] = node
        tree.axis[a] = tree.axis[b] = 1 - tree.axis[node]
        pending.append((a, low, middle))
        pending.append((b, middle, high))


@njit
def _rebuild(tree: Kd, top: int) -> None:
    """Build the subtree of `top` anew, from its live objects."""
    pending = [top]
    size = 0
    while len(pending) > 0:
        node = pending.pop()
        if tree.left[node] < 0:
            for j in range(tree.size[node]):
                tree.order[size] = tree.members[node, j]
                size += 1
        else:
            pending.append(tree.left[node])
            pending.append(tree.right[node])
        if node != top:
            tree.free[tree.counts[_FREE]] = node
            tree.counts[_FREE] += 1
    _build(tree, top, size)


@njit
def _restore(tree: Kd, leaf: int) -> None:
    """Bring the ancestors of a changed leaf up to date; build the topmost one out of balance anew."""
    worst = -1
    node = tree.parent[leaf]
    while node >= 0:
        _join(tree, node)
        largest = max(tree.size[tree.left[node]], tree.size[tree.right[node]])
        if 2 * tree.size[node] <= LEAF or 4 * largest > 3 * tree.size[node]:
            worst = node
        node = tree.parent[node]
    if worst >= 0:
        _rebuild(tree, worst)


@njit
def _remove(tree: Kd, object: int) -> None:
    """Take a live object out of its leaf."""
    leaf = tree.leaf[object]
    last = tree.size[leaf] - 1
    for j in range(last):
        if tree.members[leaf, j] == object:
            tree.members[leaf, j] = tree.members[leaf, last]
            break
    tree.leaf[object] = -1
    _measure(tree, leaf, tree.members[leaf, :last])
    _restore(tree, leaf)


@njit
def _add(tree: Kd, object: int) -> None:
    """Put an object that is in no leaf into the leaf of its cell, cutting the leaf when it is full."""
    node = ROOT
    while tree.left[node] >= 0:
        value = tree.x[object] if tree.axis[node] == 0 else tree.y[object]
        cut = tree.cut[node]
        if value < cut or (value == cut and object < tree.cut_object[node]):
            node = tree.left[node]
        else:
            node = tree.right[node]
    size = tree.size[node]
    if size < LEAF:
        tree.members[node, size] = object
        tree.leaf[object] = node
        _measure(tree, node, tree.members[node, : size + 1])
    else:
        tree.order[:size] = tree.members[node]
        tree.order[size] = object
        _build(tree, node, size + 1)
    _restore(tree, node)


@njit
def update(tree: Kd, object: int, y: float) -> None:
    """Give an object a new y; +inf takes it out of the index. O(log^2 n), amortised."""
    if tree.leaf[object] >= 0:
        _remove(tree, object)
    tree.y[object] = y
    if y < np.inf:
        _add(tree, object)


@njit
def _push(tree: Kd, size: int, key: float, node: int) -> None:
    """Push a node on the heap of `size` entries, greatest key on top."""
    keys, heap = tree.heap_key, tree.heap
    j = size
    while j > 0:
        up = (j - 1) // 2
        if keys[up] >= key:
            break
        keys[j], heap[j] = keys[up], heap[up]
        j = up
    keys[j], heap[j] = key, node


@njit
def _pop(tree: Kd, size: int) -> int:
    """Take the top of the heap of `size` entries."""
    keys, heap = tree.heap_key, tree.heap
    top: int = heap[0]
    size -= 1
    key, node = keys[size], heap[size]
    j = 0
    while 2 * j + 1 < size:
        down = 2 * j + 1
        if down + 1 < size and keys[down + 1] > keys[down]:
            down += 1
        if keys[down] <= key:
            break
        keys[j], heap[j] = keys[down], heap[down]
        j = down
    keys[j], heap[j] = key, node
    return top


@njit
def _reach(tree: Kd, node: int, y: float, west: bool) -> float:
    """How near (greater is nearer) an object of the node below y can be; -inf when there is none."""
    if tree.box[node, 2] > y:
        return -np.inf
    reach: float = tree.box[node, 1] if west else -tree.box[node, 0]
    return reach


@njit
def first_k(tree: Kd, object: int, y: float, west: bool, k: int, out: NDArray[np.int64]) -> int:
    """Write the k nearest objects west (east) of an object and below (y, object) to `out`; return how many.

    The order is that of (x, id), nearest first. Nodes are opened nearest first, so that only those which meet the
    answer's quadrant down to its last object are: O(sqrt n + k) of them, each for O(log n).
    """
    sign = 1 if west else -1
    here = sign * tree.x[object]
    count = 0
    size = 0
    if tree.size[ROOT] > 0:
        _push(tree, 0, min(here, _reach(tree, ROOT, y, west)), ROOT)
        size = 1
    while size > 0 and tree.heap_key[0] > -np.inf:
        if count == k and tree.heap_key[0] < sign * tree.x[out[k - 1]]:
            break
        node = _pop(tree, size)
        size -= 1
        if tree.left[node] >= 0:
            # A node that reaches beyond the object competes with what lies at the object itself.
            for child in (tree.left[node], tree.right[node]):
                behind = tree.box[child, 0] > here if west else -tree.box[child, 1] > here
                reach = _reach(tree, child, y, west)
                if reach > -np.inf and not behind:
                    _push(tree, size, min(here, reach), child)
                    size += 1
            continue
        for j in range(tree.size[node]):
            i = tree.members[node, j]
            u = sign * tree.x[i]
            if u > here or (u == here and sign * i >= sign * object):
                continue
            if tree.y[i] > y or (tree.y[i] == y and i >= object):
                continue
            p = count
            while p > 0:
                v = sign * tree.x[out[p - 1]]
                if v > u or (v == u and sign * out[p - 1] > sign * i):
                    break
                if p < k:
                    out[p] = out[p - 1]
                p -= 1
            if p < k:
                out[p] = i
                count = min(count + 1, k)
    return count


@njit
def min_y(tree: Kd, l: float, r: float, y: float, object: int) -> int:
    """Return the object with the least (y, id) above (y, object) among those with l < x < r, or -1. O(sqrt n).

    A node inside the strip and above the bound answers by its lowest object, so that only those are opened whose
    box a side of the query crosses.
    """
    found = -1
    heap = tree.heap
    heap[0] = ROOT
    size = 1
    while size > 0:
        size -= 1
        node = heap[size]
        i = tree.lowest[node]
        if i < 0 or tree.box[node, 1] <= l or tree.box[node, 0] >= r or tree.box[node, 3] < y:
            continue
        if found >= 0 and (tree.y[i] > tree.y[found] or (tree.y[i] == tree.y[found] and i > found)):
            continue
        inside = l < tree.box[node, 0] and tree.box[node, 1] < r
        if inside and (tree.y[i] > y or (tree.y[i] == y and i > object)):
            found = i
        elif tree.left[node] >= 0:
            heap[size], heap[size + 1] = tree.right[node], tree.left[node]
            size += 2
        else:
            for j in range(tree.size[node]):
                i = tree.members[node, j]
                if not (l < tree.x[i] < r) or tree.y[i] < y or (tree.y[i] == y and i <= object):
                    continue
                if found < 0 or tree.y[i] < tree.y[found] or (tree.y[i] == tree.y[found] and i < found):
                    found = i
    return found


class KdIndex:
    """Objects in a kd-tree, behind the protocol of the object indexes.

    Parameters
    ----------
    x, y : arrays of n floats
        Object i stands at (x[i], y[i]); y = +inf for one that is not live.
    """

    arrays: Kd

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self._load(x, y, len(x))

    def _load(self, x: NDArray[np.float64], y: NDArray[np.float64], capacity: int) -> None:
        """Build over the live objects, with room for `capacity` ids. O(n log n)."""
        tree = empty(capacity)
        tree.x[: len(x)], tree.y[: len(y)] = x, y
        live = np.flatnonzero(y < np.inf)
        tree.order[: len(live)] = live
        _build(tree, ROOT, len(live))
        self.arrays = tree

    def update(self, object: int, y: float) -> None:
        """Give an object a new y. O(log^2 n), amortised."""
        update(self.arrays, object, y)

    def insert(self, object: int, x: float, y: float) -> None:
        """Add an object, new or deleted before. O(log^2 n), amortised."""
        tree = self.arrays
        if object >= tree.x.size:
            self._load(tree.x, tree.y, max(object + 1, 2 * tree.x.size))
        self.arrays.x[object] = x
        update(self.arrays, object, y)

    def delete(self, object: int) -> None:
        """Take an object out. O(log^2 n), amortised."""
        update(self.arrays, object, np.inf)

    def first_k(self, object: int, y: float, west: bool, k: int) -> NDArray[np.int64]:
        """Ids of the k nearest objects west (east) of an object and below (y, object). O((sqrt n + k) log n)."""
        out = np.empty(k, np.int64)
        return out[: first_k(self.arrays, object, y, west, k, out)]

    def min_y(self, l: float, r: float, y: float, object: int) -> int:
        """Id of the lowest object above (y, object) with l < x < r, or -1. O(sqrt n)."""
        return min_y(self.arrays, l, r, y, object)

    def _check(self) -> None:
        """Every invariant of the arrays."""
        tree = self.arrays
        nodes, pending = 0, [(ROOT, -1)]
        seen: list[int] = []
        while pending:
            node, parent = pending.pop()
            nodes += 1
            assert tree.parent[node] == parent
            inside = self._objects(node)
            assert tree.size[node] == len(inside)
            low = min(((tree.y[i], i) for i in inside), default=(0.0, -1))
            assert tree.lowest[node] == low[1]
            if inside:
                x, y = tree.x[inside], tree.y[inside]
                assert list(tree.box[node]) == [x.min(), x.max(), y.min(), y.max()]
            if tree.left[node] < 0:
                assert len(inside) <= LEAF
                assert all(tree.leaf[i] == node for i in inside)
                seen += inside
                continue
            children = [int(tree.left[node]), int(tree.right[node])]
            assert 2 * len(inside) > LEAF
            assert 4 * max(tree.size[children]) <= 3 * len(inside)
            assert all(tree.axis[child] == 1 - tree.axis[node] for child in children)
            values = tree.x if tree.axis[node] == 0 else tree.y
            cut = (tree.cut[node], tree.cut_object[node])
            assert all((values[i], i) < cut for i in self._objects(children[0]))
            assert all((values[i], i) >= cut for i in self._objects(children[1]))
            pending += [(child, node) for child in children]
        assert sorted(seen) == np.flatnonzero(tree.y < np.inf).tolist() == np.flatnonzero(tree.leaf >= 0).tolist()
        assert nodes + tree.counts[_FREE] == tree.left.size

    def _objects(self, node: int) -> list[int]:
        """Objects of a subtree."""
        tree = self.arrays
        if tree.left[node] < 0:
            return [int(i) for i in tree.members[node, : tree.size[node]]]
        return self._objects(tree.left[node]) + self._objects(tree.right[node])
