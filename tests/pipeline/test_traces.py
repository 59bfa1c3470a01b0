"""Histories and traces against a loop over rows, and every way a history can be odd."""

import csv
import dataclasses
import datetime
import functools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from pipeline import (
    STOCK_SPEC,
    TRACE_EVENTS,
    TRACE_OBJECTS,
    TRACE_REPORT,
    PipelineError,
    TraceSpec,
    read_history,
    read_trace,
    spark_schema,
    stock_history,
    trace_facts,
    trace_frames,
    write_trace,
)
from tests.oracles import traces as oracle
from tests.simulator.one_line import told_in_one_line
from tests.some_cases import some

SPEC = TraceSpec("symbol", "when", "x", "y")
REAL = Path(__file__).parents[3] / "shared" / "data" / "sp500_pe_2026.csv"


def write_csv(path: Path, rows: list[list[object]], header: tuple[str, ...] = ("symbol", "when", "x", "y")) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def random_rows(count: int, names: int, seed: int) -> list[oracle.Row]:
    """Few times and values, so that ties, gaps, blanks and returns are the rule."""
    rng = np.random.default_rng(seed)
    values = [1.0, 2.0, 2.5, 3.0, -1.0, math.inf, None]
    rows: list[oracle.Row] = []
    for _ in range(count):
        name = None if rng.random() < 0.02 else f"n{rng.integers(names)}"
        seconds = None if rng.random() < 0.02 else float(rng.integers(12))
        x = None if rng.random() < 0.3 else float(rng.integers(3))
        rows.append((name, seconds, x, values[rng.choice(7, p=[0.2, 0.2, 0.2, 0.15, 0.1, 0.05, 0.1])]))
    return rows


@pytest.mark.parametrize("options", some([{}, {"fixed_x": True}, {"gone_after_s": 2.5}], bool))
def test_trace_equals_the_loop_over_rows(spark: SparkSession, tmp_path: Path, options: dict[str, Any]) -> None:
    rows = random_rows(1500, 150, 7)
    path = write_csv(tmp_path / "history.csv", [["" if v is None else v for v in row] for row in rows])
    spec = dataclasses.replace(SPEC, **options)
    trace = trace_frames(read_history(spark, path, spec), spec)
    for frame, schema in zip(trace[:3], (TRACE_EVENTS, TRACE_OBJECTS, TRACE_REPORT), strict=True):
        assert frame.columns == schema.names
        assert [field.dataType for field in frame.schema] == [field.dataType for field in spark_schema(schema)]
    events, objects, outcomes = oracle.trace(rows, fixed_x=spec.fixed_x, gone_after=spec.gone_after_s)
    assert [tuple(row) for row in trace.events.collect()] == events
    assert [tuple(row)[1:] for row in trace.objects.collect()] == objects
    assert {row["outcome"]: row["rows"] for row in trace.report.collect()} == outcomes
    assert sum(outcomes.values()) == len(rows)
    assert {kind for _, _, kind, _, _ in events} >= {"insert", "delete", "raise", "lower"}


def test_text_that_is_hard_to_read(spark: SparkSession, tmp_path: Path) -> None:
    rows: list[list[object]] = [
        [' A "one", Inc ', "2025-01-01", " 1.5 ", "3"],
        [' A "one", Inc ', "2025-01-02T12:00:00", "n/a", "2.5"],
        ["B", "yesterday", "1", "3"],
        ["B", "2025-01-02", "1", "Infinity"],
        ["B", "2025-01-02", "1", "NaN"],
        ["B", "2025-01-01", "inf", "3"],
        ["   ", "2025-01-01", "1", "3"],
    ]
    trace = trace_frames(read_history(spark, write_csv(tmp_path / "a.csv", rows), SPEC), SPEC)
    assert [tuple(row) for row in trace.objects.collect()] == [(0, 'A "one", Inc', 1.5, 3.0, 0.0)]
    assert [tuple(row) for row in trace.events.collect()] == [(0, 129_600.0, "raise", 1.5, 2.5)]
    assert {row["outcome"]: row["rows"] for row in trace.report.collect()} == {
        "no object": 1,
        "no time": 1,
        "no y": 1,
        "no x yet": 1,
        "infinite y of an absent object": 1,
        "kept": 2,
    }


