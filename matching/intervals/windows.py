"""Windows: the line cut so that the ranges that meet a piece are not many more than hold any point of it. Static.

B. Chazelle, "Filtering search: a new approach to query-answering", SIAM J. Comput. 15 (1986). The Interval Index of
seed 002 keeps a set of ranges for every elementary interval, which takes quadratic space; neighbouring sets are
nearly the same. A window keeps one list for many neighbours: all ranges that meet it, in the order of ranks, so the
answer needs no sorting.

The sweep goes over the positions at which the number of ranges changes: l, and the float behind r. A window is closed
before a position at which its list would be longer than SLACK * max(low, LEAST), where low is the least number of
ranges at one of its points; a new one begins with those ranges only that hold its first point, so its list is then as
long as low. Hence no query tests more than SLACK * max(answers, LEAST) ranges.

The positions inside a window are its *turns*, and its points are numbered by the turns at or before them. A range of
its list holds the points from the number of its left end to that of its right end, and all from the first or to the
last where it reaches beyond the window. So a point is found among the turns once, and the list is tested in numbers a
quarter as long as the ends are; in a *wide* window, with turns beyond 2^16, half as long.

Space: let a window begin with s ranges, and c begin and e end in it, the position that closes it included. It was
closed since s + c > SLACK * low, and low >= s - e, so (SLACK - 1) s < c + SLACK * e. A range begins in two windows at
most, by that count, and ends in one, so all s together are below n (2 + SLACK) / (SLACK - 1): the lists have O(n)
entries. For ranges spread evenly they have about n SLACK / (SLACK - 1). There are at most 2 n turns.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy import empty, int64

from floor.kernels import njit, njit_brief
from matching.array_index import StaticIndex
from matching.range_index import Floats, Ids, Ints, checked_point, checked_points

__all__ = ["LEAST", "SLACK", "WIDE", "WindowLists", "Windows", "lists_of"]

SLACK = 1.5
"""A smaller one makes queries faster and lists longer."""
LEAST = 16
"""Below this many ranges at a point, shorter windows would save less than finding them takes."""
LONG = 128
"""A list from this length on is tested as a whole first, many entries at a time, and then gathered."""
WIDE = 2**16 - 1
"""A window with so many turns is wide."""
BEYOND = 2**32 - 1
"""Number of the right end of a range that reaches beyond a wide window; of a narrow one it is WIDE."""

Words = npt.NDArray[np.uint32]


class WindowLists(NamedTuple):
    """The arrays of w windows, few in number since each takes time to hand to a kernel."""

    line: npt.NDArray[np.float64]
    """(w + turns,): where the windows begin, the first one at -inf, each to before the next one; then the turns of
    each, ascending."""
    place: npt.NDArray[np.int64]
    """(w + 2, 2): where the list of a window starts in `entry`, and where its turns start in `line`, with a row for
    where the last ones end; in the last row the queries so far and the turns and ranges looked at."""
    entry: npt.NDArray[np.uint32]
    """(words,): for each window the ends of its list, then the ids, in the order of ranks. Ends are the number of the
    left one in the lower half of a word and that of the right one in the upper half; in a wide window all numbers of
    left ends and then all of right ones."""


class Windows(StaticIndex):
    """All ranges that hold a point, in O(log n + answers).

    Building takes O(n log n); about 45 bytes per range, ids included, and O(n) for any ranges.

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
        with np.errstate(over="ignore"):  # behind the largest float is infinity
            behind = np.nextafter(r[r < np.inf], np.inf)
        line, turns = _cut(np.sort(l), np.sort(behind))
        first, last = (np.searchsorted(line[: turns.size - 1], ends, side="right") - 1 for ends in (l, r))
        sizes = _sizes(first, last, turns.size - 1)
        words = sizes * np.where(np.diff(turns) < WIDE, 2, 3)
        place = np.zeros((turns.size + 1, 2), np.int64)
        np.cumsum(words, out=place[1:-1, 0])
        place[:-1, 1] = turns
        lists = WindowLists(line, place, np.empty(place[-2, 0], np.uint32))
        _fill(lists, l, r, ids, first, last)
        # Enough for nearly every answer; a list that is much longer than the others is asked twice.
        self._room = int(min(sizes.max(), 2 * sizes.mean() + LEAST))
        return lists

    @property
    def evaluations(self) -> int:
        """How often a point has been held against the start of a window, a turn or a range, in all queries so far."""
        queries, made = self.arrays.place[-1].tolist()
        return int(made + queries * (len(self.arrays.place) - 3).bit_length())

    def stab(self, x: float) -> Ints:
        """Ids of the ranges that hold a point, best first."""
        if type(x) is not float or x != x:
            x = checked_point(x)
        line, place, entry = self.arrays
        ids = empty(self._room, int64)
        found = _stab(line, place, entry, x, ids)
        if found < 0:
            ids = empty(-found, int64)
            found = _stab(line, place, entry, x, ids)
        return ids[:found]

    def stabs(self, xs: npt.ArrayLike) -> tuple[Ints, Ints]:
        """Give (offsets, ids): the ranges that hold point i are `ids[offsets[i]:offsets[i + 1]]`, best first."""
        points = checked_points(xs)
        windows, numbers = np.empty(points.size, np.int32), np.empty(points.size, np.uint32)
        offsets = np.zeros(points.size + 1, np.int64)
        # Only what is written of this takes memory, and at most SLACK times of it is asked for.
        ids = np.empty(_find(self.arrays, points, windows, numbers), np.int64)
        _stabs(self.arrays, windows, numbers, offsets, ids)
        return offsets, ids[: offsets[-1]]

    def counts(self, xs: npt.ArrayLike) -> Ints:
        """Count the ranges that hold each point."""
        points = checked_points(xs)
        windows, numbers = np.empty(points.size, np.int32), np.empty(points.size, np.uint32)
        _find(self.arrays, points, windows, numbers)
        return _counts(self.arrays, windows, numbers)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant of the windows holds: O(entries) in interpreted Python."""
        line, place, entry = self.arrays
        start, sizes, ids = lists_of(self.arrays)
        assert start[0] == -np.inf
        assert (np.diff(start) > 0).all()
        assert place[0].tolist() == [0, start.size]
        assert place[-2].tolist() == [entry.size, line.size]
        assert set(ids.tolist()) == set(range(len(self)))
        for window, begin in enumerate(start.tolist()):
            first, size = place[window, 0], sizes[window]
            turns = line[place[window, 1] : place[window + 1, 1]]
            end = start[window + 1] if window + 1 < start.size else np.inf
            assert (np.diff(np.concatenate(([begin], turns))) > 0).all()
            assert ((turns < end) | (end == np.inf)).all()
            words = entry[first : place[window + 1, 0]].astype(np.int64)
            ends = words[: words.size - size]
            l, r = np.split(ends, 2) if ends.size > size else (ends % 2**16, ends // 2**16)
            assert np.unique(words[ends.size :]).size == size
            assert ((l <= r) & (l <= turns.size) & ((r <= turns.size) | (r == WIDE) | (r == BEYOND))).all()
            low = min(int(((l <= number) & (number <= r)).sum()) for number in range(turns.size + 1))
            assert size <= SLACK * max(low, LEAST)


def lists_of(lists: WindowLists) -> tuple[Floats, Ints, Ids]:
    """Where each window begins, the sizes of their lists, and the ids in these, one list behind the other."""
    windows = len(lists.place) - 2
    words, turns = np.diff(lists.place[:-1], axis=0).T
    sizes = words // np.where(turns < WIDE, 2, 3)
    ids = np.empty(sizes.sum(), np.int32)
    _copy_ids(lists, sizes, ids)
    return lists.line[:windows], sizes, ids


@njit
def _copy_ids(lists: WindowLists, sizes: Ints, ids: Ids) -> None:
    filled = 0
    for window in range(sizes.size):
        behind = lists.place[window + 1, 0]
        ids[filled : filled + sizes[window]] = lists.entry[behind - sizes[window] : behind]
        filled += sizes[window]


@njit
def _cut(l: Floats, behind: Floats) -> tuple[Floats, Ints]:
    """The line of the windows and where the turns of each start on it.

    From the sorted positions at which ranges begin and those behind their ends.
    """
    start = np.empty(l.size + behind.size + 1)
    turn = np.empty(l.size + behind.size)
    first = np.empty(l.size + behind.size + 2, np.int64)
    start[0], first[0] = -np.inf, 0
    windows, turns, begun, ended = 1, 0, 0, 0
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
            start[windows], first[windows] = position, turns
            windows += 1
            size = low = begun - ended
        else:
            turn[turns] = position
            turns += 1
    first[windows] = turns
    return np.concatenate((start[:windows], turn[:turns])), first[: windows + 1] + windows


@njit
def _sizes(first: Ints, last: Ints, windows: int) -> Ints:
    """How many ranges meet each window, from the first and last window of each range."""
    sizes = np.zeros(windows, np.int64)
    for i in range(first.size):
        for window in range(first[i], last[i] + 1):
            sizes[window] += 1
    return sizes


@njit
def _fill(lists: WindowLists, l: Floats, r: Floats, ids: Ids, first: Ints, last: Ints) -> None:
    """Write the lists of the windows from the first to the last of each range, in the order of ranges."""
    line, place, entry = lists
    filled = place[:-2, 0].copy()
    for i in range(l.size):
        for window in range(first[i], last[i] + 1):
            at, turn, behind = filled[window], place[window, 1], place[window + 1, 1]
            filled[window] += 1
            _, size, wide = _shape(place, window)
            left = _number(line, turn, behind, l[i])[0] if window == first[i] else 0
            right = _number(line, turn, behind, r[i])[0] if window == last[i] else BEYOND
            if wide:
                entry[at], entry[at + size], entry[at + 2 * size] = left, right, ids[i]
            else:
                entry[at], entry[at + size] = left + (min(right, WIDE) << 16), ids[i]


@njit
def _shape(place: Ints, window: int) -> tuple[int, int, bool]:
    """Where the list of a window starts, its size, and whether the window is wide."""
    first, words = place[window, 0], place[window + 1, 0] - place[window, 0]
    if place[window + 1, 1] - place[window, 1] < WIDE:
        return first, words >> 1, False
    return first, words // 3, True


@njit
def _window(line: Floats, windows: int, x: float) -> int:
    """The window that holds a point, by a bisection that compiles to moves instead of jumps."""
    window, left = 0, windows
    while left > 1:
        half = left >> 1
        if line[window + half] <= x:
            window += half
        left -= half
    return window


@njit
def _number(line: Floats, turn: int, behind: int, x: float) -> tuple[int, int]:
    """How many turns of a window are at or before a point of it, and the turns looked at."""
    at, left, made = turn, behind - turn, 0
    while left > 0:
        half = (left + 1) >> 1
        if line[at + half - 1] <= x:
            at += half
        left -= half
        made += 1
    return at - turn, made


@njit
def _gathered(ids: Words, held: npt.NDArray[np.bool_], out: Ints) -> int:
    """Write the ids that are held, and count them."""
    found = 0
    for at in range(ids.size):
        out[found] = ids[at]
        found += held[at]
    return found


@njit
def _long(ends: Words, ids: Words, wide: bool, number: np.uint32, out: Ints) -> int:
    """Write the ids of a long list that hold a point, and count them."""
    held = np.empty(ids.size, np.bool_)
    if wide:
        l, r = ends[: ids.size], ends[ids.size :]
        for at in range(ids.size):
            held[at] = (l[at] <= number) & (number <= r[at])
    else:
        for at in range(ids.size):
            held[at] = ((ends[at] & WIDE) <= number) & (number <= (ends[at] >> 16))
    return _gathered(ids, held, out)


@njit
def _listed(place: Ints, entry: Words, window: int, number: np.uint32, out: Ints, found: int) -> int:
    """Write the ids of a list that hold a point behind those found, and count all; `out` has room for the list."""
    first, size, wide = _shape(place, window)
    if wide or size >= LONG:
        behind = place[window + 1, 0]
        return found + _long(entry[first : behind - size], entry[behind - size : behind], wide, number, out[found:])
    for at in range(first, first + size):
        out[found] = entry[at + size]
        found += ((entry[at] & WIDE) <= number) & (number <= (entry[at] >> 16))
    return found


@njit_brief
def _stab(line: Floats, place: Ints, entry: Words, x: float, out: Ints) -> int:
    """Write the ids of the ranges that hold a point and count them; without room, tell by how much below 0."""
    windows = len(place) - 2
    window = _window(line, windows, x)
    size = _shape(place, window)[1]
    if size > out.size:
        return -size
    number, made = _number(line, place[window, 1], place[window + 1, 1], x)
    place[windows + 1, 0] += 1
    place[windows + 1, 1] += size + made
    return _listed(place, entry, window, np.uint32(number), out, 0)


@njit
def _find(lists: WindowLists, xs: Floats, windows: Ids, numbers: Words) -> int:
    """Windows of points, their numbers there, and the entries of their lists in all.

    In two loops, so that the memory for several points is under way at a time.
    """
    line, place = lists.line, lists.place
    count = len(place) - 2
    entries, tests = 0, 0
    for i in range(xs.size):
        windows[i] = _window(line, count, xs[i])
    for i in range(xs.size):
        entries += _shape(place, windows[i])[1]
        numbers[i], made = _number(line, place[windows[i], 1], place[windows[i] + 1, 1], xs[i])
        tests += made
    place[count + 1, 0] += xs.size
    place[count + 1, 1] += entries + tests
    return entries


@njit
def _stabs(lists: WindowLists, windows: Ids, numbers: Words, offsets: Ints, out: Ints) -> None:
    found = 0
    for i in range(windows.size):
        found = _listed(lists.place, lists.entry, windows[i], numbers[i], out, found)
        offsets[i + 1] = found


@njit
def _counts(lists: WindowLists, windows: Ids, numbers: Words) -> Ints:
    place, entry = lists.place, lists.entry
    counts = np.zeros(windows.size, np.int64)
    for i in range(windows.size):
        number, found = numbers[i], 0
        first, size, wide = _shape(place, windows[i])
        if wide:
            for at in range(first, first + size):
                found += (entry[at] <= number) & (number <= entry[at + size])
        else:
            for at in range(first, first + size):
                found += ((entry[at] & WIDE) <= number) & (number <= (entry[at] >> 16))
        counts[i] = found
    return counts
