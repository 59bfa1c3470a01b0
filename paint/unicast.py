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
from paint.algorithm import FIRST_K, MIN_Y, Plan, Rows, make_marks, mark
from paint.geometry import EACH, START, exposed_tiles, influence_tiles
from paint.index import ObjectIndex, next_exposed, open_sweep, update
from paint.known_subscriptions import KnownSubscriptions
from paint.messages import UNICAST, UPDATE, reserve, stamp
from paint.sweep import EAST, WEST, Sweep, expose, influence_interval, make_sweep

__all__ = ["Unicast", "UnicastByTiles"]

NONE = -1
Ids = NDArray[np.int64]


@njit
def _pairs_by_candidates(
    arrays: Any, tree: Tree, sweep: Sweep, plan: Plan, i: int, l_limit: float, r_limit: float
) -> tuple[Ids, Ids]:
    """Finish an opened sweep: the affected subscriptions, and the object each exchanges with i or NONE."""
    k, x = plan.k, arrays.x[i]
    left, right = influence_interval(sweep, k)
    box = closed_box(x, x, max(left, l_limit), min(right, r_limit))
    found = report(tree, box[0], box[1], box[2], box[3])
    plan.costs[MIN_Y] += found.size
    above = sweep.xs.copy()
    a, b = sweep.counts[WEST], sweep.counts[EAST]
    met = np.empty(64, np.int64)
    v = 0
    while True:
        h = next_exposed(arrays, sweep, max(left, l_limit), min(right, r_limit))
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
        found[size : size + here.size] = here
        exchanged[size : size + here.size] = h
        size += here.size
    return found, exchanged, size


@njit
def _pairs_by_tiles(
    arrays: Any, tree: Tree, sweep: Sweep, plan: Plan, i: int, l_limit: float, r_limit: float
) -> tuple[Ids, Ids]:
    """Finish an opened sweep as `_pairs_by_candidates` does, from the tiles of Paint-Dense (footnote 8)."""
    k, x = plan.k, arrays.x[i]
    west, east = sweep.xs[WEST], sweep.xs[EAST]
    tiles = np.empty((k, 4))
    found, exchanged, size = np.empty(64, np.int64), np.empty(64, np.int64), START
    while True:
        left, right = influence_interval(sweep, k)
        plan.costs[MIN_Y] += 1
        h = next_exposed(arrays, sweep, max(left, l_limit), min(right, r_limit))
        a, b = sweep.counts[WEST], sweep.counts[EAST]
        if h < 0:
            break
        x_h = arrays.x[h]
        end = exposed_tiles(x_h, x, west, a, east, b, k, EACH, l_limit, r_limit, tiles, START)
        found, exchanged, size = _add_tiles(tree, tiles, end, h, found, exchanged, size)
        expose(sweep, h, x_h, x, k)
    end = influence_tiles(x, west, a, east, b, k, EACH, l_limit, r_limit, tiles, START)
    found, exchanged, size = _add_tiles(tree, tiles, end, NONE, found, exchanged, size)
    return found[:size], exchanged[:size]


@njit
def _pairs(
    arrays: Any,
    tree: Tree,
    sweep: Sweep,
    plan: Plan,
    by_tiles: bool,
    i: int,
    y_end: float,
    l_limit: float,
    r_limit: float,
) -> tuple[Ids, Ids]:
    """Sweep i from its y in the index to y_end: those that hold i at first, and what each exchanges it for."""
    open_sweep(arrays, sweep, i, y_end, plan.k)
    plan.costs[FIRST_K] += 2
    if by_tiles:
        return _pairs_by_tiles(arrays, tree, sweep, plan, i, l_limit, r_limit)
    return _pairs_by_candidates(arrays, tree, sweep, plan, i, l_limit, r_limit)


@njit
def _room(out: Rows, row: int, more: int) -> Rows:
    """Give back `out`, or a larger copy of its first `row` rows, with room for `more` rows."""
    if row + more <= len(out):
        return out
    larger = np.empty((2 * len(out) + more, 4))
    larger[:row] = out[:row]
    return larger


@njit
def leave(
    arrays: Any,
    tree: Tree,
    sweep: Sweep,
    plan: Plan,
    by_tiles: bool,
    i: int,
    y: float,
    y_end: float,
    l_limit: float,
    r_limit: float,
    out: Rows,
    row: int,
) -> tuple[Rows, int]:
    """Write the messages as i rises from its y in the index to y_end: each drops i for another, or for i at y.

    An infinite `y` means that i is gone from all of them. O(t(n) + k) per exposed object, O(k + v) per candidate.
    """
    found, exchanged = _pairs(arrays, tree, sweep, plan, by_tiles, i, y_end, l_limit, r_limit)
    out = _room(out, row, found.size)
    whole = out.view(np.int64)
    for at in range(found.size):
        h = exchanged[at]
        whole[row, 0] = found[at]
        whole[row, 1] = i
        whole[row, 2] = h if h >= 0 else (i if y < np.inf else NONE)
        out[row, 3] = plan.sign * (arrays.y[h] if h >= 0 else y)
        row += 1
    return out, row


