"""Insertion into and deletion from a kd-tree of subscriptions, with boxes and counts kept exact on the way.

An insertion goes down to a leaf; a full leaf is split in two. Splitting is when a tree can grow lopsided, so then the
highest node that has more than `LOPSIDED` of its subscriptions in one child is rebuilt as a whole. That costs
O(log^2 m) per insertion amortised, however the insertions are chosen, and keeps the depth logarithmic
(scapegoat trees). A deletion finds its leaf through the id and mends the boxes upward, O(log m); the owner rebuilds
the whole tree once half of it is gone.

Kernels cannot grow arrays: they stop when pairs of nodes or blocks run out, and the owner comes back with
`with_more_blocks`.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from matching.kdtree import (
    BLOCK,
    BLOCKS_USED,
    FILL,
    FIRST_BLOCK,
    FREE_BLOCK,
    FREE_BLOCKS,
    FREE_PAIR,
    FREE_PAIRS,
    ISSUED,
    PAIRS_USED,
    PEAK,
    Tree,
    build,
    fit_box,
    following,
)
from rangecast import njit

__all__ = [
    "collect",
    "delete",
    "delete_one",
    "grow",
    "insert",
    "insert_one",
    "refit",
    "with_more_blocks",
    "with_more_ids",
]

LOPSIDED = 0.7
GROWTH = 1.25


@njit
def _room(tree: Tree, pairs: int, blocks: int) -> bool:
    """Whether so many pairs of nodes and blocks can be taken."""
    state = tree.state
    free_pairs = state[FREE_PAIRS] + tree.child.size // 2 - state[PAIRS_USED]
    free_blocks = state[FREE_BLOCKS] + tree.node_of.size - state[BLOCKS_USED]
    return bool(free_pairs >= pairs and free_blocks >= blocks)


@njit
def _copy_points(
    tree: Tree,
    root: int,
    left: npt.NDArray[np.float64],
    right: npt.NDArray[np.float64],
    ids: npt.NDArray[np.int32],
) -> None:
    """Write the points of a subtree to the front of three arrays."""
    to = 0
    node = root
    end = following(tree, root)
    while True:
        child = tree.child[node]
        if child > 0:
            node = child
            continue
        start = (FIRST_BLOCK - child) * BLOCK
        for i in range(start, start + tree.size[node]):
            left[to], right[to], ids[to] = tree.left[i], tree.right[i], tree.id[i]
            to += 1
        node = following(tree, node)
        if node == end:
            return


@njit
def collect(
    tree: Tree, root: int, extra: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Points of a subtree as arrays (left, right, id) with a number of unset entries at the end."""
    size = tree.size[root] + extra
    left = np.empty(size, np.float64)
    right = np.empty(size, np.float64)
    ids = np.empty(size, np.int32)
    _copy_points(tree, root, left, right, ids)
    return left, right, ids


@njit
def _release(tree: Tree, root: int) -> None:
    """Free every pair and block below a node."""
    state = tree.state
    pending = [root]
    while len(pending) > 0:
        node = pending.pop()
        child = tree.child[node]
        if child > 0:
            pending.append(int(child))
            pending.append(int(child) + 1)
        else:
            block = FIRST_BLOCK - child
            tree.node_of[block] = state[FREE_BLOCK]
            state[FREE_BLOCK] = block
            state[FREE_BLOCKS] += 1
        if node != root and not node & 1:
            tree.parent[node] = state[FREE_PAIR]
            state[FREE_PAIR] = node
            state[FREE_PAIRS] += 1


@njit
def _leaves(tree: Tree, root: int) -> int:
    """Number of leaves below a node."""
    leaves = 0
    node = root
    end = following(tree, root)
    while True:
        if tree.child[node] > 0:
            node = tree.child[node]
            continue
        leaves += 1
        node = following(tree, node)
        if node == end:
            return leaves


@njit
def _lopsided(tree: Tree, node: int) -> int:
    """The highest node on the way from a node to the root that is out of balance, or -1."""
    highest = -1
    while True:
        child = tree.child[node]
        if child > 0 and tree.size[node] > 2 * BLOCK:
            heavier = max(tree.size[child], tree.size[child + 1])
            if heavier > LOPSIDED * tree.size[node]:
                highest = node
        if node == 0:
            return highest
        node = tree.parent[node]


@njit
def _leaf_for(tree: Tree, left: float, right: float) -> int:
    """The leaf where a point belongs; of two that may hold it, the one with fewer subscriptions."""
    node = 0
    while tree.child[node] > 0:
        value = right if tree.axis[node] else left
        first = tree.child[node]
        second = value > tree.split[node]
        if value == tree.split[node]:
            second = tree.size[first + 1] < tree.size[first]
        node = first + 1 if second else first
    return node


@njit
def _rebuild(tree: Tree, node: int, leaf_size: int) -> None:
    left, right, ids = collect(tree, node, 0)
    _release(tree, node)
    build(tree, node, left, right, ids, leaf_size)


