"""Warming up: a small scenario of the same kind for every scenario, and for every kind that there is."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from matching.registry import EVENT_INDEXES, PLACE_INDEXES, RANGE_INDEXES
from simulator.approaches.registry import APPROACHES
from simulator.runs import index_rehearsal, warm_up
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
    tried = {(one.dimensions, one.network.kind, one.engine, name) for one in kinds for name in one.approaches}
    assert tried >= {
        (dimensions, kind, engine, name)
        for dimensions in (1, 1.5)
        for kind in ("can", "prefix", "tree")
        for engine in ("tally", "des")
        for name, approach in APPROACHES.items()
        if (engine == "tally" or not approach.updates_only) and (dimensions == 1 or not approach.line_only)
    }
    faulty = {(one.form.shape, one.dimensions, one.network.kind) for one in kinds if one.faults.any}
    boxes = {("boxes", dimensions, kind) for dimensions in (1, 1.5) for kind in ("can", "prefix", "tree")}
    assert faulty == boxes | {("halfspaces", 2, "can"), ("disks", 2, "can")}


def test_a_server_and_a_whole_run_are_rehearsed() -> None:
    small = warm_up._in_small(load_scenario(SCENARIOS[0]))
    told = [warm_up._rehearse(warm_up.Rehearsal(small, "paint-dense", whole)) for whole in (False, True)]
    assert told == ["paint-dense, server", "paint-dense, can, des"]


@pytest.mark.parametrize("name", ["sopt-r-tree", "ir-tree", "counting", "ub-tree", "ri-tree"])
def test_an_index_is_rehearsed_with_all_that_it_offers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    tables: list[dict[str, Any]] = [RANGE_INDEXES, EVENT_INDEXES, PLACE_INDEXES]
    (table,) = (table for table in tables if name in table)
    make, *rest = table[name]
    monkeypatch.setitem(table, name, type(table[name])(partial(Told, asked, make), *rest))
    index_rehearsal.rehearse_index(name)
    offered = {"top", "insert"} | ({"stab", "stabs", "counts", "tops", "ranked"} if name in RANGE_INDEXES else set())
    assert offered | ({"match", "matches"} if name in EVENT_INDEXES else set()) <= set(asked)
    assert ("delete" in asked) is (name not in ("sopt-r-tree", "counting"))


@pytest.mark.parametrize("about", index_rehearsal.SERVERS)
def test_a_server_takes_all_events_that_it_is_rehearsed_with(about: tuple[str, float, str]) -> None:
    index_rehearsal.rehearse_server(*about)


class Told:
    """An index that notes what it is asked."""

    def __init__(self, asked: list[str], make: Callable[..., Any], *given: Any, **named: Any) -> None:
        self.asked, self.index = asked, make(*given, **named)

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return getattr(self.index, name)
