"""Free ids: which number the next newcomer gets, where numbers of those who left are given again.

What was given back last is given again first, so that a list suffices, where the lowest would take a sorted set.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

__all__ = ["FreeIds"]


class FreeIds:
    """Numbers 0, 1, 2, ... to give out: what was given back last first, else the lowest that never was given.

    Parameters
    ----------
    given : int
        Numbers below this one are given already.

    Attributes
    ----------
    bound : int
        All numbers ever given are below: as many rows are needed for them.
    """

    def __init__(self, given: int) -> None:
        self.bound = given
        self._back: list[int] = []

    def take(self) -> int:
        """Give out a number. O(1) amortised."""
        if self._back:
            return self._back.pop()
        self.bound += 1
        return self.bound - 1

    def take_many(self, count: int) -> npt.NDArray[np.int64]:
        """Give out `count` numbers, in the order in which `take` would."""
        return np.array([self.take() for _ in range(count)], np.int64)

    def give_back(self, ids: Iterable[int]) -> None:
        """Take numbers back, which must be given and differ; the last of them will be given out first."""
        self._back.extend(ids)
