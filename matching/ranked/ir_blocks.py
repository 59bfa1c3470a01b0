"""The R-trees of an IR-tree: blocks of ranges in the order of ranks, which come and go.

Seed 000, Section 3.1. Every node of the skeleton (`matching.ranked.ir_skeleton`) has an R-tree over its ranges in the
order of ranks, which is a B+-tree by rank whose entries also tell the extent of what lies below them. An entry of a
leaf is a range; one of a block above is another block, with the smallest range around the ranges below it and the
score and id of the best of them. All ranges of a tree hold the centre of its node, so their union is one range and
an extent has no holes: whoever enters a block finds an answer in it (Lemma 3.1). That takes extents that fit, so a
deletion shrinks them.

Departures: the paper gives neither insertion nor deletion. Blocks are split on the way down when they are full, and
merged with a neighbour when a quarter full, if both then fill three quarters at most. An R-tree of a few ranges, as
most of them are, takes a short piece of the arrays of entries: pieces are 1, 2, 4, ... b entries long, and those that
are given up wait in a list per length.
"""

import numpy as np

from floor.kernels import njit
from matching.range_index import Floats, Ids
from matching.ranked.ir_arrays import (
    BEST,
    BLOCKS_USED,
    BRANCHING,
    COUNT,
    FREE_BLOCK,
    FREE_PIECES,
    HIGH,
    LEVEL,
    LOW,
    PARENT,
    ROOM,
    ROOT,
    SLOTS_USED,
    START,
    IRArrays,
)

__all__ = ["discard_block", "load", "place_in_tree", "remove", "skeleton_node", "slot_of"]


@njit
def _piece(t: IRArrays, entries: int) -> tuple[int, int]:
    """Start and length of a piece for some entries, b at most."""
    size, length = 0, 1
    while length < entries:
        size += 1
        length <<= 1
    length = min(length, t.state[BRANCHING])
    start = t.state[FREE_PIECES + size]
    if start >= 0:
        t.state[FREE_PIECES + size] = t.ref[start]
    else:
        start = t.state[SLOTS_USED]
        t.state[SLOTS_USED] += length
    return start, length


@njit
def _give_up_piece(t: IRArrays, start: int, length: int) -> None:
    size = 0
    while 1 << size < length:
        size += 1
    t.ref[start] = t.state[FREE_PIECES + size]
    t.state[FREE_PIECES + size] = start


@njit
def _new_block(t: IRArrays, level: int, entries: int, parent: int) -> int:
    """A block without entries yet, with room for some."""
    block = t.state[FREE_BLOCK]
    if block >= 0:
        t.state[FREE_BLOCK] = t.block[block, PARENT]
    else:
        block = t.state[BLOCKS_USED]
        t.state[BLOCKS_USED] += 1
    t.block[block, START], t.block[block, ROOM] = _piece(t, entries)
    t.block[block, COUNT] = 0
    t.block[block, LEVEL] = level
    t.block[block, PARENT] = parent
    t.block[block, BEST] = -1
    return int(block)


@njit
def discard_block(t: IRArrays, block: int) -> None:
    """Give up a block and its piece."""
    _give_up_piece(t, t.block[block, START], t.block[block, ROOM])
    t.block[block, PARENT] = t.state[FREE_BLOCK]
    t.state[FREE_BLOCK] = block


@njit
def _copy(t: IRArrays, source: int, target: int, entries: int) -> None:
    """Copy entries between pieces, or forward in one."""
    for at in range(entries):
        t.l[target + at] = t.l[source + at]
        t.r[target + at] = t.r[source + at]
        t.score[target + at] = t.score[source + at]
        t.ref[target + at] = t.ref[source + at]


@njit
def _make_room(t: IRArrays, block: int, entries: int) -> None:
    """See to it that a block's piece has room for some entries in all, b at most."""
    start, room = t.block[block, START], t.block[block, ROOM]
    if room < entries:
        longer, length = _piece(t, entries)
        _copy(t, start, longer, t.block[block, COUNT])
        _give_up_piece(t, start, room)
        t.block[block, START], t.block[block, ROOM] = longer, length


@njit
def _open_slot(t: IRArrays, block: int, place: int) -> int:
    """The slot of a new entry at a place of a block that is not full; later entries move on."""
    count = t.block[block, COUNT]
    _make_room(t, block, count + 1)
    start = t.block[block, START]
    for at in range(start + count, start + place, -1):
        t.l[at] = t.l[at - 1]
        t.r[at] = t.r[at - 1]
        t.score[at] = t.score[at - 1]
        t.ref[at] = t.ref[at - 1]
    t.block[block, COUNT] = count + 1
    return int(start + place)


