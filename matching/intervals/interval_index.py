"""The Interval Index: a search tree over elementary intervals, each with the set of ranges that cover it. Static.

Seed 002, Section 4.1.2. The tree is balanced, its root the middle one of the elementary intervals that any range
covers, so a search for the one that holds a point is a bisection; it stops where it finds it. Sets are compressed bit
vectors (`matching.intervals.bit_vectors`), which the paper leaves to future work. They still take up to 12 bytes per
elementary interval and range that covers it, quadratic in n: for tens of thousands of ranges, and beyond that see
`matching.intervals.windows`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.array_index import StaticIndex
from matching.intervals.bit_vectors import BitVector, BitVectors, consecutive_vectors, members, vector, write_ids
from matching.intervals.elementary import elementary_runs, side_of
from matching.range_index import Floats, Ids, Ints, checked_point

__all__ = ["IntervalIndex", "IntervalSets", "check_sets", "covered_sets", "search", "set_at"]


class IntervalSets(NamedTuple):
    """The arrays of p elementary intervals that some range covers."""

    value: npt.NDArray[np.float64]
    """(m,): distinct ends of ranges."""
    number: npt.NDArray[np.int64]
    """(p,): numbers of the elementary intervals, ascending."""
    covering: BitVectors
    """A set per elementary interval."""
    id: npt.NDArray[np.int32]
    """(n,): ids by rank."""


def covered_sets(l: Floats, r: Floats, ids: Ids) -> IntervalSets:
    """Elementary intervals and the sets of ranges, in the order of ranks, that cover them: O(n log n + members)."""
    value, first, last = elementary_runs(l, r)
    covering = np.zeros(2 * value.size + 2, np.int64)
    np.add.at(covering, first, 1)
    np.add.at(covering, last + 1, -1)
    covered = np.cumsum(covering) > 0
    place = np.cumsum(covered) - 1
    sets = consecutive_vectors(place[first], place[last], int(covered.sum()))
    return IntervalSets(value, np.flatnonzero(covered), sets, ids)


@njit
def search(sets: IntervalSets, low: int, high: int, x: float) -> tuple[int, int]:
    """Place of the elementary interval between two places that holds x, or -1, and the keys looked at."""
    keys = 0
    while low <= high:
        middle = (low + high) // 2
        keys += 1
        side = side_of(sets.value, sets.number[middle], x)
        if side == 0:
            return middle, keys
        if side < 0:
            high = middle - 1
        else:
            low = middle + 1
    return -1, keys


@njit
def set_at(sets: IntervalSets, place: int) -> BitVector:
    """The set of a place; the empty one of -1."""
    if place < 0:
        return BitVector(sets.covering.word[:0], sets.covering.bits[:0])
    return vector(sets.covering, place)


@njit
def stab_all(sets: IntervalSets, xs: Floats, bounds: Ints, out: Ints, counts: Ints) -> int:
    """Kernel of `matching.array_index`."""
    evaluations = 0
    for i in range(len(xs)):
        place, keys = search(sets, 0, len(sets.number) - 1, xs[i])
        evaluations += keys
        counts[i] = write_ids(set_at(sets, place), sets.id, out[bounds[i] : bounds[i + 1]])
    return evaluations


class IntervalIndex(StaticIndex):
    """All ranges that hold a point: O(log n) evaluations, and one at best.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    """

    arrays: IntervalSets
    _stab_all = staticmethod(stab_all)

    def _built(self, l: Floats, r: Floats, ids: Ids) -> IntervalSets:
        return covered_sets(l, r, ids)

    def candidates(self, x: float) -> BitVector:
        """Ranks of the ranges that hold a point, as a bit vector."""
        place, keys = search(self.arrays, 0, len(self.arrays.number) - 1, checked_point(x))
        self._made += keys
        return set_at(self.arrays, place)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the index holds: O(members) in interpreted Python."""
        check_sets(self.arrays, len(self))


def check_sets(sets: IntervalSets, n: int) -> None:
    """Raise AssertionError unless the sets are runs of elementary intervals that tile what ranges cover."""
    assert (np.diff(sets.value) > 0).all()
    assert (np.diff(sets.number) > 0).all()
    assert sorted(sets.id.tolist()) == list(range(n))
    places: dict[int, list[int]] = {}
    for place in range(sets.number.size):
        here = set_at(sets, place)
        assert (np.diff(here.word) > 0).all()
        assert (here.bits != 0).all()
        assert here.word.size > 0
        for rank in members(here).tolist():
            places.setdefault(rank, []).append(int(sets.number[place]))
    assert sorted(places) == list(range(n))
    ends = set()
    for run in places.values():
        assert run == list(range(run[0], run[-1] + 1))
        assert run[0] % 2 == run[-1] % 2 == 1
        ends |= {run[0] // 2, run[-1] // 2}
    assert ends == set(range(sets.value.size))
