"""The vocabulary of range indexes: what each of them offers, the one order of all answers, and checks of arguments.

A range index holds closed ranges [l, r], each with a score, and is asked which of them hold a point: it is *stabbed*
there. Ids count up from 0 in the order of insertion and are never used again. Every answer is in the order of ranks:
score descending, id ascending; an index that is given no scores has equal ones, so its order is that of ids. All
indexes therefore give equal answers, and several of them can be merged.

What an index cannot do is no method of its type: only a `RankedIndex` has `top`. A static structure has the methods
that change ranges, since every index may be held by a caller who wants to, but it refuses with `StaticIndexError`.

`matching.registry` names every index.
"""

import operator
from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from floor.errors import RangecastError

__all__ = [
    "RangeIndex",
    "RankedIndex",
    "RankedRanges",
    "StaticIndexError",
    "UnknownRangeError",
    "checked_count",
    "checked_ends",
    "checked_point",
    "checked_points",
    "checked_scores",
    "ranking",
]

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]


class StaticIndexError(RangecastError):
    """A change that a static index refuses; its text names the index to take instead."""


class UnknownRangeError(RangecastError, KeyError):
    """An id of a range that was never issued or has been deleted."""

    __str__ = Exception.__str__


class RankedRanges(Iterator[int], Protocol):
    """The ranges that hold a point, best first, found as far as they are asked for."""

    def take(self, count: int) -> Ints:
        """Give the ids of the next ranges, fewer than `count` at the end."""


class RangeIndex(Protocol):
    """What every range index offers."""

    def __init__(self, l: npt.ArrayLike = (), r: npt.ArrayLike = (), score: npt.ArrayLike | None = None) -> None: ...

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept."""

    @property
    def evaluations(self) -> int:
        """How often a point has been held against a key, an extent or a range, in all queries so far."""

    def stab(self, x: float) -> Ints:
        """Ids of the ranges that hold a point, best first."""

    def stabs(self, xs: npt.ArrayLike) -> tuple[Ints, Ints]:
        """Give (offsets, ids): the ranges that hold point i are `ids[offsets[i]:offsets[i + 1]]`, best first."""

    def counts(self, xs: npt.ArrayLike) -> Ints:
        """Count the ranges that hold each point."""

    def insert(self, l: npt.ArrayLike, r: npt.ArrayLike, score: npt.ArrayLike = 0.0) -> int | Ints:
        """Add one range, or several given as arrays, and return the id or the ids."""

    def delete(self, ids: npt.ArrayLike) -> None:
        """Remove one range or several."""

    def rescore(self, ids: npt.ArrayLike, score: npt.ArrayLike) -> None:
        """Give one range or several another score."""

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds."""


class RankedIndex(RangeIndex, Protocol):
    """A range index that finds the best ranges at a point without finding all of them."""

    def ranked(self, x: float) -> RankedRanges:
        """Walk over the ranges that hold a point, best first."""

    def top(self, x: float, k: int) -> Ints:
        """Ids of the k best ranges that hold a point, best first; fewer when fewer hold it."""

    def tops(self, xs: npt.ArrayLike, k: int) -> tuple[Ints, Ints]:
        """Give (offsets, ids): the k best ranges that hold point i are `ids[offsets[i]:offsets[i + 1]]`."""


def _numbers(name: str, given: npt.ArrayLike) -> Floats:
    """Numbers of at most one dimension as a new array of one."""
    array = np.asarray(given)
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(f"{name} must hold numbers, got dtype {array.dtype}: convert it to float first")
    if array.ndim > 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}: pass a list of numbers")
    return np.atleast_1d(array).astype(np.float64)


def checked_ends(l: npt.ArrayLike, r: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Left and right ends of ranges as new one-dimensional float arrays.

    Raises
    ------
    TypeError
        An end is not a number.
    ValueError
        The arrays differ in length or have more than one dimension, an end is NaN, or some l > r.
    """
    left, right = _numbers("l", l), _numbers("r", r)
    if left.size != right.size:
        raise ValueError(
            f"l and r must have the same length, got {left.size} and {right.size}: give both ends of each"
        )
    wrong = np.flatnonzero(~(left <= right))
    if wrong.size:
        i = wrong[0]
        raise ValueError(
            f"ranges must have l <= r and no NaN, got [{left[i]}, {right[i]}] at position {i} ({wrong.size} in all): "
            "swap the ends, or leave the range out"
        )
    return left, right


def checked_scores(score: npt.ArrayLike | None, count: int) -> Floats | None:
    """Scores of `count` ranges as a new array, one number standing for all of them; None when there are none."""
    if score is None:
        return None
    scores = _numbers("score", score)
    if np.ndim(score) == 0:
        scores = np.repeat(scores, count)
    if scores.size != count:
        raise ValueError(
            f"score must have one number per range ({count}), got {scores.size}: give as many, or one for all"
        )
    wrong = np.flatnonzero(np.isnan(scores))
    if wrong.size:
        raise ValueError(
            f"scores must not be NaN, got one at position {wrong[0]} ({wrong.size} in all): leave such ranges out"
        )
    return scores


def ranking(scores: Floats | None, count: int) -> Ids:
    """Ids of `count` ranges by rank: score descending, id ascending; O(n log n)."""
    if scores is None:
        return np.arange(count, dtype=np.int32)
    return np.argsort(-scores, kind="stable").astype(np.int32)


def checked_point(x: object) -> float:
    """A point as a float; it may be infinite, but not NaN."""
    if isinstance(x, (float, int, np.floating, np.integer)) and not isinstance(x, bool):
        point = float(x)
        if point == point:
            return point
        raise ValueError("a point must not be NaN: leave out events without a value")
    raise TypeError(f"a point must be a number, got {x!r}: convert it to float first")


def checked_points(xs: npt.ArrayLike) -> Floats:
    """Points as an array of one dimension without NaN."""
    points = _numbers("points", xs)
    if np.isnan(points).any():
        at = int(np.isnan(points).argmax())
        raise ValueError(f"points must not be NaN, got one at position {at}: leave out events without a value")
    return points


def checked_count(k: object) -> int:
    """How many ranges are asked for: an integer of at least 1."""
    try:
        count = operator.index(k)  # type: ignore[arg-type]
    except TypeError as error:
        raise TypeError(f"k must be an integer, got {k!r}: ask for a whole number") from error
    if count < 1:
        raise ValueError(f"k must be at least 1, got {count}: ask for one or more")
    return count
