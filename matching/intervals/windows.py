"""Windows: the line cut so that the ranges that meet a piece are not many more than hold any point of it. Static.

B. Chazelle, "Filtering search: a new approach to query-answering", SIAM J. Comput. 15 (1986). The Interval Index of
seed 002 keeps a set of ranges for every elementary interval, which takes quadratic space; neighbouring sets are
nearly the same. A window keeps one list for many neighbours: all ranges that meet it, with their ends. A point is
answered from the list of its window, range by range, and the list is stored in the order of ranks, so the answer
needs no sorting.

The sweep goes over the positions at which the number of ranges changes: l, and the float behind r. A window is closed
before a position at which its list would be longer than SLACK * max(low, LEAST), where low is the least number of
ranges at one of its points; a new one begins with those ranges only that hold its first point, so its list is then as
long as low. Hence no query tests more than SLACK * max(answers, LEAST) ranges.

Space: let a window begin with s ranges, and c begin and e end in it, the position that closes it included. It was
closed since s + c > SLACK * low, and low >= s - e, so (SLACK - 1) s < c + SLACK * e. A range begins in two windows at
most, by that count, and ends in one, so all s together are below n (2 + SLACK) / (SLACK - 1): the lists have O(n)
entries. For ranges spread evenly they have about n SLACK / (SLACK - 1).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.array_index import StaticIndex
from matching.range_index import Floats, Ids, Ints, checked_point, checked_points

__all__ = ["LEAST", "SLACK", "WindowLists", "Windows"]

SLACK = 2.25
"""A smaller one makes queries faster and lists longer."""
LEAST = 16
"""Below this many ranges at a point, shorter windows would save less than finding them takes."""


class WindowLists(NamedTuple):
    """The arrays of w windows and the entries of their lists."""

    start: npt.NDArray[np.float64]
    """(w,): where a window begins; the first one at -inf. It reaches to before the next one."""
    offset: npt.NDArray[np.int64]
    """(w + 1,): where its list starts."""
    l: npt.NDArray[np.float64]
    """(entries,): left ends."""
    r: npt.NDArray[np.float64]
    """(entries,): right ends."""
    id: npt.NDArray[np.int32]
    """(entries,): ids, in each list in the order of ranks."""


class Windows(StaticIndex):
    """All ranges that hold a point, in O(log n + answers).

    Building takes O(n log n); about 40 bytes per range, ids included, and O(n) for any ranges.

    Parameters
    ----------
    l, r
        Ends of the ranges, l <= r; the position of a range is its id. Infinite ends are allowed.
    score
        Scores of the ranges; without them the order of answers is that of ids.

    Examples
    --------
    >>> index = Windows([0.0, 1.0, 4.0], [2.0, 5.0, 9.0])
    >>> index.stab(2.0).tolist()
    [0, 1]
    >>> index.counts([1.5, 3.0, 10.0]).tolist()
    [2, 1, 0]
    """

    arrays: WindowLists

    def _built(self, l: Floats, r: Floats, ids: Ids) -> WindowLists:
        self._tests = np.zeros(1, np.int64)
        with np.errstate(over="ignore"):  # behind the largest float is infinity
            behind = np.nextafter(r[r < np.inf], np.inf)
        start = _cut(np.sort(l), np.sort(behind))
        first, last = (np.searchsorted(start, ends, side="right") - 1 for ends in (l, r))
        return WindowLists(start, *_listed(l, r, ids, first, last, start.size))

    @property
    def evaluations(self) -> int:
        """How often a point has been held against the start of a window or a range, in all queries so far."""
        return int(self._tests[0])

    def stab(self, x: float) -> Ints:
        """Ids of the ranges that hold a point, best first."""
        if type(x) is not float or x != x:
            x = checked_point(x)
        return _stab(*self.arrays, x, self._tests)

    def stabs(self, xs: npt.ArrayLike) -> tuple[Ints, Ints]:
        """Give (offsets, ids): the ranges that hold point i are `ids[offsets[i]:offsets[i + 1]]`, best first."""
        points = checked_points(xs)
        windows = np.empty(points.size, np.int32)
        offsets = np.zeros(points.size + 1, np.int64)
        # Only what is written of this takes memory, and at most SLACK times of it is asked for.
        ids = np.empty(_find(self.arrays.start, self.arrays.offset, points, windows, self._tests), np.int64)
        _stabs(self.arrays, points, windows, offsets, ids)
        return offsets, ids[: offsets[-1]]

    def counts(self, xs: npt.ArrayLike) -> Ints:
        """Count the ranges that hold each point."""
        points = checked_points(xs)
        windows = np.empty(points.size, np.int32)
        _find(self.arrays.start, self.arrays.offset, points, windows, self._tests)
        return _counts(self.arrays, points, windows)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the windows holds: O(entries) in interpreted Python."""
        lists = self.arrays
        assert lists.start[0] == -np.inf
        assert (np.diff(lists.start) > 0).all()
        assert lists.offset[-1] == lists.l.size == lists.r.size == lists.id.size
        assert set(lists.id.tolist()) == set(range(len(self)))
        ends: dict[int, tuple[float, float]] = {}
        for window, start in enumerate(lists.start.tolist()):
            here = slice(lists.offset[window], lists.offset[window + 1])
            behind = lists.start[window + 1] if window + 1 < lists.start.size else np.inf
            l, r = lists.l[here], lists.r[here]
            assert ((l < behind) | (behind == np.inf)).all()
            assert (r >= start).all()
            for i, *both in zip(lists.id[here].tolist(), l.tolist(), r.tolist(), strict=True):
                assert ends.setdefault(i, (both[0], both[1])) == tuple(both)
            points = np.unique(np.concatenate(([start], np.nextafter(r[r < np.inf], np.inf), l[l > start])))
            low = min(int(((l <= x) & (x <= r)).sum()) for x in points[points < behind])
            assert l.size <= SLACK * max(low, LEAST)


