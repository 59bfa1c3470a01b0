"""Everything that happens to watched subscriptions, step by step, beside what is right then: kernels of `timeline`.

A step is an event, which changes what is right, or the arrival of a message at a subscription, which changes what
that one holds (`receiving`). Steps come in the order of time. Where subscriptions ask, a question is a step too: a
list that an event changes is on its way until its subscription has asked, and had the answer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn.holding import holds
from floor.kernels import njit
from simulator.results.chains import Chains, enter, note_of, take_note
from simulator.results.receiving import Arriving, Held, arrive, held_list, look
from simulator.results.truth import TruthArrays, change_object, fill_lists, find
from simulator.workload.places import empty_places, same_place

__all__ = ["Clock", "Expected", "Happening", "Questions", "Told", "count_notes", "run_steps"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Clock(NamedTuple):
    """The state of every subscription."""

    present: Flags
    under_way: Ints
    """Arrivals to come of windows that have begun."""
    unsettled: Flags
    """Whether an event of a window that is not complete concerns it; where it has to ask, whether one has changed its
    list since."""
    wrong: Flags
    counted: Flags
    """Whether its time counts."""
    told: Ints
    """First event of the last window that it is told of."""
    told_s: Floats
    """When it has been told all of it."""
    changes: Ints
    """Events that have changed what is right since it asked, where it has to,"""
    changed_s: Floats
    """and their times, added up."""


class Happening(NamedTuple):
    """What happens, in order: arrival `at` if `arrival` is true, else event `at`; beyond the events are questions."""

    time_s: Floats
    arrival: Flags
    at: Ints
    first_event: int
    """Number of the chunk's first event."""
    window: Ints
    """(events,) window of each event."""
    first: Flags
    """(events,) whether an event is the first of its window."""
    last: Flags
    object: Ints
    x: Floats
    """With several attributes (events, d)."""
    y: Floats


class Questions(NamedTuple):
    """Who asks, as columns in the order of time, and what comes of it."""

    time_s: Floats
    subscription: Ints
    own: Flags
    """Whether it is the one that asked; an answer may come to others, which is wrong."""
    times: Ints
    """How many arrivals the answer has for the subscription."""
    last_s: Floats
    """When it has the answer."""


class Expected(NamedTuple):
    """Who is told of each window, and how often."""

    start: Ints
    """(windows + 1,) where the subscriptions of each window start."""
    subscription: Ints
    times: Ints
    """How many arrivals of the window come to the subscription."""
    last_s: Floats
    """When the last of them does."""
    need_start: Ints
    """(windows + 1,) where the notifications of each window start that are held against need."""
    need_subscription: Ints
    need_object: Ints
    need_updated: Flags
    """Whether the object is one that the window changes."""


class Told(NamedTuple):
    """What the steps come to."""

    stale_s: Floats
    """(windows,) from the window's first event until a list had taken it in, added up over the lists it changed."""
    lists: Ints
    """(windows,) lists that count and that the window changed and told."""
    wrong_s: Floats
    """(windows,) from the window's first event to the next one's: seconds that lists were wrong, added up."""
    counted_s: Floats
    """(windows,) likewise: seconds of all subscriptions that count."""
    mismatch: Ints
    """(2,) subscription and event of the first list that was wrong at rest; -1 if none."""
    objects: Ints
    """(2, k) that list, and the right one."""
    y: Floats
    wrong_before: Ints
    """(steps,) lists that count and were wrong until each step."""
    missed: Ints
    """(2,) window and subscription of the first list that changed without a word; -1 if none."""
    spare: Flags
    """(notifications,) whether one tells of an object that is in the list as before, or not as before."""


@njit
def count_notes(truth: TruthArrays, events: Happening) -> int:
    """At most so many notes are taken of what events make stale."""
    places, ranges, count = truth.x.copy(), truth.ranges, 0
    for e in range(len(events.object)):
        i = events.object[e]
        for s in range(len(truth.ids)):
            count += holds(ranges, s, places, i) or holds(ranges, s, events.x, e)
        places[i] = events.x[e]
    return count


@njit
def _look_before(truth: TruthArrays, expected: Expected, window: int, was_x: Floats, was_y: Floats) -> None:
    """Note x, and the y by which each object that is told of was in the list before the window; NaN if it was not."""
    for n in range(expected.need_start[window], expected.need_start[window + 1]):
        s, i = expected.need_subscription[n], expected.need_object[n]
        p = find(truth.ids, s, i)
        was_y[n] = truth.values[s, p] if p >= 0 else np.nan
        if 0 <= i < len(truth.x):
            was_x[n] = truth.x[i]
        else:
            was_x[n] = np.nan


