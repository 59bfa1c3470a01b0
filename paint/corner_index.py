"""The kd-tree of objects over several attributes as a server holds it: construction, growth and a check."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paint.corner_tree import FREE, LEAF, ROOT, CornerTree, build, empty, update

__all__ = ["CornerIndex", "IntervalIndex"]

Floats = NDArray[np.float64]


class CornerIndex:
    """Objects over d attributes in a kd-tree; O(nd) space, O(n log n) to build.

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
    by_intervals: ClassVar = False
    """Whether the kept and exposed objects of an event are searched by intervals of x2 (`paint.interval_search`)."""

    def __init__(self, x: Floats, y: Floats) -> None:
        self._load(x, y, max(len(x), 1))

    def _load(self, x: Floats, y: Floats, capacity: int) -> None:
        """Build over the live objects, with room for `capacity` ids."""
        arrays = empty(capacity, x.shape[1])
        arrays.x[: len(x)], arrays.y[: len(y)] = x, y
        live = np.flatnonzero(y < np.inf)
        arrays.order[: len(live)] = live
        build(arrays, ROOT, len(live))
        self.arrays = arrays

    def update(self, i: int, y: float) -> None:
        """Give object i a new finite y; O(log n)."""
        update(self.arrays, i, y)

    def insert(self, i: int, x: Floats, y: float) -> None:
        """Add an object, new or deleted before; O(log^2 n) amortised."""
        arrays = self.arrays
        if i >= len(arrays.y):
            self._load(arrays.x, arrays.y, max(i + 1, 2 * len(arrays.y)))
        self.arrays.x[i] = x
        update(self.arrays, i, y)

    def delete(self, i: int) -> None:
        """Take an object out; O(log^2 n) amortised."""
        update(self.arrays, i, np.inf)

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
            if inside:
                assert (arrays.box[node, 0] == arrays.x[inside].min(axis=0)).all()
                assert (arrays.box[node, 1] == arrays.x[inside].max(axis=0)).all()
            if arrays.left[node] < 0:
                assert len(inside) <= LEAF
                assert all(arrays.leaf[h] == node for h in inside)
                seen += inside
                continue
            children = [int(arrays.left[node]), int(arrays.right[node])]
            assert 2 * len(inside) > LEAF
            assert 4 * max(arrays.size[children]) <= 3 * len(inside)
            values, cut = arrays.x[:, arrays.axis[node]], (arrays.cut[node], arrays.cut_object[node])
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


class IntervalIndex(CornerIndex):
    """The same objects, of two attributes, searched by intervals as in Appendix D; its calls are Table VII's."""

    by_intervals: ClassVar = True
