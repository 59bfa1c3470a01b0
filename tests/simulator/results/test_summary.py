"""Means after a warm-up: of the same events, whatever windows an approach has."""

import pyarrow.compute as pc
import pytest

from simulator.results.errors import RunError
from simulator.results.needed import needed_of
from simulator.results.summary import summary_rows
from simulator.runs.answer import records_of
from simulator.scenario.scenario import Scenario
from tests.simulator.small import random_scenario, small_ingredients

NAMES = ("paint-dense", "paint-batch(30)", "paint-batch(40ms)", "paint-batch(1h)", "cn-relax")


def scenario_with(warm_up: int, engine: str) -> Scenario:
    events = {"count": 100, "rate": "500/s", "arrival": "poisson", "warm_up": warm_up}
    faults = {"joins": 5, "leaves": 3, "loss": 0.1} if engine == "des" else {}
    subscriptions = {"count": 40}
    return random_scenario(4, verify="none", engine=engine, events=events, faults=faults, subscriptions=subscriptions)


@pytest.mark.parametrize("engine", ["tally", "des"])
@pytest.mark.parametrize("warm_up", [0, 1, 40, 99])
def test_every_approach_averages_the_same_events(engine: str, warm_up: int) -> None:
    """What they need is the same for all, and none has a window from both sides."""
    scenario = scenario_with(warm_up, engine)
    ingredients = small_ingredients(scenario)
    records = [records_of(scenario, ingredients, name) for name in NAMES]
    rows = summary_rows(NAMES, records, warm_up)
    assert [row["events"] for row in rows] == [100 - warm_up] * len(NAMES)
    needed = needed_of(scenario, ingredients)
    for table in records:
        kept = table.filter(pc.greater_equal(table["event"], warm_up))
        assert pc.sum(kept["needed_update"]).as_py() == needed.update[warm_up:].sum()
        assert pc.sum(kept["needed_exposed"]).as_py() == needed.exposed[warm_up:].sum()
        assert pc.min(kept["event"]).as_py() == warm_up


def test_a_warm_up_of_everything_is_told() -> None:
    scenario = scenario_with(0, "tally")
    table = records_of(scenario, small_ingredients(scenario), "cn-relax")
    with pytest.raises(RunError, match="cn-relax: no event is left after warm_up = 100"):
        summary_rows(["cn-relax"], [table], 100)
