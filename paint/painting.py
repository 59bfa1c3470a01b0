"""What Paint-Dense and Paint-Sparse have in common as a server drives them: a sweep, and Paint-Batch."""

import numpy as np
from numpy.typing import NDArray

from paint.algorithm import Change, Plan, Rows
from paint.batch import paint_batch
from paint.halves import Halved
from paint.index import ObjectIndex
from paint.known_subscriptions import KnownSubscriptions
from paint.sweep import make_sweep
from paint.window import paint_window

__all__ = ["Painting"]


class Painting(Halved):
    """An algorithm that paints tiles; see `paint.algorithm.Batching` for what it adds to its two halves."""

    def __init__(self, index: ObjectIndex, plan: Plan, subscribers: KnownSubscriptions) -> None:
        super().__init__(index, plan, subscribers)
        self._sweep = make_sweep(plan.k)

    def batch(self, ids: NDArray[np.int64], ys: NDArray[np.float64], printed: bool) -> Rows:
        """Change distinct objects at once, by Paint-Batch; rows of their own."""
        return paint_batch(self._index.arrays, self._plan, ids, ys, printed=printed)

    def window(self, changes: list[Change]) -> Rows:
        """Change distinct objects, which may enter, leave and move, by Paint-Batch; rows of their own."""
        return paint_window(self._index, self._plan, changes)
