"""The kd-tree of objects as a server holds it."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paint.balanced_index import BalancedIndex
from paint.index import ArrayIndex
from paint.kd import ROOT, Kd, build, empty, update

__all__ = ["KdIndex"]


class KdIndex(BalancedIndex, ArrayIndex):
    """Objects in a kd-tree; O(n) space."""

    arrays: Kd
    _build: ClassVar = build
    _update: ClassVar = update

    def _empty(self, x: NDArray[np.float64], capacity: int) -> Kd:
        del x
        return empty(capacity)

    def _along(self, axis: int) -> NDArray[np.float64]:
        return self.arrays.x if axis == 0 else self.arrays.y

    def _check_node(self, node: int, inside: list[int]) -> None:
        arrays = self.arrays
        if inside:
            x, y = arrays.x[inside], arrays.y[inside]
            assert list(arrays.box[node]) == [x.min(), x.max(), y.min(), y.max()]
        if node != ROOT and arrays.left[node] >= 0:
            assert arrays.axis[node] == 1 - arrays.axis[arrays.parent[node]]
