"""Scenarios from Python are what files and `--set` give, and mistakes in them are told in the same lines."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rangecast
from simulator.scenario.loading import load_scenario, scenario_toml
from tests.rangecast.small import SMALL

SCENARIOS = Path(__file__).parents[2] / "scenarios"


@pytest.mark.parametrize("name", ["demo.toml", "faults.toml"])
def test_a_file_is_what_the_command_line_reads(name: str) -> None:
    path = SCENARIOS / name
    changes = {"network": {"brokers": 16}, "subscriptions.count": 400}
    wanted = load_scenario(path, ("network.brokers=16", "subscriptions.count=400"))
    assert rangecast.load_scenario(str(path), changes) == wanted
    assert rangecast.load_scenario(rangecast.load_scenario(path), changes) == wanted


def test_a_mapping_is_what_its_file_holds(tmp_path: Path) -> None:
    scenario = rangecast.load_scenario(SMALL)
    (tmp_path / "small.toml").write_text(scenario_toml(scenario), encoding="utf-8")
    assert rangecast.load_scenario(tmp_path / "small.toml") == scenario
    assert rangecast.load_scenario(scenario) is scenario
    assert SMALL["network"] == {"brokers": 8}  # what is given stays as it is


def test_values_of_numpy_and_tuples_are_taken() -> None:
    changes = {"k": np.int64(2), "approaches": ("unicast",), "events.insert": np.float64(0.25)}
    scenario = rangecast.load_scenario(SMALL, changes)
    assert (scenario.k, scenario.approaches, scenario.events.insert) == (2, ["unicast"], 0.25)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"k": 0}, "k = 0: must be at least 1; raise it"),
        ({"network.broker": 4}, "network.broker = 4: no such key; did you mean 'brokers'?"),
        ({"k.x": 1}, "k.x=1: k is a value, not a table"),
        ({"extends": "base.toml"}, 'extends="base.toml": only a scenario file can extend another'),
    ],
)
def test_a_change_that_cannot_be_is_told_in_one_line(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(rangecast.RangecastError) as caught:
        rangecast.load_scenario(SMALL, changes)
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


def test_a_mapping_that_cannot_be_is_told_in_one_line() -> None:
    with pytest.raises(rangecast.RangecastError, match=r"^scenario: network.brokers = 0: must be at least 1"):
        rangecast.load_scenario(SMALL | {"network": {"brokers": 0}})
    with pytest.raises(TypeError, match=r"^network.brokers must be text, .* got None; leave it out$"):
        rangecast.load_scenario(SMALL | {"network": {"brokers": None}})


def test_other_kinds_are_refused() -> None:
    wrong: Any = 3
    with pytest.raises(TypeError, match=r"^scenario must be a Scenario, a mapping or the path .* got int$"):
        rangecast.load_scenario(wrong)
    with pytest.raises(TypeError, match=r"^changes must be a mapping such as .* got int$"):
        rangecast.load_scenario(SMALL, wrong)


def test_a_plugin_is_loaded_and_a_missing_one_told(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import sys\nsys.modules['loaded_by_the_door'] = sys\n", encoding="utf-8")
    rangecast.load_plugins(tmp_path / "mine.py")
    import loaded_by_the_door  # type: ignore[import-not-found]

    assert loaded_by_the_door
    with pytest.raises(rangecast.RangecastError, match=r"nowhere.py: must be a Python file that exists"):
        rangecast.load_plugins("nowhere.py")
