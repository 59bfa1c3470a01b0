"""What the classes around range indexes share: arrays of their own, and batches of points answered by one kernel.

An index module holds a NamedTuple of flat arrays and a kernel over it,

`stab_all(arrays, xs, bounds, out, counts) -> evaluations`
    the ids of the ranges that hold `xs[i]`, best first, written to `out[bounds[i]:bounds[i + 1]]` as far as there is
    room, and their number to `counts[i]`: without room it only counts.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from matching.flat_arrays import bytes_of
from matching.range_index import (
    Floats,
    Ids,
    Ints,
    StaticIndexError,
    checked_ends,
    checked_point,
    checked_points,
    checked_scores,
    ranking,
)

__all__ = ["ArrayRangeIndex", "StaticIndex"]

NO_IDS: Ints = np.empty(0, np.int64)


class ArrayRangeIndex(ABC):
    """The owner of the arrays of a range index: points checked, batches answered, evaluations counted."""

    arrays: Any
    """The arrays, for kernels; a change may replace them."""
    _stab_all: ClassVar[Callable[..., int]]
    _made: int = 0

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept."""
        return bytes_of(self.arrays)

    @property
    def evaluations(self) -> int:
        """How often a point has been held against a key, an extent or a range, in all queries so far."""
        return self._made

    def stab(self, x: float) -> Ints:
        """Ids of the ranges that hold a point, best first."""
        return self.stabs(np.array([checked_point(x)]))[1]

    def stabs(self, xs: npt.ArrayLike) -> tuple[Ints, Ints]:
        """Give (offsets, ids): the ranges that hold point i are `ids[offsets[i]:offsets[i + 1]]`, best first."""
        points = checked_points(xs)
        offsets = np.zeros(points.size + 1, np.int64)
        np.cumsum(self._counted(points), out=offsets[1:])
        ids = np.empty(offsets[-1], np.int64)
        if ids.size:
            self._stab_all(self.arrays, points, offsets, ids, np.empty(points.size, np.int64))
        return offsets, ids

    def counts(self, xs: npt.ArrayLike) -> Ints:
        """Count the ranges that hold each point."""
        return self._counted(checked_points(xs))

    def _counted(self, points: Floats) -> Ints:
        counts = np.empty(points.size, np.int64)
        self._made += self._stab_all(self.arrays, points, np.zeros(points.size + 1, np.int64), NO_IDS, counts)
        return counts


class StaticIndex(ArrayRangeIndex):
    """A range index that is built once.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    """

    def __init__(self, l: npt.ArrayLike = (), r: npt.ArrayLike = (), score: npt.ArrayLike | None = None) -> None:
        left, right = checked_ends(l, r)
        by_rank = ranking(checked_scores(score, left.size), left.size)
        self._length = left.size
        self.arrays = self._built(left[by_rank], right[by_rank], by_rank)

    @abstractmethod
    def _built(self, l: Floats, r: Floats, ids: Ids) -> Any:
        """Make the arrays of an index over ranges in the order of ranks."""

    def __len__(self) -> int:
        return self._length

    def insert(self, l: npt.ArrayLike, r: npt.ArrayLike, score: npt.ArrayLike = 0.0) -> int | Ints:
        """Refuse: raises StaticIndexError."""
        del l, r, score
        raise self._refusal("insert")

    def delete(self, ids: npt.ArrayLike) -> None:
        """Refuse: raises StaticIndexError."""
        del ids
        raise self._refusal("delete")

    def rescore(self, ids: npt.ArrayLike, score: npt.ArrayLike) -> None:
        """Refuse: raises StaticIndexError."""
        del ids, score
        raise self._refusal("rescore")

    def _refusal(self, change: str) -> StaticIndexError:
        return StaticIndexError(
            f"{type(self).__name__} is built once and cannot {change} ranges: take matching.ranked.IRTree instead"
        )
