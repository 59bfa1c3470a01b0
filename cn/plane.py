"""The subscription space S of one attribute, l by r, cut into zones: boxes, tables, and the kernels that make them.

A zone holds the points `l_lo < l <= l_hi`, `r_lo <= r < r_hi`. What more attributes take is in `cn.side_space`, which
offers the same.
"""

from math import inf, nextafter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cn.neighbour_walk import neighbours_of
from cn.split_tree import SplitTree
from floor.errors import RangecastError
from floor.kernels import njit

__all__ = ["ABOVE", "BELOW", "LEFT", "RIGHT", "Box", "Plane", "Splits", "ZoneTable", "ZonesError", "line_points"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEFT, RIGHT, BELOW, ABOVE = 0, 1, 2, 3


class ZonesError(RangecastError):
    """The area cannot be cut into, or kept in, as many zones as asked."""


class Box(NamedTuple):
    """A zone `l_lo < l <= l_hi`, `r_lo <= r < r_hi` of the subscription space: open and closed as messages are."""

    l_lo: float
    l_hi: float
    r_lo: float
    r_hi: float


class ZoneTable(NamedTuple):
    """What the kernels read; broker b knows row b and its own neighbours, nothing else.

    `extents` (n, 4) f8: l_lo, l_hi, r_lo, r_hi of each zone (an absent broker's meet nothing).
    `sides` (n, 5) i8: neighbours of b are `sides[b, 0]:sides[b, 4]`, ordered left, right, below, above.
    `neighbours` (e,) i8: their brokers.
    `beyond` (e, 4) f8: their extents, inline so that a decision reads one run of memory.
    """

    extents: Floats
    sides: Ints
    neighbours: Ints
    beyond: Floats


class Splits(NamedTuple):
    """The split tree as arrays with a row per split; a child that is a leaf is written as -1 - broker.

    `dimension` (s,) i8 and `cut` (s,) f8: l <= cut, or r < cut in dimension 1, goes to the first child.
    `children` (s, 2) i8: rows or leaves. `boxes` (s, 4) f8: the extents of all zones below, as those of a zone.
    `root`: the first row, or the only leaf. Rows that no split uses lie between the others.
    Over several attributes a cut is a coordinate of its side, and boxes have the shape (2, D) (see `cn.side_space`).
    """

    dimension: Ints
    cut: Floats
    children: Ints
    boxes: Floats
    root: int


def line_points(l: Floats, r: Floats) -> tuple[Floats, Floats]:
    """Check the ends of subscriptions, (m,) each."""
    if l.shape != r.shape or l.ndim != 1:
        raise ValueError(f"l and r must be one-dimensional and equally long, got shapes {l.shape} and {r.shape}")
    wrong = ~(l <= r)
    if wrong.any():
        at = int(wrong.argmax())
        raise ValueError(f"a subscription needs l <= r, got [{l[at]}, {r[at]}] at row {at}")
    return l, r


class Plane:
    """The space of one attribute, between the ends of a domain.

    Parameters
    ----------
    domain
        Lowest and highest end that subscriptions usually have.
    triangle
        Only l <= r is cut up.
    """

    left = (True, False)

    def __init__(self, domain: tuple[float, float], *, triangle: bool) -> None:
        self.domain = domain
        self.triangle = triangle
        lo, hi = domain
        self.whole = Box(lo, hi, lo, hi)

    @property
    def centre(self) -> tuple[float, ...]:
        """Ends at the middle of the area: the triangle's centroid, the square's middle."""
        lo, hi = self.domain
        return tuple(lo * (1 - s) + hi * s for s in ((1 / 3, 2 / 3) if self.triangle else (0.5, 0.5)))

    def halves(self, box: Box, dimension: int) -> tuple[float, Box, Box] | None:
        """Cut a box in half along l (0) or r (1): the cut and both halves, or None when it is too narrow."""
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

    def points(self, l: npt.ArrayLike, r: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Check the ends of subscriptions, (m,) each."""
        return line_points(np.asarray(l, np.float64), np.asarray(r, np.float64))

    def member(self, points: tuple[Floats, Floats], rng: np.random.Generator) -> tuple[float, ...]:
        """Ends of one subscription of many, drawn at random."""
        at = rng.integers(len(points[0]))
        return float(points[0][at]), float(points[1][at])

    def draw(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Ends drawn from the area."""
        l, r = rng.uniform(*self.domain, 2).tolist()
        return (min(l, r), max(l, r)) if self.triangle else (l, r)

    def home(self, splits: Splits, points: tuple[Floats, Floats]) -> Ints:
        """Broker whose zone holds each point, (m,) i8."""
        return home(splits, *points)

    def tables(self, tree: SplitTree, brokers: int) -> tuple[Splits, ZoneTable]:
        """Make the arrays that the kernels read; zones at the rim of the domain reach to infinity."""
        lo, hi = self.domain
        boxes = np.array(tree.box)
        boxes[boxes == lo] = -np.inf
        boxes[boxes == hi] = np.inf
        extents = np.tile([np.inf, -np.inf, np.inf, -np.inf], (brokers, 1))
        for broker, leaf in tree.leaf.items():
            extents[broker] = boxes[leaf]
        children, root = tree.codes()
        splits = Splits(np.array(tree.dimension), np.array(tree.cut), children, boxes, root)
        return splits, ZoneTable(extents, *_neighbours(splits, extents, 4, ()))

    def check_tiling(self, splits: Splits, extents: Floats) -> None:  # noqa: ARG002
        """Raise ZonesError unless every point of the area has one zone; O(n^3)."""
        cuts = [np.unique(extents[np.isfinite(extents)]), np.array(self.domain)]
        grid = np.unique(np.concatenate([*cuts, *(np.nextafter(c, w) for c in cuts for w in (-np.inf, np.inf))]))
        l, r = (side.ravel() for side in np.meshgrid(grid, grid))
        if self.triangle:
            l, r = l[l <= r], r[l <= r]
        holders = np.zeros(len(l), np.int64)
        for l_lo, l_hi, r_lo, r_hi in extents[extents[:, 0] < extents[:, 1]]:
            holders += (l_lo < l) & (l <= l_hi) & (r_lo <= r) & (r < r_hi)
        if (holders != 1).any():
            at = int((holders != 1).argmax())
            raise ZonesError(f"{holders[at]} zones hold the point ({l[at]}, {r[at]}) instead of 1")


def _trim(box: Box) -> Box:
    """Bounding box of the part with l <= r."""
    return Box(box.l_lo, min(box.l_hi, box.r_hi), max(box.r_lo, box.l_lo), box.r_hi)


@njit
def home(splits: Splits, l: Floats, r: Floats) -> Ints:
    """Descend the split tree with every point; l <= cut and r < cut go to the first child."""
    brokers = np.empty(len(l), np.int64)
    for i in range(len(l)):
        node = splits.root
        while node >= 0:
            beyond = l[i] > splits.cut[node] if splits.dimension[node] == 0 else r[i] >= splits.cut[node]
            node = splits.children[node, 1 if beyond else 0]
        brokers[i] = -1 - node
    return brokers


@njit
def _face_of(a: Floats, b: Floats, about: tuple[()]) -> int:  # noqa: ARG001
    """Side of a on which b shares a boundary of positive length with it, or -1.

    Trimmed boxes need no look at the diagonal: a box with l_lo = c has r_lo >= c and one with r_hi = c has
    l_hi <= c, so whatever two of them share lies in the triangle.
    """
    if max(a[2], b[2]) < min(a[3], b[3]):
        if b[1] == a[0]:
            return LEFT
        if b[0] == a[1]:
            return RIGHT
    if max(a[0], b[0]) < min(a[1], b[1]):
        if b[3] == a[2]:
            return BELOW
        if b[2] == a[3]:
            return ABOVE
    return -1


@njit
def _is_there(box: Floats) -> bool:
    return bool(box[0] < box[1])


@njit
def _touches(box: Floats, splits: Splits, node: int, child: int, about: tuple[()]) -> bool:  # noqa: ARG001
    lo = 2 * splits.dimension[node]
    return bool(box[lo] <= splits.cut[node] if child == 0 else box[lo + 1] >= splits.cut[node])


_neighbours = neighbours_of(__name__, _is_there, _face_of, _touches)
