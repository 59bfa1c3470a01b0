"""Zones: the subscription space cut into one box per broker, with neighbour tables and a split tree.

A zone holds the points `l_lo < l <= l_hi`, `r_lo <= r < r_hi`: open and closed on the same sides as the condition
of a message, so that "the rectangle meets the zone" is exact, not a matter of rounding. Over the triangle only
l <= r belongs to a zone and boxes are trimmed to what of them lies there. The outermost zones reach to
infinity, so that every subscription and every message has a zone.
"""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from cn.split_tree import Split, SplitTree, Takeover
from floor.errors import RangecastError
from floor.kernels import njit
from topologies.arguments import generator, integer

__all__ = ["Splits", "ZoneTable", "Zones", "ZonesError"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEFT, RIGHT, BELOW, ABOVE = 0, 1, 2, 3


class ZonesError(RangecastError):
    """The area cannot be cut into, or kept in, as many zones as asked."""


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
    """

    dimension: Ints
    cut: Floats
    children: Ints
    boxes: Floats
    root: int


class Zones:
    """One zone per broker over the subscription space (Section V, network setup; Meghdoot's use of CAN).

    Parameters
    ----------
    brokers
        Number of brokers n; broker 0 holds everything until broker 1 joins, and so on.
    seed
        Seed or generator of the points at which brokers join.
    space
        `"triangle"`: only l <= r is cut up. `"square"`: all of it, as the paper seems to do, which leaves about
        half of the brokers without subscriptions.
    domain
        Lowest and highest end that subscriptions usually have. Splits halve within it; zones at its rim reach to
        infinity.
    population
        Ends `(l, r)` of subscriptions. Brokers then join at random members, so that zones hold about equal shares.

    Notes
    -----
    O(n log n) time to build, O(n) space. Joining splits the zone that holds the point in half, along l at even
    depths of the split tree and along r at odd ones.

    Examples
    --------
    >>> zones = Zones(4, seed=1)
    >>> zones.home(np.array([0.1]), np.array([0.9])).shape
    (1,)
    """

    def __init__(
        self,
        brokers: int,
        *,
        seed: int | np.random.Generator = 0,
        space: Literal["triangle", "square"] = "triangle",
        domain: tuple[float, float] = (0.0, 1.0),
        population: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    ) -> None:
        brokers = integer("brokers", brokers, 1)
        if space not in ("triangle", "square"):
            raise ValueError(f"space must be 'triangle' or 'square', got {space!r}")
        try:
            lo, hi = (float(end) for end in domain)
        except (TypeError, ValueError):
            raise TypeError(f"domain must be two finite values in ascending order, got {domain!r}") from None
        if not -np.inf < lo < hi < np.inf:
            raise ValueError(f"domain must be two finite values in ascending order, got {domain}")
        self.space = space
        self.domain = (lo, hi)
        self._rng = generator(seed)
        self._population: tuple[Floats, Floats] | None = None
        if population is not None:
            l, r = np.asarray(population[0], np.float64), np.asarray(population[1], np.float64)
            self._check_ranges(l, r)
            if len(l) == 0:
                raise ValueError("population must hold at least one subscription, got none; leave it out instead")
            self._population = (l, r)
        self._tree = SplitTree(self.domain, triangle=space == "triangle")
        self._size = 1
        for broker in range(1, brokers):
            self._split(broker, self._rng)
        self._freeze()

    def __len__(self) -> int:
        """Number of brokers that ever joined; ids run below it, those of departed ones wait for their return."""
        return self._size

    def __contains__(self, broker: object) -> bool:
        """Whether a broker holds a zone. O(1)."""
        return broker in self._tree.leaf

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which brokers hold a zone, (n,) bool."""
        return self.table.extents[:, 0] < self.table.extents[:, 1]

    @property
    def centre(self) -> int:
        """Broker whose zone covers the centre of the zoned area (the triangle's centroid, the square's middle)."""
        lo, hi = self.domain
        share = (1 / 3, 2 / 3) if self.space == "triangle" else (0.5, 0.5)
        l, r = (lo * (1 - s) + hi * s for s in share)
        return self._tree.broker[self._tree.find(l, r)]

    def home(self, l: npt.ArrayLike, r: npt.ArrayLike) -> Ints:
        """Gateway broker of each subscription: (m,) i8. O(log n) each, compiled."""
        lows, highs = np.asarray(l, np.float64), np.asarray(r, np.float64)
        self._check_ranges(lows, highs)
        return home(self.splits, lows, highs)

    def join(self, broker: int | None = None, seed: int | np.random.Generator | None = None) -> Split:
        """Let a broker that left return, or one more join: the zone at a random point is split for it.

        Parameters
        ----------
        broker
            The one that returns; a new one, with the next id, when left out.
        seed
            Seed or generator of the point; by default the generator of the zones goes on.

        Returns
        -------
        Split
            Subscriptions of the broker that kept the other half may have a new gateway: ask `home` for them again.

        Notes
        -----
        O(n log n): the tables are made anew.
        """
        if broker is None:
            broker = self._size
        elif not 0 <= broker < self._size or broker in self:
            raise ValueError(f"broker must be one of the {self._size - len(self._tree.leaf)} that left, got {broker}")
        split = self._split(broker, self._rng if seed is None else generator(seed))
        self._freeze()
        return split

    def leave(self, broker: int) -> Takeover:
        """Let a broker leave (or crash); another takes its zone. O(n log n).

        The subscriptions of the zones named in the answer have new gateways: ask `home` again for them.
        """
        if broker not in self:
            raise ValueError(f"broker must be one of the {len(self._tree.leaf)} present, got {broker}")
        if len(self._tree.leaf) == 1:
            raise ZonesError(f"broker {broker} is the last one: nobody is left to take over its zone")
        start, *_, stop = self.table.sides[broker]
        takeover = self._tree.leave(broker, self.table.neighbours[start:stop].tolist())
        self._freeze()
        return takeover

    def assign(self, brokers: npt.ArrayLike) -> None:
        """Give the zone of each broker b to `brokers[b]`: the same zones in other hands. O(n log n).

        Every broker must be present, and be given one zone.
        """
        given = np.asarray(brokers)
        if len(self._tree.leaf) < self._size or sorted(given.tolist()) != list(range(self._size)):
            raise ValueError(f"brokers must be all {self._size}, each once and present, got {given.tolist()!s:.80}")
        self._tree.hand_over(given.tolist())
        self._freeze()

    def _split(self, broker: int, rng: np.random.Generator) -> Split:
        # A population with many equal members can exhaust one zone; uniform points then find room elsewhere.
        for attempt in range(200):
            split = self._tree.join(broker, self._tree.find(*self._draw(rng, uniform=attempt >= 100)))
            if split is not None:
                self._size = max(self._size, broker + 1)
                return split
        lo, hi = self.domain
        raise ZonesError(
            f"the domain ({lo}, {hi}) is too narrow for {len(self._tree.leaf) + 1} zones; "
            "widen it or take fewer brokers"
        )

    def _draw(self, rng: np.random.Generator, *, uniform: bool) -> tuple[float, float]:
        if self._population is not None and not uniform:
            member = rng.integers(len(self._population[0]))
            return float(self._population[0][member]), float(self._population[1][member])
        l, r = rng.uniform(*self.domain, 2).tolist()
        return (min(l, r), max(l, r)) if self.space == "triangle" else (l, r)

    def _freeze(self) -> None:
        """Make the arrays that the kernels read from the tree."""
        tree = self._tree
        lo, hi = self.domain
        boxes = np.array(tree.box)
        boxes[boxes == lo] = -np.inf
        boxes[boxes == hi] = np.inf
        extents = np.tile([np.inf, -np.inf, np.inf, -np.inf], (self._size, 1))
        for broker, leaf in tree.leaf.items():
            extents[broker] = boxes[leaf]
        # A leaf is written as -1 - broker in its parent's row.
        code = [node if pair else -1 - tree.broker[node] for node, pair in enumerate(tree.children)]
        children = np.array([[code[c] for c in pair] if pair else [0, 0] for pair in tree.children])
        self.splits = Splits(np.array(tree.dimension), np.array(tree.cut), children, boxes, code[0])
        self.table = ZoneTable(extents, *_neighbours(self.splits, extents))

    def _check_ranges(self, l: Floats, r: Floats) -> None:
        if l.shape != r.shape or l.ndim != 1:
            raise ValueError(f"l and r must be one-dimensional and equally long, got shapes {l.shape} and {r.shape}")
        wrong = ~(l <= r)
        if wrong.any():
            at = int(wrong.argmax())
            raise ValueError(f"a subscription needs l <= r, got [{l[at]}, {r[at]}] at row {at}")

    def _check(self) -> None:
        """Raise ZonesError unless the zones tile the area and the neighbour tables are symmetric; O(n^3)."""
        extents, sides, neighbours, beyond = self.table
        cuts = [np.unique(extents[np.isfinite(extents)]), np.array(self.domain)]
        grid = np.unique(np.concatenate([*cuts, *(np.nextafter(c, w) for c in cuts for w in (-np.inf, np.inf))]))
        l, r = (side.ravel() for side in np.meshgrid(grid, grid))
        if self.space == "triangle":
            l, r = l[l <= r], r[l <= r]
        holders = np.zeros(len(l), np.int64)
        for l_lo, l_hi, r_lo, r_hi in extents[self.present]:
            holders += (l_lo < l) & (l <= l_hi) & (r_lo <= r) & (r < r_hi)
        if (holders != 1).any():
            at = int((holders != 1).argmax())
            raise ZonesError(f"{holders[at]} zones hold the point ({l[at]}, {r[at]}) instead of 1")
        pairs = [
            (b, int(neighbours[e]), side)
            for b in range(self._size)
            for side in range(4)
            for e in range(sides[b, side], sides[b, side + 1])
        ]
        if len(set(pairs)) != len(pairs) or set(pairs) != {(c, b, side ^ 1) for b, c, side in pairs}:
            raise ZonesError("the neighbour tables are not symmetric")
        if not np.array_equal(beyond, extents[neighbours]):
            raise ZonesError("the extents beside the neighbours are not those of the neighbours")


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
def _side(a: Floats, b: Floats) -> int:
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
def _neighbours(splits: Splits, extents: Floats) -> tuple[Ints, Ints, Floats]:
    """Neighbour tables by a walk of the split tree with each closed box; O(n log n) for zones of bounded aspect."""
    n = len(extents)
    sides = np.zeros((n, 5), np.int64)
    found = np.empty(16 * n, np.int64)
    touching = np.empty((n, 2), np.int64)
    stack = np.empty(len(splits.cut) + 1, np.int64)
    filled = 0
    for b in range(n):
        box = extents[b]
        count = 0
        depth = 0
        if box[0] < box[1]:
            stack[0] = splits.root
            depth = 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if node < 0:
                side = _side(box, extents[-1 - node])
                if side >= 0:
                    touching[count, 0] = side
                    touching[count, 1] = -1 - node
                    count += 1
                continue
            lo = 2 * splits.dimension[node]
            if box[lo] <= splits.cut[node]:
                stack[depth] = splits.children[node, 0]
                depth += 1
            if box[lo + 1] >= splits.cut[node]:
                stack[depth] = splits.children[node, 1]
                depth += 1
        if filled + count > len(found):
            found = np.concatenate((found, np.empty(len(found) + count, np.int64)))
        for side in range(4):
            sides[b, side] = filled
            for i in range(count):
                if touching[i, 0] == side:
                    found[filled] = touching[i, 1]
                    filled += 1
        sides[b, 4] = filled
    neighbours = found[:filled].copy()
    return sides, neighbours, extents[neighbours]
