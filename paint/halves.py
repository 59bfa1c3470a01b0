"""Every algorithm as two halves, `enter` and `leave`, and what follows from them: an update of y, a stream of them.

An algorithm brings the two halves as njit kernels, in the form of `enter` and `leave` below. All take the same parts
of the server: the arrays of the object index, the plan, a sweep, the tree of subscriptions, and whatever the
algorithm keeps of its own; those it has no use for are None. They are not gathered in a tuple, because Numba counts
references to every array that is taken out of one. Messages are written from `row` of `out` on; what is given back is
the table, which may have had to be enlarged, and the row after the last one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.algorithm import Plan, Rows, make_marks, mark
from paint.geometry import ALL, START, Limits
from paint.index import ObjectIndex, update
from paint.known_subscriptions import KnownSubscriptions
from paint.messages import MESSAGE

__all__ = ["Halved", "Kernels", "Place", "kernels_of"]

Ids = NDArray[np.int64]
Place = tuple[float, float]
"""x and y of an object."""
Half = Callable[..., tuple[Rows, int]]


class Kernels(NamedTuple):
    """What an algorithm is compiled to."""

    enter: Half
    leave: Half
    change: Half
    replay: Callable[..., tuple[Rows, Ids]]


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


@njit
def _replay(
    arrays: Any, plan: Plan, sweep: Any, tree: Any, own: Any, ids: Ids, ys: NDArray[np.float64], out: Rows
) -> tuple[Rows, Ids]:
    """Change one object after the other; the rows, and the marks of each event."""
    marks = make_marks(len(ids))
    row = START
    for event in range(len(ids)):
        mark(marks, event, row, plan.costs)
        out, row = _change(arrays, plan, sweep, tree, own, ids[event], ys[event], out, row)
    mark(marks, len(ids), row, plan.costs)
    return out[:row], marks


def kernels_of(enter: Half, leave: Half, change: Half | None = None) -> Kernels:
    """Make the kernels of an algorithm out of its two halves; `change` if it has a shorter one of its own.

    These take the place of the global names of this module: Numba keeps no kernel on disk that closes over others or
    takes them as arguments. What is made counts as a kernel of the algorithm's module, and is kept with its others.
    """
    names = {**globals(), "__name__": enter.__module__, "enter": enter, "leave": leave}
    if change is None:
        change = njit(FunctionType(_code(_change), names))
    return Kernels(enter, leave, change, njit(FunctionType(_code(_replay), {**names, "_change": change})))


def _code(kernel: Any) -> CodeType:
    """Code of a kernel before it is compiled."""
    code: CodeType = getattr(kernel, "py_func", kernel).__code__  # as it is where Numba is switched off
    return code


class Halved(ABC):
    """An algorithm of two halves, as a server drives it; `paint.algorithm.Algorithm` says what each method does."""

    dtype: ClassVar[np.dtype[np.void]] = MESSAGE
    kernels: ClassVar[Kernels]

    def __init__(self, index: ObjectIndex, plan: Plan, subscribers: KnownSubscriptions) -> None:
        self._index = index
        self._plan = plan
        self._subscriptions = subscribers
        self._out = self._table(max(1024, 4 * plan.k))
        self._x_before = np.nan

    @abstractmethod
    def _parts(self) -> tuple[Any, Plan, Any, Any, Any]:
        """What the kernels take first, as it is now."""

    @abstractmethod
    def _rows(self, events: int) -> int:
        """Messages to have room for at first when so many events are replayed."""

    def _table(self, rows: int) -> Rows:
        return np.empty((rows, self.dtype.itemsize // 8))

    def change(self, i: int, y: float) -> Rows:
        """Give object i a new y; the messages."""
        self._out, end = self.kernels.change(*self._parts(), i, y, self._out, 0)
        return self._out[:end]

    def enter(self, i: int) -> Rows:
        """Tell of object i, which was just put into the index, new or after `leave_for`."""
        self._out, end = self.kernels.enter(*self._parts(), i, (self._x_before, np.inf), self._out, 0)
        self._x_before = np.nan
        return self._out[:end]

    def leave(self, i: int) -> Rows:
        """Tell that object i is about to be deleted from the index."""
        return self._leave(i, (float(self._index.arrays.x[i]), np.inf), ALL)

    def leave_for(self, i: int, x: float) -> Rows:
        """Tell those that lose object i as it moves to x, which the index does not know yet."""
        self._x_before, y = float(self._index.arrays.x[i]), float(self._index.arrays.y[i])
        return self._leave(i, (x, y), (-np.inf, x) if x > self._x_before else (x, np.inf))

    def _leave(self, i: int, told: Place, limits: Limits) -> Rows:
        self._out, end = self.kernels.leave(*self._parts(), i, told, np.inf, limits, self._out, 0)
        return self._out[:end]

    def replay(self, ids: Ids, ys: NDArray[np.float64]) -> tuple[Rows, Ids]:
        """Change one object after the other in one compiled call; rows of their own, and the marks of each event."""
        return self.kernels.replay(*self._parts(), ids, ys, self._table(self._rows(len(ids))))
