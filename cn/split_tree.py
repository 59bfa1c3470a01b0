"""The binary tree of splits that makes the zones: joins split a leaf, departures give it back.

Every inner node is a split that once happened, every leaf is the zone of one broker, so the leaves tile the
area whatever joins and leaves. What a box is and how it is halved is the space's matter. Boxes are kept inside the
finite domain, where halving has a meaning; the tables of the space open the outermost ones to infinity.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from cn.free_ids import FreeIds

__all__ = ["Space", "Split", "SplitTree", "Takeover"]


class Space(Protocol):
    """What is cut up: boxes of sides, of which the tree asks no more than this."""

    @property
    def left(self) -> Sequence[bool]:
        """Of each side, whether it bounds left ends: then a cut belongs to the part of smaller ends."""

    @property
    def whole(self) -> Any:
        """The box of everything."""

    def halves(self, box: Any, dimension: int) -> tuple[float, Any, Any] | None:
        """Cut a box in half: the cut, the half of smaller ends and the other; None when it is too narrow."""


class Takeover(NamedTuple):
    """Who took over when `gone` left: `heir` now holds the zone; `merged` (or -1) holds what `heir` held before."""

    gone: int
    heir: int
    merged: int


class Split(NamedTuple):
    """Who joined: `broker` now holds half of the zone that was all `keeper`'s."""

    broker: int
    keeper: int


class SplitTree:
    """Splits of a space, one leaf per broker.

    Nodes are rows of parallel lists: `box`, `parent` (-1 at the root), `children` (empty tuple at a leaf),
    `dimension` and `cut` of the split, `broker` (-1 at an inner node). Freed rows are used again.
    Cuts are ends of subscriptions: smaller ones are in the first child, and of equal ones left ends.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._left = space.left
        self.box = [space.whole]
        self.parent = [-1]
        self.children: list[tuple[int, int] | tuple[()]] = [()]
        self.dimension = [0]
        self.cut = [0.0]
        self.broker = [0]
        self.leaf = {0: 0}
        self._rows = FreeIds(1)

    def find(self, ends: Sequence[float]) -> int:
        """Leaf that holds a subscription; depth of the tree, O(log n) for n brokers when splits are uniform."""
        node = 0
        while children := self.children[node]:
            end = ends[self.dimension[node]]
            beyond = end > self.cut[node] if self._left[self.dimension[node]] else end >= self.cut[node]
            node = children[beyond]
        return node

    def join(self, broker: int, leaf: int) -> Split | None:
        """Split a leaf in half, dimensions taking turns with depth; the lower half stays, the other is `broker`'s.

        Returns None, with nothing changed, when the zone is too narrow for two in every dimension.
        """
        depth, sides = self._depth(leaf), len(self._left)
        for turn in range(depth, depth + sides):
            dimension = turn % sides
            halves = self._space.halves(self.box[leaf], dimension)
            if halves is not None:
                cut, lower, upper = halves
                keeper = self.broker[leaf]
                pair = (self._row(lower, leaf, keeper), self._row(upper, leaf, broker))
                self.children[leaf] = pair
                self.dimension[leaf], self.cut[leaf], self.broker[leaf] = dimension, cut, -1
                self.leaf[keeper], self.leaf[broker] = pair
                return Split(broker, keeper)
        return None

    def leave(self, broker: int, neighbours: list[int]) -> Takeover:
        """Give a broker's zone to another one, so that every broker left still holds exactly one box.

        The sibling takes it when it is a leaf: the split is undone. Otherwise a neighbour whose own split can
        be undone hands its zone to its sibling and takes the vacant one; when no neighbour can, the deepest
        pair of leaves does it (the reassignment of the content-addressable network).
        """
        vacant = self.leaf.pop(broker)
        sibling = self._sibling(vacant)
        if not self.children[sibling]:
            heir = self.broker[sibling]
            self._undo(self.parent[vacant], heir)
            return Takeover(broker, heir, -1)
        able = [b for b in neighbours if not self.children[self._sibling(self.leaf[b])]]
        heir = max(able or self.leaf, key=lambda b: (self._depth(self.leaf[b]), -b))
        merged = self.broker[self._sibling(self.leaf[heir])]
        self._undo(self.parent[self.leaf[heir]], merged)
        self.broker[vacant] = heir
        self.leaf[heir] = vacant
        return Takeover(broker, heir, merged)

    def hand_over(self, brokers: list[int]) -> None:
        """Give the leaf of each broker b to `brokers[b]`."""
        self.leaf = {brokers[broker]: leaf for broker, leaf in self.leaf.items()}
        for broker, leaf in self.leaf.items():
            self.broker[leaf] = broker

    def codes(self) -> tuple[npt.NDArray[np.int64], int]:
        """Children of every row, (rows, 2) i8, and the root; a leaf is written as -1 - broker."""
        code = [node if pair else -1 - self.broker[node] for node, pair in enumerate(self.children)]
        return np.array([[code[c] for c in pair] if pair else [0, 0] for pair in self.children]), code[0]

    def _row(self, box: Any, parent: int, broker: int) -> int:
        row = self._rows.take()
        if row < len(self.box):
            self.box[row], self.parent[row], self.broker[row] = box, parent, broker
            return row
        self.box.append(box)
        self.parent.append(parent)
        self.broker.append(broker)
        self.children.append(())
        self.dimension.append(0)
        self.cut.append(0.0)
        return row

    def _undo(self, node: int, broker: int) -> None:
        self._rows.give_back(self.children[node])
        self.children[node] = ()
        self.broker[node] = broker
        self.leaf[broker] = node

    def _sibling(self, node: int) -> int:
        pair = self.children[self.parent[node]]
        return pair[pair[0] == node] if pair else node

    def _depth(self, node: int) -> int:
        depth = 0
        while (node := self.parent[node]) >= 0:
            depth += 1
        return depth
