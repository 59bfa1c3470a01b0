"""Dimension transform: a conjunction of intervals as one point of 16-bit codes, an event as a box around such points.

Seed 004, Section 3.2. An attribute becomes two dimensions, start and end of the interval; x lies in [l, r] if l <= x
and x <= r, so an event asks for the points of the box [least, x] x [x, largest]. An attribute that a subscription
does not ask for is TRUE: the point (0, 65535). These two codes stand for nothing else, so an event that lacks the
attribute asks for just that point; the paper lets TRUE be the full range, which a predicate may ask for too.

Codes number the elementary intervals of an attribute (`matching.intervals.elementary`): the ends that occur on it,
ascending, are its cuts c_0 < c_1 < ..., 2i + 1 is the number of the point c_i and 2i that of the gap before it.
Start, end and x all have the number of what they lie in, so equalities and events are on the diagonal. If l is a cut,
its number is at most that of x just when l <= x, and likewise for r: codes decide. With more than 32,766 ends some
are left out, and ends that come later may be none; then the interval becomes a row of `Checks`, which is tested after
the codes: the number of the gap in which an end lies lets everything pass that the end does. Numbers are spread over
the 16 bits, so that their top bits tell points apart however few there are.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.bisection import lower_bound
from matching.conjunctions.asked import NOBODY, Asked, Checks
from matching.predicates import INTERVAL
from matching.range_index import Floats, Ids, Ints

__all__ = [
    "LARGEST",
    "MOST_CUTS",
    "Codes",
    "Points",
    "coded",
    "decoded",
    "encode_event",
    "find_codes",
    "merged_checks",
    "split_checks",
]

LARGEST = 2**16 - 1
MOST_CUTS = (LARGEST - 2) // 2

Points = npt.NDArray[np.uint16]


class Codes(NamedTuple):
    """How the values of attributes become codes."""

    order: npt.NDArray[np.int32]
    """(attributes,): attributes by how many subscriptions ask for them, most first: dimensions 2i and 2i + 1 of i."""
    offset: npt.NDArray[np.int64]
    """(attributes + 1,): where the cuts of an attribute start."""
    cut: npt.NDArray[np.float64]
    """Ascending for each attribute."""
    step: npt.NDArray[np.int64]
    """(attributes,): codes from one number to the next."""


def find_codes(asked: Asked, attributes: int) -> Codes:
    """Cuts of each attribute: O(p log p) for p predicates."""
    by_attribute = np.argsort(asked.attribute, kind="stable")
    use = np.bincount(asked.attribute, minlength=attributes)
    starts = np.concatenate(([0], np.cumsum(use)))
    cuts = []
    for attribute in range(attributes):
        here = by_attribute[starts[attribute] : starts[attribute + 1]]
        low, high = asked.low[here], asked.high[here]
        ends = np.unique(np.concatenate((low[low > -np.inf], high[high < np.inf])))
        if ends.size > MOST_CUTS:
            ends = ends[np.linspace(0, ends.size - 1, MOST_CUTS).astype(np.int64)]
        cuts.append(ends)
    sizes = np.array([ends.size for ends in cuts], np.int64)
    return Codes(
        np.lexsort((np.arange(attributes), -use)).astype(np.int32),
        np.concatenate(([0], np.cumsum(sizes))),
        np.concatenate([*cuts, np.empty(0)]),
        (LARGEST - 2) // np.maximum(2 * sizes, 1),
    )


@njit
def _number(codes: Codes, attribute: int, x: float) -> int:
    """Number of the elementary interval in which a value lies."""
    first, behind = codes.offset[attribute], codes.offset[attribute + 1]
    at = lower_bound(codes.cut, first, behind, x)
    return int(2 * (at - first) + (at < behind and codes.cut[at] == x))


@njit
def coded(codes: Codes, asked: Asked) -> tuple[Points, npt.NDArray[np.bool_]]:
    """Points of subscriptions, shape (n, 2 attributes), and which intervals codes do not decide."""
    n, attributes = len(asked.offset) - 1, len(codes.order)
    place = np.empty(attributes, np.int64)
    for i in range(attributes):
        place[codes.order[i]] = i
    points = np.zeros((n, 2 * attributes), np.uint16)
    points[:, 1::2] = LARGEST
    undecided = np.zeros(len(asked.low), np.bool_)
    for i in range(n):
        for at in range(asked.offset[i], asked.offset[i + 1]):
            attribute = asked.attribute[at]
            l, r, step = asked.low[at], asked.high[at], codes.step[attribute]
            column = 2 * place[attribute]
            if l > r:  # below the diagonal there are no points; nothing passes the row of this interval
                points[i, column], points[i, column + 1] = 1, 1
                undecided[at] = True
                continue
            start, end = _number(codes, attribute, l), _number(codes, attribute, r)
            points[i, column], points[i, column + 1] = 1 + start * step, 1 + end * step
            undecided[at] = not ((l == -np.inf or start & 1) and (r == np.inf or end & 1))
    return points, undecided


@njit
def encode_event(codes: Codes, event: Floats, low: Points, high: Points) -> None:
    """Corners of the box of an event, by dimension."""
    for i in range(len(codes.order)):
        attribute = codes.order[i]
        x, step = event[attribute], codes.step[attribute]
        low[2 * i], high[2 * i + 1] = 0, LARGEST
        if x != x:
            high[2 * i], low[2 * i + 1] = 0, LARGEST
        else:
            high[2 * i] = low[2 * i + 1] = 1 + _number(codes, attribute, x) * step


@njit
def decoded(codes: Codes, points: Points) -> Asked:
    """The intervals of points; an end that codes do not decide is open."""
    n, attributes = len(points), len(codes.order)
    offset = np.zeros(n + 1, np.int64)
    for i in range(n):
        offset[i + 1] = offset[i]
        for column in range(0, 2 * attributes, 2):
            offset[i + 1] += points[i, column] != 0
    attribute_out = np.empty(offset[-1], np.uint16)
    low, high = np.empty(offset[-1]), np.empty(offset[-1])
    for i in range(n):
        at = offset[i]
        for column in range(0, 2 * attributes, 2):
            if points[i, column] != 0:
                attribute = codes.order[column >> 1]
                first = codes.offset[attribute]
                start = (np.int64(points[i, column]) - 1) // codes.step[attribute]
                end = (np.int64(points[i, column + 1]) - 1) // codes.step[attribute]
                attribute_out[at] = attribute
                low[at] = codes.cut[first + (start >> 1)] if start & 1 else -np.inf
                high[at] = codes.cut[first + (end >> 1)] if end & 1 else np.inf
                at += 1
    return Asked(offset, attribute_out, low, high)


def split_checks(asked: Asked, ids: Ids, undecided: npt.NDArray[np.bool_]) -> Checks:
    """Rows for the intervals that codes do not decide."""
    at = np.flatnonzero(undecided)
    owner = ids[np.searchsorted(asked.offset, at, side="right") - 1]
    values = np.stack((asked.low[at], asked.high[at]), axis=1).ravel()
    kind = np.full(at.size, INTERVAL, np.int8)
    return Checks(owner.astype(np.int32), asked.attribute[at], kind, 2 * np.arange(at.size + 1), values)


def merged_checks(a: Checks, b: Checks) -> Checks:
    """Rows of both by owner."""
    rows = [int(np.searchsorted(one.owner, NOBODY)) for one in (a, b)]
    if rows[1] == 0:
        return a
    owner, attribute, kind = (
        np.concatenate([one[field][:used] for one, used in zip((a, b), rows, strict=True)]) for field in range(3)
    )
    order = np.argsort(owner, kind="stable")
    behind = int(a.offset[rows[0]])
    starts = np.concatenate((a.offset[: rows[0]], b.offset[: rows[1]] + behind))
    sizes = np.concatenate((np.diff(a.offset[: rows[0] + 1]), np.diff(b.offset[: rows[1] + 1])))[order]
    offset = np.concatenate(([0], np.cumsum(sizes)))
    values = np.concatenate((a.value[:behind], b.value))
    places: Ints = np.repeat(starts[order] - offset[:-1], sizes) + np.arange(offset[-1])
    return Checks(owner[order], attribute[order], kind[order], offset, values[places])
