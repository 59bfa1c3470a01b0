"""Populations on disk: order, metadata, cache, and every way a directory can be wrong."""

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

import pipeline.populations
from floor.seals import seal
from pipeline import (
    ObjectSpec,
    PipelineError,
    PopulationSpec,
    object_file,
    objects,
    population,
    population_frame,
    read_objects,
    read_population,
    write_population,
)
from pipeline.curve_order import curve
from pipeline.population_files import write_rows
from pipeline.populations import population_layout

SPEC = PopulationSpec("uniform", 5000, 3)


@pytest.fixture(scope="module")
def made(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return population(lambda: spark, SPEC, tmp_path_factory.mktemp("cache"))


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def z_order(l: float, r: float) -> int:
    """Bits of l and r in turn, l at the even places."""
    cells = [min(int(value * 65536), 65535) for value in (l, r)]
    return sum((cells[bit % 2] >> bit // 2 & 1) << bit for bit in range(32))


def test_curve(spark: SparkSession) -> None:
    rng = np.random.default_rng(1)
    points = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5), *map(tuple, rng.random((200, 2)).tolist())]
    rows = (
        spark.createDataFrame(points, "l double, r double")
        .select(curve(sf.col("l"), sf.col("r")).alias("z"))
        .collect()
    )
    assert [row["z"] for row in rows] == [z_order(*point) for point in points]


def test_read_gives_back_the_rows_in_curve_order(spark: SparkSession, made: Path) -> None:
    read = read_population(made)
    assert read.spec == SPEC
    keys = [(z_order(l, r), i) for l, r, i in zip(read.l, read.r, read.id, strict=True)]
    assert keys == sorted(keys)
    table = population_frame(spark, SPEC).toArrow().sort_by("id")
    by_id = np.argsort(read.id)
    for name in ("id", "l", "r", "location"):
        assert np.array_equal(getattr(read, name)[by_id], table[name].to_numpy())


def test_order_does_not_depend_on_the_files(
    spark: SparkSession, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline.populations, "ROWS_PER_FILE", 700)
    write_population(spark, SPEC, tmp_path / "many")
    assert len(list((tmp_path / "many").glob("*.parquet"))) == 8
    one, many = read_population(made), read_population(tmp_path / "many")
    for name in ("id", "l", "r", "location"):
        assert np.array_equal(getattr(one, name), getattr(many, name))


def test_cache(spark: SparkSession, made: Path) -> None:
    before = {file: file.stat().st_mtime_ns for file in made.iterdir()}
    assert population(lambda: spark, PopulationSpec("uniform", 5000, 3), made.parent) == made
    assert {file: file.stat().st_mtime_ns for file in made.iterdir()} == before
    assert population(lambda: spark, dataclasses.replace(SPEC, count=10), made.parent) != made
    assert all(not path.name.startswith(".") for path in made.parent.iterdir())


def test_one_subscription(spark: SparkSession, tmp_path: Path) -> None:
    write_population(spark, PopulationSpec("anti-correlated", 1, 0), tmp_path / "one")
    assert read_population(tmp_path / "one").id.tolist() == [0]


def test_nothing_is_overwritten(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(PipelineError, match="mine exists already; remove it or choose another path"):
        write_population(spark, SPEC, tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "precious"


def test_a_write_that_fails_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PipelineError, match=r"^cannot write [^\n]*$"):
        write_population(spark, SPEC, tmp_path / "file" / "population")
    bad = population_frame(spark, SPEC).withColumn("l", sf.expr("1 / (id - 4000)"))
    with pytest.raises(PipelineError, match=r"^Spark could not write [^\n]*population: [^\n]*$"):
        write_rows(bad, population_layout(SPEC.form), SPEC.as_json(), tmp_path / "population")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_foreign_directory_in_the_cache_is_left_alone(spark: SparkSession, made: Path, tmp_path: Path) -> None:
    foreign = tmp_path / made.name
    foreign.mkdir()
    (foreign / "notes.txt").write_text("mine")
    with pytest.raises(PipelineError, match="is not a population"):
        population(lambda: spark, SPEC, tmp_path)
    assert (foreign / "notes.txt").read_text() == "mine"


def test_absent_half_written_and_broken_directories(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match="no such directory"):
        read_population(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(PipelineError, match="not a directory"):
        read_population(tmp_path / "file")
    part = next(copy.glob("*.parquet"))
    whole = part.read_bytes()
    part.write_bytes(whole[:1000])
    with pytest.raises(PipelineError, match=r"is not a Parquet file\); remove it"):
        read_population(copy)
    part.write_bytes(b"\0" * 600 + whole[600:])
    with pytest.raises(PipelineError, match=r"^[^\n]* is not a population [^\n]*$"):
        read_population(copy)
    part.write_bytes(whole)
    (copy / "_SUCCESS").unlink()
    with pytest.raises(PipelineError, match="half-written or made by something else"):
        read_population(copy)


def test_missing_and_mixed_files(spark: SparkSession, copy: Path, tmp_path: Path) -> None:
    part = next(copy.glob("*.parquet"))
    shutil.copy(part, copy / "part-9.parquet")
    with pytest.raises(PipelineError, match="it holds 10000 rows, not 5000"):
        read_population(copy)
    other = population(lambda: spark, dataclasses.replace(SPEC, count=10), tmp_path / "other")
    shutil.copy(next(other.glob("*.parquet")), copy / "part-9.parquet")
    with pytest.raises(PipelineError, match="different populations"):
        read_population(copy)
    pq.write_table(pa.table({"id": [1]}), copy / "part-9.parquet")
    with pytest.raises(PipelineError, match="has other columns or no spec"):
        read_population(copy)


def test_another_version(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline.populations, "POPULATION_VERSION", 2)
    with pytest.raises(PipelineError, match="of version 1, this is version 2; make it again"):
        read_population(copy)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("gaussian", 1, 1), ValueError, "one of anti-correlated, clustered, correlated, uniform, got 'gaussian'"),
        (("uniform", 0, 1), ValueError, "count must be between 1 and 2\\^40 - 1, got 0"),
        (("uniform", 1.5, 1), TypeError, "count must be an integer, got 1.5"),
        (("uniform", True, 1), TypeError, "count must be an integer, got True"),
        (("uniform", 1, -1), ValueError, "seed must be between 0 and 2\\^63 - 1, got -1"),
        (("uniform", 1, 2**63), ValueError, "seed must be between"),
        (("uniform", 1, 1, {"spread": 1}), ValueError, "uniform takes no parameters, got 'spread'"),
        (("clustered", 1, 1, {"width": 1}), ValueError, "clustered takes spread, got 'width'"),
        (("clustered", 1, 1, {"spread": 0}), ValueError, "spread must be a finite number above 0, got 0"),
        (("clustered", 1, 1, {"spread": float("nan")}), ValueError, "spread must be a finite number"),
        (("clustered", 1, 1, {"spread": "wide"}), TypeError, "spread must be a number, got 'wide'"),
    ],
)
def test_bad_specs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        PopulationSpec(*arguments)


