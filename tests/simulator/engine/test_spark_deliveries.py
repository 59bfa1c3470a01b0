"""Deliveries counted on Spark against the gateways' own indexes: the same tables, column by column."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from rich.progress import Progress

import pipeline.populations
from simulator.engine import spark_deliveries
from simulator.engine.spark_deliveries import DeliveriesError, check_spark_deliveries
from simulator.inputs.ingredients import gather
from simulator.results import needed
from simulator.runs.run import run_scenario
from simulator.scenario.scenario import Scenario
from tests.simulator.journeys import write_random_trace
from tests.some_cases import some

VALUES: dict[str, Any] = {
    "name": "disk",
    "seed": 5,
    "k": 3,
    "approaches": ["paint-dense", "paint-dense(0.5)", "paint-batch(20)", "cn-relax"],
    "topology": {"model": "barabasi-albert", "nodes": 100},
    "network": {"brokers": 16},
    "objects": {"count": 40},
    "subscriptions": {"count": 4000},
    "events": {"count": 250, "insert": 0.1, "delete": 0.1, "move": 0.1},
}


@pytest.mark.parametrize(
    ("space", "traced", "dimensions"),
    some(
        [("triangle", False, 1), ("square", True, 1), ("triangle", False, 1.5), ("triangle", False, 2)],
        lambda case: case[1:] in ((True, 1), (False, 2)),
    ),
)
def test_the_tables_are_those_of_the_way_in_memory(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, space: str, traced: bool, dimensions: float
) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pipeline.populations, "ROWS_PER_FILE", 1500)
    monkeypatch.setattr(spark_deliveries, "HELD", 2500)  # several jobs
    monkeypatch.setattr(needed, "HELD", 500)
    values = VALUES | {"network": {"brokers": 16, "space": space}, "dimensions": dimensions}
    if dimensions == 2:
        values |= {"approaches": ["cn-relax"], "subscriptions": {"count": 4000, "distribution": "disks"}}
    if traced:
        write_random_trace(tmp_path / "trace", 3, objects=40, events=150)
        values["events"] = {"kind": "trace", "file": str(tmp_path / "trace"), "count": 150}
        values["approaches"] = ["paint-dense", "cn-relax"]
    scenario = Scenario.model_validate(values)
    ran = {}
    for deliveries in ("memory", "spark"):
        out, silent = tmp_path / deliveries, Progress(disable=True)
        run_scenario(scenario, out, master="local[2]", deliveries=deliveries, progress=silent)
        ran[deliveries] = {name: pq.read_table(out / f"{name}.parquet") for name in ("events", "brokers", "links")}
    for name, table in ran["memory"].items():
        for column in table.column_names:
            assert table[column].equals(ran["spark"][name][column]), f"{name}: {column}"
    assert np.sum(ran["spark"]["events"]["received_update"].to_numpy()) > 1000
    told = [json.loads((tmp_path / name / "manifest.json").read_text()) for name in ("memory", "spark")]
    assert told[0]["approaches"] == told[1]["approaches"]
    assert [each["deliveries"] for each in told] == ["memory", "spark"]


def test_the_population_is_not_read(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    ingredients = gather(Scenario.model_validate(VALUES), lambda: spark, in_memory=False)
    assert (len(ingredients.workload.l), len(ingredients.gateways.home), len(ingredients.nodes)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"verify": "all"}, 'verify = "all" follows single lists'),
        ({"verify": "sample:5"}, 'verify = "sample:5" follows single lists'),
        ({"engine": "des"}, 'engine = "des" follows when lists are right again'),
        ({"network": {"kind": "tree"}}, 'network.kind = "tree" summarises them'),
        ({"network": {"zones": "balanced"}}, 'network.zones = "balanced" splits zones at them'),
        ({"approaches": ["paint-dense", "paint-sparse(0.5)"]}, "the server of paint-sparse(0.5) knows every one"),
        ({"approaches": ["paint-batch-sparse"]}, "the server of paint-batch-sparse knows every one"),
        ({"approaches": ["unicast"]}, "the server of unicast knows every one"),
    ],
)
def test_what_needs_memory_is_told(tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    scenario = Scenario.model_validate(VALUES | changes)
    with pytest.raises(DeliveriesError, match=r"^--deliveries spark: [^\n]*$") as caught:
        run_scenario(scenario, tmp_path / "out", deliveries="spark")
    assert text in str(caught.value)
    assert "which needs the subscriptions in memory; " in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_all_other_scenarios_are_let_through() -> None:
    check_spark_deliveries(Scenario.model_validate(VALUES))