@njit
def _close_slot(t: IRArrays, block: int, place: int) -> None:
    """Take the entry at a place out of a block."""
    start, count = t.block[block, START], t.block[block, COUNT]
    _copy(t, start + place + 1, start + place, count - place - 1)
    t.block[block, COUNT] = count - 1


@njit
def slot_of(t: IRArrays, block: int, ref: int) -> int:
    """The place of a range or a block among the entries of a block."""
    start = t.block[block, START]
    place = 0
    while t.ref[start + place] != ref:
        place += 1
    return place


@njit
def _adopt(t: IRArrays, block: int, first: int, behind: int) -> None:
    """Tell the entries at some places of a block that they are there."""
    start = t.block[block, START]
    for at in range(start + first, start + behind):
        if t.block[block, LEVEL] == 0:
            t.home[t.ref[at]] = block
        else:
            t.block[t.ref[at], PARENT] = block


@njit
def _summary(t: IRArrays, block: int) -> tuple[float, float, float]:
    """Extent and best score of a block that is not empty; its best id is set."""
    start, count = t.block[block, START], t.block[block, COUNT]
    low, high = t.l[start], t.r[start]
    for at in range(start + 1, start + count):
        low = min(low, t.l[at])
        high = max(high, t.r[at])
    first = t.ref[start]
    t.block[block, BEST] = first if t.block[block, LEVEL] == 0 else t.block[first, BEST]
    return low, high, t.score[start]


@njit
def _tell_above(t: IRArrays, block: int) -> bool:
    """Set the entry of a block in the one above, or the extent of its node; whether there is one above."""
    parent = t.block[block, PARENT]
    low, high, score = _summary(t, block)
    if parent < 0:
        t.span[~parent, LOW], t.span[~parent, HIGH] = low, high
        return False
    at = t.block[parent, START] + slot_of(t, parent, block)
    t.l[at], t.r[at], t.score[at] = low, high, score
    return True


@njit
def _tell_all_above(t: IRArrays, block: int) -> None:
    """Set what is said of a block and of those above it."""
    while _tell_above(t, block):
        block = t.block[block, PARENT]


@njit
def _split(t: IRArrays, block: int) -> None:
    """Cut a full block in two; the one above, which is made for the highest one, has room for another entry."""
    parent, level = t.block[block, PARENT], t.block[block, LEVEL]
    if parent < 0:
        above = _new_block(t, level + 1, 2, parent)
        t.link[~parent, ROOT] = above
        t.ref[_open_slot(t, above, 0)] = block
        t.block[block, PARENT] = parent = above
    count = t.block[block, COUNT]
    kept = count // 2
    other = _new_block(t, level, count - kept, parent)
    _copy(t, t.block[block, START] + kept, t.block[other, START], count - kept)
    t.block[block, COUNT], t.block[other, COUNT] = kept, count - kept
    _adopt(t, other, 0, count - kept)
    t.ref[_open_slot(t, parent, slot_of(t, parent, block) + 1)] = other
    _tell_above(t, block)
    _tell_above(t, other)


@njit
def _entry_before(t: IRArrays, block: int, place: int, score: float, of: int) -> bool:
    """Whether the best range of an entry ranks before one with a score and an id."""
    at = t.block[block, START] + place
    if t.score[at] != score:
        return bool(t.score[at] > score)
    held = t.ref[at] if t.block[block, LEVEL] == 0 else t.block[t.ref[at], BEST]
    return bool(held < of)


@njit
def _place_for(t: IRArrays, block: int, score: float, of: int) -> int:
    """How many entries of a block begin before a rank."""
    place = 0
    while place < t.block[block, COUNT] and _entry_before(t, block, place, score, of):
        place += 1
    return place


@njit
def place_in_tree(t: IRArrays, node: int, l: float, r: float, score: float, of: int) -> None:
    """Put a range into the R-tree of a node of the skeleton; O(b log n)."""
    block = t.link[node, ROOT]
    if block < 0:
        block = t.link[node, ROOT] = _new_block(t, 0, 1, ~node)
    full = t.state[BRANCHING]
    if t.block[block, COUNT] == full:
        _split(t, block)
        block = t.link[node, ROOT]
    while t.block[block, LEVEL] > 0:
        start = t.block[block, START]
        child = t.ref[start + max(_place_for(t, block, score, of) - 1, 0)]
        if t.block[child, COUNT] == full:
            _split(t, child)
            start = t.block[block, START]
            child = t.ref[start + max(_place_for(t, block, score, of) - 1, 0)]
        block = child
    at = _open_slot(t, block, _place_for(t, block, score, of))
    t.l[at], t.r[at], t.score[at], t.ref[at] = l, r, score, of
    t.home[of] = block
    _tell_all_above(t, block)