@njit
def _split_leaf(tree: Tree, leaf: int) -> bool:
    """Split a full leaf and mend what grew lopsided by it; False when room ran out on the way."""
    if not _room(tree, 1, 1):
        return False
    _rebuild(tree, leaf, BLOCK // 2)
    top = _lopsided(tree, leaf)
    if top < 0:
        return True
    more = (tree.size[top] + FILL - 1) // FILL - _leaves(tree, top)
    if not _room(tree, more, more):
        return False
    _rebuild(tree, top, FILL)
    return True


@njit
def grow(tree: Tree, node: int, left: float, right: float) -> None:
    """Count one more point in a leaf and in all nodes above, and stretch their boxes to it."""
    box = tree.box
    while True:
        tree.size[node] += 1
        box[node, 0] = min(box[node, 0], left)
        box[node, 1] = max(box[node, 1], left)
        box[node, 2] = min(box[node, 2], right)
        box[node, 3] = max(box[node, 3], right)
        if node == 0:
            return
        node = tree.parent[node]


@njit
def insert_one(tree: Tree, left: float, right: float) -> int:
    """Insert a point under the next id, for which there must be room, and return the id; -1 when blocks ran out."""
    state = tree.state
    leaf = _leaf_for(tree, left, right)
    if tree.size[leaf] == BLOCK:
        if not _split_leaf(tree, leaf):
            return -1
        leaf = _leaf_for(tree, left, right)
    slot = (FIRST_BLOCK - tree.child[leaf]) * BLOCK + tree.size[leaf]
    tree.left[slot] = left
    tree.right[slot] = right
    tree.id[slot] = state[ISSUED]
    tree.slot[state[ISSUED]] = slot
    state[ISSUED] += 1
    grow(tree, leaf, left, right)
    state[PEAK] = max(state[PEAK], tree.size[0])
    return int(state[ISSUED] - 1)


@njit
def insert(tree: Tree, left: npt.NDArray[np.float64], right: npt.NDArray[np.float64], start: int) -> int:
    """Insert the points start, start + 1, ... as `insert_one` does; returns the first one that found no block."""
    for i in range(start, left.size):
        if insert_one(tree, left[i], right[i]) < 0:
            return i
    return int(left.size)


@njit
def refit(tree: Tree, node: int) -> bool:
    """Make an inner node's box that of its children; whether it changed."""
    first = tree.child[node]
    box = tree.box
    changed = False
    for side in range(4):
        if side & 1:
            value = max(box[first, side], box[first + 1, side])
        else:
            value = min(box[first, side], box[first + 1, side])
        changed |= value != box[node, side]
        box[node, side] = value
    return changed


@njit
def delete_one(tree: Tree, subscription: int) -> bool:
    """Delete the subscription with an id; False when there is none. O(log m)."""
    if subscription < 0 or subscription >= tree.state[ISSUED] or tree.slot[subscription] < 0:
        return False
    slot = tree.slot[subscription]
    tree.slot[subscription] = -1
    block = slot // BLOCK
    node = tree.node_of[block]
    last = block * BLOCK + tree.size[node] - 1
    left, right = tree.left[slot], tree.right[slot]
    if slot != last:
        tree.left[slot], tree.right[slot], tree.id[slot] = tree.left[last], tree.right[last], tree.id[last]
        tree.slot[tree.id[slot]] = slot
    tree.size[node] -= 1
    box = tree.box[node]
    changed = left == box[0] or left == box[1] or right == box[2] or right == box[3]
    if changed:
        fit_box(tree, node, tree.left, tree.right, block * BLOCK, last)
    while node != 0:
        node = tree.parent[node]
        tree.size[node] -= 1
        if changed:
            changed = refit(tree, node)
    return True


@njit
def delete(tree: Tree, ids: npt.NDArray[np.int64]) -> None:
    """Delete subscriptions by id; all must be there, none twice."""
    for i in range(ids.size):
        delete_one(tree, ids[i])


def _enlarged(array: npt.NDArray[Any], size: int, fill: int) -> npt.NDArray[Any]:
    """A copy of an array with more rows."""
    larger = np.empty((size, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    larger[len(array) :] = fill
    return larger


def with_more_blocks(tree: Tree) -> Tree:
    """The same tree with room for `GROWTH` times as many blocks and pairs of nodes."""
    blocks = int(tree.node_of.size * GROWTH) + 2
    rows = {"node_of": blocks, "left": blocks * BLOCK, "right": blocks * BLOCK, "id": blocks * BLOCK}
    rows |= dict.fromkeys(("box", "split", "axis", "child", "parent", "size"), 2 * blocks)
    return tree._replace(**{name: _enlarged(getattr(tree, name), size, 0) for name, size in rows.items()})


def with_more_ids(tree: Tree, ids: int) -> Tree:
    """The same tree, able to issue so many ids more."""
    needed = int(tree.state[ISSUED]) + ids
    if needed <= tree.slot.size:
        return tree
    return tree._replace(slot=_enlarged(tree.slot, max(needed, int(tree.slot.size * GROWTH)), -1))
