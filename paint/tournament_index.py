"""The tournament of objects as a server holds it: construction, growth, and a check of every invariant."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from paint.index import ArrayIndex
from paint.tournament import FULLEST, NOBODY, Tournament, fill, place, set_leaf

__all__ = ["TournamentIndex"]

Number = TypeVar("Number", bound=np.generic)


class TournamentIndex(ArrayIndex):
    """Objects in a tournament tree; O(n) space."""

    arrays: Tournament

    def _load(self, x: NDArray[np.float64], y: NDArray[np.float64], capacity: int) -> None:  # noqa: ARG002
        """Build over the live objects, without room for more. O(n log n)."""
        self._live = int(np.count_nonzero(np.isfinite(y)))
        self.arrays = self._build(x.astype(np.float64), y.astype(np.float64), np.full(len(x), -1, np.int64), 1.0)

    def _build(
        self, x: NDArray[np.float64], y: NDArray[np.float64], slot: NDArray[np.int64], fullest: float
    ) -> Tournament:
        """Lay out every object with a finite y over slots of which at most that share is taken."""
        ids = np.flatnonzero(np.isfinite(y))
        order = ids[np.argsort(x[ids], kind="stable")].astype(np.int32)
        size = 2
        while size * fullest < len(ids):
            size *= 2
        arrays = Tournament(
            x,
            y,
            slot,
            np.full(2 * size, np.inf),
            np.full(2 * size, NOBODY, np.int32),
            np.full(size, -np.inf),
            np.full(size, -1, np.int32),
            np.empty((size, 3)),
            np.empty((size, 3), np.int64),
        )
        fill(arrays, order, 0, size)
        return arrays

    def insert(self, i: int, x: float, y: float) -> None:
        """Add object i, whose id is not in the index, at finite x and y; O(log^2 n) amortised."""
        arrays = self.arrays
        if i >= len(arrays.x):
            room = max(2 * len(arrays.x), i + 1, 8)
            arrays = self.arrays = arrays._replace(
                x=_extended(arrays.x, room, 0.0),
                y=_extended(arrays.y, room, np.inf),
                slot=_extended(arrays.slot, room, -1),
            )
        arrays.x[i] = x
        arrays.y[i] = y
        self._live += 1
        if not place(arrays, i):
            self.arrays = self._build(arrays.x, arrays.y, arrays.slot, FULLEST)

    def delete(self, i: int) -> None:
        """Take object i out; O(log n) amortised."""
        arrays = self.arrays
        set_leaf(arrays, int(arrays.slot[i]), np.inf, NOBODY)
        arrays.slot[i] = -1
        arrays.y[i] = np.inf
        self._live -= 1
        if 8 * self._live < len(arrays.slot_x) > 16:
            self.arrays = self._build(arrays.x, arrays.y, arrays.slot, FULLEST)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the arrays holds; O(n)."""
        arrays = self.arrays
        size = len(arrays.slot_x)
        assert size & (size - 1) == 0, "the number of slots is a power of two"
        live = np.flatnonzero(np.isfinite(arrays.y))
        assert len(live) == self._live, "every live object is counted"
        assert (arrays.slot[~np.isfinite(arrays.y)] == -1).all(), "an object that is not live has no slot"
        taken = np.flatnonzero(arrays.node_id[size:] != NOBODY)
        assert len(taken) == len(live), "every live object has one slot"
        ids = arrays.node_id[size + taken]
        assert (arrays.slot[ids] == taken).all(), "slot and leaf agree"
        assert (arrays.node_y[size + taken] == arrays.y[ids]).all(), "a leaf holds its object's y"
        assert (arrays.slot_x[taken] == arrays.x[ids]).all(), "a taken slot has its object's x for a key"
        assert (arrays.slot_id[taken] == ids).all(), "a taken slot has its object's id for a key"
        order = np.lexsort((arrays.slot_id, arrays.slot_x))
        keys = np.stack([arrays.slot_x, arrays.slot_id], axis=1)
        assert (keys[order] == keys).all(), "search keys are in (x, id) order"
        for node in range(1, size):
            best = min((arrays.node_y[j], arrays.node_id[j]) for j in (2 * node, 2 * node + 1))
            assert best == (arrays.node_y[node], arrays.node_id[node]), "a node holds the least key of its children"


def _extended(values: NDArray[Number], room: int, filler: float) -> NDArray[Number]:
    larger = np.full(room, filler, values.dtype)
    larger[: len(values)] = values
    return larger
