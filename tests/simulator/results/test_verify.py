"""The truth by brute force, against all objects looked at anew; who is watched; what a mismatch says."""

import numpy as np
import pytest
from numpy.typing import NDArray

from cn.holding import Ranges
from simulator.inputs.watched import watched_of
from simulator.results.timeline import WrongList
from simulator.results.truth import TruthArrays, change_object, fill_lists, make_truth
from tests.simulator.small import random_scenario, small_ingredients

Floats = NDArray[np.float64]

X = np.array([0.1, 0.2, 0.3, 0.4])
Y = np.array([4.0, 3.0, 2.0, 1.0])
L = np.array([0.0, 0.0, 0.35])
R = np.array([1.0, 0.25, 0.5])


def right(x: Floats, y: Floats, l: Floats, r: Floats, k: int) -> TruthArrays:
    truth = make_truth(x, y, Ranges(l, r), k, len(x))
    fill_lists(truth, np.arange(len(l)))
    return truth


def test_the_lists_are_the_lowest_in_range() -> None:
    truth = right(X, Y, L, R, 2)
    assert truth.ids.tolist() == [[3, 2], [1, 0], [3, -1]]
    assert truth.values.tolist() == [[1.0, 2.0], [3.0, 4.0], [1.0, np.inf]]


def test_ties_are_ordered_by_id() -> None:
    assert right(X, np.ones(4), L, R, 2).ids.tolist() == [[0, 1], [0, 1], [3, -1]]


def test_the_truth_is_the_top_of_all_objects_after_every_event() -> None:
    rng = np.random.default_rng(3)
    x, y = np.floor(rng.random((2, 12)) * 8) / 8
    l, r = np.sort(np.floor(rng.random((2, 30)) * 8) / 8, axis=0)
    truth = right(x.copy(), y.copy(), l, r, 3)
    for _ in range(200):
        i, x_new, y_new = int(rng.integers(12)), float(rng.integers(8) / 8), float(rng.integers(8) / 8)
        y_new = np.inf if rng.random() < 0.2 else y_new
        change_object(truth, i, x_new, y_new)
        fill_lists(truth, np.arange(30))
        x[i], y[i] = x_new, y_new
        for s in range(30):
            there = [(float(y[j]), j) for j in range(12) if l[s] <= x[j] <= r[s] and y[j] < np.inf]
            assert truth.ids[s, truth.ids[s] >= 0].tolist() == [j for _, j in sorted(there)[:3]]


@pytest.mark.parametrize("verify", ["none", "all", "sample:10", "sample:99999"])
def test_the_same_are_counted_whatever_is_verified(verify: str) -> None:
    scenario = random_scenario(1, verify=verify, subscriptions={"count": 1500}, faults={"joins": 5})
    watched = watched_of(scenario, small_ingredients(scenario))
    plain = random_scenario(1, verify="none", subscriptions={"count": 1500}, faults={"joins": 5})
    alone = watched_of(plain, small_ingredients(plain))
    assert len(alone.ids) == 1000
    assert watched.ids[watched.counted].tolist() == alone.ids.tolist()
    newcomers = 0 if verify == "none" else 5
    sizes = {"none": 0, "all": 1500, "sample:10": 10, "sample:99999": 1500}
    assert np.count_nonzero(watched.verified) == sizes[verify] + newcomers
    assert (np.diff(watched.ids) > 0).all()


def test_without_a_clock_nobody_is_counted() -> None:
    scenario = random_scenario(3, verify="none", engine="tally", faults={})
    assert not len(watched_of(scenario, small_ingredients(scenario)).ids)


@pytest.mark.parametrize(
    ("held", "right", "text"),
    [
        ([(3, 1.0), (2, 2.0)], [(3, 1.0), (1, 2.0)], "holds objects [3, 2], right is [3, 1]"),
        ([(3, 1.0), (2, 2.0)], [(3, 1.0), (2, 2.5)], "holds object 2 with y = 2.0, right is 2.5"),
    ],
)
def test_a_wrong_list_is_told_by_what_differs(
    held: list[tuple[int, float]], right: list[tuple[int, float]], text: str
) -> None:
    assert str(WrongList(0, 0, held, right)) == f"holds a wrong list: {text}"
