"""Words for objects and ranges."""

import math

import pytest

from simulator.views.labels import apart, object_name


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0.25, 0.5, ("0.25", "0.5")),
        (3.7221, 3.7222, ("3.7221", "3.7222")),
        (0.1, math.nextafter(0.1, 1), ("0.1", "0.10000000000000002")),
        (-math.inf, math.inf, ("-inf", "inf")),
        (2.0, 2.0, ("2.0", "2.0")),
    ],
)
def test_two_values_are_told_apart(low: float, high: float, told: tuple[str, str]) -> None:
    assert apart(low, high) == told


def test_an_object_has_its_name_beside_its_id() -> None:
    assert object_name(1, ["a", "b"]) == "object 1 (b)"
    assert object_name(2, ["a", "b"]) == "object 2"
