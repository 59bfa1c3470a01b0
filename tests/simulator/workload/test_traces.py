"""Traces: what one says is what is run, over its range of x, and what it says wrongly is told by row."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from rich.progress import Progress

from pipeline import PipelineError, PopulationSpec, population, read_population
from simulator.inputs.ingredients import assemble, gather
from simulator.inputs.start import objects_of, trace_of
from simulator.runs import sweep
from simulator.runs.run import run_scenario
from simulator.runs.sweep import SweepError, run_sweep
from simulator.runs.task import run_task
from simulator.scenario.grid import load_grid
from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from simulator.workload.events import KINDS
from simulator.workload.traces import TraceError, read_trace
from simulator.workload.workload import Workload
from tests.simulator.journeys import EVENTS, OBJECTS, write_random_trace, write_trace_files

SCENARIO = """
name = "traced"
k = 1
approaches = ["paint-dense"]

[topology]
model = "barabasi-albert"
nodes = 20

[network]
brokers = 3

[events]
kind = "trace"
file = "trace"
arrival = "trace"
"""


@pytest.fixture
def scenario_path(tmp_path: Path) -> Path:
    write_trace_files(tmp_path / "trace")
    (tmp_path / "traced.toml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path / "traced.toml"


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(TraceError) as caught:
        read()
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_trace_is_run_as_it_stands(scenario_path: Path) -> None:
    scenario = load_scenario(scenario_path, ("events.speed=2",))
    assert (scenario.events.count, scenario.objects.count) == (5, 2)
    trace = trace_of(scenario)
    assert trace is not None
    assert (trace.x.tolist(), trace.y.tolist(), trace.ranges) == ([1.0, 2.0], [5.0, 6.0], ((1.0, 3.0),))
    workload = Workload(1, trace.x, trace.y, np.array([0.0, 2.0]), np.array([4.0, 3.0]))
    ingredients = assemble(scenario, workload, np.array([0.2, 0.7]))
    events = ingredients.events
    assert events.object.tolist() == [0, 2, 1, 0, 1]
    assert events.x.tolist() == [1.0, 3.0, 2.5, 1.0, 2.5]
    assert events.y.tolist() == [4.0, 0.5, 6.0, np.inf, 7.0]
    assert [KINDS[kind] for kind in events.kind] == ["raise", "insert", "move", "delete", "lower"]
    assert events.time_s.tolist() == [0.0, 0.0, 1.5, 2.0, 5.0]
    assert set(events.origin.tolist()) <= {0, 1, 2}
    assert ingredients.network.zones.domain == (1.0, 3.0)  # type: ignore[attr-defined]


FLAT_OBJECTS = [(0, "a", 1.0, 8.0, 5.0, 0.0), (1, "b", 2.0, 9.0, 6.0, 0.0)]
FLAT_EVENTS = [
    (0, 100.0, "raise", 1.0, 8.0, 4.0),
    (2, 100.0, "insert", 3.0, 7.0, 0.5),
    (1, 103.0, "move", 2.0, 7.5, 6.0),
    (0, 104.0, "delete", 1.0, 8.0, 4.0),
    (1, 110.0, "lower", 2.0, 7.5, 7.0),
]


def test_a_trace_over_two_attributes_is_run_as_it_stands(scenario_path: Path) -> None:
    ranges = [[1.0, 3.0], [7.0, 9.0]]
    write_trace_files(scenario_path.with_name("trace"), FLAT_EVENTS, FLAT_OBJECTS, x_range=ranges)
    scenario = load_scenario(scenario_path, ("dimensions=2",))
    trace = trace_of(scenario)
    assert trace is not None
    assert (trace.x.tolist(), trace.ranges) == ([[1.0, 8.0], [2.0, 9.0]], ((1.0, 3.0), (7.0, 9.0)))
    ends = np.array([[0.0, 7.0], [2.0, 7.5]]), np.array([[4.0, 9.0], [3.0, 8.0]])
    workload = Workload(1, trace.x, trace.y, *ends, dimensions=2)
    ingredients = assemble(scenario, workload, np.array([0.2, 0.7]))
    assert ingredients.events.x.tolist() == [[1.0, 8.0], [3.0, 7.0], [2.0, 7.5], [1.0, 8.0], [2.0, 7.5]]
    assert ingredients.network.zones.domain == ((1.0, 3.0), (7.0, 9.0))  # type: ignore[attr-defined]
    wrong = [*FLAT_EVENTS[:4], (1, 110.0, "lower", 2.0, 7.0, 7.0)]
    write_trace_files(scenario_path.with_name("trace"), wrong, FLAT_OBJECTS, x_range=ranges)
    told = refusal(lambda: read_trace(scenario_path.with_name("trace")))
    assert told.endswith(
        "event 4: x2 = 7.0: a lower must keep the object's x2, 7.5; write the change of x2 as a move of its own"
    )


def test_other_arrivals_and_the_first_events_only(scenario_path: Path) -> None:
    scenario = load_scenario(scenario_path, ("events.arrival=fixed", "events.count=3", "events.rate=1/s"))
    workload = Workload(1, np.array([1.0, 2.0]), np.array([5.0, 6.0]), np.array([0.0]), np.array([4.0]))
    events = assemble(scenario, workload, np.array([0.2])).events
    assert events.object.tolist() == [0, 2, 1]
    assert events.time_s.tolist() == [1.0, 2.0, 3.0]


def test_paths_are_seen_from_the_file_that_names_them(scenario_path: Path) -> None:
    below = scenario_path.parent / "below"
    below.mkdir()
    (below / "top.toml").write_text('extends = "../traced.toml"\nname = "top"\n', encoding="utf-8")
    scenario = load_scenario(below / "top.toml")
    assert scenario.events.file == str(scenario_path.with_name("trace").resolve())
    (below / "again.toml").write_text(scenario_toml(scenario), encoding="utf-8")
    assert load_scenario(below / "again.toml") == scenario
    moved = load_scenario(below / "top.toml", ("events.file=../trace",), beside=below)
    assert moved.events.file == scenario.events.file


@pytest.mark.parametrize(
    ("override", "text"),
    [
        ("events.file=none", "none is not a trace (no trace.json that can be read)"),
        ("events.file=traced.toml", 'lacks the columns time, object; it has name = "traced"'),
        ("events.count=6", "the trace holds 5 events, but events.count = 6; remove events.count"),
        ("objects.count=3", "the trace begins with 2 objects, but objects.count = 3; remove objects.count"),
        ("objects.distribution=clustered", "a trace has objects of its own; remove this key"),
        ("objects.file=trace", "is a directory without Parquet files; give a file in CSV or Parquet"),
        ("k=3", "k must be at most objects.count, which is 2"),
        ("events.move=0.1", "events.move = 0.1: a trace says itself what happens; remove this key"),
        ("events.kind=uniform", 'only kind = "trace" reads a trace'),
        ("events.sha256=" + "0" * 64, "the trace is not the one that events.sha256 stands for"),
    ],
)
def test_a_scenario_with_a_wrong_trace_is_refused(scenario_path: Path, override: str, text: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(scenario_path, (override,), beside=scenario_path.parent)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_trace_is_refused(scenario_path: Path) -> None:
    write_trace_files(scenario_path.with_name("trace"), [])
    with pytest.raises(ScenarioError, match=r"traced\.toml:15: events\.file = .*: the trace holds no events"):
        load_scenario(scenario_path)


def test_a_trace_must_be_named() -> None:
    values = {"name": "x", "approaches": ["unicast"], "events": {"kind": "trace"}}
    with pytest.raises(ValueError, match="reads the events from a directory"):
        Scenario.model_validate(values)


def test_a_trace_that_changes_is_another_one(scenario_path: Path) -> None:
    first = load_scenario(scenario_path)
    write_trace_files(scenario_path.with_name("trace"), [*EVENTS[:4], (1, 110.0, "lower", 2.5, 7.5)])
    assert load_scenario(scenario_path).events.sha256 != first.events.sha256
    with pytest.raises(TraceError, match="trace: changed since the scenario was read; start again"):
        trace_of(first)


@pytest.mark.parametrize(
    ("row", "wrong", "text"),
    [
        (0, (7, 100.0, "raise", 1.0, 4.0), "event 0: object = 7: the object of a raise must be there from the start"),
        (0, (-1, 100.0, "move", 1.0, 4.0), "event 0: object = -1: the object of a move must be there from the start"),
        (1, (3, 100.0, "insert", 3.0, 0.5), "event 1: object = 3: an inserted object must take the next id, 2"),
        (1, (0, 100.0, "insert", 3.0, 0.5), "event 1: object = 0: an inserted object must take the next id, 2"),
        (2, (1, 99.0, "move", 2.5, 6.0), "event 2: time_s = 99.0: must not be before the one in front of it"),
        (2, (1, float("nan"), "move", 2.5, 6.0), "event 2: time_s = nan: must be a finite number"),
        (2, (1, 103.0, "move", float("nan"), 6.0), "event 2: x = nan: must be a finite number"),
        (2, (1, 103.0, "move", 2.5, float("inf")), "event 2: y = inf: must be a finite number"),
        (
            2,
            (1, 103.0, "jump", 2.5, 6.0),
            "event 2: kind = 'jump': must be one of raise, lower, insert, delete, move",
        ),
        (2, (1, 103.0, "move", 2.5, 6.5), "event 2: y = 6.5: a move must keep the object's y, 6.0"),
        (4, (0, 110.0, "lower", 1.0, 7.0), "event 4: object = 0: the object of a lower must not have been deleted"),
        (4, (1, 110.0, "lower", 2.0, 7.0), "event 4: x = 2.0: a lower must keep the object's x, 2.5"),
        (4, (1, 110.0, "lower", 2.5, 5.0), "event 4: y = 5.0: a lower must not make the object's y, 6.0, smaller"),
        (4, (1, 110.0, "raise", 2.5, 7.0), "event 4: y = 7.0: a raise must not make the object's y, 6.0, larger"),
    ],
)
def test_a_wrong_row_is_told_by_its_number(tmp_path: Path, row: int, wrong: tuple[Any, ...], text: str) -> None:
    rows = [*EVENTS]
    rows[row] = wrong
    path = write_trace_files(tmp_path / "trace", rows)
    assert refusal(lambda: read_trace(path)).startswith(f"{path}: {text}")
    if row == 4:
        assert len(read_trace(path, 4).updates.object) == 4


def test_a_wrong_object_is_told_by_its_row(tmp_path: Path) -> None:
    path = write_trace_files(tmp_path / "trace", objects=[OBJECTS[0], (1, "b", float("inf"), 6.0, 0.0)])
    assert refusal(lambda: read_trace(path)).startswith(f"{path}: object 1: x = inf: must be a finite number")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"objects": [(1, "a", 1.0, 1.0, 0.0)]}, "does not hold the ids 0, 1, 2, ... in this order"),
        ({"initial": 3}, "does not hold the ids 0, 1, 2, ... in this order"),
        ({"events": [(None, 100.0, "raise", 1.0, 4.0)]}, "events.parquet lacks values of object"),
        ({"x_range": [1.0, 1.0]}, "trace.json lacks a value or has a wrong one"),
        ({"initial": None}, "trace.json lacks a value or has a wrong one"),
        ({"version": 0}, "is a trace of version 0, this is version 1; make it again"),
    ],
)
def test_what_is_no_trace_is_told(tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    path = write_trace_files(tmp_path / "trace", **changes)
    with pytest.raises(PipelineError, match=r"^[^\n]*$") as caught:
        read_trace(path)
    assert text in str(caught.value)


@pytest.fixture
def stocks(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario on a small trace, over x from 1 to 5, and another trace of the same size."""
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    for seed in (1, 2):
        write_random_trace(tmp_path / f"stocks-{seed}", seed)
    approaches = '["paint-dense", "paint-sparse", "paint-batch(7)", "unicast", "cn-relax"]'
    text = SCENARIO.replace('"trace"\narr', '"stocks-1"\narr').replace('["paint-dense"]', approaches)
    path = tmp_path / "stocks.toml"
    path.write_text(
        text.replace("k = 1", 'k = 3\nverify = "all"') + "speed = 3600\n[subscriptions]\ncount = 200\n",
        encoding="utf-8",
    )
    return path


