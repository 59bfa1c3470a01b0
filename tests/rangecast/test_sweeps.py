"""Sweeps from Python: out of a mapping as out of a file, their tables and figures."""

import csv
from pathlib import Path
from shutil import copytree
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import rangecast
from simulator.views.sweep_figure import draw_sweep
from tests.conftest import tasks_here
from tests.rangecast.small import SMALL

GRID = {"scenario": SMALL, "grid": {"k": [2, 3], "network.space": ["triangle", "square"]}, "replications": 2}


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> rangecast.SweepResult:
    with tasks_here():
        return rangecast.sweep(GRID, tmp_path_factory.mktemp("door") / "swept", processes=1)


def test_tables_are_the_files(swept: rangecast.SweepResult) -> None:
    assert swept.keys == ("k", "network.space")
    assert swept.failures == []
    for name in ("results", "paired"):
        table: pa.Table = getattr(swept, name)
        with (swept.directory / f"{name}.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert table.column_names == list(rows[0])
        assert table["mean"].to_pylist() == [float(row["mean"]) for row in rows]
        assert table["k"].to_pylist() == [int(row["k"]) for row in rows]
        assert table["network.space"].to_pylist() == [row["network.space"] for row in rows]
    frame = swept.to_pandas("stale", "bytes_out")
    assert frame.index.names == ["k", "network.space", "approach"]
    assert list(frame.columns) == ["stale", "bytes_out"]
    assert list(swept.to_pandas().columns) == list(swept.metrics)
    means = {
        (row["k"], row["network.space"], row["approach"]): row["mean"]
        for row in swept.results.to_pylist()
        if row["metric"] == "stale"
    }
    assert frame["stale"].to_dict() == means


def test_a_file_and_a_scenario_are_the_same_sweep(swept: rangecast.SweepResult) -> None:
    again = rangecast.sweep(swept.directory / "grid.toml", swept.directory, processes=1)  # nothing is left to run
    assert again.results.equals(swept.results)
    scenario = rangecast.load_scenario(SMALL)
    assert rangecast.sweep(GRID | {"scenario": scenario}, swept.directory).results.equals(swept.results)
    assert repr(rangecast.SweepResult(str(swept.directory))) == repr(swept)
    assert "paint-dense" in repr(swept)
    assert "<td" in swept._repr_html_()


def test_a_figure_has_a_panel_per_other_key_and_a_line_per_approach(swept: rangecast.SweepResult) -> None:
    figure = swept.plot("ip_bytes")
    assert [axes.get_title() for axes in figure.axes] == ["network.space = triangle", "network.space = square"]
    for axes in figure.axes:
        assert axes.get_xlabel() == "k"
        assert [line.get_label() for line in axes.containers] == ["paint-dense", "unicast"]
    means = {
        row["k"]: row["mean"]
        for row in swept.results.to_pylist()
        if (row["metric"], row["approach"], row["network.space"]) == ("ip_bytes", "unicast", "square")
    }
    drawn: Any = figure.axes[1].containers[1]
    assert dict(drawn[0].get_xydata().tolist()) == means


def test_approaches_and_sweeps_are_compared_on_the_same_seeds(swept: rangecast.SweepResult, tmp_path: Path) -> None:
    one = swept.compare(metric="bytes_out", against="unicast")
    assert one.against == "unicast"
    frame = one.to_pandas()
    assert frame.index.names == ["metric", "k", "network.space", "approach", "sweep"]
    (pair,) = [
        row
        for row in swept.paired.to_pylist()
        if (row["metric"], row["k"], row["network.space"]) == ("bytes_out", 3, "square")
    ]
    assert (pair["approach"], pair["against"]) == ("unicast", "paint-dense")
    told = frame.loc["bytes_out", 3, "square", "paint-dense", "swept"]
    assert told["difference"] == -pair["mean"]
    assert (told["ratio"], told["ratio_low"]) == pytest.approx((1 / pair["ratio"], 1 / pair["ratio_high"]))
    assert "minus" in repr(one)
    assert "<td" in one._repr_html_()
    copy = rangecast.SweepResult(copytree(swept.directory, tmp_path / "<i>"))
    both = swept.compare(copy, metric=["bytes_out", "stale"])
    for html in (copy._repr_html_(), both._repr_html_()):
        assert "&lt;i&gt;" in html.replace("<br>", "")
        assert "<i>" not in html
    changes = both.to_pandas()["change_difference"].dropna()
    assert len(changes) == 2 * 4 * 2, "of two metrics at four points for two approaches"
    assert set(changes) == {0.0}
    with pytest.raises(rangecast.RangecastError, match=r"swept: given twice; name each sweep once$"):
        swept.compare(swept)
    with pytest.raises(rangecast.RangecastError, match=r"^metric price: no such metric; choose among messages, "):
        swept.compare(metric="price")
    with pytest.raises(
        rangecast.RangecastError, match=r"^against flood: no such approach; choose among paint-dense, u"
    ):
        swept.compare(against="flood")


def test_a_key_of_words_has_its_words_on_the_axis(swept: rangecast.SweepResult) -> None:
    figure = swept.plot(along="network.space", where={"k": 3})
    assert [axes.get_title() for axes in figure.axes] == [""]
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["triangle", "square"]
    assert len(swept.plot(along="point").axes) == 1


def test_mistakes_are_told_in_one_line(swept: rangecast.SweepResult, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^metric must be one of messages, .* got 'price'$"):
        swept.plot("price")
    with pytest.raises(ValueError, match=r"^along must be one of k, network.space, point, got 'seed'$"):
        swept.plot(along="seed")
    with pytest.raises(ValueError, match=r"every point failed"):
        draw_sweep(swept.results.slice(0, 0), [("k",)], "messages")
    with pytest.raises(rangecast.RangecastError, match=r"^out .*swept: holds the sweep of another grid"):
        rangecast.sweep(GRID | {"replications": 3}, swept.directory)
    with pytest.raises(rangecast.RangecastError, match=r"^grid: grid.k = 3: must be a list of values; write \[3\]$"):
        rangecast.sweep(GRID | {"grid": {"k": 3}})
    with pytest.raises(rangecast.RangecastError, match=r"^processes 0: must be at least 1"):
        rangecast.sweep(GRID, tmp_path / "new", processes=0)
    with pytest.raises(rangecast.RangecastError, match=r"not a finished sweep: it has no points.json"):
        rangecast.SweepResult(tmp_path)
    wrong: Any = 3
    with pytest.raises(TypeError, match=r"^grid must be a mapping or the path of a grid file, got int$"):
        rangecast.sweep(wrong)


def test_a_sweep_of_a_mapping_is_named_after_its_scenario(
    in_this_process: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = rangecast.sweep({"scenario": SMALL, "replications": 1}, processes=1)
    assert one.directory == Path("sweeps/small")
    assert set(one.results["half_width"].to_pylist()) == {None}
    assert one.plot("messages").axes[0].get_xlabel() == "point"
