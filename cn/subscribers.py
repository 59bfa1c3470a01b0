"""Subscribers: the top-k list of every subscription, kept by the paper's protocol from the messages it is handed.

Lists are columns, not objects: row s of `objects` and `y` is the list of subscription s in ascending (y, object id)
order; places not taken hold -1 and +inf. That is 12 k + 17 bytes per subscription: 514 MB for two million at k = 20.
Over d attributes it is 16 (d - 1) more.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cn.free_ids import FreeIds
from cn.holding import Ranges, holds, is_here, refuse_wrong_ranges
from cn.zones import Floats, Ints
from floor.kernels import njit, njit_inner

__all__ = ["Subscribers", "receive"]


class _Lists(NamedTuple):
    """What the kernels work on: subscriptions (see `cn.holding`); objects (m, k) i4; y (m, k) f8."""

    ranges: Any
    objects: npt.NDArray[np.int32]
    y: Floats


class Subscribers:
    """Subscriptions [l, r] with their lists of the k lowest objects in range, by (y, id).

    Parameters
    ----------
    l, r
        Ends of the subscriptions, (m,) f8 each, or (m, d) over d attributes; the row number is the id. Objects then
        have an x of shape (n, d).
    k
        Length of the lists.
    kind
        What a subscription holds (see `cn.holding`).
    """

    def __init__(self, l: npt.ArrayLike, r: npt.ArrayLike, k: int, kind: Callable[..., Any] = Ranges) -> None:
        lows, highs = np.array(l, np.float64), np.array(r, np.float64)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        if lows.shape != highs.shape or lows.ndim not in (1, 2):
            raise ValueError(f"l and r must be one-dimensional and equally long, got {lows.shape} and {highs.shape}")
        refuse_wrong_ranges(lows, highs)
        m = len(lows)
        self._kind = kind
        self._lists = _Lists(kind(lows, highs), np.full((m, k), -1, np.int32), np.full((m, k), np.inf))
        self._present = np.ones(m, np.bool_)
        self._ids = FreeIds(m)

    def __len__(self) -> int:
        """Number of subscriptions present."""
        return int(np.count_nonzero(self._present))

    @property
    def k(self) -> int:
        """Length of the lists."""
        return int(self._lists.objects.shape[1])

    @property
    def l(self) -> Floats:  # noqa: E743
        """Lower end of every row, present or not."""
        ends: Floats = self._lists.ranges.l
        return ends

    @property
    def r(self) -> Floats:
        """Upper end of every row, present or not."""
        ends: Floats = self._lists.ranges.r
        return ends

    @property
    def objects(self) -> npt.NDArray[np.int32]:
        """Objects in the lists, (rows, k) i4, -1 where a list is shorter."""
        return self._lists.objects

    @property
    def y(self) -> Floats:
        """Their y as the subscriptions know it, (rows, k) f8, +inf where a list is shorter."""
        return self._lists.y

    def top(self, subscription: int) -> list[tuple[float, int]]:
        """List of one subscription as (y, object) in rank order."""
        objects = self._lists.objects[subscription]
        size = int(np.count_nonzero(objects >= 0))
        return list(zip(self._lists.y[subscription, :size].tolist(), objects[:size].tolist(), strict=True))

    def start(self, x: npt.ArrayLike, y: npt.ArrayLike, alive: npt.ArrayLike | None = None) -> None:
        """Fill every list from the objects: x, y (n,) f8 and which exist, (n,) bool.

        The objects are read in rank order until k are in range: O(n log n) once, then about k / width steps for a
        subscription whose range holds the share `width` of the objects, n at most.
        """
        _fill(self._lists, np.flatnonzero(self._present), *_in_rank_order(x, y, alive))

    def join(
        self,
        l: npt.ArrayLike,
        r: npt.ArrayLike,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        alive: npt.ArrayLike | None = None,
    ) -> Ints:
        """Take in subscriptions with the right lists for the objects as they are; returns their ids.

        Ids of subscriptions that left are given again. Amortised O(k) per newcomer beside the filling of its list.
        """
        lows, highs = np.atleast_1d(np.asarray(l, np.float64)), np.atleast_1d(np.asarray(r, np.float64))
        refuse_wrong_ranges(lows, highs)
        ids = self._ids.take_many(len(lows))
        self._make_room()
        self.l[ids], self.r[ids] = lows, highs
        self._present[ids] = True
        _fill(self._lists, ids, *_in_rank_order(x, y, alive))
        return ids

    def leave(self, ids: npt.ArrayLike) -> None:
        """Let subscriptions go; what is still delivered to them is ignored until the id is given again."""
        rows = np.atleast_1d(np.asarray(ids, np.int64))
        if rows.size and not (rows.min() >= 0 and rows.max() < len(self._present) and self._present[rows].all()):
            raise ValueError("ids must be those of subscriptions present")
        self._present[rows] = False
        self._lists.objects[rows] = -1
        self._lists.y[rows] = np.inf
        # An empty range takes nothing in.
        self.l[rows], self.r[rows] = np.inf, -np.inf
        self._ids.give_back(np.unique(rows)[::-1].tolist())

    def apply(self, table: npt.NDArray[np.void], offsets: Ints, subscriptions: Ints) -> int:
        """Hand over messages in table order, message i to `subscriptions[offsets[i]:offsets[i + 1]]` (Section II-A).

        The table must be in (event, position) order. O(k) per delivery. Returns how many deliveries changed a list:
        the rest was of no use to its receiver.
        """
        return int(_apply(self._lists, *_contents(table), offsets, subscriptions))

    def apply_each(self, subscriptions: Ints, objects: Ints, x: Floats, y: Floats) -> int:
        """Hand over single deliveries in the given order, one row each; returns how many changed a list."""
        return int(_apply(self._lists, objects, x, y, np.arange(len(objects) + 1), subscriptions))

    def apply_unicast(self, subscriptions: Ints, dropped: Ints, objects: Ints, y: Floats) -> None:
        """Hand over unicast messages in order: drop one object, then set or take in another; -1 for none."""
        _apply_unicast(self._lists, subscriptions, dropped, objects, y)

    def wrong(
        self, x: npt.ArrayLike, y: npt.ArrayLike, alive: npt.ArrayLike | None = None, ids: npt.ArrayLike | None = None
    ) -> Ints:
        """Ids (of those given, or all) whose list is not the top k of the objects, by brute force like `start`."""
        rows = np.flatnonzero(self._present) if ids is None else np.asarray(ids, np.int64)
        return _wrong(self._lists, rows, *_in_rank_order(x, y, alive))

    def _make_room(self) -> None:
        rows = len(self._present)
        if self._ids.bound <= rows:
            return
        more = max(self._ids.bound - rows, rows // 8)
        k = self.k
        gone = np.full((more, *self.l.shape[1:]), np.inf)
        self._lists = _Lists(
            self._kind(np.concatenate((self.l, gone)), np.concatenate((self.r, -gone))),
            np.concatenate((self._lists.objects, np.full((more, k), -1, np.int32))),
            np.concatenate((self._lists.y, np.full((more, k), np.inf))),
        )
        self._present = np.append(self._present, np.zeros(more, np.bool_))


def _in_rank_order(
    x: npt.ArrayLike, y: npt.ArrayLike, alive: npt.ArrayLike | None
) -> tuple[npt.NDArray[np.int32], Floats, Floats]:
    """Objects that exist as (id, x, y), ascending in (y, id)."""
    xs, ys = np.asarray(x, np.float64), np.asarray(y, np.float64)
    exists = ys < np.inf if alive is None else np.asarray(alive, np.bool_) & (ys < np.inf)
    order = np.argsort(ys, kind="stable")
    order = order[exists[order]]
    return order.astype(np.int32), xs[order], ys[order]


def _contents(table: npt.NDArray[np.void]) -> tuple[Ints, Floats, Floats]:
    objects, x, y = (np.ascontiguousarray(table[name]) for name in ("object", "x", "y"))
    return objects, x, y


@njit_inner
def _fill(lists: _Lists, rows: Ints, order: npt.NDArray[np.int32], x: Floats, y: Floats) -> None:
    k = lists.objects.shape[1]
    for s in rows:
        size = 0
        for i in range(len(order)):
            if holds(lists.ranges, s, x, i):
                lists.objects[s, size] = order[i]
                lists.y[s, size] = y[i]
                size += 1
                if size == k:
                    break
        for p in range(size, k):
            lists.objects[s, p] = -1
            lists.y[s, p] = np.inf


@njit
def _wrong(lists: _Lists, rows: Ints, order: npt.NDArray[np.int32], x: Floats, y: Floats) -> Ints:
    k = lists.objects.shape[1]
    found = np.empty(len(rows), np.int64)
    count = 0
    for s in rows:
        size = 0
        right = True
        for i in range(len(order)):
            if holds(lists.ranges, s, x, i):
                right = lists.objects[s, size] == order[i] and lists.y[s, size] == y[i]
                size += 1
                if size == k or not right:
                    break
        if right and size < k:
            right = lists.objects[s, size] < 0
        if not right:
            found[count] = s
            count += 1
    return found[:count].copy()


@njit_inner
def _drop(objects: npt.NDArray[np.int32], y: Floats, place: int) -> None:
    """Close the gap that the object at `place` leaves."""
    last = len(objects) - 1
    for p in range(place, last):
        objects[p] = objects[p + 1]
        y[p] = y[p + 1]
    objects[last] = -1
    y[last] = np.inf


@njit
def _before(y: float, i: int, other_y: float, other: int) -> bool:
    """Whether object i ranks before another: by (y, id), and what is no number after all numbers."""
    if np.isnan(y) or np.isnan(other_y):
        return i < other if np.isnan(y) and np.isnan(other_y) else np.isnan(other_y)
    return y < other_y or (y == other_y and i < other)


@njit_inner
def _rank(objects: npt.NDArray[np.int32], y: Floats, hole: int, new: int, value: float) -> None:
    """Write an object into the list whose place `hole` is vacant, moving it to where (y, id) belongs."""
    p = hole
    while p > 0 and _before(value, new, y[p - 1], objects[p - 1]):
        objects[p] = objects[p - 1]
        y[p] = y[p - 1]
        p -= 1
    last = len(objects) - 1
    while p < last and objects[p + 1] >= 0 and _before(y[p + 1], objects[p + 1], value, new):
        objects[p] = objects[p + 1]
        y[p] = y[p + 1]
        p += 1
    objects[p] = new
    y[p] = value


@njit_inner
def receive(objects: npt.NDArray[np.int32], y: Floats, new: int, value: float, inside: bool) -> bool:
    """One subscription's protocol for one message; returns whether the list changed."""
    k = len(objects)
    size = 0
    place = -1
    while size < k and objects[size] >= 0:
        if objects[size] == new:
            place = size
        size += 1
    if not inside or value == np.inf:
        if place >= 0:
            _drop(objects, y, place)
        return place >= 0
    if place >= 0:
        changed = bool(y[place] != value)
        _rank(objects, y, place, new, value)
        return changed
    if size < k:
        _rank(objects, y, size, new, value)
        return True
    if _before(value, new, y[k - 1], objects[k - 1]):
        _rank(objects, y, k - 1, new, value)
        return True
    return False


@njit_inner
def _apply(lists: _Lists, objects: Ints, x: Floats, y: Floats, offsets: Ints, subscriptions: Ints) -> int:
    changed = 0
    for i in range(len(objects)):
        for p in range(offsets[i], offsets[i + 1]):
            s = subscriptions[p]
            inside = holds(lists.ranges, s, x, i)
            changed += receive(lists.objects[s], lists.y[s], objects[i], y[i], inside)
    return changed


@njit_inner
def _apply_unicast(lists: _Lists, subscriptions: Ints, dropped: Ints, objects: Ints, y: Floats) -> None:
    for i in range(len(subscriptions)):
        s = subscriptions[i]
        if dropped[i] >= 0 and dropped[i] != objects[i]:
            receive(lists.objects[s], lists.y[s], dropped[i], np.inf, True)
        if objects[i] >= 0:
            receive(lists.objects[s], lists.y[s], objects[i], y[i], is_here(lists.ranges.l, lists.ranges.r, s))
