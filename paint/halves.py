"""Every algorithm as two halves, `enter` and `leave`, and what follows from them: an update of y, a stream of them.

An algorithm brings the two halves as njit kernels, in the form of `enter` and `leave` below; `paint.driven` says what
all of them take and give back.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from floor.kernel_parts import with_parts
from floor.kernels import njit
from paint.algorithm import Plan, Rows
from paint.driven import Driven, Half, Stream, stream_of
from paint.geometry import ALL, Limits
from paint.index import ObjectIndex, update
from paint.known_subscriptions import KnownSubscriptions
from paint.messages import MESSAGE

__all__ = ["Halved", "Kernels", "Place", "kernels_of"]

Place = tuple[float, float]
"""x and y of an object."""


class Kernels(NamedTuple):
    """What an algorithm is compiled to."""

    enter: Half
    leave: Half
    change: Half
    replay: Stream


@njit
def enter(
    arrays: Any, plan: Plan, sweep: Any, tree: Any, own: Any, i: int, came: Place, out: Rows, row: int
) -> tuple[Rows, int]:
    """Tell of object i, which has risen to its y in the index.

    `came` is where from: the x it had before it moved, NaN if it did not, and its y before, +inf if it is new at its
    place.
    """
    raise NotImplementedError


@njit
def leave(
    arrays: Any, plan: Plan, sweep: Any, tree: Any, own: Any, i: int,
    told: Place, y_end: float, limits: Limits, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell that object i is at a place, and what takes its own, as it rises from its y in the index to y_end.

    It goes if y_end is +inf. Only subscriptions with l > limits[0] and r < limits[1] are concerned.
    """
    raise NotImplementedError


@njit
def _change(
    arrays: Any, plan: Plan, sweep: Any, tree: Any, own: Any, i: int, y: float, out: Rows, row: int
) -> tuple[Rows, int]:
    """Give object i a new y and write the messages (Algorithm 3); none if y is what it was."""
    old = arrays.y[i]
    if y < old:
        update(arrays, i, y)
        out, row = enter(arrays, plan, sweep, tree, own, i, (np.nan, old), out, row)
    elif y > old:
        out, row = leave(arrays, plan, sweep, tree, own, i, (arrays.x[i], y), y, ALL, out, row)
        update(arrays, i, y)
    return out, row


def kernels_of(enter: Half, leave: Half, change: Half | None = None) -> Kernels:
    """Make the kernels of an algorithm out of its two halves; `change` if it has a shorter one of its own."""
    module = enter.__module__
    if change is None:
        change = with_parts(module, _change, enter=enter, leave=leave)[0]
    return Kernels(enter, leave, change, stream_of(module, change))


class Halved(Driven):
    """An algorithm of two halves, as a server drives it; `paint.algorithm.Algorithm` says what each method does."""

    dtype: np.dtype[np.void] = MESSAGE
    kernels: ClassVar[Kernels]

    def __init__(self, index: ObjectIndex, plan: Plan, subscribers: KnownSubscriptions) -> None:
        super().__init__(index, plan, subscribers)
        self._out = self._table(max(1024, 4 * plan.k))
        self._x_before = np.nan

    def _stream(self) -> Stream:
        return self.kernels.replay

    def change(self, i: int, y: float) -> Rows:
        """Give object i a new y; the messages."""
        self._out, end = self.kernels.change(*self._parts(), i, y, self._out, 0)
        return self._out[:end]

    def enter(self, i: int) -> Rows:
        """Tell of object i, which was just put into the index, new or after `leave_for`."""
        came, self._x_before = (self._x_before, np.inf), np.nan
        return self._told(self.kernels.enter, i, came)

    def leave(self, i: int) -> Rows:
        """Tell that object i is about to be deleted from the index."""
        return self._leave(i, (float(self._index.arrays.x[i]), np.inf), ALL)

    def leave_for(self, i: int, x: float) -> Rows:
        """Tell those that lose object i as it moves to x, which the index does not know yet."""
        self._x_before, y = float(self._index.arrays.x[i]), float(self._index.arrays.y[i])
        return self._leave(i, (x, y), (-np.inf, x) if x > self._x_before else (x, np.inf))

    def _leave(self, i: int, told: Place, limits: Limits) -> Rows:
        return self._told(self.kernels.leave, i, told, np.inf, limits)
