"""The worked examples of the papers, put to every index they are about; what the papers get wrong is put right."""

from typing import Any

import numpy as np
import pytest

from matching.intervals import IntervalTree
from matching.predicates import Predicates
from matching.registry import EVENT_INDEXES, RANGE_INDEXES
from tests.matching.test_constraint_graph import EXAMPLE, columns

RANKED = [name for name, entry in RANGE_INDEXES.items() if entry.ranked]
OF_002 = [name for name, entry in RANGE_INDEXES.items() if entry.source.startswith("002")]


@pytest.mark.parametrize("name", RANKED)
def test_the_example_set_of_seed_000(name: str) -> None:
    """Range i of the paper is at position i - 1, and scores fall with i."""
    index: Any = RANGE_INDEXES[name].kind(*columns(EXAMPLE), score=-np.arange(10.0))
    for x, expected in ((50, [1, 3, 10]), (80, [2, 4, 7, 8, 10]), (30, [1, 5, 6, 9, 10]), (95, [7]), (101, [])):
        assert (index.stab(x) + 1).tolist() == expected
        assert [i + 1 for i in index.ranked(x)] == expected
        assert (index.top(x, 2) + 1).tolist() == expected[:2]


# Example 4 of seed 002, by profile: the ranges of x and y, None where the profile does not ask.
AFTER_45, BEFORE_50 = np.nextafter(45.0, 46), np.nextafter(50.0, 49)
AFTER_40 = np.nextafter(40.0, 41)
EXAMPLE_4: list[tuple[tuple[float, float] | None, tuple[float, float] | None]] = [
    ((10, 25), (70, 110)),
    ((20, 45), (60, 90)),
    ((30, 40), (70, 80)),
    ((AFTER_45, BEFORE_50), (AFTER_40, BEFORE_50)),
    ((-np.inf, 40), (-np.inf, 30)),
    ((55, 55), (20, 80)),
    ((5, 45), (50, 50)),
    ((35, 35), (20, 20)),
    ((60, 65), None),
    (None, (100, 120)),
]


def ranges_of(side: int) -> tuple[list[int], list[float], list[float]]:
    """Profiles that ask for x or for y, and the ends of their ranges."""
    asked = [(i, one[side]) for i, one in enumerate(EXAMPLE_4)]
    held = [(i, ends) for i, ends in asked if ends is not None]
    return [i for i, _ in held], [ends[0] for _, ends in held], [ends[1] for _, ends in held]


@pytest.mark.parametrize("name", OF_002)
@pytest.mark.parametrize(
    ("side", "value", "expected"),
    [
        (0, 20, [0, 1, 4, 6]),
        (0, 45, [1, 6]),
        (0, 46, [3]),
        (0, 35, [1, 2, 4, 6, 7]),
        (1, 80, [0, 1, 2, 5]),
        (1, 50, [5, 6]),
        (1, 40, [5]),
    ],
)
def test_example_4_of_seed_002_one_attribute(name: str, side: int, value: float, expected: list[int]) -> None:
    """The text to Fig. 6 has profile 2, [30, 40], hold 20."""
    profiles, l, r = ranges_of(side)
    index = RANGE_INDEXES[name].kind(l, r)
    assert [profiles[i] for i in index.stab(value)] == expected


def test_example_4_of_seed_002_the_interval_tree() -> None:
    """Fig. 6: the root is 35, and profiles 4, 6, 1, 2, 7 stand there by their left ends.

    The 6th of 12 endpoints is 35 if the open range of profile 3 ends at 45 and 50 itself.
    """
    profiles, l, r = ranges_of(0)
    l[profiles.index(3)], r[profiles.index(3)] = 45, 50
    tree = IntervalTree(l, r)
    assert tree.arrays.centre[0] == 35
    start, stop = tree.arrays.offset[:2]
    ids = tree.arrays.id[tree.arrays.by_left[start:stop]]
    assert [profiles[i] for i in ids] == [4, 6, 1, 2, 7]


@pytest.mark.parametrize("name", list(EVENT_INDEXES))
def test_example_4_of_seed_002_the_document(name: str) -> None:
    rows = [
        (profile, attribute, "between" if np.isfinite(ends[0]) else "<=", *ends)
        for profile, both in enumerate(EXAMPLE_4)
        for attribute, ends in zip("xy", both, strict=True)
        if ends is not None
    ]
    table = {
        "subscription": [row[0] for row in rows],
        "attribute": [row[1] for row in rows],
        "operator": [row[2] for row in rows],
        "low": [row[3] if np.isfinite(row[3]) else None for row in rows],
        "high": [row[4] for row in rows],
    }
    index = EVENT_INDEXES[name].make(Predicates(table, attributes=["x", "y"]))
    assert index.match({"x": 20, "y": 80}).tolist() == [0, 1]
    assert index.match({"x": 62}).tolist() == [8]
    assert index.match({"x": 62, "y": 110}).tolist() == [8, 9]
    assert index.match({"x": 35, "y": 20}).tolist() == [4, 7]
