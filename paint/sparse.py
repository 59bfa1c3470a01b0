"""Paint-Sparse and Paint-Sparse(epsilon): messages for the subscriptions there are (Section III-B).

The tiles are those of Paint-Dense. Each is snapped to the subscriptions in it and dropped when there are none; from
west to east, a box is merged into the one before if the box around both reaches no subscription outside the tiles.
The sweep asks for exposed objects only between l* and r*, the ends of the ranges still to be served, and ends when
there are none left. The approximate version snaps the sublists of Section IV-B in place of tiles.

**Calls as the paper counts them** are told apart from what is done here. It has a snap for every tile of
Paint-Dense, of the updated object and of each object that min_y between l* and r* returns, where ours leaves out
those that it knows to be empty; it has none for l* and r*, which ours finds by snaps of what is left; and it has a
last min_y for every object that is lowered, where ours does not ask when nobody is left. Tiles that ties in x make
empty have a snap too: Table VI has k per event. Emptiness tests of merging are in none of its tables.

Any cover of the subscriptions may stand in for the index (`matching.SubscriptionSketch`): the boxes it gives stay
inside the tiles, so lists stay exact, but some messages then reach nobody.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from matching import Tree
from matching.kdtree_queries import NARROW, Part, closed_box, half_open, is_empty, narrow, snap, whole
from paint.algorithm import EMPTY, FIRST_K, MIN_Y, MIN_Y_APART, SNAP, SNAP_APART, Change, Plan, Rows
from paint.cells import Box, Cells, add_cell, enclosing_quadrant, lose, make_cells
from paint.geometry import ALL, EACH, START, Limits, empty_tiles, exposed_tiles, influence_tiles, put_tile, strips
from paint.halves import Place, kernels_of
from paint.index import ObjectIndex, next_exposed, open_sweep
from paint.known_subscriptions import KnownSubscriptions
from paint.messages import EXPOSED, UPDATE, reserve, stamp
from paint.painting import Painting
from paint.sweep import Sweep, expose

__all__ = ["Sparse"]


@njit_inner
def _clear_between(part: Part, out: Rows, row: int, box: Box, costs: NDArray[np.int64]) -> bool:
    """Whether the box around the one in `row` and another to its east holds subscriptions of these two only.

    What both leave of it is covered by three rectangles (footnote 7): the gap between them, what lies over the lower
    one and what lies under the higher one.
    """
    l_min, l_max, r_min, r_max = box
    g_min, g_max, h_min, h_max = closed_box(out[row, 0], out[row, 1], out[row, 2], out[row, 3])
    low, high = min(h_min, r_min), max(h_max, r_max)
    before, after = np.nextafter(g_max, np.inf), np.nextafter(l_min, -np.inf)
    if before <= after:
        costs[EMPTY] += 1
        if not is_empty(part, before, after, low, high):
            return False
    if h_max != r_max:
        costs[EMPTY] += 1
        over = np.nextafter(min(h_max, r_max), np.inf)
        if not is_empty(part, g_min if h_max < r_max else l_min, g_max if h_max < r_max else l_max, over, high):
            return False
    if h_min != r_min:
        costs[EMPTY] += 1
        under = np.nextafter(max(h_min, r_min), -np.inf)
        if not is_empty(part, g_min if h_min > r_min else l_min, g_max if h_min > r_min else l_max, low, under):
            return False
    return True


@njit_inner
def paint_box(part: Part, out: Rows, first: int, row: int, box: Box, costs: NDArray[np.int64]) -> int:
    """Merge a box into the last one written since row `first`, or write it to `row`; the row after the last one."""
    l_min, l_max, r_min, r_max = box
    if row > first and _clear_between(part, out, row - 1, box, costs):
        g_min, _, h_min, h_max = closed_box(out[row - 1, 0], out[row - 1, 1], out[row - 1, 2], out[row - 1, 3])
        l_min, r_min, r_max = g_min, min(h_min, r_min), max(h_max, r_max)
        row -= 1
    l_in, r_in, l_out, r_out = half_open(l_min, l_max, r_min, r_max)
    return put_tile(out, row, l_in, r_in, l_out, r_out)


class Scratch(NamedTuple):
    """Memory of one event, allocated once.

    Attributes
    ----------
    tiles, groups, boxes : float64 arrays of shape (k, 4)
        The tiles of an object, its sublists of tiles (both as messages), and what a snap left of each sublist.
    cells : Cells
        What is left of the subscriptions in IR^z.
    start : int32 array
        Where in the tree the subscriptions around IR(i) are.
    """

    tiles: Rows
    groups: Rows
    boxes: Rows
    cells: Cells
    start: NDArray[np.int32]


def make_scratch(k: int) -> Scratch:
    """Allocate the memory of an event for lists of k; O(k) space."""
    return Scratch(np.zeros((k, 4)), np.zeros((k, 4)), np.zeros((k, 4)), make_cells(k), np.zeros(NARROW, np.int32))


@njit
def _around(tree: Tree, scratch: Scratch, groups: int) -> Part:
    """Give the part of the tree around IR(i), which every question of the event is about."""
    tiles = scratch.groups
    l_out, l_in, r_in, r_out = np.inf, -np.inf, np.inf, -np.inf
    for at in range(groups):
        l_in, r_in = max(l_in, tiles[at, 0]), min(r_in, tiles[at, 1])
        l_out, r_out = min(l_out, tiles[at, 2]), max(r_out, tiles[at, 3])
    l_lo, l_hi, r_lo, r_hi = closed_box(l_in, r_in, l_out, r_out)
    return narrow(tree, l_lo, l_hi, r_lo, r_hi, scratch.start)


@njit_inner
def paint_region(part: Part, plan: Plan, scratch: Scratch, groups: int, out: Rows, row: int) -> int:
    """Snap the sublists of IR(i) and write the merged boxes; the row after the last one. At most `groups` snaps."""
    first = row
    tiles, boxes = scratch.groups, scratch.boxes
    for at in range(groups):
        l_lo, l_hi, r_lo, r_hi = closed_box(tiles[at, 0], tiles[at, 1], tiles[at, 2], tiles[at, 3])
        found, l_min, l_max, r_min, r_max = snap(part, l_lo, l_hi, r_lo, r_hi)
        boxes[at, 0], boxes[at, 1], boxes[at, 2], boxes[at, 3] = l_min, l_max, r_min, r_max
        if found:
            row = paint_box(part, out, first, row, (l_min, l_max, r_min, r_max), plan.costs)
    plan.costs[SNAP] += groups
    return row


@njit_inner
def open_cells(scratch: Scratch, tiles: int, exact: bool) -> None:
    """Start the boxes of a sweep from the snapped sublists: exact ones, or the tiles cut down to them."""
    cells = scratch.cells
    cells.used[0] = 0
    group = 0
    for at in range(tiles):
        l_lo, l_hi, r_lo, r_hi = closed_box(
            scratch.tiles[at, 0], scratch.tiles[at, 1], scratch.tiles[at, 2], scratch.tiles[at, 3]
        )
        while scratch.groups[group, 0] < l_hi:
            group += 1
        box = scratch.boxes[group]
        add_cell(cells, max(box[0], l_lo), min(box[1], l_hi), max(box[2], r_lo), min(box[3], r_hi), exact)


@njit_inner
def paint_gain(part: Part, plan: Plan, scratch: Scratch, tiles: int, groups: int, out: Rows, row: int) -> int:
    """Take the tiles an exposed object gains from the boxes of the sweep and write the merged boxes.

    Of each sublist only the tiles that may hold subscriptions count; at most one snap per sublist.
    """
    first = row
    parts, wholes, cells = scratch.tiles, scratch.groups, scratch.cells
    at, snaps = 0, 0
    for group in range(groups):
        found, exact = False, True
        l_min, l_max, r_min, r_max = np.inf, -np.inf, np.inf, -np.inf
        while at < tiles and parts[at, 0] <= wholes[group, 0]:
            l_lo, l_hi, r_lo, r_hi = closed_box(parts[at, 0], parts[at, 1], parts[at, 2], parts[at, 3])
            some, sharp, lost = lose(cells, l_lo, l_hi, r_lo, r_hi)
            if some:
                found, exact = True, exact and sharp
                l_min, l_max = min(l_min, lost[0]), max(l_max, lost[1])
                r_min, r_max = min(r_min, lost[2]), max(r_max, lost[3])
            at += 1
        if found and not exact:
            snaps += 1
            found, l_min, l_max, r_min, r_max = snap(part, l_min, l_max, r_min, r_max)
        if found:
            row = paint_box(part, out, first, row, (l_min, l_max, r_min, r_max), plan.costs)
    plan.costs[SNAP] += snaps
    plan.costs[SNAP_APART] += groups - snaps
    return row


@njit
def enter(
    arrays: Any, plan: Plan, sweep: Sweep, tree: Tree, scratch: Scratch, i: int, _came: Place, out: Rows, row: int
) -> tuple[Rows, int]:
    """Tell the subscriptions in IR(i) of object i, which has risen to its y in the index; at most k snaps."""
    k = plan.k
    x, y = arrays.x[i], arrays.y[i]
    open_sweep(arrays, sweep, i, -np.inf, k)
    plan.costs[FIRST_K] += 2
    groups = influence_tiles(x, sweep.xs, sweep.counts, k, plan.cut, ALL, scratch.groups, START)
    if plan.cut == EACH:
        plan.costs[SNAP_APART] += strips(sweep.counts, k) - groups
    out = reserve(out, row, k)
    part = _around(tree, scratch, groups)
    end = paint_region(part, plan, scratch, groups, out, row)
    stamp(out, row, end, x, plan.sign * y, i, UPDATE)
    return out, end


@njit
def leave(
    arrays: Any, plan: Plan, sweep: Sweep, tree: Tree, scratch: Scratch, i: int,
    told: Place, y_end: float, limits: Limits, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell IR(i) of the place told, then of the interesting objects exposed as i rises from its y to y_end.

    O(v(log n + k log m)) for v interesting exposed objects (Theorem 5); at most v + 1 min_y calls.
    """
    k, cut = plan.k, plan.cut
    x = arrays.x[i]
    xs, counts = sweep.xs, sweep.counts
    open_sweep(arrays, sweep, i, y_end, plan.k)
    plan.costs[FIRST_K] += 2
    groups = influence_tiles(x, xs, counts, k, cut, limits, scratch.groups, START)
    tiles = influence_tiles(x, xs, counts, k, EACH, limits, scratch.tiles, START)
    if cut == EACH:
        plan.costs[SNAP_APART] += strips(counts, k) - groups
    out = reserve(out, row, k)
    part = _around(tree, scratch, groups)
    end = paint_region(part, plan, scratch, groups, out, row)
    stamp(out, row, end, told[0], plan.sign * told[1], i, UPDATE)
    open_cells(scratch, tiles, cut == EACH)
    calls = 0
    while True:
        some, l_star, r_star = enclosing_quadrant(scratch.cells, part, plan.costs)
        if not some:
            plan.costs[MIN_Y_APART] += 1
            break
        h = next_exposed(arrays, sweep, np.nextafter(l_star, -np.inf), np.nextafter(r_star, np.inf))
        calls += 1
        if h < 0:
            break
        x_h = arrays.x[h]
        groups = exposed_tiles(x_h, x, xs, counts, k, cut, limits, scratch.groups, START)
        tiles = exposed_tiles(x_h, x, xs, counts, k, EACH, limits, scratch.tiles, START)
        if cut == EACH:
            plan.costs[SNAP_APART] += empty_tiles(x_h, x, xs, counts, k)
        row = end
        out = reserve(out, row, k)
        end = paint_gain(part, plan, scratch, tiles, groups, out, row)
        stamp(out, row, end, x_h, plan.sign * arrays.y[h], h, EXPOSED)
        expose(sweep, h, x_h, x, k)
    plan.costs[MIN_Y] += calls
    return out, end


