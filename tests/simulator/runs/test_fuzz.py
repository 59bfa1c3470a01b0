"""Random small scenarios: no wrong list whatever goes wrong, and engines that agree when nothing does."""

from collections import Counter

import numpy as np
import pytest

from pipeline import EVENTS, TIMES
from simulator.scenario.scenario import Scenario
from tests.simulator.small import approaches_of, bundled, random_scenario, run_small, small_ingredients

COUNTED = [name for name in EVENTS.names if name not in TIMES]


SHAPES = [("halfspaces", 2), ("halfspaces", 3), ("disks", 2)]


def varied(seed: int, dimensions: float, shape: str) -> Scenario:
    """A random scenario, in half of the cases with packets, zones that fit, and the server anywhere."""
    scenario, rng = random_scenario(seed, shape=shape, dimensions=dimensions), np.random.default_rng([seed, 5])
    if rng.random() < 0.5:
        scenario = bundled(scenario, int(rng.integers(1, 40)))
    content = scenario.model_dump(exclude_none=True)
    for key, choices in (("zones", ["even", "balanced"]), ("placement", ["random", "near"])):
        content["network"][key] = str(rng.choice(choices))
    if rng.random() < 0.5:
        content["server"]["at"] = int(rng.integers(scenario.network.brokers))
    return Scenario.model_validate(content)


def check(seed: int, dimensions: float = 1, shape: str = "boxes") -> Counter[str]:
    """Run one scenario with every approach; what happened in it."""
    scenario = varied(seed, dimensions, shape)
    ingredients, happened = small_ingredients(scenario), Counter[str]()
    sketched = ("paint-sparse(sketch=3)",) if shape == "boxes" else ()
    for name in (*approaches_of(scenario), *sketched):
        timed, wrong, faults = run_small(scenario, ingredients, name)
        assert not wrong, (seed, name, wrong)
        happened += faults
        if not scenario.faults.any:
            counted, wrong, _ = run_small(scenario.model_copy(update={"engine": "tally"}), ingredients, name)
            assert not wrong, (seed, name, wrong)
            assert timed.select(COUNTED).equals(counted.select(COUNTED)), (seed, name)
    return happened


def test_a_part_of_the_random_scenarios() -> None:
    """Every network, order, arrival and kind of event, with packets and without; three of them without faults."""
    happened = sum((check(seed) for seed in (1, 2, 3, 5, 7, 9, 10, 12, 13)), Counter[str]())
    assert set(happened) == {
        "broker crashes",
        "messages started anew",
        "server crashes",
        "subscriptions handed over",
        "subscriptions joined",
        "subscriptions left",
    }


@pytest.mark.parametrize(("dimensions", "seeds"), [(1.5, (3, 8)), (2, (11, 15, 22)), (2.5, (5, 18)), (3, (20, 21))])
def test_a_part_of_the_random_scenarios_over_several_attributes(dimensions: float, seeds: tuple[int, ...]) -> None:
    """One without faults, on which the engines must agree, and others with broker and server crashes and churn."""
    happened = sum((check(seed, dimensions) for seed in seeds), Counter[str]())
    assert {"broker crashes", "server crashes", "subscriptions joined", "subscriptions left"} <= set(happened)


@pytest.mark.parametrize(("shape", "dimensions"), SHAPES)
def test_a_part_of_the_random_scenarios_of_halfspaces_and_disks(shape: str, dimensions: float) -> None:
    """Every network, one without faults, on which the engines must agree, and two with crashes and churn."""
    happened = sum((check(seed, dimensions, shape) for seed in (3, 11, 20, 22)), Counter[str]())
    assert {"broker crashes", "server crashes", "subscriptions joined", "subscriptions left"} <= set(happened)


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "dimensions"), SHAPES)
@pytest.mark.parametrize("first", range(0, 300, 25))
def test_all_random_scenarios_of_halfspaces_and_disks(first: int, shape: str, dimensions: float) -> None:
    for seed in range(first, first + 25):
        check(seed, dimensions, shape)


@pytest.mark.slow
@pytest.mark.parametrize("dimensions", [1.5, 2, 2.5, 3])
@pytest.mark.parametrize("first", range(0, 300, 25))
def test_all_random_scenarios_over_several_attributes(first: int, dimensions: float) -> None:
    for seed in range(first, first + 25):
        check(seed, dimensions)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, 100))
def test_all_random_scenarios(first: int) -> None:
    for seed in range(first, first + 100):
        check(seed)