@pytest.mark.parametrize("kind", ["date", "timestamp", "seconds"])
def test_parquet_with_typed_columns(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    days = [datetime.datetime(2025, 1, day, tzinfo=datetime.UTC) for day in (1, 2, 2)]
    times = {
        "date": pa.array([day.date() for day in days]),
        "timestamp": pa.array(days, pa.timestamp("us", "UTC")),
        "seconds": pa.array([0, 86_400, 86_400], pa.int32()),
    }
    table = {"symbol": [7, 7, 8], "when": times[kind], "x": pa.array([1, 2, 3], pa.int64()), "y": [1.0, 1.0, 5.0]}
    pq.write_table(pa.table(table), tmp_path / "history.parquet")
    trace = trace_frames(read_history(spark, tmp_path / "history.parquet", SPEC), SPEC)
    expected = [(0, 86_400.0, "move", 2.0, 1.0), (1, 86_400.0, "insert", 3.0, 5.0)]
    assert [tuple(row) for row in trace.events.collect()] == expected
    assert [row["name"] for row in trace.objects.collect()] == ["7", "8"]


def test_written_and_read_back(spark: SparkSession, tmp_path: Path) -> None:
    source = write_csv(tmp_path / "a.csv", [["A", 0, 1, 5], ["B", 0, 3, 4], ["A", 10, 1, 2], ["B", 10, 3, -1]])
    report = write_trace(read_history(spark, source, SPEC), SPEC, tmp_path / "trace")
    assert report == {"kept": 4}
    trace = read_trace(tmp_path / "trace")
    assert (trace.object.tolist(), trace.time_s.tolist(), trace.kind.tolist()) == (
        [0, 1],
        [10.0, 10.0],
        ["raise", "delete"],
    )
    assert (trace.x.tolist(), trace.y.tolist()) == ([1.0, 3.0], [2.0, 4.0])
    assert (trace.initial, trace.object_x.tolist(), trace.object_y.tolist()) == (2, [1.0, 3.0], [5.0, 4.0])
    assert (trace.names, trace.x_range, trace.report) == (["A", "B"], (1.0, 3.0), report)
    with pytest.raises(PipelineError, match="trace exists already; remove it or choose another path"):
        write_trace(read_history(spark, source, SPEC), SPEC, tmp_path / "trace")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "trace"]


def test_directories_that_are_no_traces(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"absent is not a trace \(no trace.json that can be read\)"):
        read_trace(tmp_path / "absent")
    source = write_csv(tmp_path / "a.csv", [["A", 0, 1, 5], ["B", 0, 2, 5], ["A", 1, 1, 6]])
    write_trace(read_history(spark, source, SPEC), SPEC, tmp_path / "trace")
    (tmp_path / "trace" / "events.parquet" / "_SUCCESS").unlink()
    with pytest.raises(PipelineError, match=r"events\.parquet is half-written or missing"):
        read_trace(tmp_path / "trace")
    (tmp_path / "trace" / "events.parquet" / "_SUCCESS").touch()
    part = next((tmp_path / "trace" / "objects.parquet").glob("*.parquet"))
    pq.write_table(pa.table({"object": [1]}), part)
    with pytest.raises(PipelineError, match=r"objects\.parquet has other columns"):
        read_trace(tmp_path / "trace")
    part.write_bytes(b"none")
    with pytest.raises(PipelineError, match=r"^[^\n]*is not a trace \(objects.parquet: [^\n]*$"):
        read_trace(tmp_path / "trace")
    content = tmp_path / "trace" / "trace.json"
    content.write_text(json.dumps(json.loads(content.read_text()) | {"version": 99}))
    with pytest.raises(PipelineError, match="a trace of version 99, this is version 1; make it again"):
        read_trace(tmp_path / "trace")


