"""Summaries: few boxes that together hold many subscriptions, for every broker and every link of a routing tree.

A box is closed, `l_lo <= l <= l_hi`, `r_lo <= r <= r_hi`. A subscription alone is a box without extent, so a summary
with room for all is exact. One that has to make do with fewer boxes puts several into one, and holds more than it was
given, never less.

**Covering.** What broker v tells neighbour u is made from v's own summary and from what v's other neighbours told v,
by putting whole boxes together: each box that went in lies inside one box that came out. That is kept when a
subscription is added, so news of a box that an older box covers need not go further.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit

__all__ = ["TreeTable", "grow", "meets_any", "reduce_boxes", "summarise_links", "summarise_own"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# Keeps members x half perimeter finite, whatever finite ends the boxes have.
_SCALE = 2.0**-40


class TreeTable(NamedTuple):
    """What the kernels read; broker b knows its own summary and those of its links, nothing else.

    `starts` (n + 1,) i8: the links out of broker b are `starts[b]:starts[b + 1]`.
    `neighbours` (e,) i8: where they lead. `back` (e,) i8: the same link in the other direction.
    `counts` (slots,) i8, `boxes` (slots, width, 4) f8 (l_lo, l_hi, r_lo, r_hi): summaries of at most `width` boxes.
    Slot b < n is broker b's own subscriptions, slot n + e those behind link e. Spare slots are empty.
    """

    starts: Ints
    neighbours: Ints
    back: Ints
    counts: Ints
    boxes: Floats


@njit
def meets_any(boxes: Floats, count: int, l_in: float, r_in: float, l_out: float, r_out: float) -> bool:
    """Whether one of the first `count` boxes has a point of a message's rectangle."""
    for i in range(count):
        if boxes[i, 0] <= l_in and l_out < boxes[i, 1] and boxes[i, 2] < r_out and r_in <= boxes[i, 3]:
            return True
    return False


@njit
def _half_perimeter(l_lo: float, l_hi: float, r_lo: float, r_hi: float) -> float:
    return (l_hi * _SCALE - l_lo * _SCALE) + (r_hi * _SCALE - r_lo * _SCALE)


@njit
def _best_cut(boxes: Floats, order: Ints, first: int, last: int, heads: Floats) -> tuple[float, int, int]:
    """(gain, dimension, position) of the cut that most lowers members x half perimeter; `heads` is scratch."""
    best, dimension, position = 0.0, 0, first
    for d in range(2):
        l_lo, l_hi, r_lo, r_hi = np.inf, -np.inf, np.inf, -np.inf
        for i in range(first, last):
            box = boxes[order[d, i]]
            l_lo, l_hi = min(l_lo, box[0]), max(l_hi, box[1])
            r_lo, r_hi = min(r_lo, box[2]), max(r_hi, box[3])
            heads[i] = (i + 1 - first) * _half_perimeter(l_lo, l_hi, r_lo, r_hi)
        whole = heads[last - 1]
        l_lo, l_hi, r_lo, r_hi = np.inf, -np.inf, np.inf, -np.inf
        for i in range(last - 1, first, -1):
            box = boxes[order[d, i]]
            l_lo, l_hi = min(l_lo, box[0]), max(l_hi, box[1])
            r_lo, r_hi = min(r_lo, box[2]), max(r_hi, box[3])
            gain = whole - heads[i - 1] - (last - i) * _half_perimeter(l_lo, l_hi, r_lo, r_hi)
            if gain > best:
                best, dimension, position = gain, d, i
    return best, dimension, position


@njit
def _copy(boxes: Floats, count: int, out: Floats, first: int) -> None:
    # Loops, here and below, compile in a third of the time of assignments to slices.
    for i in range(count):
        for d in range(4):
            out[first + i, d] = boxes[i, d]


@njit
def _take_in(box: Floats, other: Floats) -> None:
    box[0], box[1] = min(box[0], other[0]), max(box[1], other[1])
    box[2], box[3] = min(box[2], other[2]), max(box[3], other[3])


