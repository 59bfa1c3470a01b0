"""Notifications that were needed, against brute force; and redundancy, which depends on nothing else that runs."""

from collections.abc import Sequence

import numpy as np
import pytest

from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import Ingredients
from simulator.results.needed import needed_of
from simulator.results.summary import summary_rows
from simulator.runs.answer import records_of
from simulator.scenario.scenario import Scenario
from tests.oracles.needed import needed
from tests.oracles.topk import Subscription
from tests.simulator.small import APPROACHES, random_scenario, small_ingredients, told_ends


def present(scenario: Scenario, ingredients: Ingredients) -> list[list[Subscription]]:
    """Subscriptions that are there at each event."""
    workload, churn = ingredients.workload, plan_faults(scenario, ingredients).churn
    l, r = (np.concatenate(ends) for ends in ((workload.l, churn.l), (workload.r, churn.r)))
    ends = told_ends(workload, l, r)
    joined, left = churn.joined.tolist(), churn.left.tolist()
    return [
        [ends[s] for s in range(len(l)) if joined[s] <= event < left[s]]
        for event in range(len(ingredients.events.object))
    ]


SEVERAL = [(seed, (1.5, 2, 2.5, 3)[seed % 4], "boxes") for seed in range(12)]
SHAPES = [
    (seed, dimensions, shape)
    for seed in range(6)
    for shape, dimensions in (("disks", 2), ("halfspaces", 2), ("halfspaces", 3))
]


@pytest.mark.parametrize(
    ("seed", "dimensions", "shape"), [*((seed, 1, "boxes") for seed in range(30)), *SEVERAL, *SHAPES]
)
def test_needed_is_what_brute_force_finds(seed: int, dimensions: float, shape: str) -> None:
    """With ties, insertions, deletions and moves, and where subscriptions come and go."""
    scenario = random_scenario(seed, shape=shape, dimensions=dimensions)
    ingredients = small_ingredients(scenario)
    workload, events = ingredients.workload, ingredients.events
    objects = dict(enumerate(zip(workload.x.tolist(), workload.y.tolist(), strict=True)))
    stream = list(zip(events.object.tolist(), events.x.tolist(), events.y.tolist(), strict=True))
    expected = list(needed(objects, stream, present(scenario, ingredients), scenario.k))
    found = needed_of(scenario, ingredients)
    assert list(zip(found.update.tolist(), found.exposed.tolist(), strict=True)) == expected


def test_the_oracle_by_hand() -> None:
    """Two lists of one object: the first loses object 0 to object 1, the second never sees either, the third both."""
    objects = {0: (0.1, 1.0), 1: (0.2, 2.0)}
    ranges = [(0.0, 0.3), (0.5, 0.9), (0.0, 0.15)]
    assert list(needed(objects, [(0, 0.1, 3.0), (0, 0.1, 3.0), (0, 0.2, 3.0)], [ranges] * 3, 1)) == [
        (2, 1),
        (0, 0),
        (1, 0),
    ]


def redundancy_of(scenario: Scenario, approaches: Sequence[str]) -> dict[str, tuple[object, object]]:
    ingredients = small_ingredients(scenario)
    records = [records_of(scenario, ingredients, name) for name in approaches]
    rows = summary_rows(approaches, records)
    return {str(row["approach"]): (row["redundancy"], row["redundancy_total"]) for row in rows}


@pytest.mark.parametrize("seed", [0, 3, 7])
def test_redundancy_is_the_same_whatever_is_listed_and_in_whatever_order(seed: int) -> None:
    scenario = random_scenario(seed, verify="none")
    together = redundancy_of(scenario, APPROACHES)
    assert together == redundancy_of(scenario, APPROACHES[::-1])
    for name in ("paint-batch(7)", "cn-relax"):
        assert redundancy_of(scenario, [name]) == {name: together[name]}


@pytest.mark.parametrize("kind", ["can", "prefix", "tree"])
def test_without_faults_exact_approaches_have_none_and_a_window_needs_what_its_events_need(kind: str) -> None:
    network = {"kind": kind, "brokers": 5}
    scenario = random_scenario(5, verify="none", faults={}, k=2, objects={"count": 30}, network=network)
    assert not scenario.faults.any
    found = redundancy_of(scenario, APPROACHES)
    for name in ("paint-dense", "paint-sparse"):
        assert found[name] == (0.0, 0.0)
    assert found["unicast"][0] == 0.0
    assert float(str(found["cn-relax"][0])) > 0
    ingredients = small_ingredients(scenario)
    single, batch = (records_of(scenario, ingredients, name) for name in ("paint-dense", "paint-batch(7)"))
    for column in ("needed_update", "needed_exposed"):
        each = single[column].to_numpy()
        assert batch[column].to_pylist() == [int(each[at : at + 7].sum()) for at in range(0, len(each), 7)]
    assert (single["needed_update"].to_numpy() == single["received_update"].to_numpy()).all()
