"""Loads of links and zones against the same sums in numpy."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from pipeline import HOPS, LINK_LOAD, ZONE_LOAD, PipelineError, link_load, read_hops, spark_schema, zone_load

APPROACHES = ("paint-dense", "unicast")


def records(rows: int = 4000, clock: bool = True) -> pa.Table:
    rng = np.random.default_rng(2)
    columns = {name: rng.integers(0, 8, rows) for name in ("event", "message", "from", "to")}
    columns["bytes"] = rng.integers(16, 25, rows)
    depart = rng.random(rows) * 100
    absent = rng.random(rows) < (0.1 if clock else 1.1)
    times = {"depart": pa.array(depart, mask=absent), "arrive": pa.array(depart + rng.random(rows), mask=absent)}
    approach = pa.array(rng.choice(APPROACHES, rows).tolist())
    kind = pa.array(["message"] * rows)
    return pa.table({"approach": approach, **columns, "kind": kind, **times}, schema=HOPS)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("hops")
    pq.write_table(records(), directory / "hops.parquet")
    return directory / "hops.parquet"


def test_link_load_equals_numpy(spark: SparkSession, path: Path) -> None:
    loads = link_load(read_hops(spark, path).repartition(3))
    assert loads.columns == LINK_LOAD.names
    assert [field.dataType for field in loads.schema] == [field.dataType for field in spark_schema(LINK_LOAD)]
    seen = {(row["approach"], row["from"], row["to"]): row for row in loads.collect()}
    hops = records()
    name, start, end, size = (hops[column].to_numpy() for column in ("approach", "from", "to", "bytes"))
    travel = hops["arrive"].to_numpy() - hops["depart"].to_numpy()
    assert set(seen) == set(zip(name, start, end, strict=True))
    for (approach, source, target), row in seen.items():
        here = (name == approach) & (start == source) & (end == target)
        assert (row["hops"], row["bytes"]) == (here.sum(), size[here].sum())
        assert row["travel_mean"] == pytest.approx(np.nanmean(travel[here]), rel=1e-12)
        assert row["travel_max"] == np.nanmax(travel[here])


def test_zone_load_equals_numpy(spark: SparkSession, path: Path) -> None:
    loads = zone_load(read_hops(spark, path))
    assert loads.columns == ZONE_LOAD.names
    assert [field.dataType for field in loads.schema] == [field.dataType for field in spark_schema(ZONE_LOAD)]
    seen = {(row["approach"], row["zone"]): tuple(row)[2:] for row in loads.collect()}
    hops = records()
    name, start, end, size = (hops[column].to_numpy() for column in ("approach", "from", "to", "bytes"))
    assert set(seen) == {(approach, zone) for approach in APPROACHES for zone in range(8)}
    for (approach, zone), sums in seen.items():
        into, out = (name == approach) & (end == zone), (name == approach) & (start == zone)
        assert sums == (into.sum(), size[into].sum(), out.sum(), size[out].sum())


def test_without_a_clock_there_are_no_travel_times(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(records(50, clock=False), tmp_path / "hops.parquet")
    rows = link_load(read_hops(spark, tmp_path / "hops.parquet")).collect()
    assert all(row["travel_mean"] is None and row["travel_max"] is None for row in rows)
    assert sum(row["hops"] for row in rows) == 50


def test_records_that_are_not_hops(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"^cannot read [^\n]*absent.parquet: [^\n]*$"):
        read_hops(spark, tmp_path / "absent.parquet")
    pq.write_table(records(5).drop_columns(["bytes"]), tmp_path / "hops.parquet")
    with pytest.raises(PipelineError, match="lacks the columns bytes; it has approach, event"):
        read_hops(spark, tmp_path / "hops.parquet")


def test_a_run_directory_is_refused_with_the_file_to_give(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    (path.parent / "manifest.json").write_text("{}")
    try:
        with pytest.raises(PipelineError) as error:
            read_hops(spark, path.parent)
    finally:
        (path.parent / "manifest.json").unlink()
    assert str(error.value) == f"{path.parent}: is a run directory and not the records of one; give {path}"
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(PipelineError, match=r'it has no hops.parquet; run the scenario with record = \["hops"\]'):
        read_hops(spark, tmp_path)
