"""CN-Relax over several attributes: one message per event, to every subscription that holds the object (Section V).

An object that moves takes one more for every attribute that changes: those that hold its old place only are told in
disjoint boxes, the first attribute that leaves them out in each.
"""

from typing import ClassVar

import numpy as np

from floor.kernels import njit
from paint.algorithm import Plan, Rows
from paint.corner_halves import CornerHalved, Spot, replay_of
from paint.corner_tree import CornerTree
from paint.messages import UPDATE, reserve, stamp_box
from paint.sides import Floats, Sides, whole_orthant

__all__ = ["CornerRelax"]


@njit
def half(
    arrays: CornerTree, plan: Plan, sides: Sides, _tree: None, _own: None, i: int,
    rises: bool, told: Spot, _y_far: float, place: Floats, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell all that hold object i, but those that hold the place that it moves to, of the spot told."""
    x = arrays.x[i]
    count = len(sides.sign)
    out = reserve(out, row, count)
    end = row
    if rises or np.isnan(place[0]):
        whole_orthant(sides, x, out, end)
        end += 1
    else:
        for side in range(count):
            j, sign = sides.attribute[side], sides.sign[side]
            if sign * place[j] > sign * x[j]:
                whole_orthant(sides, x, out, end)
                out[end, sides.high[side]] = place[j]
                for before in range(side):
                    t = sides.attribute[before]
                    if sides.sign[before] * place[t] > sides.sign[before] * x[t]:
                        out[end, sides.low[before]] = place[t]
                end += 1
    stamp_box(out, row, end, told[0], plan.sign * told[1], i, UPDATE)
    return out, end


class CornerRelax(CornerHalved):
    """CN-Relax over a corner index, as a server drives it; O(d) per event beside the index."""

    takes: ClassVar = frozenset[str]()
    tell: ClassVar = half
    stream: ClassVar = replay_of(half)

    def _parts(self) -> tuple[CornerTree, Plan, Sides, None, None]:
        return self._index.arrays, self._plan, self._sides, None, None

    def _rows(self, events: int) -> int:
        return events
