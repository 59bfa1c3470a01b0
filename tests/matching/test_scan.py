"""The sorted column finds exactly the subscriptions of groups a message reached, over one attribute or more."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.scan import Scan
from paint.messages import MESSAGE, message_of
from tests.oracles.topk import reaches

LARGEST = float(np.finfo(np.float64).max)
Floats = npt.NDArray[np.float64]


def draw_messages(rng: np.random.Generator, count: int, d: int, *, upper: bool) -> npt.NDArray[np.void]:
    """Messages on a coarse grid, some open, some across the diagonal; the last attribute may have no left side."""
    table = np.zeros(count, message_of(d))
    columns = {name: table[name].reshape(count, d) for name in ("l_out", "l_in", "r_in", "r_out")}
    columns["l_out"][:], columns["l_in"][:] = np.sort(rng.integers(0, 6, (2, count, d)), axis=0)
    columns["r_in"][:], columns["r_out"][:] = np.sort(rng.integers(0, 6, (2, count, d)), axis=0)
    columns["l_out"][rng.random((count, d)) < 0.5] = -np.inf
    columns["r_out"][rng.random((count, d)) < 0.5] = np.inf
    if upper:
        columns["l_in"][:, -1], columns["l_out"][:, -1] = np.inf, -np.inf
    return table


def draw_ranges(rng: np.random.Generator, count: int, d: int, *, upper: bool) -> tuple[Floats, Floats]:
    """Ends on the same grid, some open, (count, d) each, or (count,) over one attribute."""
    l, r = np.sort(rng.integers(0, 6, (2, count, d)), axis=0).astype(np.float64)
    l[rng.random((count, d)) < 0.1], r[rng.random((count, d)) < 0.1] = -LARGEST, LARGEST
    if upper:
        l[:, -1] = -LARGEST
    return (l[:, 0], r[:, 0]) if d == 1 else (l, r)


@settings(deadline=None, max_examples=60)
@given(
    d=st.integers(1, 4),
    m=st.integers(0, 60),
    groups=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
    upper=st.booleans(),
)
def test_matches_are_those_of_brute_force_through_changes(
    d: int, m: int, groups: int, seed: int, upper: bool
) -> None:
    rng = np.random.default_rng(seed)
    l, r = draw_ranges(rng, m, d, upper=upper)
    group = rng.integers(0, groups, m)
    scan = Scan(l, r, group, groups)
    for _ in range(4):
        scan._check()
        table = draw_messages(rng, 12, d, upper=upper)
        reached = [sorted(rng.choice(groups, rng.integers(0, groups + 1), replace=False)) for _ in table]
        offsets = np.append(0, np.cumsum([len(g) for g in reached]))
        flat = np.array([g for part in reached for g in part], np.int64)
        ends, found = scan.match(table, offsets, flat)
        want = [
            np.flatnonzero(np.isin(group, part) & reaches(row, l, r)).tolist()
            for row, part in zip(table, reached, strict=True)
        ]
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
        new_l, new_r = draw_ranges(rng, len(new), d, upper=upper)
        l, r = np.concatenate((l, new_l)), np.concatenate((r, new_r))
        group = np.append(group, rng.integers(0, groups, len(new)))
        scan.add(new, new_l, new_r, group[new])
        assert len(scan) == np.count_nonzero(group >= 0)


def test_more_groups_after_a_broker_joined() -> None:
    scan = Scan([0.0, 1.0, 2.0], [3.0, 3.0, 3.0], [0, 0, 0], 1)
    scan.move([1], [2], groups=3)
    scan._check()
    table = np.zeros(1, MESSAGE)
    table["l_in"], table["r_in"], table["l_out"], table["r_out"] = 5.0, 1.0, -np.inf, np.inf
    assert scan.match(table, np.array([0, 1]), np.array([2]))[1].tolist() == [1]


def test_refusals() -> None:
    with pytest.raises(ValueError, match="equally long"):
        Scan([0.0], [1.0, 2.0], [0], 1)
    with pytest.raises(ValueError, match=r"equally long, got shapes \(2, 2\), \(2, 3\) and \(2,\)"):
        Scan(np.zeros((2, 2)), np.zeros((2, 3)), [0, 0], 1)
    with pytest.raises(ValueError, match="group must be between 0 and 1, got 2 to 2"):
        Scan([0.0], [1.0], [2], 2)
    scan = Scan([0.0], [1.0], [0], 1)
    with pytest.raises(ValueError, match=r"ids must not be in use, got \[0\]"):
        scan.add([0], [0.0], [1.0], [0])
    with pytest.raises(ValueError, match="subscriptions held"):
        scan.remove([1])
