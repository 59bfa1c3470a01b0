"""What the scored R-tree and the SOPT-R-tree share: all but the order of their ranges."""

import operator
from itertools import pairwise

import numpy.typing as npt
from numpy import empty, int64

from matching.array_index import StaticIndex
from matching.range_index import Ints, checked_count, checked_point
from matching.ranked.packed_rtree import PackedRTree, columns, open_walk, stab_all, take, top_all, top_one
from matching.ranked.walking import RankedArrayIndex

__all__ = ["PackedIndex"]

BRANCHING = 32


class PackedIndex(RankedArrayIndex, StaticIndex):
    """A packed R-tree with ranked walks."""

    arrays: PackedRTree
    _stab_all = staticmethod(stab_all)
    _open_walk = staticmethod(open_walk)
    _take = staticmethod(take)
    _top_all = staticmethod(top_all)

    def __init__(
        self,
        l: npt.ArrayLike = (),
        r: npt.ArrayLike = (),
        score: npt.ArrayLike | None = None,
        b: int = BRANCHING,
    ) -> None:
        self._b = operator.index(b)
        if self._b < 2:
            raise ValueError(f"b must be at least 2, got {b}")
        super().__init__(l, r, score)

    @property
    def evaluations(self) -> int:
        """How often a point has been held against an extent or a range, in all queries so far."""
        return self._made + int(self.arrays.level[-1])

    def top(self, x: float, k: int) -> Ints:
        """Ids of the k best ranges that hold a point, best first; fewer when fewer hold it."""
        if type(x) is not float or x != x:
            x = checked_point(x)
        if type(k) is not int or not 0 < k <= self._length:
            k = min(checked_count(k), max(self._length, 1))
        ends, ids, level = self.arrays
        out = empty(k, int64)
        return out[: top_one(ends, ids, level, x, out)]

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the tree holds: O(n)."""
        tree = self.arrays
        b, *starts, _ = tree.level.tolist()
        assert sorted(tree.id.tolist()) == list(range(len(self)))
        low, high, *extents = columns(tree)
        assert (low <= high).all()
        for start, stop in pairwise(starts):
            assert low.size > b
            assert stop - start == -(-low.size // b)
            for node in range(stop - start):
                below = slice(node * b, (node + 1) * b)
                assert extents[0][start + node] == low[below].min()
                assert extents[1][start + node] == high[below].max()
            low, high = (ends[start:stop] for ends in extents)
        assert low.size <= b
