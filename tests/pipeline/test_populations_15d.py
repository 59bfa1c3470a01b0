"""The datasets of Appendix D against their definitions."""

from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession
from scipy import stats

from pipeline import (
    ObjectSpec,
    PipelineError,
    Population15d,
    Population15dSpec,
    PopulationSpec,
    objects,
    objects_15d,
    population_15d_frame,
    read_population,
    read_population_15d,
    write_population,
    write_population_15d,
)

COUNT = 20_000
SEED = 5


def rows_of(spark: SparkSession, spec: Population15dSpec, partitions: int = 3) -> Population15d:
    table = population_15d_frame(spark, spec, partitions).toArrow().sort_by("id")
    return Population15d(spec, *(table[name].to_numpy() for name in ("id", "l", "r", "r2", "location")))


def test_objects_have_two_attributes(spark: SparkSession) -> None:
    x, x2, y = objects_15d(spark, 5000, SEED)
    for one, other in zip((x, y), objects(spark, ObjectSpec("uniform", 5000, SEED)), strict=True):
        assert np.array_equal(one, other)
    assert stats.kstest(x2, "uniform").pvalue > 1e-3
    assert np.abs(np.corrcoef([x, x2, y]) - np.eye(3)).max() < 0.05


def test_dataset_1(spark: SparkSession) -> None:
    rows = rows_of(spark, Population15dSpec("dataset-1", COUNT, SEED))
    assert stats.kstest(rows.l, stats.beta(1, 2).cdf).pvalue > 1e-3
    assert stats.kstest(rows.r, stats.beta(2, 1).cdf).pvalue > 1e-3
    assert np.corrcoef(rows.l, rows.r)[0, 1] == pytest.approx(0.5, abs=0.03)
    assert stats.kstest(rows.r2, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(rows.r2, rows.l)[0, 1]) < 0.03


@pytest.mark.parametrize(("dataset", "covered"), [("dataset-2", 1000), ("dataset-3", 100)])
def test_datasets_2_and_3_cover_objects(spark: SparkSession, dataset: str, covered: int) -> None:
    rows = rows_of(spark, Population15dSpec(dataset, COUNT, SEED, objects=3000))
    assert np.array_equal(rows.id, np.arange(COUNT))
    assert stats.kstest(rows.l, "uniform").pvalue > 1e-3
    assert stats.kstest(rows.r2, "uniform").pvalue > 1e-3
    x = np.sort(objects_15d(spark, 3000, SEED)[0])
    inside = np.searchsorted(x, rows.r, "right") - np.searchsorted(x, rows.l, "left")
    short = rows.r == 1.0
    assert np.all(inside[~short] == covered)
    assert np.isin(rows.r[~short], x).all()
    assert np.all(inside[short] < covered)
    assert short.mean() == pytest.approx(covered / 3000, abs=0.02)


def test_rows_are_the_same_whatever_the_partitions(spark: SparkSession) -> None:
    spec = Population15dSpec("dataset-3", 500, 1, objects=200)
    one, other = rows_of(spark, spec, 2), rows_of(spark, spec, 5)
    assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("l", "r", "r2", "location"))


def test_written_and_read_back_apart_from_1d(spark: SparkSession, tmp_path: Path) -> None:
    spec = Population15dSpec("dataset-3", 800, 1, objects=200)
    write_population_15d(spark, spec, tmp_path / "rows")
    read = read_population_15d(tmp_path / "rows")
    assert read.spec == spec
    order, made = np.argsort(read.id), rows_of(spark, spec)
    assert all(np.array_equal(getattr(read, n)[order], getattr(made, n)) for n in ("l", "r", "r2", "location"))
    with pytest.raises(PipelineError, match=r"is not a population \(.* has other columns or no spec\)"):
        read_population(tmp_path / "rows")
    write_population(spark, PopulationSpec("uniform", 10, 1), tmp_path / "flat")
    with pytest.raises(PipelineError, match=r"is not a 1\.5-d population"):
        read_population_15d(tmp_path / "flat")


def test_bad_specs() -> None:
    with pytest.raises(ValueError, match="one of dataset-1, dataset-2, dataset-3, got 'uniform'"):
        Population15dSpec("uniform", 1, 1)
    with pytest.raises(ValueError, match="objects must be at least 1000 for dataset-2, got 999"):
        Population15dSpec("dataset-2", 1, 1, objects=999)
    with pytest.raises(TypeError, match=r"objects must be an integer, got 1\.5"):
        Population15dSpec("dataset-1", 1, 1, objects=1.5)  # type: ignore[arg-type]
