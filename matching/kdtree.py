"""A kd-tree over subscriptions as points (l, r): its arrays, its construction and its queries.

Subscriptions sit in leaf blocks of `BLOCK` slots. Every node keeps the smallest closed box around its subscriptions
and their number, so a query stops at a node that lies wholly inside or outside its rectangle, or that could not
change the answer. Siblings are neighbours in memory (an even node and the odd one after it), so a walk needs no
stack: after a node comes its sibling, after an odd node whatever follows its parent.

A node may also be *solid*: a box without subscriptions behind it, which answers every query as if it were full of
them. A tree whose leaves are all solid is a sketch (see `matching.sketch`); the same queries serve both.

Rectangles are closed boxes l_lo <= l <= l_hi, r_lo <= r <= r_hi; `closed_box` and `half_open` translate between
them and messages. `matching.kdtree_changes` holds insertion and deletion.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rangecast import njit

__all__ = [
    "BLOCK",
    "FILL",
    "Tree",
    "build",
    "closed_box",
    "count",
    "counts",
    "half_open",
    "is_empty",
    "new_tree",
    "report",
    "snap",
]

BLOCK = 48
"""Slots per leaf block."""
FILL = 32
"""Subscriptions per leaf block when a subtree is built; the rest of the block is room to grow."""

LARGEST = float(np.finfo(np.float64).max)
"""Stands for infinite ends of subscriptions; an empty node's box begins beyond it."""

SOLID = -1
"""In `Tree.child`: a leaf that is a box only. Leaf blocks b are stored as FIRST_BLOCK - b."""
FIRST_BLOCK = -2

ISSUED, PAIRS_USED, BLOCKS_USED, FREE_PAIR, FREE_PAIRS, FREE_BLOCK, FREE_BLOCKS, PEAK = range(8)
"""Positions in `Tree.state`."""


class Tree(NamedTuple):
    """The arrays of a kd-tree. Node 0 is the root, node 1 is unused, other siblings are nodes 2i and 2i + 1."""

    box: npt.NDArray[np.float64]
    """(nodes, 4): l_min, l_max, r_min, r_max; inf, -inf, inf, -inf when empty."""
    split: npt.NDArray[np.float64]
    """(nodes,): an inner node's first child holds coordinates <= split, its second child coordinates >= split."""
    axis: npt.NDArray[np.int8]
    """(nodes,): 0 when an inner node splits l, 1 when it splits r."""
    child: npt.NDArray[np.int32]
    """(nodes,): first child of an inner node, SOLID, or FIRST_BLOCK - block for a leaf."""
    parent: npt.NDArray[np.int32]
    """(nodes,): parent of both siblings; for the first of a free pair the next free pair."""
    size: npt.NDArray[np.int32]
    """(nodes,): number of subscriptions below."""
    left: npt.NDArray[np.float64]
    """(slots,): left ends; the slots of block b start at b * BLOCK, its subscriptions come first."""
    right: npt.NDArray[np.float64]
    """(slots,): right ends."""
    id: npt.NDArray[np.int32]
    """(slots,): subscription ids."""
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
    nodes = 2 * blocks
    tree = Tree(
        box=np.empty((nodes, 4)),
        split=np.zeros(nodes),
        axis=np.zeros(nodes, np.int8),
        child=np.zeros(nodes, np.int32),
        parent=np.zeros(nodes, np.int32),
        size=np.zeros(nodes, np.int32),
        left=np.empty(blocks * BLOCK),
        right=np.empty(blocks * BLOCK),
        id=np.empty(blocks * BLOCK, np.int32),
        node_of=np.zeros(blocks, np.int32),
        slot=np.full(ids, -1, np.int32),
        state=np.zeros(8, np.int64),
    )
    tree.state[PAIRS_USED] = 1
    tree.state[BLOCKS_USED] = 1
    tree.state[FREE_PAIR] = tree.state[FREE_BLOCK] = -1
    tree.child[0] = FIRST_BLOCK
    tree.box[0] = np.inf, -np.inf, np.inf, -np.inf
    return tree


@njit
def closed_box(l_in: float, r_in: float, l_out: float, r_out: float) -> tuple[float, float, float, float]:
    """Closed box (l_lo, l_hi, r_lo, r_hi) of the subscriptions that a message reaches."""
    return np.nextafter(l_out, np.inf), l_in, r_in, np.nextafter(r_out, -np.inf)


