"""Warming up: a small scenario of the same kind for every scenario, and for every kind that there is."""

from pathlib import Path

import pytest

from simulator.approaches.registry import APPROACHES
from simulator.runs import warm_up
from simulator.scenario.loading import load_scenario
from simulator.scenario.scenario import Scenario

SCENARIOS = sorted((Path(__file__).parents[3] / "scenarios").glob("*.toml"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_small_one_is_valid_and_of_the_same_kind(path: Path) -> None:
    scenario = load_scenario(path)
    small = warm_up._in_small(scenario)
    again = Scenario.model_validate(small.model_dump(exclude_none=True, by_alias=True))
    assert again == small
    assert (small.engine, small.approaches) == (scenario.engine, scenario.approaches)
    assert (small.network.kind, small.faults.any) == (scenario.network.kind, scenario.faults.any)
    assert max(small.objects.count, small.subscriptions.count, small.events.count) <= 50


def test_a_server_elsewhere_is_moved_to_a_broker_that_is_there() -> None:
    scenario = Scenario.model_validate({"name": "far", "approaches": ["unicast"], "server": {"at": 63}})
    small = warm_up._in_small(scenario)
    assert warm_up._ingredients(small).server < small.network.brokers


def test_all_kinds_hold_every_approach_on_every_network_and_engine() -> None:
    kinds = list(warm_up._all_kinds())
    tried = {(one.network.kind, one.engine, name) for one in kinds for name in one.approaches}
    assert tried >= {
        (kind, engine, name)
        for kind in ("can", "prefix", "tree")
        for engine in ("tally", "des")
        for name, approach in APPROACHES.items()
        if engine == "tally" or not approach.updates_only
    }
    assert {one.network.kind for one in kinds if one.faults.any} == {"can", "prefix", "tree"}


def test_a_server_and_a_whole_run_are_rehearsed() -> None:
    small = warm_up._in_small(load_scenario(SCENARIOS[0]))
    told = [warm_up._rehearse(warm_up.Rehearsal(small, "paint-dense", whole)) for whole in (False, True)]
    assert told == ["paint-dense, server", "paint-dense, can, des"]
