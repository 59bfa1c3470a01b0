"""Algorithms 7 and 11 of the paper, ranges in 1.5 dimensions: each slip by itself makes lists wrong, none without."""

import numpy as np
import pytest

from tests.oracles.printed_15d import Placed, Slip, update, wrong_lists

LOW: Placed = {0: (0.0, 0.0, 0.0), 1: (1.0, 1.0, 1.0)}
"""Object 0 is best and falls past object 1, which lies further on in both dimensions."""
HIGH: Placed = {0: (0.0, 0.0, 1.0), 1: (1.0, 1.0, 0.0)}
"""Object 1 is best and falls past object 0, which lies before it in both dimensions."""

THREE: Placed = LOW | {2: (-1.0, 2.0, 2.0)}
"""Object 0 falls past both: 2 lies in the interval that begins at 1."""
SHARED: Placed = {0: (0.0, 0.0, 2.0), 1: (-1.0, 1.0, 0.0), 2: (1.0, 1.0, 1.0), 3: (2.0, 0.0, 3.0)}
"""Two better objects share an x2, on either side of object 0, which falls past 3."""

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


def test_an_object_that_is_not_cleared_is_taken_for_ever() -> None:
    """For k = 2 object 1 still lies in the influence interval after it was told of."""
    with pytest.raises(RecursionError, match="object 1 is taken again"):
        update(LOW, 0, 1.5, 2, "never cleared")
    assert wrong_lists(LOW, 0, 1.5, 2, update(LOW, 0, 1.5, 2)) == (0, 75)


def test_an_interval_that_is_not_counted_is_not_searched() -> None:
    """`InsertList` leaves t as it is: for k = 1 object 1 cuts the only interval, and 2 lies in the second part."""
    assert wrong_lists(THREE, 0, 2.5, 1, update(THREE, 0, 2.5, 1, "t stays")) == (8, 196)
    assert wrong_lists(THREE, 0, 2.5, 1, update(THREE, 0, 2.5, 1)) == (0, 196)


def test_objects_of_one_x2_are_all_asked_for() -> None:
    """For k = 2 and an open lower end, as that of min_y, object 2 is missed, and with it who gains object 3."""
    assert wrong_lists(SHARED, 0, 3.5, 2, update(SHARED, 0, 3.5, 2, "beyond equal x2")) == (8, 225)
    assert wrong_lists(SHARED, 0, 3.5, 2, update(SHARED, 0, 3.5, 2)) == (0, 225)


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
    assert (wrong, tried) == (0, 55_104)


@pytest.mark.parametrize(
    ("slip", "wrong"), [("new y", 400), ("from u_0", 352), ("hull of short lists", 712), ("not clipped", 432)]
)
def test_a_slip_makes_lists_wrong_on_random_instances(slip: Slip, wrong: int) -> None:
    outcomes = [
        wrong_lists(objects, i, new, k, update(objects, i, new, k, slip)) for objects, i, new, k in instances()
    ]
    assert sum(one for one, _ in outcomes) == wrong
