"""Elementary intervals: the points at which ranges end, and the open gaps between them.

Seed 002, Section 4.1.2. With m distinct ends v_0 < v_1 < ... there are 2m + 1 elementary intervals, numbered along
the line: 2i + 1 is the point v_i, 2i the gap before it. A closed range is the run of those from its left end to its
right end, and no range changes inside one of them.
"""

import numpy as np

from floor.kernels import njit
from matching.range_index import Floats, Ints

__all__ = ["elementary_number", "elementary_runs", "side_of"]


def elementary_runs(l: Floats, r: Floats) -> tuple[Floats, Ints, Ints]:
    """The distinct ends of ranges, and the first and last elementary interval of each range; O(n log n)."""
    values, at = np.unique(np.concatenate((l, r)), return_inverse=True)
    first, last = 2 * at[: l.size] + 1, 2 * at[l.size :] + 1
    return values, first.astype(np.int64), last.astype(np.int64)


@njit
def elementary_number(values: Floats, x: float) -> int:
    """Number of the elementary interval that holds a point."""
    i = int(np.searchsorted(values, x))
    return 2 * i + (i < len(values) and values[i] == x)


@njit
def side_of(values: Floats, number: int, x: float) -> int:
    """-1, 0 or 1 when a point lies before, in or behind an elementary interval between ends of ranges."""
    i = number >> 1
    if number & 1:
        return int(x > values[i]) - int(x < values[i])
    return int(x >= values[i]) - int(x <= values[i - 1])
