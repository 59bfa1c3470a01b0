"""The object index over several attributes: a kd-tree over x with the least (y, id) of every node (Section IV-C).

Cells are cut at the median of their wider attribute, ties ordered by (x, id), down to leaves of at most `LEAF`
objects; every node keeps the smallest box around its objects. An object that is not live (y = +inf) is in no leaf.
Insertion and deletion keep the tree in balance by the scapegoat rule, as `paint.kd` does, O(log^2 n) amortised; a new
y only changes who is least on the way to the root, O(log n). `paint.corner_search` holds the questions of an event.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.kd import select

__all__ = ["FREE", "LEAF", "ROOT", "CornerTree", "below", "build", "empty", "update"]

LEAF = 8
ROOT = 0
FREE = 0

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class CornerTree(NamedTuple):
    """A kd-tree in flat arrays: the first four by object, the others by node.

    Attributes
    ----------
    x : float64 array of shape (n, d)
        Attributes by object id.
    y : float64 array of n
        +inf for an object that is not live.
    leaf : int64 array of n
        Leaf that holds the object, -1 when it is not live.
    order : int64 array of n
        Scratch of `build`: the objects of a subtree.
    left, right, parent : int64 arrays
        Children, -1 for a leaf, and parent, -1 for the root.
    axis, cut, cut_object : int64, float64 and int64 arrays
        Attribute that the node is cut by; the first object of the right child had that value and id.
    size : int64 array
        Number of objects.
    box : float64 array of shape (nodes, 2, d)
        Least and greatest value of each attribute.
    lowest : int64 array
        Object with the least (y, id) of the node, -1 if it has none.
    members : int64 array of shape (nodes, LEAF)
        Objects of a leaf.
    free, counts : int64 arrays
        Stack of the nodes not in use, and its height.
    """

    x: Floats
    y: Floats
    leaf: Ids
    order: Ids
    left: Ids
    right: Ids
    parent: Ids
    axis: Ids
    cut: Floats
    cut_object: Ids
    size: Ids
    box: Floats
    lowest: Ids
    members: Ids
    free: Ids
    counts: Ids


def empty(objects: int, attributes: int) -> CornerTree:
    """Arrays for that many object ids, none of them live; balance leaves no more nodes than ids (and the root)."""
    nodes = objects + LEAF
    return CornerTree(
        x=np.zeros((objects, attributes)),
        y=np.full(objects, np.inf),
        leaf=np.full(objects, -1, np.int64),
        order=np.empty(objects, np.int64),
        left=np.full(nodes, -1, np.int64),
        right=np.full(nodes, -1, np.int64),
        parent=np.full(nodes, -1, np.int64),
        axis=np.zeros(nodes, np.int64),
        cut=np.zeros(nodes),
        cut_object=np.zeros(nodes, np.int64),
        size=np.zeros(nodes, np.int64),
        box=np.tile(np.array([[np.inf], [-np.inf]]), (nodes, 1, attributes)),
        lowest=np.full(nodes, -1, np.int64),
        members=np.empty((nodes, LEAF), np.int64),
        free=np.arange(nodes - 1, ROOT, -1, dtype=np.int64),
        counts=np.array([nodes - 1]),
    )


@njit
def below(y_1: float, id_1: int, y_2: float, id_2: int) -> bool:
    """Whether the first (y, id) ranks above the second."""
    return y_1 < y_2 or (y_1 == y_2 and id_1 < id_2)


@njit
def _measure(tree: CornerTree, node: int, objects: Ids) -> None:
    """Set size, box and lowest object of a node from the objects in it."""
    box = tree.box[node]
    for j in range(box.shape[1]):
        box[0, j], box[1, j] = np.inf, -np.inf
    lowest = -1
    for h in objects:
        for j in range(box.shape[1]):
            box[0, j], box[1, j] = min(box[0, j], tree.x[h, j]), max(box[1, j], tree.x[h, j])
        if lowest < 0 or below(tree.y[h], h, tree.y[lowest], lowest):
            lowest = h
    tree.lowest[node] = lowest
    tree.size[node] = len(objects)


@njit
def _join_lowest(tree: CornerTree, node: int) -> int:
    h, j = tree.lowest[tree.left[node]], tree.lowest[tree.right[node]]
    if h < 0 or (j >= 0 and below(tree.y[j], j, tree.y[h], h)):
        return int(j)
    return int(h)


@njit
def build(tree: CornerTree, top: int, size: int) -> None:
    """Make `top`, whose parent is set, the root of a balanced tree over tree.order[:size]; O(size log size)."""
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
        axis = 0
        for j in range(1, tree.x.shape[1]):
            if tree.box[node, 1, j] - tree.box[node, 0, j] > tree.box[node, 1, axis] - tree.box[node, 0, axis]:
                axis = j
        middle = (low + high) // 2
        select(tree.x[:, axis], tree.order, low, high, middle)
        tree.axis[node] = axis
        tree.cut[node], tree.cut_object[node] = tree.x[tree.order[middle], axis], tree.order[middle]
        tree.counts[FREE] -= 2
        a, b = tree.free[tree.counts[FREE]], tree.free[tree.counts[FREE] + 1]
        tree.left[node], tree.right[node] = a, b
        tree.parent[a] = tree.parent[b] = node
        pending.append((a, low, middle))
        pending.append((b, middle, high))


@njit
def _rebuild(tree: CornerTree, top: int) -> None:
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
            tree.free[tree.counts[FREE]] = node
            tree.counts[FREE] += 1
    build(tree, top, size)


@njit
def _restore(tree: CornerTree, leaf: int) -> None:
    """Bring the ancestors of a changed leaf up to date; build the topmost one out of balance anew."""
    worst = -1
    node = tree.parent[leaf]
    while node >= 0:
        a, b = tree.left[node], tree.right[node]
        tree.size[node] = tree.size[a] + tree.size[b]
        for j in range(tree.x.shape[1]):
            tree.box[node, 0, j] = min(tree.box[a, 0, j], tree.box[b, 0, j])
            tree.box[node, 1, j] = max(tree.box[a, 1, j], tree.box[b, 1, j])
        tree.lowest[node] = _join_lowest(tree, node)
        if 2 * tree.size[node] <= LEAF or 4 * max(tree.size[a], tree.size[b]) > 3 * tree.size[node]:
            worst = node
        node = tree.parent[node]
    if worst >= 0:
        _rebuild(tree, worst)


@njit
def _remove(tree: CornerTree, i: int) -> None:
    """Take a live object out of its leaf."""
    leaf = tree.leaf[i]
    last = tree.size[leaf] - 1
    for j in range(last):
        if tree.members[leaf, j] == i:
            tree.members[leaf, j] = tree.members[leaf, last]
            break
    tree.leaf[i] = -1
    _measure(tree, leaf, tree.members[leaf, :last])
    _restore(tree, leaf)


@njit
def _add(tree: CornerTree, i: int) -> None:
    """Put an object that is in no leaf into the leaf of its cell, cutting the leaf when it is full."""
    node = ROOT
    while tree.left[node] >= 0:
        value, cut = tree.x[i, tree.axis[node]], tree.cut[node]
        under = value < cut or (value == cut and i < tree.cut_object[node])
        node = tree.left[node] if under else tree.right[node]
    size = tree.size[node]
    if size < LEAF:
        tree.members[node, size] = i
        tree.leaf[i] = node
        _measure(tree, node, tree.members[node, : size + 1])
    else:
        tree.order[:size] = tree.members[node]
        tree.order[size] = i
        build(tree, node, size + 1)
    _restore(tree, node)


@njit
def update(tree: CornerTree, i: int, y: float) -> None:
    """Give an object a new y; +inf takes it out of the index, a finite one puts it in. O(log n) if it is there."""
    old = tree.y[i]
    if y == np.inf:
        if old < np.inf:
            _remove(tree, i)
        tree.y[i] = y
        return
    tree.y[i] = y
    if tree.leaf[i] < 0:
        _add(tree, i)
        return
    node = tree.leaf[i]
    lowest = i
    for j in range(tree.size[node]):
        h = tree.members[node, j]
        if below(tree.y[h], h, tree.y[lowest], lowest):
            lowest = h
    while node >= 0:
        # A node whose least object is another, before and after, hides the change from those above.
        if tree.lowest[node] == lowest and lowest != i:
            return
        tree.lowest[node] = lowest
        node = tree.parent[node]
        if node >= 0:
            lowest = _join_lowest(tree, node)
