"""What watched subscriptions hold at every moment, beside what is right then: the kernels of `timeline`.

Everything that happens is a step, in the order of time: an event, which changes what is right, or the arrival of a
message at a subscription, which changes what that one holds. A subscription acts on its messages alone:

* A list that is kept from messages (Paint, Unicast) takes in each message by the protocol of `cn.subscribers`. With
  `in_place`, one that comes late is put in its place: the messages since the last moment of rest are kept in their
  order, and the list is made from them again. A message that came before is dropped.
* A subscriber of CN-Relax knows a y of every object in its range, and what it knows differs from what is right only
  for objects of which something is or was under way: these are noted. With `in_place`, an older message does not
  replace what a newer one told. Its list is right iff no noted object whose y it knows wrongly is in the right list,
  or would be by the wrong y.

Both keep a chain of notes for each subscription. A subscription is at rest while nothing is under way to it; then its
chain is let go.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn.subscribers import receive
from floor.kernels import njit
from simulator.results.chains import Chains, take_note
from simulator.results.truth import TruthArrays, change_object, fill_lists

__all__ = ["NO_UNICAST", "Clock", "Held", "Steps", "Told", "run_steps"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_UNICAST = -2
"""Stands in `dropped` for a message to a region; -1 is one of Unicast that drops nothing."""


class Held(NamedTuple):
    """Lists as subscriptions hold them, and as they were when each was last at rest; (subscriptions, k) each."""

    objects: NDArray[np.int32]
    y: Floats
    rest_objects: NDArray[np.int32]
    rest_y: Floats


class Clock(NamedTuple):
    """The state of every subscription."""

    present: Flags
    under_way: Ints
    """Arrivals to come of windows that have begun."""
    unsettled: Flags
    """Whether an event of a window that is not complete concerns it."""
    wrong: Flags
    counted: Flags
    """Whether its time counts."""


class Steps(NamedTuple):
    """What happens, in order: event `at` of the chunk if `arrival` is false, else arrival `at`."""

    time_s: Floats
    arrival: Flags
    at: Ints
    window: Ints
    """(events,) window of each event, then -1."""
    first: Flags
    """(events,) whether an event is the first of its window."""
    last: Flags
    event_object: Ints
    event_x: Floats
    event_y: Floats
    number: Ints
    """(arrivals,) event that the message answers."""
    subscription: Ints
    key: Ints
    """(arrivals,) place of the message among all of the run."""
    object: Ints
    dropped: Ints
    x: Floats
    y: Floats
    pair_start: Ints
    """(windows + 1,) where the pairs of each window start."""
    pair_subscription: Ints
    pair_count: Ints
    """How many arrivals of the window come to the subscription."""


class Told(NamedTuple):
    """What the steps come to."""

    changed: Flags
    """(windows, subscriptions) whether a window changed what is right for a subscription whose time counts."""
    wrong_s: Floats
    """(windows,) from the window's first event to the next one's: seconds that lists were wrong, added up."""
    counted_s: Floats
    """(windows,) likewise: seconds of all subscriptions that count."""
    mismatch: Ints
    """(3,) subscription, event, and whether at an arrival, of the first list that was wrong at rest; -1 if none."""


@njit
def _write(steps: Steps, a: int, chains: Chains, note: int) -> None:
    chains.key[note] = steps.key[a]
    chains.object[note] = steps.object[a]
    chains.dropped[note] = steps.dropped[a]
    chains.x[note] = steps.x[a]
    chains.y[note] = steps.y[a]


@njit
def _apply(held: Held, truth: TruthArrays, s: int, i: int, dropped: int, x: float, y: float) -> None:
    """One message to a list; what Unicast sends has no x, and may name an object to drop."""
    if dropped >= 0 and dropped != i:
        receive(held.objects[s], held.y[s], dropped, np.inf, True)
    if i >= 0:
        receive(held.objects[s], held.y[s], i, y, dropped != NO_UNICAST or truth.l[s] <= x <= truth.r[s])


@njit
def _arrive_at_list(truth: TruthArrays, held: Held, chains: Chains, steps: Steps, a: int, in_place: bool) -> None:
    s, key = steps.subscription[a], steps.key[a]
    if not in_place:
        _apply(held, truth, s, steps.object[a], steps.dropped[a], steps.x[a], steps.y[a])
        return
    before, at = -1, chains.head[s]
    while at >= 0 and chains.key[at] < key:
        before, at = at, chains.after[at]
    if at >= 0 and chains.key[at] == key:
        return
    late = at >= 0
    _write(steps, a, chains, take_note(chains, s, before))
    if not late:
        _apply(held, truth, s, steps.object[a], steps.dropped[a], steps.x[a], steps.y[a])
        return
    held.objects[s] = held.rest_objects[s]
    held.y[s] = held.rest_y[s]
    at = chains.head[s]
    while at >= 0:
        _apply(held, truth, s, chains.object[at], chains.dropped[at], chains.x[at], chains.y[at])
        at = chains.after[at]


@njit
def _note_of(chains: Chains, s: int, i: int) -> int:
    """What s has noted of object i; -1 if nothing."""
    at = int(chains.head[s])
    while at >= 0 and chains.object[at] != i:
        at = int(chains.after[at])
    return at


@njit
def _right_y(truth: TruthArrays, s: int, i: int) -> float:
    """What s should know of object i: +inf if it is not there, or not in range."""
    if 0 <= i < len(truth.y) and truth.l[s] <= truth.x[i] <= truth.r[s]:
        return float(truth.y[i])
    return np.inf


@njit
def _arrive_at_relaxed(truth: TruthArrays, chains: Chains, steps: Steps, a: int, in_place: bool) -> None:
    s, i = steps.subscription[a], steps.object[a]
    note = _note_of(chains, s, i)
    if note < 0:
        note = take_note(chains, s, -1)
        chains.object[note], chains.key[note], chains.y[note] = i, -1, _right_y(truth, s, i)
    if not in_place or steps.key[a] > chains.key[note]:
        inside = truth.l[s] <= steps.x[a] <= truth.r[s]
        chains.key[note], chains.y[note] = steps.key[a], steps.y[a] if inside else np.inf


@njit
def _is_wrong(truth: TruthArrays, held: Held, chains: Chains, s: int, relaxed: bool) -> bool:
    k = truth.ids.shape[1]
    if not relaxed:
        same = True
        for p in range(k):
            same = same and held.objects[s, p] == truth.ids[s, p] and held.y[s, p] == truth.values[s, p]
        return not same
    worst_y, worst = truth.values[s, k - 1], truth.ids[s, k - 1]
    at = chains.head[s]
    while at >= 0:
        i, known = chains.object[at], chains.y[at]
        if known != _right_y(truth, s, i):  # NaN is wrong too
            if np.isnan(known) or (known < np.inf and (known < worst_y or (known == worst_y and i < worst))):
                return True
            for p in range(k):
                if truth.ids[s, p] == i:
                    return True
        at = chains.after[at]
    return False


@njit
def _rest(truth: TruthArrays, held: Held, chains: Chains, s: int, relaxed: bool) -> None:
    """Let the notes of s go; of a subscriber of CN-Relax those that are right."""
    if chains.head[s] < 0:
        return
    before, at = -1, chains.head[s]
    while at >= 0:
        following = chains.after[at]
        if relaxed and chains.y[at] != _right_y(truth, s, chains.object[at]):
            before = at
        else:
            if before < 0:
                chains.head[s] = following
            else:
                chains.after[before] = following
            chains.after[at] = chains.free[0]
            chains.free[0] = at
        at = following
    if not relaxed:
        held.rest_objects[s] = held.objects[s]
        held.rest_y[s] = held.y[s]


@njit
def _happen(
    truth: TruthArrays,
    chains: Chains,
    clock: Clock,
    steps: Steps,
    e: int,
    relaxed: bool,
    concerned: Ints,
    moved: Flags,
) -> int:
    """Let an event change what is right; how many subscriptions it concerns, which, and whose list it changes.

    A list is looked at only if the object is in it or would be.
    """
    i, x, y = steps.event_object[e], steps.event_x[e], steps.event_y[e]
    old_x, old_y, k = truth.x[i], truth.y[i], truth.ids.shape[1]
    if x == old_x and y == old_y:
        return 0
    change_object(truth, i, x, y)
    count = 0
    one = np.empty(1, np.int64)
    for s in range(len(truth.l)):
        was, now = truth.l[s] <= old_x <= truth.r[s], truth.l[s] <= x <= truth.r[s]
        if not clock.present[s] or not (was or now):
            continue
        concerned[count] = s
        moved[count] = False
        if relaxed and _note_of(chains, s, i) < 0:
            note = take_note(chains, s, -1)
            chains.object[note], chains.key[note], chains.y[note] = i, -1, old_y if was else np.inf
        member = False
        for p in range(k):
            member = member or truth.ids[s, p] == i
        worst_y, worst = truth.values[s, k - 1], truth.ids[s, k - 1]
        if member or (now and (y < worst_y or (y == worst_y and (i < worst or worst < 0)))):
            before_ids, before_values = truth.ids[s].copy(), truth.values[s].copy()
            one[0] = s
            fill_lists(truth, one)
            for p in range(k):
                same = truth.ids[s, p] == before_ids[p] and truth.values[s, p] == before_values[p]
                moved[count] = moved[count] or not same
            if member and x != old_x and now:
                moved[count] = True
        count += 1
    return count


@njit
def run_steps(
    truth: TruthArrays,
    held: Held,
    chains: Chains,
    clock: Clock,
    steps: Steps,
    told: Told,
    now_s: float,
    window: int,
    in_place: bool,
    relaxed: bool,
) -> float:
    """Let everything happen; the time of the last step.

    Parameters
    ----------
    now_s, window
        Where the last call ended, and the row that time counts for until the first window begins.
    """
    concerned, moved = np.empty(len(truth.l), np.int64), np.empty(len(truth.l), np.bool_)
    touched = np.empty(len(truth.l), np.int64)
    first_ids, first_values = np.empty_like(truth.ids), np.empty_like(truth.values)
    wrong = np.count_nonzero(clock.wrong & clock.counted & clock.present)
    counted = np.count_nonzero(clock.counted & clock.present)
    begun = 0
    for step in range(len(steps.time_s)):
        time_s, at = steps.time_s[step], steps.at[step]
        if window >= 0:
            told.wrong_s[window] += wrong * (time_s - now_s)
            told.counted_s[window] += counted * (time_s - now_s)
        now_s = time_s
        if steps.arrival[step]:
            s = steps.subscription[at]
            if not clock.present[s]:
                continue
            clock.under_way[s] -= 1
            if relaxed:
                _arrive_at_relaxed(truth, chains, steps, at, in_place)
            else:
                _arrive_at_list(truth, held, chains, steps, at, in_place)
            concerned[0], count, event = s, 1, steps.number[at]
        else:
            window = steps.window[at]
            event = -1 - at
            if steps.first[at]:
                begun = 0
                for pair in range(steps.pair_start[window], steps.pair_start[window + 1]):
                    clock.under_way[steps.pair_subscription[pair]] += steps.pair_count[pair]
            alone = steps.first[at] and steps.last[at]
            if not alone:  # what the window comes to is known at its end; until then its lists are on their way
                for s in range(len(truth.l)):
                    holds = truth.l[s] <= steps.event_x[at] <= truth.r[s]
                    holds = holds or truth.l[s] <= truth.x[steps.event_object[at]] <= truth.r[s]
                    if clock.present[s] and holds and not clock.unsettled[s]:
                        clock.unsettled[s] = True
                        first_ids[s], first_values[s] = truth.ids[s], truth.values[s]
                        touched[begun] = s
                        begun += 1
            count = _happen(truth, chains, clock, steps, at, relaxed, concerned, moved)
            if alone:
                for c in range(count):
                    if moved[c] and clock.counted[concerned[c]]:
                        told.changed[window, concerned[c]] = True
            elif steps.last[at]:
                for c in range(begun):
                    s = touched[c]
                    clock.unsettled[s] = False
                    same = np.array_equal(first_ids[s], truth.ids[s]) and np.array_equal(
                        first_values[s], truth.values[s]
                    )
                    if not same and clock.counted[s]:
                        told.changed[window, s] = True
                concerned[:begun] = touched[:begun]
                count = begun
        for c in range(count):
            s = concerned[c]
            is_wrong = _is_wrong(truth, held, chains, s, relaxed)
            if is_wrong != clock.wrong[s]:
                clock.wrong[s] = is_wrong
                if clock.counted[s]:
                    wrong += 1 if is_wrong else -1
            if clock.under_way[s] == 0 and not clock.unsettled[s]:
                if is_wrong and told.mismatch[0] < 0:
                    told.mismatch[0], told.mismatch[1], told.mismatch[2] = s, event, steps.arrival[step]
                _rest(truth, held, chains, s, relaxed)
    return now_s
