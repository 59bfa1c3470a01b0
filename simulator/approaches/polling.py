"""Polling: nobody is told anything unless it asks, and every subscription asks at every interval.

Each has a phase of its own, drawn from the seed: it asks at phase, phase + interval, ..., from the first event on
until it has asked once after the last. The server answers with what has changed in its list since it asked last: a
row for each object that has come or has another x or y, with an object to drop for it where there is one; or it says
that nothing has. It knows the events that have arisen when the question is put, and no later ones, whatever the clock
of an engine says. A question costs it the calls of min_y that find the list anew.

Which lists change is found as Unicast finds it; lists as they are, and as they were when they were last asked for,
take 32 k bytes per subscription.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn import Subscribers
from cn.subscribers import receive
from floor.kernels import njit
from paint import UNICAST
from simulator.approaches.approach import Approach
from simulator.approaches.server_session import ServerSession
from simulator.approaches.session import Asked, Outgoing, Session
from simulator.workload.events import EventStream
from simulator.workload.places import more_places, same_place
from simulator.workload.windows import Chunk
from simulator.workload.workload import Workload

__all__ = ["Polling"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Lists(NamedTuple):
    """Lists as they are, and as each was told last: (subscriptions, k), best first; -1, +inf where one is shorter."""

    objects: NDArray[np.int32]
    y: Floats
    told_objects: NDArray[np.int32]
    told_x: Floats
    """Over several attributes (subscriptions, k, d)."""
    told_y: Floats
    since_s: Floats
    """(subscriptions,) when the first event arose that changed the list since it was told; NaN if none did."""


class _Turns(NamedTuple):
    """When each subscription asks: at phase + turn x interval."""

    phase_s: Floats
    turn: Ints
    """Its next; -1 as long as it has none."""
    present: NDArray[np.bool_]


class Polling(Session):
    """A server that answers questions."""

    def __init__(self, workload: Workload, approach: Approach) -> None:
        if approach.interval_s is None:
            raise ValueError("approach must have an interval_s, got None")
        self._interval_s, self._changes = approach.interval_s, ServerSession(workload, approach, algorithm="unicast")
        self._x, self._y = workload.x.copy(), workload.y.copy()
        self._random = np.random.default_rng(workload.seed)
        m = len(workload.l)
        self._turns = _Turns(self._random.random(m) * self._interval_s, np.full(m, -1), np.ones(m, np.bool_))
        self._kind = workload.kind
        self._lists = _first_lists(self._kind, workload.l, workload.r, workload.k, self._x, self._y)

    def answer(self, chunk: Chunk) -> Outgoing:
        """Answers to those who ask from the chunk's first event on, until the next chunk begins."""
        changes = self._changes.answer(chunk)
        span_s = (float(chunk.events.time_s[0]), float(chunk.events.time_s[-1]), chunk.until_s)
        time_s, subscription = _questions(self._turns, self._interval_s, *span_s)
        order = np.lexsort((subscription, time_s))
        time_s, subscription = time_s[order], subscription[order]
        window = np.searchsorted(chunk.events.time_s, time_s, side="right") - 1
        rows = tuple(np.ascontiguousarray(changes.table[name]) for name in UNICAST.names or ())
        self._follow(chunk.events)
        when = (chunk.events.time_s, changes.offsets, window)
        events = (self._x, chunk.events.object, chunk.events.x)
        found, starts, since_s, calls = _answers(self._lists, subscription, *when, *events, *rows)
        table = np.zeros(len(found), UNICAST)
        for name, column in zip(("subscription", "dropped", "object"), found[:, :3].T.astype(np.int64), strict=True):
            table[name] = column
        table["y"] = found[:, 3]
        costs = np.zeros((len(time_s), 3), np.int64)
        costs[:, 1] = calls
        per_window = np.zeros((chunk.windows, 3), np.int64)
        np.add.at(per_window, window, costs)
        offsets = starts[np.searchsorted(window, np.arange(chunk.windows + 1))]
        return Outgoing(table, offsets, per_window, Asked(subscription, time_s, window, starts, since_s, costs))

    def subscribe(self, l: Any, r: Any) -> None:
        """Take in a subscription, which knows its list as it is."""
        self._changes.subscribe(l, r)
        k = self._lists.objects.shape[1]
        new = _first_lists(self._kind, np.array([l]), np.array([r]), k, self._x, self._y)
        both: list[tuple[NDArray[Any], NDArray[Any]]] = list(zip(self._lists, new, strict=True))
        self._lists = _Lists._make(np.concatenate(pair) for pair in both)
        phase_s, turn, present = self._turns
        later_s = self._random.random() * self._interval_s
        self._turns = _Turns(np.append(phase_s, later_s), np.append(turn, -1), np.append(present, True))

    def unsubscribe(self, subscription: int) -> None:
        """Let a subscription ask no more."""
        self._changes.unsubscribe(subscription)
        self._turns.present[subscription] = False

    def _follow(self, events: EventStream) -> None:
        """Keep the y of the objects as they are after some events, and room for the x of those that come."""
        more = int(events.object.max(initial=-1)) + 1 - len(self._x)
        if more > 0:
            self._x, self._y = more_places(self._x, more), np.append(self._y, np.full(more, np.inf))
        self._y[events.object] = events.y  # of several, the last one stays


