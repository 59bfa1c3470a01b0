"""What the subscription indexes share: points that come and go under ids, in a kd-tree of their own."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from floor.errors import RangecastError
from matching.balanced_tree import TreeKernels
from matching.blocks import (
    AXIS,
    BLOCK,
    BLOCKS_USED,
    CHILD,
    FILL,
    FREE_BLOCKS,
    FREE_PAIRS,
    ISSUED,
    PAIRS_USED,
    PARENT,
    PEAK,
    SIZE,
    Floats,
    Ids,
    with_more_blocks,
    with_more_ids,
)
from matching.known_ids import known_ids
from matching.owned_tree import OwnedTree

__all__ = ["IndexedPoints", "UnknownSubscriptionError"]

Ints = npt.NDArray[np.int64]


class UnknownSubscriptionError(RangecastError, KeyError):
    """A subscription id that was never issued or has been deleted."""

    __str__ = Exception.__str__


class IndexedPoints(OwnedTree, ABC):
    """The owner of a tree of `matching.balanced_tree` over points, arrays of shape (D, m), a row per side.

    Ids count up from 0 in the order of insertion and are never used again.
    """

    _kernels: ClassVar[TreeKernels]

    def __init__(self, points: Floats) -> None:
        self._tree = self._new_tree(0, points.shape[1])
        self._tree.state[ISSUED] = points.shape[1]
        self._build(points, np.arange(points.shape[1], dtype=np.int32))

    @abstractmethod
    def _new_tree(self, subscriptions: int, ids: int) -> Any:
        """Arrays with room for a number of subscriptions and ids, holding nothing."""

    @abstractmethod
    def _coordinates(self, ids: Ints) -> Floats:
        """Coordinates of subscriptions that are there, one row per id."""

    @abstractmethod
    def _bounds(self, node: int) -> Floats:
        """Least and greatest coordinates of a node's box, shape (2, D)."""

    def _build(self, points: Floats, ids: Ids) -> None:
        """Replace the tree by a new one over points, which are reordered; the ids' slots must be set to -1."""
        tree = self._new_tree(ids.size, 0)._replace(slot=self._tree.slot)
        tree.state[ISSUED] = self._tree.state[ISSUED]
        tree.state[PEAK] = ids.size
        tree.state[BLOCKS_USED] = 0
        self._kernels.build(tree, 0, points, ids, FILL)
        self._tree = tree

    def _insert(self, points: Floats) -> Ints:
        """Add subscriptions and return their ids; more than there are rebuild the index."""
        first, count, old = int(self._tree.state[ISSUED]), points.shape[1], len(self)
        self._tree = with_more_ids(self._tree, count)
        if count > old:
            every, ids = self._kernels.collect(self._tree, 0, count)
            every[:, old:], ids[old:] = points, np.arange(first, first + count)
            self._tree.state[ISSUED] += count
            self._build(every, ids)
        else:
            done = self._kernels.insert(self._tree, points, 0)
            while done < count:
                self._tree = with_more_blocks(self._tree)
                done = self._kernels.insert(self._tree, points, done)
        return np.arange(first, first + count)

    def _known(self, ids: npt.ArrayLike, *, distinct: bool = False) -> Ints:
        """Ids as an array, all of them subscriptions of this index."""
        issued, slot = int(self._tree.state[ISSUED]), self._tree.slot
        return known_ids(ids, issued, lambda some: slot[some] >= 0, UnknownSubscriptionError, distinct=distinct)

    def delete(self, ids: npt.ArrayLike) -> None:
        """Remove one subscription or several by id, O(log m) amortised each.

        Raises
        ------
        UnknownSubscriptionError
            An id was never issued or is deleted already; nothing is removed.
        ValueError
            An id is given twice; nothing is removed.
        """
        if not (type(ids) is int and self._kernels.delete_one(self._tree, ids)):
            self._kernels.delete(self._tree, self._known(ids, distinct=True))
        if 2 * len(self) < self._tree.state[PEAK]:
            self._build(*self._kernels.collect(self._tree, 0, 0))

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
                first, second, axis = self._bounds(child), self._bounds(child + 1), int(tree.link[node, AXIS])
                assert first[1, axis] <= tree.split[node] <= second[0, axis]
                least, most = np.minimum(first[0], second[0]), np.maximum(first[1], second[1])
            else:
                block, size = ~child, int(tree.link[node, SIZE])
                blocks.append(block)
                assert block >= 0 <= size <= BLOCK
                assert tree.node_of[block] == node
                here = tree.id[block * BLOCK : block * BLOCK + size]
                assert (tree.slot[here] == block * BLOCK + np.arange(size)).all()
                self._check_block(block, size)
                ids += here.tolist()
                inside = self._coordinates(here.astype(np.int64))
                least, most = inside.min(axis=0, initial=np.inf), inside.max(axis=0, initial=-np.inf)
            assert (self._bounds(node) == np.stack((least, most))).all()
        assert len(ids) == len(set(ids)) == len(self) == (tree.slot >= 0).sum()
        assert len(blocks) == len(set(blocks)) == tree.state[BLOCKS_USED] - tree.state[FREE_BLOCKS]
        assert pairs + 1 == tree.state[PAIRS_USED] - tree.state[FREE_PAIRS]
        assert len(self) <= tree.state[PEAK] <= max(2 * len(self), 1)

    def _check_block(self, block: int, size: int) -> None:
        """Check what a block with so many subscriptions keeps beyond them."""
