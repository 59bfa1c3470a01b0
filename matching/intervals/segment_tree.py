"""The segment tree over ranges. Static. Seed 002, Section 4.1.4; arrays in `matching.intervals.segment_lists`."""

from matching.array_index import StaticIndex
from matching.intervals.bit_vectors import BitVector, vector_of
from matching.intervals.segment_lists import SegmentLists, check_segments, segment_lists, stab_all, stabbed
from matching.range_index import Floats, Ids, checked_point

__all__ = ["SegmentTree"]


class SegmentTree(StaticIndex):
    """All ranges that hold a point: O(log n) evaluations at best and at worst; O(n log n) space.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    """

    arrays: SegmentLists
    _stab_all = staticmethod(stab_all)

    def _built(self, l: Floats, r: Floats, ids: Ids) -> SegmentLists:
        return segment_lists(l, r, ids)

    def candidates(self, x: float) -> BitVector:
        """Ranks of the ranges that hold a point, as a bit vector: OR of the sets on its path."""
        ranks, nodes = stabbed(self.arrays, checked_point(x))
        self._made += nodes
        return vector_of(ranks)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the tree holds: O(n log n) in interpreted Python."""
        check_segments(self.arrays, len(self))
