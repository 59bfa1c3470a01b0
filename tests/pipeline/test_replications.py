"""Percentiles and confidence intervals against numpy and scipy."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from scipy import stats

from pipeline import (
    EVENTS,
    INTERVALS,
    PERCENTILES,
    TIMES,
    event_percentiles,
    read_replications,
    replication_intervals,
    spark_schema,
)

APPROACHES = ("unicast", "paint-dense(1)")
SIZES = {"a": 30, "b": 50, "c": 7}


def records(events: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    rows = len(APPROACHES) * events
    columns = {field.name: pa.array(rng.integers(0, 1000, rows)) for field in EVENTS if field.type == pa.int64()}
    columns["events"] = pa.array(np.ones(rows, np.int64))
    for name in TIMES:
        columns[name] = pa.array(rng.random(rows), mask=rng.random(rows) < 0.2)
    columns["approach"] = pa.array(np.repeat(APPROACHES, events).tolist())
    columns["time"] = pa.array(rng.random(rows))
    columns["kind"] = pa.array(["raise"] * rows)
    return pa.table([columns[name] for name in EVENTS.names], schema=EVENTS)


TABLES = {name: records(events, seed) for seed, (name, events) in enumerate(SIZES.items())}


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, Path]:
    for name, table in TABLES.items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    return {name: tmp_path / f"{name}.parquet" for name in TABLES}


def values(table: pa.Table, approach: str, measure: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    column = table.filter(pc.equal(table["approach"], approach))[measure].drop_null()
    result: np.ndarray[tuple[int], np.dtype[np.float64]] = column.to_numpy().astype(float)
    return result


def test_percentiles_equal_numpy(spark: SparkSession, paths: dict[str, Path]) -> None:
    described = event_percentiles(read_replications(spark, paths))
    assert described.columns == PERCENTILES.names
    assert [field.dataType for field in described.schema] == [field.dataType for field in spark_schema(PERCENTILES)]
    rows = {(row["approach"], row["measure"]): row for row in described.collect()}
    assert len(rows) == 2 * 19
    whole = pa.concat_tables(TABLES.values())
    for (approach, measure), row in rows.items():
        seen = values(whole, approach, measure)
        assert row["events"] == len(seen)
        assert row["mean"] == pytest.approx(seen.mean(), rel=1e-12)
        shares = [row[name] for name in ("p50", "p95", "p99", "max")]
        assert shares == pytest.approx(np.percentile(seen, [50, 95, 99, 100]).tolist(), rel=1e-12)


def test_intervals_equal_scipy(spark: SparkSession, paths: dict[str, Path]) -> None:
    stated = replication_intervals(read_replications(spark, paths))
    assert stated.columns == INTERVALS.names
    assert [field.dataType for field in stated.schema] == [field.dataType for field in spark_schema(INTERVALS)]
    rows = {(row["approach"], row["measure"]): row for row in stated.collect()}
    samples = {}
    for approach in APPROACHES:
        received, needed = (
            np.array([values(t, approach, name).sum() for t in TABLES.values()])
            for name in ("received_update", "needed_update")
        )
        samples[approach, "redundancy"] = received / needed - 1
        for measure in ("messages", "ip_bytes", "received_exposed", "latency_p95"):
            samples[approach, measure] = np.array([values(t, approach, measure).mean() for t in TABLES.values()])
        samples[approach, "bytes_out_max"] = np.array(
            [values(t, approach, "bytes_out").max() for t in TABLES.values()]
        )
    for key, sample in samples.items():
        row = rows[key]
        half = stats.t(2).ppf(0.975) * sample.std(ddof=1) / np.sqrt(3)
        expected = [sample.mean(), sample.std(ddof=1), sample.mean() - half, sample.mean() + half]
        assert [row[n] for n in ("mean", "sd", "low", "high")] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert row["replications"] == 3


def test_one_replication_has_a_mean_and_no_interval(spark: SparkSession, paths: dict[str, Path]) -> None:
    rows = replication_intervals(read_replications(spark, {"a": paths["a"]})).collect()
    assert rows
    assert all((row["replications"], row["sd"], row["low"], row["high"]) == (1, None, None, None) for row in rows)
    with pytest.raises(ValueError, match="paths must name at least one replication"):
        read_replications(spark, {})
