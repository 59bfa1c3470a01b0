"""The range tree of objects as a server holds it: construction, growth, and a check of every invariant."""

import numpy as np
from numpy.typing import NDArray

from paint.index import ArrayIndex
from paint.range_tree import BUCKET, RangeTree, empty, place, spread, update

__all__ = ["RangeTreeIndex"]


class RangeTreeIndex(ArrayIndex):
    """Objects in a range tree; O(n log n) space."""

    arrays: RangeTree

    def _load(self, x: NDArray[np.float64], y: NDArray[np.float64], capacity: int) -> None:
        self._build(x, y, capacity, np.arange(len(x)))

    def _build(
        self, x: NDArray[np.float64], y: NDArray[np.float64], capacity: int, placed: NDArray[np.int64]
    ) -> None:
        """Build over the objects that have a place, half of the slots gaps. O(n log n)."""
        slots = BUCKET
        while slots < 2 * max(len(placed), capacity // 2):
            slots *= 2
        arrays = empty(capacity, slots)
        arrays.x[: len(x)], arrays.y[: len(y)] = x, y
        order = placed[np.lexsort((placed, x[placed]))]
        arrays.gather[: len(order)] = order
        if len(order):
            live = np.sort(placed[arrays.y[placed] < np.inf])
            live = live[np.argsort(arrays.y[live], kind="stable")]
            spread(arrays, 1, 0, 0, slots, len(order), live)
        self.arrays = arrays

    def insert(self, i: int, x: float, y: float) -> None:
        """Add an object, new or deleted before. O(log^3 n), amortised."""
        arrays = self.arrays
        if i >= arrays.x.size:
            self._build(arrays.x, arrays.y, max(i + 1, 2 * arrays.x.size), np.flatnonzero(arrays.slot >= 0))
        self.arrays.x[i] = x
        if not place(self.arrays, i):
            arrays = self.arrays
            self._build(arrays.x, arrays.y, arrays.x.size, np.append(np.flatnonzero(arrays.slot >= 0), i))
        update(self.arrays, i, y)

    def delete(self, i: int) -> None:
        """Take an object out; its slot becomes a gap. O(log^2 n), expected."""
        arrays = self.arrays
        update(arrays, i, np.inf)
        arrays.occupant[arrays.slot[i]] = -1
        arrays.slot[i] = -1

    def _check(self) -> None:
        """Every invariant of the arrays."""
        arrays = self.arrays
        slots, buckets, depths = arrays.key.size, arrays.root.size, arrays.lower.shape[0]
        assert slots == buckets * BUCKET
        assert buckets == 2**depths
        keys = list(zip(arrays.key.tolist(), arrays.key_object.tolist(), strict=True))
        assert keys == sorted(keys)
        full = np.flatnonzero(arrays.occupant >= 0)
        objects = arrays.occupant[full]
        assert np.array_equal(arrays.slot[objects], full)
        assert np.count_nonzero(arrays.slot >= 0) == full.size
        assert np.array_equal(arrays.key_object[full], objects)
        assert np.array_equal(arrays.key[full], arrays.x[objects])
        assert np.array_equal(arrays.height[full], arrays.y[objects])
        assert np.all(arrays.height[arrays.occupant < 0] == np.inf)
        assert np.all(arrays.y[arrays.slot < 0] == np.inf)
        for node in range(1, 2 * buckets):
            climb = depths + 1 - node.bit_length()
            first = ((node << climb) - buckets) * BUCKET
            inside = arrays.occupant[first : first + (BUCKET << climb)]
            live = sorted((arrays.y[h], int(h)) for h in inside if h >= 0 and arrays.y[h] < np.inf)
            assert arrays.lowest[node] == (live[0][1] if live else -1)
            if node < buckets:
                assert [h for _, h in live] == self._in_order(arrays.root[node], depths - climb)

    def _in_order(self, at: int, depth: int) -> list[int]:
        """Objects of a treap in order, parents checked against children by priority."""
        if at < 0:
            return []
        arrays = self.arrays
        for child in (arrays.lower[depth, at], arrays.upper[depth, at]):
            assert child < 0 or arrays.priority[child] < arrays.priority[at]
        return [
            *self._in_order(arrays.lower[depth, at], depth),
            int(at),
            *self._in_order(arrays.upper[depth, at], depth),
        ]
