"""The subscription index: millions of ranges [l, r] that come and go, found by rectangles of the subscription space.

`SubscriptionIndex` validates and owns the arrays of a kd-tree (`matching.kdtree`). Infinite ends are stored as the
largest finite floats, so that an open range lies inside messages with open sides.
"""

import numpy as np
import numpy.typing as npt

from floor.errors import RangecastError
from matching import kdtree, kdtree_changes, kdtree_queries
from matching.kdtree import AXIS, BLOCK, CHILD, FILL, ISSUED, LARGEST, NOWHERE, PARENT, PEAK, SIZE, Floats, new_tree
from matching.known_ids import known_ids, refuse_twice
from matching.owned_tree import OwnedTree, Rectangle, checked_ranges, checked_rectangle

__all__ = ["SubscriptionIndex", "UnknownSubscriptionError"]


class UnknownSubscriptionError(RangecastError, KeyError):
    """A subscription id that was never issued or has been deleted."""

    __str__ = Exception.__str__


class SubscriptionIndex(OwnedTree):
    """Subscriptions as points (l, r), indexed for `snap`, `count` and `report` over rectangles.

    Building takes O(m log m); about 40 bytes per subscription, ids included. Ids count up from 0 in the order of
    insertion and are never used again.

    Parameters
    ----------
    l, r
        Ends of the first subscriptions, l <= r; equal ranges are different subscriptions. Infinite ends are allowed.

    Examples
    --------
    >>> index = SubscriptionIndex([0.0, 1.0, 4.0], [2.0, 3.0, 9.0])
    >>> index.snap((0.0, 1.0, 2.0, 5.0))
    (0.0, 1.0, 2.0, 3.0)
    >>> index.insert(0.5, 4.0)
    3
    >>> index.delete(1)
    >>> sorted(index.report((0.0, 1.0, 2.0, 5.0)).tolist())
    [0, 3]
    """

    def __init__(self, l: npt.ArrayLike = (), r: npt.ArrayLike = ()) -> None:
        left, right = checked_ranges(l, r)
        self._tree = new_tree(0, left.size)
        self._tree.state[ISSUED] = left.size
        self._build(left, right, np.arange(left.size, dtype=np.int32))

    def _build(self, l: Floats, r: Floats, ids: npt.NDArray[np.int32]) -> None:
        """Replace the tree by a new one over points, which are reordered; the ids' slots must be set to -1."""
        tree = new_tree(ids.size, 0)._replace(slot=self._tree.slot)
        tree.state[ISSUED] = self._tree.state[ISSUED]
        tree.state[PEAK] = ids.size
        tree.state[kdtree.PAIRS_USED] = 1
        tree.state[kdtree.BLOCKS_USED] = 0
        kdtree.build(tree, 0, l, r, ids, FILL)
        self._tree = tree

    def insert(self, l: npt.ArrayLike, r: npt.ArrayLike) -> int | npt.NDArray[np.int64]:
        """Add one subscription, or several given as arrays, and return the id or the ids.

        O(log^2 m) amortised each; many at once are cheaper, and as many as there are already rebuild the index.
        """
        if isinstance(l, float) and isinstance(r, float) and l <= r:
            return self._insert_one(min(max(l, -LARGEST), LARGEST), min(max(r, -LARGEST), LARGEST))
        left, right = checked_ranges(l, r)
        first = int(self._tree.state[ISSUED])
        if left.size > len(self):
            self._insert_by_building(left, right)
        else:
            self._tree = kdtree_changes.with_more_ids(self._tree, left.size)
            done = kdtree_changes.insert(self._tree, left, right, 0)
            while done < left.size:
                self._tree = kdtree_changes.with_more_blocks(self._tree)
                done = kdtree_changes.insert(self._tree, left, right, done)
        if np.ndim(l) == 0 and np.ndim(r) == 0:
            return first
        return np.arange(first, first + left.size)

    def _insert_one(self, l: float, r: float) -> int:
        self._tree = kdtree_changes.with_more_ids(self._tree, 1)
        issued = kdtree_changes.insert_one(self._tree, l, r)
        while issued < 0:
            self._tree = kdtree_changes.with_more_blocks(self._tree)
            issued = kdtree_changes.insert_one(self._tree, l, r)
        return issued

    def _insert_by_building(self, left: Floats, right: Floats) -> None:
        first = int(self._tree.state[ISSUED])
        self._tree = kdtree_changes.with_more_ids(self._tree, left.size)
        l, r, ids = kdtree_changes.collect(self._tree, 0, left.size)
        old = len(self)
        l[old:], r[old:], ids[old:] = left, right, np.arange(first, first + left.size)
        self._tree.state[ISSUED] += left.size
        self._build(l, r, ids)

    def _known(self, ids: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Ids as an array, all of them subscriptions of this index."""
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
        if not (isinstance(ids, int) and kdtree_changes.delete_one(self._tree, ids)):
            known = self._known(ids)
            refuse_twice(known)
            kdtree_changes.delete(self._tree, known)
        if 2 * len(self) < self._tree.state[PEAK]:
            self._build(*kdtree_changes.collect(self._tree, 0, 0))

    def ranges(self, ids: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Ends [l, r] of subscriptions, one row per id."""
        return kdtree_queries.ranges(self._tree, self._known(ids))

    def count(self, rectangle: Rectangle) -> int:
        """Number of subscriptions inside a closed box, O(sqrt(m)) at worst."""
        return int(kdtree_queries.count(self._tree, *checked_rectangle(rectangle)))

    def counts(self, rectangles: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Number of subscriptions inside each of many closed boxes, shape (boxes, 4), in one compiled call."""
        boxes = np.ascontiguousarray(rectangles, np.float64)
        if boxes.ndim != 2 or boxes.shape[1] != 4:
            raise ValueError(f"rectangles must have the shape (boxes, 4), l_lo, l_hi, r_lo, r_hi, got {boxes.shape}")
        if np.isnan(boxes).any():
            raise ValueError(
                f"rectangles must not hold NaN, got some in row {int(np.isnan(boxes).any(axis=1).argmax())}"
            )
        return kdtree_queries.counts(self._tree, boxes)

    def report(self, rectangle: Rectangle) -> npt.NDArray[np.int64]:
        """Ids of the subscriptions inside a closed box, in no particular order."""
        return kdtree_queries.report(self._tree, *checked_rectangle(rectangle))

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
                low, high = tree.box[[child, child + 1]].min(axis=0), tree.box[[child, child + 1]].max(axis=0)
                fitted = [low[0], high[1], low[2], high[3]]
                side = 2 * int(tree.link[node, AXIS])
                assert tree.box[child, side + 1] <= tree.split[node] <= tree.box[child + 1, side]
            else:
                block = ~child
                blocks.append(block)
                assert block >= 0 <= tree.link[node, SIZE] <= BLOCK
                assert tree.node_of[block] == node
                here = slice(block * BLOCK, block * BLOCK + int(tree.link[node, SIZE]))
                assert (tree.ends[block, :, tree.link[node, SIZE] :] == NOWHERE).all()
                assert (tree.slot[tree.id[here]] == np.arange(here.start, here.stop)).all()
                ids += tree.id[here].tolist()
                l, r = kdtree_queries.ranges(tree, tree.id[here].astype(np.int64)).T
                fitted = [
                    l.min(initial=np.inf),
                    l.max(initial=-np.inf),
                    r.min(initial=np.inf),
                    r.max(initial=-np.inf),
                ]
            assert tree.box[node].tolist() == fitted
        assert len(ids) == len(set(ids)) == len(self) == (tree.slot >= 0).sum()
        assert len(blocks) == len(set(blocks)) == tree.state[kdtree.BLOCKS_USED] - tree.state[kdtree.FREE_BLOCKS]
        assert pairs + 1 == tree.state[kdtree.PAIRS_USED] - tree.state[kdtree.FREE_PAIRS]
        assert len(self) <= tree.state[PEAK] <= max(2 * len(self), 1)
