"""Kd-trees of objects that stay in balance: what does not depend on what their cells are cut by.

Cells are cut at the median, ties ordered by id, down to leaves of at most `LEAF` objects; an object that is not live
(y = +inf) is in no leaf. Every node keeps the smallest box around its objects and the least (y, id) of them. A
subtree whose halves drift out of balance, or that holds too few objects, is built anew (the scapegoat rule), which
costs O(log^2 n) per insertion or deletion, amortised.

A kind of tree brings the parts in the form of the five functions at the top, and gets `build`, `add` and `remove`
from `balanced`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernel_parts import by_name, with_parts
from floor.kernels import njit

__all__ = ["FREE", "LEAF", "ROOT", "Balanced", "balanced", "below", "lower", "node_arrays", "select"]

LEAF = 8
ROOT = 0
FREE = 0

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class Balanced(NamedTuple):
    """The kernels of a kind of tree."""

    build: Callable[[Any, int, int], None]
    """Make a node, whose parent is set, the root of a balanced tree over tree.order[:size]; O(size log size)."""
    add: Callable[[Any, int], None]
    """Put an object that is in no leaf into the leaf of its cell."""
    remove: Callable[[Any, int], None]
    """Take a live object out of its leaf."""


@njit
def measure(tree: Any, node: int, objects: Ids) -> None:
    """Set size, box and lowest object of a node from the objects in it."""
    raise NotImplementedError


@njit
def join(tree: Any, node: int) -> None:
    """Set size, box and lowest object of an inner node from its children."""
    raise NotImplementedError


@njit
def choose_axis(tree: Any, node: int) -> int:
    """Axis to cut a measured node by."""
    raise NotImplementedError


@njit
def along(tree: Any, axis: int) -> Floats:
    """Coordinates of all objects on an axis."""
    raise NotImplementedError


@njit
def coordinate(tree: Any, i: int, axis: int) -> float:
    """Coordinate of one object on an axis."""
    raise NotImplementedError


def node_arrays(objects: int) -> dict[str, Any]:
    """Arrays that every tree has for that many object ids, none of them live: `leaf` and `order` by object.

    Balance leaves no more nodes than ids (and the root).
    """
    nodes = objects + LEAF
    return {
        "leaf": np.full(objects, -1, np.int64),
        "order": np.empty(objects, np.int64),
        "left": np.full(nodes, -1, np.int64),
        "right": np.full(nodes, -1, np.int64),
        "parent": np.full(nodes, -1, np.int64),
        "axis": np.zeros(nodes, np.int64),
        "cut": np.zeros(nodes),
        "cut_object": np.zeros(nodes, np.int64),
        "size": np.zeros(nodes, np.int64),
        "lowest": np.full(nodes, -1, np.int64),
        "members": np.empty((nodes, LEAF), np.int64),
        "free": np.arange(nodes - 1, ROOT, -1, dtype=np.int64),
        "counts": np.array([nodes - 1]),
    }


@njit
def below(y_1: float, id_1: int, y_2: float, id_2: int) -> bool:
    """Whether the first (y, id) ranks above the second."""
    return y_1 < y_2 or (y_1 == y_2 and id_1 < id_2)


@njit
def lower(y_1: float, id_1: int, y_2: float, id_2: int) -> int:
    """The one of two objects with the lesser (y, id); -1 stands for none.

    It takes numbers. If it took arrays, or the tree, their references would be counted at every node of a way up, and
    an update of a kd-tree would take seven times as long.
    """
    return id_2 if id_1 < 0 or (id_2 >= 0 and below(y_2, id_2, y_1, id_1)) else id_1


@njit
def select(values: Floats, order: Ids, low: int, high: int, middle: int) -> None:
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
        h, j = low, high
        while h <= j:
            while values[order[h]] < value or (values[order[h]] == value and order[h] < pivot):
                h += 1
            while values[order[j]] > value or (values[order[j]] == value and order[j] > pivot):
                j -= 1
            if h <= j:
                order[h], order[j] = order[j], order[h]
                h += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= h:
            low = h
        else:
            return


@njit
def build(tree: Any, top: int, size: int) -> None:
    """Make `top`, whose parent is set, the root of a balanced tree over tree.order[:size]; O(size log size)."""
    pending = [(top, 0, size)]
    while len(pending) > 0:
        node, low, high = pending.pop()
        measure(tree, node, tree.order[low:high])
        if high - low <= LEAF:
            tree.left[node] = tree.right[node] = -1
            for j in range(low, high):
                tree.members[node, j - low] = tree.order[j]
                tree.leaf[tree.order[j]] = node
            continue
        axis = choose_axis(tree, node)
        values = along(tree, axis)
        middle = (low + high) // 2
        select(values, tree.order, low, high, middle)
        tree.axis[node] = axis
        tree.cut[node], tree.cut_object[node] = values[tree.order[middle]], tree.order[middle]
        tree.counts[FREE] -= 2
        a, b = tree.free[tree.counts[FREE] + 1], tree.free[tree.counts[FREE]]
        tree.left[node], tree.right[node] = a, b
        tree.parent[a] = tree.parent[b] = node
        pending.append((a, low, middle))
        pending.append((b, middle, high))


@njit
def _rebuild(tree: Any, top: int) -> None:
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
def _restore(tree: Any, leaf: int) -> None:
    """Bring the ancestors of a changed leaf up to date; build the topmost one out of balance anew."""
    worst = -1
    node = tree.parent[leaf]
    while node >= 0:
        join(tree, node)
        largest = max(tree.size[tree.left[node]], tree.size[tree.right[node]])
        if 2 * tree.size[node] <= LEAF or 4 * largest > 3 * tree.size[node]:
            worst = node
        node = tree.parent[node]
    if worst >= 0:
        _rebuild(tree, worst)


@njit
def remove(tree: Any, i: int) -> None:
    """Take a live object out of its leaf."""
    leaf = tree.leaf[i]
    last = tree.size[leaf] - 1
    for j in range(last):
        if tree.members[leaf, j] == i:
            tree.members[leaf, j] = tree.members[leaf, last]
            break
    tree.leaf[i] = -1
    measure(tree, leaf, tree.members[leaf, :last])
    _restore(tree, leaf)


@njit
def add(tree: Any, i: int) -> None:
    """Put an object that is in no leaf into the leaf of its cell, cutting the leaf when it is full."""
    node = ROOT
    while tree.left[node] >= 0:
        value, cut = coordinate(tree, i, tree.axis[node]), tree.cut[node]
        under = value < cut or (value == cut and i < tree.cut_object[node])
        node = tree.left[node] if under else tree.right[node]
    size = tree.size[node]
    if size < LEAF:
        tree.members[node, size] = i
        tree.leaf[i] = node
        measure(tree, node, tree.members[node, : size + 1])
    else:
        tree.order[:size] = tree.members[node]
        tree.order[size] = i
        build(tree, node, size + 1)
    _restore(tree, node)


def balanced(module: str, *parts: Callable[..., Any]) -> Balanced:
    """Compile the kernels of a kind of tree for the module that brings the five parts; they go by their names."""
    made = with_parts(module, build, _rebuild, _restore, remove, add, **by_name(parts))
    return Balanced(build=made[0], add=made[4], remove=made[3])
