"""The kd-trees of objects over several attributes as a server holds them."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paint.balanced_index import BalancedIndex
from paint.corner_tree import CornerTree, build, empty, update

__all__ = ["CornerIndex", "IntervalIndex", "OneSidedIndex"]

Floats = NDArray[np.float64]


class CornerIndex(BalancedIndex):
    """Objects over d attributes in a kd-tree; 160 + 24 d bytes per object, O(n log n) to build.

    Parameters
    ----------
    x : float64 array of shape (n, d)
        Attributes of the objects 0 to n - 1.
    y : float64 array of n
        What they rank by.

    Attributes
    ----------
    arrays : CornerTree
        The arrays, for kernels; an insertion may replace them.
    """

    arrays: CornerTree
    _build: ClassVar = build
    _update: ClassVar = update
    one_sided: ClassVar = 0
    """Attributes without a left side: none, or the last."""
    by_intervals: ClassVar = False
    """Whether the kept and exposed objects of an event are searched by intervals of x2 (`paint.interval_search`)."""

    def _empty(self, x: Floats, capacity: int) -> CornerTree:
        return empty(capacity, x.shape[1], x.shape[1] - self.one_sided)

    def _along(self, axis: int) -> Floats:
        return self.arrays.x[:, axis]

    def _check_node(self, node: int, inside: list[int]) -> None:
        if inside:
            least, most = self.arrays.box[node]
            assert (least == self.arrays.x[inside].min(axis=0)).all()
            assert (most == self.arrays.x[inside].max(axis=0)).all()


class OneSidedIndex(CornerIndex):
    """Objects of which the last attribute has an upper bound only, cut for that; servers hold it in 1.5 dimensions.

    In more, ties met in another order lead to other boxes of Paint-Sparse, as exact as those of `CornerIndex`.
    """

    one_sided: ClassVar = 1


class IntervalIndex(OneSidedIndex):
    """Objects of two attributes, searched by intervals as in Appendix D; its calls are Table VII's."""

    by_intervals: ClassVar = True