@njit
def _look_after(
    truth: TruthArrays, expected: Expected, window: int, was_x: Floats, was_y: Floats, told: Told
) -> None:
    """Judge the notifications of a window by the lists before and after."""
    for n in range(expected.need_start[window], expected.need_start[window + 1]):
        s, i = expected.need_subscription[n], expected.need_object[n]
        p = find(truth.ids, s, i)
        if np.isnan(was_y[n]):
            needed = p >= 0
        elif not expected.need_updated[n]:
            needed = False
        else:
            needed = p < 0 or truth.values[s, p] != was_y[n] or not same_place(truth.x, i, was_x, n)
        told.spare[n] = not needed


@njit
def _happen(
    truth: TruthArrays,
    chains: Chains,
    clock: Clock,
    events: Happening,
    e: int,
    relaxed: bool,
    concerned: Ints,
    moved: Flags,
) -> int:
    """Let an event change what is right; how many subscriptions it concerns, which, and whose list it changes.

    A list is looked at only if the object is in it or would be.
    """
    i, x, y = events.object[e], events.x, events.y[e]
    ranges, ids, values, present = truth.ranges, truth.ids, truth.values, clock.present
    head, pool, table, after = chains.head, chains.pool, chains.table, chains.after
    noted, keys, known = chains.object, chains.key, chains.y
    old_x, old_y, k = truth.x[i : i + 1].copy(), truth.y[i], ids.shape[1]
    stays = same_place(x, e, old_x, 0)
    if stays and y == old_y:
        return 0
    change_object(truth, i, x[e], y)
    count = 0
    one, before_ids, before_values = np.empty(1, np.int64), np.empty(k, ids.dtype), np.empty(k)
    for s in range(len(ids)):
        was, now = holds(ranges, s, old_x, 0), holds(ranges, s, x, e)
        if not present[s] or not (was or now):
            continue
        concerned[count] = s
        moved[count] = False
        if relaxed and note_of(table, s, i) < 0:
            note = take_note(head, pool, after, s, -1)
            enter(table, s, i, note)
            noted[note], keys[note], known[note] = i, -1, old_y if was else np.inf
        member = find(ids, s, i) >= 0
        worst_y, worst = values[s, k - 1], ids[s, k - 1]
        if member or (now and (y < worst_y or (y == worst_y and (i < worst or worst < 0)))):
            for p in range(k):
                before_ids[p], before_values[p] = ids[s, p], values[s, p]
            one[0] = s
            fill_lists(truth, one)
            for p in range(k):
                same = ids[s, p] == before_ids[p] and values[s, p] == before_values[p]
                moved[count] = moved[count] or not same
            if member and not stays and now:
                moved[count] = True
        count += 1
    return count


@njit
def _begin(clock: Clock, expected: Expected, window: int, number: int) -> None:
    """Note who will be told of a window."""
    for at in range(expected.start[window], expected.start[window + 1]):
        s = expected.subscription[at]
        clock.under_way[s] += expected.times[at]
        clock.told[s], clock.told_s[s] = number, expected.last_s[at]


@njit
def _changed(clock: Clock, s: int, window: int, number: int, arose_s: float, told: Told) -> None:
    """Account for a list that a window has changed."""
    if clock.told[s] != number:
        if told.missed[0] < 0:
            told.missed[0], told.missed[1] = window, s
    elif clock.counted[s]:
        told.stale_s[window] += clock.told_s[s] - arose_s
        told.lists[window] += 1


@njit
def _await(clock: Clock, concerned: Ints, moved: Flags, count: int, arose_s: float) -> None:
    """Note whose lists an event changes, until they ask."""
    for c in range(count):
        s = concerned[c]
        if moved[c]:
            clock.unsettled[s] = True
            clock.changes[s] += 1
            clock.changed_s[s] += arose_s


@njit
def _put(clock: Clock, asking: Questions, q: int, window: int, told: Told) -> None:
    """Let a subscription ask: it will know all that has changed its list until now."""
    s = asking.subscription[q]
    clock.under_way[s] += asking.times[q]
    if not asking.own[q]:
        return
    clock.unsettled[s] = False
    if clock.counted[s]:
        told.stale_s[window] += clock.changes[s] * asking.last_s[q] - clock.changed_s[s]
        told.lists[window] += clock.changes[s]
    clock.changes[s], clock.changed_s[s] = 0, 0.0


@njit
def _moved_in_list(truth: TruthArrays, s: int, events: Happening, e: int, began: int, old_x: Floats) -> bool:
    """Whether the object of an event is in the list, but not where it was when the window began."""
    first = began
    while events.object[first] != events.object[e]:
        first += 1
    return not same_place(truth.x, events.object[e], old_x, first) and find(truth.ids, s, events.object[e]) >= 0


