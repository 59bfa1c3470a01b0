"""Whole runs over several attributes: verified on both engines, from files as from distributions, and looked at."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from rich.progress import Progress

import pipeline
from floor.cache import cache_dir
from pipeline import EVENTS, TIMES
from simulator.inputs.ingredients import gather
from simulator.inputs.start import population_place
from simulator.runs.event_journey import follow_event
from simulator.runs.run import run_scenario
from simulator.scenario.scenario import Scenario
from simulator.views.explain_files import explain_events
from simulator.views.explain_state import ExplainError
from simulator.views.journey_text import journey_lines
from simulator.views.report import write_report
from simulator.views.topology import describe_topology
from simulator.workload.events import INSERT, KINDS
from tests.simulator.one_line import told_in_one_line
from tests.simulator.small import scenario_in

pytestmark = pytest.mark.usefixtures("own_cache")

VALUES: dict[str, Any] = {
    "name": "flat",
    "seed": 4,
    "k": 2,
    "dimensions": 1.5,
    "approaches": ["paint-dense", "paint-sparse", "unicast", "cn-relax"],
    "verify": "all",
    "topology": {"model": "barabasi-albert", "nodes": 50},
    "network": {"brokers": 8, "zones": "balanced"},
    "objects": {"count": 30},
    "subscriptions": {"count": 300, "distribution": "squares"},
    "events": {"count": 30, "insert": 0.1, "delete": 0.1, "move": 0.2},
}


def made(place: Path, **changes: Any) -> Scenario:
    return scenario_in(place, VALUES | changes)


def run(scenario: Scenario, out: Path) -> pa.Table:
    result = run_scenario(scenario, out, master="local[2]", progress=Progress(disable=True))
    assert result.right, result.verdicts
    return pq.read_table(out / "events.parquet")


def test_the_engines_agree_and_runs_can_be_looked_at(spark: SparkSession, tmp_path: Path) -> None:
    scenario = made(tmp_path)
    counted, timed = run(scenario, tmp_path / "tally"), run(made(tmp_path, engine="des"), tmp_path / "des")
    names = [name for name in EVENTS.names if name not in TIMES]
    assert timed.select(names).equals(counted.select(names))
    sent = counted.to_pandas().groupby("approach")[["messages", "bytes_out"]].sum()
    sizes = {"paint-dense": 36, "paint-sparse": 36, "unicast": 16, "cn-relax": 0}  # the last has no server
    assert (sent["bytes_out"] == sent["messages"] * [sizes[name] for name in sent.index]).all()
    assert sent["messages"]["paint-sparse"] < sent["messages"]["paint-dense"]
    for directory in ("tally", "des"):
        page = tmp_path / f"{directory}.html"
        write_report([tmp_path / directory], page)
        assert "x of the node" in page.read_text(encoding="utf-8")  # brokers on the map, as zones cannot be drawn
    ingredients = gather(scenario, lambda: spark)
    told = "\n".join(journey_lines(follow_event(scenario, ingredients, "paint-dense", 3)))
    assert all(part in told for part in ("l1 in (", "r1 in [", "r2 in ["))
    assert "l2 in" not in told
    lines = describe_topology(scenario, tmp_path / "topology.png", master="local[2]")
    assert any(line.startswith("overlay") for line in lines)
    assert (tmp_path / "topology.png").stat().st_size > 10_000


def test_disks_are_run_looked_at_and_read_from_files(spark: SparkSession, tmp_path: Path) -> None:
    disks: dict[str, Any] = {"dimensions": 2, "approaches": ["paint-sparse", "unicast", "cn-relax"]}
    made_up = disks | {"subscriptions": {"count": 300, "distribution": "disks"}}
    scenario = made(tmp_path, **made_up)
    counted, timed = run(scenario, tmp_path / "tally"), run(made(tmp_path, **made_up, engine="des"), tmp_path / "des")
    names = [name for name in EVENTS.names if name not in TIMES]
    assert timed.select(names).equals(counted.select(names))
    sent = counted.to_pandas().groupby("approach")[["messages", "bytes_out"]].sum()
    assert sent["messages"]["paint-sparse"] > 0
    assert sent["bytes_out"]["paint-sparse"] == 36 * sent["messages"]["paint-sparse"]
    write_report([tmp_path / "tally", tmp_path / "des"], tmp_path / "report.html")
    ingredients = gather(scenario, lambda: spark)
    sparse = counted.filter(pc.equal(counted["approach"], "paint-sparse"))
    event = int(np.argmax(sparse["messages"].to_numpy()))
    told = "\n".join(journey_lines(follow_event(scenario, ingredients, "paint-sparse", event)))
    assert all(part in told for part in ("x1 in [", "x2 in [", "x1² + x2² - radius² in ["))
    assert "l1 in" not in told
    told_in_one_line(
        lambda: explain_events(scenario),
        ExplainError,
        "flat: ",
        "subscriptions must be ranges for an event to be drawn",
    )
    pipeline.write_population(spark, pipeline.PopulationSpec("disks", 300, 4, dimensions=2), tmp_path / "population")
    held = pipeline.population_columns(tmp_path / "population")[1]
    location = pipeline.read_population(tmp_path / "population").location
    csv.write_csv(pa.table({**held, "location": location}), tmp_path / "disks.csv")
    for at, file in enumerate(("population", "disks.csv")):
        again = run(made(tmp_path, **disks, subscriptions={"file": file}), tmp_path / f"own-{at}")
        # Zones of the table are cut where its disks lie, not where those of the distribution may, and its rows are in
        # another order, by which Paint-Sparse groups them: who must be told is the same.
        same = names if at == 0 else ["approach", "event", "received_update", "received_exposed"]
        assert again.select(same).equals(counted.select(same)), file


def test_ranges_of_a_dataset_cover_objects_of_the_run(spark: SparkSession, tmp_path: Path) -> None:
    subscriptions = {"count": 200, "distribution": "dataset-3"}
    scenario = made(tmp_path, objects={"count": 150}, subscriptions=subscriptions, events={"count": 3}, k=5)
    run(scenario, tmp_path / "run")
    workload = gather(scenario, lambda: spark).workload
    l, r, x = workload.l[:, 0], workload.r[:, 0], workload.x[:, 0]
    inside = np.array([np.count_nonzero((low <= x) & (x <= high)) for low, high in zip(l, r, strict=True)])
    assert np.count_nonzero(r < 1) > 20
    assert (inside[r < 1] == 100).all()
    assert (inside[r == 1] < 100).all()


@pytest.mark.parametrize("dataset", ["dataset-2", "dataset-3"])
def test_datasets_are_asked_for_as_many_objects_as_there_are(tmp_path: Path, dataset: str) -> None:
    subscriptions = {"count": 200, "distribution": dataset}
    for count in (1000, 10_000):
        scenario = made(tmp_path, objects={"count": count}, subscriptions=subscriptions)
        spec = pipeline.PopulationSpec(dataset, 200, 4, {"objects": count}, 1.5)
        assert population_place(scenario) == pipeline.population_path(spec, cache_dir() / "populations")
    assert spec == pipeline.PopulationSpec(dataset, 200, 4, dimensions=1.5)  # what the paper has


def test_files_give_the_run_that_they_were_taken_from(spark: SparkSession, tmp_path: Path) -> None:
    scenario = made(tmp_path)
    expected = run(scenario, tmp_path / "generated")
    ingredients = gather(scenario, lambda: spark)
    workload, events = ingredients.workload, ingredients.events
    pipeline.write_population(
        spark, pipeline.PopulationSpec("squares", 300, 4, dimensions=1.5), tmp_path / "population"
    )
    held = pipeline.read_population(tmp_path / "population")
    ends = {"l1": held.l[:, 0], "r1": held.r[:, 0], "r2": held.r[:, 1], "location": held.location}
    csv.write_csv(pa.table(ends), tmp_path / "subscriptions.csv")
    x = {"x1": workload.x[:, 0], "x2": workload.x[:, 1]}
    pq.write_table(pa.table({**x, "y": workload.y}), tmp_path / "objects.parquet")
    gone = events.kind == KINDS.index("delete")
    rows = {
        "time": events.time_s,
        "object": events.object,
        "kind": pa.array(np.array(KINDS)[events.kind], mask=events.kind < INSERT),
        "x1": events.x[:, 0],
        "x2": events.x[:, 1],
        "y": pa.array(np.where(gone, 0.0, events.y), mask=gone),
    }
    csv.write_csv(pa.table(rows), tmp_path / "events.csv")
    own: dict[str, Any] = {
        "subscriptions": {"file": "subscriptions.csv"},
        "objects": {"file": "objects.parquet", "range": [[0, 1], [0, 1]]},
        "events": {"kind": "trace", "file": "events.csv"},
    }
    population: dict[str, Any] = {"subscriptions": {"file": "population"}}
    for at, changes in enumerate((population, own)):
        assert run(made(tmp_path, **changes), tmp_path / f"own-{at}").equals(expected)
