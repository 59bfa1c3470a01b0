"""The linear scan: every subscription is tested, up to the first of its predicates that fails.

Seed 004 calls it brute force, seed 002 the lazy algorithm (Section 4.1.5). It is the yardstick of all other indexes,
so it is as quick as a scan of flat arrays can be. Most subscriptions fail at their first interval or their second, so
these stand in columns of their own, which are read from end to end, block by block: those of a block that pass are
written one behind the other without a jump, since no processor foretells which they are. Only what is left is looked
up among the other intervals.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.asked import Asked, Checks, held, joined, keep_if_passing, kept_checks, taken, with_checks
from matching.conjunctions.conjunction_index import ConjunctionIndex
from matching.flat_arrays import grown, room_for
from matching.range_index import Floats, Ids, Ints

__all__ = ["Column", "LinearScan", "Listed"]

GONE = -1
BLOCK = 4096
"""Subscriptions at a time: what is known of them stays in the processor's nearest cache."""


class Column(NamedTuple):
    """One interval of each subscription."""

    attribute: npt.NDArray[np.uint16]
    """(slots,): the attribute and 1, or 0, whose value is 0, if the subscription asks for nothing here."""
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    """(slots,): from 0 to 0 if it asks for nothing."""


def grown_column(own: Column, used: int, more: Column) -> Column:
    """The column with `more` behind its first `used` slots."""
    return Column(
        grown(own.attribute, used, more.attribute), grown(own.low, used, more.low), grown(own.high, used, more.high)
    )


class Listed(NamedTuple):
    """The arrays of subscriptions in a row."""

    first: Column
    second: Column
    others: Asked
    """The intervals behind the second."""
    id: npt.NDArray[np.int32]
    """(slots,): ids ascending, GONE for one that was deleted."""


def listed(asked: Asked, ids: Ids) -> Listed:
    """Split the intervals of subscriptions into the first, the second and the others."""
    starts, sizes = asked.offset[:-1], np.diff(asked.offset)
    later = np.ones(asked.attribute.size, np.bool_)
    columns = []
    for which in range(2):
        some = sizes > which
        attribute = np.zeros(ids.size, np.uint16)
        low, high = np.zeros(ids.size), np.zeros(ids.size)
        at = starts[some] + which
        attribute[some], low[some], high[some] = asked.attribute[at] + 1, asked.low[at], asked.high[at]
        later[at] = False
        columns.append(Column(attribute, low, high))
    offset = np.concatenate(([0], np.cumsum(np.maximum(sizes - 2, 0))))
    others = Asked(offset, asked.attribute[later], asked.low[later], asked.high[later])
    return Listed(columns[0], columns[1], others, ids)


@njit
def _passing(first: Column, second: Column, values: Floats, start: int, stop: int, slots: Ids) -> tuple[int, int]:
    """Write the slots of a block whose first two intervals hold; their number, and intervals looked at."""
    attribute, low, high = first
    found = 0
    for slot in range(start, stop):
        x = values[attribute[slot]]
        slots[found] = slot
        found += (low[slot] <= x) & (x <= high[slot])
    attribute, low, high = second
    kept, made = 0, stop - start
    for at in range(found):
        slot = slots[at]
        x = values[attribute[slot]]
        made += attribute[slot] > 0
        slots[kept] = slot
        kept += (low[slot] <= x) & (x <= high[slot])
    return kept, made


@njit
def match_all(listed: Listed, count: int, checks: Checks, events: Floats) -> tuple[Ints, Ints, int]:
    """Kernel of `matching.conjunctions.conjunction_index`, over the first `count` slots."""
    first, second, others, id_of = listed
    offsets = np.zeros(len(events) + 1, np.int64)
    ids = np.empty(64, np.int64)
    slots = np.empty(BLOCK, np.int32)
    values = np.zeros(events.shape[1] + 1)
    found, made = 0, 0
    for i in range(len(events)):
        event = events[i]
        values[1:] = event
        for start in range(0, count, BLOCK):
            passing, tests = _passing(first, second, values, start, min(start + BLOCK, count), slots)
            made += tests
            for place in range(passing):
                slot = slots[place]
                holds, tests = held(others, slot, event)
                made += tests
                if not holds or id_of[slot] == GONE:
                    continue
                if found == len(ids):
                    ids = room_for(ids, found, 1)
                found, tests = keep_if_passing(checks, id_of[slot], event, ids, found)
                made += tests
        offsets[i + 1] = found
    return offsets, ids[:found], made


class LinearScan(ConjunctionIndex):
    """All subscriptions that an event matches, by testing each of them: O(n) per event, insertion O(1).

    52 bytes per subscription, and 18 for each predicate behind its second.

    Examples
    --------
    >>> index = LinearScan({"subscription": [0, 0, 1], "attribute": [0, 1, 1], "operator": ["<", "=", "="],
    ...     "low": [30, 2008, 2008]})
    >>> index.match([20.0, 2008.0]).tolist()
    [0, 1]
    >>> index.match([float("nan"), 2008.0]).tolist()
    [1]
    """

    arrays: Listed

    def _build(self, asked: Asked, ids: Ids) -> None:
        self._own(listed(asked, ids), ids.size)

    def _own(self, arrays: Listed, used: int) -> None:
        self.arrays = arrays
        self._used = used
        self._place[arrays.id[:used]] = np.arange(used)

    def _match_all(self, events: Floats) -> tuple[Ints, Ints, int]:
        return match_all(self.arrays, self._used, self._checks, events)

    def _add(self, asked: Asked, ids: Ids, sets: Checks) -> None:
        self._checks = with_checks(self._checks, sets)
        more, own, used = listed(asked, ids), self.arrays, self._used
        self.arrays = Listed(
            grown_column(own.first, used, more.first),
            grown_column(own.second, used, more.second),
            joined(own.others, used, more.others),
            grown(own.id, used, ids),
        )
        self._place[ids] = np.arange(used, used + ids.size)
        self._used += ids.size

    def _remove(self, ids: Ints) -> None:
        own = self.arrays
        own.id[self._place[ids]] = GONE
        self._place[ids] = -1
        if 2 * len(self) < self._used:
            slots = np.flatnonzero(own.id[: self._used] != GONE)
            self._checks = kept_checks(self._checks, self._place >= 0)
            first, second = (
                Column(column.attribute[slots], column.low[slots], column.high[slots])
                for column in (own.first, own.second)
            )
            self._own(Listed(first, second, taken(own.others, slots), own.id[slots]), slots.size)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds."""
        self._check_places()
        ids = self.arrays.id[: self._used]
        alive = ids[ids != GONE]
        assert (np.diff(alive) > 0).all()
        assert alive.size == len(self) >= self._used // 2
        assert (self._place[alive] == np.flatnonzero(ids != GONE)).all()
        sizes = np.diff(self.arrays.others.offset[: self._used + 1])
        assert (sizes >= 0).all()
        first, second = (column.attribute[: self._used] == 0 for column in self.arrays[:2])
        assert second[first].all()
        assert (sizes[second] == 0).all()