@njit
def _cut(l: Floats, behind: Floats) -> Floats:
    """Starts of the windows, from the sorted positions at which ranges begin and those behind their ends."""
    start = np.empty(l.size + behind.size + 1)
    start[0] = -np.inf
    windows, begun, ended = 1, 0, 0
    while begun < l.size and l[begun] == -np.inf:
        begun += 1
    size = low = begun
    while begun < l.size or ended < behind.size:
        position = l[begun] if begun < l.size else np.inf
        if ended < behind.size:
            position = min(position, behind[ended])
        while begun < l.size and l[begun] == position:
            begun += 1
            size += 1
        while ended < behind.size and behind[ended] == position:
            ended += 1
        low = min(low, begun - ended)
        if size > SLACK * max(low, LEAST):
            start[windows] = position
            windows += 1
            size = low = begun - ended
    return start[:windows].copy()


@njit
def _listed(
    l: Floats, r: Floats, ids: Ids, first: Ints, last: Ints, windows: int
) -> tuple[Ints, Floats, Floats, Ids]:
    """Lists of the windows from the first to the last of each range, in the order of ranges."""
    offset = np.zeros(windows + 1, np.int64)
    for i in range(l.size):
        for window in range(first[i], last[i] + 1):
            offset[window + 1] += 1
    for window in range(windows):
        offset[window + 1] += offset[window]
    filled = offset[:-1].copy()
    left = np.empty(offset[-1])
    right = np.empty(offset[-1])
    of = np.empty(offset[-1], np.int32)
    for i in range(l.size):
        for window in range(first[i], last[i] + 1):
            at = filled[window]
            filled[window] += 1
            left[at] = l[i]
            right[at] = r[i]
            of[at] = ids[i]
    return offset, left, right, of


@njit
def _window(start: Floats, x: float) -> int:
    """The window that holds a point, by a bisection that compiles to moves instead of jumps."""
    window, left = 0, start.size
    while left > 1:
        half = left >> 1
        if start[window + half] <= x:
            window += half
        left -= half
    return window


@njit
def _steps(start: Floats) -> int:
    """Comparisons that finding a window takes."""
    steps, left = 0, start.size
    while left > 1:
        left -= left >> 1
        steps += 1
    return steps


@njit
def _stab(start: Floats, offset: Ints, l: Floats, r: Floats, ids: Ids, x: float, made: Ints) -> Ints:
    """Ids of the ranges that hold a point. Loose arrays are quicker to call with."""
    window = _window(start, x)
    first, behind = offset[window], offset[window + 1]
    made[0] += behind - first + _steps(start)
    out = np.empty(behind - first, np.int64)
    found = 0
    for at in range(first, behind):
        out[found] = ids[at]
        found += (l[at] <= x) & (x <= r[at])
    return out[:found]


@njit
def _find(start: Floats, offset: Ints, xs: Floats, windows: Ids, made: Ints) -> int:
    """Windows of points, and the entries of their lists in all."""
    entries = 0
    for i in range(xs.size):
        windows[i] = _window(start, xs[i])
        entries += offset[windows[i] + 1] - offset[windows[i]]
    made[0] += entries + xs.size * _steps(start)
    return entries


@njit
def _stabs(lists: WindowLists, xs: Floats, windows: Ids, offsets: Ints, out: Ints) -> None:
    l, r, ids = lists.l, lists.r, lists.id
    found = 0
    for i in range(xs.size):
        x = xs[i]
        for at in range(lists.offset[windows[i]], lists.offset[windows[i] + 1]):
            out[found] = ids[at]
            found += (l[at] <= x) & (x <= r[at])
        offsets[i + 1] = found


@njit
def _counts(lists: WindowLists, xs: Floats, windows: Ids) -> Ints:
    l, r = lists.l, lists.r
    counts = np.zeros(xs.size, np.int64)
    for i in range(xs.size):
        x = xs[i]
        found = 0
        for at in range(lists.offset[windows[i]], lists.offset[windows[i] + 1]):
            found += (l[at] <= x) & (x <= r[at])
        counts[i] = found
    return counts
