"""Insertion into and deletion from a kd-tree of subscriptions, with boxes and counts kept exact on the way.

An insertion goes down to a leaf; a full leaf is split in two. Splitting is when a tree can grow lopsided, so then the
highest node that has more than `LOPSIDED` of its subscriptions in one child is rebuilt as a whole. That costs
O(log^2 m) per insertion amortised, however the insertions are chosen, and keeps the depth logarithmic
(scapegoat trees). A deletion finds its leaf through the id and mends the boxes upward, O(log m); the owner rebuilds
the whole tree once half of it is gone.

Kernels cannot grow arrays: they stop when pairs of nodes or blocks run out, and the owner comes back with
`with_more_blocks`.
"""

from typing import Any, TypeVar

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
    FREE_BLOCKS,
    FREE_PAIR,
    FREE_PAIRS,
    ISSUED,
    NOWHERE,
    PAIRS_USED,
    PARENT,
    PEAK,
    SIZE,
    Floats,
    Ids,
    Linked,
    Tree,
    build,
    following,
    from_key,
    put,
)

__all__ = [
    "collect",
    "delete",
    "delete_one",
    "grow",
    "has_room",
    "insert",
    "insert_one",
    "leaves",
    "lopsided",
    "refit",
    "release",
    "shrink",
    "with_more_blocks",
    "with_more_ids",
]

AnyTree = TypeVar("AnyTree", bound=Any)

LOPSIDED = 0.7
GROWTH = 1.25


@njit
def has_room(tree: Linked, pairs: int, blocks: int) -> bool:
    """Whether so many pairs of nodes and blocks can be taken."""
    state = tree.state
    free_pairs = state[FREE_PAIRS] + len(tree.link) // 2 - state[PAIRS_USED]
    free_blocks = state[FREE_BLOCKS] + tree.node_of.size - state[BLOCKS_USED]
    return bool(free_pairs >= pairs and free_blocks >= blocks)


@njit
def collect(tree: Tree, root: int, extra: int) -> tuple[Floats, Floats, Ids]:
    """Points of a subtree as arrays (left, right, id) with a number of unset entries at the end."""
    size = tree.link[root, SIZE] + extra
    left = np.empty(size, np.float64)
    right = np.empty(size, np.float64)
    ids = np.empty(size, np.int32)
    to = 0
    node = root
    while node >= 0:
        child = tree.link[node, CHILD]
        if child > 0:
            node = child
            continue
        for at in range(tree.link[node, SIZE]):
            left[to], right[to] = from_key(tree.ends[~child, 0, at]), from_key(tree.ends[~child, 1, at])
            ids[to] = tree.id[~child * BLOCK + at]
            to += 1
        node = following(tree.link, node, root)
    return left, right, ids


@njit
def release(tree: Linked, root: int) -> None:
    """Free every pair and block below a node."""
    state = tree.state
    pending = [root]
    while len(pending) > 0:
        node = pending.pop()
        child = tree.link[node, CHILD]
        if child > 0:
            pending.append(int(child))
            pending.append(int(child) + 1)
        else:
            block = ~child
            tree.node_of[block] = state[FREE_BLOCK]
            state[FREE_BLOCK] = block
            state[FREE_BLOCKS] += 1
        if node != root and not node & 1:
            tree.link[node, PARENT] = state[FREE_PAIR]
            state[FREE_PAIR] = node
            state[FREE_PAIRS] += 1


@njit
def leaves(tree: Linked, root: int) -> int:
    """Number of leaves below a node."""
    found = 0
    node = root
    while node >= 0:
        if tree.link[node, CHILD] > 0:
            node = tree.link[node, CHILD]
            continue
        found += 1
        node = following(tree.link, node, root)
    return found


@njit
def lopsided(tree: Linked, node: int) -> int:
    """The highest node on the way from a node to the root that is out of balance, or -1."""
    highest = -1
    while True:
        child = tree.link[node, CHILD]
        if child > 0 and tree.link[node, SIZE] > 2 * BLOCK:
            heavier = max(tree.link[child, SIZE], tree.link[child + 1, SIZE])
            if heavier > LOPSIDED * tree.link[node, SIZE]:
                highest = node
        if node == 0:
            return highest
        node = tree.link[node, PARENT]


@njit
def _leaf_for(tree: Tree, left: float, right: float) -> int:
    """The leaf where a point belongs; of two that may hold it, the one with fewer subscriptions."""
    node = 0
    while tree.link[node, CHILD] > 0:
        value = right if tree.link[node, AXIS] else left
        first = tree.link[node, CHILD]
        second = value > tree.split[node]
        if value == tree.split[node]:
            second = tree.link[first + 1, SIZE] < tree.link[first, SIZE]
        node = first + 1 if second else first
    return node


@njit
def _rebuild(tree: Tree, node: int, leaf_size: int) -> None:
    left, right, ids = collect(tree, node, 0)
    release(tree, node)
    build(tree, node, left, right, ids, leaf_size)


