"""Spark's xxhash64 of 64-bit integers, and the uniforms made of it, written in plain Python integers."""

from collections.abc import Iterable

MASK = 2**64 - 1
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def rotate(value: int, bits: int) -> int:
    return (value << bits | value >> 64 - bits) & MASK


def hash_long(value: int, seed: int) -> int:
    h = (seed + P5 + 8) & MASK
    h ^= rotate((value & MASK) * P2 & MASK, 31) * P1 & MASK
    h = (rotate(h, 27) * P1 + P4) & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def uniform(values: Iterable[int]) -> float:
    h = 42
    for value in values:
        h = hash_long(value, h)
    return (h >> 11) * 2.0**-53