@njit
def enter(
    arrays: Any,
    tree: Tree,
    sweep: Sweep,
    plan: Plan,
    by_tiles: bool,
    i: int,
    y_before: float,
    x_before: float,
    out: Rows,
    row: int,
) -> tuple[Rows, int]:
    """Write the messages as i, in the index with its new y, comes down from y_before, +inf if it is new at its place.

    Each puts in i for the object it pushes out, for i itself, or for none. A subscription that contains x_before held
    i before it moved; NaN if it did not move.
    """
    found, exchanged = _pairs(arrays, tree, sweep, plan, by_tiles, i, y_before, -np.inf, np.inf)
    out = _room(out, row, found.size)
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
def change(
    arrays: Any, tree: Tree, sweep: Sweep, plan: Plan, by_tiles: bool, i: int, y: float, out: Rows, row: int
) -> tuple[Rows, int]:
    """Give object i a new y and write the messages; none if y is what it was."""
    old = arrays.y[i]
    if y < old:
        update(arrays, i, y)
        out, row = enter(arrays, tree, sweep, plan, by_tiles, i, old, np.nan, out, row)
    elif y > old:
        out, row = leave(arrays, tree, sweep, plan, by_tiles, i, y, y, -np.inf, np.inf, out, row)
        update(arrays, i, y)
    return out, row


@njit
def replay(
    arrays: Any,
    tree: Tree,
    sweep: Sweep,
    plan: Plan,
    by_tiles: bool,
    ids: Ids,
    ys: NDArray[np.float64],
    out: Rows,
) -> tuple[Rows, Ids]:
    """Change one object after the other; the rows, and the marks of each event."""
    marks = make_marks(len(ids))
    row = START
    for event in range(len(ids)):
        mark(marks, event, row, plan.costs)
        out, row = change(arrays, tree, sweep, plan, by_tiles, ids[event], ys[event], out, row)
    mark(marks, len(ids), row, plan.costs)
    return out[:row], marks


@njit
def regions(
    arrays: Any, tree: Tree, sweep: Sweep, plan: Plan, ids: Ids, ys: NDArray[np.float64], out: Rows
) -> tuple[Rows, Ids]:
    """Change one object after the other; tiles of those affected as rows of messages, and the marks of each event."""
    k = plan.k
    marks = make_marks(len(ids))
    row = START
    for event in range(len(ids)):
        mark(marks, event, row, plan.costs)
        i, y = ids[event], ys[event]
        if y == arrays.y[i]:
            continue
        if y < arrays.y[i]:
            update(arrays, i, y)
        open_sweep(arrays, sweep, i, arrays.y[i], k)
        x, a, b = arrays.x[i], sweep.counts[WEST], sweep.counts[EAST]
        left, right = influence_interval(sweep, k)
        box = closed_box(x, x, left, right)
        plan.costs[FIRST_K] += 2
        plan.costs[MIN_Y] += count(tree, box[0], box[1], box[2], box[3])
        out = reserve(out, row, k)
        end = influence_tiles(x, sweep.xs[WEST], a, sweep.xs[EAST], b, k, EACH, -np.inf, np.inf, out, row)
        stamp(out, row, end, x, plan.sign * y, i, UPDATE)
        row = end
        update(arrays, i, y)
    mark(marks, len(ids), row, plan.costs)
    return out[:row], marks


class UnicastByTiles:
    """Unicast over an object index and the subscriptions, as a server drives it; finds the affected through tiles.

    See `paint.algorithm.Algorithm` for what each method does.
    """

    takes: ClassVar = frozenset({"subscriptions"})
    dtype: ClassVar = UNICAST
    by_tiles = True

    def __init__(self, index: ObjectIndex, plan: Plan, subscribers: KnownSubscriptions) -> None:
        self._index = index
        self._plan = plan
        self._subscriptions = subscribers
        self._sweep = make_sweep(plan.k)
        self._out: Rows = np.empty((1024, 4))
        self._x_before = np.nan

    def change(self, i: int, y: float) -> Rows:
        """Give object i a new y; the messages."""
        self._out, end = change(*self._state(), i, y, self._out, 0)
        return self._out[:end]

    def enter(self, i: int) -> Rows:
        """Tell of object i, which was just put into the index, new or after `leave_for`."""
        self._out, end = enter(*self._state(), i, np.inf, self._x_before, self._out, 0)
        self._x_before = np.nan
        return self._out[:end]

    def leave(self, i: int) -> Rows:
        """Tell that object i is about to be deleted from the index."""
        return self._leave(i, -np.inf, np.inf)

    def leave_for(self, i: int, x: float) -> Rows:
        """Tell those that lose object i as it moves to x, which the index does not know yet."""
        self._x_before = float(self._index.arrays.x[i])
        return self._leave(i, *((-np.inf, x) if x > self._x_before else (x, np.inf)))

    def _leave(self, i: int, l_limit: float, r_limit: float) -> Rows:
        self._out, end = leave(*self._state(), i, np.inf, np.inf, l_limit, r_limit, self._out, 0)
        return self._out[:end]

    def replay(self, ids: Ids, ys: NDArray[np.float64]) -> tuple[Rows, Ids]:
        """Change one object after the other in one compiled call; rows of their own, and the marks of each event."""
        return replay(*self._state(), ids, ys, np.empty((max(1024, 64 * len(ids)), 4)))

    def _state(self) -> tuple[Any, Tree, Sweep, Plan, bool]:
        return self._index.arrays, self._subscriptions.arrays, self._sweep, self._plan, self.by_tiles


class Unicast(UnicastByTiles):
    """Unicast that finds the affected by candidates."""

    by_tiles = False

    def regions(self, ids: Ids, ys: NDArray[np.float64]) -> tuple[Rows, Ids]:
        """Change one object after the other; rows of `paint.MESSAGE`, of their own, and the marks of each event."""
        arrays, tree = self._index.arrays, self._subscriptions.arrays
        room = np.empty((max(1024, 4 * len(ids)), 8))
        return regions(arrays, tree, self._sweep, self._plan, ids, ys, room)
