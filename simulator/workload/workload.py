"""What every approach of a run starts from: the objects, the subscriptions, and k."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matching import SubscriptionIndex

__all__ = ["Workload"]


class Workload(NamedTuple):
    """What the server starts with."""

    k: int
    x: NDArray[np.float64]
    """x and y of the n objects."""
    y: NDArray[np.float64]
    l: NDArray[np.float64]
    """Ends of the m subscriptions."""
    r: NDArray[np.float64]
    seed: int = 0
    """For what an approach draws at random."""
    known: SubscriptionIndex | None = None
    """The subscriptions in one index for all to read, where nobody comes and goes; else everyone makes its own."""

    def made_index(self) -> SubscriptionIndex:
        """Make an index of the subscriptions; O(m log m), about a second for a million."""
        return SubscriptionIndex(self.l, self.r)
