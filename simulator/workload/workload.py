"""What every approach of a run starts from: the objects, the subscriptions, and k."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn.holding import OF_SHAPE
from matching import SubscriptionIndex
from matching.side_index import SideIndex
from paint.shapes import DISKS
from paint.sides import Sides, boxes_of, points_of
from pipeline import Form

__all__ = ["Known", "Workload", "add_subscriptions", "count_concerned"]

Floats = NDArray[np.float64]

Known = SubscriptionIndex | SideIndex
"""An index of subscriptions: over their two ends, or as points over the sides of several attributes."""


class Workload(NamedTuple):
    """What the server starts with.

    Over d attributes, where `dimensions` is above 1, x, l and r have the shapes (n, d) and (m, d); an attribute with
    an upper bound only has the lowest finite number for l. Halfspaces and disks are points r of D sides, (m, D), with
    the lowest finite number for l (`paint.shapes`).
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
    shape: str = "boxes"
    """What the subscriptions are, as in `pipeline.Form`."""

    @property
    def sides(self) -> Sides | None:
        """Sides of the space of subscriptions; None over one attribute, where they are l and r."""
        return None if self.dimensions == 1 else Form(self.dimensions, self.shape).sides

    @property
    def ends(self) -> int:
        """Numbers of l and of r: one for each attribute, or for each side of a halfspace or disk."""
        return 1 if self.r.ndim == 1 else int(self.r.shape[1])

    @property
    def kind(self) -> Any:
        """What the subscriptions hold (see `cn.holding`): made of their ends l and r."""
        return OF_SHAPE[self.shape]

    def homes(self, x: Floats) -> tuple[Floats, Floats]:
        """Ends l and r of a subscription about each place of many, by which objects there are at home in S.

        Of ranges it is the place alone, of disks the one of radius 0, of halfspaces the level one.
        """
        if self.shape == "boxes":
            return x, x
        points = np.zeros((len(x), self.ends))
        points[:, -1] = x[:, -1]
        if self.shape == DISKS:
            points[:, :2], points[:, -1] = x, (x * x).sum(axis=1)
        return np.full(points.shape, -np.finfo(np.float64).max), points

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
