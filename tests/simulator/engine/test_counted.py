"""Messages to single subscriptions, counted by region: the same records and loads as of messages that are listed."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paint import MESSAGE, UNICAST
from simulator.approaches.registry import parse_approach
from simulator.engine.carry import carry_events
from simulator.inputs.ingredients import Ingredients
from simulator.results.loads import Loads, link_table
from simulator.runs.answer import records_of
from simulator.scenario.scenario import Scenario
from tests.simulator.small import random_scenario, small_ingredients


def records_and_loads(scenario: Scenario, ingredients: Ingredients) -> list[pa.Table]:
    """Rows of `events.parquet`, `brokers.parquet` and `links.parquet`."""
    loads = Loads(len(ingredients.network))
    records = records_of(scenario, ingredients, "unicast", loads)
    links = link_table({"unicast": loads.sent(8)}, ingredients.routes)
    return [records, loads.broker_table("unicast", 8), links]


def updates(**shares: float) -> dict[str, Any]:
    return {"count": 300, "insert": 0.0, "delete": 0.0, "move": 0.0, **shares}


def kinds_of_tables(scenario: Scenario, ingredients: Ingredients) -> list[np.dtype[np.void]]:
    """Type of the rows that each chunk was answered with."""
    approach = parse_approach("unicast")
    session = approach.open(ingredients.workload, approach)
    carrying = carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64))
    return [carried.outgoing.table.dtype for carried in carrying]


@pytest.mark.parametrize("unicast", ["direct", "overlay"])
@pytest.mark.parametrize("kind", ["can", "prefix", "tree"])
@pytest.mark.parametrize("seed", range(0, 30, 3))  # no faults
def test_counted_messages_cost_what_listed_ones_do(seed: int, kind: str, unicast: str) -> None:
    network = {"kind": kind, "brokers": 9, "unicast": unicast}
    scenario = random_scenario(seed, engine="tally", network=network, events=updates(), verify="none")
    ingredients = small_ingredients(scenario)
    assert kinds_of_tables(scenario, ingredients) == [MESSAGE] * 3
    counted = records_and_loads(scenario, ingredients)
    listed = records_and_loads(scenario.model_copy(update={"verify": "all"}), ingredients)
    assert counted[0]["messages"].to_pylist() == listed[0]["messages"].to_pylist()
    assert counted == listed


def test_objects_that_come_and_go_are_answered_by_lists() -> None:
    """Regions are of changes of y; a chunk with others is listed, and the next one starts from the right state."""
    scenario = random_scenario(3, engine="tally", verify="none", events=updates(insert=0.004, delete=0.004))
    ingredients = small_ingredients(scenario)
    assert set(kinds_of_tables(scenario, ingredients)) == {MESSAGE, UNICAST}
    listed = records_and_loads(scenario.model_copy(update={"verify": "all"}), ingredients)
    assert records_and_loads(scenario, ingredients) == listed


def test_transmissions_are_of_single_messages() -> None:
    scenario = random_scenario(3, engine="tally", verify="none", events=updates(), record=["hops"])
    assert kinds_of_tables(scenario, small_ingredients(scenario)) == [UNICAST] * 3
