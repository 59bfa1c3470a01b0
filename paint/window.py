"""Paint-Batch over windows in which objects also enter, leave and move: one round of messages for the outcome.

What `paint.batch` shows for updates of y holds for each subscription S by itself, so it is enough that S sees updates
of y. An object that enters falls from y = +inf. One that moves from x_0 to x_1 is, to S, a deletion if S holds x_0
only, an insertion if it holds x_1 only, and if it holds both an update of y, of which S is also told the new x. With
IR_0 and IR_1 the influence regions before and after the window, around either place,

1. those of IR_0(i) whose range does not hold x_1 are told that i is gone; then every object whose y grows goes to
   IR_0(i) ∪ IR_1(i), for one that moves among those that hold both places, in descending order of the new (y, id);
2. each object h that the window does not touch goes to IR_1(h) - IR_0(h);
3. each object whose y falls, or that enters or moves, goes to IR_1(i), without those told in step 1.

**Which objects step 2 is about.** The state goes from before to after in single steps: first what falls, then what
grows or is taken away, then what moves is put down. An untouched object gains a subscription only while something
grows or is taken away, and the sweep of that one finds it.

The steps are taken in Python over the kernels of `paint.batch`: a window in which something enters or moves costs
about a millisecond per object (k = 20, 10,000 objects). One of y-updates and deletions alone is left to the compiled
batch.
"""

import numpy as np
from numpy.typing import NDArray

from paint.algorithm import Change, Plan, Rows
from paint.batch import all_lists, first_lists, sweep_next, sweep_open, tell_fallen, tell_gains, tell_union
from paint.geometry import START
from paint.index import ObjectIndex
from paint.messages import UPDATE, stamp
from paint.staircase import Columns, make_columns
from paint.sweep import EAST, WEST, Sweep, expose, make_sweep

__all__ = ["paint_window"]


def paint_window(index: ObjectIndex, plan: Plan, changes: list[Change]) -> Rows:
    """Apply the changes of distinct objects to the index and give back their messages.

    Returns
    -------
    float64 array of shape (messages, 8)
        O((e + v)(t(n) + k + u(n))) for e changes that expose v objects, u(n) an update of the index; and O(k^2) for
        one that moves and whose y grows.
    """
    window = _Window(index, plan)
    moved = [one for one in changes if one.moves]
    grown = sorted((one for one in changes if one.y_1 > one.y_0), key=lambda one: (one.y_1, one.id), reverse=True)
    # What grows in place is told by the lists it had, what moves by the tiles.
    before = all_lists(index.arrays, plan, window.sweep, np.array([one.id for one in grown], np.int64))
    regions_0 = {one.id: window.region(one.id) for one in moved}
    exposed = window.advance(changes)
    after = all_lists(index.arrays, plan, window.sweep, exposed)
    regions_1 = {one.id: window.region(one.id) for one in changes if one.y_1 < np.inf}

    parts = [_told(_without(regions_0[one.id], one.x_0, one.x_1), one, plan) for one in moved]
    for at, one in enumerate(grown):
        if one.moves:
            held = _holding(regions_0[one.id], one.x_1)
            news = _difference(_holding(regions_1[one.id], one.x_0), held)
            parts.append(_told(np.concatenate((held, news)), one, plan))
        else:
            parts.append(window.union(one, before.xs[at], before.counts[at]))
    if len(exposed):
        for one in changes:
            window.put(one.id, one.x_0, one.y_0)
        out, end = tell_gains(index.arrays, plan, window.sweep, window.columns, exposed, after, window.out, START)
        parts.append(out[:end])
        for one in changes:
            window.put(one.id, one.x_1, one.y_1)
    for one in changes:
        if one.y_1 < one.y_0 or (one.moves and one.y_1 == one.y_0):
            parts.append(regions_1[one.id])
        elif one.moves:
            parts.append(_without(regions_1[one.id], one.x_1, one.x_0))
    return np.concatenate(parts) if parts else np.empty((0, 8))


