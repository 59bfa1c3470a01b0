"""Algorithms over several attributes, as a server drives them: `paint.halves` with corners and places.

An algorithm brings one njit kernel in the form of `half` below, for an object that rises and for one that sinks, and
gets a compiled stream of updates from it. Its parts are those of `paint.halves`: the arrays of the object index, the
plan, the sweep, the tree of subscriptions, and what it keeps of its own; None where it has no use for one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.algorithm import Plan, Rows, make_marks, mark
from paint.corner_sweep import CornerSweep, make_corner_sweep
from paint.corner_tree import CornerTree, update
from paint.geometry import START
from paint.messages import message_of
from paint.sides import Floats, Sides

__all__ = ["CornerHalved", "Spot", "replay_of"]

Ids = NDArray[np.int64]
Spot = tuple[Floats, float]
"""x, an array of d, and y of an object."""
Half = Callable[..., tuple[Rows, int]]


@njit
def half(
    arrays: CornerTree, plan: Plan, sweep: Any, tree: Any, own: Any, i: int,
    rises: bool, told: Spot, y_far: float, place: Floats, out: Rows, row: int,
) -> tuple[Rows, int]:  # fmt: skip
    """Tell of object i at the spot told, from `row` of `out` on; the table, and the row after the last message.

    The index has it at the lower y of the event; `y_far` is the upper one. If it rises, it is new at its place or
    comes from there, and `place` is the x it had before it moved. If not, it sinks, or goes away if `y_far` is +inf,
    and `place` is the x that it moves to: those that hold it are left out. NaN if it does not move.
    """
    raise NotImplementedError


@njit
def _replay(
    arrays: CornerTree, plan: Plan, sweep: Any, tree: Any, own: Any, ids: Ids, ys: Floats, place: Floats, out: Rows
) -> tuple[Rows, Ids]:
    """Change one object after the other; the rows, and the marks of each event. `place` is NaN."""
    marks = make_marks(len(ids))
    row = START
    for event in range(len(ids)):
        mark(marks, event, row, plan.costs)
        i, y = ids[event], ys[event]
        old = arrays.y[i]
        if y != old:
            if y < old:
                update(arrays, i, y)
            out, row = half(
                arrays, plan, sweep, tree, own, i, y < old, (arrays.x[i], y), max(y, old), place, out, row
            )
            if y > old:
                update(arrays, i, y)
    mark(marks, len(ids), row, plan.costs)
    return out[:row], marks


def replay_of(half: Half, update: Callable[..., None] = update) -> Callable[..., tuple[Rows, Ids]]:
    """Compile the stream of updates of an algorithm and its object index; see `paint.halves.kernels_of` for how."""
    code = getattr(_replay, "py_func", _replay).__code__  # as it is where Numba is switched off
    return njit(FunctionType(code, {**globals(), "__name__": half.__module__, "half": half, "update": update}))


class CornerHalved(ABC):
    """An algorithm over an index of places; `paint.algorithm.Algorithm` says what each method does."""

    takes: ClassVar[frozenset[str]]
    tell: ClassVar[Half]
    stream: ClassVar[Callable[..., tuple[Rows, Ids]]]
    messages: ClassVar[np.dtype[np.void] | None] = None
    """Type of its messages, if they are not boxes."""

    def __init__(self, index: Any, plan: Plan, subscribers: Any, sides: Sides) -> None:
        self._index, self._plan, self._subscriptions, self._sides = index, plan, subscribers, sides
        self._attributes = index.arrays.x.shape[1]
        self.dtype = self.messages or message_of(self._attributes, int(sides.attribute[-1]) + 1)
        self._nowhere = np.full(self._attributes, np.nan)
        self._place_before = self._nowhere
        self._sweep: CornerSweep | None = None
        self._out = self._table(4096)

    @abstractmethod
    def _parts(self) -> tuple[Any, Plan, Any, Any, Any]:
        """What the kernels take first, as it is now."""

    @abstractmethod
    def _rows(self, events: int) -> int:
        """Messages to have room for at first when so many events are replayed."""

    def _table(self, rows: int) -> Rows:
        return np.empty((rows, self.dtype.itemsize // 8))

    def _swept(self, more: int = 0) -> CornerSweep:
        """Scratch memory of sweeps with room for the objects there are, and some more."""
        room = len(self._index.arrays.y) + more
        if self._sweep is None or self._sweep.band.below.shape[1] < room:
            self._sweep = make_corner_sweep(self._sides, self._plan.k, room)
        return self._sweep

    def change(self, i: int, y: float) -> Rows:
        """Give object i a new y; the messages."""
        return self.replay(np.array([i]), np.array([y]))[0]

    def enter(self, i: int) -> Rows:
        """Tell of object i, which was just put into the index, new or after `leave_for`."""
        arrays, place = self._index.arrays, self._place_before
        self._place_before = self._nowhere
        return self._half(i, True, (arrays.x[i], float(arrays.y[i])), place)

    def leave(self, i: int) -> Rows:
        """Tell that object i is about to be deleted from the index."""
        return self._half(i, False, (self._index.arrays.x[i], np.inf), self._nowhere)

    def leave_for(self, i: int, x: Floats) -> Rows:
        """Tell those that lose object i as it moves to x, which the index does not know yet."""
        self._place_before = self._index.arrays.x[i].copy()
        return self._half(i, False, (x, float(self._index.arrays.y[i])), x)

    def _half(self, i: int, rises: bool, told: Spot, place: Floats) -> Rows:
        self._out, end = type(self).tell(*self._parts(), i, rises, told, np.inf, place, self._out, 0)
        return self._out[:end]

    def replay(self, ids: Ids, ys: Floats) -> tuple[Rows, Ids]:
        """Change one object after the other in one compiled call; rows of their own, and the marks of each event."""
        return type(self).stream(*self._parts(), ids, ys, self._nowhere, self._table(self._rows(len(ids))))
