"""The timeline of a run: what watched subscriptions hold at every moment, beside what is right at that moment.

Chunks come in the order of their events, but their messages overlap in time. No message of a later chunk arrives
before the first event of that chunk arises; so after a chunk, everything is known that happens until the first event
of the next, and the arrivals after that are kept for later.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.approach import Approach
from simulator.engine.carried import Carried
from simulator.inputs.fault_plan import Churn
from simulator.results.chains import grown, make_chains
from simulator.results.receiving import NO_UNICAST, Arriving, Held
from simulator.results.steps import Clock, Expected, Happening, Questions, Told, count_notes, run_steps
from simulator.results.truth import fill_lists, make_truth
from simulator.workload.events import EventStream
from simulator.workload.places import empty_places, more_places
from simulator.workload.windows import Chunk
from simulator.workload.workload import Workload

__all__ = ["Spans", "Timeline", "WrongList"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class WrongList(NamedTuple):
    """A list that was wrong while nothing was under way to it."""

    subscription: int
    event: int
    """The last that happened: the event, or the first of the window whose message came."""
    held: list[tuple[int, float]]
    """Objects and y."""
    right: list[tuple[int, float]]

    def __str__(self) -> str:
        held, right = [i for i, _ in self.held], [i for i, _ in self.right]
        if held != right:
            return f"holds a wrong list: holds objects {held}, right is {right}"
        pairs = zip(self.held, self.right, strict=True)
        wrong = next(((i, known, y) for (i, known), (_, y) in pairs if known != y), None)
        if wrong is None:
            return "holds a wrong list: knows an object by y = nan"
        i, known, y = wrong
        return f"holds a wrong list: holds object {i} with y = {known!r}, right is {y!r}"


class Spans(NamedTuple):
    """Spans of time, end to end, and how many of the lists that count were wrong in each."""

    start_s: Floats
    end_s: Floats
    wrong: Ints
    counted: int


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
    mismatch : WrongList or None
        The first list that was wrong while nothing was under way to it.
    spans : Spans
        Of the last chunk that was taken.

    Notes
    -----
    Memory: 56 k bytes per watched subscription; for each message under way to one of them 112 bytes, 64 of what has
    still to come and 48 of a note, under CN-Relax 32 to 64 more to find the note.
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
        l, r = (np.concatenate(ends)[watched] for ends in ((workload.l, churn.l), (workload.r, churn.r)))
        room = max(len(workload.x), int(events.object.max(initial=-1)) + 1)
        self.mismatch: WrongList | None = None
        self.spans = Spans(np.empty(0), np.empty(0), np.empty(0, np.int64), 0)
        self._watched, self._events, self._in_place = watched, events, in_place
        self._relaxed, self._asked = approach.serverless, approach.asked
        self._joined, self._left = churn.joined[watched], churn.left[watched]
        self._truth = make_truth(workload.x, workload.y, workload.kind(l, r), workload.k, room)
        shape = (len(l), workload.k)
        objects, values = np.full(shape, -1, np.int32), np.full(shape, np.inf)
        self._held = Held(objects, values, objects.copy(), values.copy())
        self._chains = make_chains(len(l), workload.x)
        present, unsettled, wrong = np.zeros((3, len(l)), np.bool_)
        told, told_s = np.full(len(l), -1), np.zeros(len(l))
        under_way, changes = np.zeros((2, len(l)), np.int64)
        state = (present, under_way, unsettled, wrong, counted, told, told_s)
        self._clock = Clock(*state, changes, np.zeros(len(l)))
        none, nothing, nowhere = np.empty(0), np.empty(0, np.int64), empty_places(workload.x, 0)
        self._waiting = Arriving(none, nothing, nothing, nothing, nothing, nothing, nowhere, none)
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

    def take(
        self,
        carried: Carried,
        taken_s: Floats,
        *,
        questions_s: tuple[Floats, Floats] | None = None,
        against_need: bool = False,
    ) -> Told:
        """Follow a chunk, and what else happens until the next begins.

        Parameters
        ----------
        taken_s : (notifications,) float64 array
            When each notification is acted on.
        questions_s : tuple of (questions,) float64 arrays, optional
            When each question of the chunk is put, and when an answer without news is there.
        against_need : bool
            Whether notifications, which are in the order of their messages, are held against need.
        """
        chunk, notified = carried.chunk, carried.notified
        if (self._joined == chunk.first).any() or (self._left == chunk.first).any():
            self._let_in((self._joined <= chunk.first) & (chunk.first < self._left))
        here = self._clock.present[notified.subscription]
        if not here.all():  # what answers earlier events is not for a newcomer, nor what comes for one who is gone
            carried, taken_s = carried._replace(notified=notified.rows(here)), taken_s[here]
        fresh = self._arriving(carried, taken_s)
        self._rows += len(carried.outgoing.table)
        window = carried.window_of[carried.notified.message]
        expected = self._expected(chunk, window, fresh, against_need=against_need)
        asking = self._asking(carried, fresh, questions_s)
        every = Arriving._make(np.concatenate(pair) for pair in zip(self._waiting, fresh, strict=True))
        end = chunk.first + len(chunk.events.object)
        until_s = float(self._events.time_s[end]) if end < len(self._events.time_s) else np.inf
        due = every.time_s < until_s
        self._waiting = Arriving._make(column[~due] for column in every)
        return self._run(chunk, Arriving._make(column[due] for column in every), asking, expected, until_s)

    def _let_in(self, present: NDArray[np.bool_]) -> None:
        """Give newcomers their lists as they are right now, and forget those that are gone."""
        new = np.flatnonzero(present & ~self._clock.present)
        self._clock.present[:] = present
        fill_lists(self._truth, new)
        self._held.objects[new], self._held.y[new] = self._truth.ids[new], self._truth.values[new]
        self._held.rest_objects[new], self._held.rest_y[new] = self._held.objects[new], self._held.y[new]
        self._clock.wrong[~present] = False

    def _arriving(self, carried: Carried, taken_s: Floats) -> Arriving:
        notified, table, chunk = carried.notified, carried.outgoing.table, carried.chunk
        names, message = table.dtype.names or (), notified.message

        def column(name: str, kind: type) -> NDArray[Any]:
            """Each notification's: rows are many times as long as a column of them."""
            return np.ascontiguousarray(table[name], kind)[message]

        return Arriving(
            taken_s,
            notified.subscription,
            self._rows + message,
            chunk.first + chunk.starts[carried.window_of[message]],
            column("object", np.int64),
            column("dropped", np.int64) if "dropped" in names else np.full(len(message), NO_UNICAST),
            column("x", np.float64) if "x" in names else more_places(self._waiting.x[:0], len(message)),
            column("y", np.float64),
        )

    def _expected(self, chunk: Chunk, window: Ints, fresh: Arriving, *, against_need: bool) -> Expected:
        """Who is told of each window, how often and until when; and of what, to be held against need."""
        watched = max(len(self._watched), 1)
        if self._asked:  # who is told, and when, goes by questions
            window, fresh = window[:0], Arriving._make(column[:0] for column in fresh)
        pairs, at, counts = np.unique(window * watched + fresh.subscription, return_inverse=True, return_counts=True)
        last_s = np.full(len(pairs), -np.inf)
        np.maximum.at(last_s, at, fresh.time_s)
        starts = np.searchsorted(pairs, np.arange(chunk.windows + 1) * watched)
        told = (starts, pairs % watched, counts, last_s)
        if not against_need:
            nothing = np.empty(0, np.int64)
            return Expected(*told, np.zeros(chunk.windows + 1, np.int64), nothing, nothing, np.empty(0, np.bool_))
        objects, of_event = len(self._truth.x), np.repeat(np.arange(chunk.windows), np.diff(chunk.starts))
        named = np.where(fresh.object >= 0, fresh.object, fresh.dropped)  # Unicast may tell of one to drop only
        updated = np.isin(window * objects + named, of_event * objects + chunk.events.object)
        starts = np.searchsorted(window, np.arange(chunk.windows + 1))
        return Expected(*told, starts, fresh.subscription, named, updated)

    def _asking(self, carried: Carried, fresh: Arriving, questions_s: tuple[Floats, Floats] | None) -> Questions:
        """Questions of those that are followed, in the order of time, and what answers them comes to whom."""
        asked, nothing = carried.outgoing.asked, np.empty(0, np.int64)
        if asked is None or questions_s is None:
            return Questions(np.empty(0), nothing, np.empty(0, np.bool_), nothing, np.empty(0))
        put_s, answered_s = questions_s
        watched, place = max(len(self._watched), 1), np.searchsorted(self._watched, asked.subscription)
        followed = self._watched[np.minimum(place, watched - 1)] == asked.subscription
        put = np.flatnonzero(followed) * watched + place[followed]
        come = asked.row_of[carried.notified.message] * watched + fresh.subscription
        pairs, at = np.unique(np.append(put, come), return_inverse=True)
        question, own = pairs // watched, np.isin(pairs, put)
        times, last_s = np.zeros(len(pairs), np.int64), np.full(len(pairs), -np.inf)
        np.add.at(times, at[len(put) :], 1)
        np.maximum.at(last_s, at[len(put) :], fresh.time_s)
        last_s = np.where(times > 0, last_s, answered_s[question])
        return Questions(put_s[question], pairs % watched, own, times, last_s)

    def _run(self, chunk: Chunk, due: Arriving, asking: Questions, expected: Expected, until_s: float) -> Told:
        happening, windows, k = _happening(chunk, due, asking), chunk.windows, self._truth.ids.shape[1]
        told = Told(
            np.zeros(windows),
            np.zeros(windows, np.int64),
            np.zeros(windows),
            np.zeros(windows),
            np.full(2, -1),
            np.full((2, k), -1),
            np.full((2, k), np.inf),
            np.zeros(len(happening.time_s), np.int64),
            np.full(2, -1),
            np.zeros(len(expected.need_object), np.bool_),
        )
        notes = int(count_notes(self._truth, happening)) if self._relaxed else 0
        self._chains = grown(self._chains, len(due.key) + notes, paired=self._relaxed)
        state, begun_s = (self._truth, self._held, self._chains, self._clock), self._now_s
        kind = (self._in_place, self._relaxed, self._asked)
        self._now_s = run_steps(*state, happening, due, asking, expected, told, self._now_s, *kind)
        clock, ends = self._clock, not np.isfinite(until_s)
        last_s = self._last_s(chunk, due, asking) if ends else until_s
        counts = clock.counted & clock.present
        counted, wrong = np.count_nonzero(counts), np.count_nonzero(clock.wrong & counts)
        # Nothing happens until the next chunk begins.
        told.wrong_s[-1] += wrong * (last_s - self._now_s)
        told.counted_s[-1] += counted * (last_s - self._now_s)
        ends_s = np.append(np.minimum(happening.time_s, last_s), last_s)
        wrong_lists = np.append(told.wrong_before, wrong)
        self.spans = Spans(np.append(begun_s, ends_s[:-1]), ends_s, wrong_lists, int(counted))
        self._now_s = last_s
        if ends:
            self._close(told, float(chunk.events.time_s[chunk.starts[-2]]))
        if self.mismatch is None and told.mismatch[0] >= 0:
            s, event = told.mismatch.tolist()
            held, right = (_pairs(*one) for one in zip(told.objects, told.y, strict=True))
            self.mismatch = WrongList(int(self._watched[s]), event, held, right)
        return told

    def _last_s(self, chunk: Chunk, due: Arriving, asking: Questions) -> float:
        """When the last thing happens to a list that counts: it must not matter who else is followed."""
        counted = self._clock.counted
        come_s = (one.time_s[counted[one.subscription]].max(initial=-np.inf) for one in (due, asking))
        return max(float(chunk.events.time_s[-1]), *map(float, come_s))

    def _close(self, told: Told, began_s: float) -> None:
        """Let the time of the last window, which began then, end when the next event would arise.

        What is still under way goes on after that, for longer under some approaches than under others: shares of all
        that time could not be compared.
        """
        times_s = np.unique(self._events.time_s)
        closes_s = times_s[-1] + (times_s[-1] - times_s[0]) / max(len(times_s) - 1, 1)
        start_s, end_s, wrong, counted = self.spans
        lasts_s = np.maximum(np.minimum(end_s, closes_s) - np.maximum(start_s, began_s), 0.0)
        lasts_s[-1] += max(closes_s - end_s[-1], 0.0)
        told.wrong_s[-1], told.counted_s[-1] = wrong @ lasts_s, counted * (closes_s - began_s)


def _happening(chunk: Chunk, due: Arriving, asking: Questions) -> Happening:
    """All in the order of time; of what happens at one time, events first, then questions, then messages in order."""
    events, count, questions = chunk.events, len(chunk.events.object), len(asking.time_s)
    before = count + questions
    time_s = np.concatenate((events.time_s, asking.time_s, due.time_s))
    order = np.lexsort((np.concatenate((np.arange(-before, 0), due.key)), time_s))
    arrival = order >= before
    first, last = np.zeros((2, count), np.bool_)
    first[chunk.starts[:-1]] = last[chunk.starts[1:] - 1] = True
    window = np.repeat(np.arange(chunk.windows), np.diff(chunk.starts))
    at = np.where(arrival, order - before, order)
    return Happening(time_s[order], arrival, at, chunk.first, window, first, last, events.object, events.x, events.y)


def _pairs(objects: Ints, y: Floats) -> list[tuple[int, float]]:
    return [(int(i), float(value)) for i, value in zip(objects, y, strict=True) if i >= 0]
