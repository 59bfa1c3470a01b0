"""Chains of notes, one for each subscription, in one pool of flat arrays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit

__all__ = ["Chains", "grown", "make_chains", "take_note"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Chains(NamedTuple):
    """Notes of each subscription, ascending in `key`: `head[s]`, then `after`; -1 ends a chain."""

    head: Ints
    free: Ints
    """(1,) first note that is not in use."""
    noted: Ints
    """(objects,) how many subscribers of CN-Relax have a note of each."""
    after: Ints
    key: Ints
    object: Ints
    dropped: Ints
    x: Floats
    y: Floats


def make_chains(subscriptions: int, objects: int) -> Chains:
    """No notes yet."""
    after, key, noted, dropped = np.empty((4, 0), np.int64)
    heads = (np.full(subscriptions, -1), np.full(1, -1), np.zeros(objects, np.int64))
    return Chains(*heads, after, key, noted, dropped, np.empty(0), np.empty(0))


def grown(chains: Chains, more: int) -> Chains:
    """Chains with room for so many more notes."""
    if _free_notes(chains, more) >= more:
        return chains
    size, added = len(chains.after), max(more, len(chains.after))
    after = np.append(chains.after, np.append(np.arange(size + 1, size + added), chains.free[0]))
    chains.free[0] = size
    whole = [np.append(column, np.empty(added, np.int64)) for column in (chains.key, chains.object, chains.dropped)]
    real = [np.append(column, np.empty(added)) for column in (chains.x, chains.y)]
    return chains._replace(after=after, key=whole[0], object=whole[1], dropped=whole[2], x=real[0], y=real[1])


@njit
def _free_notes(chains: Chains, most: int) -> int:
    """How many notes are not in use, counted up to so many."""
    count, at = 0, chains.free[0]
    while at >= 0 and count < most:
        count, at = count + 1, chains.after[at]
    return count


@njit
def take_note(head: Ints, free: Ints, after: Ints, s: int, before: int) -> int:
    """A new note in the chain of s, after the note `before`, at the front if that is -1."""
    note = int(free[0])
    free[0] = after[note]
    if before < 0:
        after[note] = head[s]
        head[s] = note
    else:
        after[note] = after[before]
        after[before] = note
    return note
