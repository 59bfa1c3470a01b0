"""The subscriptions a server knows: all of them in an index, or a sketch that covers them."""

from operator import index as as_integer

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matching import SubscriptionIndex, SubscriptionSketch, Tree, UnknownSubscriptionError

__all__ = ["KnownSubscriptions"]


class KnownSubscriptions:
    """Subscriptions under ids, for algorithms that know them.

    Parameters
    ----------
    subscriptions : array_like of shape (m, 2), or SubscriptionIndex
        Ends [l, r] of the subscriptions 0 to m - 1; an index is used as it is, not copied.
    rectangles : int, optional
        Let a cover by so many rectangles answer in place of the index. The ends are still kept, in a plain table, to
        tell which subscription an id stands for.
    """

    def __init__(self, subscriptions: ArrayLike | SubscriptionIndex, rectangles: int | None = None) -> None:
        self._sketch: SubscriptionSketch | None = None
        if isinstance(subscriptions, SubscriptionIndex):
            if rectangles is not None:
                raise ValueError("a sketch is made from ranges, got a SubscriptionIndex: pass an (m, 2) array")
            self._index = subscriptions
            return
        try:
            ends = np.asarray(subscriptions)
        except ValueError:
            raise ValueError("subscriptions must be rows [l, r], got rows of unequal lengths") from None
        if ends.size == 0:
            ends = np.empty((0, 2))
        if ends.ndim != 2 or ends.shape[1] != 2:
            raise ValueError(f"subscriptions must have the shape (m, 2), one row [l, r] each, got {ends.shape}")
        if rectangles is None:
            self._index = SubscriptionIndex(ends[:, 0], ends[:, 1])
        else:
            self._sketch = SubscriptionSketch(ends[:, 0], ends[:, 1], rectangles)
            self._ends: NDArray[np.float64] = ends.astype(np.float64)
            self._issued = len(ends)

    def __len__(self) -> int:
        return len(self._index if self._sketch is None else self._sketch)

    @property
    def arrays(self) -> Tree:
        """The arrays for kernels; read them anew after every change."""
        return (self._index if self._sketch is None else self._sketch).arrays

    def subscribe(self, left: float, right: float) -> int:
        """Add the subscription [left, right] and give its id, which is never used again; O(log^2 m) amortised."""
        if self._sketch is None:
            return int(self._index.insert(float(left), float(right)))
        self._sketch.insert(float(left), float(right))
        if self._issued == len(self._ends):
            self._ends = np.concatenate((self._ends, np.full((max(8, self._issued), 2), np.nan)))
        self._ends[self._issued] = left, right
        self._issued += 1
        return self._issued - 1

    def unsubscribe(self, subscription: int) -> None:
        """Remove a subscription; O(log m) amortised."""
        i = as_integer(subscription)
        if self._sketch is None:
            self._index.delete(i)
            return
        if not 0 <= i < self._issued or np.isnan(self._ends[i, 0]):
            raise UnknownSubscriptionError(f"no subscription has the id {i}")
        self._sketch.delete(self._ends[i, 0], self._ends[i, 1])
        self._ends[i] = np.nan
