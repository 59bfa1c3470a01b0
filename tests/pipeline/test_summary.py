"""The summary against the same computation in numpy."""

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from pipeline import (
    EVENTS,
    SUMMARY,
    TIMES,
    PipelineError,
    read_events,
    rehearse_summary,
    spark_schema,
    summarise,
    write_summary,
)
from pipeline.session import _BRIEF

APPROACHES = ("unicast", "paint-dense", "cn-relax")
MEANS = ["messages", "overlay_bytes", "ip_bytes", "overlay_hops", "ip_hops", "zones_reached", "resent_bytes"]
MEANS += ["control_bytes"]
MEANS += ["bytes_in", "bytes_out", "received_update", "received_exposed", "first_k", "min_y", "snap"]


def records(events: int = 80, latencies: bool = True) -> pa.Table:
    rng = np.random.default_rng(4)
    rows = len(APPROACHES) * events
    columns = {}
    for field in EVENTS:
        if field.type == pa.int64():
            columns[field.name] = pa.array(rng.integers(0, 1000, rows))
        elif field.name in TIMES:
            absent = rng.random(rows) < (0.2 if latencies else 1.1)
            columns[field.name] = pa.array(rng.random(rows), mask=absent)
    columns["approach"] = pa.array(np.repeat(APPROACHES, events).tolist())
    columns["event"] = pa.array(np.tile(np.arange(events), len(APPROACHES)))
    columns["events"] = pa.array(rng.integers(1, 5, rows))
    columns["time"] = pa.array(rng.random(rows))
    columns["kind"] = pa.array(["raise"] * rows)
    return pa.table([columns[name] for name in EVENTS.names], schema=EVENTS)


def rows_of(table: pa.Table, approach: str) -> pa.Table:
    return table.filter(pc.equal(table["approach"], approach))


def batch_means(values: list[float]) -> list[float]:
    """Means of 20 runs of consecutive values, the first ones longer by one where it does not come out even."""
    size, longer = divmod(len(values), 20)
    means = []
    for batch in range(20):
        taken, values = values[: size + (batch < longer)], values[size + (batch < longer) :]
        means.append(sum(taken) / len(taken))
    return means


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pq.write_table(records(), tmp_path / "events.parquet")
    return tmp_path / "events.parquet"


def test_summary_equals_numpy(spark: SparkSession, path: Path) -> None:
    summary = summarise(read_events(spark, path).repartition(5))
    assert summary.columns == SUMMARY.names
    assert [field.dataType for field in summary.schema] == [field.dataType for field in spark_schema(SUMMARY)]
    seen = {row["approach"]: row for row in summary.collect()}
    assert set(seen) == set(APPROACHES)
    table = records()

    def per_event(approach: str, column: str) -> float:
        own = rows_of(table, approach)
        return float(own[column].to_numpy().sum() / own["events"].to_numpy().sum())

    for approach, row in seen.items():
        own = rows_of(table, approach)
        assert row["events"] == own["events"].to_numpy().sum()
        for name in MEANS:
            assert row[name] == pytest.approx(per_event(approach, name), rel=1e-12)
        for name in ("bytes_in", "bytes_out"):
            assert row[f"{name}_max"] == own[name].to_numpy().max()
        for name in ("latency_p50", "latency_p95", "latency_p99"):
            assert row[name] == pytest.approx(np.nanmean(own[name].to_numpy()), rel=1e-12)
        assert row["latency_max"] == np.nanmax(own["latency_max"].to_numpy())
        wrong_s, counted_s = (np.nansum(own[name].to_numpy()) for name in ("wrong_s", "counted_s"))
        assert row["wrong_share"] == pytest.approx(wrong_s / counted_s, rel=1e-12)
        stale = own["stale"].drop_null().to_numpy()
        means = batch_means(stale.tolist())
        assert row["stale"] == pytest.approx(np.mean(stale), rel=1e-12)
        assert row["stale_half_width"] == pytest.approx(2.0930240544 * np.std(means, ddof=1) / 20**0.5, rel=1e-9)
        update, exposed, needed_update, needed_exposed = (
            int(own[name].to_numpy().sum())
            for name in ("received_update", "received_exposed", "needed_update", "needed_exposed")
        )
        assert row["redundancy"] == update / needed_update - 1
        assert row["redundancy_total"] == (update + exposed) / (needed_update + needed_exposed) - 1