@njit
def thin(tree: Tree, plan: Plan, rows: Rows) -> Rows:
    """Snap the messages of a batch, drop those that reach nobody and merge what belongs to one object, in place.

    Tiles of a gain may lie over each other; only a box east of the one before is a candidate for merging. So is only
    one with a place in common: of an object that moved, those who held the old place and those who hold the new one
    are told apart.
    """
    part = whole(tree)
    integers = rows.view(np.int64)
    first = row = START
    for at in range(len(rows)):
        if at > 0 and (integers[at, 6] != integers[at - 1, 6] or integers[at, 7] != integers[at - 1, 7]):
            first = row
        l_lo, l_hi, r_lo, r_hi = closed_box(rows[at, 0], rows[at, 1], rows[at, 2], rows[at, 3])
        plan.costs[SNAP] += 1
        found, l_min, l_max, r_min, r_max = snap(part, l_lo, l_hi, r_lo, r_hi)
        if found:
            if row > first and (rows[row - 1, 0] >= l_min or rows[row - 1, 1] < l_max):
                first = row
            x, y, i, cause = rows[at, 4], rows[at, 5], integers[at, 6], integers[at, 7]
            row = paint_box(part, rows, first, row, (l_min, l_max, r_min, r_max), plan.costs)
            stamp(rows, row - 1, row, x, y, i, cause)
    return rows[:row]


class Sparse(Painting):
    """Paint-Sparse over an object index and the subscriptions, as a server drives it."""

    takes: ClassVar = frozenset({"cut", "epsilon", "subscriptions", "sketch"})
    kernels: ClassVar = kernels_of(enter, leave)

    def __init__(self, index: ObjectIndex, plan: Plan, subscribers: KnownSubscriptions) -> None:
        super().__init__(index, plan, subscribers)
        self._scratch = make_scratch(plan.k)

    def _parts(self) -> tuple[Any, Plan, Sweep, Tree, Scratch]:
        return self._index.arrays, self._plan, self._sweep, self._subscriptions.arrays, self._scratch

    def _rows(self, events: int) -> int:
        return max(1024, 4 * events)

    def batch(self, ids: NDArray[np.int64], ys: NDArray[np.float64], printed: bool) -> Rows:
        """Change distinct objects at once, by Paint-Batch, and tell those who are there; rows of their own."""
        return thin(self._subscriptions.arrays, self._plan, super().batch(ids, ys, printed))

    def window(self, changes: list[Change]) -> Rows:
        """Change distinct objects, which may enter, leave and move; rows of their own, as those of `batch`."""
        return thin(self._subscriptions.arrays, self._plan, super().window(changes))