def test_subscriptions_lie_over_the_range_of_the_trace(spark: SparkSession, stocks: Path, tmp_path: Path) -> None:
    ingredients = gather(load_scenario(stocks), lambda: spark)
    held = read_population(
        population(lambda: spark, PopulationSpec("uniform", 200, 1), tmp_path / "cache" / "populations")
    )
    assert ingredients.x_range == (1.0, 5.0)
    assert list(ingredients.names[:30]) == [f"n{i}" for i in range(30)]
    np.testing.assert_array_equal(ingredients.workload.l, 1 + 4 * held.l)
    np.testing.assert_array_equal(ingredients.workload.r, 1 + 4 * held.r)
    assert len(set(ingredients.gateways.home.tolist())) == 3


@pytest.mark.parametrize("engine", ["tally", "des"])
def test_every_list_is_right_on_a_trace(stocks: Path, engine: str) -> None:
    scenario = load_scenario(stocks, (f"engine={engine}",))
    result = run_scenario(scenario, stocks.with_name("run"), master="local[2]", progress=Progress(disable=True))
    assert result.right, result.verdicts
    received = pq.read_table(result.directory / "events.parquet")["received_update"].to_numpy()
    assert received.sum() > 0


def test_a_sweep_over_traces(spark: SparkSession, stocks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # In this process: others would compile every kernel anew for the cache of this test.
    monkeypatch.setattr(sweep, "on_processes", lambda tasks, _: ((task, run_task(task)) for task in tasks))
    grid = stocks.with_name("grid.toml")
    grid.write_text(
        'scenario = "stocks.toml"\nreplications = 1\n[grid]\nevents.file = ["stocks-1", "stocks-2"]\n',
        encoding="utf-8",
    )
    loaded, out = load_grid(grid), stocks.with_name("sweep")
    first, second = (point.scenario for point in loaded.points)
    assert first.events.sha256 != second.events.sha256
    assert objects_of(first, lambda: spark) == Path(str(first.events.file)) != objects_of(second, lambda: spark)
    result = run_sweep(loaded, out, master=None, processes=1, progress=Progress(disable=True))
    assert result.failures == []
    one, other = sorted((out / "tasks").glob("*.csv"))
    assert one.read_text() != other.read_text()
    (stocks.parent / "stocks-2").rename(stocks.parent / "stocks-0")
    (stocks.parent / "stocks-1").rename(stocks.parent / "stocks-2")
    (stocks.parent / "stocks-0").rename(stocks.parent / "stocks-1")
    with pytest.raises(SweepError, match="holds the sweep of another grid"):
        run_sweep(load_grid(grid), out, master=None, processes=1, progress=Progress(disable=True))


def test_the_scenario_of_a_run_on_a_trace_reads_back(scenario_path: Path) -> None:
    scenario = load_scenario(scenario_path)
    assert Scenario.model_validate(tomllib.loads(scenario_toml(scenario))) == scenario
