"""The kd-tree of Section II-B: objects as points (x, y), in linear space, t(n) = O(sqrt n).

Cells are cut by x and by y in turn; `paint.scapegoat` has what cutting and balance do not depend on. A new y moves an
object from leaf to leaf, in O(log^2 n), amortised.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.scapegoat import FREE, LEAF, ROOT, balanced, lower, node_arrays

__all__ = ["FREE", "LEAF", "ROOT", "Kd", "build", "empty", "first_k", "min_y", "update"]


class Kd(NamedTuple):
    """A kd-tree in flat arrays: the first four by object, the scratch arrays last, the others by node."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    leaf: NDArray[np.int64]
    """Leaf that holds the object, -1 when it is not live."""
    order: NDArray[np.int64]
    """Scratch of `build`: the objects of a subtree."""
    left: NDArray[np.int64]
    """West or south child, -1 for a leaf."""
    right: NDArray[np.int64]
    parent: NDArray[np.int64]
    axis: NDArray[np.int64]
    """0 where an inner node is cut by (x, id), 1 where by (y, id)."""
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
    """Arrays for that many object ids, none of them live."""
    nodes = objects + LEAF
    return Kd(
        x=np.zeros(objects),
        y=np.full(objects, np.inf),
        box=np.tile(np.array([np.inf, -np.inf, np.inf, -np.inf]), (nodes, 1)),
        heap=np.empty(nodes, np.int64),
        heap_key=np.empty(nodes),
        **node_arrays(objects),
    )


@njit
def _measure(arrays: Kd, node: int, objects: NDArray[np.int64]) -> None:
    """Set size, box and lowest object of a node from the objects in it."""
    west, east, south, north = np.inf, -np.inf, np.inf, -np.inf
    lowest = -1
    for h in objects:
        x, y = arrays.x[h], arrays.y[h]
        west, east, north = min(west, x), max(east, x), max(north, y)
        if lowest < 0 or y < south or (y == south and h < lowest):
            south, lowest = y, h
    arrays.box[node, 0], arrays.box[node, 1], arrays.box[node, 2], arrays.box[node, 3] = west, east, south, north
    arrays.lowest[node] = lowest
    arrays.size[node] = len(objects)


@njit
def _join(arrays: Kd, node: int) -> None:
    """Set size, box and lowest object of an inner node from its children."""
    a, b = arrays.left[node], arrays.right[node]
    box = arrays.box
    arrays.size[node] = arrays.size[a] + arrays.size[b]
    for side in (0, 2):
        box[node, side] = min(box[a, side], box[b, side])
        box[node, side + 1] = max(box[a, side + 1], box[b, side + 1])
    h, j = arrays.lowest[a], arrays.lowest[b]
    arrays.lowest[node] = lower(arrays.y[h], h, arrays.y[j], j)


@njit
def _choose_axis(arrays: Kd, node: int) -> int:
    """Cut by x and by y in turn."""
    return 0 if node == ROOT else 1 - int(arrays.axis[arrays.parent[node]])


@njit
def _along(arrays: Kd, axis: int) -> NDArray[np.float64]:
    return arrays.x if axis == 0 else arrays.y


@njit
def _coordinate(arrays: Kd, i: int, axis: int) -> float:
    value: float = arrays.x[i] if axis == 0 else arrays.y[i]
    return value


build, _add, _remove = balanced(__name__, _measure, _join, _choose_axis, _along, _coordinate)


@njit
def update(arrays: Kd, i: int, y: float) -> None:
    """Give an object a new y; +inf takes it out of the index. O(log^2 n), amortised."""
    if arrays.leaf[i] >= 0:
        _remove(arrays, i)
    arrays.y[i] = y
    if y < np.inf:
        _add(arrays, i)


@njit
def _push(arrays: Kd, size: int, key: float, node: int) -> None:
    """Push a node on the heap of `size` entries, greatest key on top."""
    keys, heap = arrays.heap_key, arrays.heap
    j = size
    while j > 0:
        up = (j - 1) // 2
        if keys[up] >= key:
            break
        keys[j], heap[j] = keys[up], heap[up]
        j = up
    keys[j], heap[j] = key, node


