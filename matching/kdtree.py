"""A kd-tree over subscriptions as points (l, r): its arrays, building and changes.

Subscriptions sit in leaf blocks of `BLOCK` slots. Every node keeps the smallest closed box around its subscriptions
and their number, so a query stops at a node that lies wholly inside or outside its rectangle, or that could not
change the answer. `matching.blocks` has nodes and blocks, `matching.balanced_tree` how they are built and changed.

Ends in blocks are kept as integers in the order of the floats: compilers turn a search for the least and largest of
integers into vector instructions, but not one of floats, and scanning blocks is most of a query's work.

A node may also be *solid*: a box without subscriptions behind it, which answers every query as if it were full of
them. A tree whose leaves are all solid is a sketch (see `matching.sketch`); the same queries serve both.

`matching.kdtree_queries` holds the queries. Insertion is written for l and r here: by the kernels for any number of
sides one took 4.1 instead of 3.8 µs (60,000 subscriptions, the best of 8 on a busy machine), and 3% to 10% longer
where these take a point as a pair of numbers.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit, njit_inner
from matching.balanced_tree import tree_kernels
from matching.blocks import AXIS, BLOCK, CHILD, FILL, ISSUED, PARENT, PEAK, SIZE, Floats, block_arrays, following

__all__ = [
    "BLOCK",
    "CHILD",
    "KERNELS",
    "NOWHERE",
    "SIZE",
    "Tree",
    "cut",
    "fit_box",
    "following",
    "from_key",
    "grow",
    "insert_one",
    "new_tree",
    "refit",
    "shrink",
    "to_key",
]

NOWHERE = np.iinfo(np.int64).max
"""Both ends in a slot that holds no subscription: beyond every rectangle."""
SIGN, MAGNITUDE = np.int64(63), np.int64(np.iinfo(np.int64).max)


class Tree(NamedTuple):
    """The arrays of a kd-tree. Node 0 is the root, node 1 is unused, other siblings are nodes 2i and 2i + 1."""

    box: npt.NDArray[np.float64]
    """(nodes, 4): l_min, l_max, r_min, r_max; inf, -inf, inf, -inf when empty."""
    link: npt.NDArray[np.int32]
    """(nodes, 4): CHILD, the first child, SOLID, or ~block; PARENT, of both siblings, or in the first of a free pair
    the next one; SIZE, the number of subscriptions below; AXIS, what an inner node splits, 0 for l and 1 for r."""
    split: npt.NDArray[np.float64]
    """(nodes,): an inner node's first child holds coordinates <= split, its second child coordinates >= split."""
    ends: npt.NDArray[np.int64]
    """(blocks, 2, BLOCK): keys of the l and then of the r in a block, its subscriptions first, then NOWHERE."""
    id: npt.NDArray[np.int32]
    """(slots,): subscription ids; the slots of block b start at b * BLOCK."""
    node_of: npt.NDArray[np.int32]
    """(blocks,): the leaf that owns a block; for a free block the next free block."""
    slot: npt.NDArray[np.int32]
    """(ids issued or more,): slot of a subscription, -1 when it was deleted or never existed."""
    state: npt.NDArray[np.int64]
    """(8,): see the positions ISSUED ... PEAK."""


def new_tree(subscriptions: int, ids: int) -> Tree:
    """Arrays with room for a number of subscriptions and ids, holding nothing: an empty leaf as root."""
    blocks = max(1, -(-subscriptions // FILL))
    box, ends = np.empty((2 * blocks, 4)), np.empty((blocks, 2, BLOCK), np.int64)
    box[0], ends[0] = (np.inf, -np.inf, np.inf, -np.inf), NOWHERE
    return Tree(box=box, ends=ends, **block_arrays(blocks, ids))


@njit_inner
def to_key(value: float) -> int:
    """Integer that compares with others as the float does; -0.0 is 0.0."""
    bits = np.float64(value + 0.0).view(np.int64)
    return int(bits ^ ((bits >> SIGN) & MAGNITUDE))


@njit_inner
def from_key(key: int) -> float:
    """Float that has a key."""
    return np.int64(key ^ ((key >> SIGN) & MAGNITUDE)).view(np.float64)


@njit
def _sides(_tree: Tree) -> int:
    return 2


@njit
def _least(tree: Tree, node: int, side: int) -> float:
    value: float = tree.box[node, 2 * side]
    return value


@njit
def _most(tree: Tree, node: int, side: int) -> float:
    value: float = tree.box[node, 2 * side + 1]
    return value


@njit
def _set_bounds(tree: Tree, node: int, side: int, lower: float, upper: float) -> None:
    tree.box[node, 2 * side], tree.box[node, 2 * side + 1] = lower, upper


@njit
def fit_box(tree: Tree, node: int, points: Floats, lo: int, hi: int) -> None:
    """Set a node's box to the smallest one around the points [lo, hi)."""
    l_min, l_max, r_min, r_max = np.inf, -np.inf, np.inf, -np.inf
    for i in range(lo, hi):
        l_min = min(l_min, points[0, i])
        l_max = max(l_max, points[0, i])
        r_min = min(r_min, points[1, i])
        r_max = max(r_max, points[1, i])
    _set_bounds(tree, node, 0, l_min, l_max)
    _set_bounds(tree, node, 1, r_min, r_max)


@njit
def _end_at(tree: Tree, block: int, side: int, at: int) -> float:
    return from_key(tree.ends[block, side, at])


@njit
def _set_end(tree: Tree, block: int, side: int, at: int, value: float) -> None:
    tree.ends[block, side, at] = to_key(value)


@njit
def _clear(tree: Tree, block: int, start: int, stop: int) -> None:
    for side in range(2):
        for at in range(start, stop):
            tree.ends[block, side, at] = NOWHERE


_SHARED = tree_kernels(__name__, _sides, _least, _most, _set_bounds, fit_box, _end_at, _set_end, _clear)
cut, grow, refit, shrink = _SHARED.cut, _SHARED.grow, _SHARED.refit, _SHARED.shrink
_split_leaf = _SHARED.split_leaf


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
def insert_one(tree: Tree, left: float, right: float) -> int:
    """Insert a point under the next id, for which there must be room, and return the id; -1 when blocks ran out."""
    box, state = tree.box, tree.state
    node = _leaf_for(tree, left, right)
    if tree.link[node, SIZE] == BLOCK:
        if not _split_leaf(tree, node):
            return -1
        node = _leaf_for(tree, left, right)
    block, at, issued = ~tree.link[node, CHILD], tree.link[node, SIZE], state[ISSUED]
    tree.ends[block, 0, at], tree.ends[block, 1, at] = to_key(left), to_key(right)
    tree.id[block * BLOCK + at] = issued
    tree.slot[issued] = block * BLOCK + at
    state[ISSUED] += 1
    while True:
        tree.link[node, SIZE] += 1
        box[node, 0], box[node, 1] = min(box[node, 0], left), max(box[node, 1], left)
        box[node, 2], box[node, 3] = min(box[node, 2], right), max(box[node, 3], right)
        if node == 0:
            break
        node = tree.link[node, PARENT]
    state[PEAK] = max(state[PEAK], tree.link[0, SIZE])
    return int(issued)


@njit
def _insert(tree: Tree, points: Floats, start: int) -> int:
    """Insert the points start, start + 1, ... as `insert_one` does; returns the first one that found no block."""
    for i in range(start, points.shape[1]):
        if insert_one(tree, points[0, i], points[1, i]) < 0:
            return i
    return int(points.shape[1])


KERNELS = _SHARED._replace(insert=_insert)
"""How the tree is built and changed; points are arrays of shape (2, m), the l and then the r."""
