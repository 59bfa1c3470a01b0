"""Inbox: what a subscriber does about messages that overtake each other, arrive twice or late.

Keeping the newest value per object is not enough for top-k lists: a replacement that arrives before the update that
makes room for it is thrown away. Applying every message once, in (event, position) order, is exact. A subscriber
cannot see a gap by itself, since it does not know which messages concern it; so the network tells it a watermark, an
event number below which everything has been delivered, and the inbox keeps the rest until then.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sortedcontainers import SortedDict

from cn.subscribers import Subscribers
from cn.zones import Ints

__all__ = ["Inbox"]

Content = tuple[int, Any, float]
"""Object, x (a number, or a list of them over several attributes) and y."""


def _due(place: tuple[int, ...]) -> np.dtype[np.void]:
    """Type of messages whose turn it is, with an x of a shape."""
    return np.dtype([("subscription", "i8"), ("object", "i8"), ("x", "f8", place), ("y", "f8")])


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
        # By (event, position, subscription), so that what a watermark lets through stands at the front.
        self._waiting: SortedDict[tuple[int, int, int], Content] = SortedDict()
        self._due = _due(subscribers.l.shape[1:])
        self._closed = np.zeros(len(subscribers.l), np.int64)
        self.ignored = 0

    def __len__(self) -> int:
        """Number of arrivals kept."""
        return len(self._waiting)

    def arrive(
        self, table: npt.NDArray[np.void], offsets: Ints, subscriptions: Ints, events: Ints, positions: Ints
    ) -> None:
        """Keep message i of the table for `subscriptions[offsets[i]:offsets[i + 1]]`.

        It is at `positions[i]` in the sequence of messages of event `events[i]`. What is kept already is ignored.
        O(log w) for each arrival when w are kept; as one sort, O((a + w) log(a + w)), when a > w / 10 arrive at once.
        """
        self._due = _due(table["x"].shape[1:])
        rows = np.repeat(np.arange(len(table)), np.diff(offsets))
        keys = zip(events[rows].tolist(), positions[rows].tolist(), subscriptions.tolist(), strict=True)
        contents = zip(*(table[name][rows].tolist() for name in ("object", "x", "y")), strict=True)
        news: dict[tuple[int, int, int], Content] = {}
        for key, content in zip(keys, contents, strict=True):
            if key in news or key in self._waiting:
                self.ignored += 1
            else:
                news[key] = content
        self._waiting.update(news)

    def advance(self, watermark: npt.ArrayLike) -> int:
        """Apply what waits of events below the watermark, in order; returns how many messages changed a list.

        `watermark` is one event number for all, or one per subscription (m,): all of earlier events has arrived.
        O(m) for m subscriptions, O(log w) for each of the w arrivals kept that is of an event below the highest
        watermark, O(k) for each that is applied.
        """
        closed = self._closed_rows()
        until = np.maximum(closed, np.asarray(watermark, np.int64))
        front = self._waiting.bisect_left((int(until.max(initial=0)), 0, 0))
        due = [key for key in self._waiting.islice(0, front) if key[0] < until[key[2]]]
        contents = [self._waiting.pop(key) for key in due]
        now = np.array(
            [(s, *content) for (event, _, s), content in zip(due, contents, strict=True) if event >= closed[s]],
            self._due,
        )
        self.ignored += len(due) - len(now)
        self._closed = until
        return self._subscribers.apply_each(*(np.ascontiguousarray(now[name]) for name in self._due.names or ()))

    def join(self, ids: npt.ArrayLike, event: int) -> None:
        """Note that subscriptions started with their lists as they were before `event`, and want nothing earlier."""
        rows = np.atleast_1d(np.asarray(ids, np.int64))
        self._closed = self._closed_rows()
        self._closed[rows] = event

    def _closed_rows(self) -> Ints:
        more = len(self._subscribers.l) - len(self._closed)
        return np.append(self._closed, np.zeros(more, np.int64)) if more else self._closed