@njit
def _pop(arrays: Kd, size: int) -> int:
    """Take the top of the heap of `size` entries."""
    keys, heap = arrays.heap_key, arrays.heap
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
def _reach(arrays: Kd, node: int, y: float, west: bool) -> float:
    """How near (greater is nearer) an object of the node below y can be; -inf when there is none."""
    if arrays.box[node, 2] > y:
        return -np.inf
    reach: float = arrays.box[node, 1] if west else -arrays.box[node, 0]
    return reach


@njit
def first_k(arrays: Kd, i: int, y: float, west: bool, k: int, out: NDArray[np.int64]) -> int:
    """Write the k nearest objects west (east) of an object and below (y, i) to `out`; return how many.

    The order is that of (x, id), nearest first. Nodes are opened nearest first, so that only those which meet the
    answer's quadrant down to its last object are: O(sqrt n + k) of them, each for O(log n).
    """
    sign = 1 if west else -1
    here = sign * arrays.x[i]
    count = 0
    size = 0
    if arrays.size[ROOT] > 0:
        _push(arrays, 0, min(here, _reach(arrays, ROOT, y, west)), ROOT)
        size = 1
    while size > 0 and arrays.heap_key[0] > -np.inf:
        if count == k and arrays.heap_key[0] < sign * arrays.x[out[k - 1]]:
            break
        node = _pop(arrays, size)
        size -= 1
        if arrays.left[node] >= 0:
            # A node that reaches beyond the object competes with what lies at the object itself.
            for child in (arrays.left[node], arrays.right[node]):
                behind = arrays.box[child, 0] > here if west else -arrays.box[child, 1] > here
                reach = _reach(arrays, child, y, west)
                if reach > -np.inf and not behind:
                    _push(arrays, size, min(here, reach), child)
                    size += 1
            continue
        for j in range(arrays.size[node]):
            h = arrays.members[node, j]
            u = sign * arrays.x[h]
            if u > here or (u == here and sign * h >= sign * i):
                continue
            if arrays.y[h] > y or (arrays.y[h] == y and h >= i):
                continue
            p = count
            while p > 0:
                v = sign * arrays.x[out[p - 1]]
                if v > u or (v == u and sign * out[p - 1] > sign * h):
                    break
                if p < k:
                    out[p] = out[p - 1]
                p -= 1
            if p < k:
                out[p] = h
                count = min(count + 1, k)
    return count


@njit
def min_y(arrays: Kd, left: float, right: float, y: float, i: int) -> int:
    """Return the object with the least (y, id) above (y, i) among those with left < x < right, or -1. O(sqrt n).

    A node inside the strip and above the bound answers by its lowest object, so that only those are opened whose
    box a side of the query crosses.
    """
    found = -1
    heap = arrays.heap
    heap[0] = ROOT
    size = 1
    while size > 0:
        size -= 1
        node = heap[size]
        h = arrays.lowest[node]
        if h < 0 or arrays.box[node, 1] <= left or arrays.box[node, 0] >= right or arrays.box[node, 3] < y:
            continue
        if found >= 0 and (arrays.y[h] > arrays.y[found] or (arrays.y[h] == arrays.y[found] and h > found)):
            continue
        inside = left < arrays.box[node, 0] and arrays.box[node, 1] < right
        if inside and (arrays.y[h] > y or (arrays.y[h] == y and h > i)):
            found = h
        elif arrays.left[node] >= 0:
            heap[size], heap[size + 1] = arrays.right[node], arrays.left[node]
            size += 2
        else:
            for j in range(arrays.size[node]):
                h = arrays.members[node, j]
                if not (left < arrays.x[h] < right) or arrays.y[h] < y or (arrays.y[h] == y and h <= i):
                    continue
                if found < 0 or arrays.y[h] < arrays.y[found] or (arrays.y[h] == arrays.y[found] and h < found):
                    found = h
    return found
