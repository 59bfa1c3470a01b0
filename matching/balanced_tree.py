"""Building and changing kd-trees over subscriptions: what does not depend on the number of their sides.

Every node keeps the smallest closed box around its subscriptions and their number. A subtree is built by cutting the
widest side of the box near the median. An insertion goes down to a leaf; a full leaf is split in two. Splitting is
when a tree can grow lopsided, so then the highest node that has more than `matching.blocks.LOPSIDED` of its
subscriptions in one child is rebuilt as a whole. That costs O(log^2 m) per insertion amortised, however the
insertions are chosen, and keeps the depth logarithmic (scapegoat trees). A deletion finds its leaf through the id and
mends the boxes upward, O(log m); the owner rebuilds the whole tree once half of it is gone.

Points are arrays of shape (D, m), a row per side. A kind of tree brings the parts in the form of the functions at the
top, and gets the others from `tree_kernels`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernel_parts import by_name, with_parts
from floor.kernels import njit
from matching.blocks import (
    AXIS,
    BLOCK,
    CHILD,
    FILL,
    ISSUED,
    PARENT,
    PEAK,
    SIZE,
    Floats,
    Ids,
    following,
    has_room,
    leaves,
    lopsided,
    release,
    take_block,
    take_pair,
)

__all__ = ["TreeKernels", "tree_kernels"]


class TreeKernels(NamedTuple):
    """The kernels of a kind of tree; see the functions of these names."""

    split_leaf: Callable[..., bool]
    cut: Callable[..., int]
    build: Callable[..., None]
    collect: Callable[..., tuple[Floats, Ids]]
    grow: Callable[..., None]
    insert_one: Callable[..., int]
    insert: Callable[..., int]
    refit: Callable[..., bool]
    shrink: Callable[..., None]
    delete_one: Callable[..., bool]
    delete: Callable[..., None]


@njit
def sides(tree: Any) -> int:
    """D, the number of sides."""
    raise NotImplementedError


@njit
def least(tree: Any, node: int, side: int) -> float:
    """Least coordinate of a node's box."""
    raise NotImplementedError


@njit
def most(tree: Any, node: int, side: int) -> float:
    """Greatest coordinate of a node's box."""
    raise NotImplementedError


@njit
def set_bounds(tree: Any, node: int, side: int, lower: float, upper: float) -> None:
    """Set the least and greatest coordinate of a node's box."""
    raise NotImplementedError


@njit
def fit_box(tree: Any, node: int, points: Floats, lo: int, hi: int) -> None:
    """Set a node's box to the smallest one around the points [lo, hi)."""
    raise NotImplementedError


@njit
def end_at(tree: Any, block: int, side: int, at: int) -> float:
    """Coordinate of the subscription at a place of a block."""
    raise NotImplementedError


@njit
def set_end(tree: Any, block: int, side: int, at: int, value: float) -> None:
    """Set a coordinate of the subscription at a place of a block."""
    raise NotImplementedError


@njit
def clear(tree: Any, block: int, start: int, stop: int) -> None:
    """Mark places of a block as free, for queries that look at all of them."""
    raise NotImplementedError


