"""Everybody: all subscriptions at once, counted without a network and its gateways."""

import numpy as np
from numpy.typing import NDArray

from simulator.workload.workload import Workload, count_concerned

__all__ = ["Everybody"]


class Everybody:
    """The subscriptions of a workload in one index; its own, unless the workload has one that nobody changes."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self.index = workload.made_index() if workload.known is None else workload.known
        self.sides = workload.sides
        self._sorted: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def count(self, table: NDArray[np.void]) -> NDArray[np.int64]:
        """Subscriptions that each message of a table concerns; O(sqrt(m)) at worst for each, O(log m) for a point's.

        A message to all whose range of one attribute holds an x reaches those that begin by x, less those that end
        before: as long as nobody has come or gone, sorted ends tell how many these are.
        """
        l_in, r_in = table["l_in"], table["r_in"]
        point = (l_in == r_in) & (table["l_out"] == -np.inf) & (table["r_out"] == np.inf)
        if self._workload.known is None or self.sides is not None or not point.all():
            return count_concerned(self.index, self.sides, table)
        if self._sorted is None:
            self._sorted = np.sort(self._workload.l), np.sort(self._workload.r)
        begun, ended = self._sorted
        counts: NDArray[np.int64] = np.searchsorted(begun, l_in, "right") - np.searchsorted(ended, r_in, "left")
        return counts
