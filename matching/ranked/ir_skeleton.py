"""The skeleton of an IR-tree: an interval tree that keeps its balance while ranges come and go.

Seed 000, Section 3.1, which does not say how to insert. A range stands at the highest node whose centre it holds. A
subtree is built with the median of all ends, equal ones counted, as its centre: at most half the ranges have both
ends on one side of it, so w ranges take a depth of at most log2 w. A range that no node holds opens a new one below
all. When that lies deeper than 2 log2 w + SLACK below a node with w ranges in its subtree, the lowest such node is
built anew: for the node next on the way down the bound holds, so its w is more than 0.7 of the upper one, which was
half of it at most when that was built. Hence a range is built anew O(log n) times per insertion, amortised.

Deleted ranges leave their nodes behind; when nodes outnumber twice the ranges, the owner builds all anew.
"""

import numpy as np

from floor.kernels import njit
from matching.range_index import Floats, Ids, Ints
from matching.ranked.ir_arrays import (
    ABOVE,
    BELOW,
    BLOCKS_USED,
    BRANCHING,
    CENTRE,
    COUNT,
    FREE_NODE,
    HIGH,
    LEVEL,
    LOW,
    NODE_PARENT,
    NODES_USED,
    REBUILD,
    ROOT,
    SLOTS_USED,
    START,
    TOP,
    WEIGHT,
    IRArrays,
)
from matching.ranked.ir_blocks import discard_block, load, place_in_tree, remove

__all__ = ["build", "collect", "delete_all", "insert_all", "needs", "rescore_all"]

SLACK = 4
"""Levels by which a subtree may be deeper before it is built anew."""


@njit
def needs(ranges: int) -> tuple[int, int, int]:
    """Slots, blocks and nodes that a subtree over some ranges takes at most."""
    return 4 * ranges + 64, 2 * ranges + 16, ranges + 2


@njit
def _has_room(t: IRArrays, slots: int, blocks: int, nodes: int) -> bool:
    return bool(
        t.state[SLOTS_USED] + slots <= len(t.ref)
        and t.state[BLOCKS_USED] + blocks <= len(t.block)
        and t.state[NODES_USED] + nodes <= len(t.link)
    )


@njit
def _has_room_for_one(t: IRArrays) -> bool:
    """Whether a range can be moved: on each of at most 16 levels a merger, a split and two longer pieces."""
    return _has_room(t, 64 * t.state[BRANCHING], 16, 1)


@njit
def _new_node(t: IRArrays, centre: float, parent: int, weight: int) -> int:
    node = t.state[FREE_NODE]
    if node >= 0:
        t.state[FREE_NODE] = t.link[node, NODE_PARENT]
    else:
        node = t.state[NODES_USED]
        t.state[NODES_USED] += 1
    t.span[node, CENTRE], t.span[node, LOW], t.span[node, HIGH] = centre, np.inf, -np.inf
    t.link[node, BELOW] = t.link[node, ABOVE] = t.link[node, ROOT] = -1
    t.link[node, NODE_PARENT], t.link[node, WEIGHT] = parent, weight
    return int(node)


