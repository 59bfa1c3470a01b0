"""The subscription index over any number of sides: points that come and go, found by boxes.

`SideIndex` validates and owns the arrays of a kd-tree (`matching.side_tree`). A subscription has one coordinate per
side, -l for a left end and r for a right one; this module does not ask which. Infinite coordinates are stored as the
largest finite floats, so that an open side lies inside messages with open sides.
"""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from matching import side_queries, side_tree
from matching.blocks import BLOCK, LARGEST, Floats
from matching.indexed_points import IndexedPoints
from matching.side_tree import SideTree, new_side_tree

__all__ = ["SideIndex"]


class SideIndex(IndexedPoints):
    """Subscriptions as points of D sides, indexed for `snap`, `count` and `report` over boxes.

    Building takes O(m log m); about 70 bytes per subscription of 4 sides, ids included. Ids count up from 0 in the
    order of insertion and are never used again.

    Parameters
    ----------
    points : array_like of shape (m, D)
        Coordinates of the first subscriptions; equal points are different subscriptions.
    sides : int, optional
        D; it must be given if there are none yet.

    Examples
    --------
    >>> index = SideIndex([[0.0, 2.0, 1.0], [-1.0, 3.0, 1.0], [-4.0, 9.0, 5.0]])
    >>> index.count(([-2.0, 0.0, 0.0], [0.0, 9.0, 9.0]))
    2
    >>> index.insert([[-2.0, 2.0, 2.0]]).tolist()
    [3]
    >>> index.delete(1)
    >>> sorted(index.report(([-2.0, 0.0, 0.0], [0.0, 9.0, 9.0])).tolist())
    [0, 3]
    """

    _kernels: ClassVar = side_tree.KERNELS
    _tree: SideTree

    def __init__(self, points: npt.ArrayLike = (), sides: int | None = None) -> None:
        shape = np.shape(points) if sides is None else (0, sides)
        if len(shape) != 2 or shape[1] < 1:
            raise ValueError(f"points must have the shape (m, sides), got {shape}; give sides if there are none")
        self._sides = int(shape[1])
        super().__init__(self._checked(points))

    def _new_tree(self, subscriptions: int, ids: int) -> SideTree:
        return new_side_tree(self._sides, subscriptions, ids)

    @property
    def sides(self) -> int:
        """D, the number of sides."""
        return self._sides

    @property
    def arrays(self) -> SideTree:
        """The arrays, for the queries of `matching.side_queries`; read them anew after every change."""
        return self._tree

    def _checked(self, points: npt.ArrayLike) -> Floats:
        """Finite coordinates, a row per side, as new memory."""
        try:
            array = np.asarray(points)
        except ValueError:
            raise ValueError(
                f"points must be rows of {self._sides} coordinates, got rows of unequal lengths"
            ) from None
        if array.size == 0:
            return np.empty((self._sides, 0))
        if array.dtype.kind not in "iuf":
            raise TypeError(f"points must be numbers, got an array of {array.dtype}")
        if array.ndim != 2 or array.shape[1] != self._sides:
            raise ValueError(
                f"points must have the shape (m, {self._sides}), a coordinate per side, got {array.shape}"
            )
        if np.isnan(array).any():
            raise ValueError(f"points must not hold NaN, got some in row {int(np.isnan(array).any(axis=1).argmax())}")
        columns = array.T.astype(np.float64, order="C")
        return np.clip(columns, -LARGEST, LARGEST, out=columns)

    def _box(self, box: Any) -> tuple[Floats, Floats]:
        """The least and greatest coordinates of a closed box."""
        sides = np.ascontiguousarray(box, np.float64)
        if sides.shape != (2, self._sides) or np.isnan(sides).any():
            raise ValueError(f"a box must be {self._sides} least and {self._sides} greatest coordinates, got {box!r}")
        return sides[0], sides[1]

    def insert(self, points: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Add subscriptions, one row each, and return their ids; O(log^2 m) amortised each."""
        return self._insert(self._checked(points))

    def points(self, ids: npt.ArrayLike) -> Floats:
        """Coordinates of subscriptions, one row per id."""
        return self._coordinates(self._known(ids))

    def snap(self, box: Any) -> tuple[Floats, Floats] | None:
        """Smallest closed box around the subscriptions inside a closed box, or None (Section II-B)."""
        lo, hi = np.empty(self._sides), np.empty(self._sides)
        return (lo, hi) if side_queries.snap(self._tree, *self._box(box), lo, hi) else None

    def count(self, box: Any) -> int:
        """Number of subscriptions inside a closed box, (D least, D greatest coordinates)."""
        return int(side_queries.count(self._tree, *self._box(box)))

    def counts(self, boxes: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Number of subscriptions inside each of many closed boxes, shape (boxes, 2, D), in one compiled call."""
        array = np.ascontiguousarray(boxes, np.float64)
        if array.ndim != 3 or array.shape[1:] != (2, self._sides) or np.isnan(array).any():
            raise ValueError(f"boxes must have the shape (boxes, 2, {self._sides}) and no NaN, got {array.shape}")
        return side_queries.counts(self._tree, array)

    def report(self, box: Any) -> npt.NDArray[np.int64]:
        """Ids of the subscriptions inside a closed box, in no particular order."""
        return side_queries.report(self._tree, *self._box(box))

    def _coordinates(self, ids: npt.NDArray[np.int64]) -> Floats:
        slots = self._tree.slot[ids]
        rows: Floats = self._tree.ends[slots // BLOCK, :, slots % BLOCK]
        return rows

    def _bounds(self, node: int) -> Floats:
        bounds: Floats = self._tree.box[node]
        return bounds
