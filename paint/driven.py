"""What all algorithms have in common as a server drives them: their parts, a table for messages, streams of updates.

All kernels take the same parts of the server: the arrays of the object index, the plan, a sweep, the tree of
subscriptions, and whatever the algorithm keeps of its own; those it has no use for are None. They are not gathered in
a tuple, because Numba counts references to every array that is taken out of one. Messages are written from `row` of
`out` on; what is given back is the table, which may have had to be enlarged, and the row after the last one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from floor.kernel_parts import with_parts
from floor.kernels import njit
from paint.algorithm import Plan, Rows, make_marks, mark
from paint.geometry import START

__all__ = ["Driven", "Half", "Ids", "Stream", "stream_of"]

Ids = NDArray[np.int64]
Half = Callable[..., tuple[Rows, int]]
Stream = Callable[..., tuple[Rows, Ids]]


@njit
def change(
    arrays: Any, plan: Plan, sweep: Any, tree: Any, own: Any, i: int, y: float, out: Rows, row: int
) -> tuple[Rows, int]:
    """Give object i a new y and write the messages; none if y is what it was."""
    raise NotImplementedError


@njit
def _replay(
    arrays: Any, plan: Plan, sweep: Any, tree: Any, own: Any, ids: Ids, ys: NDArray[np.float64], out: Rows
) -> tuple[Rows, Ids]:
    """Change one object after the other; the rows, and the marks of each event."""
    marks = make_marks(len(ids))
    row = START
    for event in range(len(ids)):
        mark(marks, event, row, plan.costs)
        out, row = change(arrays, plan, sweep, tree, own, ids[event], ys[event], out, row)
    mark(marks, len(ids), row, plan.costs)
    return out[:row], marks


def stream_of(module: str, change: Half) -> Stream:
    """Compile the stream of updates of an algorithm, in the form of `change` above, for its module."""
    return with_parts(module, _replay, change=change)[0]


class Driven(ABC):
    """An algorithm as a server drives it; `paint.algorithm.Algorithm` says what each method does."""

    dtype: np.dtype[np.void]
    _out: Rows

    def __init__(self, index: Any, plan: Plan, subscribers: Any) -> None:
        self._index, self._plan, self._subscriptions = index, plan, subscribers

    @abstractmethod
    def _parts(self) -> tuple[Any, Plan, Any, Any, Any]:
        """What the kernels take first, as it is now."""

    @abstractmethod
    def _rows(self, events: int) -> int:
        """Messages to have room for at first when so many events are replayed."""

    @abstractmethod
    def _stream(self) -> Stream:
        """The compiled stream of updates."""

    def _table(self, rows: int) -> Rows:
        return np.empty((rows, self.dtype.itemsize // 8))

    def _told(self, half: Half, *about: Any) -> Rows:
        """What a kernel tells; a later call overwrites it."""
        self._out, end = half(*self._parts(), *about, self._out, 0)
        return self._out[:end]

    def replay(self, ids: Ids, ys: NDArray[np.float64]) -> tuple[Rows, Ids]:
        """Change one object after the other in one compiled call; rows of their own, and the marks of each event."""
        return self._stream()(*self._parts(), ids, ys, self._table(self._rows(len(ids))))
