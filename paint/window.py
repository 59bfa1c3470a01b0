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

The steps (`paint.outcome`) are taken in Python over the kernels of `paint.batch`: a window in which something enters
or moves costs about a millisecond per object (k = 20, 10,000 objects). One of y-updates and deletions alone is left
to the compiled batch.
"""

from typing import Any

import numpy as np

from paint.algorithm import Change, Plan, Rows
from paint.batch import all_lists, first_lists, sweep_next, sweep_open, tell_fallen, tell_gains, tell_union
from paint.geometry import START
from paint.index import ObjectIndex
from paint.messages import UPDATE, stamp
from paint.outcome import Outcome
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
    parts = _Window(index, plan).paint(changes)
    return np.concatenate(parts) if parts else np.empty((0, 8))


class _Window(Outcome):
    """An object index under the changes of one window, and scratch memory."""

    def __init__(self, index: ObjectIndex, plan: Plan) -> None:
        super().__init__(index, plan)
        self._sweep: Sweep = make_sweep(plan.k)
        self._columns: Columns = make_columns(plan.k)
        self._out: Rows = np.empty((4 * plan.k + 2, 8))

    def region(self, i: int) -> Rows:
        out, end = tell_fallen(self._index.arrays, self._plan, self._sweep, np.array([i]), self._out, START)
        return out[:end].copy()

    def _lists(self, ids: list[int]) -> Any:
        return all_lists(self._index.arrays, self._plan, self._sweep, np.array(ids, np.int64))

    def before(self, grown: list[Change]) -> list[Any]:
        lists = self._lists([one.id for one in grown])
        return list(zip(lists.xs, lists.counts, strict=True))

    def after(self, exposed: list[int]) -> Any:
        return self._lists(exposed)

    def union(self, one: Change, was: Any) -> Rows:
        arrays, plan, sweep = self._index.arrays, self._plan, self._sweep
        if one.y_1 < np.inf:
            first_lists(arrays, plan, sweep, one.id, one.y_1, sweep.xs, sweep.counts)
        xs, counts = was
        out, end = tell_union(arrays, plan, self._columns, one.id, one.y_1, xs, counts, sweep, self._out, START)
        return out[:end].copy()

    def gains(self, exposed: list[int], after: Any) -> list[Rows]:
        arrays, ids = self._index.arrays, np.array(exposed, np.int64)
        out, end = tell_gains(arrays, self._plan, self._sweep, self._columns, ids, after, self._out, START)
        return [out[:end]]

    def exposed_by(self, i: int, y: float) -> list[int]:
        arrays, plan, sweep = self._index.arrays, self._plan, self._sweep
        found = []
        sweep_open(arrays, plan, sweep, i, y)
        while (h := int(sweep_next(arrays, plan, sweep))) >= 0:
            # With fewer than k others in sight every list that h is in range of has room, and has it.
            if sweep.counts[WEST] + sweep.counts[EAST] >= plan.k - 1:
                found.append(h)
            expose(sweep, h, arrays.x[h], arrays.x[i], plan.k)
        return found

    def told(self, rows: Rows, one: Change) -> Rows:
        stamp(rows, 0, len(rows), one.x_1, self._plan.sign * one.y_1, one.id, UPDATE)
        return rows

    def holding(self, rows: Rows, place: float) -> Rows:
        clipped = rows.copy()
        clipped[:, 0], clipped[:, 1] = np.minimum(rows[:, 0], place), np.maximum(rows[:, 1], place)
        return _kept(clipped)

    def without(self, rows: Rows, inside: float, outside: float) -> Rows:
        clipped = rows.copy()
        if outside > inside:
            clipped[:, 3] = np.minimum(rows[:, 3], outside)
        else:
            clipped[:, 2] = np.maximum(rows[:, 2], outside)
        return _kept(clipped)

    def difference(self, rows: Rows, taken: Rows) -> Rows:
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


def _kept(rows: Rows) -> Rows:
    kept: Rows = rows[(rows[:, 2] < rows[:, 0]) & (rows[:, 1] < rows[:, 3])]
    return kept