def _first_lists(kind: Any, l: Floats, r: Floats, k: int, x: Floats, y: Floats) -> _Lists:
    """Lists of subscriptions of a kind that know them."""
    lists = Subscribers(l, r, k, kind)
    lists.start(x, y)
    told_x = x[lists.objects]  # of no object, any
    return _Lists(lists.objects, lists.y, lists.objects.copy(), told_x, lists.y.copy(), np.full(len(l), np.nan))


@njit
def _questions(turns: _Turns, interval_s: float, from_s: float, last_s: float, until_s: float) -> tuple[Floats, Ints]:
    """When who asks in [from_s, until_s); without an end, until each has asked from last_s on. O(m + questions)."""
    times, who = np.empty(1024), np.empty(1024, np.int64)
    count = 0
    for s in range(len(turns.phase_s)):
        if not turns.present[s]:
            continue
        if turns.turn[s] < 0:
            turn = max(int(np.ceil((from_s - turns.phase_s[s]) / interval_s)) - 1, 0)
            while turns.phase_s[s] + turn * interval_s < from_s:
                turn += 1
            turns.turn[s] = turn
        while True:
            time_s = turns.phase_s[s] + turns.turn[s] * interval_s
            if time_s >= until_s:
                break
            if count == len(times):
                times, who = (
                    np.concatenate((times, np.empty(count))),
                    np.concatenate((who, np.empty(count, np.int64))),
                )
            times[count], who[count] = time_s, s
            count += 1
            turns.turn[s] += 1
            if until_s == np.inf and time_s >= last_s:
                break
    return times[:count].copy(), who[:count].copy()


@njit
def _answers(
    lists: _Lists,
    asking: Ints,
    time_s: Floats,
    offsets: Ints,
    window: Ints,
    x: Floats,
    moving: Ints,
    to_x: Floats,
    subscription: Ints,
    dropped: Ints,
    objects: Ints,
    y: Floats,
) -> tuple[Floats, Ints, Floats, Ints]:
    """Let events change lists, as rows of `paint.UNICAST` say, and questions be answered, in their order.

    Objects are at `x`; an event takes the object `moving` to `to_x`.

    Returns rows of subscription, dropped, object and y; where those of each question start; since when it has some to
    tell of; and its calls of min_y.
    """
    k = lists.objects.shape[1]
    starts, calls = np.zeros(len(asking) + 1, np.int64), np.empty(len(asking), np.int64)
    since_s, found = np.full(len(asking), np.nan), np.empty((max(1024, k), 4))
    count, ask = 0, 0
    for event in range(len(time_s)):
        x[moving[event]] = to_x[event]
        for row in range(offsets[event], offsets[event + 1]):
            s, i = subscription[row], objects[row]
            if np.isnan(lists.since_s[s]):
                lists.since_s[s] = time_s[event]
            if dropped[row] >= 0 and dropped[row] != i:
                receive(lists.objects[s], lists.y[s], dropped[row], np.inf, True)
            if i >= 0:
                receive(lists.objects[s], lists.y[s], i, y[row], True)
        while ask < len(asking) and window[ask] == event:
            s = asking[ask]
            if count + k > len(found):
                found = np.concatenate((found, np.empty((len(found), 4))))
            if not np.isnan(lists.since_s[s]):
                count = _tell(lists, s, x, found, count)
            size = 0
            while size < k and lists.objects[s, size] >= 0:
                size += 1
            calls[ask] = min(size + 1, k)  # one more finds that there is no other
            starts[ask + 1] = count
            if count > starts[ask]:
                since_s[ask] = lists.since_s[s]
            lists.since_s[s] = np.nan
            ask += 1
    return found[:count].copy(), starts, since_s, calls


@njit
def _tell(lists: _Lists, s: int, x: Floats, found: Floats, count: int) -> int:
    """Write what is new in the list of s since it was told, and note that it is told; the number of rows then."""
    k = lists.objects.shape[1]
    free = count
    for p in range(k):  # those that stay, with another x or y, and those that come
        i = lists.objects[s, p]
        if i < 0:
            break
        before = -1
        for q in range(k):
            if lists.told_objects[s, q] == i:
                before = q
        known = before >= 0 and lists.told_y[s, before] == lists.y[s, p]
        if not (known and same_place(x, i, lists.told_x[s], before)):
            found[count, 0], found[count, 1] = s, i if before >= 0 else -1
            found[count, 2], found[count, 3] = i, lists.y[s, p]
            count += 1
    for q in range(k):  # each that goes makes room for one that comes, as far as there are any
        i = lists.told_objects[s, q]
        if i < 0 or np.any(lists.objects[s] == i):
            continue
        while free < count and found[free, 1] >= 0:
            free += 1
        if free == count:
            found[count, 0], found[count, 2], found[count, 3] = s, -1, np.inf
            count += 1
        found[free, 1] = i
    lists.told_objects[s] = lists.objects[s]
    lists.told_y[s] = lists.y[s]
    for p in range(k):
        lists.told_x[s, p] = x[lists.objects[s, p]]  # of no object, any
    return count