@njit
def run_steps(
    truth: TruthArrays,
    held: Held,
    chains: Chains,
    clock: Clock,
    events: Happening,
    come: Arriving,
    asking: Questions,
    expected: Expected,
    told: Told,
    now_s: float,
    in_place: bool,
    relaxed: bool,
    asked: bool,
) -> float:
    """Let everything happen; the time of the last step. `now_s` is where the last call ended."""
    m, k = truth.ids.shape
    concerned, moved, touched = np.empty(m, np.int64), np.empty(m, np.bool_), np.empty(m, np.int64)
    # As it was before a window of several events, for those that it concerns.
    room = 0
    for first in events.first:
        room = room if first else m
    first_ids, first_values = np.empty((room, k), np.int64), np.empty((room, k))
    wrong, counted = 0, 0
    for s in range(m):
        counts_now = clock.counted[s] and clock.present[s]
        counted += counts_now
        wrong += counts_now and clock.wrong[s]
    was_x, was_y = empty_places(truth.x, len(expected.need_object)), np.empty(len(expected.need_object))
    old_x = empty_places(truth.x, len(events.object))
    begun, began, window, number, arose_s = 0, 0, -1, -1, 0.0
    # Arrays of every step by names of their own: to take one out of a tuple costs more than what is done with it.
    present, under_way, unsettled, counts = clock.present, clock.under_way, clock.unsettled, clock.counted
    times_s, places, arrival, comes_to = events.time_s, events.at, events.arrival, come.subscription
    wrong_before, wrong_s, counted_s, wrongs = told.wrong_before, told.wrong_s, told.counted_s, clock.wrong
    for step in range(len(times_s)):
        time_s, at = times_s[step], places[step]
        wrong_before[step] = wrong
        if window >= 0:
            wrong_s[window] += wrong * (time_s - now_s)
            counted_s[window] += counted * (time_s - now_s)
        now_s = time_s
        if arrival[step]:
            s = comes_to[at]
            if not present[s]:
                continue
            under_way[s] -= 1
            arrive(truth, held, chains, come, at, in_place, relaxed)
            concerned[0], count, event = s, 1, come.number[at]
        elif at >= len(events.object):
            s = asking.subscription[at - len(events.object)]
            if not clock.present[s]:
                continue
            rests = under_way[s] == 0
            if rests:  # what has come is in its place for good; a True written here would compile `look` once more
                look(truth, held, chains, s, relaxed, rests)
            _put(clock, asking, at - len(events.object), window, told)
            concerned[0], count, event = s, 1, number
        else:
            window, event = events.window[at], events.first_event + at
            if events.first[at]:
                begun, number, arose_s = 0, event, time_s
                began = at
                _look_before(truth, expected, window, was_x, was_y)
                _begin(clock, expected, window, number)
            alone = events.first[at] and events.last[at]
            old_x[at] = truth.x[events.object[at]]
            if not alone:  # what the window comes to is known at its end; until then its lists are on their way
                for s in range(m):
                    concerns = holds(truth.ranges, s, events.x, at)
                    concerns = concerns or holds(truth.ranges, s, truth.x, events.object[at])
                    if present[s] and concerns and not unsettled[s]:
                        unsettled[s] = True
                        for p in range(k):
                            first_ids[s, p], first_values[s, p] = truth.ids[s, p], truth.values[s, p]
                        touched[begun] = s
                        begun += 1
            count = _happen(truth, chains, clock, events, at, relaxed, concerned, moved)
            if events.last[at]:
                _look_after(truth, expected, window, was_x, was_y, told)
            if asked:
                _await(clock, concerned, moved, count, arose_s)
            elif alone:
                for c in range(count):
                    if moved[c]:
                        _changed(clock, concerned[c], window, number, arose_s, told)
            elif events.last[at]:
                for c in range(begun):
                    s = touched[c]
                    unsettled[s] = False
                    same = True
                    for p in range(k):
                        same = (
                            same and first_ids[s, p] == truth.ids[s, p] and first_values[s, p] == truth.values[s, p]
                        )
                    for e in range(began, at + 1):
                        same = same and not _moved_in_list(truth, s, events, e, began, old_x)
                    if not same:
                        _changed(clock, s, window, number, arose_s, told)
                for c in range(begun):
                    concerned[c] = touched[c]
                count = begun
        for c in range(count):
            s = concerned[c]
            rests = under_way[s] == 0 and not unsettled[s]
            if not (rests or counts[s]):  # nobody asks what it holds meanwhile
                continue
            now_wrong = look(truth, held, chains, s, relaxed, rests)
            if now_wrong != wrongs[s]:
                wrongs[s] = now_wrong
                if counts[s]:
                    wrong += 1 if now_wrong else -1
            if rests and now_wrong and told.mismatch[0] < 0:
                told.mismatch[0], told.mismatch[1] = s, event
                held_list(truth, held, chains, s, relaxed, told.objects[0], told.y[0])
                for p in range(k):
                    told.objects[1, p], told.y[1, p] = truth.ids[s, p], truth.values[s, p]
    return now_s
