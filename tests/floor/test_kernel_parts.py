"""Kernels written once: compiled with the parts of each kind, whatever the other kinds bring."""

import numpy as np
from numpy.typing import NDArray

from floor.kernel_parts import by_name, with_parts
from floor.kernels import njit

Floats = NDArray[np.float64]


@njit
def weight(value: float) -> float:
    """What a value counts."""
    raise NotImplementedError


@njit
def total(values: Floats) -> float:
    """Sum of what values count."""
    found = 0.0
    for value in values:
        found += weight(value)
    return found


@njit
def mean(values: Floats) -> float:
    """Mean of what values count."""
    return total(values) / len(values)


@njit
def _weight(value: float) -> float:
    return value * value


@njit
def twice(value: float) -> float:
    """Twice a value."""
    return 2 * value


def test_every_kind_has_its_own_parts() -> None:
    _, of_squares = with_parts(__name__, total, mean, **by_name([_weight]))
    _, of_doubles = with_parts(__name__, total, mean, weight=twice)
    values = np.array([1.0, 2.0, 6.0])
    assert of_squares(values) == 41 / 3
    assert of_doubles(values) == 6.0


def test_what_is_made_belongs_to_the_module_of_the_parts() -> None:
    made = with_parts("paint.kd", total, weight=twice)[0]
    assert made.__module__ == "paint.kd"
    assert made.__name__ == "total"
