"""Subscriptions in groups, sorted inside each: the columns under `matching.scan`.

`start` (groups + 1,) and `size` (groups,) i8: group g has the rows `start[g]:start[g] + size[g]`, and room up to
`start[g + 1]`. `key` (rows,) f8: what a group is sorted by. `rest` f8: what else there is of a subscription, one
number, (rows,), or several, (rows, columns). `ids` (rows,) i8. `bounds` (groups, 2) or (groups, 2, columns) f8: no
`rest` of the group is below or above.
"""

import numpy as np
import numpy.typing as npt

from floor.kernel_forms import by_ndim
from floor.kernels import njit

__all__ = ["first_above", "put_in", "sort_groups", "take_out"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@njit
def _copy_number(rest: Floats, row: int, out: Floats, at: int) -> None:
    out[at] = rest[row]


@njit
def _copy_numbers(rest: Floats, row: int, out: Floats, at: int) -> None:
    for column in range(rest.shape[1]):
        out[at, column] = rest[row, column]


_copy = by_ndim({1: _copy_number, 2: _copy_numbers})


@njit
def _stretch_over_number(rest: Floats, row: int, bounds: Floats, g: int) -> None:
    bounds[g, 0] = min(bounds[g, 0], rest[row])
    bounds[g, 1] = max(bounds[g, 1], rest[row])


@njit
def _stretch_over_numbers(rest: Floats, row: int, bounds: Floats, g: int) -> None:
    for column in range(rest.shape[1]):
        bounds[g, 0, column] = min(bounds[g, 0, column], rest[row, column])
        bounds[g, 1, column] = max(bounds[g, 1, column], rest[row, column])


_stretch = by_ndim({1: _stretch_over_number, 2: _stretch_over_numbers})


@njit
def sort_groups(
    key: Floats, rest: Floats, group: Ints, start: Ints, size: Ints
) -> tuple[Floats, Floats, Ints, Floats]:
    """Columns grouped and sorted by key, with the bounds of every group."""
    total = start[-1]
    ids = np.empty(total, np.int64)
    sorted_key = np.empty(total)
    sorted_rest = np.empty((total, *rest.shape[1:]))
    bounds = np.empty((len(size), 2, *rest.shape[1:]))
    filled = start[:-1].copy()
    for i in range(len(key)):
        if group[i] >= 0:
            ids[filled[group[i]]] = i
            filled[group[i]] += 1
    for g in range(len(size)):
        members = ids[start[g] : start[g] + size[g]]
        order = np.argsort(key[members])
        members = members[order]
        bounds[g, 0] = np.inf
        bounds[g, 1] = -np.inf
        for i in range(size[g]):
            at = start[g] + i
            ids[at] = members[i]
            sorted_key[at] = key[members[i]]
            _copy(rest, members[i], sorted_rest, at)
            _stretch(sorted_rest, at, bounds, g)
    return sorted_key, sorted_rest, ids, bounds


@njit
def first_above(column: Floats, lo: int, hi: int, value: float) -> int:
    """First row of the sorted run lo..hi with a value above the given one."""
    while lo < hi:
        middle = (lo + hi) >> 1
        if column[middle] > value:
            hi = middle
        else:
            lo = middle + 1
    return lo


@njit
def put_in(
    start: Ints, size: Ints, sorted_key: Floats, sorted_rest: Floats, ids: Ints, bounds: Floats,
    key: Floats, rest: Floats, group: Ints, rows: Ints,
) -> bool:  # fmt: skip
    """Insert rows into their groups; False when one has no room left, and everything must be built anew."""
    for row in rows:
        g = group[row]
        stop = start[g] + size[g]
        if stop == start[g + 1]:
            return False
        at = first_above(sorted_key, start[g], stop, key[row])
        for i in range(stop, at, -1):
            sorted_key[i] = sorted_key[i - 1]
            _copy(sorted_rest, i - 1, sorted_rest, i)
            ids[i] = ids[i - 1]
        sorted_key[at] = key[row]
        _copy(rest, row, sorted_rest, at)
        ids[at] = row
        size[g] += 1
        _stretch(rest, row, bounds, g)
    return True


@njit
def take_out(
    start: Ints, size: Ints, sorted_key: Floats, sorted_rest: Floats, ids: Ints, bounds: Floats,  # noqa: ARG001
    key: Floats, group: Ints, rows: Ints,
) -> None:  # fmt: skip
    """Delete rows from their groups; the bounds stay, which is safe."""
    for row in rows:
        g = group[row]
        stop = start[g] + size[g]
        at = first_above(sorted_key, start[g], stop, key[row]) - 1
        while ids[at] != row:
            at -= 1
        for i in range(at, stop - 1):
            sorted_key[i] = sorted_key[i + 1]
            _copy(sorted_rest, i + 1, sorted_rest, i)
            ids[i] = ids[i + 1]
        size[g] -= 1
