"""CN-Relax: one message per event, to every subscription whose range contains the object (Section V's baseline).

It treats a range top-k subscription as a range subscription: each must keep every object of its range, not only k,
and finds the first k itself. An object that moves in x takes a second message, to those that contain its old place
only.
"""

from typing import Any, ClassVar

from floor.kernels import njit
from paint.algorithm import Plan, Rows
from paint.geometry import ALL, Limits, put_tile
from paint.halves import Halved, Place, kernels_of
from paint.index import update
from paint.messages import UPDATE, reserve, stamp

__all__ = ["Relax"]


@njit
def enter(
    arrays: Any, plan: Plan, _sweep: None, _tree: None, _own: None, i: int, _came: Place, out: Rows, row: int
) -> tuple[Rows, int]:
    """Tell all that contain object i of it."""
    x = arrays.x[i]
    out = reserve(out, row, 1)
    end = put_tile(out, row, x, x, ALL[0], ALL[1])
    stamp(out, row, end, x, plan.sign * arrays.y[i], i, UPDATE)
    return out, end


@njit
def leave(
    arrays: Any, plan: Plan, _sweep: None, _tree: None, _own: None, i: int,
    told: Place, _y_end: float, limits: Limits, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell all that contain object i, within the limits, of its new place, or that it goes."""
    x = arrays.x[i]
    out = reserve(out, row, 1)
    end = put_tile(out, row, x, x, limits[0], limits[1])
    stamp(out, row, end, told[0], plan.sign * told[1], i, UPDATE)
    return out, end


@njit
def change(
    arrays: Any, plan: Plan, sweep: None, tree: None, own: None, i: int, y: float, out: Rows, row: int
) -> tuple[Rows, int]:
    """Give object i a new y and tell of it: to rise or to sink is the same here."""
    if y == arrays.y[i]:
        return out, row
    update(arrays, i, y)
    return enter(arrays, plan, sweep, tree, own, i, ALL, out, row)


class Relax(Halved):
    """CN-Relax over an object index, as a server drives it; O(1) per event beside the index."""

    takes: ClassVar = frozenset[str]()
    kernels: ClassVar = kernels_of(enter, leave, change)

    def _parts(self) -> tuple[Any, Plan, None, None, None]:
        return self._index.arrays, self._plan, None, None, None

    def _rows(self, events: int) -> int:
        return events
