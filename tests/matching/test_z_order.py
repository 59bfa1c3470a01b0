"""The Z-curve against addresses that are written out bit by bit, and codes at their limit."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.conjunctions.asked import asked_of
from matching.conjunctions.codes import MOST_CUTS, coded, decoded, find_codes
from matching.conjunctions.z_order import interleaved, next_in_box, point_of_key, z_less, z_sorted
from matching.predicates import Predicates
from matching.registry import EVENT_INDEXES

COORDINATE = st.one_of(st.integers(0, 2**16 - 1), st.sampled_from([0, 1, 2**15 - 1, 2**15, 2**16 - 1]))


def address(point: list[int]) -> int:
    """The Z-address of a point, one bit after the other."""
    bits = "".join(f"{x:016b}"[level] for level in range(16) for x in point)
    return int(bits, 2)


def row(point: list[int]) -> np.ndarray[tuple[int], np.dtype[np.uint16]]:
    return np.array(point, np.uint16)


@settings(deadline=None, max_examples=100)
@given(
    st.integers(1, 6).flatmap(
        lambda d: st.lists(st.lists(COORDINATE, min_size=d, max_size=d), min_size=2, max_size=5)
    )
)
def test_keys_and_order(points: list[list[int]]) -> None:
    array = np.array(points, np.uint16)
    keys = interleaved(array)
    width = keys.shape[1] * 64
    for point, key in zip(points, keys, strict=True):
        whole = int("".join(f"{int(word):064b}" for word in key), 2)
        assert whole == address(point) << (width - 16 * len(point))
        back = np.empty(len(point), np.uint16)
        point_of_key(key, back)
        assert back.tolist() == point
    for a, b in product(points, points):
        assert z_less(row(a), row(b)) == (address(a) < address(b))
    assert z_sorted(array).tolist() == sorted(range(len(points)), key=lambda i: address(points[i]))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("shift", [0, 13])
def test_the_next_point_in_a_box(dimensions: int, shift: int) -> None:
    """All points and boxes of a small grid, on the lowest and on the highest bits."""
    side = {1: 8, 2: 4, 3: 2}[dimensions]
    grid = [list(point) for point in product(range(side), repeat=dimensions)]
    out = np.empty(dimensions, np.uint16)
    fill = (1 << shift) - 1
    for low, high in product(grid, grid):
        if any(a > b for a, b in zip(low, high, strict=True)):
            continue
        lowest, highest = row([a << shift for a in low]), row([(b << shift) + fill for b in high])
        inside = [p for p in grid if all(a <= x <= b for a, x, b in zip(low, p, high, strict=True))]
        for z in grid:
            later = sorted((p for p in inside if address(p) >= address(z)), key=address)
            found = next_in_box(row([x << shift for x in z]), lowest, highest, out)
            assert found == bool(later)
            if later:
                assert out.tolist() == [x << shift for x in later[0]]


@settings(deadline=None, max_examples=200)
@given(
    st.integers(1, 5).flatmap(
        lambda d: st.lists(st.lists(COORDINATE, min_size=d, max_size=d), min_size=3, max_size=3)
    )
)
def test_the_next_point_in_a_box_is_in_it_and_not_before(points: list[list[int]]) -> None:
    z, a, b = points
    low, high = row(list(map(min, a, b))), row(list(map(max, a, b)))
    out = np.empty(len(z), np.uint16)
    if not next_in_box(row(z), low, high, out):
        assert address(high.tolist()) < address(z)
        return
    assert (low <= out).all()
    assert (out <= high).all()
    assert address(out.tolist()) >= address(z)
    again = np.empty(len(z), np.uint16)
    assert next_in_box(out, low, high, again)
    assert again.tolist() == out.tolist()


def test_codes_decide_and_come_back() -> None:
    rng = np.random.default_rng(5)
    low, length = rng.integers(0, 50, 400) / 4, rng.integers(0, 20, 400) / 4
    rows = {"subscription": np.arange(400) // 2, "attribute": np.arange(400) % 2, "operator": ["between"] * 400}
    asked = asked_of(Predicates({**rows, "low": low, "high": low + length}, 3))
    codes = find_codes(asked, 3)
    points, undecided = coded(codes, asked)
    assert not undecided.any()
    assert (points[:, 0::2] <= points[:, 1::2]).all()
    equal = asked.low == asked.high
    assert equal.any()
    assert ((points[:, 0] == points[:, 1]) == equal[0::2]).all()
    assert (points[:, 4] == 0).all()
    assert (points[:, 5] == 2**16 - 1).all()
    back = decoded(codes, points)
    pairs: list[tuple[Any, Any]] = list(zip(asked, back, strict=True))
    for before, after in pairs:
        assert before.tolist() == after.tolist()


@pytest.mark.parametrize("name", ["r-tree", "ub-tree-coordinates-grids"])
def test_more_ends_than_codes(name: str) -> None:
    rng = np.random.default_rng(6)
    n = 2 * MOST_CUTS // 3
    low = rng.random(n)
    rows = {"subscription": np.arange(n), "attribute": np.zeros(n, int), "operator": ["between"] * n}
    wanted = Predicates({**rows, "low": low, "high": low + 1e-4}, 2)
    index, scan = (EVENT_INDEXES[one].make(wanted) for one in (name, "scan"))
    events = np.column_stack((np.concatenate((rng.random(40), low[:10])), np.zeros(50)))
    for found, expected in zip(index.matches(events), scan.matches(events), strict=True):
        assert found.tolist() == expected.tolist()
