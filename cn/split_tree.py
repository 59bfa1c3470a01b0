"""The binary tree of splits that makes the zones: joins split a leaf, departures give it back.

Every inner node is a split that once happened, every leaf is the zone of one broker, so the leaves tile the
area whatever joins and leaves. Boxes are kept inside the finite domain, where halving has a meaning; `Zones`
opens the outermost ones to infinity.
"""

from math import inf, nextafter
from typing import NamedTuple

from cn.free_ids import FreeIds

__all__ = ["Box", "Split", "SplitTree", "Takeover"]


class Box(NamedTuple):
    """A zone `l_lo < l <= l_hi`, `r_lo <= r < r_hi` of the subscription space: open and closed as messages are."""

    l_lo: float
    l_hi: float
    r_lo: float
    r_hi: float


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
    """Splits of the domain's triangle or square, one leaf per broker.

    Nodes are rows of parallel lists: `box`, `parent` (-1 at the root), `children` (empty tuple at a leaf),
    `dimension` and `cut` of the split, `broker` (-1 at an inner node). Freed rows are used again.
    """

    def __init__(self, domain: tuple[float, float], *, triangle: bool) -> None:
        lo, hi = domain
        self.triangle = triangle
        self.box = [Box(lo, hi, lo, hi)]
        self.parent = [-1]
        self.children: list[tuple[int, int] | tuple[()]] = [()]
        self.dimension = [0]
        self.cut = [0.0]
        self.broker = [0]
        self.leaf = {0: 0}
        self._rows = FreeIds(1)

    def find(self, l: float, r: float) -> int:
        """Leaf that holds a point; depth of the tree, O(log n) for n brokers when splits are uniform."""
        node = 0
        while children := self.children[node]:
            beyond = l > self.cut[node] if self.dimension[node] == 0 else r >= self.cut[node]
            node = children[beyond]
        return node

    def join(self, broker: int, leaf: int) -> Split | None:
        """Split a leaf in half, dimensions alternating with depth; the lower half stays, the other is `broker`'s.

        Returns None, with nothing changed, when the zone is too narrow for two in either dimension.
        """
        first = self._depth(leaf) % 2
        for dimension in (first, 1 - first):
            halves = self._halves(self.box[leaf], dimension)
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

    def _halves(self, box: Box, dimension: int) -> tuple[float, Box, Box] | None:
        l_lo, l_hi, r_lo, r_hi = box
        if dimension == 0:
            cut = l_lo / 2 + l_hi / 2
            lower, upper = Box(l_lo, cut, r_lo, r_hi), Box(cut, l_hi, r_lo, r_hi)
        else:
            cut = r_lo / 2 + r_hi / 2
            lower, upper = Box(l_lo, l_hi, r_lo, cut), Box(l_lo, l_hi, cut, r_hi)
        if self.triangle:
            lower, upper = _trim(lower), _trim(upper)
        return (cut, lower, upper) if self._holds_points(lower) and self._holds_points(upper) else None

    def _holds_points(self, box: Box) -> bool:
        """Whether floats fall into the box and, for the triangle, one pair of them on or above the diagonal."""
        above = not self.triangle or nextafter(box.l_lo, inf) < box.r_hi
        return box.l_lo < box.l_hi and box.r_lo < box.r_hi and above

    def _row(self, box: Box, parent: int, broker: int) -> int:
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


def _trim(box: Box) -> Box:
    """Bounding box of the part with l <= r."""
    return Box(box.l_lo, min(box.l_hi, box.r_hi), max(box.r_lo, box.l_lo), box.r_hi)
