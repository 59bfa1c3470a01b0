"""What subscriptions ask, as flat arrays: one interval per attribute, and the checks that an interval cannot say.

`Asked` has the intervals of each subscription in a row, ascending by attribute; two predicates on one attribute are
intersected. `Checks` has rows for what is tested after the intervals hold: sets, and in an index that keeps intervals
as codes also those that codes cannot tell apart. Their owners are ids, which count up, so new rows stay in order.
"""

from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from floor.kernels import njit, njit_inner, njit_within
from matching.bisection import is_among, lower_bound
from matching.flat_arrays import grown
from matching.predicates import IN, INTERVAL, Predicates
from matching.range_index import Floats, Ints

__all__ = [
    "NOBODY",
    "Asked",
    "Checks",
    "asked_of",
    "checks_of",
    "held",
    "joined",
    "keep_if_passing",
    "kept_checks",
    "rows_of",
    "taken",
    "with_checks",
]

Attributes = npt.NDArray[np.uint16]
Scalar = TypeVar("Scalar", bound=np.generic)

NOBODY = np.iinfo(np.int32).max
"""Owner of rows that are not in use: behind all ids."""


class Asked(NamedTuple):
    """Intervals of n subscriptions."""

    offset: npt.NDArray[np.int64]
    """(n + 1,): where the intervals of a subscription start."""
    attribute: npt.NDArray[np.uint16]
    """(intervals,): ascending in each subscription."""
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    """(intervals,): closed; low > high if nothing is in it."""


class Checks(NamedTuple):
    """Rows of what is tested afterwards, those of one owner together."""

    owner: npt.NDArray[np.int32]
    """(rows,): id of the subscription, ascending; NOBODY where there is room for more."""
    attribute: npt.NDArray[np.uint16]
    kind: npt.NDArray[np.int8]
    """(rows,): INTERVAL, IN or OUT."""
    offset: npt.NDArray[np.int64]
    """(rows + 1,): where the values of a row start: low and high, or a set, ascending."""
    value: npt.NDArray[np.float64]


def asked_of(predicates: Predicates) -> Asked:
    """Intervals of each subscription: O(n + p) for p predicates that are sorted by attribute or few."""
    starts = np.searchsorted(predicates.subscription, np.arange(predicates.subscriptions + 1))
    attribute = predicates.attribute.astype(np.uint16)
    return Asked(*_intersected(starts, attribute, predicates.low, predicates.high))


@njit
def _intersected(
    starts: Ints, attribute: Attributes, low: Floats, high: Floats
) -> tuple[Ints, Attributes, Floats, Floats]:
    """Sort the rows of each subscription by attribute and intersect those of one attribute."""
    n = len(starts) - 1
    offset = np.zeros(n + 1, np.int64)
    attribute_out = np.empty_like(attribute)
    low_out, high_out = np.empty_like(low), np.empty_like(high)
    filled = 0
    for i in range(n):
        first = filled
        for row in range(starts[i], starts[i + 1]):
            at = filled
            while at > first and attribute_out[at - 1] >= attribute[row]:
                at -= 1
            if at < filled and attribute_out[at] == attribute[row]:
                low_out[at] = max(low_out[at], low[row])
                high_out[at] = min(high_out[at], high[row])
                continue
            for moved in range(filled, at, -1):
                attribute_out[moved] = attribute_out[moved - 1]
                low_out[moved] = low_out[moved - 1]
                high_out[moved] = high_out[moved - 1]
            attribute_out[at] = attribute[row]
            low_out[at], high_out[at] = low[row], high[row]
            filled += 1
        offset[i + 1] = filled
    return offset, attribute_out[:filled].copy(), low_out[:filled].copy(), high_out[:filled].copy()


def checks_of(predicates: Predicates, first: int) -> Checks:
    """Rows of the sets of subscriptions whose ids start at `first`."""
    rows = np.flatnonzero(predicates.kind != INTERVAL)
    sizes = np.diff(predicates.offset)[rows]
    return Checks(
        (predicates.subscription[rows] + first).astype(np.int32),
        predicates.attribute[rows].astype(np.uint16),
        predicates.kind[rows].astype(np.int8),
        np.concatenate(([0], np.cumsum(sizes))),
        predicates.value.copy(),
    )


