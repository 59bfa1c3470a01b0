"""Matching by a sorted column: the plain index of a gateway, and the measure for better ones.

Subscriptions are grouped (by gateway broker) and sorted by one end inside each group. A message's condition on it is
then a run of rows, found by bisection, and its condition on the other ends is tested row by row:
`matching.line_scan` does it for l and r of one attribute, `matching.side_scan` for those of several.
"""

from types import ModuleType

import numpy as np
import numpy.typing as npt

from matching import line_scan, side_scan
from matching.grouped_rows import put_in, sort_groups, take_out

__all__ = ["Scan"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Scan:
    """Which subscriptions of a group does a message concern?

    Parameters
    ----------
    l, r
        Ends of the subscriptions, (m,) f8 each, or (m, attributes); a subscription's row number is its id.
    group
        Group of each, (m,) i8, below `groups`.

    Notes
    -----
    For a group of g subscriptions, g' of them with l in the message's range: a match takes O(log g + g'); `add`,
    `remove` and `move` take O(g) each, and O(m) when a group has outgrown its room. About 51 bytes per subscription.
    Over several attributes the r of the first one is in l's place; 102 bytes for two, and 34 more for each further
    one.
    """

    def __init__(self, l: npt.ArrayLike, r: npt.ArrayLike, group: npt.ArrayLike, groups: int) -> None:
        lows, highs = np.array(l, np.float64), np.array(r, np.float64)
        self._group = np.array(group, np.int64)
        if lows.ndim > 2 or lows.shape != highs.shape or lows.shape[:1] != self._group.shape:
            shapes = f"{lows.shape}, {highs.shape} and {self._group.shape}"
            raise ValueError(f"l, r and group must be equally long, got shapes {shapes}")
        self._form: ModuleType = line_scan if lows.ndim == 1 else side_scan
        self._key, self._rest = self._form.columns(lows, highs)
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
        ends, found = self._form.match(*self._columns(), *self._form.corners(table), offsets, groups)
        return ends, found

    def count(self, table: npt.NDArray[np.void], offsets: Ints, groups: Ints) -> Ints:
        """Number of subscriptions that each message concerns in the groups it reached, (messages,) i8."""
        counts: Ints = self._form.count(*self._columns(), *self._form.corners(table), offsets, groups)
        return counts

    def add(self, ids: npt.ArrayLike, l: npt.ArrayLike, r: npt.ArrayLike, group: npt.ArrayLike) -> None:
        """Take in subscriptions under ids that are not in use."""
        rows, groups = np.asarray(ids, np.int64), np.asarray(group, np.int64)
        self._check_groups(groups)
        more = int(rows.max(initial=-1)) + 1 - len(self._group)
        if more > 0:
            self._key = np.append(self._key, np.zeros(more))
            self._rest = np.concatenate((self._rest, np.zeros((more, *self._rest.shape[1:]))))
            self._group = np.append(self._group, np.full(more, -1))
        if (self._group[rows] >= 0).any():
            raise ValueError(f"ids must not be in use, got {rows[self._group[rows] >= 0][:5].tolist()}")
        self._key[rows], self._rest[rows] = self._form.columns(np.asarray(l, np.float64), np.asarray(r, np.float64))
        self._place(rows, groups)

    def remove(self, ids: npt.ArrayLike) -> None:
        """Forget subscriptions."""
        rows = np.asarray(ids, np.int64)
        self._check_held(rows)
        take_out(*self._columns(), self._key, self._group, rows)
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
        take_out(*self._columns(), self._key, self._group, rows)
        self._place(rows, np.broadcast_to(np.asarray(group, np.int64), rows.shape))

    def _place(self, rows: Ints, groups: Ints) -> None:
        self._group[rows] = groups
        if not put_in(*self._columns(), self._key, self._rest, self._group, rows):
            self._build()

    def _build(self) -> None:
        self._size = np.bincount(self._group[self._group >= 0], minlength=self._groups).astype(np.int64)
        room = self._size + self._size // 8 + 4
        self._start = np.append(0, np.cumsum(room)).astype(np.int64)
        self._sorted_key, self._sorted_rest, self._ids, self._bounds = sort_groups(
            self._key, self._rest, self._group, self._start, self._size
        )

    def _columns(self) -> tuple[Ints, Ints, Floats, Floats, Ints, Floats]:
        return self._start, self._size, self._sorted_key, self._sorted_rest, self._ids, self._bounds

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
            key, rest = self._sorted_key[rows], self._sorted_rest[rows]
            same = np.array_equal(key, self._key[ids]) and np.array_equal(rest, self._rest[ids])
            if not (same and (np.diff(key) >= 0).all()):
                raise ValueError(f"group {g} is out of order")
            lowest, highest = self._bounds[g]
            if len(rest) and not ((lowest <= rest.min(axis=0)).all() and (rest.max(axis=0) <= highest).all()):
                raise ValueError(f"the bounds of group {g} are too narrow")
