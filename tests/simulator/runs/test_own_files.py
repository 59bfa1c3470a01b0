"""Runs on files of one's own: the numbers of what those were taken from, on Spark too, and what is told later."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from rich.progress import Progress

import pipeline
from cn import Can, Zones
from pipeline import spark_source
from simulator.engine.spark_deliveries import DeliveriesError
from simulator.inputs.ingredients import gather, make_graph, place_brokers
from simulator.results.finished_run import FinishedRun
from simulator.runs.run import run_scenario
from simulator.runs.sweep import SweepError, run_sweep
from simulator.scenario.grid import make_grid
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from simulator.views.explain_files import explain_events
from simulator.views.report import write_report
from simulator.views.report.runs import read_run
from simulator.workload.events import INSERT, KINDS
from tests.simulator.one_line import told_in_one_line
from tests.simulator.small import scenario_in

pytestmark = pytest.mark.usefixtures("own_cache")

VALUES: dict[str, Any] = {
    "name": "generated",
    "seed": 11,
    "k": 3,
    "approaches": ["paint-dense", "unicast", "cn-relax"],
    "verify": "all",
    "topology": {"model": "barabasi-albert", "nodes": 50},
    "network": {"brokers": 8},
    "objects": {"count": 30},
    "subscriptions": {"count": 400, "distribution": "correlated"},
    "events": {"count": 40, "insert": 0.1, "delete": 0.1, "move": 0.1},
}


def made(tmp_path: Path, **changes: Any) -> Scenario:
    return scenario_in(tmp_path, VALUES | changes)


def run(scenario: Scenario, out: Path, **options: Any) -> bytes:
    result = run_scenario(scenario, out, master="local[2]", progress=Progress(disable=True), **options)
    assert result.right, result.verdicts
    return (out / "events.parquet").read_bytes()


@pytest.fixture(scope="module")
def written(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that a generated scenario is made of, in files; its events in `generated/events.parquet`."""
    place = tmp_path_factory.mktemp("written")
    scenario = made(place)
    run(scenario, place / "generated")
    ingredients = gather(scenario, lambda: spark)
    workload, events = ingredients.workload, ingredients.events
    pipeline.write_population(spark, pipeline.PopulationSpec("correlated", 400, 11), place / "population")
    held = pipeline.read_population(place / "population")
    csv.write_csv(pa.table({"l": held.l, "r": held.r, "location": held.location}), place / "subscriptions.csv")
    pq.write_table(pa.table({"x": workload.x, "y": workload.y}), place / "objects.parquet")
    kept = events.kind == KINDS.index("delete")
    rows = {
        "time": events.time_s,
        "object": events.object,
        "kind": pa.array(np.array(KINDS)[events.kind], mask=events.kind < INSERT),
        "x": events.x,
        "y": pa.array(np.where(kept, 0.0, events.y), mask=kept),
    }
    csv.write_csv(pa.table(rows), place / "events.csv")
    (place / "nodes.csv").write_text("node\n" + "\n".join(map(str, ingredients.routes.brokers)), encoding="utf-8")
    return place


def test_files_give_the_run_that_they_were_taken_from(written: Path, tmp_path: Path) -> None:
    expected = (written / "generated" / "events.parquet").read_bytes()
    population = {"subscriptions": {"file": "population"}}
    assert run(made(written, **population), tmp_path / "population") == expected
    own = {
        "subscriptions": {"file": "subscriptions.csv"},
        "objects": {"file": "objects.parquet", "range": [0, 1]},
        "events": {"kind": "trace", "file": "events.csv"},
        "network": {"nodes": "nodes.csv"},
    }
    scenario = made(written, **own)
    assert run(scenario, tmp_path / "own") == expected
    told = json.loads((tmp_path / "own" / "manifest.json").read_text())["scenario"]
    for name in ("subscriptions", "objects", "events"):
        file = next(written.glob(f"{name}.*"))
        assert told[name]["file"] == str(file)
        assert told[name]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert FinishedRun(tmp_path / "own").scenario == scenario


def test_ends_of_ones_own_are_values_of_x_and_counted_alike_on_spark(
    spark: SparkSession, written: Path, tmp_path: Path
) -> None:
    """Also with a trace's list of moves beyond the range, and objects with names."""
    rng = np.random.default_rng(1)
    l = rng.random(600) * 90 - 20
    pq.write_table(pa.table({"l": l, "r": l + rng.random(600) * 30}), tmp_path / "wide.parquet")
    x, y = rng.random(20) * 80 - 10, rng.random(20) * 1000
    csv.write_csv(pa.table({"name": [f"s{i}" for i in range(20)], "x": x, "y": y}), tmp_path / "objects.csv")
    moves = "".join(f"{t},s{t % 20},{(37 * t) % 200 - 50},\n{t},s{t % 20},,{(91 * t) % 1000}\n" for t in range(60))
    (tmp_path / "events.csv").write_text(f"time,object,x,y\n{moves}", encoding="utf-8")
    own = {
        "subscriptions": {"file": "wide.parquet"},
        "objects": {"file": "objects.csv"},
        "events": {"kind": "trace", "file": "events.csv", "arrival": "trace"},
    }
    scenario = made(tmp_path, **own)
    ingredients = gather(scenario, lambda: spark)
    workload = ingredients.workload
    assert sorted(workload.l.tolist()) == sorted(l.tolist())
    assert ingredients.x_range == (min(l.min(), x.min()), max(workload.r.max(), x.max()))
    assert list(ingredients.names) == [f"s{i}" for i in range(20)]
    run(scenario, tmp_path / "verified")
    counted = scenario.model_copy(update={"verify": "none", "approaches": ["paint-dense", "cn-relax"]})
    assert run(counted, tmp_path / "memory") == run(counted, tmp_path / "spark", deliveries="spark")
    with pytest.raises(DeliveriesError):
        run(scenario, tmp_path / "never", deliveries="spark")


