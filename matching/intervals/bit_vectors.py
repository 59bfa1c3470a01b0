"""Compressed bit vectors: sets of ranks as 64-bit words, without the words that are zero.

Seed 002 writes a set of profiles as a vector with a bit per profile and intersects sets by AND, attribute by
attribute (Section 4.1). Most words of such a vector are zero; here a vector is the numbers of its other words,
ascending, and those words: 12 bytes each, at most 12 bytes per member and at best 1.5 bits. AND and OR merge two
vectors in the time of their words.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.range_index import Ids, Ints
from matching.word_bits import lowest_bit, ones

__all__ = [
    "BitVector",
    "BitVectors",
    "both",
    "consecutive_vectors",
    "either",
    "members",
    "size",
    "vector",
    "vector_of",
    "write_ids",
]

ONE = np.uint64(1)

Words = npt.NDArray[np.uint64]


class BitVector(NamedTuple):
    """One set of ranks."""

    word: npt.NDArray[np.int32]
    """(w,): numbers of the words that are not zero, ascending; word i has the ranks 64 i ... 64 i + 63."""
    bits: npt.NDArray[np.uint64]
    """(w,): those words."""


class BitVectors(NamedTuple):
    """Many sets: set i is what stands at `offset[i]:offset[i + 1]`."""

    offset: npt.NDArray[np.int64]
    word: npt.NDArray[np.int32]
    bits: npt.NDArray[np.uint64]


@njit
def vector(vectors: BitVectors, i: int) -> BitVector:
    """One of many sets, without copying."""
    here = slice(vectors.offset[i], vectors.offset[i + 1])
    return BitVector(vectors.word[here], vectors.bits[here])


@njit
def consecutive_vectors(first: Ints, last: Ints, count: int) -> BitVectors:
    """Sets 0 ... count - 1, rank i being in all from `first[i]` to `last[i]`; O(members)."""
    offset = np.zeros(count + 1, np.int64)
    latest = np.full(count, -1, np.int32)
    for i in range(len(first)):
        for at in range(first[i], last[i] + 1):
            if latest[at] != i >> 6:
                latest[at] = i >> 6
                offset[at + 1] += 1
    for at in range(count):
        offset[at + 1] += offset[at]
    word = np.empty(offset[-1], np.int32)
    bits = np.zeros(offset[-1], np.uint64)
    filled = offset[:-1] - 1
    latest[:] = -1
    for i in range(len(first)):
        for at in range(first[i], last[i] + 1):
            if latest[at] != i >> 6:
                latest[at] = i >> 6
                filled[at] += 1
                word[filled[at]] = i >> 6
            bits[filled[at]] |= ONE << np.uint64(i & 63)
    return BitVectors(offset, word, bits)


@njit
def vector_of(ranks: Ids) -> BitVector:
    """The set of some ranks, given ascending."""
    word = np.empty(len(ranks), np.int32)
    bits = np.zeros(len(ranks), np.uint64)
    words = 0
    for rank in ranks:
        if words == 0 or word[words - 1] != rank >> 6:
            word[words] = rank >> 6
            words += 1
        bits[words - 1] |= ONE << np.uint64(rank & 63)
    return BitVector(word[:words], bits[:words])


@njit
def size(one: BitVector) -> int:
    """Number of members."""
    count = 0
    for bits in one.bits:
        count += ones(bits)
    return count


@njit
def members(one: BitVector) -> Ids:
    """Ranks of a set, ascending."""
    out = np.empty(size(one), np.int32)
    found = 0
    for i in range(len(one.word)):
        bits = one.bits[i]
        while bits != 0:
            out[found] = (one.word[i] << 6) + lowest_bit(bits)
            found += 1
            bits &= bits - ONE
    return out


@njit
def write_ids(one: BitVector, ids: Ids, out: Ints) -> int:
    """Write the ids of a set in the order of ranks, if there is room; their number."""
    if len(out) > 0:
        ranks = members(one)
        for i in range(len(ranks)):
            out[i] = ids[ranks[i]]
    return size(one)


@njit
def both(a: BitVector, b: BitVector) -> BitVector:
    """AND of two sets."""
    room = min(len(a.word), len(b.word))
    word = np.empty(room, np.int32)
    bits = np.empty(room, np.uint64)
    i, j, words = 0, 0, 0
    while i < len(a.word) and j < len(b.word):
        if a.word[i] == b.word[j]:
            common = a.bits[i] & b.bits[j]
            if common != 0:
                word[words] = a.word[i]
                bits[words] = common
                words += 1
            i += 1
            j += 1
        elif a.word[i] < b.word[j]:
            i += 1
        else:
            j += 1
    return BitVector(word[:words], bits[:words])


@njit
def either(a: BitVector, b: BitVector) -> BitVector:
    """OR of two sets."""
    room = len(a.word) + len(b.word)
    word = np.empty(room, np.int32)
    bits = np.empty(room, np.uint64)
    i, j, words = 0, 0, 0
    while i < len(a.word) or j < len(b.word):
        at_a = i < len(a.word) and (j == len(b.word) or a.word[i] <= b.word[j])
        at_b = j < len(b.word) and (i == len(a.word) or b.word[j] <= a.word[i])
        bits[words] = 0
        if at_a:
            word[words] = a.word[i]
            bits[words] |= a.bits[i]
            i += 1
        if at_b:
            word[words] = b.word[j]
            bits[words] |= b.bits[j]
            j += 1
        words += 1
    return BitVector(word[:words], bits[:words])
