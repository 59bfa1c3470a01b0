"""A kd-tree over subscriptions as points with one coordinate per side, any number of them: arrays, building, changes.

It is `matching.kdtree` with D coordinates in place of l and r: blocks of `BLOCK` slots, the smallest closed box and
the size of every node, siblings side by side, subtrees built anew where they grow lopsided. What does not depend on
the number of sides, nodes and blocks and their balance, is taken from there. `matching.side_queries` holds the
queries.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.kdtree import (
    AXIS,
    BLOCK,
    BLOCKS_USED,
    CHILD,
    FILL,
    FREE_BLOCK,
    FREE_PAIR,
    ISSUED,
    PAIRS_USED,
    PARENT,
    PEAK,
    SIZE,
    Floats,
    Ids,
    following,
    take_block,
    take_pair,
)
from matching.kdtree_changes import has_room, leaves, lopsided, release

__all__ = ["SideTree", "build", "collect", "delete_one", "insert", "new_side_tree"]

HIGHER = 1
"""Second index of `SideTree.box`; the first is 0, the least coordinates."""


class SideTree(NamedTuple):
    """The arrays of a kd-tree over D sides; those named as in `matching.kdtree.Tree` are as there.

    Attributes
    ----------
    box : float64 array of shape (nodes, 2, D)
        Least and greatest coordinates of a node's subscriptions; +inf and -inf when it has none.
    ends : float64 array of shape (blocks, D, BLOCK)
        Coordinates in a block, its subscriptions first.
    """

    box: npt.NDArray[np.float64]
    link: npt.NDArray[np.int32]
    split: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]
    id: npt.NDArray[np.int32]
    node_of: npt.NDArray[np.int32]
    slot: npt.NDArray[np.int32]
    state: npt.NDArray[np.int64]


def new_side_tree(sides: int, subscriptions: int, ids: int) -> SideTree:
    """Arrays with room for a number of subscriptions and ids, holding nothing: an empty leaf as root."""
    blocks = max(1, -(-subscriptions // FILL))
    tree = SideTree(
        box=np.empty((2 * blocks, 2, sides)),
        link=np.zeros((2 * blocks, 4), np.int32),
        split=np.zeros(2 * blocks),
        ends=np.empty((blocks, sides, BLOCK)),
        id=np.empty(blocks * BLOCK, np.int32),
        node_of=np.zeros(blocks, np.int32),
        slot=np.full(ids, -1, np.int32),
        state=np.zeros(8, np.int64),
    )
    tree.state[PAIRS_USED] = tree.state[BLOCKS_USED] = 1
    tree.state[FREE_PAIR] = tree.state[FREE_BLOCK] = -1
    tree.link[0, CHILD] = ~0
    tree.box[0, 0], tree.box[0, 1] = np.inf, -np.inf
    return tree


@njit
def _swap(points: Floats, ids: Ids, i: int, j: int) -> None:
    for side in range(points.shape[1]):
        points[i, side], points[j, side] = points[j, side], points[i, side]
    ids[i], ids[j] = ids[j], ids[i]


@njit
def _select(points: Floats, ids: Ids, axis: int, lo: int, hi: int, nth: int) -> None:
    """Reorder rows [lo, hi) so that the nth is in its place by a coordinate; as in `matching.kdtree`, O(hi - lo)."""
    hi -= 1
    draw = 1
    while lo < hi:
        size = hi - lo + 1
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        a, b, c = points[lo + draw % size, axis], points[lo + size // 2, axis], points[lo + (draw >> 8) % size, axis]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = lo - 1, hi + 1
        while True:
            i += 1
            while points[i, axis] < pivot:
                i += 1
            j -= 1
            while points[j, axis] > pivot:
                j -= 1
            if i >= j:
                break
            _swap(points, ids, i, j)
        if nth <= j:
            hi = j
        else:
            lo = j + 1


@njit
def _put(tree: SideTree, slot: int, points: Floats, row: int, subscription: int) -> None:
    """Write a subscription into a slot."""
    for side in range(points.shape[1]):
        tree.ends[slot // BLOCK, side, slot % BLOCK] = points[row, side]
    tree.id[slot] = subscription
    tree.slot[subscription] = slot


@njit
def build(tree: SideTree, root: int, points: Floats, ids: Ids, leaf_size: int) -> None:
    """Build the subtree of a node from rows of points, which it reorders; O(s log s) for s points."""
    sides = points.shape[1]
    pending = [(root, 0, len(points))]
    while len(pending) > 0:
        node, lo, hi = pending.pop()
        for side in range(sides):
            tree.box[node, 0, side], tree.box[node, HIGHER, side] = np.inf, -np.inf
        for i in range(lo, hi):
            for side in range(sides):
                tree.box[node, 0, side] = min(tree.box[node, 0, side], points[i, side])
                tree.box[node, HIGHER, side] = max(tree.box[node, HIGHER, side], points[i, side])
        tree.link[node, SIZE] = hi - lo
        parts = (hi - lo + leaf_size - 1) // leaf_size
        if parts <= 1:
            block = take_block(tree)
            tree.link[node, CHILD] = ~block
            tree.node_of[block] = node
            for i in range(lo, hi):
                _put(tree, block * BLOCK + i - lo, points, i, ids[i])
            continue
        axis, widest = 0, -1.0
        for side in range(sides):
            width = tree.box[node, HIGHER, side] - tree.box[node, 0, side]
            if width > widest:
                axis, widest = side, width
        middle = lo + (hi - lo) * (parts // 2) // parts
        _select(points, ids, axis, lo, hi, middle)
        first = take_pair(tree)
        tree.link[node, AXIS], tree.link[node, CHILD] = axis, first
        tree.split[node] = points[middle, axis]
        tree.link[first, PARENT] = tree.link[first + 1, PARENT] = node
        pending.append((first + 1, middle, hi))
        pending.append((first, lo, middle))


@njit
def collect(tree: SideTree, root: int, extra: int) -> tuple[Floats, Ids]:
    """Points of a subtree, one row each, and their ids, with a number of unset rows at the end."""
    sides = tree.box.shape[2]
    points = np.empty((tree.link[root, SIZE] + extra, sides))
    ids = np.empty(len(points), np.int32)
    to = 0
    node = root
    while node >= 0:
        child = tree.link[node, CHILD]
        if child > 0:
            node = child
            continue
        for at in range(tree.link[node, SIZE]):
            for side in range(sides):
                points[to, side] = tree.ends[~child, side, at]
            ids[to] = tree.id[~child * BLOCK + at]
            to += 1
        node = following(tree.link, node, root)
    return points, ids


@njit
def _rebuild(tree: SideTree, node: int, leaf_size: int) -> None:
    points, ids = collect(tree, node, 0)
    release(tree, node)
    build(tree, node, points, ids, leaf_size)


@njit
def _split_leaf(tree: SideTree, leaf: int) -> bool:
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
def _leaf_for(tree: SideTree, points: Floats, row: int) -> int:
    """The leaf where a point belongs; of two that may hold it, the one with fewer subscriptions."""
    node = 0
    while tree.link[node, CHILD] > 0:
        value = points[row, tree.link[node, AXIS]]
        first = tree.link[node, CHILD]
        second = value > tree.split[node]
        if value == tree.split[node]:
            second = tree.link[first + 1, SIZE] < tree.link[first, SIZE]
        node = first + 1 if second else first
    return node


@njit
def insert(tree: SideTree, points: Floats, start: int) -> int:
    """Insert the rows start, start + 1, ... under the next ids; returns the first one that found no block."""
    state = tree.state
    sides = points.shape[1]
    for row in range(start, len(points)):
        leaf = _leaf_for(tree, points, row)
        if tree.link[leaf, SIZE] == BLOCK:
            if not _split_leaf(tree, leaf):
                return row
            leaf = _leaf_for(tree, points, row)
        _put(tree, ~tree.link[leaf, CHILD] * BLOCK + tree.link[leaf, SIZE], points, row, state[ISSUED])
        state[ISSUED] += 1
        node = leaf
        while node >= 0:
            tree.link[node, SIZE] += 1
            for side in range(sides):
                tree.box[node, 0, side] = min(tree.box[node, 0, side], points[row, side])
                tree.box[node, HIGHER, side] = max(tree.box[node, HIGHER, side], points[row, side])
            node = tree.link[node, PARENT] if node > 0 else -1
        state[PEAK] = max(state[PEAK], tree.link[0, SIZE])
    return len(points)


@njit
def _fit_leaf(tree: SideTree, leaf: int) -> None:
    """Make a leaf's box the smallest around its subscriptions."""
    block = ~tree.link[leaf, CHILD]
    for side in range(tree.box.shape[2]):
        least, most = np.inf, -np.inf
        for at in range(tree.link[leaf, SIZE]):
            least, most = min(least, tree.ends[block, side, at]), max(most, tree.ends[block, side, at])
        tree.box[leaf, 0, side], tree.box[leaf, HIGHER, side] = least, most


@njit
def delete_one(tree: SideTree, subscription: int) -> None:
    """Delete the subscription with an id, which must be there; O(log m)."""
    slot = tree.slot[subscription]
    tree.slot[subscription] = -1
    block, at = slot // BLOCK, slot % BLOCK
    node = int(tree.node_of[block])
    last = tree.link[node, SIZE] - 1
    sides = tree.box.shape[2]
    for side in range(sides):
        tree.ends[block, side, at] = tree.ends[block, side, last]
    if at != last:
        tree.id[slot] = tree.id[block * BLOCK + last]
        tree.slot[tree.id[slot]] = slot
    tree.link[node, SIZE] = last
    _fit_leaf(tree, node)
    while node > 0:
        node = tree.link[node, PARENT]
        first = tree.link[node, CHILD]
        tree.link[node, SIZE] -= 1
        for side in range(sides):
            tree.box[node, 0, side] = min(tree.box[first, 0, side], tree.box[first + 1, 0, side])
            tree.box[node, HIGHER, side] = max(tree.box[first, HIGHER, side], tree.box[first + 1, HIGHER, side])