@njit
def _cut_group(order: Ints, first: int, last: int, d: int, at: int, left: Flags, spare: Ints) -> None:
    """Bring the other dimension's order in line with a cut, each part in the order it had; two arrays of scratch."""
    for i in range(first, last):
        left[order[d, i]] = i < at
    low, high = first, 0
    for i in range(first, last):
        member = order[1 - d, i]
        if left[member]:
            order[1 - d, low] = member
            low += 1
        else:
            spare[high] = member
            high += 1
    for i in range(high):
        order[1 - d, low + i] = spare[i]


@njit
def reduce_boxes(boxes: Floats, out: Floats) -> int:
    """Write at most `len(out)` boxes that cover all of `boxes` into `out`; returns how many.

    Starts with one group and cuts, again and again, the group whose best cut gains most, until the room is used. A
    cut is between two members in the order of their middles, in l or in r, and gains what it takes off the sum over
    groups of members x half perimeter. Groups become their bounding boxes. O(b log b) for sorting b boxes, and
    O(members of the group) a cut.
    """
    n, limit = len(boxes), len(out)
    if n <= limit:
        _copy(boxes, n, out, 0)
        return n
    heads = np.empty(n, np.float64)
    order = np.empty((2, n), np.int64)
    for d in range(2):
        for i in range(n):
            heads[i] = boxes[i, 2 * d] * 0.5 + boxes[i, 2 * d + 1] * 0.5
        ascending = np.argsort(heads)
        for i in range(n):
            order[d, i] = ascending[i]
    left = np.zeros(n, np.bool_)
    spare = np.empty(n, np.int64)
    ends = np.empty((limit, 2), np.int64)
    gains = np.empty(limit, np.float64)
    cuts = np.empty((limit, 2), np.int64)
    ends[0, 0], ends[0, 1] = 0, n
    gains[0], cuts[0, 0], cuts[0, 1] = _best_cut(boxes, order, 0, n, heads)
    count = 1
    while count < limit:
        g = 0
        for i in range(1, count):
            if gains[i] > gains[g]:
                g = i
        if gains[g] <= 0.0:
            break
        first, last, d, at = ends[g, 0], ends[g, 1], cuts[g, 0], cuts[g, 1]
        _cut_group(order, first, last, d, at, left, spare)
        ends[g, 1] = at
        ends[count, 0], ends[count, 1] = at, last
        gains[g], cuts[g, 0], cuts[g, 1] = _best_cut(boxes, order, first, at, heads)
        gains[count], cuts[count, 0], cuts[count, 1] = _best_cut(boxes, order, at, last, heads)
        count += 1
    for g in range(count):
        out[g, 0], out[g, 1], out[g, 2], out[g, 3] = np.inf, -np.inf, np.inf, -np.inf
        for i in range(ends[g, 0], ends[g, 1]):
            _take_in(out[g], boxes[order[0, i]])
    return count


@njit
def summarise_own(table: TreeTable, brokers: Ints, offsets: Ints, l: Floats, r: Floats) -> None:
    """Make own summaries of some brokers; the subscriptions of `brokers[i]` are `offsets[i]:offsets[i + 1]`."""
    for i in range(len(brokers)):
        points = np.empty((offsets[i + 1] - offsets[i], 4), np.float64)
        for p in range(len(points)):
            points[p, 0] = points[p, 1] = l[offsets[i] + p]
            points[p, 2] = points[p, 3] = r[offsets[i] + p]
        table.counts[brokers[i]] = reduce_boxes(points, table.boxes[brokers[i]])


@njit
def _merge(a: Floats, a_count: int, b: Floats, b_count: int, out: Floats) -> int:
    both = np.empty((a_count + b_count, 4), np.float64)
    _copy(a, a_count, both, 0)
    _copy(b, b_count, both, a_count)
    return reduce_boxes(both, out)


@njit
def _fold(table: TreeTable, slots: Ints, merged: Floats, merged_counts: Ints) -> None:
    """Merge slots in pairs: `merged[i]` covers `merged[2 i]` and `merged[2 i + 1]`; the last ones are the slots."""
    leaves = len(slots)
    for i in range(leaves):
        merged_counts[leaves + i] = table.counts[slots[i]]
        _copy(table.boxes[slots[i]], table.counts[slots[i]], merged[leaves + i], 0)
    for i in range(leaves - 1, 0, -1):
        merged_counts[i] = _merge(
            merged[2 * i], merged_counts[2 * i], merged[2 * i + 1], merged_counts[2 * i + 1], merged[i]
        )


