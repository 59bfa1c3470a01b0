"""What ranked indexes share: walks over the ranges that hold a point, best first, and the k best of many points.

Beside `stab_all` (see `matching.array_index`) the module of a ranked index has three kernels:

`open_walk(arrays, x) -> cursor`
    a walk that stands before the best range that holds x;
`take(arrays, cursor, out) -> count`
    the ids of the next ranges, as many as there is room for;
`top_all(arrays, xs, k, out, counts) -> evaluations`
    the k best at each point, written one after the other to `out`, and their numbers.
"""

from collections.abc import Callable
from typing import ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from matching.array_index import ArrayRangeIndex
from matching.range_index import Ints, checked_count, checked_point, checked_points
from matching.ranked.cursor import EVALUATIONS

__all__ = ["RankedArrayIndex", "Walk", "WalkState"]

ROOM = 1 << 20
"""Ids that a batch of points may need room for; a larger one is answered in parts."""


class WalkState(Protocol):
    """Where a walk stands; `matching.ranked.cursor.Cursor` is one."""

    @property
    def state(self) -> Ints:
        """Counts, among them that of evaluations."""


class RankedArrayIndex(ArrayRangeIndex):
    """The owner of the arrays of a ranked index."""

    _open_walk: ClassVar[Callable[..., WalkState]]
    _take: ClassVar[Callable[..., int]]
    _top_all: ClassVar[Callable[..., int]]
    _changes: int = 0
    """Changes so far."""

    def ranked(self, x: float) -> "Walk":
        """Walk over the ranges that hold a point, best first; a change of the index ends the walk with an error."""
        return Walk(self, checked_point(x))

    def top(self, x: float, k: int) -> Ints:
        """Ids of the k best ranges that hold a point, best first; fewer when fewer hold it."""
        point, most = checked_point(x), min(checked_count(k), max(len(self), 1))
        out, counts = np.empty(most, np.int64), np.empty(1, np.int64)
        self._made += self._top_all(self.arrays, np.array([point]), most, out, counts)
        return out[: counts[0]]

    def tops(self, xs: npt.ArrayLike, k: int) -> tuple[Ints, Ints]:
        """Give (offsets, ids): the k best ranges that hold point i are `ids[offsets[i]:offsets[i + 1]]`."""
        points, most = checked_points(xs), min(checked_count(k), max(len(self), 1))
        offsets = np.zeros(points.size + 1, np.int64)
        at_once = max(ROOM // most, 1)
        out = np.empty(min(at_once, points.size) * most, np.int64)
        parts = []
        for first in range(0, points.size, at_once):
            some = points[first : first + at_once]
            counts = offsets[first + 1 : first + 1 + some.size]
            self._made += self._top_all(self.arrays, some, most, out, counts)
            parts.append(out[: counts.sum()].copy())
        np.cumsum(offsets, out=offsets)
        return offsets, np.concatenate(parts) if parts else out[:0]


class Walk:
    """The ranges that hold a point, best first, found as far as they are asked for."""

    def __init__(self, index: RankedArrayIndex, x: float) -> None:
        self._index = index
        self._arrays = index.arrays
        self._cursor = index._open_walk(self._arrays, x)
        self._changes = index._changes
        self._ahead: list[int] = []
        self._next_step = 1
        self._note()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> int:
        if not self._ahead:
            self._ahead = self.take(self._next_step).tolist()[::-1]
            self._next_step = min(2 * self._next_step, 1024)
        if not self._ahead:
            raise StopIteration
        return self._ahead.pop()

    def take(self, count: int) -> Ints:
        """Give the ids of the next ranges, fewer than `count` at the end."""
        if self._index._changes != self._changes:
            raise RuntimeError("the index has changed since the walk began: start another one by ranked(x)")
        most = min(checked_count(count), max(len(self._index), 1))
        waiting = np.array(self._ahead[: -most - 1 : -1], np.int64)
        del self._ahead[-most:]
        out = np.empty(most - waiting.size, np.int64)
        found = self._index._take(self._arrays, self._cursor, out)
        self._note()
        return np.concatenate((waiting, out[:found])) if waiting.size else out[:found]

    def _note(self) -> None:
        self._index._made += int(self._cursor.state[EVALUATIONS])
        self._cursor.state[EVALUATIONS] = 0
