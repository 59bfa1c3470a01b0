"""What the classes around the kd-trees of objects share: construction, growth, and a check of every invariant."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paint.scapegoat import FREE, LEAF, ROOT

__all__ = ["BalancedIndex"]

Floats = NDArray[np.float64]


class BalancedIndex(ABC):
    """The owner of the arrays of a tree of `paint.scapegoat`; O(n log n) to build."""

    arrays: Any
    """The arrays, for kernels; an insertion may replace them."""
    _build: ClassVar[Callable[..., None]]
    _update: ClassVar[Callable[..., None]]

    def __init__(self, x: Floats, y: Floats) -> None:
        self._load(x, y, max(len(x), 1))

    @abstractmethod
    def _empty(self, x: Floats, capacity: int) -> Any:
        """Arrays for objects like those at x, with room for `capacity` ids, none of them live."""

    @abstractmethod
    def _along(self, axis: int) -> Floats:
        """Coordinates of all objects on an axis."""

    @abstractmethod
    def _check_node(self, node: int, inside: list[int]) -> None:
        """Check what a node with these objects keeps that other trees do not."""

    def _load(self, x: Floats, y: Floats, capacity: int) -> None:
        """Build over the live objects, with room for `capacity` ids."""
        arrays = self._empty(x, capacity)
        arrays.x[: len(x)], arrays.y[: len(y)] = x, y
        live = np.flatnonzero(y < np.inf)
        arrays.order[: len(live)] = live
        type(self)._build(arrays, ROOT, len(live))
        self.arrays = arrays

    def update(self, i: int, y: float) -> None:
        """Give object i a new finite y."""
        type(self)._update(self.arrays, i, y)

    def insert(self, i: int, x: Any, y: float) -> None:
        """Add an object, new or deleted before; O(log^2 n), amortised."""
        arrays = self.arrays
        if i >= len(arrays.y):
            self._load(arrays.x, arrays.y, max(i + 1, 2 * len(arrays.y)))
        self.arrays.x[i] = x
        self.update(i, y)

    def delete(self, i: int) -> None:
        """Take an object out; O(log^2 n), amortised."""
        self.update(i, np.inf)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the arrays holds."""
        arrays = self.arrays
        nodes, pending = 0, [(ROOT, -1)]
        seen: list[int] = []
        while pending:
            node, parent = pending.pop()
            nodes += 1
            assert arrays.parent[node] == parent
            inside = self._objects(node)
            assert arrays.size[node] == len(inside)
            assert arrays.lowest[node] == min(((arrays.y[h], h) for h in inside), default=(0.0, -1))[1]
            self._check_node(node, inside)
            if arrays.left[node] < 0:
                assert len(inside) <= LEAF
                assert all(arrays.leaf[h] == node for h in inside)
                seen += inside
                continue
            children = [int(arrays.left[node]), int(arrays.right[node])]
            assert 2 * len(inside) > LEAF
            assert 4 * max(arrays.size[children]) <= 3 * len(inside)
            values, cut = self._along(int(arrays.axis[node])), (arrays.cut[node], arrays.cut_object[node])
            assert all((values[h], h) < cut for h in self._objects(children[0]))
            assert all((values[h], h) >= cut for h in self._objects(children[1]))
            pending += [(child, node) for child in children]
        assert sorted(seen) == np.flatnonzero(arrays.y < np.inf).tolist() == np.flatnonzero(arrays.leaf >= 0).tolist()
        assert nodes + arrays.counts[FREE] == len(arrays.left)

    def _objects(self, node: int) -> list[int]:
        """Objects of a subtree."""
        arrays = self.arrays
        if arrays.left[node] < 0:
            return [int(h) for h in arrays.members[node, : arrays.size[node]]]
        return self._objects(int(arrays.left[node])) + self._objects(int(arrays.right[node]))
