"""The subscription space of several attributes cut into zones, as `cn.plane` does it for one.

A subscription is a point u with one coordinate per side (`paint.sides`): -l for a left end, r for a right one. A zone
is a box lo <= u < hi, as the region of a message is. The area is the product of the triangles l <= r, one for each
attribute that has both ends, or the whole cube. Over the triangles a box is trimmed, attribute by attribute, to what
of it lies there: lo of the left side is at least -hi of the right one, and the other way round. Since trimming looks
at hi and changes lo only, the order of trimming and cutting does not matter.

Two trimmed boxes whose faces meet need no look at the diagonals. In the attribute of the face that is as in one
attribute (`cn.plane`). In any other, boxes that overlap do so at l <= r: with a the larger of both l_lo and b the
smaller of both r_hi, the one with b has l_hi <= b, so the overlap in l lies above a and not above b.
"""

from math import inf, nextafter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cn.neighbour_walk import neighbours_of
from cn.plane import Splits, ZonesError
from cn.split_tree import SplitTree
from floor.kernels import njit
from paint.sides import Floats, Sides, points_of

__all__ = ["SideBox", "SideSpace", "SideTable", "pairs_of", "side_points"]

Ints = npt.NDArray[np.int64]
About = tuple[Floats, Ints]
"""Sign of each side, and the face of each across which u grows."""


class SideBox(NamedTuple):
    """A zone lo <= u < hi, a bound for each side."""

    lo: tuple[float, ...]
    hi: tuple[float, ...]


class SideTable(NamedTuple):
    """What the kernels read, as `cn.plane.ZoneTable` with boxes of D sides.

    `extents` (n, 2, D) f8: lo and hi of each zone (an absent broker's meet nothing).
    `sides` (n, 2 D + 1) i8: neighbours of b are `sides[b, 0]:sides[b, 2 * D]`, ordered by faces: of side j first the
    face toward smaller ends, at 2 j, then the one toward larger ends.
    `neighbours` (e,) i8: their brokers.
    `beyond` (e, 2, D) f8: their extents, inline so that a decision reads one run of memory.
    `rising` (D,) i8: the face of each side across which u grows; across the other one of the two it falls.
    """

    extents: Floats
    sides: Ints
    neighbours: Ints
    beyond: Floats
    rising: Ints


def pairs_of(sides: Sides) -> Ints:
    """Left and right side of every attribute that has both, (pairs, 2) i8."""
    left = np.flatnonzero(sides.sign < 0)
    right = [np.flatnonzero((sides.attribute == sides.attribute[side]) & (sides.sign > 0))[0] for side in left]
    return np.column_stack((left, np.array(right, np.int64)))


def side_points(sides: Sides, l: Floats, r: Floats) -> Floats:
    """Check the ends of subscriptions, (m, attributes) each, and give their points, (m, D)."""
    attributes = int(sides.attribute.max()) + 1
    fits = l.shape == r.shape and (l.ndim == 2 or (l.ndim == 1 and attributes == 1))
    if not fits or l.size != len(l) * attributes:
        raise ValueError(f"l and r must have the shape (m, {attributes}), got {l.shape} and {r.shape}")
    points = np.ascontiguousarray(points_of(sides, l.reshape(-1, attributes), r.reshape(-1, attributes)))
    left, right = pairs_of(sides).T
    wrong = np.isnan(points).any(axis=1) | (-points[:, left] > points[:, right]).any(axis=1)
    if wrong.any():
        at = int(wrong.argmax())
        raise ValueError(
            f"a subscription needs l <= r in every attribute, got {l[at].tolist()} and {r[at].tolist()} at row {at}"
        )
    return points


