"""Subscribers of cn-relax: each keeps the newest y of every object in its range and ranks them itself.

That would be m x n values. But what a subscription knows of an object is the object's true y unless it missed the
object's last event, so only the exceptions are kept: the stale pairs. Without faults there are none.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sortedcontainers import SortedDict

from cn.free_ids import FreeIds
from cn.holding import Ranges, held_by, holds
from cn.zones import Floats, Ints

__all__ = ["RelaxedSubscribers"]


class _Stale(NamedTuple):
    """What a subscription knows instead of the truth: the y of an object after `event`; +inf if it knows of none.

    `due` is the last event of the object that it should have heard of: with it, it would be up to date.
    """

    event: int
    y: float
    due: int


class RelaxedSubscribers:
    """Knowledge of the subscriptions [l, r] under cn-relax (Section V, approaches compared).

    Parameters
    ----------
    l, r
        Ends of the subscriptions, (m,) f8 each, or (m, d) over d attributes; the row number is the id.
    x, y
        Objects at the start, (n,) f8 each, x (n, d) over d attributes; y = +inf for those that do not exist. Everyone
        knows those in its range.
    kind
        What a subscription holds (see `cn.holding`).

    Notes
    -----
    O(m + n + p) space for p stale pairs; an event costs O(log p) for each stale pair of its object and for each
    subscription that missed it. The pairs are sorted by subscription and object at all times.
    """

    def __init__(
        self,
        l: npt.ArrayLike,
        r: npt.ArrayLike,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        kind: Callable[..., Any] = Ranges,
    ) -> None:
        self._kind = kind
        self._l, self._r = np.array(l, np.float64), np.array(r, np.float64)
        self._x, self._y = np.array(x, np.float64), np.array(y, np.float64)
        self._last = np.full(len(self._x), -1, np.int64)
        self._stale: SortedDict[tuple[int, int], _Stale] = SortedDict()
        self._unaware: dict[int, set[int]] = {}
        self._ids = FreeIds(len(self._l))

    @property
    def stale(self) -> list[tuple[int, int]]:
        """Pairs (subscription, object) that miss the last event of the object that concerns them, sorted. O(p)."""
        return list(self._stale)

    def event(self, event: int, obj: int, x: float | Floats, y: float, missed: npt.ArrayLike) -> None:
        """Note an event that everyone whose range holds x has heard of, except `missed`.

        Parameters
        ----------
        event
            Its number; numbers grow from event to event.
        obj, x, y
            The object as it is now; y = +inf when it is gone. A new x must be told as a deletion at the old x and an
            insertion at the new one, as everywhere.
        missed
            Ids of the subscriptions with x in range that did not get the message.
        """
        if event <= self._last[obj]:
            raise ValueError(f"event must be above {self._last[obj]} (the object's last one), got {event}")
        before = {s: self._stale[s, obj] for s in self._unaware.get(obj, ())}
        for s in before:
            # Who does not hold the new x was not to be told, and stays as it was.
            if self._holds(s, x):
                self._forget(s, obj)
        previous = _Stale(int(self._last[obj]), float(self._y[obj]), event)
        unknown = previous._replace(y=np.inf)
        for s in np.asarray(missed, np.int64).tolist():
            if not self._holds(s, x):
                raise ValueError(f"missed must hold subscriptions whose range has x = {x}, got {s}")
            known = before.get(s, previous if self._holds(s, self._x[obj]) else unknown)
            self._stale[s, obj] = known._replace(due=event)
            self._unaware.setdefault(obj, set()).add(s)
        self._x[obj], self._y[obj], self._last[obj] = x, y, event

    def late(self, event: int, obj: int, y: float, subscriptions: Ints) -> None:
        """Hand over a message of `event` that was missed but arrives after all; newer knowledge stays as it is."""
        for s in subscriptions.tolist():
            known = self._stale.get((s, obj))
            if known is None or event <= known.event:
                continue
            if event == known.due:
                self._forget(s, obj)
            else:
                self._stale[s, obj] = known._replace(event=event, y=y)

    def join(self, l: npt.ArrayLike, r: npt.ArrayLike) -> Ints:
        """Take in subscriptions that know the objects in their ranges as they are; returns their ids. O(m).

        The ids are those that `Subscribers.join` gives. What is still on its way from earlier events, also to those
        who had the ids before, tells newcomers nothing new: `late` ignores it.
        """
        lows, highs = np.atleast_1d(np.asarray(l, np.float64)), np.atleast_1d(np.asarray(r, np.float64))
        ids = self._ids.take_many(len(lows))
        more = self._ids.bound - len(self._l)
        room = np.zeros((more, *self._l.shape[1:]))
        self._l, self._r = (np.concatenate((column, room)) for column in (self._l, self._r))
        self._l[ids], self._r[ids] = lows, highs
        return ids

    def leave(self, ids: npt.ArrayLike) -> None:
        """Let subscriptions go; what still comes for them is ignored. O(log p) for each and each stale pair of it."""
        rows = np.unique(np.asarray(ids, np.int64))
        if rows.size and not (rows[0] >= 0 and rows[-1] < len(self._l) and (self._l[rows] <= self._r[rows]).all()):
            raise ValueError("ids must be those of subscriptions present")
        self._l[rows], self._r[rows] = np.inf, -np.inf
        for s in rows.tolist():
            for obj in self._unknown_to(s):
                self._forget(s, obj)
        self._ids.give_back(rows[::-1].tolist())

    def top(self, subscription: int, k: int) -> list[tuple[float, int]]:
        """The k lowest (y, object) by what a subscription knows. O(n log n + log p)."""
        known = np.where(held_by(self._kind(self._l, self._r), subscription, self._x), self._y, np.inf)
        for obj in self._unknown_to(subscription):
            known[obj] = self._stale[subscription, obj].y
        order = np.argsort(known, kind="stable")[:k]
        return [(float(known[i]), int(i)) for i in order if known[i] < np.inf]

    def _unknown_to(self, subscription: int) -> list[int]:
        """Objects whose last event a subscription missed, in order."""
        return [obj for _, obj in self._stale.irange((subscription, 0), (subscription + 1, 0), (True, False))]

    def _forget(self, subscription: int, obj: int) -> None:
        """Note that a subscription knows an object as it is, or has nothing to do with it."""
        del self._stale[subscription, obj]
        self._unaware[obj].remove(subscription)

    def _holds(self, subscription: int, x: Any) -> bool:
        if self._l.ndim == 1:
            return bool(self._l[subscription] <= x <= self._r[subscription])
        return holds(self._kind(self._l, self._r), subscription, np.asarray(x, np.float64)[None], 0)
