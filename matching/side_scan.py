"""The sorted column of `matching.scan` for ranges over several attributes: sorted by the first r, tested on all ends.

A subscription has two coordinates for each attribute, -l and r, so that a message asks lo <= u < hi of every one. An
attribute without a left end has the same l for all, inside all messages: what the bounds of a group decide for all of
it is not asked of its rows, so that costs nothing.
"""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.grouped_rows import first_above

__all__ = ["columns", "corners", "count", "match"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def columns(l: Floats, r: Floats) -> tuple[Floats, Floats]:
    """What subscriptions are sorted by, (m,), and what is tested, (m, 2 d), from ends (m, d)."""
    return np.ascontiguousarray(r[:, 0]), np.concatenate((-l, r), axis=1)


def corners(table: npt.NDArray[np.void]) -> tuple[Floats, Floats]:
    """Regions of messages as `count` and `match` take them: lo and hi, (messages, 2 d) each."""
    lo = np.concatenate((-table["l_in"], table["r_in"]), axis=1)
    return lo, np.concatenate((-table["l_out"], table["r_out"]), axis=1)


@njit
def _to_test(bounds: Floats, lo: Floats, hi: Floats, needed: Ints) -> int:
    """Write the columns that rows of a group differ in; how many, or -1 if no row of the group is in reach."""
    count = 0
    for column in range(len(lo)):
        if hi[column] <= bounds[0, column] or bounds[1, column] < lo[column]:
            return -1
        if bounds[0, column] < lo[column] or hi[column] <= bounds[1, column]:
            needed[count] = column
            count += 1
    return count


@njit
def _inside(points: Floats, row: int, lo: Floats, hi: Floats, needed: Ints, count: int) -> bool:
    for i in range(count):
        column = needed[i]
        if not lo[column] <= points[row, column] < hi[column]:
            return False
    return True


@njit
def _run(key: Floats, first: int, stop: int, lo: float, hi: float) -> tuple[int, int]:
    """Rows from the first to before the last with lo <= key < hi."""
    at = first_above(key, first, stop, np.nextafter(lo, -np.inf))
    return at, first_above(key, at, stop, np.nextafter(hi, -np.inf))


@njit
def count(
    start: Ints, size: Ints, key: Floats, points: Floats, ids: Ints, bounds: Floats,  # noqa: ARG001
    lo: Floats, hi: Floats, offsets: Ints, groups: Ints,
) -> Ints:  # fmt: skip
    """Number of subscriptions that each message concerns in the groups it reached."""
    first_right = points.shape[1] // 2
    needed = np.empty(points.shape[1], np.int64)
    counts = np.zeros(len(lo), np.int64)
    for i in range(len(lo)):
        found = 0
        for p in range(offsets[i], offsets[i + 1]):
            g = groups[p]
            tests = _to_test(bounds[g], lo[i], hi[i], needed) if size[g] else -1
            if tests == 0:
                found += size[g]
            elif tests > 0:
                at, end = _run(key, start[g], start[g] + size[g], lo[i, first_right], hi[i, first_right])
                for row in range(at, end):
                    found += _inside(points, row, lo[i], hi[i], needed, tests)
        counts[i] = found
    return counts


@njit
def match(
    start: Ints, size: Ints, key: Floats, points: Floats, ids: Ints, bounds: Floats,
    lo: Floats, hi: Floats, offsets: Ints, groups: Ints,
) -> tuple[Ints, Ints]:  # fmt: skip
    """Subscriptions that each message concerns in the groups it reached, with offsets."""
    first_right = points.shape[1] // 2
    needed = np.empty(points.shape[1], np.int64)
    ends = np.zeros(len(lo) + 1, np.int64)
    ends[1:] = np.cumsum(count(start, size, key, points, ids, bounds, lo, hi, offsets, groups))
    found = np.empty(ends[-1], np.int64)
    filled = 0
    for i in range(len(lo)):
        for p in range(offsets[i], offsets[i + 1]):
            g = groups[p]
            tests = _to_test(bounds[g], lo[i], hi[i], needed) if size[g] else -1
            if tests < 0:
                continue
            at, end = _run(key, start[g], start[g] + size[g], lo[i, first_right], hi[i, first_right])
            for row in range(at, end):
                if _inside(points, row, lo[i], hi[i], needed, tests):
                    found[filled] = ids[row]
                    filled += 1
    return ends, found