def with_checks(checks: Checks, more: Checks) -> Checks:
    """Put rows of later ids behind those there are: amortised O(1) for each."""
    used, rows = int(np.searchsorted(checks.owner, NOBODY)), more.owner.size
    if rows == 0:
        return checks
    values = int(checks.offset[used])
    owner = grown(checks.owner, used, more.owner)
    owner[used + rows :] = NOBODY
    return Checks(
        owner,
        grown(checks.attribute, used, more.attribute),
        grown(checks.kind, used, more.kind),
        grown(checks.offset, used, more.offset + values),
        grown(checks.value, values, more.value),
    )


def rows_of(checks: Checks, rows: Ints) -> Checks:
    """Some rows, in the order given."""
    sizes = np.diff(checks.offset)[rows]
    offset = np.concatenate(([0], np.cumsum(sizes)))
    places = np.repeat(checks.offset[rows] - offset[:-1], sizes) + np.arange(offset[-1])
    return Checks(checks.owner[rows], checks.attribute[rows], checks.kind[rows], offset, checks.value[places])


def kept_checks(checks: Checks, alive: npt.NDArray[np.bool_]) -> Checks:
    """Rows of the ids that are alive, `alive[id]`."""
    used = int(np.searchsorted(checks.owner, NOBODY))
    return rows_of(checks, np.flatnonzero(alive[checks.owner[:used]]))


def joined(asked: Asked, used: int, more: Asked) -> Asked:
    """Put the intervals of further subscriptions behind those of the first `used`: amortised O(1) for each."""
    filled = int(asked.offset[used])
    return Asked(
        grown(asked.offset, used, more.offset + filled),
        grown(asked.attribute, filled, more.attribute),
        grown(asked.low, filled, more.low),
        grown(asked.high, filled, more.high),
    )


@njit_within
def held(asked: Asked, slot: int, event: Floats) -> tuple[bool, int]:
    """Whether an event lies in all intervals of a subscription, and the intervals looked at."""
    first, behind = asked.offset[slot], asked.offset[slot + 1]
    for at in range(first, behind):
        x = event[asked.attribute[at]]
        if not (asked.low[at] <= x <= asked.high[at]):
            return False, at - first + 1
    return True, behind - first


@njit
def taken(asked: Asked, slots: Ints) -> Asked:
    """Intervals of some subscriptions, in the order given."""
    offset = np.zeros(len(slots) + 1, np.int64)
    for i in range(len(slots)):
        offset[i + 1] = offset[i] + asked.offset[slots[i] + 1] - asked.offset[slots[i]]
    attribute = np.empty(offset[-1], asked.attribute.dtype)
    low, high = np.empty(offset[-1]), np.empty(offset[-1])
    for i in range(len(slots)):
        shift = asked.offset[slots[i]] - offset[i]
        for at in range(offset[i], offset[i + 1]):
            attribute[at] = asked.attribute[at + shift]
            low[at] = asked.low[at + shift]
            high[at] = asked.high[at + shift]
    return Asked(offset, attribute, low, high)


@njit_inner
def _passes(checks: Checks, owner: int, event: Floats) -> tuple[bool, int]:
    """Whether an event passes all rows of an owner, none of whose attributes is missing, and the rows looked at."""
    first = row = lower_bound(checks.owner, 0, len(checks.owner), owner)
    while row < len(checks.owner) and checks.owner[row] == owner:
        x = event[checks.attribute[row]]
        start, behind = checks.offset[row], checks.offset[row + 1]
        if checks.kind[row] == INTERVAL:
            passed = checks.value[start] <= x <= checks.value[start + 1]
        else:
            passed = is_among(checks.value, start, behind, x) == (checks.kind[row] == IN)
        if not passed:
            return False, row - first + 1
        row += 1
    return True, row - first


@njit_inner
def keep_if_passing(checks: Checks, owner: int, event: Floats, ids: Ints, found: int) -> tuple[int, int]:
    """Write an owner behind the ids found so far if it passes: how many there are now, and the rows looked at.

    There must be room for one.
    """
    passed, tests = _passes(checks, owner, event)
    ids[found] = owner
    return found + passed, tests
