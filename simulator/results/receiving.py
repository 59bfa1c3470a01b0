"""What a watched subscription holds, and whether that is right: the kernels of one arrival at one subscription.

A subscription acts on its messages alone:

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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn.holding import holds
from cn.subscribers import receive
from floor.kernels import njit, njit_inner, njit_within
from simulator.results.chains import Chains, enter, let_go, note_of, take_note, take_out
from simulator.results.truth import TruthArrays
from simulator.workload.places import copy_place

__all__ = ["NO_UNICAST", "Arriving", "Held", "arrive", "held_list", "look"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NO_UNICAST = -2
"""Stands in `dropped` for a message to a region; -1 is one of Unicast that drops nothing."""


class Held(NamedTuple):
    """Lists as subscriptions hold them, and as they were when each was last at rest; (subscriptions, k) each."""

    objects: NDArray[np.int32]
    y: Floats
    rest_objects: NDArray[np.int32]
    rest_y: Floats


class Arriving(NamedTuple):
    """Messages that come to watched subscriptions, as columns."""

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
    """With several attributes (arrivals, d)."""
    y: Floats


@njit_inner
def _apply(held: Held, truth: TruthArrays, s: int, i: int, dropped: int, x: Floats, at: int, y: float) -> None:
    """One message, with its x[at], to a list; what Unicast sends has no x, and may name an object to drop."""
    if dropped >= 0 and dropped != i:
        receive(held.objects[s], held.y[s], dropped, np.inf, True)
    if i >= 0:
        receive(held.objects[s], held.y[s], i, y, dropped != NO_UNICAST or holds(truth.ranges, s, x, at))


@njit_within
def _arrive_at_list(truth: TruthArrays, held: Held, chains: Chains, come: Arriving, a: int, in_place: bool) -> None:
    s, key = come.subscription[a], come.key[a]
    if not in_place:
        _apply(held, truth, s, come.object[a], come.dropped[a], come.x, a, come.y[a])
        return
    before, at = -1, chains.head[s]
    while at >= 0 and chains.key[at] < key:
        before, at = at, chains.after[at]
    if at >= 0 and chains.key[at] == key:
        return
    late = at >= 0
    note = take_note(chains.head, chains.pool, chains.after, s, before)
    chains.key[note], chains.object[note], chains.dropped[note] = key, come.object[a], come.dropped[a]
    copy_place(chains.x, note, come.x, a)
    chains.y[note] = come.y[a]
    if not late:
        _apply(held, truth, s, come.object[a], come.dropped[a], come.x, a, come.y[a])
        return
    for p in range(held.y.shape[1]):
        held.objects[s, p], held.y[s, p] = held.rest_objects[s, p], held.rest_y[s, p]
    at = chains.head[s]
    while at >= 0:
        _apply(held, truth, s, chains.object[at], chains.dropped[at], chains.x, at, chains.y[at])
        at = chains.after[at]


@njit_inner
def _right_y(x: Floats, y: Floats, ranges: Any, s: int, i: int) -> float:
    """What range s should know of object i: +inf if it is not there, or not in range."""
    if 0 <= i < len(y) and holds(ranges, s, x, i):
        return float(y[i])
    return np.inf


@njit_within
def _arrive_at_relaxed(
    x: Floats,
    y: Floats,
    ranges: Any,
    chains: Chains,
    come: Arriving,
    a: int,
    in_place: bool,
) -> None:
    keys, known = chains.key, chains.y
    s, i, key = come.subscription[a], come.object[a], come.key[a]
    note = note_of(chains.table, s, i)
    if note < 0:
        note = take_note(chains.head, chains.pool, chains.after, s, -1)
        enter(chains.table, s, i, note)
        chains.object[note], keys[note], known[note] = i, -1, _right_y(x, y, ranges, s, i)
    if not in_place or key > keys[note]:
        keys[note], known[note] = key, come.y[a] if holds(ranges, s, come.x, a) else np.inf


@njit_within
def arrive(
    truth: TruthArrays, held: Held, chains: Chains, come: Arriving, a: int, in_place: bool, relaxed: bool
) -> None:
    """Let a subscription act on a message."""
    if relaxed:
        _arrive_at_relaxed(truth.x, truth.y, truth.ranges, chains, come, a, in_place)
    else:
        _arrive_at_list(truth, held, chains, come, a, in_place)


@njit_within
def look(truth: TruthArrays, held: Held, chains: Chains, s: int, relaxed: bool, rests: bool) -> bool:
    """Whether the list of s is not the right one, in its objects, their order or a y; let its notes go if it rests.

    Of a subscriber of CN-Relax those go that are right.
    """
    if relaxed:
        return _look_at_relaxed(truth, chains, s, rests)
    same = True
    for p in range(truth.ids.shape[1]):
        same = same and held.objects[s, p] == truth.ids[s, p] and held.y[s, p] == truth.values[s, p]
    if rests and chains.head[s] >= 0:
        first, last, count = chains.head[s], chains.head[s], 1
        while chains.after[last] >= 0:
            last, count = chains.after[last], count + 1
        let_go(chains.pool, chains.after, first, last, count)
        chains.head[s] = -1
        for p in range(held.y.shape[1]):
            held.rest_objects[s, p], held.rest_y[s, p] = held.objects[s, p], held.y[s, p]
    return not same


@njit_within
def _look_at_relaxed(truth: TruthArrays, chains: Chains, s: int, rests: bool) -> bool:
    """The same for CN-Relax: one walk along the notes."""
    x, y, ranges, ids = truth.x, truth.y, truth.ranges, truth.ids
    head, after, objects, known = chains.head, chains.after, chains.object, chains.y
    k = ids.shape[1]
    worst_y, worst = truth.values[s, k - 1], ids[s, k - 1]
    wrong, before, at = False, -1, head[s]
    while at >= 0:
        i, told, following = objects[at], known[at], after[at]
        right_y = np.inf
        if 0 <= i < len(y) and holds(ranges, s, x, i):
            right_y = y[i]
        if told != right_y:  # NaN is wrong too
            before = at
            if np.isnan(told) or (told < np.inf and (told < worst_y or (told == worst_y and i < worst))):
                wrong = True
            elif i >= 0:
                for p in range(k):
                    wrong = wrong or ids[s, p] == i
        elif rests:
            if before < 0:
                head[s] = following
            else:
                after[before] = following
            let_go(chains.pool, after, at, at, 1)
            take_out(chains.table, s, i)
        else:
            before = at
        at = following
    return wrong


@njit
def held_list(
    truth: TruthArrays, held: Held, chains: Chains, s: int, relaxed: bool, objects: Ints, y: Floats
) -> None:
    """Write the list of s as it holds it, best first; what is NaN comes last."""
    for p in range(len(y)):
        objects[p], y[p] = (-1, np.inf) if relaxed else (held.objects[s, p], held.y[s, p])
    if not relaxed:
        return
    known = np.empty(len(truth.y))
    for i in range(len(known)):
        known[i] = _right_y(truth.x, truth.y, truth.ranges, s, i)
    at = chains.head[s]
    while at >= 0:
        if 0 <= chains.object[at] < len(known):
            known[chains.object[at]] = chains.y[at]
        at = chains.after[at]
    for p in range(len(y)):
        best = -1
        for i in range(len(known)):
            if known[i] < np.inf and (best < 0 or known[i] < known[best]):
                best = i
        if best < 0:
            break
        objects[p], y[p], known[best] = best, known[best], np.inf
