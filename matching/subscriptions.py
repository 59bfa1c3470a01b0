"""The subscription index: millions of ranges [l, r] that come and go, found by rectangles of the subscription space.

`SubscriptionIndex` validates and owns the arrays of a kd-tree (`matching.kdtree`). Infinite ends are stored as the
largest finite floats, so that an open range lies inside messages with open sides.
"""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from matching import kdtree, kdtree_queries
from matching.blocks import LARGEST, Floats, with_more_blocks, with_more_ids
from matching.indexed_points import IndexedPoints, UnknownSubscriptionError
from matching.kdtree import NOWHERE, Tree
from matching.owned_tree import Rectangle, SnappingTree, checked_ranges, checked_rectangle

__all__ = ["SubscriptionIndex", "UnknownSubscriptionError"]


class SubscriptionIndex(IndexedPoints, SnappingTree):
    """Subscriptions as points (l, r), indexed for `snap`, `count` and `report` over rectangles.

    Building takes O(m log m); about 40 bytes per subscription, ids included. Ids count up from 0 in the order of
    insertion and are never used again.

    Parameters
    ----------
    l, r
        Ends of the first subscriptions, l <= r; equal ranges are different subscriptions. Infinite ends are allowed.

    Examples
    --------
    >>> index = SubscriptionIndex([0.0, 1.0, 4.0], [2.0, 3.0, 9.0])
    >>> index.snap((0.0, 1.0, 2.0, 5.0))
    (0.0, 1.0, 2.0, 3.0)
    >>> index.insert(0.5, 4.0)
    3
    >>> index.delete(1)
    >>> sorted(index.report((0.0, 1.0, 2.0, 5.0)).tolist())
    [0, 3]
    """

    _kernels: ClassVar = kdtree.KERNELS

    def __init__(self, l: npt.ArrayLike = (), r: npt.ArrayLike = ()) -> None:
        super().__init__(checked_ranges(l, r))

    def _new_tree(self, subscriptions: int, ids: int) -> Tree:
        return kdtree.new_tree(subscriptions, ids)

    def insert(self, l: npt.ArrayLike, r: npt.ArrayLike) -> int | npt.NDArray[np.int64]:
        """Add one subscription, or several given as arrays, and return the id or the ids.

        O(log^2 m) amortised each; many at once are cheaper, and as many as there are already rebuild the index.
        """
        if isinstance(l, float) and isinstance(r, float) and l <= r:
            return self._insert_one(min(max(l, -LARGEST), LARGEST), min(max(r, -LARGEST), LARGEST))
        ids = self._insert(checked_ranges(l, r))
        return int(ids[0]) if np.ndim(l) == 0 and np.ndim(r) == 0 else ids

    def _insert_one(self, l: float, r: float) -> int:
        self._tree = with_more_ids(self._tree, 1)
        issued = kdtree.insert_one(self._tree, l, r)
        while issued < 0:
            self._tree = with_more_blocks(self._tree)
            issued = kdtree.insert_one(self._tree, l, r)
        return issued

    def ranges(self, ids: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Ends [l, r] of subscriptions, one row per id."""
        return kdtree_queries.ranges(self._tree, self._known(ids))

    def count(self, rectangle: Rectangle) -> int:
        """Number of subscriptions inside a closed box, O(sqrt(m)) at worst."""
        return int(kdtree_queries.count(self._tree, *checked_rectangle(rectangle)))

    def counts(self, rectangles: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Number of subscriptions inside each of many closed boxes, shape (boxes, 4), in one compiled call."""
        boxes = np.ascontiguousarray(rectangles, np.float64)
        if boxes.ndim != 2 or boxes.shape[1] != 4:
            raise ValueError(f"rectangles must have the shape (boxes, 4), l_lo, l_hi, r_lo, r_hi, got {boxes.shape}")
        if np.isnan(boxes).any():
            raise ValueError(
                f"rectangles must not hold NaN, got some in row {int(np.isnan(boxes).any(axis=1).argmax())}"
            )
        return kdtree_queries.counts(self._tree, boxes)

    def report(self, rectangle: Rectangle) -> npt.NDArray[np.int64]:
        """Ids of the subscriptions inside a closed box, in no particular order."""
        return kdtree_queries.report(self._tree, *checked_rectangle(rectangle))

    def _coordinates(self, ids: npt.NDArray[np.int64]) -> Floats:
        return kdtree_queries.ranges(self._tree, ids)

    def _bounds(self, node: int) -> Floats:
        bounds: Floats = self._tree.box[node].reshape(2, 2).T
        return bounds

    def _check_block(self, block: int, size: int) -> None:
        assert (self._tree.ends[block, :, size:] == NOWHERE).all()
