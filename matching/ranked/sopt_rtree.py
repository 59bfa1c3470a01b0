"""The SOPT-R-tree: an R-tree over an arrangement of scored ranges in which a walk meets few holes. Static.

Seed 000, Section 3.2. The order of two ranges matters only where they have a common point; the arrangement of
`matching.ranked.constraint_graph` uses that freedom to keep neighbours together. For every point and every k, the
walk then enters at most k nodes per level without a range that holds the point, and at most 2k nodes per level in
all (Theorem 3.2). The proof in the paper lets J wait for I; it may wait for any range P that is not placed and waits
for nothing itself, and the argument holds with P in place of I.
"""

from matching.range_index import Floats, Ids
from matching.ranked.constraint_graph import arrangement
from matching.ranked.packed_index import PackedIndex
from matching.ranked.packed_rtree import PackedRTree, packed

__all__ = ["SOPTRTree"]


class SOPTRTree(PackedIndex):
    """The k best ranges at a point in O(k b log_b n), in the space of the ranges and a little more.

    Building takes O(n log n); 20 bytes per range, 4 of them its id, and 16 / (b - 1) for the nodes. Scores are needed
    for building only. `stab` takes O(n) at worst and O(m b log_b n) for m answers.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.
    b
        Ranges per leaf and nodes per node, at least 2. The paper takes 50.

    Examples
    --------
    >>> index = SOPTRTree([0.0, 1.0, 4.0], [2.0, 5.0, 9.0], score=[0.5, 0.9, 0.7])
    >>> index.top(1.5, k=1).tolist()
    [1]
    >>> list(index.ranked(4.5))
    [1, 2]
    """

    def _built(self, l: Floats, r: Floats, ids: Ids) -> PackedRTree:
        order = arrangement(l, r)
        return packed(l[order], r[order], ids[order], self._b)
