"""The object index over several attributes: a kd-tree over x with the least (y, id) of every node (Section IV-C).

Cells are cut by their wider attribute, but by one without a left side only when they are small. What an event asks
for is then a strip: some k objects wide in the other attributes, and as long as that one. It runs through O(sqrt n)
square cells in 1.5 dimensions, and through few long ones. `paint.scapegoat` has what cutting and balance do not
depend on. Insertion and deletion take O(log^2 n), amortised; a new y only changes who is least on the way to the
root, O(log n). `paint.corner_search` holds the questions of an event.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.scapegoat import FREE, LEAF, ROOT, balanced, below, lower, node_arrays

__all__ = ["FREE", "LEAF", "ROOT", "CornerTree", "below", "build", "empty", "update"]

STRIP = 64
"""Objects up to which a cell is cut by an attribute without a left side: three times, down to leaves."""

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
    two_sided : int
        Attributes with two sides: all, or all but the last.
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
    two_sided: int


def empty(objects: int, attributes: int, two_sided: int) -> CornerTree:
    """Arrays for that many object ids, none of them live."""
    return CornerTree(
        x=np.zeros((objects, attributes)),
        y=np.full(objects, np.inf),
        box=np.tile(np.array([[np.inf], [-np.inf]]), (objects + LEAF, 1, attributes)),
        two_sided=two_sided,
        **node_arrays(objects),
    )


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
def _join(tree: CornerTree, node: int) -> None:
    """Set size, box and lowest object of an inner node from its children."""
    a, b = tree.left[node], tree.right[node]
    tree.size[node] = tree.size[a] + tree.size[b]
    for j in range(tree.x.shape[1]):
        tree.box[node, 0, j] = min(tree.box[a, 0, j], tree.box[b, 0, j])
        tree.box[node, 1, j] = max(tree.box[a, 1, j], tree.box[b, 1, j])
    h, i = tree.lowest[a], tree.lowest[b]
    tree.lowest[node] = lower(tree.y[h], h, tree.y[i], i)


@njit
def _spread(tree: CornerTree, node: int, axis: int) -> float:
    spread: float = tree.box[node, 1, axis] - tree.box[node, 0, axis]
    return spread


@njit
def _choose_axis(tree: CornerTree, node: int) -> int:
    """Cut the attribute with two sides that the node's objects are spread over most; see the module for the other."""
    axis = 0
    for j in range(1, tree.two_sided):
        if _spread(tree, node, j) > _spread(tree, node, axis):
            axis = j
    last = tree.x.shape[1] - 1
    if tree.two_sided <= last and (tree.size[node] <= STRIP or _spread(tree, node, axis) == 0):
        return last if _spread(tree, node, last) > 0 else axis
    return axis


@njit
def _along(tree: CornerTree, axis: int) -> Floats:
    return tree.x[:, axis]


@njit
def _coordinate(tree: CornerTree, i: int, axis: int) -> float:
    value: float = tree.x[i, axis]
    return value


build, _add, _remove = balanced(__name__, _measure, _join, _choose_axis, _along, _coordinate)


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
            h, j = tree.lowest[tree.left[node]], tree.lowest[tree.right[node]]
            lowest = lower(tree.y[h], h, tree.y[j], j)