def test_generated_events_stay_in_the_range_of_the_objects_brought(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "objects.csv").write_text("x,y\n10,5\n20,-5\n30,15\n40,15\n", encoding="utf-8")
    for kind in ("uniform", "gaussian"):
        events = {"count": 300, "kind": kind, "volatility": 3.0, "insert": 0.1, "delete": 0.1, "move": 0.1}
        scenario = made(tmp_path, objects={"file": "objects.csv"}, events=events)
        ingredients = gather(scenario, lambda: spark)
        y = ingredients.events.y[np.isfinite(ingredients.events.y)]
        assert -5 <= y.min() < 0
        assert 10 < y.max() <= 15
        assert ingredients.x_range == (10.0, 40.0)
        assert 10 <= ingredients.workload.l.min() < 12  # populations lie over the objects
        assert 38 < ingredients.workload.r.max() <= 40


def test_brokers_stand_where_the_scenario_says(tmp_path: Path) -> None:
    scenario = made(tmp_path, network={"nodes": [9, 3, 40], "brokers": 2})
    assert place_brokers(scenario, make_graph(scenario)).tolist() == [9, 3]
    (tmp_path / "net.edges").write_text("hub a\nhub b\nb c\n", encoding="utf-8")
    (tmp_path / "nodes.csv").write_text("name\nc\nhub\n", encoding="utf-8")
    named = made(tmp_path, topology={"file": "net.edges"}, network={"nodes": "nodes.csv"})
    graph = make_graph(named)
    assert [graph.nodes[node]["name"] for node in place_brokers(named, graph).tolist()] == ["c", "hub"]
    for nodes, line in (
        ([1, 4], "network.nodes = 4: the nodes of the network are 0 to 3; mend or remove it"),
        (["c", "d"], "network.nodes = 'd': the nodes of the network are those named in topology.file"),
        (["hub", 0], "network.nodes = 0: is there by number and by name; remove one of them"),
    ):
        wrong = made(tmp_path, topology={"file": "net.edges"}, network={"nodes": nodes})
        told_in_one_line(lambda: place_brokers(wrong, graph), ScenarioError, line, "")  # noqa: B023


@pytest.fixture
def finished(tmp_path: Path) -> tuple[Path, Path]:
    """A run on a file of subscriptions, and that file; its zones follow the population."""
    rng = np.random.default_rng(2)
    file = tmp_path / "subscriptions.csv"
    l, r = np.sort(rng.random((2, 200)), axis=0)
    csv.write_csv(pa.table({"l": l, "r": r}), file)
    network = {"brokers": 4, "zones": "balanced", "placement": "near"}
    scenario = made(tmp_path, subscriptions={"file": "subscriptions.csv"}, network=network, events={"count": 5})
    run(scenario, tmp_path / "run")
    return tmp_path / "run", file


def test_a_run_is_looked_at_later_as_long_as_its_files_are_there(finished: tuple[Path, Path], tmp_path: Path) -> None:
    directory, file = finished
    [explained] = explain_events(directory, event=2, master="local[2]")
    assert explained.event == 2
    gone = "No such file or directory; mend the path"
    shown, there = read_run(directory, "run").map, gather(FinishedRun(directory).scenario, spark_source("local[2]"))
    assert isinstance(shown, Zones)
    assert isinstance(there.network, Can)
    assert np.array_equal(shown.table.extents, there.network.zones.table.extents)
    write_report([directory], tmp_path / "report.html")
    assert gone not in (tmp_path / "report.html").read_text(encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8") + "0.5,0.6\n", encoding="utf-8")
    line = "is not the one that subscriptions.sha256 stands for; bring that back"
    told_in_one_line(lambda: explain_events(directory, event=2), ScenarioError, f"{directory}/scenario.toml:", line)
    file.unlink()
    told_in_one_line(
        lambda: explain_events(directory, event=2), ScenarioError, f"{directory}/scenario.toml:", "No such file"
    )
    write_report([directory], tmp_path / "later.html")
    assert gone in (tmp_path / "later.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("in_this_process")
def test_a_sweep_goes_over_files(tmp_path: Path) -> None:
    for name, rows in (("few", 30), ("many", 90)):
        l, r = np.sort(np.random.default_rng(rows).random((2, rows)), axis=0)
        csv.write_csv(pa.table({"l": l * 8, "r": r * 8}), tmp_path / f"{name}.csv")
    scenario = VALUES | {"events": {"count": 10}, "approaches": ["cn-relax"], "subscriptions": {}}
    grid = {"subscriptions.file": ["few.csv", "many.csv"]}
    values = {"scenario": scenario, "grid": grid, "replications": 2, "seed": 1}
    options: dict[str, Any] = {"master": None, "processes": 1, "progress": Progress(disable=True)}
    for found in (0, 4):
        result = run_sweep(make_grid(values, path=tmp_path / "grid.toml"), tmp_path / "sweep", **options)
        assert (result.failures, result.tasks, result.found) == ([], 4, found)
    (tmp_path / "few.csv").write_text("l,r\n1,2\n", encoding="utf-8")
    changed = make_grid(values, path=tmp_path / "grid.toml")
    with pytest.raises(SweepError, match="holds the sweep of another grid"):
        run_sweep(changed, tmp_path / "sweep", **options)
