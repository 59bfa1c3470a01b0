"""Zones: the subscription space cut into one box per broker, with neighbour tables and a split tree.

A zone holds the points `l_lo < l <= l_hi`, `r_lo <= r < r_hi`: open and closed on the same sides as the condition
of a message, so that "the rectangle meets the zone" is exact, not a matter of rounding. Over the triangle only
l <= r belongs to a zone and boxes are trimmed to what of them lies there. The outermost zones reach to
infinity, so that every subscription and every message has a zone. Over several attributes a zone is such a box with
a pair of bounds for each side. What differs between one attribute and several is the space's matter: `cn.plane` and
`cn.side_space`.
"""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cn.plane import Plane, Splits, ZonesError, ZoneTable
from cn.side_space import SideSpace, SideTable
from cn.split_tree import Split, SplitTree, Takeover
from paint.sides import Sides
from topologies.arguments import generator, integer

__all__ = ["Floats", "Ints", "Splits", "ZoneTable", "Zones", "ZonesError"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


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
        Lowest and highest end that subscriptions usually have; over several attributes one such pair for all, or one
        for each. Splits halve within it; zones at its rim reach to infinity.
    population
        Ends `(l, r)` of subscriptions. Brokers then join at random members, so that zones hold about equal shares.
    sides
        Sides of the space; left out for l and r of one attribute. Over several, ends have the shape (m, attributes),
        and `"triangle"` means l <= r in every attribute that has both ends.

    Notes
    -----
    O(n log n) time to build, O(n) space. Joining splits the zone that holds the point in half, along l at even
    depths of the split tree and along r at odd ones; sides take turns when there are more.

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
        domain: tuple[float, float] | npt.ArrayLike = (0.0, 1.0),
        population: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        sides: Sides | None = None,
    ) -> None:
        brokers = integer("brokers", brokers, 1)
        if space not in ("triangle", "square"):
            raise ValueError(f"space must be 'triangle' or 'square', got {space!r}")
        triangle = space == "triangle"
        self._space: Any = (
            Plane(_ends_of(domain), triangle=triangle)
            if sides is None
            else SideSpace(sides, [_ends_of(one) for one in _per_attribute(domain, sides)], triangle=triangle)
        )
        self.space = space
        self.sides = sides
        self.domain = self._space.domain
        self._rng = generator(seed)
        self._population: Any = None
        if population is not None:
            self._population = self._space.points(*population)
            if len(np.asarray(population[0])) == 0:
                raise ValueError("population must hold at least one subscription, got none; leave it out instead")
        self._tree = SplitTree(self._space)
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
        extents = self.table.extents
        held: npt.NDArray[np.bool_] = (extents[:, 0] < extents[:, 1]).reshape(self._size, -1)[:, 0]
        return held

    @property
    def centre(self) -> int:
        """Broker whose zone covers the centre of the zoned area (the triangle's centroid, the square's middle)."""
        return self._tree.broker[self._tree.find(self._space.centre)]

    def home(self, l: npt.ArrayLike, r: npt.ArrayLike) -> Ints:
        """Gateway broker of each subscription: (m,) i8. O(log n) each, compiled."""
        brokers: Ints = self._space.home(self.splits, self._space.points(l, r))
        return brokers

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
            split = self._tree.join(broker, self._tree.find(self._draw(rng, uniform=attempt >= 100)))
            if split is not None:
                self._size = max(self._size, broker + 1)
                return split
        raise ZonesError(
            f"the domain {self.domain} is too narrow for {len(self._tree.leaf) + 1} zones; "
            "widen it or take fewer brokers"
        )

    def _draw(self, rng: np.random.Generator, *, uniform: bool) -> tuple[float, ...]:
        if self._population is not None and not uniform:
            ends: tuple[float, ...] = self._space.member(self._population, rng)
        else:
            ends = self._space.draw(rng)
        return ends

    def _freeze(self) -> None:
        """Make the arrays that the kernels read from the tree."""
        self.splits: Splits
        self.table: ZoneTable | SideTable
        self.splits, self.table = self._space.tables(self._tree, self._size)

    def _check(self) -> None:
        """Raise ZonesError unless the zones tile the area and the neighbour tables are symmetric; slow."""
        extents, sides, neighbours, beyond = self.table[:4]
        self._space.check_tiling(self.splits, extents)
        faces = sides.shape[1] - 1
        pairs = [
            (b, int(neighbours[e]), side)
            for b in range(self._size)
            for side in range(faces)
            for e in range(sides[b, side], sides[b, side + 1])
        ]
        if len(set(pairs)) != len(pairs) or set(pairs) != {(c, b, side ^ 1) for b, c, side in pairs}:
            raise ZonesError("the neighbour tables are not symmetric")
        if not np.array_equal(beyond, extents[neighbours]):
            raise ZonesError("the extents beside the neighbours are not those of the neighbours")


def _ends_of(domain: Any) -> tuple[float, float]:
    try:
        lo, hi = (float(end) for end in domain)
    except (TypeError, ValueError):
        raise TypeError(f"domain must be two finite values in ascending order, got {domain!r}") from None
    if not -np.inf < lo < hi < np.inf:
        raise ValueError(f"domain must be two finite values in ascending order, got {domain}")
    return lo, hi


def _per_attribute(domain: Any, sides: Sides) -> list[Any]:
    """One domain for each attribute, if there is one for all or one for each."""
    attributes = int(sides.attribute.max()) + 1
    if np.ndim(domain) == 2 and len(domain) != attributes:
        raise ValueError(f"domain must be one pair or one per attribute ({attributes}), got {len(domain)}")
    return list(domain) if np.ndim(domain) == 2 else [domain] * attributes
