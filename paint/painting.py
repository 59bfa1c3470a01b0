"""What Paint-Dense and Paint-Sparse have in common as a server drives them; their kernels do the work."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paint.algorithm import Change, Plan, Rows
from paint.batch import paint_batch
from paint.index import ObjectIndex
from paint.known_subscriptions import KnownSubscriptions
from paint.messages import MESSAGE
from paint.sweep import make_sweep
from paint.window import paint_window

__all__ = ["Kernels", "Painting"]

Kernel = Callable[..., Any]


class Kernels(NamedTuple):
    """Compiled halves of an algorithm; each takes the state of a `Painting` first."""

    change: Kernel
    enter: Kernel
    leave: Kernel
    replay: Kernel


class Painting(ABC):
    """An algorithm over an object index; see `paint.algorithm.Algorithm` for what each method does."""

    dtype: ClassVar = MESSAGE
    kernels: ClassVar[Kernels]

    def __init__(self, index: ObjectIndex, plan: Plan, subscribers: KnownSubscriptions) -> None:
        self._index = index
        self._plan = plan
        self._subscriptions = subscribers
        self._sweep = make_sweep(plan.k)
        self._out: Rows = np.empty((max(1024, 4 * plan.k), 8))

    @abstractmethod
    def _state(self) -> tuple[Any, ...]:
        """What the kernels take first, as it is now."""

    @abstractmethod
    def _rows(self, events: int) -> int:
        """Messages to have room for at first when so many events are replayed."""

    def change(self, i: int, y: float) -> Rows:
        """Give object i a new y; the messages."""
        self._out, end = self.kernels.change(*self._state(), i, y, self._out, 0)
        return self._out[:end]

    def enter(self, i: int) -> Rows:
        """Tell of object i, which was just put into the index."""
        self._out, end = self.kernels.enter(*self._state(), i, self._out, 0)
        return self._out[:end]

    def leave(self, i: int) -> Rows:
        """Tell that object i is about to be deleted from the index."""
        return self._leave(i, float(self._index.arrays.x[i]), np.inf, -np.inf, np.inf)

    def leave_for(self, i: int, x: float) -> Rows:
        """Tell those that lose object i as it moves to x, which the index does not know yet."""
        old, y = float(self._index.arrays.x[i]), float(self._index.arrays.y[i])
        return self._leave(i, x, y, *((-np.inf, x) if x > old else (x, np.inf)))

    def _leave(self, i: int, x_told: float, y_told: float, l_limit: float, r_limit: float) -> Rows:
        limits = (l_limit, r_limit)
        self._out, end = self.kernels.leave(*self._state(), i, x_told, y_told, np.inf, *limits, self._out, 0)
        return self._out[:end]

    def replay(self, ids: NDArray[np.int64], ys: NDArray[np.float64]) -> tuple[Rows, NDArray[np.int64]]:
        """Change one object after the other in one compiled call; rows of their own, and the marks of each event."""
        rows, marks = self.kernels.replay(*self._state(), ids, ys, np.empty((self._rows(len(ids)), 8)))
        return rows, marks

    def batch(self, ids: NDArray[np.int64], ys: NDArray[np.float64], printed: bool) -> Rows:
        """Change distinct objects at once, by Paint-Batch; rows of their own."""
        return paint_batch(self._index.arrays, self._plan, ids, ys, printed=printed)

    def window(self, changes: list[Change]) -> Rows:
        """Change distinct objects, which may enter, leave and move, by Paint-Batch; rows of their own."""
        return paint_window(self._index, self._plan, changes)
