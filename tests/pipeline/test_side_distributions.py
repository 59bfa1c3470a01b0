"""Every distribution over several attributes against its definition, seeds fixed."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from scipy import stats

from pipeline import (
    SIDE_DISTRIBUTIONS,
    SIDE_OBJECT_DISTRIBUTIONS,
    ObjectSpec,
    PipelineError,
    PopulationSpec,
    distributions_of,
    objects,
    population_frame,
    write_population,
)
from tests.simulator.one_line import told_in_one_line
from tests.some_cases import some

COUNT = 20_000
SEED = 5
OFFERED = [
    ("uniform", 1.5, "l1 r1 r2"),
    ("uniform", 2, "l1 r1 l2 r2"),
    ("uniform", 2.5, "l1 r1 l2 r2 r3"),
    ("uniform", 3, "l1 r1 l2 r2 l3 r3"),
    ("squares", 1.5, "l1 r1 r2"),
    ("squares", 3, "l1 r1 l2 r2 l3 r3"),
    ("halfspaces", 2, "a1 a2"),
    ("halfspaces", 3, "a1 a2 a3"),
    ("disks", 2, "x1 x2 radius"),
    ("dataset-1", 1.5, "l1 r1 r2"),
    ("dataset-3", 1.5, "l1 r1 r2"),
]

Floats = npt.NDArray[np.float64]


def rows_of(spark: SparkSession, spec: PopulationSpec, partitions: int = 3) -> dict[str, Any]:
    table = population_frame(spark, spec, partitions).toArrow().sort_by("id")
    return {name: table[name].to_numpy() for name in table.column_names}


def is_uniform(values: Floats) -> bool:
    return float(stats.kstest(values, "uniform").pvalue) > 1e-3


def unrelated(columns: list[Floats]) -> bool:
    return float(np.abs(np.corrcoef(columns) - np.eye(len(columns))).max()) < 0.03


@pytest.mark.parametrize(
    ("name", "dimensions", "columns"),
    some(OFFERED, lambda one: one[:2] in (("uniform", 2.5), ("squares", 3), ("halfspaces", 3)) or "d" in one[0][:1]),
)
def test_rows_are_the_same_whatever_the_partitions(
    spark: SparkSession, name: str, dimensions: float, columns: str
) -> None:
    spec = PopulationSpec(name, 300, SEED, dimensions=dimensions)
    one, other = rows_of(spark, spec, 1), rows_of(spark, spec, 4)
    assert list(one) == ["id", *columns.split(), "location"]
    assert np.array_equal(one["id"], np.arange(300))
    for column, values in one.items():
        assert np.array_equal(values, other[column])
        assert len(np.unique(values)) > 200
    another = rows_of(spark, PopulationSpec(name, 300, SEED + 1, dimensions=dimensions))
    assert np.isin(one[columns.split()[-1]], another[columns.split()[-1]]).mean() < 0.1  # cut at the rim


def test_uniform_boxes(spark: SparkSession) -> None:
    rows = rows_of(spark, PopulationSpec("uniform", COUNT, SEED, dimensions=2.5))
    for j in (1, 2):
        assert stats.kstest(rows[f"l{j}"], stats.beta(1, 2).cdf).pvalue > 1e-3
        assert stats.kstest(rows[f"r{j}"], stats.beta(2, 1).cdf).pvalue > 1e-3
        assert np.corrcoef(rows[f"l{j}"], rows[f"r{j}"])[0, 1] == pytest.approx(0.5, abs=0.03)
    assert is_uniform(rows["r3"])
    assert unrelated([rows[name] for name in ("l1", "r2", "r3", "location")])
    flat = rows_of(spark, PopulationSpec("uniform", COUNT, SEED))
    assert np.array_equal(rows["l1"], flat["l"])
    assert np.array_equal(rows["r1"], flat["r"])
    full = rows_of(spark, PopulationSpec("uniform", COUNT, SEED, dimensions=3))
    assert stats.kstest(full["l3"], stats.beta(1, 2).cdf).pvalue > 1e-3
    assert unrelated([full["l2"], full["l3"]])


def test_squares(spark: SparkSession) -> None:
    rows = rows_of(spark, PopulationSpec("squares", COUNT, SEED, {"size": 0.2}, 2))
    points = []
    for j in (1, 2):
        l, r = rows[f"l{j}"], rows[f"r{j}"]
        assert np.all((l >= 0) & (l < r) & (r <= 1))
        cut = (l == 0) | (r == 1)
        assert cut.mean() == pytest.approx(0.2, abs=0.02)
        assert np.allclose((r - l)[~cut], 0.2, atol=1e-12)
        assert np.all((r - l)[cut] < 0.2 + 1e-12)
        points.append(np.where(l == 0, r - 0.1, l + 0.1))
        assert is_uniform(points[-1])
    assert unrelated(points)
    open_side = rows_of(spark, PopulationSpec("squares", COUNT, SEED, {"size": 0.2}, 1.5))
    assert np.array_equal(open_side["r2"], rows["r2"])


@pytest.mark.parametrize("dimensions", [2, 3])
def test_halfspaces_go_through_the_cube_with_all_slopes_alike(spark: SparkSession, dimensions: int) -> None:
    rows = rows_of(spark, PopulationSpec("halfspaces", COUNT, SEED, {"slope": 0.5}, dimensions))
    slopes = [rows[f"a{j}"] for j in range(1, dimensions)]
    assert all(is_uniform(slope + 0.5) for slope in slopes)
    # Where it cuts the middle of the cube: a uniform point's height, tilted by independent slopes.
    height = rows[f"a{dimensions}"] + sum(slope * 0.5 for slope in slopes)
    assert height.mean() == pytest.approx(0.5, abs=0.01)
    assert height.var() == pytest.approx(1 / 12 + (dimensions - 1) / 12 / 12, rel=0.04)
    assert unrelated([*slopes, height])


def test_disks(spark: SparkSession) -> None:
    rows = rows_of(spark, PopulationSpec("disks", COUNT, SEED, {"radius": 0.25}, 2))
    assert is_uniform(rows["x1"])
    assert is_uniform(rows["x2"])
    assert is_uniform(rows["radius"] / 0.25)
    assert unrelated([rows["x1"], rows["x2"], rows["radius"]])


def test_dataset_1_is_uniform(spark: SparkSession) -> None:
    one, other = (
        rows_of(spark, PopulationSpec(name, 500, SEED, dimensions=1.5)) for name in ("dataset-1", "uniform")
    )
    assert all(np.array_equal(values, other[name]) for name, values in one.items())


@pytest.mark.parametrize(("dataset", "covered"), [("dataset-2", 1000), ("dataset-3", 100)])
def test_datasets_2_and_3_cover_objects(spark: SparkSession, dataset: str, covered: int) -> None:
    rows = rows_of(spark, PopulationSpec(dataset, COUNT, SEED, {"objects": 3000}, 1.5))
    assert np.array_equal(rows["id"], np.arange(COUNT))
    assert is_uniform(rows["l1"])
    assert is_uniform(rows["r2"])
    x = np.sort(objects(spark, ObjectSpec("uniform", 3000, SEED, 1.5))[0][:, 0])
    inside = np.searchsorted(x, rows["r1"], "right") - np.searchsorted(x, rows["l1"], "left")
    short = rows["r1"] == 1.0
    assert np.all(inside[~short] == covered)
    assert np.isin(rows["r1"][~short], x).all()
    assert np.all(inside[short] < covered)
    assert short.mean() == pytest.approx(covered / 3000, abs=0.02)


def test_objects_have_several_attributes(spark: SparkSession) -> None:
    x, y = objects(spark, ObjectSpec("uniform", 5000, SEED, 3))
    assert (x.shape, y.shape) == ((5000, 3), (5000,))
    flat_x, flat_y = objects(spark, ObjectSpec("uniform", 5000, SEED))
    assert np.array_equal(x[:, 0], flat_x)
    assert np.array_equal(y, flat_y)
    assert np.array_equal(x[:, :2], objects(spark, ObjectSpec("uniform", 5000, SEED, 1.5))[0])
    assert all(is_uniform(column) for column in x.T)
    assert np.abs(np.corrcoef([*x.T, y]) - np.eye(4)).max() < 0.05


def test_clustered_objects_have_their_clusters_apart_in_every_attribute(spark: SparkSession) -> None:
    x, _ = objects(spark, ObjectSpec("clustered", 5000, SEED, 3))
    assert np.array_equal(x[:, 0], objects(spark, ObjectSpec("clustered", 5000, SEED))[0])
    w, cluster = 1 / 11, np.arange(5000) % 10
    middles = np.array([x[cluster == one].mean(axis=0) for one in range(10)])
    ranks = np.rint(middles / w)
    assert np.abs(middles - ranks * w).max() < w / 20
    assert all(sorted(column) == list(range(1, 11)) for column in ranks.T.tolist())
    apart = x - ranks[cluster] * w
    assert apart.std(axis=0) == pytest.approx([w / 8] * 3, rel=0.04)
    assert np.abs(np.corrcoef(apart.T) - np.eye(3)).max() < 0.05


def test_which_distributions_there_are() -> None:
    assert sorted(distributions_of(1)) == ["anti-correlated", "clustered", "correlated", "uniform"]
    assert sorted(distributions_of(1.5)) == ["dataset-1", "dataset-2", "dataset-3", "squares", "uniform"]
    assert sorted(distributions_of(2)) == ["disks", "halfspaces", "squares", "uniform"]
    assert sorted(distributions_of(3)) == ["halfspaces", "squares", "uniform"]


@pytest.mark.parametrize(
    ("distribution", "parameters", "dimensions", "line"),
    [
        ("uniform", {}, 4, "dimensions must be one of 1, 1.5, 2, 2.5, 3, got 4"),
        ("uniform", {}, True, "dimensions must be a number, got True"),
        ("disks", {}, 3, "distribution must be one of halfspaces, squares, uniform in 3 dimensions, got 'disks'"),
        ("dataset-2", {}, 1, "distribution must be one of anti-correlated, clustered, correlated, uniform, got"),
        ("clustered", {}, 2, "distribution must be one of disks, halfspaces, squares, uniform in 2 dimensions, got"),
        ("disks", {"radius": -0.1}, 2, "radius must be a finite number above 0, got -0.1"),
        ("squares", {"width": 1}, 2, "distribution squares takes size, got 'width'"),
        (
            "dataset-2",
            {"objects": 999},
            1.5,
            "objects must be a whole number of at least 1000 for dataset-2, got 999",
        ),
        ("dataset-3", {"objects": 100.5}, 1.5, "objects must be a whole number of at least 100 for dataset-3, got"),
    ],
)
def test_bad_specs(distribution: str, parameters: dict[str, float], dimensions: float, line: str) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        PopulationSpec(distribution, 1, 1, parameters, dimensions)
    assert str(refused.value).startswith(line)


def test_bad_object_specs() -> None:
    with pytest.raises(ValueError, match="one of clustered, uniform in 2 dimensions, got 'stocks'"):
        ObjectSpec("stocks", 1, 1, 2)
    with pytest.raises(ValueError, match=r"dimensions must be one of 1, 1\.5, 2, 2\.5, 3, got 0"):
        ObjectSpec("uniform", 1, 1, 0)


def test_distributions_of_ones_own_are_checked(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mine(rows: DataFrame, seed: int, dimensions: float, *, top: float = 1.0) -> DataFrame:
        assert (seed, dimensions) == (1, 1.5)
        return rows.withColumns({"l1": sf.col("id") / 8, "r1": sf.lit(0.5), "r2": sf.lit(top)})

    def places(rows: DataFrame, seed: int, attributes: int) -> DataFrame:
        assert (seed, attributes) == (1, 2)
        return rows.withColumns({"x1": sf.col("id") / 2, "x2": sf.lit(0.25)})

    monkeypatch.setitem(SIDE_DISTRIBUTIONS, "mine", mine)
    monkeypatch.setitem(SIDE_OBJECT_DISTRIBUTIONS, "places", places)
    spec = PopulationSpec("mine", 5, 1, {"top": 0.75}, 1.5)
    assert rows_of(spark, spec)["l1"].tolist() == [0.0, 0.125, 0.25, 0.375, 0.5]
    told_in_one_line(
        lambda: write_population(spark, PopulationSpec("mine", 6, 1, dimensions=1.5), tmp_path / "population"),
        PipelineError, "distribution mine: id 5 has l1 = 0.625 r1 = 0.5 r2 = 1.0", "l1 <= r1 and r1 <= 1 and 0 <= r2",
    )  # fmt: skip
    told_in_one_line(
        lambda: objects(spark, ObjectSpec("places", 4, 1, 2)),
        PipelineError, "distribution places: id 3 has x1 = 1.5 x2 = 0.25 y = ", "0 <= x2 and x2 <= 1 and 0 <= y",
    )  # fmt: skip
