"""The halfspaces or disks that a server knows, as points of an index over the sides of S."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matching.side_index import SideIndex
from paint.known_boxes import KnownBoxes
from paint.shapes import DISKS, LARGEST, check_size, lift, names_of, sides_of_shape

__all__ = ["KnownShapes"]


class KnownShapes(KnownBoxes):
    """Halfspaces or disks under ids, for algorithms that know them.

    Parameters
    ----------
    subscriptions : array_like of shape (m, D), or SideIndex
        Subscriptions 0 to m - 1 as they are written: (a_1, ..., a_d), or (a, b, radius). An index, of points of S, is
        used as it is, not copied.
    shape : {"halfspaces", "disks"}
        What they are.
    dimensions : int
        Number of attributes.
    """

    def __init__(self, subscriptions: ArrayLike | SideIndex, shape: str, dimensions: int) -> None:
        self._shape, self._dimensions = shape, dimensions
        super().__init__(subscriptions, sides_of_shape(shape, dimensions))
        if len(self):
            self._check_points(self._index.arrays.box[0])

    def _check_points(self, points: NDArray[np.float64]) -> None:
        """Refuse points of S that are too far out; that of a disk is among squares."""
        last = 3 * LARGEST * LARGEST if self._shape == DISKS else LARGEST
        check_size("points of subscriptions", points[:, :-1])
        check_size("points of subscriptions", points[:, -1:], last)

    def _points(self, ends: Any) -> NDArray[np.float64]:
        """Turn rows, as they are written, into points of S."""
        return lift(self._shape, ends, self._dimensions)

    def subscribe(self, left: Any, right: Any) -> int:
        """Add a subscription, and give its id, which is never used again.

        `left` is a row as it is written, and `right` None; or `right` is a point of S, which has no left ends.
        """
        if right is None:
            return int(self._index.insert(self._points(self._row("a subscription", left)))[0])
        point = self._row("r", right)
        self._check_points(point)
        return int(self._index.insert(point)[0])

    def _row(self, name: str, given: Any) -> NDArray[np.float64]:
        """Give one row of numbers, in an array of one row."""
        names = names_of(self._shape, self._dimensions)
        try:
            row = np.array(given, np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must be {len(names)} numbers ({', '.join(names)}), got {given!r}") from None
        if row.shape != (len(names),):
            raise ValueError(f"{name} must be {len(names)} numbers ({', '.join(names)}), got {given!r}")
        return row[None]