@njit
def _select(tree: Any, points: Floats, ids: Ids, axis: int, lo: int, hi: int, nth: int) -> None:
    """Reorder the points [lo, hi) so that the nth is in its place by a coordinate, smaller before, larger behind.

    Quickselect with Hoare's partition, which stays balanced on equal keys; the pivot is the median of three drawn
    from a fixed linear congruence, so that no natural order of the input is a bad one. Expected O(hi - lo).
    """
    hi -= 1
    draw = 1
    key = points[axis]
    while lo < hi:
        size = hi - lo + 1
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        a, b, c = key[lo + draw % size], key[lo + size // 2], key[lo + (draw >> 8) % size]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = lo - 1, hi + 1
        while True:
            i += 1
            while key[i] < pivot:
                i += 1
            j -= 1
            while key[j] > pivot:
                j -= 1
            if i >= j:
                break
            for side in range(sides(tree)):
                points[side, i], points[side, j] = points[side, j], points[side, i]
            ids[i], ids[j] = ids[j], ids[i]
        if nth <= j:
            hi = j
        else:
            lo = j + 1


@njit
def cut(tree: Any, node: int, points: Floats, ids: Ids, lo: int, hi: int, middle: int) -> int:
    """Split the widest side of a node's box at a point of its points [lo, hi), which it reorders; the first child.

    The points before `middle` belong to the first child, the others to the second; expected O(hi - lo).
    """
    axis = 0
    for side in range(1, sides(tree)):
        if most(tree, node, side) - least(tree, node, side) > most(tree, node, axis) - least(tree, node, axis):
            axis = side
    _select(tree, points, ids, axis, lo, hi, middle)
    first = take_pair(tree)
    tree.link[node, AXIS], tree.link[node, CHILD] = axis, first
    tree.split[node] = points[axis, middle]
    tree.link[first, PARENT] = tree.link[first + 1, PARENT] = node
    return first


@njit
def build(tree: Any, root: int, points: Floats, ids: Ids, leaf_size: int) -> None:
    """Build the subtree of a node from points, which it reorders: O(s log s) for s points.

    Splits near the median, so that ceil(s / leaf_size) leaves are nearly equally full; the node's parent, and room
    for the pairs and blocks, must be there.
    """
    pending = [(root, 0, ids.size)]
    while len(pending) > 0:
        node, lo, hi = pending.pop()
        fit_box(tree, node, points, lo, hi)
        tree.link[node, SIZE] = hi - lo
        parts = (hi - lo + leaf_size - 1) // leaf_size
        if parts <= 1:
            block = take_block(tree)
            tree.link[node, CHILD] = ~block
            tree.node_of[block] = node
            clear(tree, block, 0, BLOCK)
            for i in range(lo, hi):
                _put(tree, block * BLOCK + i - lo, points, i, ids[i])
            continue
        middle = lo + (hi - lo) * (parts // 2) // parts
        first = cut(tree, node, points, ids, lo, hi, middle)
        pending.append((first + 1, middle, hi))
        pending.append((first, lo, middle))


@njit
def _put(tree: Any, slot: int, points: Floats, i: int, subscription: int) -> None:
    """Write a subscription into a slot."""
    for side in range(sides(tree)):
        set_end(tree, slot // BLOCK, side, slot % BLOCK, points[side, i])
    tree.id[slot] = subscription
    tree.slot[subscription] = slot


@njit
def collect(tree: Any, root: int, extra: int) -> tuple[Floats, Ids]:
    """Points of a subtree and their ids, with a number of unset ones at the end."""
    size = tree.link[root, SIZE] + extra
    points = np.empty((sides(tree), size))
    ids = np.empty(size, np.int32)
    to = 0
    node = root
    while node >= 0:
        child = tree.link[node, CHILD]
        if child > 0:
            node = child
            continue
        for at in range(tree.link[node, SIZE]):
            for side in range(sides(tree)):
                points[side, to] = end_at(tree, ~child, side, at)
            ids[to] = tree.id[~child * BLOCK + at]
            to += 1
        node = following(tree.link, node, root)
    return points, ids


@njit
def _rebuild(tree: Any, node: int, leaf_size: int) -> None:
    points, ids = collect(tree, node, 0)
    release(tree, node)
    build(tree, node, points, ids, leaf_size)


@njit
def split_leaf(tree: Any, leaf: int) -> bool:
    """Split a full leaf and mend what grew lopsided by it; False when room ran out on the way."""
    if not has_room(tree, 1, 1):
        return False
    _rebuild(tree, leaf, BLOCK // 2)
    top = lopsided(tree, leaf)
    if top < 0:
        return True
    more = (tree.link[top, SIZE] + FILL - 1) // FILL - leaves(tree, top)
    if not has_room(tree, more, more):
        return False
    _rebuild(tree, top, FILL)
    return True


@njit
def _leaf_for(tree: Any, points: Floats, i: int) -> int:
    """The leaf where a point belongs; of two that may hold it, the one with fewer subscriptions."""
    node = 0
    while tree.link[node, CHILD] > 0:
        value = points[tree.link[node, AXIS], i]
        first = tree.link[node, CHILD]
        second = value > tree.split[node]
        if value == tree.split[node]:
            second = tree.link[first + 1, SIZE] < tree.link[first, SIZE]
        node = first + 1 if second else first
    return node


@njit
def grow(tree: Any, node: int, points: Floats, i: int) -> None:
    """Count one more point in a leaf and in all nodes above, and stretch their boxes to it."""
    while True:
        tree.link[node, SIZE] += 1
        for side in range(sides(tree)):
            value = points[side, i]
            set_bounds(tree, node, side, min(least(tree, node, side), value), max(most(tree, node, side), value))
        if node == 0:
            return
        node = tree.link[node, PARENT]


@njit
def insert_one(tree: Any, points: Floats, i: int) -> int:
    """Insert a point under the next id, for which there must be room, and return the id; -1 when blocks ran out."""
    state = tree.state
    leaf = _leaf_for(tree, points, i)
    if tree.link[leaf, SIZE] == BLOCK:
        if not split_leaf(tree, leaf):
            return -1
        leaf = _leaf_for(tree, points, i)
    _put(tree, ~tree.link[leaf, CHILD] * BLOCK + tree.link[leaf, SIZE], points, i, state[ISSUED])
    state[ISSUED] += 1
    grow(tree, leaf, points, i)
    state[PEAK] = max(state[PEAK], tree.link[0, SIZE])
    return int(state[ISSUED] - 1)


@njit
def insert(tree: Any, points: Floats, start: int) -> int:
    """Insert the points start, start + 1, ... as `insert_one` does; returns the first one that found no block."""
    for i in range(start, points.shape[1]):
        if insert_one(tree, points, i) < 0:
            return i
    return int(points.shape[1])


@njit
def refit(tree: Any, node: int) -> bool:
    """Make an inner node's box that of its children; whether it changed."""
    first = tree.link[node, CHILD]
    changed = False
    for side in range(sides(tree)):
        lower = min(least(tree, first, side), least(tree, first + 1, side))
        upper = max(most(tree, first, side), most(tree, first + 1, side))
        changed |= lower != least(tree, node, side) or upper != most(tree, node, side)
        set_bounds(tree, node, side, lower, upper)
    return changed


@njit
def shrink(tree: Any, leaf: int, changed: bool) -> None:
    """Count one point less in all nodes above a leaf, and mend their boxes if that of the leaf changed."""
    node = leaf
    while node != 0:
        node = tree.link[node, PARENT]
        tree.link[node, SIZE] -= 1
        if changed:
            changed = refit(tree, node)


@njit
def _refit_leaf(tree: Any, leaf: int) -> None:
    """Make a leaf's box the smallest around its subscriptions."""
    block = ~tree.link[leaf, CHILD]
    for side in range(sides(tree)):
        lower, upper = np.inf, -np.inf
        for at in range(tree.link[leaf, SIZE]):
            value = end_at(tree, block, side, at)
            lower, upper = min(lower, value), max(upper, value)
        set_bounds(tree, leaf, side, lower, upper)


@njit
def delete_one(tree: Any, subscription: int) -> bool:
    """Delete the subscription with an id; False when there is none. O(log m)."""
    if subscription < 0 or subscription >= tree.state[ISSUED] or tree.slot[subscription] < 0:
        return False
    slot = tree.slot[subscription]
    tree.slot[subscription] = -1
    block, at = slot // BLOCK, slot % BLOCK
    node = int(tree.node_of[block])
    last = tree.link[node, SIZE] - 1
    changed = False
    for side in range(sides(tree)):
        value = end_at(tree, block, side, at)
        changed |= value == least(tree, node, side) or value == most(tree, node, side)
        set_end(tree, block, side, at, end_at(tree, block, side, last))
    if at != last:
        tree.id[slot] = tree.id[block * BLOCK + last]
        tree.slot[tree.id[slot]] = slot
    clear(tree, block, last, last + 1)
    tree.link[node, SIZE] = last
    if changed:
        _refit_leaf(tree, node)
    shrink(tree, node, changed)
    return True


@njit
def delete(tree: Any, ids: npt.NDArray[np.int64]) -> None:
    """Delete subscriptions by id; all must be there, none twice."""
    for i in range(ids.size):
        delete_one(tree, ids[i])


def tree_kernels(module: str, *parts: Callable[..., Any]) -> TreeKernels:
    """Compile the kernels of a kind of tree for the module that brings the parts; they go by their names."""
    own = (_select, _put, _rebuild, _leaf_for, _refit_leaf)
    given = (split_leaf, cut, build, collect, grow, insert_one, insert, refit, shrink, delete_one, delete)
    return TreeKernels(*with_parts(module, *own, *given, **by_name(parts))[len(own) :])