@njit
def _merge(t: IRArrays, parent: int, place: int) -> None:
    """Put the entries of the block at a place into the one before it."""
    start = t.block[parent, START]
    left, right = t.ref[start + place - 1], t.ref[start + place]
    kept, more = t.block[left, COUNT], t.block[right, COUNT]
    _make_room(t, left, kept + more)
    _copy(t, t.block[right, START], t.block[left, START] + kept, more)
    t.block[left, COUNT] = kept + more
    _adopt(t, left, kept, kept + more)
    _close_slot(t, parent, place)
    discard_block(t, right)
    _tell_above(t, left)


@njit
def _merged_with_neighbour(t: IRArrays, block: int) -> bool:
    """Merge a block of few entries with the one before or behind it, if there is room."""
    parent, full = t.block[block, PARENT], t.state[BRANCHING]
    if 4 * t.block[block, COUNT] >= full:
        return False
    start, place = t.block[parent, START], slot_of(t, parent, block)
    for right in range(place, place + 2):
        if 0 < right < t.block[parent, COUNT]:
            both = t.block[t.ref[start + right - 1], COUNT] + t.block[t.ref[start + right], COUNT]
            if 4 * both <= 3 * full:
                _merge(t, parent, right)
                return True
    return False


@njit
def _settle(t: IRArrays, block: int) -> None:
    """Mend a tree upwards from a block that has lost an entry."""
    while True:
        parent, count = t.block[block, PARENT], t.block[block, COUNT]
        if parent < 0:
            break
        if count == 0:
            _close_slot(t, parent, slot_of(t, parent, block))
            discard_block(t, block)
        elif not _merged_with_neighbour(t, block):
            _tell_above(t, block)
        block = parent
    node = ~t.block[block, PARENT]
    while t.block[block, COUNT] == 1 and t.block[block, LEVEL] > 0:
        only = t.ref[t.block[block, START]]
        discard_block(t, block)
        block = only
        t.block[block, PARENT] = ~node
    t.link[node, ROOT] = block
    if t.block[block, COUNT] == 0:
        discard_block(t, block)
        t.link[node, ROOT] = -1
        t.span[node, LOW], t.span[node, HIGH] = np.inf, -np.inf
    else:
        _tell_above(t, block)


@njit
def skeleton_node(t: IRArrays, block: int) -> int:
    """The node of the skeleton that a block belongs to."""
    while t.block[block, PARENT] >= 0:
        block = t.block[block, PARENT]
    return ~int(t.block[block, PARENT])


@njit
def remove(t: IRArrays, of: int) -> tuple[int, float, float]:
    """Take a range out of its R-tree; the node of the skeleton, and its ends. O(b log n)."""
    block = t.home[of]
    node = skeleton_node(t, block)
    place = slot_of(t, block, of)
    at = t.block[block, START] + place
    l, r = t.l[at], t.r[at]
    t.home[of] = -1
    _close_slot(t, block, place)
    _settle(t, block)
    return node, l, r


@njit
def load(t: IRArrays, node: int, l: Floats, r: Floats, score: Floats, ref: Ids) -> None:
    """Make the R-tree of a node of the skeleton from ranges in the order of ranks; O(n)."""
    level = 0
    while True:
        m = len(ref)
        blocks = -(-m // t.state[BRANCHING])
        made = np.empty(blocks, np.int32)
        low, high, best = np.empty(blocks), np.empty(blocks), np.empty(blocks)
        for i in range(blocks):
            first, behind = i * m // blocks, (i + 1) * m // blocks
            block = made[i] = _new_block(t, level, behind - first, ~node)
            start = t.block[block, START]
            for at in range(behind - first):
                t.l[start + at] = l[first + at]
                t.r[start + at] = r[first + at]
                t.score[start + at] = score[first + at]
                t.ref[start + at] = ref[first + at]
            t.block[block, COUNT] = behind - first
            _adopt(t, block, 0, behind - first)
            low[i], high[i], best[i] = _summary(t, block)
        if blocks == 1:
            t.link[node, ROOT] = made[0]
            t.span[node, LOW], t.span[node, HIGH] = low[0], high[0]
            return
        l, r, score, ref = low, high, best, made
        level += 1
