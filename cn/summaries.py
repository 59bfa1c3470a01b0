"""Summaries: few boxes that together hold many subscriptions, for every broker and every link of a routing tree.

A box is closed, `l_lo <= l <= l_hi`, `r_lo <= r <= r_hi`, or the like over several attributes (`cn.summary_boxes`). A
subscription alone is a box without extent, so a summary
with room for all is exact. One that has to make do with fewer boxes puts several into one, and holds more than it was
given, never less.

**Covering.** What broker v tells neighbour u is made from v's own summary and from what v's other neighbours told v,
by putting whole boxes together: each box that went in lies inside one box that came out. That is kept when a
subscription is added, so news of a box that an older box covers need not go further.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cn.summary_boxes import (
    best_cut,
    clear_box,
    copy_box,
    covers,
    growth,
    middle,
    put_point,
    sides_in,
    take_in,
)
from floor.kernels import njit

__all__ = ["TreeTable", "grow", "reduce_boxes", "summarise_links", "summarise_own"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class TreeTable(NamedTuple):
    """What the kernels read; broker b knows its own summary and those of its links, nothing else.

    `starts` (n + 1,) i8: the links out of broker b are `starts[b]:starts[b + 1]`.
    `neighbours` (e,) i8: where they lead. `back` (e,) i8: the same link in the other direction.
    `counts` (slots,) i8, `boxes` (slots, width, 4) f8 (l_lo, l_hi, r_lo, r_hi) or (slots, width, 2, D) over several
    attributes: summaries of at most `width` boxes.
    Slot b < n is broker b's own subscriptions, slot n + e those behind link e. Spare slots are empty.
    """

    starts: Ints
    neighbours: Ints
    back: Ints
    counts: Ints
    boxes: Floats


@njit
def _copy(boxes: Floats, count: int, out: Floats, first: int) -> None:
    for i in range(count):
        copy_box(boxes, i, out, first + i)


@njit
def _cut_group(order: Ints, first: int, last: int, d: int, at: int, left: Flags, spare: Ints) -> None:
    """Bring the order in other sides in line with a cut, each part in the order it had; two arrays of scratch."""
    for i in range(first, last):
        left[order[d, i]] = i < at
    for other in range(len(order)):
        if other == d:
            continue
        low, high = first, 0
        for i in range(first, last):
            member = order[other, i]
            if left[member]:
                order[other, low] = member
                low += 1
            else:
                spare[high] = member
                high += 1
        for i in range(high):
            order[other, low + i] = spare[i]


@njit
def reduce_boxes(boxes: Floats, out: Floats) -> int:
    """Write at most `len(out)` boxes that cover all of `boxes` into `out`; returns how many.

    Starts with one group and cuts, again and again, the group whose best cut gains most, until the room is used. A
    cut is between two members in the order of their middles in one side, and gains what it takes off the sum over
    groups of members x half perimeter. Groups become their bounding boxes. O(b log b) for sorting b boxes, and
    O(members of the group) a cut.
    """
    n, limit = len(boxes), len(out)
    if n <= limit:
        _copy(boxes, n, out, 0)
        return n
    heads = np.empty(n, np.float64)
    order = np.empty((sides_in(boxes), n), np.int64)
    for d in range(len(order)):
        for i in range(n):
            heads[i] = middle(boxes, i, d)
        ascending = np.argsort(heads)
        for i in range(n):
            order[d, i] = ascending[i]
    left = np.zeros(n, np.bool_)
    spare = np.empty(n, np.int64)
    ends = np.empty((limit, 2), np.int64)
    gains = np.empty(limit, np.float64)
    cuts = np.empty((limit, 2), np.int64)
    ends[0, 0], ends[0, 1] = 0, n
    gains[0], cuts[0, 0], cuts[0, 1] = best_cut(boxes, order, 0, n, heads)
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
        gains[g], cuts[g, 0], cuts[g, 1] = best_cut(boxes, order, first, at, heads)
        gains[count], cuts[count, 0], cuts[count, 1] = best_cut(boxes, order, at, last, heads)
        count += 1
    for g in range(count):
        clear_box(out, g)
        for i in range(ends[g, 0], ends[g, 1]):
            take_in(out, g, boxes, order[0, i])
    return count


@njit
def summarise_own(table: TreeTable, brokers: Ints, offsets: Ints, points: Floats) -> None:
    """Make own summaries of some brokers; the subscriptions of `brokers[i]` are `offsets[i]:offsets[i + 1]`.

    `points` (m, 2) f8: l and r of subscriptions, or (m, D) their coordinates.
    """
    for i in range(len(brokers)):
        own = np.empty((offsets[i + 1] - offsets[i], *table.boxes.shape[2:]), np.float64)
        for p in range(len(own)):
            put_point(own, p, points, offsets[i] + p)
        table.counts[brokers[i]] = reduce_boxes(own, table.boxes[brokers[i]])


@njit
def _merge(a: Floats, a_count: int, b: Floats, b_count: int, out: Floats) -> int:
    both = np.empty((a_count + b_count, *a.shape[1:]), np.float64)
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
    merged, merged_counts = np.empty((2 * most, *boxes.shape[1:]), np.float64), np.zeros(2 * most, np.int64)
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
def _cover(boxes: Floats, count: int, news: Floats, at: int) -> int:
    """Make a summary cover a box: returns the new count, or -1 when one of its boxes does already.

    Without room, the box that grows least in half perimeter takes it in. `news[at]`, the box, becomes what was added
    or has grown.
    """
    for i in range(count):
        if covers(boxes, i, news, at):
            return -1
    if count < len(boxes):
        copy_box(news, at, boxes, count)
        return count + 1
    best, least = 0, np.inf
    for i in range(count):
        more = growth(boxes, i, news, at)
        if more < least:
            best, least = i, more
    take_in(news, at, boxes, best)
    copy_box(news, at, boxes, best)
    return count


@njit
def grow(table: TreeTable, brokers: Ints, points: Floats) -> None:
    """Make own summaries and links cover subscriptions: each changed box is told onward until one covers it."""
    n = len(table.starts) - 1
    slots = np.empty(len(table.neighbours) + 1, np.int64)
    news = np.empty((len(table.neighbours) + 2, *table.boxes.shape[2:]), np.float64)
    box = len(news) - 1  # where a box stands that is looked at
    for i in range(len(brokers)):
        slots[0] = brokers[i]
        put_point(news, 0, points, i)
        depth = 1
        while depth > 0:
            depth -= 1
            slot = slots[depth]
            copy_box(news, depth, news, box)
            count = _cover(table.boxes[slot], table.counts[slot], news, box)
            if count < 0:
                continue
            table.counts[slot] = count
            told = slot if slot < n else table.neighbours[table.back[slot - n]]
            for e in range(table.starts[told], table.starts[told + 1]):
                if n + e != slot:
                    slots[depth] = n + table.back[e]
                    copy_box(news, box, news, depth)
                    depth += 1
