"""What matching over several dimensions shares: a ranked index per dimension, and the boxes for looking one up.

Seed 000, Section 1. A subscription of d dimensions is a box, a range per dimension; an event is a point, with NaN for
a coordinate that it does not have, which no range holds. Each dimension has a ranked index of its own over all
subscriptions, of any kind in `matching.ranked`; ids are the same in all of them. What walks over them bring is looked
up in the boxes.
"""

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from matching.range_index import Floats, Ints, RankedIndex, checked_count
from matching.ranked.sopt_rtree import SOPTRTree

__all__ = ["BoxMatching"]

FIRST_STEP, LONGEST_STEP = 16, 4096
"""Ranges that a walk is asked for at a time, twice as many every time."""


def _table(name: str, given: npt.ArrayLike) -> Floats:
    """Numbers of one row or several as a new array of two dimensions."""
    array = np.asarray(given)
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(f"{name} must hold numbers, got dtype {array.dtype}: convert it to float first")
    if array.ndim == 1:
        array = array[None]
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{name} must have the shape (subscriptions, dimensions), got {np.shape(given)}: mend it")
    return array.astype(np.float64)


class BoxMatching(ABC):
    """The owner of one ranked index per dimension, and of the boxes by id."""

    def __init__(
        self, l: npt.ArrayLike, r: npt.ArrayLike, score: npt.ArrayLike, kind: type[RankedIndex] = SOPTRTree
    ) -> None:
        low, high, scores = self._checked(l, r, score, None)
        self._kind = kind
        self._low, self._high, self._score = low, high, scores
        self._issued = self._alive = len(low)
        self._made = 0
        self.indexes: list[RankedIndex] = [kind(low[:, j], high[:, j], scores[:, j]) for j in range(low.shape[1])]

    def _checked(
        self, l: npt.ArrayLike, r: npt.ArrayLike, score: npt.ArrayLike, dimensions: int | None
    ) -> tuple[Floats, Floats, Floats]:
        """Boxes and the scores of their ranges, all of one shape."""
        low, high = _table("l", l), _table("r", r)
        if low.shape != high.shape:
            raise ValueError(
                f"l and r must have the same shape, got {low.shape} and {high.shape}: give both ends of each"
            )
        if dimensions is not None and low.shape[1] != dimensions:
            raise ValueError(
                f"subscriptions must have {dimensions} dimensions, got {low.shape[1]}: give a range for each"
            )
        wrong = np.argwhere(~(low <= high))
        if wrong.size:
            i, j = wrong[0]
            raise ValueError(
                f"ranges must have l <= r and no NaN, got [{low[i, j]}, {high[i, j]}] of subscription {i} "
                f"in dimension {j} ({len(wrong)} in all): swap the ends, or leave the subscription out"
            )
        return low, high, self._checked_scores(score, low.shape)

    @abstractmethod
    def _checked_scores(self, score: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
        """Scores of subscriptions by dimension."""

    @abstractmethod
    def _best(self, x: Floats, k: int) -> Ints:
        """The k best at a point that is checked."""

    def __len__(self) -> int:
        return self._alive

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept: the indexes and the boxes."""
        return sum(index.nbytes for index in self.indexes) + 3 * self._low.nbytes

    @property
    def evaluations(self) -> int:
        """How often a coordinate has been held against a key, an extent or a range, in all queries so far."""
        return self._made + sum(index.evaluations for index in self.indexes)

    def top(self, x: npt.ArrayLike, k: int) -> Ints:
        """Ids of the k best subscriptions for an event, best first; fewer when fewer match."""
        points = self._points(x)
        if len(points) != 1:
            raise ValueError(
                f"an event must have {self._low.shape[1]} coordinates, got {np.shape(x)}: take tops for more"
            )
        return self._best(points[0], checked_count(k))

    def tops(self, xs: npt.ArrayLike, k: int) -> tuple[Ints, Ints]:
        """Give (offsets, ids): the k best for event i are `ids[offsets[i]:offsets[i + 1]]`."""
        most = checked_count(k)
        answers = [self._best(x, most) for x in self._points(xs)]
        offsets = np.append(0, np.cumsum([len(ids) for ids in answers], dtype=np.int64)).astype(np.int64)
        return offsets, np.concatenate([np.empty(0, np.int64), *answers])

    def _points(self, xs: npt.ArrayLike) -> Floats:
        dimensions = self._low.shape[1]
        if np.size(xs) == 0:
            return np.empty((0, dimensions))
        points = _table("events", xs)
        if points.shape[1] != dimensions:
            raise ValueError(
                f"events must have {dimensions} coordinates, got {points.shape[1]}: NaN for what is missing"
            )
        return points

    def insert(self, l: npt.ArrayLike, r: npt.ArrayLike, score: npt.ArrayLike) -> int | Ints:
        """Add one subscription, or several given as rows, and return the id or the ids; refused by static indexes."""
        low, high, scores = self._checked(l, r, score, self._low.shape[1])
        ids: int | Ints = 0
        for j, index in enumerate(self.indexes):
            ids = index.insert(low[:, j], high[:, j], scores[:, j])
        first, behind = self._issued, self._issued + len(low)
        if behind > len(self._low):
            rows = max(behind, len(self._low) * 5 // 4)
            self._low, self._high, self._score = (
                np.concatenate((held[:first], np.empty((rows - first, held.shape[1]))))
                for held in (self._low, self._high, self._score)
            )
        for held, more in zip((self._low, self._high, self._score), (low, high, scores), strict=True):
            held[first:behind] = more
        self._issued = behind
        self._alive += len(low)
        return int(np.asarray(ids)[0]) if np.ndim(l) == 1 else ids

    def delete(self, ids: npt.ArrayLike) -> None:
        """Remove one subscription or several; refused by static indexes."""
        for index in self.indexes:
            index.delete(ids)
        self._alive -= np.size(ids)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the indexes holds."""
        for index in self.indexes:
            index._check()
            assert len(index) == self._alive
        assert self._low.shape == self._high.shape == self._score.shape
