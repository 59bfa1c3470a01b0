"""A scenario whose event 11 meets losses, a partition, and a broker that crashes and returns."""

from typing import Any

from simulator.inputs.ingredients import Ingredients
from simulator.scenario.scenario import Scenario
from tests.simulator.results.test_hops import small


def troubled_scenario(kind: str = "can", **changes: Any) -> tuple[Scenario, Ingredients]:
    """Eight brokers; of event 11 the messages that are under way from 60 ms on meet everything."""
    at = [
        {"time": "90ms", "what": "partition", "whom": [5, 2]},
        {"time": "130ms", "what": "heal", "whom": [5, 2]},
        {"time": "198ms", "what": "crash", "whom": [5]},
        {"time": "260ms", "what": "restore", "whom": [5]},
    ]
    faults = {"loss": 0.2, "timeout": "30ms", "detection": "20ms", "at": at}
    scenario, ingredients = small(kind, faults=faults, **changes)
    assert ingredients.server not in (2, 5)
    return scenario, ingredients
