"""A set of positions 0 ... m - 1 that tells neighbours: a tree of 64-bit words.

Level 0 has a bit per position; a bit of a higher level says that the word below it is not zero. Every operation takes
O(log_64 m): four words for 16 million positions. The constraint graph keeps the starts of visible blocks in one, and
the arrangement its queue.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.word_bits import highest_bit, lowest_bit

__all__ = ["PositionSet", "add", "at_or_after", "at_or_before", "discard", "new_set"]

ONE = np.uint64(1)


class PositionSet(NamedTuple):
    """The words of all levels, lowest level first."""

    words: npt.NDArray[np.uint64]
    start: npt.NDArray[np.int64]
    """(levels + 1,): where a level starts in `words`; the highest level is one word."""


def new_set(positions: int) -> PositionSet:
    """An empty set with room for positions 0 ... positions - 1."""
    sizes = [max(1, -(-positions // 64))]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // 64))
    start = np.append(0, np.cumsum(sizes)).astype(np.int64)
    return PositionSet(np.zeros(start[-1], np.uint64), start)


@njit
def add(some: PositionSet, position: int) -> None:
    """Put a position into the set."""
    for level in range(len(some.start) - 1):
        word = some.start[level] + (position >> 6)
        before = some.words[word]
        some.words[word] = before | (ONE << np.uint64(position & 63))
        if before != 0:
            return
        position >>= 6


@njit
def discard(some: PositionSet, position: int) -> None:
    """Take a position out of the set, if it is there."""
    for level in range(len(some.start) - 1):
        word = some.start[level] + (position >> 6)
        some.words[word] &= ~(ONE << np.uint64(position & 63))
        if some.words[word] != 0:
            return
        position >>= 6


@njit
def at_or_after(some: PositionSet, position: int) -> int:
    """The least member that is not below a position; -1 if there is none."""
    levels = len(some.start) - 1
    for level in range(levels):
        if some.start[level] + (position >> 6) >= some.start[level + 1]:
            return -1
        word = some.words[some.start[level] + (position >> 6)] >> np.uint64(position & 63)
        if word != 0:
            found = position + lowest_bit(word)
            for below in range(level - 1, -1, -1):
                found = (found << 6) + lowest_bit(some.words[some.start[below] + found])
            return found
        position = (position >> 6) + 1
    return -1


@njit
def at_or_before(some: PositionSet, position: int) -> int:
    """The greatest member that is not above a position, which must be one of the set's; -1 if there is none."""
    for level in range(len(some.start) - 1):
        word = some.words[some.start[level] + (position >> 6)] << np.uint64(63 - (position & 63))
        if word != 0:
            found = position - 63 + highest_bit(word)
            for below in range(level - 1, -1, -1):
                found = (found << 6) + highest_bit(some.words[some.start[below] + found])
            return found
        position = (position >> 6) - 1
        if position < 0:
            return -1
    return -1
