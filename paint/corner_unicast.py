"""Unicast over several attributes: one message to each affected subscription, as `paint.unicast` describes it.

Who is affected, and by what object each exchanges i, follows from the walk of `paint.holders` and one sweep of i from
the lower of its two y values to the upper one, whichever way it went. Counts one min_y call per affected
subscription.
"""

from typing import ClassVar

import numpy as np

from floor.kernels import njit
from matching.kdtree import BLOCK
from matching.side_tree import SideTree
from paint.algorithm import MIN_Y, Plan, Rows
from paint.corner_halves import CornerHalved, Spot, replay_of
from paint.corner_sweep import CornerSweep, keep, kept_corners, meet, open_sweep
from paint.corner_tree import CornerTree
from paint.holders import lose, reach_of, slots_of, walk
from paint.messages import UNICAST, reserve
from paint.sides import Floats, Sides

__all__ = ["CornerUnicast", "write_exchange"]

NONE = -1


@njit
def _holds(tree: SideTree, sides: Sides, slot: int, place: Floats) -> bool:
    """Whether the subscription in a slot holds a place; none holds NaN."""
    for side in range(len(sides.sign)):
        if not sides.sign[side] * place[sides.attribute[side]] <= tree.ends[slot // BLOCK, side, slot % BLOCK]:
            return False
    return True


@njit
def write_exchange(
    ys: Floats, plan: Plan, i: int, h: int, rises: bool, held: bool, y_far: float, out: Rows, row: int
) -> None:
    """Write what a subscription does that exchanges i and h, or NONE; `held` if it held i before i moved."""
    whole = out.view(np.int64)
    if rises:
        whole[row, 1] = i if held or (h < 0 and y_far < np.inf) else h
        whole[row, 2] = i
        out[row, 3] = plan.sign * ys[i]
    else:
        whole[row, 1] = i
        whole[row, 2] = h if h >= 0 else (i if y_far < np.inf else NONE)
        out[row, 3] = plan.sign * (ys[h] if h >= 0 else y_far)


@njit
def half(
    arrays: CornerTree, plan: Plan, sweep: CornerSweep, tree: SideTree, _own: None, i: int,
    rises: bool, _told: Spot, y_far: float, place: Floats, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Write the messages as i sinks to y_far, each dropping it for another, or has come down from there."""
    search, k = sweep.search, plan.k
    asked = plan.costs[MIN_Y]  # those to whom it writes are what counts
    open_sweep(arrays, plan, sweep, i, y_far, place, rises)
    kept, size = kept_corners(sweep, k)
    cells, left = walk(tree, kept, size, search.origin, k, np.empty((64, 3), np.int64))
    gained, found, h = np.empty((64, 3), np.int64), 0, NONE
    while True:
        if left > 0:
            reach_of(tree, cells, left, search.reach)
            h = meet(arrays, plan, sweep)
        else:
            h = NONE
        if h >= 0:
            corner = search.point.copy()
            cells, left, gained, found = lose(tree, kept, size, search.origin, corner, k, cells, left, gained)
            for side in range(len(corner)):
                search.point[side] = corner[side]
            keep(arrays, plan, sweep, i, h)
            kept, size = kept_corners(sweep, k)
        else:
            gained, found = cells, left
        slots = slots_of(tree, gained, found)
        asked += len(slots)
        plan.costs[MIN_Y] = asked
        out = reserve(out, row, len(slots))
        for slot in slots:
            held = rises and _holds(tree, sweep.sides, slot, place)
            write_exchange(arrays.y, plan, i, h, rises, held, y_far, out, row)
            out.view(np.int64)[row, 0] = tree.id[slot]
            row += 1
        if h < 0:
            break
    return out, row


class CornerUnicast(CornerHalved):
    """Unicast over a corner index and the subscriptions, as a server drives it."""

    takes: ClassVar = frozenset({"subscriptions"})
    tell: ClassVar = half
    stream: ClassVar = replay_of(half)
    messages: ClassVar = UNICAST

    def _parts(self) -> tuple[CornerTree, Plan, CornerSweep, SideTree, None]:
        return self._index.arrays, self._plan, self._swept(), self._subscriptions.arrays, None

    def _rows(self, events: int) -> int:
        return max(1024, 64 * events)