@njit
def _split_leaf(tree: Tree, leaf: int) -> bool:
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
def grow(tree: Tree, node: int, left: float, right: float) -> None:
    """Count one more point in a leaf and in all nodes above, and stretch their boxes to it."""
    box = tree.box
    while True:
        tree.link[node, SIZE] += 1
        box[node, 0] = min(box[node, 0], left)
        box[node, 1] = max(box[node, 1], left)
        box[node, 2] = min(box[node, 2], right)
        box[node, 3] = max(box[node, 3], right)
        if node == 0:
            return
        node = tree.link[node, PARENT]


@njit
def insert_one(tree: Tree, left: float, right: float) -> int:
    """Insert a point under the next id, for which there must be room, and return the id; -1 when blocks ran out."""
    state = tree.state
    leaf = _leaf_for(tree, left, right)
    if tree.link[leaf, SIZE] == BLOCK:
        if not _split_leaf(tree, leaf):
            return -1
        leaf = _leaf_for(tree, left, right)
    put(tree, ~tree.link[leaf, CHILD] * BLOCK + tree.link[leaf, SIZE], left, right, state[ISSUED])
    state[ISSUED] += 1
    grow(tree, leaf, left, right)
    state[PEAK] = max(state[PEAK], tree.link[0, SIZE])
    return int(state[ISSUED] - 1)


@njit
def insert(tree: Tree, left: Floats, right: Floats, start: int) -> int:
    """Insert the points start, start + 1, ... as `insert_one` does; returns the first one that found no block."""
    for i in range(start, left.size):
        if insert_one(tree, left[i], right[i]) < 0:
            return i
    return int(left.size)


@njit
def refit(tree: Tree, node: int) -> bool:
    """Make an inner node's box that of its children; whether it changed."""
    first = tree.link[node, CHILD]
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
def shrink(tree: Tree, leaf: int, changed: bool) -> None:
    """Count one point less in all nodes above a leaf, and mend their boxes if that of the leaf changed."""
    node = leaf
    while node != 0:
        node = tree.link[node, PARENT]
        tree.link[node, SIZE] -= 1
        if changed:
            changed = refit(tree, node)


@njit
def _refit_leaf(tree: Tree, leaf: int) -> None:
    """Make a leaf's box the smallest around its subscriptions."""
    block = ~tree.link[leaf, CHILD]
    for side in range(2):
        least, most = np.inf, -np.inf
        for at in range(tree.link[leaf, SIZE]):
            value = from_key(tree.ends[block, side, at])
            least, most = min(least, value), max(most, value)
        tree.box[leaf, 2 * side] = least
        tree.box[leaf, 2 * side + 1] = most


@njit
def delete_one(tree: Tree, subscription: int) -> bool:
    """Delete the subscription with an id; False when there is none. O(log m)."""
    if subscription < 0 or subscription >= tree.state[ISSUED] or tree.slot[subscription] < 0:
        return False
    slot = tree.slot[subscription]
    tree.slot[subscription] = -1
    block = slot // BLOCK
    node = tree.node_of[block]
    ends = tree.ends[block]
    at, last = slot % BLOCK, tree.link[node, SIZE] - 1
    left, right = from_key(ends[0, at]), from_key(ends[1, at])
    if at != last:
        put(tree, slot, from_key(ends[0, last]), from_key(ends[1, last]), tree.id[block * BLOCK + last])
    ends[0, last] = ends[1, last] = NOWHERE
    tree.link[node, SIZE] -= 1
    box = tree.box[node]
    changed = left == box[0] or left == box[1] or right == box[2] or right == box[3]
    if changed:
        _refit_leaf(tree, node)
    shrink(tree, int(node), changed)
    return True


@njit
def delete(tree: Tree, ids: npt.NDArray[np.int64]) -> None:
    """Delete subscriptions by id; all must be there, none twice."""
    for i in range(ids.size):
        delete_one(tree, ids[i])


def _extended(array: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    """A copy of an array with more rows, which are not set."""
    larger = np.empty((rows, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def with_more_blocks(tree: AnyTree) -> AnyTree:
    """The same tree with room for `GROWTH` times as many blocks and pairs of nodes."""
    blocks = int(tree.node_of.size * GROWTH) + 2
    rows = {"box": 2 * blocks, "link": 2 * blocks, "split": 2 * blocks, "node_of": blocks}
    rows |= {"ends": blocks, "id": blocks * BLOCK}
    wider: AnyTree = tree._replace(**{name: _extended(getattr(tree, name), size) for name, size in rows.items()})
    return wider


def with_more_ids(tree: AnyTree, ids: int) -> AnyTree:
    """The same tree, able to issue so many ids more."""
    needed = int(tree.state[ISSUED]) + ids
    if needed <= tree.slot.size:
        return tree
    slot = _extended(tree.slot, max(needed, int(tree.slot.size * GROWTH)))
    slot[tree.slot.size :] = -1
    wider: AnyTree = tree._replace(slot=slot)
    return wider
