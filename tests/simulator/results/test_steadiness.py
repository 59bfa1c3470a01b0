"""Steadiness against queueing theory: an M/D/1 queue below 1 and above, and what a run says of it."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from pyspark.sql import SparkSession

from scenarios import DIRECTORY
from simulator.approaches.registry import parse_approach
from simulator.engine.carry import carry_events
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import assemble
from simulator.results.finished_run import FinishedRun
from simulator.results.loads import Loads
from simulator.results.steadiness import arising_s, offered_load, unsteady
from simulator.runs.run import run_scenario
from simulator.scenario.loading import load_scenario
from simulator.scenario.scenario import Scenario
from simulator.views.report import write_report
from simulator.views.tables import comparison_table
from simulator.workload.workload import Workload
from tests.simulator.small import queue_scenario, random_scenario, small_ingredients

SERVICE_S = 2e-3


def queue(load: float, events: int, arrival: str = "poisson", seed: int = 0) -> Scenario:
    """A server that takes 2 ms for each event."""
    events_of = {
        "count": events,
        "arrival": arrival,
        "rate": f"{load / SERVICE_S}/s",
        "burst": 10,
        "gap": f"{10 * SERVICE_S / load:.9f}s",
    }
    return queue_scenario(seed, SERVICE_S, events_of)


@cache
def simulated(load: float, events: int, arrival: str = "poisson", seed: int = 0) -> tuple[str | None, float, float]:
    """What is said of the run, the offered load, and the mean wait in seconds."""
    scenario = queue(load, events, arrival, seed)
    rng = np.random.default_rng(seed)
    l, r = np.sort(rng.random((2, 10)), axis=0)
    x, y = rng.random((2, 10))
    ingredients = assemble(scenario, Workload(1, x, y, l, r), rng.random(10))
    approach, ledger, loads = parse_approach("paint-dense"), Ledger(), Loads(1)
    session = approach.open(ingredients.workload, approach)
    for carried in carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64), ledger):
        loads.take(carried)
    time_s: NDArray[np.float64] = ingredients.events.time_s
    busiest = offered_load(loads, ledger, time_s)
    assert busiest is not None
    return unsteady(loads, ledger, time_s), busiest.utilisation, ledger.server_waited_s / events


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("load", [0.3, 0.7, 0.9])
def test_below_1_nothing_is_said(load: float, seed: int) -> None:
    told, offered, _ = simulated(load, 4000, seed=seed)
    assert told is None
    assert offered == pytest.approx(load, rel=0.06)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("load", [1.1, 1.5, 4.0])
def test_above_1_the_queue_is_named(load: float, seed: int) -> None:
    told, offered, _ = simulated(load, 4000, seed=seed)
    assert told is not None
    assert told.startswith("not steady: server is given 1." if load < 2 else "not steady: server is given ")
    assert offered == pytest.approx(load, rel=0.06)


def test_what_is_called_steady_does_not_depend_on_the_length_and_the_rest_does() -> None:
    """The mean wait of a run four times as long: the same at 0.7, four times as much at 1.5, as surplus adds up."""
    for load, lengths, ratio, within in ((0.7, (4000, 16000), 1.0, 0.25), (1.5, (1000, 4000), 4.0, 0.1)):
        short, long = (np.mean([simulated(load, events, seed=seed)[2] for seed in range(5)]) for events in lengths)
        assert long / short == pytest.approx(ratio, rel=within)


@pytest.mark.parametrize("arrival", ["fixed", "bursts"])
def test_few_events_at_equal_times_or_in_bursts_have_the_load_that_they_stand_for(arrival: str) -> None:
    """Two bursts have one gap between them, and are no more work in the time than a hundred are."""
    for events in (20, 1000):
        for load in (0.98, 1.02):
            told, offered, _ = simulated(load, events, arrival)
            assert offered == pytest.approx(load, rel=1e-6)
            assert (told is None) == (load < 1)


def test_the_time_in_which_events_arise_by_hand() -> None:
    assert arising_s(np.array([1.0, 2.0, 3.0])) == 3.0
    assert arising_s(np.array([0.0, 0.0, 0.5, 0.5])) == 1.0
    assert arising_s(np.array([0.0, 0.0])) == 0.0
    assert arising_s(np.array([4.0])) == 4.0


def test_events_at_once_are_not_steady_and_a_run_without_a_clock_says_nothing() -> None:
    scenario = random_scenario(2, verify="none", faults={}, events={"count": 20, "arrival": "at-once"})
    for engine in ("des", "tally"):
        chosen = scenario.model_copy(update={"engine": engine})
        ingredients, ledger = small_ingredients(chosen), Ledger()
        loads, approach = Loads(len(ingredients.network)), parse_approach("cn-relax")
        session = approach.open(ingredients.workload, approach)
        for carried in carry_events(chosen, ingredients, approach, session, np.empty(0, np.int64), ledger):
            loads.take(carried)
        told = unsteady(loads, ledger, ingredients.events.time_s)
        assert (told or "").startswith("not steady: all events arise at once") == (engine == "des")
        assert offered_load(loads, ledger, ingredients.events.time_s) is None


def test_a_run_says_so_in_notes_table_manifest_and_report(spark: SparkSession, tmp_path: Path) -> None:
    scenario = queue(1.5, 400).model_copy(update={"approaches": ["paint-dense", "cn-relax"]})
    result = run_scenario(scenario, tmp_path / "run", master="local[2]")
    (note,) = (line for line in result.notes if line.startswith("WARNING"))
    assert note.startswith("WARNING  paint-dense: not steady: server is given 1.")
    manifest = json.loads((result.directory / "manifest.json").read_text())["approaches"]
    assert manifest["paint-dense"]["steady"] == note.removeprefix("WARNING  paint-dense: ")
    assert manifest["cn-relax"]["steady"] == "steady"
    dense, relax = FinishedRun(result.directory).summary
    assert dense["offered_load"] == manifest["paint-dense"]["offered_load"] == pytest.approx(1.5, rel=0.1)
    assert relax["offered_load"] == 0
    cells = [str(cell) for column in comparison_table([result.directory]).columns for cell in column.cells]
    assert f"{dense['offered_load']:.2f}, not steady" in cells
    write_report([result.directory], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "not steady: server is given 1." in page


def warnings_of(tmp_path: Path, name: str, *changes: str) -> list[str]:
    scenario = load_scenario(DIRECTORY / f"{name}.toml", ("verify=none", *changes))
    result = run_scenario(scenario, tmp_path / f"{name}-{len(changes)}", master="local[2]")
    return [line.partition(": not steady")[0] for line in result.notes if line.startswith("WARNING")]


@pytest.mark.slow  # of the demo it is also seen where it is run from a wheel
def test_no_false_alarm_on_what_is_shipped(spark: SparkSession, tmp_path: Path) -> None:
    """Where crashes start all that is under way anew, Unicast alone has too much to do; without them it has not."""
    for name in ("demo", "starter"):
        assert warnings_of(tmp_path, name) == []
    assert warnings_of(tmp_path, "faults") == ["WARNING  unicast"]
    assert warnings_of(tmp_path, "faults", "faults={}") == []
