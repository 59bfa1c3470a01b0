"""Matching by a sorted column: the plain index of a gateway, and the measure for better ones.

Subscriptions are grouped (by gateway broker) and sorted by l inside each group. A message's condition on l is then
a run of rows, found by bisection, and its condition on r is tested row by row.
"""

import numpy as np
import numpy.typing as npt

from floor.kernels import njit

__all__ = ["Scan"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Scan:
    """Which subscriptions of a group does a message concern?

    Parameters
    ----------
    l, r
        Ends of the subscriptions, (m,) f8 each; a subscription's row number is its id.
    group
        Group of each, (m,) i8, below `groups`.

    Notes
    -----
    For a group of g subscriptions, g' of them with l in the message's range: a match takes O(log g + g'); `add`,
    `remove` and `move` take O(g) each, and O(m) when a group has outgrown its room. About 51 bytes per subscription.
    """

    def __init__(self, l: npt.ArrayLike, r: npt.ArrayLike, group: npt.ArrayLike, groups: int) -> None:
        self._l = np.array(l, np.float64)
        self._r = np.array(r, np.float64)
        self._group = np.array(group, np.int64)
        if not self._l.shape == self._r.shape == self._group.shape:
            shapes = f"{self._l.shape}, {self._r.shape} and {self._group.shape}"
            raise ValueError(f"l, r and group must be equally long, got shapes {shapes}")
        self._groups = groups
        self._check_groups(self._group)
        self._build()

    def __len__(self) -> int:
        """Number of subscriptions held."""
        return int(self._size.sum())

    def match(self, table: npt.NDArray[np.void], offsets: Ints, groups: Ints) -> tuple[Ints, Ints]:
        """Subscriptions that each message concerns in the groups it reached.

        Parameters
        ----------
        table
            Messages with fields l_in, r_in, l_out, r_out.
        offsets, groups
            Message i reached `groups[offsets[i]:offsets[i + 1]]`.

        Returns
        -------
        offsets, subscriptions
            Message i concerns `subscriptions[offsets[i]:offsets[i + 1]]`, (pairs,) i8.
        """
        return _match(*self._columns(), *_corners(table), offsets, groups)

    def count(self, table: npt.NDArray[np.void], offsets: Ints, groups: Ints) -> Ints:
        """Number of subscriptions that each message concerns in the groups it reached, (messages,) i8."""
        return _count(*self._columns(), *_corners(table), offsets, groups)

    def add(self, ids: npt.ArrayLike, l: npt.ArrayLike, r: npt.ArrayLike, group: npt.ArrayLike) -> None:
        """Take in subscriptions under ids that are not in use."""
        rows, groups = np.asarray(ids, np.int64), np.asarray(group, np.int64)
        self._check_groups(groups)
        more = int(rows.max(initial=-1)) + 1 - len(self._l)
        if more > 0:
            self._l = np.append(self._l, np.zeros(more))
            self._r = np.append(self._r, np.zeros(more))
            self._group = np.append(self._group, np.full(more, -1))
        if (self._group[rows] >= 0).any():
            raise ValueError(f"ids must not be in use, got {rows[self._group[rows] >= 0][:5].tolist()}")
        self._l[rows], self._r[rows] = l, r
        self._place(rows, groups)

    def remove(self, ids: npt.ArrayLike) -> None:
        """Forget subscriptions."""
        rows = np.asarray(ids, np.int64)
        self._check_held(rows)
        _take_out(*self._columns(), self._l, self._group, rows)
        self._group[rows] = -1

    def move(self, ids: npt.ArrayLike, group: npt.ArrayLike, groups: int | None = None) -> None:
        """Put subscriptions into other groups; `groups` is the new number of groups when there are more now."""
        rows = np.asarray(ids, np.int64)
        self._check_held(rows)
        if groups is not None and groups != self._groups:
            self._groups = groups
            self._check_groups(np.asarray(group, np.int64))
            self._group[rows] = group
            self._build()
            return
        self._check_groups(np.asarray(group, np.int64))
        _take_out(*self._columns(), self._l, self._group, rows)
        self._place(rows, np.broadcast_to(np.asarray(group, np.int64), rows.shape))

    def _place(self, rows: Ints, groups: Ints) -> None:
        self._group[rows] = groups
        if not _put_in(*self._columns(), self._l, self._r, self._group, rows):
            self._build()

    def _build(self) -> None:
        self._size = np.bincount(self._group[self._group >= 0], minlength=self._groups).astype(np.int64)
        room = self._size + self._size // 8 + 4
        self._start = np.append(0, np.cumsum(room)).astype(np.int64)
        self._sorted_l, self._sorted_r, self._ids, self._bounds = _sort(
            self._l, self._r, self._group, self._start, self._size
        )

    def _columns(self) -> tuple[Ints, Ints, Floats, Floats, Ints, Floats]:
        return self._start, self._size, self._sorted_l, self._sorted_r, self._ids, self._bounds

    def _check_groups(self, group: Ints) -> None:
        if group.size and not (group.min() >= 0 and group.max() < self._groups):
            raise ValueError(f"group must be between 0 and {self._groups - 1}, got {group.min()} to {group.max()}")

    def _check_held(self, rows: Ints) -> None:
        if rows.size and not (rows.min() >= 0 and rows.max() < len(self._group) and (self._group[rows] >= 0).all()):
            raise ValueError("ids must be those of subscriptions held, each once")

    def _check(self) -> None:
        """Raise ValueError unless groups are sorted, bounded and hold what the columns say."""
        for g in range(self._groups):
            rows = slice(self._start[g], self._start[g] + self._size[g])
            ids = self._ids[rows]
            if sorted(ids.tolist()) != np.flatnonzero(self._group == g).tolist():
                raise ValueError(f"group {g} holds other subscriptions than its own")
            l, r = self._sorted_l[rows], self._sorted_r[rows]
            if not (np.array_equal(l, self._l[ids]) and np.array_equal(r, self._r[ids]) and (np.diff(l) >= 0).all()):
                raise ValueError(f"group {g} is out of order")
            if len(r) and not (self._bounds[g, 0] <= r.min() and r.max() <= self._bounds[g, 1]):
                raise ValueError(f"the bounds of group {g} are too narrow")


def _corners(table: npt.NDArray[np.void]) -> tuple[Floats, Floats, Floats, Floats]:
    l_in, r_in, l_out, r_out = (np.ascontiguousarray(table[name]) for name in ("l_in", "r_in", "l_out", "r_out"))
    return l_in, r_in, l_out, r_out


@njit
def _sort(l: Floats, r: Floats, group: Ints, start: Ints, size: Ints) -> tuple[Floats, Floats, Ints, Floats]:
    """Columns grouped and sorted by l, with the smallest and largest r of every group."""
    total = start[-1]
    ids = np.empty(total, np.int64)
    sorted_l = np.empty(total)
    sorted_r = np.empty(total)
    bounds = np.empty((len(size), 2))
    filled = start[:-1].copy()
    for i in range(len(l)):
        if group[i] >= 0:
            ids[filled[group[i]]] = i
            filled[group[i]] += 1
    for g in range(len(size)):
        members = ids[start[g] : start[g] + size[g]]
        order = np.argsort(l[members])
        members = members[order]
        bounds[g, 0] = np.inf
        bounds[g, 1] = -np.inf
        for i in range(size[g]):
            at = start[g] + i
            ids[at] = members[i]
            sorted_l[at] = l[members[i]]
            sorted_r[at] = r[members[i]]
            bounds[g, 0] = min(bounds[g, 0], sorted_r[at])
            bounds[g, 1] = max(bounds[g, 1], sorted_r[at])
    return sorted_l, sorted_r, ids, bounds


@njit
def _first_above(column: Floats, lo: int, hi: int, value: float) -> int:
    """First row of the sorted run lo..hi with a value above the given one."""
    while lo < hi:
        middle = (lo + hi) >> 1
        if column[middle] > value:
            hi = middle
        else:
            lo = middle + 1
    return lo


@njit
def _run(
    start: Ints, size: Ints, l: Floats, bounds: Floats, g: int, l_in: float, r_in: float, l_out: float, r_out: float
) -> tuple[int, int]:
    """Rows of a group from the first to before the last whose l a message reaches; none if its r are out of reach."""
    if size[g] == 0 or r_out <= bounds[g, 0] or bounds[g, 1] < r_in:
        return 0, 0
    stop = start[g] + size[g]
    lo = _first_above(l, start[g], stop, l_out)
    return lo, _first_above(l, lo, stop, l_in)


@njit
def _count(
    start: Ints, size: Ints, l: Floats, r: Floats, ids: Ints, bounds: Floats,  # noqa: ARG001
    l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, offsets: Ints, groups: Ints,
) -> Ints:  # fmt: skip
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
def _match(
    start: Ints, size: Ints, l: Floats, r: Floats, ids: Ints, bounds: Floats,
    l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, offsets: Ints, groups: Ints,
) -> tuple[Ints, Ints]:  # fmt: skip
    counts = _count(start, size, l, r, ids, bounds, l_in, r_in, l_out, r_out, offsets, groups)
    ends = np.zeros(len(l_in) + 1, np.int64)
    ends[1:] = np.cumsum(counts)
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


@njit
def _put_in(
    start: Ints, size: Ints, sorted_l: Floats, sorted_r: Floats, ids: Ints, bounds: Floats,
    l: Floats, r: Floats, group: Ints, rows: Ints,
) -> bool:  # fmt: skip
    """Insert rows into their groups; False when one has no room left, and everything must be built anew."""
    for row in rows:
        g = group[row]
        stop = start[g] + size[g]
        if stop == start[g + 1]:
            return False
        at = _first_above(sorted_l, start[g], stop, l[row])
        for i in range(stop, at, -1):
            sorted_l[i] = sorted_l[i - 1]
            sorted_r[i] = sorted_r[i - 1]
            ids[i] = ids[i - 1]
        sorted_l[at] = l[row]
        sorted_r[at] = r[row]
        ids[at] = row
        size[g] += 1
        bounds[g, 0] = min(bounds[g, 0], r[row])
        bounds[g, 1] = max(bounds[g, 1], r[row])
    return True


@njit
def _take_out(
    start: Ints, size: Ints, sorted_l: Floats, sorted_r: Floats, ids: Ints, bounds: Floats,  # noqa: ARG001
    l: Floats, group: Ints, rows: Ints,
) -> None:  # fmt: skip
    """Delete rows from their groups; the bounds stay, which is safe."""
    for row in rows:
        g = group[row]
        stop = start[g] + size[g]
        at = _first_above(sorted_l, start[g], stop, l[row]) - 1
        while ids[at] != row:
            at -= 1
        for i in range(at, stop - 1):
            sorted_l[i] = sorted_l[i + 1]
            sorted_r[i] = sorted_r[i + 1]
            ids[i] = ids[i + 1]
        size[g] -= 1