class SideSpace:
    """The space of some sides, between the ends of a domain for each attribute.

    Parameters
    ----------
    sides
        The sides.
    domain
        Lowest and highest end that subscriptions usually have, for each attribute.
    triangle
        Only l <= r is cut up.
    """

    def __init__(self, sides: Sides, domain: list[tuple[float, float]], *, triangle: bool) -> None:
        self.sides = sides
        self.domain = tuple(domain)
        self.triangle = triangle
        self.left = (sides.sign < 0).tolist()
        self._pairs = pairs_of(sides)
        both = np.array([domain[j] for j in sides.attribute.tolist()]) * sides.sign[:, None]
        self._rim = np.sort(both, axis=1).T
        self.whole = SideBox(*(tuple(bound) for bound in self._rim.tolist()))

    @property
    def centre(self) -> tuple[float, ...]:
        """Ends at the middle of the area: the centroid of every triangle, the middle of all else."""
        share = np.full(len(self.left), 0.5)
        if self.triangle:
            share[self._pairs] = 1 / 3, 2 / 3
        bounds = (self.domain[j] for j in self.sides.attribute.tolist())
        return tuple(lo * (1 - s) + hi * s for (lo, hi), s in zip(bounds, share.tolist(), strict=True))

    def halves(self, box: SideBox, dimension: int) -> tuple[float, SideBox, SideBox] | None:
        """Cut a box in half along a side: the cut, the half of smaller ends, the other; None if it is too narrow."""
        cut = box.lo[dimension] / 2 + box.hi[dimension] / 2
        below = self._trimmed(box.lo, _with(box.hi, dimension, cut))
        above = self._trimmed(_with(box.lo, dimension, cut), box.hi)
        if not (self._holds_points(below) and self._holds_points(above)):
            return None
        return (-cut, above, below) if self.left[dimension] else (cut, below, above)

    def _trimmed(self, lo: tuple[float, ...], hi: tuple[float, ...]) -> SideBox:
        """Bounding box of the part with l <= r in every attribute."""
        if self.triangle:
            for l, r in self._pairs.tolist():
                lo = _with(lo, l, max(lo[l], -hi[r]))
                lo = _with(lo, r, max(lo[r], -hi[l]))
        return SideBox(lo, hi)

    def _holds_points(self, box: SideBox) -> bool:
        """Whether floats fall into the box and, over triangles, a pair of them with l <= r in every attribute."""
        if not all(lo < hi for lo, hi in zip(*box, strict=True)):
            return False
        return not self.triangle or all(nextafter(-box.hi[l], inf) < box.hi[r] for l, r in self._pairs.tolist())

    def points(self, l: npt.ArrayLike, r: npt.ArrayLike) -> Floats:
        """Check the ends of subscriptions, (m, attributes) each, and give their points, (m, D)."""
        return side_points(self.sides, np.asarray(l, np.float64), np.asarray(r, np.float64))

    def member(self, points: Floats, rng: np.random.Generator) -> tuple[float, ...]:
        """Ends of one subscription of many, drawn at random."""
        return tuple((points[rng.integers(len(points))] * self.sides.sign).tolist())

    def draw(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Ends drawn from the area."""
        ends: list[float] = []
        for attribute, domain in enumerate(self.domain):
            drawn = rng.uniform(*domain, int((self.sides.attribute == attribute).sum())).tolist()
            ends += sorted(drawn) if self.triangle else drawn
        return tuple(ends)

    def home(self, splits: Splits, points: Floats) -> Ints:
        """Broker whose zone holds each point, (m,) i8."""
        return home(splits, self.sides.sign, points)

    def tables(self, tree: SplitTree, brokers: int) -> tuple[Splits, SideTable]:
        """Make the arrays that the kernels read; zones at the rim of the domain reach to infinity."""
        boxes = np.array(tree.box)
        boxes[boxes == self._rim[0]] = -np.inf
        boxes[boxes == self._rim[1]] = np.inf
        extents = np.empty((brokers, *boxes.shape[1:]))
        extents[:, 0], extents[:, 1] = np.inf, -np.inf
        for broker, leaf in tree.leaf.items():
            extents[broker] = boxes[leaf]
        children, root = tree.codes()
        dimension = np.array(tree.dimension)
        splits = Splits(dimension, np.array(tree.cut) * self.sides.sign[dimension], children, boxes, root)
        rising = 2 * np.arange(len(self.left)) + (self.sides.sign > 0)
        return splits, SideTable(
            extents, *_neighbours(splits, extents, 2 * len(rising), (self.sides.sign, rising)), rising
        )

    def check_tiling(self, splits: Splits, extents: Floats) -> None:
        """Raise ZonesError unless zones are what the cuts leave of everything: halves, trimmed, each a broker's."""
        everything = SideBox(tuple(-inf for _ in self.left), tuple(inf for _ in self.left))
        held = np.zeros(len(extents), np.int64)
        pending = [(splits.root, everything)]
        while pending:
            node, box = pending.pop()
            if node < 0:
                held[-1 - node] += 1
                if not np.array_equal(np.array(box), extents[-1 - node]):
                    raise ZonesError(f"the zone of broker {-1 - node} is not what the cuts around it leave")
                continue
            j, cut = int(splits.dimension[node]), float(splits.cut[node])
            if not box.lo[j] < cut < box.hi[j]:
                raise ZonesError(f"cut {cut} in side {j} is not between {box.lo[j]} and {box.hi[j]}")
            halves = self._trimmed(box.lo, _with(box.hi, j, cut)), self._trimmed(_with(box.lo, j, cut), box.hi)
            pending += zip(splits.children[node].tolist(), halves[:: -1 if self.left[j] else 1], strict=True)
        if (held != (extents[:, 0, 0] < extents[:, 1, 0])).any():
            raise ZonesError(f"broker {int((held != 1).argmax())} does not hold one zone")


def _with(bounds: tuple[float, ...], side: int, bound: float) -> tuple[float, ...]:
    return (*bounds[:side], bound, *bounds[side + 1 :])


@njit
def home(splits: Splits, sign: Floats, points: Floats) -> Ints:
    """Descend the split tree with every point; smaller ends go to the first child, and left ends at the cut."""
    brokers = np.empty(len(points), np.int64)
    for i in range(len(points)):
        node = splits.root
        while node >= 0:
            side = splits.dimension[node]
            above = points[i, side] >= splits.cut[node]
            node = splits.children[node, 1 if above == (sign[side] > 0) else 0]
        brokers[i] = -1 - node
    return brokers


@njit
def _face_of(a: Floats, b: Floats, about: About) -> int:
    """Face of a that b shares a part of positive size with, or -1."""
    rising = about[1]
    face = -1
    for side in range(len(rising)):
        if max(a[0, side], b[0, side]) < min(a[1, side], b[1, side]):
            continue
        if face >= 0:
            return -1
        if a[1, side] == b[0, side]:
            face = rising[side]
        elif b[1, side] == a[0, side]:
            face = rising[side] ^ 1
        else:
            return -1
    return face


@njit
def _is_there(box: Floats) -> bool:
    return bool(box[0, 0] < box[1, 0])


@njit
def _touches(box: Floats, splits: Splits, node: int, child: int, about: About) -> bool:
    side = splits.dimension[node]
    if (child == 0) == (about[0][side] > 0):
        return bool(box[0, side] <= splits.cut[node])
    return bool(box[1, side] >= splits.cut[node])


_neighbours = neighbours_of(__name__, _is_there, _face_of, _touches)
