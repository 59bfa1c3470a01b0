"""Union and difference of two influence regions of one object, cut into as few tiles as possible (for Paint-Batch).

An influence region of object i at x is the set of subscriptions [l, r] with l <= x <= r < R(l), where R ascends in
steps (Lemma 2). Before and after a batch the object has two of them. Both are cut at the same l into columns, and
then

* the union is r < max(R_before, R_after), again a staircase: one tile per step, and no fewer will do;
* what it gains is R_before(l) <= r < R_after(l), a band between two staircases, for which the general rule holds: a
  polygon with v reflex corners needs v + 1 - c rectangles, c the most chords between reflex corners, parallel to the
  axes, that do not meet. In a band every reflex corner is a step: of the upper stair at (l, g), g the lower of the
  two heights there, or of the lower stair at (l, f), f the higher of the two. A vertical chord joins two steps at the
  same l. A horizontal one joins an upper step to a lower one of the same height further east; both heights are often
  the x of one object that both staircases turn at, so such chords are no accident. A vertical chord meets a
  horizontal one iff its l lies in the other's l range, and both ends of the horizontal ones ascend together; so the
  best choice is a chain found by dynamic programming.

Lists are those of `paint.geometry`: x values nearest first, and how many there are, west and east. `cut` takes two of
them, before and after; `union_tiles` and `gain_tiles` read the columns that it leaves.

With epsilon (Section IV-B) neighbouring columns are sent as one box where both staircases stay within one group of
levels. The staircase that bounds a box then spans s <= ceil(epsilon k) levels there, so that as in `paint.geometry`
the object ranks within k + s - 1 for all in it, before or after; and for all in a box of what is gained it ranked
below k - s + 1. At most 2 / epsilon + 1 boxes. A cut by tiles is none here: tiles stay exact.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit_inner
from paint.geometry import Cut, group_of, put_tile
from paint.sweep import EAST, WEST

__all__ = ["Columns", "cut", "gain_boxes", "gain_tiles", "make_columns", "union_tiles"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class Columns(NamedTuple):
    """Scratch memory for two staircases over lists of k, at most 2k + 1 columns; O(k) space.

    Attributes
    ----------
    edge : float64 array
        Column q holds l in (edge[q], edge[q + 1]].
    before, after : float64 arrays
        R of either staircase in each column, x where the region has nothing.
    level : int64 array of shape (columns, 2)
        Level of either staircase in each column, 0 where it is open and k where the region has nothing.
    chord : int64 array of shape (columns, 2)
        First and last boundary of each horizontal chord; boundary q is between columns q and q + 1.
    best, link : int64 arrays
        What a chain of chords that ends here saves, and the chord before it.
    tiles : float64 array of shape (2, columns, 3)
        The tiles a column is cut into, upwards, and those of the column before: r_in, r_out and l_out.
    """

    edge: Floats
    before: Floats
    after: Floats
    level: Ids
    chord: Ids
    best: Ids
    link: Ids
    tiles: Floats


def make_columns(k: int) -> Columns:
    """Allocate the scratch memory for lists of k."""
    size = 2 * k + 3
    return Columns(
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty((size, 2), np.int64),
        np.empty((size, 2), np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty((2, size, 3)),
    )


@njit_inner
def _reach(x: float, east: Floats, b: int, p: int, k: int) -> float:
    """R(l) where p objects of the west list are in range."""
    if p >= k:
        return x
    if k - p > b:
        return np.inf
    reach: float = east[k - p - 1]
    return reach


@njit_inner
def cut(x: float, xs_0: Floats, counts_0: Ids, xs_1: Floats, counts_1: Ids, k: int, columns: Columns) -> int:
    """Cut two staircases of an object at x into common columns, west to east; return their number. O(k)."""
    west_0, east_0, a_0, b_0 = xs_0[WEST], xs_0[EAST], counts_0[WEST], counts_0[EAST]
    west_1, east_1, a_1, b_1 = xs_1[WEST], xs_1[EAST], counts_1[WEST], counts_1[EAST]
    edge, before, after = columns.edge, columns.before, columns.after
    edge[0] = -np.inf
    count = 0
    while edge[count] < x:
        next_0 = west_0[a_0 - 1] if a_0 > 0 else x
        next_1 = west_1[a_1 - 1] if a_1 > 0 else x
        edge[count + 1] = min(next_0, next_1)
        before[count] = _reach(x, east_0, b_0, a_0, k)
        after[count] = _reach(x, east_1, b_1, a_1, k)
        columns.level[count, 0] = a_0 if before[count] < np.inf else 0
        columns.level[count, 1] = a_1 if after[count] < np.inf else 0
        count += 1
        while a_0 > 0 and west_0[a_0 - 1] == edge[count]:
            a_0 -= 1
        while a_1 > 0 and west_1[a_1 - 1] == edge[count]:
            a_1 -= 1
    return count


@njit_inner
def _groups(columns: Columns, q: int, cut: Cut, k: int) -> tuple[int, int]:
    """Groups of levels that the two staircases are in at a column; -1 where a region has nothing."""
    low, high = columns.level[q]
    return group_of(cut, low, q, k) if low < k else -1, group_of(cut, high, q, k) if high < k else -1


@njit_inner
def union_tiles(x: float, count: int, columns: Columns, cut: Cut, k: int, out: Floats, row: int) -> int:
    """Tile the union of two influence regions of an object at x, from `row` of `out` on; return the row after.

    At most 2k tiles, the fewest possible of an exact cut. O(k).
    """
    first = row
    now = (-1, -1)
    for q in range(count):
        reach = max(columns.before[q], columns.after[q])
        if row > first and out[row - 1, 3] == reach:
            out[row - 1, 0] = columns.edge[q + 1]
        elif reach > x:
            groups = _groups(columns, q, cut, k) if cut.groups > 0 else now
            if cut.groups > 0 and row > first and groups == now:
                out[row - 1, 0] = columns.edge[q + 1]
                out[row - 1, 3] = reach
            else:
                row = put_tile(out, row, columns.edge[q + 1], x, columns.edge[q], reach)
                now = groups
    return row


@njit_inner
def gain_boxes(count: int, columns: Columns, cut: Cut, k: int, out: Floats, row: int) -> int:
    """Cover the second influence region without the first by a box per group; return the row after. O(k)."""
    first = row
    now = (-1, -1)
    for q in range(count):
        if columns.before[q] < columns.after[q]:
            groups = _groups(columns, q, cut, k)
            if row > first and groups == now:
                out[row - 1, 0] = columns.edge[q + 1]
                out[row - 1, 3] = columns.after[q]
            else:
                row = put_tile(out, row, columns.edge[q + 1], columns.before[q], columns.edge[q], columns.after[q])
                now = groups
    return row


@njit_inner
def _choose_chords(low: Floats, high: Floats, count: int, columns: Columns) -> int:
    """Choose the horizontal chords to cut along: write them to columns.chord and return how many. O(k^2)."""
    chord, best, link = columns.chord, columns.best, columns.link
    chords = 0
    m = 0
    for q in range(count - 1):
        if high[q + 1] > high[q]:
            m = max(m, q + 1)
            while m < count - 1 and low[m + 1] < high[q]:
                m += 1
            if m < count - 1 and low[m + 1] == high[q] and low[m] < high[q]:
                chord[chords, 0], chord[chords, 1] = q, m
                chords += 1
    last = -1
    for t in range(chords):
        best[t], link[t] = 0, -1
        for s in range(t):
            saved = best[s] + _vertical(low, high, chord[t, 0], min(chord[s, 1], chord[t, 1]))
            if saved > best[t]:
                best[t], link[t] = saved, s
        best[t] += 1 - _vertical(low, high, chord[t, 0], chord[t, 1])
        if best[t] > 0 and (last < 0 or best[t] > best[last]):
            last = t
    chosen = chords
    while last >= 0:
        chosen -= 1
        chord[chosen, 0], chord[chosen, 1] = chord[last, 0], chord[last, 1]
        last = link[last]
    for t in range(chosen, chords):
        chord[t - chosen, 0], chord[t - chosen, 1] = chord[t, 0], chord[t, 1]
    return chords - chosen


@njit_inner
def _vertical(low: Floats, high: Floats, first: int, last: int) -> int:
    """Count the vertical chords at boundaries first..last."""
    count = 0
    for q in range(first, last + 1):
        if low[q] < low[q + 1] < high[q] < high[q + 1]:
            count += 1
    return count


@njit_inner
def gain_tiles(count: int, columns: Columns, out: Floats, row: int) -> int:
    """Tile the second influence region without the first, from `row` of `out` on; return the row after.

    At most 4k + 2 tiles, the fewest possible; west to east by their east side. O(k), and O(c^2) for c chords.
    """
    edge, low, high = columns.edge, columns.before, columns.after
    chords = _choose_chords(low, high, count, columns)
    start, end = 0, 0
    old = 0
    for q in range(count + 1):
        # The chords of a column are a window of the ascending list of all.
        while end < chords and columns.chord[end, 0] < q:
            end += 1
        while start < end and columns.chord[start, 1] < q:
            start += 1
        now, past = columns.tiles[q & 1], columns.tiles[1 - (q & 1)]
        new = 0
        if q < count and low[q] < high[q]:
            for t in range(start, end + 1):
                now[new, 0] = low[q] if t == start else high[columns.chord[t - 1, 0]]
                now[new, 1] = high[q] if t == end else high[columns.chord[t, 0]]
                now[new, 2] = edge[q]
                new += 1
        j = 0
        for tile in range(old):
            while j < new and now[j, 0] < past[tile, 0]:
                j += 1
            if j < new and now[j, 0] == past[tile, 0] and now[j, 1] == past[tile, 1]:
                now[j, 2] = past[tile, 2]
                continue
            row = put_tile(out, row, edge[q], past[tile, 0], past[tile, 2], past[tile, 1])
        old = new
    return row