def test_without_a_clock_the_fields_are_null(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(records(latencies=False), tmp_path / "events.parquet")
    for row in summarise(read_events(spark, tmp_path / "events.parquet")).collect():
        assert row["latency_p50"] is None
        assert row["latency_max"] is None
        assert row["stale_half_width"] is None
        assert row["wrong_share"] is None


def test_redundancy_depends_on_no_other_approach(spark: SparkSession, path: Path) -> None:
    events = read_events(spark, path)
    together = {row["approach"]: row for row in summarise(events).collect()}
    for name in APPROACHES:
        (alone,) = summarise(events.where(f"approach = '{name}'")).collect()
        assert alone == together[name]


def test_where_nothing_is_needed_there_is_no_ratio(spark: SparkSession, tmp_path: Path) -> None:
    table = records(1)
    for name, values in (("needed_update", [0, 3, 9]), ("needed_exposed", [0, 0, 0])):
        table = table.set_column(EVENTS.get_field_index(name), EVENTS.field(name), [values])
    pq.write_table(table, tmp_path / "events.parquet")
    rows = {row["approach"]: row for row in summarise(read_events(spark, tmp_path / "events.parquet")).collect()}
    for name in ("redundancy", "redundancy_total"):
        assert [rows[approach][name] is None for approach in APPROACHES] == [True, False, False]


def test_csv(spark: SparkSession, path: Path) -> None:
    out = path.with_name("summary.csv")
    summary = summarise(read_events(spark, path))
    write_summary(summary, out, ["cn-relax", "unicast"])
    with out.open(newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == SUMMARY.names
    assert [row[0] for row in rows] == ["cn-relax", "unicast"]
    own = rows_of(records(), "cn-relax")
    messages = own["messages"].to_numpy().sum() / own["events"].to_numpy().sum()
    assert float(rows[0][header.index("messages")]) == messages
    assert {file.name for file in path.parent.iterdir()} == {"events.parquet", "summary.csv"}


def test_csv_is_written_whole_or_not_at_all(spark: SparkSession, path: Path) -> None:
    summary = summarise(read_events(spark, path))
    with pytest.raises(PipelineError, match=r"no events of paint-sparse, only of cn-relax, paint-dense, unicast"):
        write_summary(summary, path.with_name("summary.csv"), ["paint-sparse"])
    with pytest.raises(PipelineError, match=r"^cannot write [^\n]*summary.csv: "):
        write_summary(summary, path / "summary.csv", APPROACHES)
    assert [file.name for file in path.parent.iterdir()] == ["events.parquet"]


def test_records_that_are_not_records(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"^cannot read [^\n]*absent.parquet: [^\n]*$"):
        read_events(spark, tmp_path / "absent.parquet")
    (tmp_path / "text.parquet").write_text("no records")
    with pytest.raises(PipelineError, match=r"^cannot read [^\n]*text.parquet: [^\n]*$"):
        read_events(spark, tmp_path / "text.parquet")
    pq.write_table(records().drop_columns(["snap"]), tmp_path / "events.parquet")
    with pytest.raises(PipelineError, match="lacks the columns snap; it has approach, event"):
        read_events(spark, tmp_path / "events.parquet")


def test_a_rehearsal_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    rehearse_summary(spark, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_brief_session_gives_the_same_bits(spark: SparkSession, path: Path) -> None:
    """The session of these tests is brief; what it does without is turned on, as in one for large jobs."""

    def rows() -> list[str]:
        return sorted(map(repr, summarise(read_events(spark, path)).collect()))

    brief, before = rows(), {name: str(spark.conf.get(name)) for name in _BRIEF}
    try:
        for name in _BRIEF:
            spark.conf.unset(name)
        assert {name: spark.conf.get(name) for name in _BRIEF}.items().isdisjoint(_BRIEF.items())
        assert rows() == brief
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
