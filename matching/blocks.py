"""Nodes and blocks of the kd-trees over subscriptions, whatever the number of their sides.

Subscriptions sit in leaf blocks of `BLOCK` slots. Siblings are neighbours in memory (an even node and the odd one
after it), so a walk needs no stack: after a node comes its sibling, after an odd node whatever follows its parent.

Kernels cannot grow arrays: they stop when pairs of nodes or blocks run out, and the owner comes back with
`with_more_blocks`.
"""

from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from floor.kernels import njit, njit_inner
from matching.flat_arrays import resized

__all__ = [
    "AXIS",
    "BLOCK",
    "BLOCKS_USED",
    "CHILD",
    "FILL",
    "FREE_BLOCK",
    "FREE_BLOCKS",
    "FREE_PAIR",
    "FREE_PAIRS",
    "ISSUED",
    "LARGEST",
    "PAIRS_USED",
    "PARENT",
    "PEAK",
    "SIZE",
    "SOLID",
    "Floats",
    "Ids",
    "Linked",
    "block_arrays",
    "following",
    "has_room",
    "leaves",
    "lopsided",
    "release",
    "take_block",
    "take_pair",
    "with_more_blocks",
    "with_more_ids",
]

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int32]
AnyTree = TypeVar("AnyTree", bound=Any)

BLOCK = 16
"""Slots per leaf block; Unicast tells subscriptions in the order of these, so another number has other latencies."""
FILL = 12
"""Subscriptions per leaf block when a subtree is built; the rest of the block is room to grow."""
LOPSIDED = 0.7
GROWTH = 1.25

LARGEST = float(np.finfo(np.float64).max)
"""Stands for infinite ends of subscriptions; an empty node's box begins beyond it."""

CHILD, PARENT, SIZE, AXIS = range(4)
"""Columns of `Linked.link`."""
SOLID = 0
"""In column CHILD: a leaf that is a box only. That of a leaf with block b is ~b, which is negative."""

ISSUED, PAIRS_USED, BLOCKS_USED, FREE_PAIR, FREE_PAIRS, FREE_BLOCK, FREE_BLOCKS, PEAK = range(8)
"""Positions in `Linked.state`."""


class Linked(Protocol):
    """What the trees have in common; node 0 is the root, node 1 is unused, other siblings are nodes 2i and 2i + 1."""

    @property
    def link(self) -> npt.NDArray[np.int32]:
        """(nodes, 4): first child or block, parent, size and axis of each node, see `matching.kdtree.Tree`."""

    @property
    def split(self) -> npt.NDArray[np.float64]:
        """(nodes,): an inner node's first child holds coordinates <= split, its second child coordinates >= split."""

    @property
    def id(self) -> npt.NDArray[np.int32]:
        """(slots,): subscription ids; the slots of block b start at b * BLOCK."""

    @property
    def node_of(self) -> npt.NDArray[np.int32]:
        """(blocks,): the leaf that owns a block; for a free block the next free block."""

    @property
    def slot(self) -> npt.NDArray[np.int32]:
        """(ids issued or more,): slot of a subscription, -1 when it was deleted or never existed."""

    @property
    def state(self) -> npt.NDArray[np.int64]:
        """(8,): see the positions ISSUED ... PEAK."""


def block_arrays(blocks: int, ids: int) -> dict[str, npt.NDArray[Any]]:
    """Arrays that every tree has, for so many blocks and ids: an empty leaf as root, with the first block."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "link": np.zeros((2 * blocks, 4), np.int32),
        "split": np.zeros(2 * blocks),
        "id": np.empty(blocks * BLOCK, np.int32),
        "node_of": np.zeros(blocks, np.int32),
        "slot": np.full(ids, -1, np.int32),
        "state": np.zeros(8, np.int64),
    }
    arrays["state"][[PAIRS_USED, BLOCKS_USED]] = 1
    arrays["state"][[FREE_PAIR, FREE_BLOCK]] = -1
    arrays["link"][0, CHILD] = ~0
    return arrays


@njit_inner
def following(link: npt.NDArray[np.int32], node: int, top: int) -> int:
    """The node after a node's whole subtree in a walk over the subtree of `top`; -1 at the end."""
    while node != top and node & 1:
        node = link[node, PARENT]
    return node + 1 if node != top else -1


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
def has_room(tree: Linked, pairs: int, blocks: int) -> bool:
    """Whether so many pairs of nodes and blocks can be taken."""
    state = tree.state
    free_pairs = state[FREE_PAIRS] + len(tree.link) // 2 - state[PAIRS_USED]
    free_blocks = state[FREE_BLOCKS] + tree.node_of.size - state[BLOCKS_USED]
    return bool(free_pairs >= pairs and free_blocks >= blocks)


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


def with_more_blocks(tree: AnyTree) -> AnyTree:
    """The same tree with room for `GROWTH` times as many blocks and pairs of nodes."""
    blocks = int(tree.node_of.size * GROWTH) + 2
    rows = {"box": 2 * blocks, "link": 2 * blocks, "split": 2 * blocks, "node_of": blocks}
    rows |= {"ends": blocks, "id": blocks * BLOCK}
    wider: AnyTree = tree._replace(**{name: resized(getattr(tree, name), size) for name, size in rows.items()})
    return wider


def with_more_ids(tree: AnyTree, ids: int) -> AnyTree:
    """The same tree, able to issue so many ids more."""
    needed = int(tree.state[ISSUED]) + ids
    if needed <= tree.slot.size:
        return tree
    slot = resized(tree.slot, max(needed, int(tree.slot.size * GROWTH)))
    slot[tree.slot.size :] = -1
    wider: AnyTree = tree._replace(slot=slot)
    return wider
