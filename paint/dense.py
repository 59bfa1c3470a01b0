"""Paint-Dense and Paint-Dense(epsilon): messages without knowledge of the subscriptions (Section III-A, Algorithm 3).

A rank-raising update tells IR_new(i) of object i. A rank-lowering one tells IR_old(i) of object i, and then sweeps
i from its old y to its new one: each object h met inside the influence interval gains what i loses there. `enter`
and `leave` are these two halves; insertion is the first from y = +inf, deletion the second to +inf, and an x-update
is a `leave` that keeps to the subscriptions without the new x, then an `enter`: no subscription hears of an object
twice.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.algorithm import FIRST_K, MIN_Y, Plan, Rows, make_marks, mark
from paint.geometry import START, exposed_tiles, influence_tiles
from paint.index import next_exposed, open_sweep, update
from paint.messages import EXPOSED, UPDATE, reserve, stamp
from paint.painting import Kernels, Painting
from paint.sweep import EAST, WEST, Sweep, expose, influence_interval

__all__ = ["Dense"]


@njit
def enter(arrays: Any, sweep: Sweep, plan: Plan, i: int, out: Rows, row: int) -> tuple[Rows, int]:
    """Tell IR(i) of object i, which has risen to its y in the index; O(k log n) over the tournament index."""
    k = plan.k
    x = arrays.x[i]
    open_sweep(arrays, sweep, i, -np.inf, k)
    plan.costs[FIRST_K] += 2
    a, b = sweep.counts[WEST], sweep.counts[EAST]
    out = reserve(out, row, k)
    end = influence_tiles(x, sweep.xs[WEST], a, sweep.xs[EAST], b, k, plan.step, -np.inf, np.inf, out, row)
    stamp(out, row, end, x, plan.sign * arrays.y[i], i, UPDATE)
    return out, end


@njit
def leave(
    arrays: Any,
    sweep: Sweep,
    plan: Plan,
    i: int,
    x_told: float,
    y_told: float,
    y_end: float,
    l_limit: float,
    r_limit: float,
    out: Rows,
    row: int,
) -> tuple[Rows, int]:
    """Tell IR(i) of (x_told, y_told), then of the objects exposed as i rises from its y in the index to y_end.

    Only subscriptions with l > l_limit and r < r_limit. O((k + v)(k + log n)) over the tournament index when v
    objects are exposed (Theorem 1); v + 1 min_y calls, the last of which finds nothing below y_end.
    """
    k, step = plan.k, plan.step
    x = arrays.x[i]
    west, east = sweep.xs[WEST], sweep.xs[EAST]
    open_sweep(arrays, sweep, i, y_end, k)
    plan.costs[FIRST_K] += 2
    out = reserve(out, row, k)
    end = influence_tiles(x, west, sweep.counts[WEST], east, sweep.counts[EAST], k, step, l_limit, r_limit, out, row)
    stamp(out, row, end, x_told, plan.sign * y_told, i, UPDATE)
    calls = 0
    while True:
        left, right = influence_interval(sweep, k)
        h = next_exposed(arrays, sweep, max(left, l_limit), min(right, r_limit))
        calls += 1
        if h < 0:
            break
        row = end
        x_h = sweep.ys[2]
        out = reserve(out, row, k)
        end = exposed_tiles(
            x_h, x, west, sweep.counts[WEST], east, sweep.counts[EAST], k, step, l_limit, r_limit, out, row
        )
        stamp(out, row, end, x_h, plan.sign * sweep.ys[0], h, EXPOSED)
        expose(sweep, h, x_h, x, k)
    plan.costs[MIN_Y] += calls
    return out, end


@njit
def change(arrays: Any, sweep: Sweep, plan: Plan, i: int, y: float, out: Rows, row: int) -> tuple[Rows, int]:
    """Give object i a new y and write the messages (Algorithm 3); none if y is what it was."""
    old = arrays.y[i]
    if y < old:
        update(arrays, i, y)
        out, row = enter(arrays, sweep, plan, i, out, row)
    elif y > old:
        out, row = leave(arrays, sweep, plan, i, arrays.x[i], y, y, -np.inf, np.inf, out, row)
        update(arrays, i, y)
    return out, row


@njit
def replay(
    arrays: Any, sweep: Sweep, plan: Plan, ids: NDArray[np.int64], ys: NDArray[np.float64], out: Rows
) -> tuple[Rows, NDArray[np.int64]]:
    """Change one object after the other; the rows, and the marks of each event."""
    marks = make_marks(len(ids))
    row = START
    for event in range(len(ids)):
        mark(marks, event, row, plan.costs)
        out, row = change(arrays, sweep, plan, ids[event], ys[event], out, row)
    mark(marks, len(ids), row, plan.costs)
    return out[:row], marks


class Dense(Painting):
    """Paint-Dense over an object index, as a server drives it; O(k) space beside the index."""

    takes: ClassVar = frozenset({"epsilon"})
    kernels: ClassVar = Kernels(change, enter, leave, replay)

    def _state(self) -> tuple[Any, Sweep, Plan]:
        return self._index.arrays, self._sweep, self._plan

    def _rows(self, events: int) -> int:
        # Untouched memory costs nothing, copying on growth does: start with what uniform data needs, up to 256 MiB.
        k = self._plan.k
        return min(events * (k + k * k // (2 * self._plan.step)) + k, 1 << 22)
