"""The linear scan: every subscription is tested, up to the first of its predicates that fails.

Seed 004 calls it brute force, seed 002 the lazy algorithm (Section 4.1.5). It is the yardstick of all other indexes,
so it is as quick as a scan of flat arrays can be: most subscriptions fail at their first interval, and these stand in
columns of their own, which are read from end to end; the others are looked up where the first one holds.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.asked import Asked, Checks, grown, joined, kept_checks, passes, taken, with_checks
from matching.conjunctions.conjunction_index import ConjunctionIndex, longer
from matching.range_index import Floats, Ids, Ints

__all__ = ["LinearScan", "Listed"]

GONE = -1
NONE = 2**16 - 1
"""First attribute of a subscription that asks for nothing."""


class Listed(NamedTuple):
    """The arrays of subscriptions in a row."""

    attribute: npt.NDArray[np.uint16]
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    """(slots,): the first interval of each."""
    others: Asked
    """The other intervals."""
    id: npt.NDArray[np.int32]
    """(slots,): ids ascending, GONE for one that was deleted."""


def listed(asked: Asked, ids: Ids) -> Listed:
    """Split the intervals of subscriptions into the first and the others."""
    starts, sizes = asked.offset[:-1], np.diff(asked.offset)
    some = sizes > 0
    attribute = np.full(ids.size, NONE, np.uint16)
    low, high = np.zeros(ids.size), np.zeros(ids.size)
    attribute[some], low[some], high[some] = (column[starts[some]] for column in asked[1:])
    later = np.ones(asked.attribute.size, np.bool_)
    later[starts[some]] = False
    offset = np.concatenate(([0], np.cumsum(sizes - some)))
    others = Asked(offset, asked.attribute[later], asked.low[later], asked.high[later])
    return Listed(attribute, low, high, others, ids)


@njit
def match_all(listed: Listed, count: int, checks: Checks, events: Floats) -> tuple[Ints, Ints, int]:
    """Kernel of `matching.conjunctions.conjunction_index`, over the first `count` slots."""
    attribute, low, high, others, id_of = listed
    offset, other_attribute, other_low, other_high = others
    offsets = np.zeros(len(events) + 1, np.int64)
    ids = np.empty(64, np.int64)
    found, made = 0, 0
    for i in range(len(events)):
        event = events[i]
        for slot in range(count):
            first = attribute[slot]
            made += 1
            if first != NONE and not (low[slot] <= event[first] <= high[slot]):
                continue
            # Not by `held`: passing its arrays on would take longer than the test.
            at, behind = offset[slot], offset[slot + 1]
            while at < behind and other_low[at] <= event[other_attribute[at]] <= other_high[at]:
                at += 1
            made += min(at + 1, behind) - offset[slot]
            if at < behind or id_of[slot] == GONE:
                continue
            passed, tests = passes(checks, id_of[slot], event)
            made += tests
            if passed:
                if found == len(ids):
                    ids = longer(ids)
                ids[found] = id_of[slot]
                found += 1
        offsets[i + 1] = found
    return offsets, ids[:found], made


class LinearScan(ConjunctionIndex):
    """All subscriptions that an event matches, by testing each of them: O(n) per event, insertion O(1).

    About 18 bytes per predicate and 16 per subscription.

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
            grown(own.attribute, used, more.attribute),
            grown(own.low, used, more.low),
            grown(own.high, used, more.high),
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
            firsts = own.attribute[slots], own.low[slots], own.high[slots]
            self._own(Listed(*firsts, taken(own.others, slots), own.id[slots]), slots.size)

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
        assert (sizes[self.arrays.attribute[: self._used] == NONE] == 0).all()
