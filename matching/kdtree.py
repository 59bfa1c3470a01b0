"""A kd-tree over subscriptions as points (l, r): its arrays and its construction.

Subscriptions sit in leaf blocks of `BLOCK` slots. Every node keeps the smallest closed box around its subscriptions
and their number, so a query stops at a node that lies wholly inside or outside its rectangle, or that could not
change the answer. Siblings are neighbours in memory (an even node and the odd one after it), so a walk needs no
stack: after a node comes its sibling, after an odd node whatever follows its parent.

Ends in blocks are kept as integers in the order of the floats: compilers turn a search for the least and largest of
integers into vector instructions, but not one of floats, and scanning blocks is most of a query's work.

A node may also be *solid*: a box without subscriptions behind it, which answers every query as if it were full of
them. A tree whose leaves are all solid is a sketch (see `matching.sketch`); the same queries serve both.

`matching.kdtree_queries` holds the queries, `matching.kdtree_changes` insertion and deletion.
"""

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from floor.kernels import njit

__all__ = [
    "BLOCK",
    "FILL",
    "Linked",
    "Tree",
    "build",
    "cut",
    "fit_box",
    "following",
    "from_key",
    "new_tree",
    "put",
    "take_block",
    "take_pair",
    "to_key",
]

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int32]

BLOCK = 16
"""Slots per leaf block."""
FILL = 12
"""Subscriptions per leaf block when a subtree is built; the rest of the block is room to grow."""

LARGEST = float(np.finfo(np.float64).max)
"""Stands for infinite ends of subscriptions; an empty node's box begins beyond it."""

NOWHERE = np.iinfo(np.int64).max
"""Both ends in a slot that holds no subscription: beyond every rectangle."""
SIGN, MAGNITUDE = np.int64(63), np.int64(np.iinfo(np.int64).max)

CHILD, PARENT, SIZE, AXIS = range(4)
"""Columns of `Tree.link`."""
SOLID = 0
"""In column CHILD: a leaf that is a box only. That of a leaf with block b is ~b, which is negative."""

ISSUED, PAIRS_USED, BLOCKS_USED, FREE_PAIR, FREE_PAIRS, FREE_BLOCK, FREE_BLOCKS, PEAK = range(8)
"""Positions in `Tree.state`."""


class Linked(Protocol):
    """What the trees over two and over any number of sides have in common: their nodes and blocks, see `Tree`."""

    @property
    def link(self) -> npt.NDArray[np.int32]:
        """First child or block, parent, size and axis of each node."""

    @property
    def node_of(self) -> npt.NDArray[np.int32]:
        """Leaf that owns each block."""

    @property
    def state(self) -> npt.NDArray[np.int64]:
        """See the positions ISSUED ... PEAK."""


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


