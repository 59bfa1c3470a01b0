"""The Z-curve over points of 16-bit coordinates: order, keys, and the next point of the curve inside a box.

Seed 004, Section 3.1. The Z-address of a point interleaves the bits of its coordinates: bit 15 of dimension 0, bit 15
of dimension 1, ..., bit 14 of dimension 0, and so on. A *position* is such a bit, (level, dimension), the first one
most significant. Two points are compared without their addresses, at the first position where they differ.

**The next point in a box**, F. Ramsak et al., VLDB 2000 (reference [24] there), by dimension instead of by bit. Let z
be a point that is not in the box [low, high], and p the first position at which its beginning can no longer be
completed to a point of the box: in some dimension the bits of z so far are less than those of `low`, or more than
those of `high`. Up to p they can be. If z is too small at p, where it has 0 and `low` has 1, every point of the box
with the same beginning has 1 there; the next one has the least completion behind it. If z is too large, no point of
the box with this beginning follows z. Then the next one leaves z at the last position before p at which z has 0 and 1
is possible: in its dimension the bits of z before are less than those of `high`, or equal to them and `high` has 1.
If there is none, no point of the box follows. The least completion of a dimension is `low` where the beginning is
that of `low`, and zeros where it is more.
"""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.codes import Points
from matching.word_bits import highest_bit, lowest_bit

__all__ = ["BITS", "Keys", "interleaved", "next_in_box", "point_of_key", "words_of", "z_less", "z_sorted"]

BITS = 16
ALL = 2**BITS - 1

Keys = npt.NDArray[np.uint64]


@njit
def words_of(dimensions: int) -> int:
    """Words of a key, at least one."""
    return max((dimensions * BITS + 63) // 64, 1)


@njit
def interleaved(points: Points) -> Keys:
    """Z-addresses of points, shape (n, words): the first bit is the top one of the first word."""
    n, dimensions = points.shape
    keys = np.zeros((n, words_of(dimensions)), np.uint64)
    for i in range(n):
        for j in range(dimensions):
            x = np.int64(points[i, j])
            while x:
                level = highest_bit(np.uint64(x))
                x ^= 1 << level
                position = (BITS - 1 - level) * dimensions + j
                keys[i, position >> 6] |= np.uint64(1) << np.uint64(63 - (position & 63))
    return keys


@njit
def point_of_key(key: Keys, point: Points) -> None:
    """Write the coordinates of a key."""
    dimensions = len(point)
    for j in range(dimensions):
        x = np.int64(0)
        for level in range(BITS):
            position = (BITS - 1 - level) * dimensions + j
            x |= np.int64((key[position >> 6] >> np.uint64(63 - (position & 63))) & np.uint64(1)) << level
        point[j] = x


@njit
def z_less(a: Points, b: Points) -> bool:
    """Whether a comes before b on the curve."""
    at, most = -1, np.int64(0)
    for j in range(len(a)):
        differ = np.int64(a[j]) ^ np.int64(b[j])
        if most < differ and most < (most ^ differ):  # its highest bit is above that of `most`
            at, most = j, differ
    return at >= 0 and a[at] < b[at]


def z_sorted(points: Points) -> npt.NDArray[np.int64]:
    """Order of points along the curve, equal ones as they are: O(n log n)."""
    keys = interleaved(points)
    return np.lexsort(keys.T[::-1])


@njit
def next_in_box(z: Points, low: Points, high: Points, out: Points) -> bool:
    """Write the first point of a box that is not before z on the curve; whether there is one."""
    level, at, too_small = -1, -1, False
    for j in range(len(z)):
        if z[j] < low[j] or z[j] > high[j]:
            bound = low[j] if z[j] < low[j] else high[j]
            here = highest_bit(np.uint64(z[j] ^ bound))
            if here > level:
                level, at, too_small = here, j, z[j] < low[j]
    if at < 0:
        out[:] = z
        return True
    if not too_small:
        level, at = _last_rise(z, high, level, at)
        if at < 0:
            return False
    for j in range(len(z)):
        below = level if j <= at else level + 1
        kept = (np.int64(z[j]) >> below) << below
        if j == at:
            kept |= 1 << level
        out[j] = low[j] if kept == (np.int64(low[j]) >> below) << below else kept
    return True


@njit
def _last_rise(z: Points, high: Points, level: int, at: int) -> tuple[int, int]:
    """The last position before (level, at) at which z has 0 and may have 1; dimension -1 if there is none."""
    last_level, last = BITS, -1
    for j in range(len(z)):
        below = level if j < at else level + 1
        before = (ALL >> below) << below
        x, most = np.int64(z[j]), np.int64(high[j])
        differ = (x ^ most) & before
        if differ == 0:
            continue
        free = ~x & before & ((2 << highest_bit(np.uint64(differ))) - 1)
        here = lowest_bit(np.uint64(free))
        if here <= last_level:
            last_level, last = here, j
    return last_level, last
