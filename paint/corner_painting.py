"""What Paint-Dense and Paint-Sparse over several attributes have in common as a server drives them: Paint-Batch."""

import numpy as np
from numpy.typing import NDArray

from paint.algorithm import Change, Rows
from paint.corner_batch import paint_corner_window
from paint.corner_halves import CornerHalved
from paint.sides import Floats

__all__ = ["CornerPainting"]


class CornerPainting(CornerHalved):
    """An algorithm that paints tiles; see `paint.algorithm.Batching` for what it adds."""

    def batch(self, ids: NDArray[np.int64], ys: Floats, printed: bool) -> Rows:
        """Change distinct objects at once, by Paint-Batch; rows of their own."""
        if printed:
            raise ValueError("variant 'printed' is for one dimension; choose 'exact', 'coalesce' or 'online'")
        arrays = self._index.arrays
        places = [tuple(arrays.x[i].tolist()) for i in ids.tolist()]
        return self.window(
            [
                Change(i, place, float(arrays.y[i]), place, y)
                for i, place, y in zip(ids.tolist(), places, ys.tolist(), strict=True)
            ]
        )

    def window(self, changes: list[Change]) -> Rows:
        """Change distinct objects, which may enter, leave and move, by Paint-Batch; rows of their own."""
        return paint_corner_window(self._index, self._plan, self._sides, self._swept(len(changes)), changes)
