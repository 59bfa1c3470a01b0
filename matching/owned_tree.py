"""What subscription indexes and the sketch have in common: a kd-tree of their own, and checks of arguments."""

from typing import Any

import numpy as np
import numpy.typing as npt

from matching.blocks import LARGEST, SIZE, Floats
from matching.kdtree import Tree
from matching.kdtree_queries import snap, whole
from matching.range_index import checked_ends

__all__ = ["OwnedTree", "Rectangle", "SnappingTree", "checked_ranges", "checked_rectangle"]

Rectangle = tuple[float, float, float, float]


def checked_ranges(l: npt.ArrayLike, r: npt.ArrayLike) -> Floats:
    """Left and right ends as the two rows of a new array, infinite ends made finite.

    Raises
    ------
    TypeError
        An end is not a number.
    ValueError
        The arrays differ in length or have more than one dimension, an end is NaN, or some l > r.
    """
    points = np.stack(checked_ends(l, r))
    return np.clip(points, -LARGEST, LARGEST, out=points)


def checked_rectangle(rectangle: Rectangle) -> Rectangle:
    """The four sides of a closed box (l_lo, l_hi, r_lo, r_hi) as floats; it may be empty, but not NaN."""
    try:
        l_lo, l_hi, r_lo, r_hi = map(float, rectangle)
    except (TypeError, ValueError) as error:
        raise TypeError(f"a rectangle must be four numbers (l_lo, l_hi, r_lo, r_hi), got {rectangle!r}") from error
    if np.isnan((l_lo, l_hi, r_lo, r_hi)).any():
        raise ValueError(f"a rectangle must not hold NaN, got {rectangle!r}")
    return l_lo, l_hi, r_lo, r_hi


class OwnedTree:
    """The owner of the arrays of a kd-tree, who replaces them when they must grow."""

    _tree: Any

    def __len__(self) -> int:
        return int(self._tree.link[0, SIZE])

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept."""
        return sum(array.nbytes for array in self._tree)


class SnappingTree(OwnedTree):
    """The owner of a kd-tree over points (l, r)."""

    _tree: Tree

    @property
    def arrays(self) -> Tree:
        """The arrays, for the queries of `matching.kdtree_queries`; read them anew after every change."""
        return self._tree

    def snap(self, rectangle: Rectangle) -> Rectangle | None:
        """Smallest closed box around the subscriptions inside a closed box (l_lo, l_hi, r_lo, r_hi), or None.

        About 1 µs for small rectangles, O(sqrt(m)) at worst. Section II-B of the paper.
        """
        found, *box = snap(whole(self._tree), *checked_rectangle(rectangle))
        return (box[0], box[1], box[2], box[3]) if found else None
