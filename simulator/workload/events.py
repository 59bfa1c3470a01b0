"""Events: the stream of updates that every approach of a run answers, as columns."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["DELETE", "INSERT", "KINDS", "LOWER", "MOVE", "RAISE", "EventStream"]

KINDS = ("raise", "lower", "insert", "delete", "move")
"""Names of the values of `EventStream.kind`: a smaller y raises the rank, a larger one lowers it."""
RAISE, LOWER, INSERT, DELETE, MOVE = range(len(KINDS))


class EventStream(NamedTuple):
    """Events as columns, in event order, all of the same length."""

    object: NDArray[np.int64]
    """Objects at the start have the ids 0 to n - 1; one that is inserted takes the next, and none is used again."""
    x: NDArray[np.float64]
    """The object's x after the event; over several attributes (events, d)."""
    y: NDArray[np.float64]
    """Its y after the event; +inf once it is deleted."""
    kind: NDArray[np.int8]
    """Index into `KINDS`."""
    time_s: NDArray[np.float64]
    """When it arises; never before the event in front of it."""
    origin: NDArray[np.int64]
    """Broker where the event arises."""

    def part(self, start: int, end: int) -> "EventStream":
        """Events `start` to `end`, without the last."""
        return EventStream._make(column[start:end] for column in self)