def test_histories_of_no_use(spark: SparkSession, tmp_path: Path) -> None:
    source = write_csv(tmp_path / "a.csv", [["A", 0, 1, -5], ["", 0, 1, 5]])
    with pytest.raises(PipelineError, match=r"can be used \(1 no object, 1 negative y of an absent object\)"):
        write_trace(read_history(spark, source, SPEC), SPEC, tmp_path / "trace")
    with pytest.raises(PipelineError, match="it is empty"):
        trace_frames(read_history(spark, write_csv(tmp_path / "b.csv", []), SPEC), SPEC)
    with pytest.raises(PipelineError, match="lacks the columns price; it has symbol, when, x, y"):
        read_history(spark, source, dataclasses.replace(SPEC, y="price"))
    with pytest.raises(PipelineError, match=r"absent.csv: there is no such file; give a history in CSV or Parquet$"):
        read_history(spark, tmp_path / "absent.csv", SPEC)
    (tmp_path / "c.parquet").write_bytes(b"damaged")
    with pytest.raises(PipelineError, match=r"^Spark could not read [^\n]*c.parquet: [^\n]*$"):
        read_history(spark, tmp_path / "c.parquet", SPEC)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "b.csv", "c.parquet"]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"y": ""}, TypeError, "y must be the name of a column, got ''"),
        ({"gone_after_s": 0.0}, ValueError, "gone_after_s must be a finite number above 0, got 0.0"),
        ({"gone_after_s": math.nan}, ValueError, "gone_after_s must be"),
        ({"x_range": (2.0, 2.0)}, ValueError, "x_range must be two finite values in ascending order"),
    ],
)
def test_bad_specs(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        dataclasses.replace(SPEC, **arguments)


def test_stock_history_has_the_shape_of_the_paper(spark: SparkSession) -> None:
    rows = stock_history(spark, 3).toArrow()
    assert rows.num_rows == 2031 * 60
    x, y, times = (rows[name].to_numpy().reshape(2031, 60) for name in ("x", "y", "seconds"))
    assert np.all(x == x[:, :1])
    assert np.all((x >= 1) & (x <= 5))
    assert x[:, 0].mean() == pytest.approx(3, abs=0.05)
    # Three uniforms: sd of their mean 1/6, times four.
    assert x[:, 0].std() == pytest.approx(4 / 6, rel=0.05)
    assert len(np.unique(x[:, 0])) == 2031
    assert times[0, :3].tolist() == [34_200.0, 57_600.0, 120_600.0]
    assert np.all(y > 0)
    assert np.median(y[:, 0]) == pytest.approx(18, rel=0.08)
    assert np.log(y[:, 0]).std() == pytest.approx(0.6, rel=0.06)
    # Cents round the prices of the cheapest stocks.
    assert np.median(np.diff(np.log(y), axis=1).std(axis=1)) == pytest.approx(0.015, rel=0.03)


def test_stock_trace(spark: SparkSession) -> None:
    trace = trace_frames(stock_history(spark, 1, stocks=50, days=3), STOCK_SPEC)
    assert trace.objects.count() == 50
    kinds = {row["kind"]: row["count"] for row in trace.events.groupBy("kind").count().collect()}
    assert set(kinds) == {"raise", "lower"}
    assert 240 <= sum(kinds.values()) <= 250
    for name, arguments in (("stocks", (0, 1)), ("days", (1, 0))):
        with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
            stock_history(spark, 1, *arguments)


if REAL.exists():

    def test_the_real_history(spark: SparkSession, tmp_path: Path) -> None:
        spec = TraceSpec("symbol", "date", "dividend_yield", "price_earnings", fixed_x=True)
        report = write_trace(read_history(spark, REAL, spec), spec, tmp_path / "trace")
        assert report == {"no x yet": 5815, "infinite y of an absent object": 1, "kept": 28926}
        trace = read_trace(tmp_path / "trace")
        assert (trace.initial, len(trace.names)) == (388, 408)
        assert set(trace.kind) == {"raise", "lower", "insert"}


def test_several_attributes_are_several_histories_of_one_y(spark: SparkSession, tmp_path: Path) -> None:
    """Rows of two columns of x against those of the loop over rows, of one column that stands for both."""
    rows = [row for row in random_rows(600, 60, 9) if row[2] is not None]
    # An x of 0, 1, 2 as (0, 0), (0, 1), (1, 0): moves in either attribute, and in both.
    places = {0.0: (0.0, 10.0), 1.0: (0.0, 11.0), 2.0: (1.0, 10.0)}
    header = ("symbol", "when", "east", "y", "north")
    written: list[list[object]] = []
    for name, seconds, x, y in rows:
        east, north = places[float(x or 0)]
        written.append(["" if value is None else value for value in (name, seconds, east, y, north)])
    spec = TraceSpec("symbol", "when", ("east", "north"), "y")
    path = write_csv(tmp_path / "history.csv", written, header)
    trace = trace_frames(read_history(spark, path, spec), spec)
    assert trace.events.columns == ["object", "time_s", "kind", "x1", "x2", "y"]
    assert trace.objects.columns == ["object", "name", "x1", "x2", "y", "time_s"]
    events, objects, outcomes = oracle.trace(rows)
    found = [tuple(row) for row in trace.events.collect()]
    assert found == [(i, t, kind, *places[x], y) for i, t, kind, x, y in events]
    assert [tuple(row)[1:] for row in trace.objects.collect()] == [(n, *places[x], y, t) for n, x, y, t in objects]
    assert {row["outcome"]: row["rows"] for row in trace.report.collect()} == outcomes
    assert sum(kind == "move" for _, _, kind, *_ in found) > 10


def test_of_several_attributes_each_is_remembered_by_itself(spark: SparkSession, tmp_path: Path) -> None:
    header = ("symbol", "when", "a", "b", "y")
    rows: list[list[object]] = [
        ["A", 0, 1, "", 5], ["A", 1, "", 7, 5], ["A", 2, 2, "", 5], ["A", 3, "", "", 4], ["A", 4, "", 8, -1],
    ]  # fmt: skip
    spec = TraceSpec("symbol", "when", ("a", "b"), "y", x_range=((0.0, 4.0), (5.0, 9.0)))
    source = write_csv(tmp_path / "a.csv", rows, header)
    assert write_trace(read_history(spark, source, spec), spec, tmp_path / "trace") == {"no x yet": 1, "kept": 4}
    trace = read_trace(tmp_path / "trace", 1.5)
    assert trace.kind.tolist() == ["move", "raise", "delete"]
    assert trace.x.tolist() == [[2.0, 7.0], [2.0, 7.0], [2.0, 7.0]]
    assert (trace.object_x.tolist(), trace.ranges) == ([[1.0, 7.0]], ((0.0, 4.0), (5.0, 9.0)))
    assert trace_facts(tmp_path / "trace").ranges == trace.ranges
    line = "objects have 2 attributes (x1, x2), and dimensions = 1 needs one attribute (x); bring another, or mend"
    told_in_one_line(lambda: read_trace(tmp_path / "trace", 1), PipelineError, f"{tmp_path / 'trace'}: {line}", "")
    narrow = dataclasses.replace(spec, x_range=None)
    told_in_one_line(
        lambda: write_trace(read_history(spark, source, narrow), narrow, tmp_path / "other"),
        PipelineError, "every x2 of the history is 7.0: subscriptions have no range to lie in; give an x_range", "",
    )  # fmt: skip
    fixed = dataclasses.replace(spec, fixed_x=True)
    frames = trace_frames(read_history(spark, source, fixed), fixed)
    assert [row["kind"] for row in frames.events.collect()] == ["raise", "delete"]


def test_columns_of_x_that_cannot_be() -> None:
    for x, error, line in (
        (("a", "a"), ValueError, "x must name 1 to 3 columns, each once, got ('a', 'a')"),
        ((), ValueError, "x must name 1 to 3 columns, each once, got ()"),
        (("a", ""), TypeError, "x must be the name of a column, got ''"),
    ):
        told_in_one_line(functools.partial(TraceSpec, "o", "t", x, "y"), error, line, "")
    line = "x_range must be two finite values in ascending order, for all attributes or for each, got (("
    for wrong in (((0.0, 1.0), (2.0, 2.0)), ((0.0, 1.0),) * 3):
        told_in_one_line(
            functools.partial(TraceSpec, "o", "t", ("a", "b"), "y", x_range=wrong), ValueError, line, str(wrong)
        )
