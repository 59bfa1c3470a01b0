"""CN-Relax: one message per event, to every subscription whose range contains the object (Section V's baseline).

It treats a range top-k subscription as a range subscription: each must keep every object of its range, not only k,
and finds the first k itself. An object that moves in x takes a second message, to those that contain its old place
only.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from paint.algorithm import COUNTERS, Plan, Rows, make_marks, mark
from paint.geometry import START
from paint.index import ObjectIndex, update
from paint.known_subscriptions import KnownSubscriptions
from paint.messages import MESSAGE, UPDATE, reserve, stamp

__all__ = ["Relax"]


@njit
def tell(
    out: Rows,
    row: int,
    at: float,
    l_limit: float,
    r_limit: float,
    x: float,
    y: float,
    i: int,
) -> int:
    """Write the message (x, y) of object i to all [l, r] that contain `at`, l > l_limit and r < r_limit."""
    out[row, 0] = at
    out[row, 1] = at
    out[row, 2] = l_limit
    out[row, 3] = r_limit
    stamp(out, row, row + 1, x, y, i, UPDATE)
    return row + 1


@njit
def change(arrays: Any, sign: float, i: int, y: float, out: Rows, row: int) -> tuple[Rows, int]:
    """Give object i a new y and write its message; none if y is what it was."""
    if y == arrays.y[i]:
        return out, row
    update(arrays, i, y)
    out = reserve(out, row, 1)
    return out, tell(out, row, arrays.x[i], -np.inf, np.inf, arrays.x[i], sign * y, i)


@njit
def replay(
    arrays: Any, sign: float, ids: NDArray[np.int64], ys: NDArray[np.float64], out: Rows
) -> tuple[Rows, NDArray[np.int64]]:
    """Change one object after the other; the rows, and the marks of each event: there are no calls to count."""
    marks = make_marks(len(ids))
    no_costs = np.zeros(COUNTERS, np.int64)
    row = START
    for event in range(len(ids)):
        mark(marks, event, row, no_costs)
        out, row = change(arrays, sign, ids[event], ys[event], out, row)
    mark(marks, len(ids), row, no_costs)
    return out[:row], marks


class Relax:
    """CN-Relax over an object index, as a server drives it; O(1) per event beside the index.

    See `paint.algorithm.Algorithm` for what each method does.
    """

    takes: ClassVar = frozenset[str]()
    dtype: ClassVar = MESSAGE

    def __init__(self, index: ObjectIndex, plan: Plan, subscribers: KnownSubscriptions) -> None:  # noqa: ARG002
        self._index = index
        self._sign = plan.sign
        self._out: Rows = np.empty((1, 8))

    def change(self, i: int, y: float) -> Rows:
        """Give object i a new y; its message."""
        self._out, end = change(self._index.arrays, self._sign, i, y, self._out, 0)
        return self._out[:end]

    def enter(self, i: int) -> Rows:
        """Tell all that contain object i of it."""
        x, y = self._values(i)
        return self._tell(x, -np.inf, np.inf, x, y, i)

    def leave(self, i: int) -> Rows:
        """Tell all that contain object i that it goes."""
        x, _ = self._values(i)
        return self._tell(x, -np.inf, np.inf, x, np.inf, i)

    def leave_for(self, i: int, x: float) -> Rows:
        """Tell all that contain object i but not x."""
        old, y = self._values(i)
        l_limit, r_limit = (-np.inf, x) if x > old else (x, np.inf)
        return self._tell(old, l_limit, r_limit, x, y, i)

    def replay(self, ids: NDArray[np.int64], ys: NDArray[np.float64]) -> tuple[Rows, NDArray[np.int64]]:
        """Change one object after the other in one compiled call."""
        return replay(self._index.arrays, self._sign, ids, ys, np.empty((len(ids), 8)))

    def _values(self, i: int) -> tuple[float, float]:
        return float(self._index.arrays.x[i]), float(self._index.arrays.y[i])

    def _tell(self, at: float, l_limit: float, r_limit: float, x: float, y: float, i: int) -> Rows:
        return self._out[: tell(self._out, 0, at, l_limit, r_limit, x, self._sign * y, i)]
