"""The subscription index over any number of sides: points that come and go, found by boxes.

`SideIndex` validates and owns the arrays of a kd-tree (`matching.side_tree`). A subscription has one coordinate per
side, -l for a left end and r for a right one; this module does not ask which. Infinite coordinates are stored as the
largest finite floats, so that an open side lies inside messages with open sides.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from matching import side_queries, side_tree
from matching.kdtree import (
    AXIS,
    BLOCK,
    BLOCKS_USED,
    CHILD,
    FILL,
    FREE_BLOCKS,
    FREE_PAIRS,
    ISSUED,
    LARGEST,
    PAIRS_USED,
    PARENT,
    PEAK,
    SIZE,
    Floats,
)
from matching.kdtree_changes import with_more_blocks, with_more_ids
from matching.known_ids import known_ids, refuse_twice
from matching.side_tree import SideTree, new_side_tree
from matching.subscriptions import UnknownSubscriptionError

__all__ = ["SideIndex"]


class SideIndex:
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

    def __init__(self, points: npt.ArrayLike = (), sides: int | None = None) -> None:
        shape = np.shape(points) if sides is None else (0, sides)
        if len(shape) != 2 or shape[1] < 1:
            raise ValueError(f"points must have the shape (m, sides), got {shape}; give sides if there are none")
        self._sides = int(shape[1])
        rows = self._checked(points)
        self._tree = new_side_tree(self._sides, 0, len(rows))
        self._tree.state[ISSUED] = len(rows)
        self._build(rows, np.arange(len(rows), dtype=np.int32))

    def __len__(self) -> int:
        return int(self._tree.link[0, SIZE])

    @property
    def sides(self) -> int:
        """D, the number of sides."""
        return self._sides

    @property
    def arrays(self) -> SideTree:
        """The arrays, for the queries of `matching.side_queries`; read them anew after every change."""
        return self._tree

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept."""
        return sum(array.nbytes for array in self._tree)

    def _checked(self, points: npt.ArrayLike) -> Floats:
        """Rows of finite coordinates, as new memory."""
        try:
            array = np.asarray(points)
        except ValueError:
            raise ValueError(
                f"points must be rows of {self._sides} coordinates, got rows of unequal lengths"
            ) from None
        if array.size == 0:
            return np.empty((0, self._sides))
        if array.dtype.kind not in "iuf":
            raise TypeError(f"points must be numbers, got an array of {array.dtype}")
        if array.ndim != 2 or array.shape[1] != self._sides:
            raise ValueError(
                f"points must have the shape (m, {self._sides}), a coordinate per side, got {array.shape}"
            )
        if np.isnan(array).any():
            raise ValueError(f"points must not hold NaN, got some in row {int(np.isnan(array).any(axis=1).argmax())}")
        rows: Floats = np.clip(array.astype(np.float64), -LARGEST, LARGEST)
        return np.ascontiguousarray(rows)

    def _box(self, box: Any) -> tuple[Floats, Floats]:
        """The least and greatest coordinates of a closed box."""
        sides = np.ascontiguousarray(box, np.float64)
        if sides.shape != (2, self._sides) or np.isnan(sides).any():
            raise ValueError(f"a box must be {self._sides} least and {self._sides} greatest coordinates, got {box!r}")
        return sides[0], sides[1]

    def _build(self, points: Floats, ids: npt.NDArray[np.int32]) -> None:
        """Replace the tree by a new one over points, which are reordered; the ids' slots must be set to -1."""
        tree = new_side_tree(self._sides, len(ids), 0)._replace(slot=self._tree.slot)
        tree.state[ISSUED] = self._tree.state[ISSUED]
        tree.state[PEAK] = len(ids)
        tree.state[BLOCKS_USED] = 0
        side_tree.build(tree, 0, points, ids, FILL)
        self._tree = tree

    def insert(self, points: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Add subscriptions, one row each, and return their ids; O(log^2 m) amortised each."""
        rows = self._checked(points)
        first = int(self._tree.state[ISSUED])
        self._tree = with_more_ids(self._tree, len(rows))
        if len(rows) > len(self):
            old = len(self)
            every, ids = side_tree.collect(self._tree, 0, len(rows))
            every[old:], ids[old:] = rows, np.arange(first, first + len(rows))
            self._tree.state[ISSUED] += len(rows)
            self._build(every, ids)
        else:
            done = side_tree.insert(self._tree, rows, 0)
            while done < len(rows):
                self._tree = with_more_blocks(self._tree)
                done = side_tree.insert(self._tree, rows, done)
        return np.arange(first, first + len(rows))

    def _known(self, ids: npt.ArrayLike) -> npt.NDArray[np.int64]:
        tree = self._tree
        return known_ids(ids, int(tree.state[ISSUED]), lambda some: tree.slot[some] >= 0, UnknownSubscriptionError)

    def delete(self, ids: npt.ArrayLike) -> None:
        """Remove one subscription or several by id, O(log m) amortised each.

        Raises
        ------
        UnknownSubscriptionError
            An id was never issued or is deleted already; nothing is removed.
        ValueError
            An id is given twice; nothing is removed.
        """
        known = self._known(ids)
        refuse_twice(known)
        for subscription in known.tolist():
            side_tree.delete_one(self._tree, subscription)
        if 2 * len(self) < self._tree.state[PEAK]:
            self._build(*side_tree.collect(self._tree, 0, 0))

    def points(self, ids: npt.ArrayLike) -> Floats:
        """Coordinates of subscriptions, one row per id."""
        slots = self._tree.slot[self._known(ids)]
        rows: Floats = self._tree.ends[slots // BLOCK, :, slots % BLOCK]
        return rows

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

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the index holds: O(m) in interpreted Python."""
        tree = self._tree
        pending = [0]
        pairs, blocks, ids = 0, [], []
        while pending:
            node = pending.pop()
            child = int(tree.link[node, CHILD])
            if child > 0:
                pairs += 1
                pending += [child, child + 1]
                assert tree.link[child, PARENT] == tree.link[child + 1, PARENT] == node
                assert tree.link[node, SIZE] == tree.link[child, SIZE] + tree.link[child + 1, SIZE]
                least, most = tree.box[child : child + 2, 0].min(axis=0), tree.box[child : child + 2, 1].max(axis=0)
                axis = int(tree.link[node, AXIS])
                if min(tree.link[child : child + 2, SIZE]) > 0:
                    assert tree.box[child, 1, axis] <= tree.split[node] <= tree.box[child + 1, 0, axis]
            else:
                block, size = ~child, int(tree.link[node, SIZE])
                blocks.append(block)
                assert block >= 0 <= size <= BLOCK
                assert tree.node_of[block] == node
                here = tree.id[block * BLOCK : block * BLOCK + size]
                assert (tree.slot[here] == block * BLOCK + np.arange(size)).all()
                ids += here.tolist()
                inside = tree.ends[block, :, :size]
                least, most = inside.min(axis=1, initial=np.inf), inside.max(axis=1, initial=-np.inf)
            assert (tree.box[node] == np.stack((least, most))).all()
        assert len(ids) == len(set(ids)) == len(self) == (tree.slot >= 0).sum()
        assert len(blocks) == len(set(blocks)) == tree.state[BLOCKS_USED] - tree.state[FREE_BLOCKS]
        assert pairs + 1 == tree.state[PAIRS_USED] - tree.state[FREE_PAIRS]
        assert len(self) <= tree.state[PEAK] <= max(2 * len(self), 1)
