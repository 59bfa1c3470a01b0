"""The kd-tree of objects as a server holds it: construction, growth, and a check of every invariant."""

import numpy as np
from numpy.typing import NDArray

from paint.index import ArrayIndex
from paint.kd import FREE, LEAF, ROOT, Kd, build, empty, update

__all__ = ["KdIndex"]


class KdIndex(ArrayIndex):
    """Objects in a kd-tree; O(n) space."""

    arrays: Kd

    def _load(self, x: NDArray[np.float64], y: NDArray[np.float64], capacity: int) -> None:
        """Build over the live objects, with room for `capacity` ids. O(n log n)."""
        arrays = empty(capacity)
        arrays.x[: len(x)], arrays.y[: len(y)] = x, y
        live = np.flatnonzero(y < np.inf)
        arrays.order[: len(live)] = live
        build(arrays, ROOT, len(live))
        self.arrays = arrays

    def insert(self, i: int, x: float, y: float) -> None:
        """Add an object, new or deleted before. O(log^2 n), amortised."""
        arrays = self.arrays
        if i >= arrays.x.size:
            self._load(arrays.x, arrays.y, max(i + 1, 2 * arrays.x.size))
        self.arrays.x[i] = x
        update(self.arrays, i, y)

    def delete(self, i: int) -> None:
        """Take an object out. O(log^2 n), amortised."""
        update(self.arrays, i, np.inf)

    def _check(self) -> None:
        """Every invariant of the arrays."""
        arrays = self.arrays
        nodes, pending = 0, [(ROOT, -1)]
        seen: list[int] = []
        while pending:
            node, parent = pending.pop()
            nodes += 1
            assert arrays.parent[node] == parent
            inside = self._objects(node)
            assert arrays.size[node] == len(inside)
            low = min(((arrays.y[h], h) for h in inside), default=(0.0, -1))
            assert arrays.lowest[node] == low[1]
            if inside:
                x, y = arrays.x[inside], arrays.y[inside]
                assert list(arrays.box[node]) == [x.min(), x.max(), y.min(), y.max()]
            if arrays.left[node] < 0:
                assert len(inside) <= LEAF
                assert all(arrays.leaf[h] == node for h in inside)
                seen += inside
                continue
            children = [int(arrays.left[node]), int(arrays.right[node])]
            assert 2 * len(inside) > LEAF
            assert 4 * max(arrays.size[children]) <= 3 * len(inside)
            assert all(arrays.axis[child] == 1 - arrays.axis[node] for child in children)
            values = arrays.x if arrays.axis[node] == 0 else arrays.y
            cut = (arrays.cut[node], arrays.cut_object[node])
            assert all((values[h], h) < cut for h in self._objects(children[0]))
            assert all((values[h], h) >= cut for h in self._objects(children[1]))
            pending += [(child, node) for child in children]
        assert sorted(seen) == np.flatnonzero(arrays.y < np.inf).tolist() == np.flatnonzero(arrays.leaf >= 0).tolist()
        assert nodes + arrays.counts[FREE] == arrays.left.size

    def _objects(self, node: int) -> list[int]:
        """Objects of a subtree."""
        arrays = self.arrays
        if arrays.left[node] < 0:
            return [int(h) for h in arrays.members[node, : arrays.size[node]]]
        return self._objects(arrays.left[node]) + self._objects(arrays.right[node])
