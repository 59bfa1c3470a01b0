"""The sorted column of `matching.scan` for ranges of one attribute: sorted by l, tested on r."""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.grouped_rows import first_above

__all__ = ["columns", "corners", "count", "match"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def columns(l: Floats, r: Floats) -> tuple[Floats, Floats]:
    """What subscriptions are sorted by, (m,), and what else is tested, (m,)."""
    return l, r


def corners(table: npt.NDArray[np.void]) -> tuple[Floats, Floats, Floats, Floats]:
    """Regions of messages as `count` and `match` take them."""
    l_in, r_in, l_out, r_out = (np.ascontiguousarray(table[name]) for name in ("l_in", "r_in", "l_out", "r_out"))
    return l_in, r_in, l_out, r_out


@njit
def _run(
    start: Ints, size: Ints, l: Floats, bounds: Floats, g: int, l_in: float, r_in: float, l_out: float, r_out: float
) -> tuple[int, int]:
    """Rows of a group from the first to before the last whose l a message reaches; none if its r are out of reach."""
    if size[g] == 0 or r_out <= bounds[g, 0] or bounds[g, 1] < r_in:
        return 0, 0
    stop = start[g] + size[g]
    lo = first_above(l, start[g], stop, l_out)
    return lo, first_above(l, lo, stop, l_in)


@njit
def count(
    start: Ints, size: Ints, l: Floats, r: Floats, ids: Ints, bounds: Floats,  # noqa: ARG001
    l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, offsets: Ints, groups: Ints,
) -> Ints:  # fmt: skip
    """Number of subscriptions that each message concerns in the groups it reached."""
    counts = np.zeros(len(l_in), np.int64)
    for i in range(len(l_in)):
        found = 0
        for p in range(offsets[i], offsets[i + 1]):
            g = groups[p]
            lo, hi = _run(start, size, l, bounds, g, l_in[i], r_in[i], l_out[i], r_out[i])
            if r_in[i] <= bounds[g, 0] and bounds[g, 1] < r_out[i]:
                found += hi - lo
            else:
                for row in range(lo, hi):
                    found += (r_in[i] <= r[row]) & (r[row] < r_out[i])
        counts[i] = found
    return counts


@njit
def match(
    start: Ints, size: Ints, l: Floats, r: Floats, ids: Ints, bounds: Floats,
    l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, offsets: Ints, groups: Ints,
) -> tuple[Ints, Ints]:  # fmt: skip
    """Subscriptions that each message concerns in the groups it reached, with offsets."""
    counts = count(start, size, l, r, ids, bounds, l_in, r_in, l_out, r_out, offsets, groups)
    ends = np.zeros(len(l_in) + 1, np.int64)
    for i in range(len(counts)):
        ends[i + 1] = ends[i] + counts[i]
    found = np.empty(ends[-1], np.int64)
    filled = 0
    for i in range(len(l_in)):
        for p in range(offsets[i], offsets[i + 1]):
            lo, hi = _run(start, size, l, bounds, groups[p], l_in[i], r_in[i], l_out[i], r_out[i])
            for row in range(lo, hi):
                if r_in[i] <= r[row] < r_out[i]:
                    found[filled] = ids[row]
                    filled += 1
    return ends, found
