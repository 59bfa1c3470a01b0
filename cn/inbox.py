"""Inbox: what a subscriber does about messages that overtake each other, arrive twice or late.

Keeping the newest value per object is not enough for top-k lists: a replacement that arrives before the update that
makes room for it is thrown away. Applying every message once, in (event, position) order, is exact. A subscriber
cannot see a gap by itself, since it does not know which messages concern it; so the network tells it a watermark, an
event number below which everything has been delivered, and the inbox keeps the rest until then.
"""

import numpy as np
import numpy.typing as npt

from cn.subscribers import Subscribers
from cn.zones import Ints

__all__ = ["Inbox"]

_ARRIVAL = np.dtype(
    [("subscription", "i8"), ("event", "i8"), ("position", "i8"), ("object", "i8"), ("x", "f8"), ("y", "f8")]
)


class Inbox:
    """Messages that have come to subscribers but whose turn has not, for all subscribers together.

    Parameters
    ----------
    subscribers
        Whose lists the messages are for.

    Attributes
    ----------
    ignored
        Arrivals that came again, or after their event was closed.
    """

    def __init__(self, subscribers: Subscribers) -> None:
        self._subscribers = subscribers
        self._waiting: list[npt.NDArray[np.void]] = []
        self._closed = np.zeros(len(subscribers.l), np.int64)
        self.ignored = 0

    def __len__(self) -> int:
        """Number of arrivals kept."""
        return sum(len(part) for part in self._waiting)

    def arrive(
        self, table: npt.NDArray[np.void], offsets: Ints, subscriptions: Ints, events: Ints, positions: Ints
    ) -> None:
        """Keep message i of the table for `subscriptions[offsets[i]:offsets[i + 1]]`.

        It is at `positions[i]` in the sequence of messages of event `events[i]`.
        """
        rows = np.repeat(np.arange(len(table)), np.diff(offsets))
        part = np.empty(len(rows), _ARRIVAL)
        part["subscription"] = subscriptions
        part["event"], part["position"] = events[rows], positions[rows]
        for name in ("object", "x", "y"):
            part[name] = table[name][rows]
        self._waiting.append(part)

    def advance(self, watermark: npt.ArrayLike) -> int:
        """Apply what waits of events below the watermark, in order; returns how many messages changed a list.

        `watermark` is one event number for all, or one per subscription (m,): all of earlier events has arrived.
        O(w log w) for w arrivals kept, O(k) for each that is applied.
        """
        closed = self._closed_rows()
        until = np.maximum(closed, np.asarray(watermark, np.int64))
        waiting = np.concatenate(self._waiting) if self._waiting else np.empty(0, _ARRIVAL)
        current = waiting[waiting["event"] >= closed[waiting["subscription"]]]
        order = np.lexsort((current["position"], current["event"], current["subscription"]))
        current = current[order]
        keys = [current[name] for name in ("subscription", "event", "position")]
        first = np.ones(len(current), np.bool_)
        first[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
        current = current[first]
        self.ignored += len(waiting) - len(current)
        due = current["event"] < until[current["subscription"]]
        now = current[due]
        self._waiting = [current[~due]]
        self._closed = until
        names = ("subscription", "object", "x", "y")
        return self._subscribers.apply_each(*(np.ascontiguousarray(now[name]) for name in names))

    def join(self, ids: npt.ArrayLike, event: int) -> None:
        """Note that subscriptions started with their lists as they were before `event`, and want nothing earlier."""
        rows = np.atleast_1d(np.asarray(ids, np.int64))
        self._closed = self._closed_rows()
        self._closed[rows] = event

    def _closed_rows(self) -> Ints:
        more = len(self._subscribers.l) - len(self._closed)
        return np.append(self._closed, np.zeros(more, np.int64)) if more else self._closed
