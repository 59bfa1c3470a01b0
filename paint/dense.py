"""Paint-Dense and Paint-Dense(epsilon): messages without knowledge of the subscriptions (Section III-A, Algorithm 3).

A rank-raising update tells IR_new(i) of object i. A rank-lowering one tells IR_old(i) of object i, and then sweeps
i from its old y to its new one: each object h met inside the influence interval gains what i loses there. `enter`
and `leave` are these two halves; insertion is the first from y = +inf, deletion the second to +inf, and an x-update
is a `leave` that keeps to the subscriptions without the new x, then an `enter`: no subscription hears of an object
twice.
"""

from typing import Any, ClassVar

import numpy as np

from floor.kernels import njit
from paint.algorithm import FIRST_K, MIN_Y, Plan, Rows
from paint.geometry import ALL, Limits, exposed_tiles, influence_tiles
from paint.halves import Place, kernels_of
from paint.index import next_exposed, open_sweep
from paint.messages import EXPOSED, UPDATE, reserve, stamp
from paint.painting import Painting
from paint.sweep import Sweep, expose, influence_interval

__all__ = ["Dense"]


@njit
def enter(
    arrays: Any, plan: Plan, sweep: Sweep, _tree: None, _own: None, i: int, _came: Place, out: Rows, row: int
) -> tuple[Rows, int]:
    """Tell IR(i) of object i, which has risen to its y in the index; O(k log n) over the tournament index."""
    k = plan.k
    x = arrays.x[i]
    open_sweep(arrays, sweep, i, -np.inf, plan.k)
    plan.costs[FIRST_K] += 2
    out = reserve(out, row, k)
    end = influence_tiles(x, sweep.xs, sweep.counts, k, plan.cut, ALL, out, row)
    stamp(out, row, end, x, plan.sign * arrays.y[i], i, UPDATE)
    return out, end


@njit
def leave(
    arrays: Any, plan: Plan, sweep: Sweep, _tree: None, _own: None, i: int,
    told: Place, y_end: float, limits: Limits, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell IR(i) of the place told, then of the objects exposed as i rises from its y in the index to y_end.

    O((k + v)(k + log n)) over the tournament index when v objects are exposed (Theorem 1); v + 1 min_y calls, the
    last of which finds nothing below y_end.
    """
    k, cut = plan.k, plan.cut
    x = arrays.x[i]
    open_sweep(arrays, sweep, i, y_end, plan.k)
    plan.costs[FIRST_K] += 2
    out = reserve(out, row, k)
    end = influence_tiles(x, sweep.xs, sweep.counts, k, cut, limits, out, row)
    stamp(out, row, end, told[0], plan.sign * told[1], i, UPDATE)
    calls = 0
    while True:
        left, right = influence_interval(sweep, k)
        h = next_exposed(arrays, sweep, max(left, limits[0]), min(right, limits[1]))
        calls += 1
        if h < 0:
            break
        row = end
        x_h = sweep.ys[2]
        out = reserve(out, row, k)
        end = exposed_tiles(x_h, x, sweep.xs, sweep.counts, k, cut, limits, out, row)
        stamp(out, row, end, x_h, plan.sign * sweep.ys[0], h, EXPOSED)
        expose(sweep, h, x_h, x, k)
    plan.costs[MIN_Y] += calls
    return out, end


class Dense(Painting):
    """Paint-Dense over an object index, as a server drives it; O(k) space beside the index."""

    takes: ClassVar = frozenset({"cut", "epsilon"})
    kernels: ClassVar = kernels_of(enter, leave)

    def _parts(self) -> tuple[Any, Plan, Sweep, None, None]:
        return self._index.arrays, self._plan, self._sweep, None, None

    def _rows(self, events: int) -> int:
        # Untouched memory costs nothing, copying on growth does: start with what uniform data needs, up to 256 MiB.
        k, (groups, step, _) = self._plan.k, self._plan.cut
        return min(events * (k + k * (groups or k // step) // 2) + k, 1 << 22)
