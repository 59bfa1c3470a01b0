"""Tiles in the subscription space S: the only place that knows their shapes (Sections II-C, III-A and IV-B).

All kernels share one notation. Object i lies at x; row WEST of `xs` holds l_1 >= l_2 >= ... >= l_a, the x values of
the first objects west of i that rank above it, nearest first, row EAST holds r_1 <= ... <= r_b likewise, and `counts`
gives a and b, which are at most k. Put
l_0 = r_0 = x, l_{a+1} = -inf and r_{b+1} = +inf. A tile is a row (l_in, r_in, l_out, r_out): the subscriptions [l,
r] with l_out < l <= l_in and r_in <= r < r_out. Tiles are written west to east and never empty; ties in x make some
empty, and those are dropped.

`cut` says which neighbours the approximate algorithms of Section IV-B send as one box. The tile that reaches past p
objects of the west is of level p, from 0 to k - 1; the open one of a region (r_out = +inf), which takes the place of
several, is of level 0. *By levels*, which fits the paper's Table II, the k levels fall into g = ceil(1 / epsilon)
nearly equal groups: level p is of the last group j with floor(j k / g) <= p. *By tiles*, the tiles there are fall
into sublists of ceil(epsilon k), counted from the west: fewer messages, and more of them in vain. Either way a box
spans s <= ceil(epsilon k) levels, p to p + s - 1, so that those in it see at most p + s - 1 better objects in the
west and k - 1 - p in the east: nobody is told of an object that ranks below k + s - 1 <= (1 + epsilon)k, nor of an
exposed one that ranks above k - s + 1 (Theorem 7). Tiles that ties make empty keep their level. A box reaches around
the tiles of its group that are there; *by strips*, which fits the paper's Table V, it spans all levels of the group,
also those that ties make empty. Without ties both are the same; with them strips reach more who have no use for the
object, and some where nobody has, by as few messages.

`limits` keep to the subscriptions with l > limits[0] and r < limits[1] (an object that moves in x leaves only the
lists of those that do not contain its new place); ALL keeps all.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit_inner
from paint.sweep import EAST, WEST

__all__ = [
    "ALL",
    "EACH",
    "START",
    "Cut",
    "Limits",
    "empty_tiles",
    "exposed_tiles",
    "group_of",
    "influence_tiles",
    "put_tile",
    "strips",
]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Limits = tuple[float, float]

ALL: Limits = (-np.inf, np.inf)
"""`limits` that every subscription is within."""


class Cut(NamedTuple):
    """Which neighbouring tiles are sent as one box.

    Attributes
    ----------
    groups : int
        Number of groups of levels, 0 if it is the tiles that are grouped.
    step : int
        Length of the sublists of tiles; 1 sends every tile by itself.
    whole : bool
        Whether boxes span all levels of their group, also those that ties make empty.
    """

    groups: int
    step: int
    whole: bool


EACH = Cut(0, 1, False)
"""The cut of the exact algorithms."""
# An argument as int64, not as a literal, for which Numba would compile a version of its own.
START: int = np.int64(0)  # type: ignore[assignment]
"""`row` of an empty table."""


@njit_inner
def put_tile(out: Floats, row: int, l_in: float, r_in: float, l_out: float, r_out: float) -> int:
    """Write a tile to a row; the row after it."""
    out[row, 0] = l_in
    out[row, 1] = r_in
    out[row, 2] = l_out
    out[row, 3] = r_out
    return row + 1


@njit_inner
def group_of(cut: Cut, level: int, place: int, k: int) -> int:
    """Give the group of a tile by its level or, by tiles, by its place from the west; with EACH, its place."""
    if cut.groups > 0:
        return ((level + 1) * cut.groups - 1) // k
    return place // cut.step


@njit_inner
def influence_tiles(
    x: float, xs: Floats, counts: Counts, k: int, cut: Cut, limits: Limits, out: Floats, row: int
) -> int:
    """Tile IR(i), the staircase of subscriptions that hold object i (Algorithm 4).

    Strip p takes l in (l_{p+1}, l_p], where p objects of the west are in range, and r in [x, r_{k-p}). Neighbours
    with the same r_out are one rectangle: the strips with r_out = +inf, and any that ties in x or `limits` make
    alike.

    Parameters
    ----------
    out : float64 array with at least 4 columns and `row` + k rows
        Receives the tiles from `row` on.

    Returns
    -------
    int
        The row after the last tile; at most ceil(1 / epsilon) tiles. O(k) time.
    """
    west, east, a, b = xs[WEST], xs[EAST], counts[WEST], counts[EAST]
    start = row
    last = min(a, k - 1)
    p_open = min(max(k - 1 - b, 0), last)
    each = cut.groups == 0 and cut.step == 1
    now, begun, written = -1, -np.inf, False
    for p in range(last, p_open - 1, -1):
        l_out = max(west[p] if p < a else -np.inf, limits[0])
        l_in = x if p == p_open else west[p - 1]
        r_out = min(east[k - p - 1] if k - p <= b else np.inf, limits[1])
        if cut.whole:
            group = group_of(cut, 0 if p == p_open else p, 0, k)
            if group != now:
                now, begun, written = group, l_out, False
            if begun < l_in and x < r_out:
                row = put_tile(out, row - 1 if written else row, l_in, x, begun, r_out)
                written = True
        elif l_out < l_in and x < r_out:
            if row > start and out[row - 1, 3] == r_out:
                out[row - 1, 0] = l_in
                continue
            group = p if each else group_of(cut, 0 if p == p_open else p, last - p, k)
            if group == now:
                out[row - 1, 0] = l_in
                out[row - 1, 3] = r_out
            else:
                row = put_tile(out, row, l_in, x, l_out, r_out)
                now = group
    return row


@njit_inner
def strips(counts: Counts, k: int) -> int:
    """Count the strips of IR(i), also those that ties in x make empty or alike; O(1)."""
    last: int = min(counts[WEST], k - 1)
    first: int = min(max(k - 1 - counts[EAST], 0), last)
    return last - first + 1


@njit_inner
def empty_tiles(x_h: float, x: float, xs: Floats, counts: Counts, k: int) -> int:
    """Count the tiles of what the exposed object h gains that ties in x alone make empty; O(k)."""
    west, east, a, b = xs[WEST], xs[EAST], counts[WEST], counts[EAST]
    found = 0
    for q in range(max(0, k - 1 - a), min(b, k - 1) + 1):
        p = k - 1 - q
        l_out = west[p] if p < a else -np.inf
        l_in = min(west[p - 1] if p > 0 else x, x_h)
        r_in = max(east[q - 1] if q > 0 else x, x_h)
        r_out = east[q] if q < b else np.inf
        if (l_out == l_in and r_in <= r_out) or (l_out <= l_in and r_in == r_out):
            found += 1
    return found


@njit_inner
def exposed_tiles(
    x_h: float, x: float, xs: Floats, counts: Counts, k: int, cut: Cut, limits: Limits, out: Floats, row: int
) -> int:
    """Tile what the exposed object h gains from object i, a diagonal chain (Algorithm 5, corrected).

    The lists are those before h is added. A subscription gains h if it contains h and exactly k - 1 others
    that rank above h: l in (l_{p+1}, l_p] and r in [r_q, r_{q+1}) with p + q = k - 1, clipped to l <= x_h <= r. The
    printed Algorithm 5 does not clip, and its special cases reach subscriptions that already hold h. When a + b < k
    - 1 every list has room, h is in it already and there is no tile. Returns what `influence_tiles` does, in O(k).
    """
    west, east, a, b = xs[WEST], xs[EAST], counts[WEST], counts[EAST]
    each = cut.groups == 0 and cut.step == 1
    now, first = -1, -1
    begun, low, written = -np.inf, np.inf, False
    for q in range(max(0, k - 1 - a), min(b, k - 1) + 1):
        p = k - 1 - q
        l_out = max(west[p] if p < a else -np.inf, limits[0])
        l_in = min(west[p - 1] if p > 0 else x, x_h)
        r_in = max(east[q - 1] if q > 0 else x, x_h)
        r_out = min(east[q] if q < b else np.inf, limits[1])
        if cut.whole:
            # Beyond the clips there is no level: l_out > l_in or r_in > r_out, not by ties.
            if l_out <= l_in and r_in <= r_out:
                group = group_of(cut, p, 0, k)
                if group != now:
                    now, begun, low, written = group, l_out, r_in, False
                if begun < l_in and low < r_out:
                    row = put_tile(out, row - 1 if written else row, l_in, low, begun, r_out)
                    written = True
        elif l_out < l_in and r_in < r_out:
            if first < 0:
                first = q
            group = q if each else group_of(cut, p, q - first, k)
            if group == now:
                out[row - 1, 0] = l_in
                out[row - 1, 3] = r_out
            else:
                row = put_tile(out, row, l_in, r_in, l_out, r_out)
                now = group
    return row
