"""Unicast for halfspaces and disks: one message to each affected subscription, as `paint.unicast` describes it.

Who is affected, and by what object each exchanges i, the walk of `paint.shape_walk` finds, whichever way i went.
Counts one min_y call per affected subscription.
"""

from typing import ClassVar

import numpy as np

from floor.kernels import njit
from matching.side_tree import SideTree
from paint.algorithm import MIN_Y, Plan, Rows
from paint.corner_halves import CornerHalved, Spot, replay_of
from paint.corner_unicast import write_exchange
from paint.holders import corner_of, slots_of
from paint.messages import UNICAST, reserve
from paint.ranked_index import Ranked, update
from paint.shape_walk import NOBODY, outcomes, rivals_of
from paint.shapes import under
from paint.sides import Floats, Sides

__all__ = ["ShapeUnicast"]


@njit
def half(
    arrays: Ranked, plan: Plan, sides: Sides, tree: SideTree, _own: None, i: int,
    rises: bool, _told: Spot, y_far: float, place: Floats, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Write the messages as i sinks to y_far, each dropping it for another, or has come down from there."""
    rivals = rivals_of(arrays, plan, sides, i, y_far, place, rises)
    _, _, exchanged, exchanging = outcomes(tree, rivals, plan.k, True)
    moved = rises and not np.isnan(place[0])
    point = np.empty(len(sides.sign))
    for at in range(exchanging):
        rival = exchanged[at, 1]
        h = NOBODY if rival < 0 else rivals.id[rival]
        slots = slots_of(tree, exchanged[at : at + 1], 1)
        plan.costs[MIN_Y] += len(slots)
        out = reserve(out, row, len(slots))
        for slot in slots:
            corner_of(tree, ~slot, 0, point)
            held = moved and under(rivals.own[1], point)
            write_exchange(arrays.y, plan, i, h, rises, held, y_far, out, row)
            out.view(np.int64)[row, 0] = tree.id[slot]
            row += 1
    return out, row


class ShapeUnicast(CornerHalved):
    """Unicast over ranked objects and halfspaces or disks, as a server drives it."""

    takes: ClassVar = frozenset({"subscriptions"})
    tell: ClassVar = half
    stream: ClassVar = replay_of(half, update)
    messages: ClassVar = UNICAST

    def _parts(self) -> tuple[Ranked, Plan, Sides, SideTree, None]:
        return self._index.arrays, self._plan, self._sides, self._subscriptions.arrays, None

    def _rows(self, events: int) -> int:
        return max(1024, 64 * events)
