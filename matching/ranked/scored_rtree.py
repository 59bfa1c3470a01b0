"""The scored R-tree: an R-tree over ranges in the order of ranks. Static.

Seed 000, Section 2.2.3. Nodes are made without regard to where ranges lie, so an extent has many holes: points of the
node that none of its ranges holds, which a walk visits for nothing.
"""

from matching.range_index import Floats, Ids
from matching.ranked.packed_index import PackedIndex
from matching.ranked.packed_rtree import PackedRTree, packed

__all__ = ["ScoredRTree"]


class ScoredRTree(PackedIndex):
    """The k best ranges at a point, in O(n) at worst.

    Building takes O(n log n); 20 bytes per range, 4 of them its id, and 16 / (b - 1) for the nodes.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    b
        Ranges per leaf and nodes per node, at least 2. The paper takes 50.
    """

    def _built(self, l: Floats, r: Floats, ids: Ids) -> PackedRTree:
        return packed(l, r, ids, self._b)