def test_bad_object_spec() -> None:
    with pytest.raises(ValueError, match="one of clustered, single-stocks, stocks, uniform, got 'correlated'"):
        ObjectSpec("correlated", 1, 1)


def test_defaults_and_given_values_make_the_same_spec() -> None:
    assert PopulationSpec("clustered", 1, 1) == PopulationSpec("clustered", 1, 1, {"spread": 0.2})
    assert hash(PopulationSpec("clustered", 1, 1)) == hash(PopulationSpec("clustered", 1, 1, {"spread": 0.2}))


def test_objects_are_kept_in_a_file_and_a_damaged_one_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    spec = ObjectSpec("uniform", 500, 3)
    path = object_file(lambda: spark, spec, tmp_path)
    made = read_objects(path)
    np.testing.assert_array_equal(made, objects(spark, spec))
    whole = path.read_bytes()
    for content in (b"", b"no array", whole[:-8]):
        path.write_bytes(content)
        with pytest.raises(PipelineError, match=r"damaged objects .*; delete the file, it is made again"):
            read_objects(path)
    rows = np.stack(made)
    other = object_file(lambda: spark, ObjectSpec("uniform", 400, 3), tmp_path)
    for shorter in (np.zeros((3, 2)), rows[:, :-1], rows + np.eye(2, 500)):
        np.savez(path, rows=shorter, seal=np.array(seal(path.name, rows)))
        with pytest.raises(PipelineError, match="not the objects that were put there; delete the file"):
            read_objects(path)
    other.replace(path)  # whole, but not this one
    with pytest.raises(PipelineError, match="not the objects that were put there; delete the file"):
        read_objects(path)


def test_damage_in_the_pages_of_a_population_is_found(spark: SparkSession, tmp_path: Path) -> None:
    spec = PopulationSpec("uniform", 2000, 3)
    path = population(lambda: spark, spec, tmp_path)
    file = next(path.glob("*.parquet"))
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 16
    file.write_bytes(content)
    with pytest.raises(PipelineError, match="is not a population"):
        read_population(path)
