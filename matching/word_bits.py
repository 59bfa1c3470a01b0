"""Bits of 64-bit words: the lowest, the highest, and how many are set."""

import numpy as np

from floor.kernels import njit

__all__ = ["highest_bit", "lowest_bit", "ones"]

ONE, TWO, FOUR = np.uint64(1), np.uint64(2), np.uint64(4)
EXPONENT, BIAS = np.uint64(52), 1023
PAIRS, QUADS, BYTES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
EACH_BYTE, TOP_BYTE = np.uint64(0x0101010101010101), np.uint64(56)


@njit
def lowest_bit(word: np.uint64) -> int:
    """Number of the lowest bit that is set: the exponent of that bit as a float, which is exact."""
    bit = word & (~word + ONE)
    return int(np.float64(bit).view(np.uint64) >> EXPONENT) - BIAS


@njit
def highest_bit(word: np.uint64) -> int:
    """Number of the highest bit that is set; without its neighbour below, rounding cannot reach the next power."""
    return int(np.float64(word & ~(word >> ONE)).view(np.uint64) >> EXPONENT) - BIAS


@njit
def ones(word: np.uint64) -> int:
    """How many bits are set."""
    word = word - ((word >> ONE) & PAIRS)
    word = (word & QUADS) + ((word >> TWO) & QUADS)
    word = (word + (word >> FOUR)) & BYTES
    return int((word * EACH_BYTE) >> TOP_BYTE)
