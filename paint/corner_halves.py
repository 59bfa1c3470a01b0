"""Algorithms over several attributes, as a server drives them: `paint.halves` with corners and places.

An algorithm brings one njit kernel in the form of `half` below, for an object that rises and for one that sinks, and
gets a compiled stream of updates from it. Its parts are those of `paint.halves`: the arrays of the object index, the
plan, the sweep, the tree of subscriptions, and what it keeps of its own; None where it has no use for one.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from floor.kernel_parts import with_parts
from floor.kernels import njit
from paint.algorithm import Plan, Rows, make_marks, mark
from paint.corner_sweep import CornerSweep, make_corner_sweep
from paint.corner_tree import CornerTree, update
from paint.driven import Driven, Half, Ids, Stream
from paint.geometry import START
from paint.messages import message_of
from paint.sides import Floats, Sides

__all__ = ["CornerHalved", "Spot", "replay_of"]

Spot = tuple[Floats, float]
"""x, an array of d, and y of an object."""


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
    arrays: CornerTree, plan: Plan, sweep: Any, tree: Any, own: Any, ids: Ids, ys: Floats, out: Rows
) -> tuple[Rows, Ids]:
    """Change one object after the other; the rows, and the marks of each event. No messages if y is what it was.

    `paint.driven` has it in two kernels. Nobody asks for the inner one here, which took as long to compile as this.
    """
    marks, nowhere = make_marks(len(ids)), np.full(arrays.x.shape[1], np.nan)
    row = START
    for event in range(len(ids)):
        mark(marks, event, row, plan.costs)
        i, y, old = ids[event], ys[event], arrays.y[ids[event]]
        if y != old:
            if y < old:
                update(arrays, i, y)
            told = (arrays.x[i], y)
            out, row = half(arrays, plan, sweep, tree, own, i, y < old, told, max(y, old), nowhere, out, row)
            if y > old:
                update(arrays, i, y)
    mark(marks, len(ids), row, plan.costs)
    return out[:row], marks


def replay_of(half: Half, update: Callable[..., None] = update) -> Stream:
    """Compile the stream of updates of an algorithm and its object index."""
    return with_parts(half.__module__, _replay, half=half, update=update)[0]


class CornerHalved(Driven):
    """An algorithm over a corner index."""

    takes: ClassVar[frozenset[str]]
    tell: ClassVar[Half]
    stream: ClassVar[Stream]
    messages: ClassVar[np.dtype[np.void] | None] = None
    """Type of its messages, if they are not boxes."""

    def __init__(self, index: Any, plan: Plan, subscribers: Any, sides: Sides) -> None:
        super().__init__(index, plan, subscribers)
        self._sides = sides
        self._attributes = index.arrays.x.shape[1]
        self.dtype = self.messages or message_of(self._attributes, int(sides.attribute[-1]) + 1)
        self._nowhere = np.full(self._attributes, np.nan)
        self._place_before = self._nowhere
        self._sweep: CornerSweep | None = None
        self._out = self._table(4096)

    def _stream(self) -> Stream:
        return type(self).stream

    def _swept(self, more: int = 0) -> CornerSweep:
        """Scratch memory of sweeps with room for the objects there are, and some more."""
        room = len(self._index.arrays.y) + more
        if self._sweep is None or self._sweep.band.below.shape[1] < room:
            self._sweep = make_corner_sweep(self._sides, self._plan.k, room, by_intervals=self._index.by_intervals)
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
        return self._told(type(self).tell, i, rises, told, np.inf, place)
