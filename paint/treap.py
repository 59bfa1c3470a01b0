"""Treaps over objects in (y, id) order, many to a row of child pointers: the secondary trees of the range tree.

`lower` and `upper` give an object's children, with smaller and larger (y, id); -1 is none. Treaps that hold disjoint
sets of objects share the two rows, and `root` names the root of each. An object's priority, the same everywhere, is
at least that of its children; mixed from the id, it is as good as random, so that paths are O(log s) long, expected.
"""

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit

__all__ = ["above", "add", "build", "in_order", "priorities", "remove"]

Ids = NDArray[np.int64]
Links = NDArray[np.int32]
Floats = NDArray[np.float64]


def priorities(objects: int) -> Ids:
    """Mix the ids 0..objects - 1 into priorities, no two alike."""
    mixed = np.arange(1, objects + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))).view(np.int64)


@njit
def add(root: Ids, tree: int, lower: Links, upper: Links, priority: Ids, y: Floats, i: int) -> None:
    """Add object i to a treap: find its place by priority, then split what hangs there. O(log s), expected."""
    parent, under = -1, False
    at = root[tree]
    while at >= 0 and priority[at] >= priority[i]:
        parent, under = at, y[i] < y[at] or (y[i] == y[at] and i < at)
        at = lower[at] if under else upper[at]
    if parent < 0:
        root[tree] = i
    elif under:
        lower[parent] = i
    else:
        upper[parent] = i
    # `small` and `large` are the objects whose upper and lower child the rest of the split still has to set.
    small, large = i, i
    while at >= 0:
        if y[at] < y[i] or (y[at] == y[i] and at < i):
            if small == i:
                lower[i] = at
            else:
                upper[small] = at
            small, at = at, upper[at]
        else:
            if large == i:
                upper[i] = at
            else:
                lower[large] = at
            large, at = at, lower[at]
    if small == i:
        lower[i] = -1
    else:
        upper[small] = -1
    if large == i:
        upper[i] = -1
    else:
        lower[large] = -1


@njit
def remove(root: Ids, tree: int, lower: Links, upper: Links, priority: Ids, y: Floats, i: int) -> None:
    """Remove object i from a treap that holds it, merging its children into its place. O(log s), expected."""
    parent, under = -1, False
    at = root[tree]
    while at != i:
        parent, under = at, y[i] < y[at] or (y[i] == y[at] and i < at)
        at = lower[at] if under else upper[at]
    a, b = lower[i], upper[i]
    while True:
        first = a >= 0 and (b < 0 or priority[a] >= priority[b])
        child = a if first else b
        if parent < 0:
            root[tree] = child
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
def above(at: int, lower: Links, upper: Links, y: Floats, bound: float, i: int) -> int:
    """Return the least object above (bound, i) in the treap whose root is `at`, or -1. O(log s), expected."""
    found = -1
    while at >= 0:
        if y[at] > bound or (y[at] == bound and at > i):
            found, at = at, lower[at]
        else:
            at = upper[at]
    return found


@njit
def in_order(at: int, lower: Links, upper: Links, out: Ids) -> int:
    """Write the objects of the treap whose root is `at` to `out`, in order; return how many."""
    count = 0
    path = [0]
    path.clear()
    while at >= 0 or len(path) > 0:
        while at >= 0:
            path.append(at)
            at = lower[at]
        at = path.pop()
        out[count] = at
        count += 1
        at = upper[at]
    return count


@njit
def build(root: Ids, first: int, trees: Ids, ids: Ids, lower: Links, upper: Links, priority: Ids) -> None:
    """Build treaps over ids in (y, id) order, object ids[j] in treap first + trees[j]. O(s).

    Each object ends the upper spine of its treap; those of smaller priority on the spine become its lower child.
    """
    up = np.empty(ids.size, np.int64)
    tail = np.full(root.size - first, -1, np.int64)
    root[first:] = -1
    for j in range(ids.size):
        i = ids[j]
        at, child = tail[trees[j]], -1
        while at >= 0 and priority[ids[at]] < priority[i]:
            child, at = ids[at], up[at]
        lower[i], upper[i] = child, -1
        if at < 0:
            root[first + trees[j]] = i
        else:
            upper[ids[at]] = i
        up[j] = at
        tail[trees[j]] = j
