"""Where the server is: in the centre of the network, or at a broker that the scenario names."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from simulator.inputs.fault_plan import plan_faults
from simulator.scenario.loading import load_scenario
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from tests.simulator.results.test_hops import check_sums, check_trees
from tests.simulator.small import random_scenario, run_hops, run_small, small_ingredients

FAULTS = {"crashes": 6, "detection": "10ms", "downtime": "20ms", "loss": 0.1, "timeout": "20ms"}


def scenario_at(at: int | str, kind: str, **changes: Any) -> Scenario:
    return random_scenario(
        6,
        objects={"count": 20},
        subscriptions={"count": 50},
        events={"count": 25, "rate": "200/s"},
        k=2,
        network={"kind": kind, "brokers": 6, "unicast": "overlay"},
        server={"at": at},
        **changes,
    )


@pytest.mark.parametrize("kind", ["can", "tree"])
def test_by_default_it_is_in_the_centre(kind: str) -> None:
    named = small_ingredients(scenario_at("centre", kind))
    unnamed = Scenario.model_validate(scenario_at("centre", kind).model_dump(exclude={"server"}, exclude_none=True))
    assert named.server == small_ingredients(unnamed).server == named.network.centre


@pytest.mark.parametrize("name", ["paint-dense", "unicast"])
@pytest.mark.parametrize("kind", ["can", "tree"])
def test_messages_begin_where_the_scenario_puts_it(kind: str, name: str) -> None:
    rows = {}
    for at in range(6):
        scenario = scenario_at(at, kind, record=["hops"])
        ingredients = small_ingredients(scenario)
        assert ingredients.server == at
        records, hops = run_hops(scenario, ingredients, name)
        check_sums(records, hops)
        check_trees(records, hops, at, returns=False)
        rows[at] = (records["overlay_hops"].to_pylist(), records["messages"].to_pylist())
        counted = run_small(scenario.model_copy(update={"engine": "tally", "record": []}), ingredients, name)
        assert counted[0]["overlay_hops"].to_pylist() == rows[at][0]
        assert not counted[1]
    assert len({tuple(hops) for hops, _ in rows.values()}) > 1  # the ways differ,
    assert len({tuple(messages) for _, messages in rows.values()}) == 1  # what is sent does not
    scenario = scenario_at("centre", kind, record=["hops"])
    centre = small_ingredients(scenario)
    assert run_hops(scenario, centre, name)[0]["overlay_hops"].to_pylist() == rows[centre.server][0]


@pytest.mark.parametrize("kind", ["can", "tree"])
def test_lists_are_right_wherever_it_is_and_its_broker_stays(kind: str) -> None:
    for at in range(6):
        scenario = scenario_at(at, kind, faults=FAULTS)
        _, wrong, happened = run_small(scenario, small_ingredients(scenario), "paint-dense")
        assert not wrong
        assert happened["broker crashes"] > 3


def test_a_plan_may_crash_any_broker_but_that_of_the_server() -> None:
    centre = small_ingredients(scenario_at("centre", "can")).server
    crash = {"at": [{"time": "10ms", "what": "crash", "whom": [centre]}]}
    elsewhere = scenario_at((centre + 1) % 6, "can", faults=crash)
    _, wrong, happened = run_small(elsewhere, small_ingredients(elsewhere), "paint-dense")
    assert not wrong
    assert happened["broker crashes"] == 1
    told = f"the server is at broker {centre}, which cannot crash"
    there = scenario_at("centre", "can", faults=crash)
    with pytest.raises(ScenarioError, match=told):
        plan_faults(there, small_ingredients(there))
    with pytest.raises(ValidationError, match=told):  # the number of the broker is known before the network is made
        scenario_at(centre, "can", faults=crash)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("[server]", "at = 64"), ":4: server.at = 64: there is no broker 64: they are 0 to 63 (network.brokers is"),
        (("[network]", "nodes = [5, 3, 8]", "[server]", "at = 3"), ":6: server.at = 3: there is no broker 3: they"),
        (("[server]", 'at = "center"'), ":4: server.at = 'center': must be \"centre\" or the number of a broker"),
        (("[server]", "at = -1"), ":4: server.at = -1: must be \"centre\" or the number of a broker, from 0 on"),
        (("[server]", "at = true"), ":4: server.at = true: must be \"centre\" or the number of a broker, from 0 on"),
        (("[server]", "at = [1, 2]"), ":4: server.at = [1, 2]: must be \"centre\" or the number of a broker"),
        (("[server]", "broker = 1"), ":4: server.broker = 1: no such key; remove it; the keys here are at"),
    ],
)  # fmt: skip
def test_a_server_that_is_no_broker_is_told_in_one_line(tmp_path: Path, lines: tuple[str, ...], told: str) -> None:
    file = tmp_path / "small.toml"
    file.write_text("\n".join(('name = "small"', 'approaches = ["unicast"]', *lines)), encoding="utf-8")
    with pytest.raises(ScenarioError) as refused:
        load_scenario(file)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_its_place_says_nothing_of_the_network() -> None:
    one, other = (small_ingredients(scenario_at(at, "can")) for at in (0, 5))
    assert np.array_equal(one.gateways.home, other.gateways.home)
    assert np.array_equal(one.events.origin, other.events.origin)