@njit
def half_open(l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> tuple[float, float, float, float]:
    """Range (l_in, r_in, l_out, r_out) of the message that reaches exactly a closed box."""
    return l_hi, r_lo, np.nextafter(l_lo, -np.inf), np.nextafter(r_hi, np.inf)


@njit
def _take_pair(tree: Tree) -> int:
    """First node of an unused pair; there must be one."""
    state = tree.state
    if state[FREE_PAIRS] > 0:
        node = state[FREE_PAIR]
        state[FREE_PAIR] = tree.parent[node]
        state[FREE_PAIRS] -= 1
        return int(node)
    state[PAIRS_USED] += 1
    return int(2 * (state[PAIRS_USED] - 1))


@njit
def _take_block(tree: Tree) -> int:
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
def _swap(
    left: npt.NDArray[np.float64], right: npt.NDArray[np.float64], ids: npt.NDArray[np.int32], i: int, j: int
) -> None:
    left[i], left[j] = left[j], left[i]
    right[i], right[j] = right[j], right[i]
    ids[i], ids[j] = ids[j], ids[i]


@njit
def select(
    key: npt.NDArray[np.float64],
    other: npt.NDArray[np.float64],
    ids: npt.NDArray[np.int32],
    lo: int,
    hi: int,
    nth: int,
) -> None:
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
def fit_box(
    tree: Tree, node: int, left: npt.NDArray[np.float64], right: npt.NDArray[np.float64], lo: int, hi: int
) -> None:
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
def build(
    tree: Tree,
    root: int,
    left: npt.NDArray[np.float64],
    right: npt.NDArray[np.float64],
    ids: npt.NDArray[np.int32],
    leaf_size: int,
) -> None:
    """Build the subtree of a node from points, which it reorders: O(s log s) for s points.

    Splits the wider side of the box near the median, so that ceil(s / leaf_size) leaves are nearly equally full;
    the node's parent, and room for the pairs and blocks, must be there.
    """
    pending = [(root, 0, left.size)]
    while len(pending) > 0:
        node, lo, hi = pending.pop()
        fit_box(tree, node, left, right, lo, hi)
        tree.size[node] = hi - lo
        leaves = (hi - lo + leaf_size - 1) // leaf_size
        if leaves <= 1:
            block = _take_block(tree)
            tree.child[node] = FIRST_BLOCK - block
            tree.node_of[block] = node
            for i in range(lo, hi):
                to = block * BLOCK + i - lo
                tree.left[to] = left[i]
                tree.right[to] = right[i]
                tree.id[to] = ids[i]
                tree.slot[ids[i]] = to
            continue
        middle = lo + (hi - lo) * (leaves // 2) // leaves
        wider_r = tree.box[node, 3] - tree.box[node, 2] > tree.box[node, 1] - tree.box[node, 0]
        if wider_r:
            select(right, left, ids, lo, hi, middle)
        else:
            select(left, right, ids, lo, hi, middle)
        first = _take_pair(tree)
        tree.axis[node] = 1 if wider_r else 0
        tree.split[node] = right[middle] if wider_r else left[middle]
        tree.child[node] = first
        tree.parent[first] = node
        tree.parent[first + 1] = node
        pending.append((first + 1, middle, hi))
        pending.append((first, lo, middle))


@njit
def following(tree: Tree, node: int) -> int:
    """The node after a node's whole subtree; 0 at the end of the walk."""
    while node & 1:
        node = tree.parent[node]
    return node + 1 if node else 0


@njit
def snap(tree: Tree, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> tuple[bool, float, float, float, float]:
    """Smallest closed box around the subscriptions inside a rectangle: (found, l_min, l_max, r_min, r_max).

    A node is entered only if what it shares with the rectangle sticks out of the answer so far. On solid leaves the
    answer is a box inside the rectangle that surely contains the smallest one. Section II-B of the paper.
    """
    a_min, a_max, b_min, b_max = np.inf, -np.inf, np.inf, -np.inf
    if l_lo > l_hi or r_lo > r_hi:
        return False, a_min, a_max, b_min, b_max
    l_hi = min(l_hi, LARGEST)
    box = tree.box
    node = 0
    while True:
        l_min, l_max, r_min, r_max = box[node, 0], box[node, 1], box[node, 2], box[node, 3]
        if l_min <= l_hi and l_max >= l_lo and r_min <= r_hi and r_max >= r_lo:
            whole = l_min >= l_lo and l_max <= l_hi and r_min >= r_lo and r_max <= r_hi
            l_min, l_max, r_min, r_max = max(l_min, l_lo), min(l_max, l_hi), max(r_min, r_lo), min(r_max, r_hi)
            if l_min < a_min or l_max > a_max or r_min < b_min or r_max > b_max:
                child = tree.child[node]
                if whole or child == SOLID:
                    a_min, a_max = min(a_min, l_min), max(a_max, l_max)
                    b_min, b_max = min(b_min, r_min), max(b_max, r_max)
                elif child > 0:
                    node = child
                    continue
                else:
                    start = (FIRST_BLOCK - child) * BLOCK
                    for i in range(start, start + tree.size[node]):
                        left, right = tree.left[i], tree.right[i]
                        if l_lo <= left <= l_hi and r_lo <= right <= r_hi:
                            a_min, a_max = min(a_min, left), max(a_max, left)
                            b_min, b_max = min(b_min, right), max(b_max, right)
        node = following(tree, node)
        if node == 0:
            return a_min <= a_max, a_min, a_max, b_min, b_max


@njit
def is_empty(tree: Tree, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> bool:
    """Whether a rectangle holds no subscription (on solid leaves: surely holds none).

    Stops at the first proof of one: a box is the smallest around its subscriptions, so each of its sides has one;
    a box within the rectangle's span of l whose lower or upper side is in the span of r proves it, and so in turn.
    """
    if l_lo > l_hi or r_lo > r_hi:
        return True
    l_hi = min(l_hi, LARGEST)
    box = tree.box
    node = 0
    while True:
        l_min, l_max, r_min, r_max = box[node, 0], box[node, 1], box[node, 2], box[node, 3]
        if l_min <= l_hi and l_max >= l_lo and r_min <= r_hi and r_max >= r_lo:
            child = tree.child[node]
            if child == SOLID:
                return False
            if l_min >= l_lo and l_max <= l_hi and (r_min >= r_lo or r_max <= r_hi):
                return False
            if r_min >= r_lo and r_max <= r_hi and (l_min >= l_lo or l_max <= l_hi):
                return False
            if child > 0:
                node = child
                continue
            start = (FIRST_BLOCK - child) * BLOCK
            for i in range(start, start + tree.size[node]):
                if l_lo <= tree.left[i] <= l_hi and r_lo <= tree.right[i] <= r_hi:
                    return False
        node = following(tree, node)
        if node == 0:
            return True


@njit
def count(tree: Tree, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> int:
    """Number of subscriptions inside a rectangle, O(sqrt(m)) at worst; a solid leaf that meets it counts in full."""
    box = tree.box
    total = 0
    node = 0
    while True:
        l_min, l_max, r_min, r_max = box[node, 0], box[node, 1], box[node, 2], box[node, 3]
        if l_min <= l_hi and l_max >= l_lo and r_min <= r_hi and r_max >= r_lo:
            child = tree.child[node]
            if child == SOLID or (l_min >= l_lo and l_max <= l_hi and r_min >= r_lo and r_max <= r_hi):
                total += tree.size[node]
            elif child > 0:
                node = child
                continue
            else:
                start = (FIRST_BLOCK - child) * BLOCK
                for i in range(start, start + tree.size[node]):
                    if l_lo <= tree.left[i] <= l_hi and r_lo <= tree.right[i] <= r_hi:
                        total += 1
        node = following(tree, node)
        if node == 0:
            return total


@njit
def counts(tree: Tree, boxes: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Number of subscriptions inside each of many rectangles, rows l_lo, l_hi, r_lo, r_hi."""
    totals = np.empty(len(boxes), np.int64)
    for at in range(len(boxes)):
        totals[at] = count(tree, boxes[at, 0], boxes[at, 1], boxes[at, 2], boxes[at, 3])
    return totals


@njit
def report(tree: Tree, l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> npt.NDArray[np.int64]:
    """Ids of the subscriptions inside a rectangle, in no particular order; solid leaves have none to give.

    `count` plus O(1) per id.
    """
    found = np.empty(count(tree, l_lo, l_hi, r_lo, r_hi), np.int64)
    box = tree.box
    total = 0
    node = 0
    while total < found.size:
        l_min, l_max, r_min, r_max = box[node, 0], box[node, 1], box[node, 2], box[node, 3]
        if l_min <= l_hi and l_max >= l_lo and r_min <= r_hi and r_max >= r_lo:
            child = tree.child[node]
            if child > 0:
                node = child
                continue
            if child != SOLID:
                start = (FIRST_BLOCK - child) * BLOCK
                for i in range(start, start + tree.size[node]):
                    if l_lo <= tree.left[i] <= l_hi and r_lo <= tree.right[i] <= r_hi:
                        found[total] = tree.id[i]
                        total += 1
        node = following(tree, node)
        if node == 0:
            break
    return found[:total]
