"""Chains of notes, one for each subscription, in one pool of flat arrays, and where the note of a pair is.

A chain is followed from its head. Where chains are long and notes are asked for by (subscription, object), as with
CN-Relax, an open-addressing table finds them: linear probing, and what is taken out draws up what comes after it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner
from simulator.workload.places import empty_places

__all__ = ["Chains", "enter", "grown", "let_go", "make_chains", "note_of", "take_note", "take_out"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SPREAD = np.int64(-7046029254386353131)  # 2^64 over the golden ratio, as a signed number


class Chains(NamedTuple):
    """Notes of each subscription: `head[s]`, then `after`; -1 ends a chain."""

    head: Ints
    pool: Ints
    """(3,) the first note that was let go, how many were ever taken, and how many are in use."""
    table: Ints
    """(slots, 2) subscription and object in one number, -1 for none, and their note; slots are a power of 2."""
    after: Ints
    key: Ints
    object: Ints
    dropped: Ints
    x: Floats
    """With several attributes (notes, d)."""
    y: Floats


def make_chains(subscriptions: int, places: Floats) -> Chains:
    """No notes yet, of places like some."""
    after, key, objects, dropped = np.empty((4, 0), np.int64)
    heads = (np.full(subscriptions, -1), np.array([-1, 0, 0]), np.full((1, 2), -1))
    return Chains(*heads, after, key, objects, dropped, empty_places(places, 0), np.empty(0))


def grown(chains: Chains, more: int, *, paired: bool) -> Chains:
    """Chains with room for so many more notes, and in the table too if notes are asked for by pairs."""
    size, needed = len(chains.after), int(chains.pool[2]) + more
    if needed <= size:
        return chains
    size = max(needed, 2 * size)
    after, key, objects, dropped, x, y = (_longer(column, size, int(chains.pool[1])) for column in chains[3:])
    table = chains.table
    if paired:
        table = np.full((1 << size.bit_length(), 2), -1)  # not all notes there is room for are in use: gaps remain
        _enter_all(chains.table, table)
    return Chains(chains.head, chains.pool, table, after, key, objects, dropped, x, y)


def _longer(column: NDArray[Any], size: int, used: int) -> NDArray[Any]:
    longer = np.empty((size, *column.shape[1:]), column.dtype)  # memory that nobody writes to is not taken
    longer[:used] = column[:used]
    return longer


@njit_inner
def take_note(head: Ints, pool: Ints, after: Ints, s: int, before: int) -> int:
    """A new note in the chain of s, after the note `before`, at the front if that is -1."""
    note = int(pool[0])
    if note >= 0:
        pool[0] = after[note]
    else:
        note = int(pool[1])
        pool[1] += 1
    pool[2] += 1
    if before < 0:
        after[note] = head[s]
        head[s] = note
    else:
        after[note] = after[before]
        after[before] = note
    return note


@njit_inner
def let_go(pool: Ints, after: Ints, first: int, last: int, count: int) -> None:
    """Give back a piece of a chain, which nothing leads to any more."""
    after[last] = pool[0]
    pool[0] = first
    pool[2] -= count


@njit_inner
def _pair(s: int, i: int) -> int:
    return (s << 32) | (i & 0xFFFFFFFF)


@njit_inner
def _home(table: Ints, pair: int) -> int:
    return int(((pair * _SPREAD) >> 32) & (len(table) - 1))


@njit_inner
def _slot(table: Ints, pair: int) -> int:
    """Where a pair is, or would be."""
    at = _home(table, pair)
    while table[at, 0] != -1 and table[at, 0] != pair:
        at = (at + 1) & (len(table) - 1)
    return at


@njit_inner
def note_of(table: Ints, s: int, i: int) -> int:
    """What s has noted of object i; -1 if nothing."""
    return int(table[_slot(table, _pair(s, i)), 1])


@njit_inner
def enter(table: Ints, s: int, i: int, note: int) -> None:
    """Let a note be found that is the first of its pair."""
    pair = _pair(s, i)
    at = _slot(table, pair)
    table[at, 0] = pair
    table[at, 1] = note


@njit_inner
def take_out(table: Ints, s: int, i: int) -> None:
    """Let a pair be found no more: what stands behind it, up to the next gap, moves up if it may stand there."""
    mask = len(table) - 1
    gap = _slot(table, _pair(s, i))
    at = (gap + 1) & mask
    while table[at, 0] != -1:
        home = _home(table, table[at, 0])
        if (at - home) & mask >= (at - gap) & mask:
            table[gap, 0], table[gap, 1] = table[at, 0], table[at, 1]
            gap = at
        at = (at + 1) & mask
    table[gap, 0], table[gap, 1] = -1, -1


@njit
def _enter_all(old: Ints, table: Ints) -> None:
    for at in range(len(old)):
        if old[at, 0] != -1:
            slot = _slot(table, old[at, 0])
            table[slot, 0], table[slot, 1] = old[at, 0], old[at, 1]
