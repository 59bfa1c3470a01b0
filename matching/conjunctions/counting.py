"""The counting algorithm: satisfied predicates are found attribute by attribute and counted per subscription. Static.

T. W. Yan and H. Garcia-Molina, TODS 2000 (seed 004, reference [28] and Section 5). An attribute has lists of its
equalities by value, and windows (`matching.intervals.windows`) over its other intervals. A subscription whose count
is the number of its intervals matches.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.asked import Asked, Checks, keep_if_passing
from matching.conjunctions.conjunction_index import StaticConjunctionIndex
from matching.flat_arrays import room_for
from matching.intervals.windows import Windows, lists_of
from matching.range_index import Floats, Ids, Ints

__all__ = ["Counted", "Counting"]


class Counted(NamedTuple):
    """The arrays of the lists of all attributes, one attribute behind the other."""

    values: npt.NDArray[np.int64]
    """(attributes + 1,): where the values of equalities of an attribute start in `value`."""
    value: npt.NDArray[np.float64]
    first: npt.NDArray[np.int64]
    """(values + 1,): where the list of a value starts in `equal`."""
    equal: npt.NDArray[np.int32]
    """Subscriptions that ask for a value."""
    windows: npt.NDArray[np.int64]
    """(attributes + 1,): where the windows of an attribute start in `start`."""
    start: npt.NDArray[np.float64]
    offset: npt.NDArray[np.int64]
    """(windows + 1,): where the list of a window starts."""
    l: npt.NDArray[np.float64]
    r: npt.NDArray[np.float64]
    owner: npt.NDArray[np.int32]
    """(entries,): intervals of the windows and their subscriptions."""
    needed: npt.NDArray[np.uint16]
    """(n,): intervals of each subscription."""
    bare: npt.NDArray[np.int32]
    """Subscriptions without any."""


def counted(asked: Asked, attributes: int) -> Counted:
    """Lists of subscriptions: O(p log p) for p predicates."""
    sizes = np.diff(asked.offset)
    owner = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
    equal = np.flatnonzero(asked.low == asked.high)
    equal = equal[np.lexsort((asked.low[equal], asked.attribute[equal]))]
    value, of = asked.low[equal], asked.attribute[equal]
    new = np.ones(equal.size, np.bool_)
    new[1:] = (of[1:] != of[:-1]) | (value[1:] != value[:-1])
    first = np.flatnonzero(new)
    starts, offsets, columns = [np.empty(0)], [np.zeros(1, np.int64)], []
    windows, entries = np.zeros(attributes + 1, np.int64), 0
    others = np.flatnonzero(asked.low < asked.high)
    others = others[np.argsort(asked.attribute[others], kind="stable")]
    bounds = np.searchsorted(asked.attribute[others], np.arange(attributes + 1))
    for attribute in range(attributes):
        here = others[bounds[attribute] : bounds[attribute + 1]]
        start, long, listed = lists_of(Windows(asked.low[here], asked.high[here]).arrays)
        starts.append(start)
        offsets.append(np.cumsum(long) + entries)
        columns.append((asked.low[here][listed], asked.high[here][listed], owner[here][listed]))
        entries += listed.size
        windows[attribute + 1] = windows[attribute] + start.size
    l, r, of_window = (
        (np.concatenate([np.empty(0), *column]) for column in zip(*columns, strict=True))
        if columns
        else (np.empty(0),) * 3
    )
    return Counted(
        np.searchsorted(of[first], np.arange(attributes + 1)),
        value[first],
        np.append(first, equal.size),
        owner[equal],
        windows,
        np.concatenate(starts),
        np.concatenate(offsets),
        l,
        r,
        of_window.astype(np.int32),
        sizes.astype(np.uint16),
        np.flatnonzero(sizes == 0).astype(np.int32),
    )


@njit
def match_all(lists: Counted, checks: Checks, events: Floats) -> tuple[Ints, Ints, int]:
    """Kernel of `matching.conjunctions.conjunction_index`; the id of a subscription is its place."""
    value, equal, l, r, owner, needed = lists.value, lists.equal, lists.l, lists.r, lists.owner, lists.needed
    counts = np.empty(len(needed), np.uint16)
    candidates = np.empty(len(needed), np.int32)
    offsets = np.zeros(len(events) + 1, np.int64)
    ids = np.empty(64, np.int64)
    found, made = 0, 0
    for i in range(len(events)):
        event = events[i]
        counts[:] = 0
        full = len(lists.bare)
        candidates[:full] = lists.bare
        for attribute in range(len(lists.values) - 1):
            x = event[attribute]
            if x != x:
                continue
            low, behind = lists.values[attribute], lists.values[attribute + 1]
            at = low + np.searchsorted(value[low:behind], x)
            made += 1
            if at < behind and value[at] == x:
                for place in range(lists.first[at], lists.first[at + 1]):
                    counts[equal[place]] += 1
                    candidates[full] = equal[place]
                    full += counts[equal[place]] == needed[equal[place]]
                    made += 1
            low, behind = lists.windows[attribute], lists.windows[attribute + 1]
            window = low + np.searchsorted(lists.start[low:behind], x, side="right") - 1
            for place in range(lists.offset[window], lists.offset[window + 1]):
                made += 1
                if l[place] <= x <= r[place]:
                    counts[owner[place]] += 1
                    if counts[owner[place]] == needed[owner[place]]:
                        candidates[full] = owner[place]
                        full += 1
        for place in range(full):
            if found == len(ids):
                ids = room_for(ids, found, 1)
            found, tests = keep_if_passing(checks, candidates[place], event, ids, found)
            made += tests
        offsets[i + 1] = found
    return offsets, ids[:found], made


class Counting(StaticConjunctionIndex):
    """All subscriptions that an event matches, by counting their satisfied predicates: O(n + satisfied) per event.

    Building takes O(p log p) for p predicates; 4 bytes for an equality and about 40 for another interval.
    """

    arrays: Counted

    def _build(self, asked: Asked, ids: Ids) -> None:
        self.arrays = counted(asked, self.attributes)
        self._place[:] = ids

    def _match_all(self, events: Floats) -> tuple[Ints, Ints, int]:
        return match_all(self.arrays, self._checks, events)

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds: O(entries) in interpreted Python."""
        self._check_places()
        lists = self.arrays
        assert lists.needed.size == len(self)
        assert (lists.needed[lists.bare] == 0).all()
        found = np.bincount(lists.equal, minlength=len(self))
        ends = set()
        for attribute in range(self.attributes):
            own = slice(lists.values[attribute], lists.values[attribute + 1])
            assert (np.diff(lists.value[own]) > 0).all()
            for window in range(lists.windows[attribute], lists.windows[attribute + 1]):
                here = slice(lists.offset[window], lists.offset[window + 1])
                ends |= {(attribute, int(i)) for i in lists.owner[here]}
        for _, i in ends:
            found[i] += 1
        assert (found <= lists.needed).all()
