"""Places of objects, one kernel text for any number of attributes.

A place is a number where there is one attribute, and an array of d numbers where there are several: columns of places
have the shape (rows,) or (rows, d). Kernels name a place by its column and its row, and leave to the functions of
this module, and to `cn.holding.holds`, what depends on the shape. Over one attribute nothing of the choice is left in
what is compiled.
"""

import numpy as np
from numpy.typing import NDArray

from floor.kernel_forms import by_ndim
from floor.kernels import njit, njit_inner

__all__ = ["attributes_in", "by_attribute", "copy_place", "empty_places", "more_places", "same_place"]

Floats = NDArray[np.float64]


def attributes_in(x: Floats) -> int:
    """How many attributes a column of places has."""
    return 1 if x.ndim == 1 else int(x.shape[1])


def by_attribute(x: Floats) -> Floats:
    """The same places as (rows, d), whatever d is; what is written there is written to x."""
    return x if x.ndim > 1 else x[:, None]


def more_places(x: Floats, count: int) -> Floats:
    """Places with room for more of them, 0 in every attribute."""
    return np.concatenate((x, np.zeros((count, *x.shape[1:]))))


@njit_inner
def _copy_number(x: Floats, i: int, other: Floats, j: int) -> None:
    x[i] = other[j]


@njit_inner
def _copy_numbers(x: Floats, i: int, other: Floats, j: int) -> None:
    for at in range(x.shape[1]):
        x[i, at] = other[j, at]


copy_place = by_ndim({1: _copy_number, 2: _copy_numbers})
"""Write other[j] to x[i]: (x, i, other, j)."""


@njit_inner
def _same_number(x: Floats, i: int, other: Floats, j: int) -> bool:
    return bool(x[i] == other[j])


@njit_inner
def _same_numbers(x: Floats, i: int, other: Floats, j: int) -> bool:
    same = True
    for at in range(x.shape[1]):
        same &= x[i, at] == other[j, at]
    return same


same_place = by_ndim({1: _same_number, 2: _same_numbers})
"""Whether x[i] and other[j] are equal in every attribute, NaN to nothing: (x, i, other, j)."""


@njit
def _empty_numbers(x: Floats, count: int) -> Floats:  # noqa: ARG001
    return np.empty(count)


@njit
def _empty_rows(x: Floats, count: int) -> Floats:
    return np.empty((count, x.shape[1]))


empty_places = by_ndim({1: _empty_numbers, 2: _empty_rows})
"""A column of so many places, like another one, that are yet to be written: (x, count)."""