def new_tree(subscriptions: int, ids: int, leaf_size: int = FILL) -> Tree:
    """Arrays with room for a number of subscriptions and ids, holding nothing: an empty leaf as root.

    Parameters
    ----------
    subscriptions
        How many subscriptions will be built into the tree.
    ids
        How many ids there is room for.
    leaf_size
        Subscriptions per leaf when the tree is built.
    """
    blocks = max(1, -(-subscriptions // leaf_size))
    tree = Tree(
        box=np.empty((2 * blocks, 4)),
        link=np.zeros((2 * blocks, 4), np.int32),
        split=np.zeros(2 * blocks),
        ends=np.empty((blocks, 2, BLOCK), np.int64),
        id=np.empty(blocks * BLOCK, np.int32),
        node_of=np.zeros(blocks, np.int32),
        slot=np.full(ids, -1, np.int32),
        state=np.zeros(8, np.int64),
    )
    tree.state[PAIRS_USED] = 1
    tree.state[BLOCKS_USED] = 1
    tree.state[FREE_PAIR] = tree.state[FREE_BLOCK] = -1
    tree.link[0, CHILD] = ~0
    tree.ends[0] = NOWHERE
    tree.box[0] = np.inf, -np.inf, np.inf, -np.inf
    return tree


@njit
def to_key(value: float) -> int:
    """Integer that compares with others as the float does; -0.0 is 0.0."""
    bits = np.float64(value + 0.0).view(np.int64)
    return int(bits ^ ((bits >> SIGN) & MAGNITUDE))


@njit
def from_key(key: int) -> float:
    """Float that has a key."""
    return np.int64(key ^ ((key >> SIGN) & MAGNITUDE)).view(np.float64)


@njit
def put(tree: Tree, slot: int, left: float, right: float, subscription: int) -> None:
    """Write a subscription into a slot."""
    tree.ends[slot // BLOCK, 0, slot % BLOCK] = to_key(left)
    tree.ends[slot // BLOCK, 1, slot % BLOCK] = to_key(right)
    tree.id[slot] = subscription
    tree.slot[subscription] = slot


@njit
def take_pair(tree: Linked) -> int:
    """First node of an unused pair; there must be one."""
    state = tree.state
    if state[FREE_PAIRS] > 0:
        node = state[FREE_PAIR]
        state[FREE_PAIR] = tree.link[node, PARENT]
        state[FREE_PAIRS] -= 1
        return int(node)
    state[PAIRS_USED] += 1
    return int(2 * (state[PAIRS_USED] - 1))


@njit
def take_block(tree: Linked) -> int:
    """An unused block; there must be one."""
    state = tree.state
    if state[FREE_BLOCKS] > 0:
        block = state[FREE_BLOCK]
        state[FREE_BLOCK] = tree.node_of[block]
        state[FREE_BLOCKS] -= 1
        return int(block)
    state[BLOCKS_USED] += 1
    return int(state[BLOCKS_USED] - 1)


@njit
def _swap(left: Floats, right: Floats, ids: Ids, i: int, j: int) -> None:
    left[i], left[j] = left[j], left[i]
    right[i], right[j] = right[j], right[i]
    ids[i], ids[j] = ids[j], ids[i]


@njit
def _select(key: Floats, other: Floats, ids: Ids, lo: int, hi: int, nth: int) -> None:
    """Reorder [lo, hi) of three arrays so that key[nth] is in its sorted place, smaller keys before, larger behind.

    Quickselect with Hoare's partition, which stays balanced on equal keys; the pivot is the median of three drawn
    from a fixed linear congruence, so that no natural order of the input is a bad one. Expected O(hi - lo).
    """
    hi -= 1
    draw = 1
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
            _swap(key, other, ids, i, j)
        if nth <= j:
            hi = j
        else:
            lo = j + 1


@njit
def fit_box(tree: Tree, node: int, left: Floats, right: Floats, lo: int, hi: int) -> None:
    """Set a node's box to the smallest one around the points [lo, hi)."""
    l_min, l_max, r_min, r_max = np.inf, -np.inf, np.inf, -np.inf
    for i in range(lo, hi):
        l_min = min(l_min, left[i])
        l_max = max(l_max, left[i])
        r_min = min(r_min, right[i])
        r_max = max(r_max, right[i])
    tree.box[node, 0] = l_min
    tree.box[node, 1] = l_max
    tree.box[node, 2] = r_min
    tree.box[node, 3] = r_max


@njit
def cut(tree: Tree, node: int, left: Floats, right: Floats, ids: Ids, lo: int, hi: int, middle: int) -> int:
    """Split the wider side of a node's box at a point of its points [lo, hi), which it reorders; the first child.

    The points before `middle` belong to the first child, the others to the second; expected O(hi - lo).
    """
    wider_r = tree.box[node, 3] - tree.box[node, 2] > tree.box[node, 1] - tree.box[node, 0]
    if wider_r:
        _select(right, left, ids, lo, hi, middle)
    else:
        _select(left, right, ids, lo, hi, middle)
    first = take_pair(tree)
    tree.link[node, AXIS] = 1 if wider_r else 0
    tree.split[node] = right[middle] if wider_r else left[middle]
    tree.link[node, CHILD] = first
    tree.link[first, PARENT] = node
    tree.link[first + 1, PARENT] = node
    return first


@njit
def build(tree: Tree, root: int, left: Floats, right: Floats, ids: Ids, leaf_size: int) -> None:
    """Build the subtree of a node from points, which it reorders: O(s log s) for s points.

    Splits the wider side of the box near the median, so that ceil(s / leaf_size) leaves are nearly equally full;
    the node's parent, and room for the pairs and blocks, must be there.
    """
    pending = [(root, 0, left.size)]
    while len(pending) > 0:
        node, lo, hi = pending.pop()
        fit_box(tree, node, left, right, lo, hi)
        tree.link[node, SIZE] = hi - lo
        leaves = (hi - lo + leaf_size - 1) // leaf_size
        if leaves <= 1:
            block = take_block(tree)
            tree.link[node, CHILD] = ~block
            tree.node_of[block] = node
            for side in range(2):
                for at in range(BLOCK):
                    tree.ends[block, side, at] = NOWHERE
            for i in range(lo, hi):
                put(tree, block * BLOCK + i - lo, left[i], right[i], ids[i])
            continue
        middle = lo + (hi - lo) * (leaves // 2) // leaves
        first = cut(tree, node, left, right, ids, lo, hi, middle)
        pending.append((first + 1, middle, hi))
        pending.append((first, lo, middle))


@njit
def following(link: npt.NDArray[np.int32], node: int, top: int) -> int:
    """The node after a node's whole subtree in a walk over the subtree of `top`; -1 at the end."""
    while node != top and node & 1:
        node = link[node, PARENT]
    return node + 1 if node != top else -1
