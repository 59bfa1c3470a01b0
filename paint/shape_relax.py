"""CN-Relax for halfspaces and disks: one message per event, to all of S (Section V, beyond ranges).

Those that hold an object are a halfspace of S, u_D + c_1 u_1 + ... <= t. A box that holds all of it is the whole of S
if any c_j is not 0, since u_D may be anything there is for some u_j, and of a disk u_j anything too, as radii have no
bound. So one message is sent to everybody, and the predicate at the receiver decides (`paint.shapes.holds`). More and
smaller boxes would tell fewer, but which ones is a question of where subscriptions are, and CN-Relax does not know
them. An object that moves takes one message as well: it reaches those that hold its old place only.
"""

from typing import ClassVar

import numpy as np

from floor.kernels import njit
from paint.algorithm import Plan, Rows
from paint.corner_halves import CornerHalved, Spot, replay_of
from paint.messages import UPDATE, reserve, stamp_box
from paint.ranked_index import Ranked, update
from paint.sides import Floats, Sides

__all__ = ["ShapeRelax"]


@njit
def half(
    _arrays: Ranked, plan: Plan, sides: Sides, _tree: None, _own: None, i: int,
    rises: bool, told: Spot, _y_far: float, place: Floats, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell everybody of the spot told; of an object that moves once, when it is at its new place."""
    if not rises and not np.isnan(place[0]):
        return out, row
    count = len(sides.sign)
    out = reserve(out, row, 1)
    for side in range(count):
        out[row, side] = out[row, 3 * count + side] = np.inf
        out[row, count + side] = out[row, 2 * count + side] = -np.inf
    stamp_box(out, row, row + 1, told[0], plan.sign * told[1], i, UPDATE)
    return out, row + 1


class ShapeRelax(CornerHalved):
    """CN-Relax over ranked objects, as a server drives it; O(1) per event beside the index."""

    takes: ClassVar = frozenset[str]()
    tell: ClassVar = half
    stream: ClassVar = replay_of(half, update)

    def _parts(self) -> tuple[Ranked, Plan, Sides, None, None]:
        return self._index.arrays, self._plan, self._sides, None, None

    def _rows(self, events: int) -> int:
        return events
