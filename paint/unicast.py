"""Unicast: one message to each affected subscription (Section V's baseline).

A message (subscription, dropped, object, y) says: take `dropped` out of the list, put `object` in with that y; -1
stands for none. Objects keep their x, except that an object that moves may be dropped and put in at once. The list is
exact after that one step, which a replacement alone would not make it.

Who is affected, and what enters or leaves a list for object i, follows from one sweep of i from the lower to the
higher of its two y values. A subscription with c < k objects in its range that rank above i at the lower one loses or
gains i against the (k - c)-th object of its range that the sweep meets; if it meets fewer, i stays. Lowering and
raising are the same sweep, read in opposite directions. (The paper's min_y(range, y_old) finds another object: it
must look above the k-th value of the subscription, not above that of i.)

Two ways to find the affected: `candidates`, the paper's, looks at each subscription in (l', x] x [x, r'), (l', r') =
II_old(i) ∪ II_new(i), and counts one min_y call for each, raising or lowering; `tiles`, of its footnote 8, reads them
from the tiles of Paint-Dense and counts the min_y calls of that. They send the same messages, in different order.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from matching import Tree
from matching.kdtree_queries import closed_box, count, range_of, report
from paint.algorithm import FIRST_K, MIN_Y, Plan, Rows
from paint.geometry import ALL, EACH, START, Limits, exposed_tiles, influence_tiles
from paint.halves import Halved, Place, kernels_of
from paint.index import ObjectIndex, next_exposed, open_sweep
from paint.known_subscriptions import KnownSubscriptions
from paint.messages import UNICAST, UPDATE, reserve, stamp
from paint.sweep import EAST, WEST, Sweep, expose, influence_interval, make_sweep

__all__ = ["Unicast", "UnicastByTiles"]

NONE = -1
Ids = NDArray[np.int64]


@njit
def _pairs_by_candidates(
    arrays: Any, plan: Plan, tree: Tree, sweep: Sweep, i: int, limits: Limits
) -> tuple[Ids, Ids]:
    """Finish an opened sweep: the affected subscriptions, and the object each exchanges with i or NONE."""
    k, x = plan.k, arrays.x[i]
    left, right = influence_interval(sweep, k)
    box = closed_box(x, x, max(left, limits[0]), min(right, limits[1]))
    found = report(tree, box[0], box[1], box[2], box[3])
    plan.costs[MIN_Y] += found.size
    above = sweep.xs.copy()
    a, b = sweep.counts[WEST], sweep.counts[EAST]
    met = np.empty(64, np.int64)
    v = 0
    while True:
        h = next_exposed(arrays, sweep, max(left, limits[0]), min(right, limits[1]))
        if h < 0:
            break
        if v == met.size:
            met = np.concatenate((met, np.empty(v, np.int64)))
        met[v] = h
        v += 1
        expose(sweep, h, arrays.x[h], x, k)
        left, right = influence_interval(sweep, k)
    exchanged = np.empty(found.size, np.int64)
    affected = 0
    for at in range(found.size):
        l_end, r_end = range_of(tree, found[at])
        wanted = k
        for p in range(a):
            wanted -= above[WEST, p] >= l_end
        for q in range(b):
            wanted -= above[EAST, q] <= r_end
        if wanted <= 0:
            continue
        h = NONE
        for step in range(v):
            if l_end <= arrays.x[met[step]] <= r_end:
                wanted -= 1
                if wanted == 0:
                    h = met[step]
                    break
        found[affected] = found[at]
        exchanged[affected] = h
        affected += 1
    return found[:affected], exchanged[:affected]


@njit
def _add_tiles(
    tree: Tree, tiles: Rows, end: int, h: int, found: Ids, exchanged: Ids, size: int
) -> tuple[Ids, Ids, int]:
    """Add the subscriptions in tiles, exchanged for h, to two growing arrays of which `size` entries are set."""
    for at in range(end):
        box = closed_box(tiles[at, 0], tiles[at, 1], tiles[at, 2], tiles[at, 3])
        here = report(tree, box[0], box[1], box[2], box[3])
        if size + here.size > found.size:
            room = 2 * (size + here.size)
            found = np.concatenate((found[:size], np.empty(room, np.int64)))
            exchanged = np.concatenate((exchanged[:size], np.empty(room, np.int64)))
        for subscription in here:
            found[size], exchanged[size] = subscription, h
            size += 1
    return found, exchanged, size


@njit
def _pairs_by_tiles(arrays: Any, plan: Plan, tree: Tree, sweep: Sweep, i: int, limits: Limits) -> tuple[Ids, Ids]:
    """Finish an opened sweep as `_pairs_by_candidates` does, from the tiles of Paint-Dense (footnote 8)."""
    k, x = plan.k, arrays.x[i]
    tiles = np.empty((k, 4))
    found, exchanged, size = np.empty(64, np.int64), np.empty(64, np.int64), START
    while True:
        left, right = influence_interval(sweep, k)
        plan.costs[MIN_Y] += 1
        h = next_exposed(arrays, sweep, max(left, limits[0]), min(right, limits[1]))
        if h < 0:
            break
        x_h = arrays.x[h]
        end = exposed_tiles(x_h, x, sweep.xs, sweep.counts, k, EACH, limits, tiles, START)
        found, exchanged, size = _add_tiles(tree, tiles, end, h, found, exchanged, size)
        expose(sweep, h, x_h, x, k)
    end = influence_tiles(x, sweep.xs, sweep.counts, k, EACH, limits, tiles, START)
    found, exchanged, size = _add_tiles(tree, tiles, end, NONE, found, exchanged, size)
    return found[:size], exchanged[:size]


@njit
def _pairs(
    arrays: Any, plan: Plan, tree: Tree, sweep: Sweep, by_tiles: bool, i: int, y_end: float, limits: Limits
) -> tuple[Ids, Ids]:
    """Sweep i from its y in the index to y_end: those that hold i at first, and what each exchanges it for."""
    open_sweep(arrays, sweep, i, y_end, plan.k)
    plan.costs[FIRST_K] += 2
    if by_tiles:
        return _pairs_by_tiles(arrays, plan, tree, sweep, i, limits)
    return _pairs_by_candidates(arrays, plan, tree, sweep, i, limits)


@njit
def leave(
    arrays: Any, plan: Plan, sweep: Sweep, tree: Tree, by_tiles: bool, i: int,
    _told: Place, y_end: float, limits: Limits, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Write the messages as i rises from its y in the index to y_end: each drops i for another, or for i at y_end.

    An infinite `y_end` means that i is gone from all of them. O(t(n) + k) per exposed object, O(k + v) per candidate.
    """
    found, exchanged = _pairs(arrays, plan, tree, sweep, by_tiles, i, y_end, limits)
    out = reserve(out, row, found.size)
    whole = out.view(np.int64)
    for at in range(found.size):
        h = exchanged[at]
        whole[row, 0] = found[at]
        whole[row, 1] = i
        whole[row, 2] = h if h >= 0 else (i if y_end < np.inf else NONE)
        out[row, 3] = plan.sign * (arrays.y[h] if h >= 0 else y_end)
        row += 1
    return out, row


