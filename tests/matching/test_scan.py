"""The sorted column finds exactly the subscriptions of the groups a message reached."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.scan import Scan
from tests.oracles.topk import reaches

RECTANGLE = np.dtype([("l_in", "f8"), ("r_in", "f8"), ("l_out", "f8"), ("r_out", "f8")])
LARGEST = float(np.finfo(np.float64).max)


def draw_rectangles(rng: np.random.Generator, count: int) -> npt.NDArray[np.void]:
    table = np.zeros(count, RECTANGLE)
    table["l_out"], table["l_in"], table["r_in"], table["r_out"] = np.sort(rng.integers(0, 9, (4, count)), axis=0)
    table["l_out"][::3], table["r_out"][::4] = -np.inf, np.inf
    return table


def brute(
    l: npt.NDArray[np.float64],
    r: npt.NDArray[np.float64],
    group: npt.NDArray[np.int64],
    row: np.void,
    reached: list[int],
) -> list[int]:
    return [s for s in range(len(l)) if group[s] in reached and reaches(row, l[s], r[s])]


@settings(deadline=None, max_examples=30)
@given(m=st.integers(0, 60), groups=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
def test_matches_are_those_of_brute_force_through_changes(m: int, groups: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    l, r = np.sort(rng.integers(0, 9, (2, m)), axis=0).astype(np.float64)
    if m > 1:
        l[0], r[1] = -LARGEST, LARGEST
    group = rng.integers(0, groups, m)
    scan = Scan(l, r, group, groups)
    for _ in range(4):
        scan._check()
        table = draw_rectangles(rng, 12)
        reached = [sorted(rng.choice(groups, rng.integers(0, groups + 1), replace=False)) for _ in table]
        offsets = np.append(0, np.cumsum([len(g) for g in reached]))
        flat = np.array([g for part in reached for g in part], np.int64)
        ends, found = scan.match(table, offsets, flat)
        want = [brute(l, r, group, row, part) for row, part in zip(table, reached, strict=True)]
        assert [sorted(found[ends[i] : ends[i + 1]].tolist()) for i in range(len(table))] == want
        assert scan.count(table, offsets, flat).tolist() == [len(part) for part in want]
        held = np.flatnonzero(group >= 0)
        gone = rng.choice(held, len(held) // 4, replace=False)
        scan.remove(gone)
        group[gone] = -1
        moved = rng.choice(np.setdiff1d(held, gone), (len(held) - len(gone)) // 2, replace=False)
        group[moved] = rng.integers(0, groups, len(moved))
        scan.move(moved, group[moved])
        new = np.arange(len(l), len(l) + rng.integers(0, 12))
        ends_new = np.sort(rng.integers(0, 9, (2, len(new))), axis=0).astype(np.float64)
        l, r = np.append(l, ends_new[0]), np.append(r, ends_new[1])
        group = np.append(group, rng.integers(0, groups, len(new)))
        scan.add(new, ends_new[0], ends_new[1], group[new])
        assert len(scan) == np.count_nonzero(group >= 0)


def test_more_groups_after_a_broker_joined() -> None:
    scan = Scan([0.0, 1.0, 2.0], [3.0, 3.0, 3.0], [0, 0, 0], 1)
    scan.move([1], [2], groups=3)
    scan._check()
    table = np.array([(5.0, 1.0, -np.inf, np.inf)], RECTANGLE)
    assert scan.match(table, np.array([0, 1]), np.array([2]))[1].tolist() == [1]


def test_refusals() -> None:
    with pytest.raises(ValueError, match="equally long"):
        Scan([0.0], [1.0, 2.0], [0], 1)
    with pytest.raises(ValueError, match="group must be between 0 and 1, got 2 to 2"):
        Scan([0.0], [1.0], [2], 2)
    scan = Scan([0.0], [1.0], [0], 1)
    with pytest.raises(ValueError, match=r"ids must not be in use, got \[0\]"):
        scan.add([0], [0.0], [1.0], [0])
    with pytest.raises(ValueError, match="subscriptions held"):
        scan.remove([1])
