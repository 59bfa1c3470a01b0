"""Sessions: an approach at work on one stream of events, and what it sends."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.errors import RangecastError
from simulator.workload.windows import Chunk

__all__ = ["Outgoing", "Session", "ask"]


class Outgoing(NamedTuple):
    """What an approach sends for a chunk of events."""

    table: NDArray[np.void]
    """Rows of `paint.MESSAGE`, or of `paint.UNICAST` for an approach that writes to single subscriptions."""
    offsets: NDArray[np.int64]
    """Where each window's rows start; one more entry than there are windows."""
    costs: NDArray[np.int64]
    """Calls of the server per window, shape (windows, 3): first_k, min_y, snap."""


class Session(ABC):
    """An approach at work on one stream of events, from a workload on; made as `session(workload, approach)`."""

    @abstractmethod
    def answer(self, chunk: Chunk) -> Outgoing:
        """Messages for the next windows of the stream."""

    def regions(self, chunk: Chunk) -> Outgoing | None:  # noqa: ARG002 - most approaches cannot tell
        """Instead of `answer`, for messages to single subscriptions: disjoint `paint.MESSAGE` rows that hold them.

        None, and nothing has happened, if it cannot tell.
        """
        return None

    def subscribe(self, l: float, r: float) -> None:  # noqa: B027 - most approaches need not know
        """Take note of a new subscription; ids go on from those of the workload."""

    def unsubscribe(self, subscription: int) -> None:  # noqa: B027
        """Take note that a subscription is gone."""


def ask(session: Session, chunk: Chunk) -> Outgoing:
    """Messages of a session for the next windows of the stream.

    Raises
    ------
    RangecastError
        A session of a user's own answers with something else.
    """
    outgoing = session.answer(chunk)
    if not isinstance(outgoing, Outgoing):
        kind = type(session).__name__
        raise RangecastError(f"{kind}.answer must return an Outgoing, got {outgoing!r:.80}; mend the approach")
    return outgoing
