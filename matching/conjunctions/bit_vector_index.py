"""Compressed bit vectors, intersected over attributes. Static.

Seed 002, Section 4.1: an attribute answers with the set of profiles that its value satisfies, one bit each, and the
sets of all attributes are ANDed. Profiles that do not ask for the attribute stay: with U those that ask for it and S
those whose interval holds the value, the set so far is ANDed with (not U) or S. S comes from the elementary interval
of the value, which is found by bisection, as in the Interval Index (Section 4.1.2).

Sets for all elementary intervals would take quadratic space, so an attribute has at most MOST_CUTS cuts; between two
of them the set has all profiles whose intervals meet the gap, and what comes out of the AND is tested. Where there
are no other ends than cuts the sets are exact and no test is needed.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.asked import Asked, Checks, held, keep_if_passing
from matching.conjunctions.conjunction_index import StaticConjunctionIndex
from matching.flat_arrays import room_for
from matching.intervals.bit_vectors import BitVectors, consecutive_vectors
from matching.intervals.elementary import elementary_number
from matching.range_index import Floats, Ids, Ints
from matching.word_bits import lowest_bit

__all__ = ["BitVectorIndex", "Vectors"]

MOST_CUTS = 64
ONE, EVERY = np.uint64(1), np.uint64(2**64 - 1)


class Vectors(NamedTuple):
    """The arrays of sets of n subscriptions."""

    cuts: npt.NDArray[np.int64]
    """(attributes + 1,): where the cuts of an attribute start."""
    cut: npt.NDArray[np.float64]
    asking: BitVectors
    """A set per attribute: who asks for it."""
    satisfied: BitVectors
    """A set per elementary interval, those of an attribute from 2 cuts[attribute] + attribute on."""
    asked: Asked
    """Intervals of subscriptions, if they are to be tested; else of none."""


def vectors_of(asked: Asked, attributes: int) -> Vectors:
    """Sets of subscriptions: O(p log p + members) for p predicates."""
    n = asked.offset.size - 1
    owner = np.repeat(np.arange(n), np.diff(asked.offset))
    by_attribute = np.argsort(asked.attribute, kind="stable")
    bounds = np.searchsorted(asked.attribute[by_attribute], np.arange(attributes + 1))
    cuts, asking, satisfied = [np.empty(0)], [], []
    exact = True
    for attribute in range(attributes):
        here = by_attribute[bounds[attribute] : bounds[attribute + 1]]
        low, high = asked.low[here], asked.high[here]
        ends = np.unique(np.concatenate((low[low > -np.inf], high[high < np.inf])))
        if ends.size > MOST_CUTS:
            exact = False
            ends = ends[np.linspace(0, ends.size - 1, MOST_CUTS).astype(np.int64)]
        first, last = np.zeros(n, np.int64), np.full(n, -1)
        asking.append(_sets(first, last, owner[here], np.zeros(here.size), np.zeros(here.size), 1))
        runs = (_numbers(ends, low), np.where(low <= high, _numbers(ends, high), -1))
        satisfied.append(_sets(first, last, owner[here], *runs, 2 * ends.size + 1))
        cuts.append(ends)
    sizes = [ends.size for ends in cuts]
    kept = Asked(np.zeros(1, np.int64), asked.attribute[:0], asked.low[:0], asked.high[:0]) if exact else asked
    return Vectors(np.cumsum(sizes), np.concatenate(cuts), _together(asking), _together(satisfied), kept)


def _numbers(cuts: Floats, ends: Floats) -> Ints:
    """Elementary interval of each end."""
    at = np.searchsorted(cuts, ends)
    inside = at < cuts.size
    is_cut = np.zeros(ends.size, np.bool_)
    is_cut[inside] = cuts[at[inside]] == ends[inside]
    return 2 * at + is_cut


def _sets(first: Ints, last: Ints, owner: Ints, starts: npt.ArrayLike, ends: npt.ArrayLike, count: int) -> BitVectors:
    """Sets in which an owner is from its start to its end, and nobody else."""
    first[:], last[:] = 0, -1
    first[owner], last[owner] = starts, ends
    return consecutive_vectors(first, last, count)


def _together(sets: list[BitVectors]) -> BitVectors:
    shifts = np.cumsum([0, *(one.offset[-1] for one in sets)])
    offsets = [one.offset[:-1] + shift for one, shift in zip(sets, shifts, strict=False)]
    return BitVectors(
        np.concatenate([*offsets, shifts[-1:]]),
        np.concatenate([np.empty(0, np.int32), *(one.word for one in sets)]),
        np.concatenate([np.empty(0, np.uint64), *(one.bits for one in sets)]),
    )


@njit
def _keep(left: npt.NDArray[np.uint64], vectors: Vectors, attribute: int, x: float) -> int:
    """Take out of a set who asks for an attribute and is not satisfied by x; the words looked at."""
    asking, satisfied = vectors.asking, vectors.satisfied
    at = behind = 0
    if x == x:
        first = vectors.cuts[attribute]
        number = elementary_number(vectors.cut[first : vectors.cuts[attribute + 1]], x)
        which = 2 * first + attribute + number
        at, behind = satisfied.offset[which], satisfied.offset[which + 1]
    start, end = asking.offset[attribute], asking.offset[attribute + 1]
    for place in range(start, end):
        word = asking.word[place]
        stays = ~asking.bits[place]
        if at < behind and satisfied.word[at] == word:
            stays |= satisfied.bits[at]
            at += 1
        left[word] &= stays
    return int(end - start)


@njit
def match_all(vectors: Vectors, n: int, checks: Checks, events: Floats) -> tuple[Ints, Ints, int]:
    """Kernel of `matching.conjunctions.conjunction_index`; the id of a subscription is its place."""
    left = np.empty((n + 63) >> 6, np.uint64)
    offsets = np.zeros(len(events) + 1, np.int64)
    ids = np.empty(64, np.int64)
    found, made = 0, 0
    exact = len(vectors.asked.offset) == 1
    for i in range(len(events)):
        event = events[i]
        left[:] = EVERY
        if n & 63:
            left[-1] = (ONE << np.uint64(n & 63)) - ONE
        for attribute in range(len(vectors.cuts) - 1):
            made += _keep(left, vectors, attribute, event[attribute])
        for word in range(len(left)):
            bits = left[word]
            while bits != 0:
                own = (word << 6) + lowest_bit(bits)
                bits &= bits - ONE
                holds, tests = (True, 0) if exact else held(vectors.asked, own, event)
                made += tests
                if holds:
                    if found == len(ids):
                        ids = room_for(ids, found, 1)
                    found, tests = keep_if_passing(checks, own, event, ids, found)
                    made += tests
        offsets[i + 1] = found
    return offsets, ids[:found], made


class BitVectorIndex(StaticConjunctionIndex):
    """All subscriptions that an event matches, by AND over attributes: O(p / 64) for p predicates, at best.

    Evaluations are words that are ANDed, and tests. Building takes O(p log p + members); up to 12 bytes for each word
    of 64 subscriptions and elementary interval, of which an attribute has at most 129.
    """

    arrays: Vectors

    def _build(self, asked: Asked, ids: Ids) -> None:
        self.arrays = vectors_of(asked, self.attributes)
        self._place[:] = ids

    def _match_all(self, events: Floats) -> tuple[Ints, Ints, int]:
        return match_all(self.arrays, len(self), self._checks, events)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds."""
        self._check_places()
        vectors = self.arrays
        assert vectors.asking.offset.size == self.attributes + 1
        assert vectors.satisfied.offset.size == 2 * vectors.cut.size + self.attributes + 1
        assert vectors.asked.offset.size in (1, len(self) + 1)
        for sets in (vectors.asking, vectors.satisfied):
            assert (sets.bits != 0).all()
            for first, behind in zip(sets.offset[:-1], sets.offset[1:], strict=True):
                assert (np.diff(sets.word[first:behind]) > 0).all()
        for attribute in range(self.attributes):
            asking = np.zeros((len(self) + 63) // 64, np.uint64)
            here = slice(*vectors.asking.offset[attribute : attribute + 2])
            asking[vectors.asking.word[here]] = vectors.asking.bits[here]
            first, behind = 2 * vectors.cuts[attribute : attribute + 2] + [attribute, attribute + 1]
            own = slice(vectors.satisfied.offset[first], vectors.satisfied.offset[behind])
            assert not (vectors.satisfied.bits[own] & ~asking[vectors.satisfied.word[own]]).any()
