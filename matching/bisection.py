"""Bisection of a part of an array whose values ascend there."""

from typing import Any

import numpy.typing as npt

from floor.kernels import njit_within

__all__ = ["is_among", "lower_bound"]


@njit_within
def lower_bound(values: npt.NDArray[Any], first: int, behind: int, least: Any) -> int:
    """The first place from `first` on with a value of at least `least`; `behind` if there is none before it."""
    while first < behind:
        middle = (first + behind) >> 1
        if values[middle] < least:
            first = middle + 1
        else:
            behind = middle
    return first


@njit_within
def is_among(values: npt.NDArray[Any], first: int, behind: int, value: Any) -> bool:
    """Whether a value stands from one place to another."""
    at = lower_bound(values, first, behind, value)
    return bool(at < behind and values[at] == value)
