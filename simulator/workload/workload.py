"""What every approach of a run starts from: the objects, the subscriptions, and k."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matching import SubscriptionIndex
from matching.side_index import SideIndex
from paint.sides import Sides, boxes_of, points_of, sides_of

__all__ = ["Known", "Workload", "add_subscriptions", "count_concerned"]

Floats = NDArray[np.float64]

Known = SubscriptionIndex | SideIndex
"""An index of subscriptions: over their two ends, or as points over the sides of several attributes."""


class Workload(NamedTuple):
    """What the server starts with.

    Over d attributes, where `dimensions` is above 1, x, l and r have the shapes (n, d) and (m, d); an attribute with
    an upper bound only has the lowest finite number for l.
    """

    k: int
    x: NDArray[np.float64]
    """x and y of the n objects."""
    y: NDArray[np.float64]
    l: NDArray[np.float64]
    """Ends of the m subscriptions."""
    r: NDArray[np.float64]
    seed: int = 0
    """For what an approach draws at random."""
    known: Known | None = None
    """The subscriptions in one index for all to read, where nobody comes and goes; else everyone makes its own."""
    dimensions: float = 1

    @property
    def sides(self) -> Sides | None:
        """Sides of the space of subscriptions; None over one attribute, where they are l and r."""
        return None if self.dimensions == 1 else sides_of(self.dimensions)

    def made_index(self) -> Known:
        """Make an index of the subscriptions; O(m log m), about a second for a million."""
        sides = self.sides
        return SubscriptionIndex(self.l, self.r) if sides is None else SideIndex(points_of(sides, self.l, self.r))


def add_subscriptions(known: Known, sides: Sides | None, l: Floats, r: Floats) -> None:
    """Put subscriptions into an index, under the ids that follow."""
    if isinstance(known, SideIndex):
        assert sides is not None  # it has them
        known.insert(points_of(sides, l, r))
    else:
        known.insert(l, r)


def count_concerned(known: Known, sides: Sides | None, table: NDArray[np.void]) -> NDArray[np.int64]:
    """Subscriptions of an index that each message of a table is about."""
    if isinstance(known, SideIndex):
        assert sides is not None  # it has them
        lo, hi = boxes_of(sides, table)
        return known.counts(np.stack((lo, np.nextafter(hi, -np.inf)), axis=1))
    l_lo, r_hi = np.nextafter(table["l_out"], np.inf), np.nextafter(table["r_out"], -np.inf)
    return known.counts(np.column_stack((l_lo, table["l_in"], table["r_in"], r_hi)))