@njit
def summarise_links(table: TreeTable, outward: Ints, uplink: Ints) -> None:
    """Make the summaries of all links from the brokers' own.

    `outward`: the present brokers, each after the one its `uplink` leads to; the first has none (-1). Inward first,
    then outward, as brokers would tell each other. A broker with d neighbours owes each of them the merger of
    everything but that neighbour's part; merging in pairs up and down a binary tree takes O(d) mergers, not O(d^2).
    """
    starts, back, counts, boxes = table.starts, table.back, table.counts, table.boxes
    n = len(starts) - 1
    most = np.max(starts[1:] - starts[:-1]) + 1
    merged, merged_counts = np.empty((2 * most, boxes.shape[1], 4), np.float64), np.zeros(2 * most, np.int64)
    others, others_counts = np.empty_like(merged), np.zeros(2 * most, np.int64)
    slots = np.empty(most, np.int64)
    for b in outward[:0:-1]:
        slots[0] = b
        leaves = 1
        for e in range(starts[b], starts[b + 1]):
            if e != uplink[b]:
                slots[leaves] = n + e
                leaves += 1
        _fold(table, slots[:leaves], merged, merged_counts)
        slot = n + back[uplink[b]]
        counts[slot] = merged_counts[1]
        _copy(merged[1], merged_counts[1], boxes[slot], 0)
    for b in outward:
        slots[0] = b
        leaves = 1 + starts[b + 1] - starts[b]
        for i in range(1, leaves):
            slots[i] = n + starts[b] + i - 1
        _fold(table, slots[:leaves], merged, merged_counts)
        others_counts[1] = 0
        for i in range(2, 2 * leaves):
            others_counts[i] = _merge(
                others[i // 2], others_counts[i // 2], merged[i ^ 1], merged_counts[i ^ 1], others[i]
            )
        for i in range(1, leaves):
            e = starts[b] + i - 1
            if e != uplink[b]:
                counts[n + back[e]] = others_counts[leaves + i]
                _copy(others[leaves + i], others_counts[leaves + i], boxes[n + back[e]], 0)


@njit
def _cover(boxes: Floats, count: int, box: Floats) -> int:
    """Make a summary cover a box: returns the new count, or -1 when one of its boxes does already.

    Without room, the box that grows least in half perimeter takes it in. `box` becomes what was added or has grown.
    """
    for i in range(count):
        if boxes[i, 0] <= box[0] and box[1] <= boxes[i, 1] and boxes[i, 2] <= box[2] and box[3] <= boxes[i, 3]:
            return -1
    if count < len(boxes):
        for d in range(4):
            boxes[count, d] = box[d]
        return count + 1
    best, least = 0, np.inf
    for i in range(count):
        wide = _half_perimeter(
            min(boxes[i, 0], box[0]), max(boxes[i, 1], box[1]), min(boxes[i, 2], box[2]), max(boxes[i, 3], box[3])
        )
        more = wide - _half_perimeter(boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3])
        if more < least:
            best, least = i, more
    _take_in(box, boxes[best])
    for d in range(4):
        boxes[best, d] = box[d]
    return count


@njit
def grow(table: TreeTable, brokers: Ints, l: Floats, r: Floats) -> None:
    """Make own summaries and links cover subscriptions: each changed box is told onward until one covers it."""
    n = len(table.starts) - 1
    slots = np.empty(len(table.neighbours) + 1, np.int64)
    news = np.empty((len(table.neighbours) + 1, 4), np.float64)
    box = np.empty(4, np.float64)
    for i in range(len(brokers)):
        slots[0] = brokers[i]
        news[0, 0] = news[0, 1] = l[i]
        news[0, 2] = news[0, 3] = r[i]
        depth = 1
        while depth > 0:
            depth -= 1
            slot = slots[depth]
            for d in range(4):
                box[d] = news[depth, d]
            count = _cover(table.boxes[slot], table.counts[slot], box)
            if count < 0:
                continue
            table.counts[slot] = count
            told = slot if slot < n else table.neighbours[table.back[slot - n]]
            for e in range(table.starts[told], table.starts[told + 1]):
                if n + e != slot:
                    slots[depth] = n + table.back[e]
                    for d in range(4):
                        news[depth, d] = box[d]
                    depth += 1
