"""The timeline of a run: what watched subscriptions hold at every moment, beside what is right at that moment.

Chunks come in the order of their events, but their messages overlap in time. No message of a later chunk arrives
before the first event of that chunk arises; so after a chunk, everything is known that happens until the first event
of the next, and the arrivals after that are kept for later.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.approach import Approach
from simulator.engine.carried import Carried
from simulator.inputs.fault_plan import Churn
from simulator.results.chains import grown, make_chains
from simulator.results.receiving import NO_UNICAST, Clock, Held, Steps, Told, run_steps
from simulator.results.truth import fill_lists, make_truth
from simulator.workload.events import EventStream
from simulator.workload.windows import Chunk
from simulator.workload.workload import Workload

__all__ = ["Arrivals", "Moments", "Timeline"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Arrivals(NamedTuple):
    """Messages that came to watched subscriptions, as columns."""

    time_s: Floats
    """When the subscription acts on it."""
    subscription: Ints
    key: Ints
    """Place of the message among all of the run."""
    number: Ints
    """First event of the window that it answers."""
    object: Ints
    dropped: Ints
    x: Floats
    y: Floats

    def rows(self, chosen: NDArray[np.bool_] | Ints) -> "Arrivals":
        """Some of them, in the order of `chosen`."""
        return Arrivals._make(column[chosen] for column in self)


class Moments(NamedTuple):
    """What a chunk came to, per window."""

    stale_ms: Floats
    """From the window's first event until the lists that it changed had taken it in, on average; NaN if none."""
    wrong_s: Floats
    """From its first event to the next window's: seconds that lists were wrong, added up over those that count."""
    counted_s: Floats
    """Likewise: seconds of all lists that count."""