@njit
def enter(
    arrays: Any, plan: Plan, sweep: Sweep, tree: Tree, by_tiles: bool, i: int, came: Place, out: Rows, row: int
) -> tuple[Rows, int]:
    """Write the messages as i, in the index with its new y, comes down from where it was.

    Each puts in i for the object it pushes out, for i itself, or for none. A subscription that contains the x it had
    held i before it moved.
    """
    x_before, y_before = came
    found, exchanged = _pairs(arrays, plan, tree, sweep, by_tiles, i, y_before, ALL)
    out = reserve(out, row, found.size)
    whole = out.view(np.int64)
    for at in range(found.size):
        l_end, r_end = range_of(tree, found[at])
        h = exchanged[at]
        held = l_end <= x_before <= r_end or (h < 0 and y_before < np.inf)
        whole[row, 0] = found[at]
        whole[row, 1] = i if held else h
        whole[row, 2] = i
        out[row, 3] = plan.sign * arrays.y[i]
        row += 1
    return out, row


@njit
def leave_outline(
    arrays: Any, plan: Plan, sweep: Sweep, tree: Tree, _own: None, i: int,
    told: Place, _y_end: float, _limits: Limits, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Write the tiles of IR(i), where those are to whom `leave` writes; counts a min_y call for each candidate."""
    x, k = arrays.x[i], plan.k
    open_sweep(arrays, sweep, i, arrays.y[i], plan.k)
    plan.costs[FIRST_K] += 2
    left, right = influence_interval(sweep, k)
    box = closed_box(x, x, left, right)
    plan.costs[MIN_Y] += count(tree, box[0], box[1], box[2], box[3])
    out = reserve(out, row, k)
    end = influence_tiles(x, sweep.xs, sweep.counts, k, EACH, ALL, out, row)
    stamp(out, row, end, x, plan.sign * told[1], i, UPDATE)
    return out, end


@njit
def enter_outline(
    arrays: Any, plan: Plan, sweep: Sweep, tree: Tree, own: None, i: int, _came: Place, out: Rows, row: int
) -> tuple[Rows, int]:
    """Write the tiles of IR(i), where those are to whom `enter` writes."""
    told = (arrays.x[i], arrays.y[i])
    return leave_outline(arrays, plan, sweep, tree, own, i, told, np.inf, ALL, out, row)


_OUTLINES = kernels_of(enter_outline, leave_outline)


class UnicastByTiles(Halved):
    """Unicast over an object index and the subscriptions, as a server drives it; finds the affected through tiles."""

    takes: ClassVar = frozenset({"subscriptions"})
    kernels: ClassVar = kernels_of(enter, leave)
    dtype = UNICAST
    by_tiles = True

    def __init__(self, index: ObjectIndex, plan: Plan, subscribers: KnownSubscriptions) -> None:
        super().__init__(index, plan, subscribers)
        self._sweep = make_sweep(plan.k)

    def _parts(self) -> tuple[Any, Plan, Sweep, Tree, bool]:
        return self._index.arrays, self._plan, self._sweep, self._subscriptions.arrays, self.by_tiles

    def _rows(self, events: int) -> int:
        return max(1024, 64 * events)


class Unicast(UnicastByTiles):
    """Unicast that finds the affected by candidates."""

    by_tiles = False

    def regions(self, ids: Ids, ys: NDArray[np.float64]) -> tuple[Rows, Ids]:
        """Change one object after the other; rows of `paint.MESSAGE`, of their own, and the marks of each event."""
        arrays, plan, sweep, tree, _ = self._parts()
        return _OUTLINES.replay(arrays, plan, sweep, tree, None, ids, ys, np.empty((max(1024, 4 * len(ids)), 8)))
