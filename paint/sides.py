"""Sides: ranges over several attributes as points, objects as corners, messages as half-open boxes (Section IV-C).

A subscription over d attributes is a point u with one coordinate per *side*: -l for a left end, r for a right end.
Object h is the corner a(h) with -x for left sides and x for right ones, so that the range holds h iff a(h) <= u in
every side. Every tile and message is lo <= u < hi, which is `l_out < l <= l_in` and `r_in <= r < r_out`. Seen from
object i, all that matters of h is b(h) = max(a(h), a(i)): the subscriptions that hold both. Coordinates are negated
and compared, never subtracted, which would not be exact.

Sides are in the order l1, r1, l2, r2, ...; an attribute with an upper bound only, which is the last one, has no left
side. `dimensions` 1, 1.5, 2, 2.5 and 3 have 2 to 6 sides.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit, njit_inner

__all__ = [
    "DIMENSIONS",
    "Floats",
    "Sides",
    "boxes_of",
    "corner",
    "points_of",
    "seen_from",
    "sides_of",
    "upper_sides",
    "whole_orthant",
]

DIMENSIONS = (1, 1.5, 2, 2.5, 3)
"""What a server offers; .5 is one more attribute, with an upper bound only."""

Floats = NDArray[np.float64]


class Sides(NamedTuple):
    """The sides of the subscription space over d attributes.

    Attributes
    ----------
    attribute : int64 array of D
        Which attribute each side bounds.
    sign : float64 array of D
        -1.0 for a left end, 1.0 for a right end.
    low, high : int64 arrays of D
        Columns of a message's row that bound the side: l_in and l_out, or r_in and r_out (see `paint.messages`).
    """

    attribute: NDArray[np.int64]
    sign: Floats
    low: NDArray[np.int64]
    high: NDArray[np.int64]


def sides_of(dimensions: float) -> Sides:
    """Make the sides of a space that is offered."""
    d = int(np.ceil(dimensions))
    both = [(j, sign) for j in range(d) for sign in (-1.0, 1.0)]
    if dimensions != d:
        del both[-2]
    attribute, sign = (np.array(column) for column in zip(*both, strict=True))
    low = np.where(sign < 0, attribute, d + attribute)
    return Sides(attribute.astype(np.int64), sign, low.astype(np.int64), (2 * d + low).astype(np.int64))


def upper_sides(count: int) -> Sides:
    """Make sides that are all right ends of an attribute of their own, without a left one."""
    attribute = np.arange(count, dtype=np.int64)
    return Sides(attribute, np.ones(count), count + attribute, 3 * count + attribute)


def points_of(sides: Sides, l: Floats, r: Floats) -> Floats:
    """Subscriptions as points of the sides, (m, D), from their ends, (m, d) each, or (m,) over one attribute.

    Where an attribute has no left side, its l is not looked at.
    """
    ends = np.where(sides.sign < 0, _columns(l)[:, sides.attribute], _columns(r)[:, sides.attribute])
    points: Floats = ends * sides.sign
    return points


def _columns(values: Floats) -> Floats:
    """Rows with a number for each attribute, of values that may be of one attribute without saying so."""
    return values[:, None] if values.ndim == 1 else values


def boxes_of(sides: Sides, table: NDArray[np.void]) -> tuple[Floats, Floats]:
    """Regions of messages as boxes lo <= u < hi of the sides, (messages, D) each."""
    fields = [_columns(table[name]) for name in ("l_in", "r_in", "l_out", "r_out")]
    columns = [column for field in fields for column in field.T]
    lo, hi = np.empty((2, len(table), len(sides.sign)))
    for side, sign in enumerate(sides.sign.tolist()):
        np.multiply(columns[sides.low[side]], sign, out=lo[:, side])
        np.multiply(columns[sides.high[side]], sign, out=hi[:, side])
    return lo, hi


@njit_inner
def corner(sides: Sides, x: Floats, i: int, out: Floats) -> None:
    """Write the corner a of object i, which lies at x[i]; O(D)."""
    for side in range(len(sides.sign)):
        out[side] = sides.sign[side] * x[i, sides.attribute[side]]


@njit_inner
def seen_from(sides: Sides, x: Floats, h: int, origin: Floats, out: Floats) -> None:
    """Write the corner b of object h, which lies at x[h], seen from the corner of another; O(D)."""
    for side in range(len(sides.sign)):
        out[side] = max(sides.sign[side] * x[h, sides.attribute[side]], origin[side])


@njit
def whole_orthant(sides: Sides, x: Floats, out: Floats, row: int) -> None:
    """Write the box of all subscriptions that hold an object at x as a message's; O(d)."""
    d = len(x)
    for j in range(d):
        out[row, j] = out[row, d + j] = x[j]
        out[row, 2 * d + j], out[row, 3 * d + j] = -np.inf, np.inf
    if len(sides.sign) & 1:
        out[row, d - 1] = np.inf
