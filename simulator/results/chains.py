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
    after: Ints
    key: Ints
    object: Ints
    dropped: Ints
    x: Floats
    y: Floats


def make_chains(subscriptions: int) -> Chains:
    """No notes yet."""
    after, key, objects, dropped = np.empty((4, 0), np.int64)
    return Chains(np.full(subscriptions, -1), np.full(1, -1), after, key, objects, dropped, np.empty(0), np.empty(0))


def grown(chains: Chains, more: int) -> Chains:
    """Chains with room for so many more notes."""
    free, at = 0, int(chains.free[0])
    while at >= 0 and free < more:
        free, at = free + 1, int(chains.after[at])
    if free >= more:
        return chains
    size, added = len(chains.after), max(more, len(chains.after))
    after = np.append(chains.after, np.append(np.arange(size + 1, size + added), chains.free[0]))
    chains.free[0] = size
    whole = [np.append(column, np.empty(added, np.int64)) for column in (chains.key, chains.object, chains.dropped)]
    real = [np.append(column, np.empty(added)) for column in (chains.x, chains.y)]
    return chains._replace(after=after, key=whole[0], object=whole[1], dropped=whole[2], x=real[0], y=real[1])


@njit
def take_note(chains: Chains, s: int, before: int) -> int:
    """A new note in the chain of s, after the note `before`, at the front if that is -1."""
    note = int(chains.free[0])
    chains.free[0] = chains.after[note]
    if before < 0:
        chains.after[note] = chains.head[s]
        chains.head[s] = note
    else:
        chains.after[note] = chains.after[before]
        chains.after[before] = note
    return note