class Timeline:
    """Follows the lists of some subscriptions through time, under one approach.

    Parameters
    ----------
    workload : Workload
        With all subscriptions.
    watched : int64 array
        Ids of those to follow, ascending; those that come later follow the ids of the workload.
    counted : bool array
        Which of them count for how long lists are wrong.
    events : EventStream
        The whole stream.
    churn : Churn
        Who comes and goes.
    in_place : bool
        Whether subscribers put a late message in its place; without, they act on messages as they come.

    Attributes
    ----------
    mismatch : tuple of int, or None
        Subscription and event of the first list that was wrong while nothing was under way to it.

    Notes
    -----
    Memory: 56 k bytes per watched subscription, 48 bytes per message under way to one of them.
    """

    def __init__(
        self,
        approach: Approach,
        workload: Workload,
        watched: Ints,
        counted: NDArray[np.bool_],
        events: EventStream,
        churn: Churn,
        *,
        in_place: bool,
    ) -> None:
        l, r = np.append(workload.l, churn.l)[watched], np.append(workload.r, churn.r)[watched]
        room = max(len(workload.x), int(events.object.max(initial=-1)) + 1)
        self.mismatch: tuple[int, int] | None = None
        self._watched, self._events, self._in_place = watched, events, in_place
        self._relaxed = approach.serverless
        self._joined, self._left = churn.joined[watched], churn.left[watched]
        self._truth = make_truth(workload.x, workload.y, l, r, workload.k, room)
        shape = (len(l), workload.k)
        objects, values = np.full(shape, -1, np.int32), np.full(shape, np.inf)
        self._held = Held(objects, values, objects.copy(), values.copy())
        self._chains = make_chains(len(l))
        present, unsettled, wrong = np.zeros((3, len(l)), np.bool_)
        self._clock = Clock(present, np.zeros(len(l), np.int64), unsettled, wrong, counted)
        self._waiting = Arrivals(*(np.empty(0, kind) for kind in (float, *[np.int64] * 5, float, float)))
        self._rows, self._now_s = 0, 0.0
        self._let_in(self._joined < 0)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which lists are wrong now, of those present."""
        return self._clock.wrong & self._clock.present

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which of the watched are there now."""
        return self._clock.present

    def take(self, carried: Carried, taken_s: Floats) -> Moments:
        """Follow a chunk, and what else happens until the next one begins.

        Parameters
        ----------
        taken_s : (notifications,) float64 array
            When each notification is acted on.
        """
        chunk = carried.chunk
        if (self._joined == chunk.first).any() or (self._left == chunk.first).any():
            self._let_in((self._joined <= chunk.first) & (chunk.first < self._left))
        fresh = self._arrivals(carried, taken_s)
        arrivals = Arrivals._make(np.concatenate(pair) for pair in zip(self._waiting, fresh, strict=True))
        end = chunk.first + len(chunk.events.object)
        until_s = float(self._events.time_s[end]) if end < len(self._events.time_s) else np.inf
        due = arrivals.time_s < until_s
        self._waiting = arrivals.rows(~due)
        told = self._run(chunk, arrivals.rows(due), fresh, until_s)
        self._rows += len(carried.outgoing.table)
        return Moments(self._stale_ms(chunk, fresh, told), told.wrong_s, told.counted_s)

    def _let_in(self, present: NDArray[np.bool_]) -> None:
        """Give newcomers their lists as they are right now, and forget those that are gone."""
        new = np.flatnonzero(present & ~self._clock.present)
        self._clock.present[:] = present
        fill_lists(self._truth, new)
        self._held.objects[new], self._held.y[new] = self._truth.ids[new], self._truth.values[new]
        self._held.rest_objects[new], self._held.rest_y[new] = self._held.objects[new], self._held.y[new]
        self._clock.wrong[~present] = False

    def _arrivals(self, carried: Carried, taken_s: Floats) -> Arrivals:
        notified, table = carried.notified, carried.outgoing.table
        rows, nothing = table[notified.message], np.full(len(notified.message), NO_UNICAST)
        names = table.dtype.names or ()
        chunk = carried.chunk
        return Arrivals(
            taken_s,
            notified.subscription,
            self._rows + notified.message,
            chunk.first + chunk.starts[carried.window_of[notified.message]],
            rows["object"].astype(np.int64),
            rows["dropped"].astype(np.int64) if "dropped" in names else nothing,
            rows["x"].astype(np.float64) if "x" in names else np.zeros(len(rows)),
            rows["y"].astype(np.float64),
        )

    def _run(self, chunk: Chunk, due: Arrivals, fresh: Arrivals, until_s: float) -> Told:
        events, windows = chunk.events, chunk.windows
        count, arriving = len(events.object), len(due.key)
        time_s = np.concatenate((events.time_s, due.time_s))
        # Of what happens at one time, events come before arrivals, and messages in their order.
        rank = np.concatenate((np.full(count, -1), due.key))
        order = np.lexsort((np.concatenate((np.arange(count), np.zeros(arriving, np.int64))), rank, time_s))
        arrival = order >= count
        first, last = np.zeros((2, count), np.bool_)
        first[chunk.starts[:-1]] = last[chunk.starts[1:] - 1] = True
        window = np.repeat(np.arange(windows), np.diff(chunk.starts))
        steps = Steps(
            time_s[order],
            arrival,
            np.where(arrival, order - count, order),
            window,
            first,
            last,
            events.object,
            events.x,
            events.y,
            due.number,
            due.subscription,
            due.key,
            due.object,
            due.dropped,
            due.x,
            due.y,
            *self._pairs(chunk, fresh),
        )
        told = Told(
            np.zeros((windows, len(self._watched)), np.bool_),
            np.zeros(windows),
            np.zeros(windows),
            np.full(3, -1, np.int64),
        )
        self._chains = grown(self._chains, arriving + (self._notes(events) if self._relaxed else 0))
        state = (self._truth, self._held, self._chains, self._clock)
        self._now_s = run_steps(*state, steps, told, self._now_s, -1, self._in_place, self._relaxed)
        if np.isfinite(until_s):  # nothing happens until the next chunk begins
            clock, last_s = self._clock, until_s - self._now_s
            counts = clock.counted & clock.present
            told.wrong_s[-1] += np.count_nonzero(clock.wrong & counts) * last_s
            told.counted_s[-1] += np.count_nonzero(counts) * last_s
            self._now_s = until_s
        if self.mismatch is None and told.mismatch[0] >= 0:
            s, event, at_arrival = told.mismatch.tolist()
            self.mismatch = int(self._watched[s]), event if at_arrival else chunk.first - 1 - event
        return told

    def _pairs(self, chunk: Chunk, fresh: Arrivals) -> tuple[Ints, Ints, Ints]:
        """How often each subscription hears of each window: where windows start, subscriptions, counts."""
        window = np.searchsorted(chunk.first + chunk.starts, fresh.number, side="right") - 1
        watched = max(len(self._watched), 1)
        pairs, counts = np.unique(window * watched + fresh.subscription, return_counts=True)
        starts = np.searchsorted(pairs, np.arange(chunk.windows + 1) * watched)
        return starts, pairs % watched, counts

    def _notes(self, events: EventStream) -> int:
        """At most so many notes are taken of what events make stale."""
        truth, count = self._truth, 0
        places = truth.x.copy()
        for i, x in zip(events.object.tolist(), events.x.tolist(), strict=True):
            for place in {float(places[i]), x}:
                count += int(np.count_nonzero((truth.l <= place) & (place <= truth.r)))
            places[i] = x
        return count

    def _stale_ms(self, chunk: Chunk, fresh: Arrivals, told: Told) -> Floats:
        """How long the lists that each window changed took to take it in; those that were never told are left out."""
        window = np.searchsorted(chunk.first + chunk.starts, fresh.number, side="right") - 1
        watched = max(len(self._watched), 1)
        last_s = np.full((chunk.windows, watched), -np.inf)
        np.maximum.at(last_s, (window, fresh.subscription), fresh.time_s)
        heard = told.changed & (last_s[:, : told.changed.shape[1]] > -np.inf)
        arose_s = chunk.events.time_s[chunk.starts[:-1]]
        total_s = np.where(heard, last_s[:, : told.changed.shape[1]] - arose_s[:, None], 0.0).sum(axis=1)
        lists = heard.sum(axis=1)
        return np.where(lists > 0, total_s / np.maximum(lists, 1), np.nan) * 1e3