class _Window:
    """An object index under the changes of one window, and scratch memory."""

    def __init__(self, index: ObjectIndex, plan: Plan) -> None:
        self._index, self._plan = index, plan
        self.sweep: Sweep = make_sweep(plan.k)
        self.columns: Columns = make_columns(plan.k)
        self.out: Rows = np.empty((4 * plan.k + 2, 8))

    def put(self, i: int, x: float, y: float) -> None:
        """Bring object i to a place, or with y = +inf out of the index."""
        arrays = self._index.arrays
        there = i < len(arrays.y) and arrays.y[i] < np.inf
        if there and x == arrays.x[i] and y < np.inf:
            self._index.update(i, y)
            return
        if there:
            self._index.delete(i)
        if y < np.inf:
            self._index.insert(i, x, y)

    def region(self, i: int) -> Rows:
        """Messages about object i to its influence region, as the index has it."""
        out, end = tell_fallen(self._index.arrays, self._plan, self.sweep, np.array([i]), self.out, START)
        return out[:end].copy()

    def union(self, one: Change, xs: NDArray[np.float64], counts: NDArray[np.int64]) -> Rows:
        """Messages about an object that keeps its x, to its region by the lists it had and to that it has now."""
        arrays, plan = self._index.arrays, self._plan
        if one.y_1 < np.inf:
            first_lists(arrays, plan, self.sweep, one.id, one.y_1, self.sweep.xs, self.sweep.counts)
        out, end = tell_union(arrays, plan, self.columns, one.id, one.y_1, xs, counts, self.sweep, self.out, START)
        return out[:end].copy()

    def advance(self, changes: list[Change]) -> NDArray[np.int64]:
        """Bring the index from before to after; ids of other objects that gained a subscription on the way."""
        known = {one.id for one in changes}
        exposed: list[int] = []
        for one in changes:
            if not one.moves and one.y_1 < one.y_0:
                self.put(one.id, one.x_1, one.y_1)
        for one in changes:
            if one.moves or one.y_1 > one.y_0:
                end = np.inf if one.moves else one.y_1
                for h in self._exposed(one, end):
                    if h not in known:
                        known.add(h)
                        exposed.append(h)
                self.put(one.id, one.x_0, end)
        for one in changes:
            if one.moves:
                self.put(one.id, one.x_1, one.y_1)
        return np.array(exposed, np.int64)

    def _exposed(self, one: Change, end: float) -> list[int]:
        """Objects that gain a subscription as this one leaves its y for another."""
        arrays, plan, sweep = self._index.arrays, self._plan, self.sweep
        found = []
        sweep_open(arrays, plan, sweep, one.id, end)
        while (h := int(sweep_next(arrays, plan, sweep))) >= 0:
            # With fewer than k others in sight every list that h is in range of has room, and has it.
            if sweep.counts[WEST] + sweep.counts[EAST] >= plan.k - 1:
                found.append(h)
            expose(sweep, h, arrays.x[h], one.x_0, plan.k)
        return found


def _told(rows: Rows, one: Change, plan: Plan) -> Rows:
    """Make tiles tell of an object as it is after the window."""
    stamp(rows, 0, len(rows), one.x_1, plan.sign * one.y_1, one.id, UPDATE)
    return rows


def _holding(rows: Rows, place: float) -> Rows:
    """What of some tiles holds a place."""
    clipped = rows.copy()
    clipped[:, 0], clipped[:, 1] = np.minimum(rows[:, 0], place), np.maximum(rows[:, 1], place)
    return _kept(clipped)


def _without(rows: Rows, inside: float, outside: float) -> Rows:
    """What of some tiles, which hold one place, does not hold another."""
    clipped = rows.copy()
    if outside > inside:
        clipped[:, 3] = np.minimum(rows[:, 3], outside)
    else:
        clipped[:, 2] = np.maximum(rows[:, 2], outside)
    return _kept(clipped)


def _kept(rows: Rows) -> Rows:
    kept: Rows = rows[(rows[:, 2] < rows[:, 0]) & (rows[:, 1] < rows[:, 3])]
    return kept


def _difference(rows: Rows, taken: Rows) -> Rows:
    """What of some tiles lies outside of others."""
    for l_in, r_in, l_out, r_out in taken[:, :4].tolist():
        west, east, below, above = (rows.copy() for _ in range(4))
        west[:, 0] = np.minimum(rows[:, 0], l_out)
        east[:, 2] = np.maximum(rows[:, 2], l_in)
        for middle in (below, above):
            middle[:, 0], middle[:, 2] = np.minimum(rows[:, 0], l_in), np.maximum(rows[:, 2], l_out)
        below[:, 3] = np.minimum(rows[:, 3], r_in)
        above[:, 1] = np.maximum(rows[:, 1], r_out)
        rows = _kept(np.concatenate((west, east, below, above)))
    return rows
