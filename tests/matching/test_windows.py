"""Windows beyond what the suite of all range indexes has: lists of every length, and windows with many turns."""

import numpy as np
import numpy.typing as npt
import pytest

from matching.intervals import Windows
from matching.intervals.windows import LONG, WIDE

Floats = npt.NDArray[np.float64]


def compare(index: Windows, l: Floats, r: Floats, points: list[float]) -> None:
    expected = [np.flatnonzero((l <= x) & (x <= r)).tolist() for x in points]
    assert [index.stab(x).tolist() for x in points] == expected
    offsets, ids = index.stabs(points)
    assert [found.tolist() for found in np.split(ids, offsets[1:-1])] == expected
    assert index.counts(points).tolist() == [len(found) for found in expected] == np.diff(offsets).tolist()


def test_a_window_may_have_more_turns_than_half_a_word_counts() -> None:
    rng = np.random.default_rng(3)
    l, r = rng.random(240_000), 1.5 + rng.random(240_000)
    index = Windows(l, r)
    turns = np.diff(index.arrays.place[:-1, 1])
    assert turns.max() >= WIDE > turns.min()
    compare(index, l, r, [-1.0, 0.0, float(l[7]), 0.9, 1.2, 1.6, float(r[9]), float(np.nextafter(r[9], 3)), 2.4, 2.6])


@pytest.mark.parametrize("deep", [LONG - 1, LONG, 3000])
def test_a_list_may_be_much_longer_than_the_others(deep: int) -> None:
    rng = np.random.default_rng(4)
    l = np.concatenate((rng.random(deep), 2 + 100 * rng.random(4000)))
    r = l + np.concatenate((1 + rng.random(deep), 0.001 * rng.random(4000)))
    index = Windows(l, r)
    index._check()
    assert index._room < deep
    compare(
        index, l, r, [*rng.random(5).tolist(), 1.0, *(2 + 100 * rng.random(5)).tolist(), float(l[0]), float(r[0])]
    )


def test_evaluations_are_what_is_looked_at() -> None:
    l = np.arange(0.0, 3000.0)
    index = Windows(l, l)
    windows = len(index.arrays.place) - 2
    index.stab(1500.0)
    one = index.evaluations
    assert np.log2(windows) <= one <= np.log2(windows) + 1 + 8 + 24
    index.counts([1500.0, 1500.0])
    assert index.evaluations == 3 * one
