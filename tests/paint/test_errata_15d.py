"""Algorithms 7 and 11 of the paper, ranges in 1.5 dimensions: each slip by itself makes lists wrong, none without."""

import numpy as np
import pytest

from tests.oracles.printed_15d import Placed, Slip, update, wrong_lists

LOW: Placed = {0: (0.0, 0.0, 0.0), 1: (1.0, 1.0, 1.0)}
"""Object 0 is best and falls past object 1, which lies further on in both dimensions."""
HIGH: Placed = {0: (0.0, 0.0, 1.0), 1: (1.0, 1.0, 0.0)}
"""Object 1 is best and falls past object 0, which lies before it in both dimensions."""

SLIPS: list[tuple[Slip, Placed, int]] = [
    ("new y", LOW, 0),
    ("from u_0", HIGH, 1),
    ("hull of short lists", LOW, 0),
    ("not clipped", LOW, 0),
]


@pytest.mark.parametrize(("slip", "objects", "i"), SLIPS)
def test_two_objects_show_the_slip(slip: Slip, objects: Placed, i: int) -> None:
    """For k = 1: eight kinds of ranges hold both objects, and none of them ends with the other one."""
    assert wrong_lists(objects, i, 1.5, 1, update(objects, i, 1.5, 1, slip)) == (8, 75)
    assert wrong_lists(objects, i, 1.5, 1, update(objects, i, 1.5, 1)) == (0, 75)


def test_without_a_lower_bound_of_y_the_sweep_does_not_end() -> None:
    with pytest.raises(RecursionError, match="object 1 is taken again"):
        update(LOW, 0, 1.5, 2, "no lower bound")
    assert wrong_lists(LOW, 0, 1.5, 2, update(LOW, 0, 1.5, 2)) == (0, 75)


def instances() -> list[tuple[Placed, int, float, int]]:
    """Objects with distinct values, one of them with its new y, and k."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(80):
        n, k = int(rng.integers(2, 8)), int(rng.integers(1, 4))
        columns = [rng.permutation(n).astype(float).tolist() for _ in range(3)]
        objects: Placed = dict(enumerate(zip(*columns, strict=True)))
        found.append((objects, int(rng.integers(n)), int(rng.integers(-1, n)) + 0.5, k))
    return found


def test_the_mended_algorithm_is_exact() -> None:
    wrong, tried = np.sum(
        [wrong_lists(objects, i, new, k, update(objects, i, new, k)) for objects, i, new, k in instances()], axis=0
    )
    assert wrong == 0
    assert tried > 50_000


@pytest.mark.parametrize("slip", [slip for slip, _, _ in SLIPS])
def test_a_slip_makes_lists_wrong_on_random_instances(slip: Slip) -> None:
    outcomes = [
        wrong_lists(objects, i, new, k, update(objects, i, new, k, slip)) for objects, i, new, k in instances()
    ]
    assert sum(wrong > 0 for wrong, _ in outcomes) > 5
