"""The interval tree over ranges. Static. Seed 002, Section 4.1.4; arrays in `matching.intervals.interval_lists`."""

import numpy as np

from matching.array_index import StaticIndex
from matching.intervals.bit_vectors import BitVector, vector_of
from matching.intervals.interval_lists import IntervalLists, check_intervals, interval_lists, stab_all, stabbed
from matching.range_index import Floats, Ids, checked_point

__all__ = ["IntervalTree"]


class IntervalTree(StaticIndex):
    """All ranges that hold a point, in O(log n + answers); about 30 bytes per range.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    """

    arrays: IntervalLists
    _stab_all = staticmethod(stab_all)

    def _built(self, l: Floats, r: Floats, ids: Ids) -> IntervalLists:
        return interval_lists(l, r, ids)

    def candidates(self, x: float) -> BitVector:
        """Ranks of the ranges that hold a point, as a bit vector."""
        ranks = np.empty(len(self), np.int32)
        found, tests = stabbed(self.arrays, checked_point(x), ranks)
        self._made += tests
        return vector_of(np.sort(ranks[:found]))

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the tree holds: O(n) in interpreted Python."""
        check_intervals(self.arrays, len(self))