@njit
def _skeleton(t: IRArrays, l: Floats, r: Floats, parent: int) -> tuple[int, Ints]:
    """Nodes over ranges, at least one, and the node of each."""
    n = len(l)
    both = np.concatenate((l, r))
    ends = np.argsort(both).astype(np.int32)
    above = np.empty(2 * n, np.int32)
    home = np.empty(n, np.int64)
    highest = -1
    pending = [(0, 2 * n, parent, -1)]
    while len(pending) > 0:
        start, stop, over, side = pending.pop()
        c = both[ends[(start + stop) // 2]]
        node = _new_node(t, c, over, (stop - start) // 2)
        if side < 0:
            highest = node
        else:
            t.link[over, side] = node
        low, high = start, 0
        for at in range(start, stop):
            i = ends[at] % n
            if r[i] < c:
                ends[low] = ends[at]
                low += 1
            elif l[i] > c:
                above[high] = ends[at]
                high += 1
            else:
                home[i] = node
        ends[low : low + high] = above[:high]
        if high > 0:
            pending.append((low, low + high, node, ABOVE))
        if low > start:
            pending.append((start, low, node, BELOW))
    return highest, home


@njit
def build(t: IRArrays, l: Floats, r: Floats, score: Floats, ids: Ids, parent: int) -> int:
    """A subtree over ranges in the order of ranks, and its highest node (-1 without ranges); O(n log n)."""
    if len(ids) == 0:
        return -1
    top, home = _skeleton(t, l, r, parent)
    order = np.argsort(home, kind="mergesort")
    left, right, scores, refs = l[order], r[order], score[order], ids[order]
    first = 0
    for behind in range(1, len(order) + 1):
        if behind == len(order) or home[order[behind]] != home[order[first]]:
            here = slice(first, behind)
            load(t, home[order[first]], left[here], right[here], scores[here], refs[here])
            first = behind
    return top


@njit
def collect(t: IRArrays, top: int, spare: int, discard: int) -> tuple[Floats, Floats, Floats, Ids]:
    """Ends, scores and ids of the ranges of a subtree, in no order, with room for more; it may be given up by it."""
    n = 0 if top < 0 else t.link[top, WEIGHT]
    l, r, score = np.empty(n + spare), np.empty(n + spare), np.empty(n + spare)
    ids = np.empty(n + spare, np.int32)
    found = 0
    nodes = [top]
    blocks = [np.int64(0)]
    while len(nodes) > 0:
        node = nodes.pop()
        if node < 0:
            continue
        nodes.append(t.link[node, BELOW])
        nodes.append(t.link[node, ABOVE])
        blocks.clear()
        if t.link[node, ROOT] >= 0:
            blocks.append(t.link[node, ROOT])
        while len(blocks) > 0:
            block = int(blocks.pop())
            start = t.block[block, START]
            for at in range(start, start + t.block[block, COUNT]):
                if t.block[block, LEVEL] > 0:
                    blocks.append(t.ref[at])
                else:
                    l[found], r[found], score[found], ids[found] = t.l[at], t.r[at], t.score[at], t.ref[at]
                    found += 1
            if discard:
                discard_block(t, block)
        if discard:
            t.link[node, NODE_PARENT] = t.state[FREE_NODE]
            t.state[FREE_NODE] = node
    return l, r, score, ids


@njit
def _rebuild(t: IRArrays, top: int) -> None:
    """Build a subtree anew in place of the old one."""
    parent = t.link[top, NODE_PARENT]
    l, r, score, ids = collect(t, top, 0, 1)
    by_id = np.argsort(ids)
    order = by_id[np.argsort(-score[by_id], kind="mergesort")]
    new = build(t, l[order], r[order], score[order], ids[order], parent)
    if parent < 0:
        t.state[TOP] = new
    else:
        t.link[parent, BELOW if t.link[parent, BELOW] == top else ABOVE] = new


@njit
def _bound(ranges: int) -> float:
    """How deep below a node its subtree may reach."""
    return float(2 * np.log2(max(ranges, 1)) + SLACK)


@njit
def _insert(t: IRArrays, l: float, r: float, score: float, of: int) -> None:
    """Put a range at its node; a subtree that has become too deep is noted in the state."""
    node, over, side, depth = t.state[TOP], -1, BELOW, 0
    while node >= 0:
        t.link[node, WEIGHT] += 1
        c = t.span[node, CENTRE]
        if l <= c <= r:
            place_in_tree(t, node, l, r, score, of)
            return
        over = node
        side = BELOW if r < c else ABOVE
        node = t.link[node, side]
        depth += 1
    inside = l if np.isfinite(l) else r if np.isfinite(r) else min(max(0.0, l), r)
    node = _new_node(t, inside, over, 1)
    if over < 0:
        t.state[TOP] = node
    else:
        t.link[over, side] = node
    place_in_tree(t, node, l, r, score, of)
    if depth > _bound(t.link[t.state[TOP], WEIGHT]):
        below = 0
        while below <= _bound(t.link[node, WEIGHT]):
            node = t.link[node, NODE_PARENT]
            below += 1
        t.state[REBUILD] = node


@njit
def insert_all(t: IRArrays, l: Floats, r: Floats, score: Floats, first: int, done: int) -> int:
    """Insert ranges, whose ids count up from `first`, from a number on; how many are in when room ran out, or all.

    Room ran out as well while a node is still noted in the state, which a call with more room builds anew.
    """
    while done < len(l) or t.state[REBUILD] >= 0:
        if t.state[REBUILD] >= 0:
            slots, blocks, nodes = needs(t.link[t.state[REBUILD], WEIGHT])
            if not _has_room(t, slots, blocks, nodes):
                break
            _rebuild(t, t.state[REBUILD])
            t.state[REBUILD] = -1
        else:
            if not _has_room_for_one(t):
                break
            _insert(t, l[done], r[done], score[done], first + done)
            done += 1
    return done


@njit
def delete_all(t: IRArrays, ids: Ints, done: int) -> int:
    """Take ranges out of the tree, from a number on; how many are out when room ran out, or all.

    On each of at most 16 levels two blocks may become one, with a longer piece.
    """
    while done < len(ids) and _has_room(t, 16 * t.state[BRANCHING], 0, 0):
        node, _, _ = remove(t, ids[done])
        while node >= 0:
            t.link[node, WEIGHT] -= 1
            node = t.link[node, NODE_PARENT]
        done += 1
    return done


@njit
def rescore_all(t: IRArrays, ids: Ints, score: Floats, done: int) -> int:
    """Give ranges other scores, from a number on; how many have theirs when room ran out, or all."""
    while done < len(ids) and _has_room_for_one(t):
        node, l, r = remove(t, ids[done])
        place_in_tree(t, node, l, r, score[done], ids[done])
        done += 1
    return done
