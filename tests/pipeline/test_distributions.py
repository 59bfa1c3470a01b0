"""Every distribution against its definition, seeds fixed."""

from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from scipy import stats

from pipeline import (
    DISTRIBUTIONS,
    ObjectSpec,
    Population,
    PopulationSpec,
    objects,
    population_frame,
    standard_normals,
    uniform_column,
)
from tests.oracles import hashes
from tests.some_cases import some

COUNT = 40_000
SEED = 11


def rows_of(spark: SparkSession, spec: PopulationSpec) -> Population:
    table = population_frame(spark, spec, 4).toArrow().sort_by("id")
    return Population(spec, *(table[name].to_numpy() for name in ("id", "l", "r", "location")))


def is_uniform(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
    return float(stats.kstest(values, "uniform").pvalue) > 1e-3


def test_uniforms_are_the_stated_hashes(spark: SparkSession) -> None:
    ids = [0, 1, 2, 77, 2**31, 2**62]
    rows = (
        spark.createDataFrame([(i,) for i in ids], "id long")
        .select(uniform_column(2**40 + 1, 3).alias("u"))
        .collect()
    )
    assert [row["u"] for row in rows] == [hashes.uniform((2**40 + 1, 3, i)) for i in ids]


def test_hash_does_not_depend_on_the_type_of_the_row_number(spark: SparkSession) -> None:
    row = spark.range(1).select(
        uniform_column(1, 2, sf.lit(5).cast("int")), uniform_column(1, 2, sf.lit(5).cast("long"))
    )
    one, other = row.collect()[0]
    assert one == other


def test_standard_normals(spark: SparkSession) -> None:
    one, other = standard_normals(SEED, 6)
    table = spark.range(COUNT).select(one.alias("one"), other.alias("other")).toArrow()
    a, b = table["one"].to_numpy(), table["other"].to_numpy()
    assert stats.kstest(a, "norm").pvalue > 1e-3
    assert stats.kstest(b, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.02


@pytest.mark.parametrize("name", sorted(DISTRIBUTIONS))
@pytest.mark.parametrize("seed", [0, SEED])
def test_every_distribution_keeps_to_the_triangle(spark: SparkSession, name: str, seed: int) -> None:
    rows = rows_of(spark, PopulationSpec(name, 5000, seed))
    assert np.array_equal(rows.id, np.arange(5000))
    assert np.all((rows.l >= 0) & (rows.l <= rows.r) & (rows.r <= 1))
    assert is_uniform(rows.location)
    assert abs(np.corrcoef(rows.location, rows.l)[0, 1]) < 0.06


def test_uniform(spark: SparkSession) -> None:
    rows = rows_of(spark, PopulationSpec("uniform", COUNT, SEED))
    # The smaller and the larger of two uniforms.
    assert stats.kstest(rows.l, stats.beta(1, 2).cdf).pvalue > 1e-3
    assert stats.kstest(rows.r, stats.beta(2, 1).cdf).pvalue > 1e-3
    assert np.corrcoef(rows.l, rows.r)[0, 1] == pytest.approx(0.5, abs=0.02)


def test_seeds_differ(spark: SparkSession) -> None:
    one, other = (rows_of(spark, PopulationSpec("uniform", 5000, seed)) for seed in (1, 2))
    assert abs(np.corrcoef(one.l, other.l)[0, 1]) < 0.06


@pytest.mark.parametrize("spread", some([0.02, 0.2, 1.0], lambda spread: spread == 0.2))
def test_clustered_follows_the_mixture_density(spark: SparkSession, spread: float) -> None:
    rows = rows_of(spark, PopulationSpec("clustered", COUNT, SEED, {"spread": spread}))
    ends = [sorted(hashes.uniform((SEED, stream, c)) for stream in (3, 4)) for c in range(10)]
    edges = np.linspace(0, 1, 11)
    fine = (np.arange(1000) + 0.5) / 1000
    l, r = np.meshgrid(fine, fine, indexing="ij")
    density = sum(np.exp(-((l - a) ** 2 + (r - b) ** 2) / (2 * (spread / 4) ** 2)) for a, b in ends) * (l <= r)
    expected = density.reshape(10, 100, 10, 100).sum(axis=(1, 3)) / density.sum()
    seen = np.histogram2d(rows.l, rows.r, bins=[edges, edges])[0] / COUNT
    # Three in a hundred thousand beyond the noise of a binomial share, and what the grid of the oracle is off by.
    assert np.all(np.abs(seen - expected) < 4.5 * np.sqrt(expected / COUNT) + 5e-4 + 0.01 * expected)


def test_clusters_have_the_stated_spread(spark: SparkSession) -> None:
    rows = rows_of(spark, PopulationSpec("clustered", COUNT, SEED, {"spread": 0.02}))
    ends = np.array([sorted(hashes.uniform((SEED, stream, c)) for stream in (3, 4)) for c in range(10)])
    apart = np.stack([rows.l, rows.r], axis=1)[:, None] - ends
    nearest = np.abs(apart).sum(axis=2).argmin(axis=1)
    residual = apart[np.arange(COUNT), nearest]
    # Clusters whose centre is 4 sd and more from the rim and from every other one lose nothing to either.
    between = np.linalg.norm(ends[:, None] - ends, axis=2) + np.eye(10)
    inland = (ends[:, 0] > 0.02) & (ends[:, 1] < 0.98) & (ends[:, 1] - ends[:, 0] > 0.03)
    clear = inland & (between.min(axis=1) > 0.05)
    assert clear.sum() >= 4
    seen = residual[clear[nearest]]
    assert seen.std(axis=0) == pytest.approx([0.005, 0.005], rel=0.02)
    assert np.abs(seen.mean(axis=0)).max() < 1e-4
    assert abs(np.corrcoef(seen.T)[0, 1]) < 0.02
    assert np.bincount(nearest, minlength=10)[clear] / COUNT == pytest.approx(np.full(clear.sum(), 0.1), abs=0.015)


@pytest.mark.parametrize(
    ("name", "centres"),
    [("correlated", np.arange(1, 11) / 11), ("anti-correlated", (np.arange(1, 10) + 0.5) / 11)],
)
def test_marginals_of_correlated_ends(
    spark: SparkSession, name: str, centres: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> None:
    rows = rows_of(spark, PopulationSpec(name, COUNT, SEED))
    sd = 1 / 88

    def middle_cdf(value: Any) -> Any:
        return stats.norm.cdf((value[:, None] - centres) / (sd / np.sqrt(2))).mean(axis=1)

    # Of two independent Gaussian ends the middle and the distance are independent, whichever is the left one.
    assert stats.kstest((rows.l + rows.r) / 2, middle_cdf).pvalue > 1e-3
    assert stats.kstest((rows.r - rows.l) / (sd * np.sqrt(2)), stats.halfnorm.cdf).pvalue > 1e-3
    nearest = np.abs(((rows.l + rows.r) / 2)[:, None] - centres).argmin(axis=1)
    within = np.corrcoef(rows.l - centres[nearest], rows.r - centres[nearest])[0, 1]
    # The smaller and the larger of two standard normals: covariance 1/pi, variance 1 - 1/pi.
    assert within == pytest.approx(1 / (np.pi - 1), abs=0.02)
    assert np.corrcoef(rows.l, rows.r)[0, 1] > 0.99


def test_correlated_and_anti_correlated(spark: SparkSession) -> None:
    w = 1 / 11
    for name, centres in (("correlated", np.arange(1, 11) * w), ("anti-correlated", (np.arange(1, 10) + 0.5) * w)):
        rows = rows_of(spark, PopulationSpec(name, COUNT, SEED))
        nearest = np.abs(((rows.l + rows.r) / 2)[:, None] - centres).argmin(axis=1)
        shares = np.bincount(nearest, minlength=len(centres)) / COUNT
        assert shares == pytest.approx(np.full(len(centres), 1 / len(centres)), abs=0.01)
        ends = np.concatenate([rows.l - centres[nearest], rows.r - centres[nearest]])
        assert ends.std() == pytest.approx(w / 8, rel=0.02)
        assert abs(ends.mean()) < w / 8 * 0.02
        # Two independent ends, sorted: their distance is |N(0, 2)| standard deviations.
        assert (rows.r - rows.l).mean() == pytest.approx(w / 8 * 2 / np.sqrt(np.pi), rel=0.02)


def test_objects(spark: SparkSession) -> None:
    x, y = objects(spark, ObjectSpec("uniform", 10_000, SEED))
    assert x.shape == y.shape == (10_000,)
    assert x[7] == hashes.uniform((SEED, 8, 7))
    assert is_uniform(x)
    assert is_uniform(y)
    assert abs(np.corrcoef(x, y)[0, 1]) < 0.05


def test_clustered_objects(spark: SparkSession) -> None:
    x, _ = objects(spark, ObjectSpec("clustered", 10_000, SEED))
    w = 1 / 11
    nearest = np.clip(np.rint(x / w), 1, 10).astype(int)
    assert np.bincount(nearest)[1:].tolist() == [1000] * 10
    assert (x - nearest * w).std() == pytest.approx(w / 8, rel=0.03)
    assert np.all((x >= 0) & (x <= 1))


def test_stocks_share_recommendations_in_tenths(spark: SparkSession) -> None:
    (x, y), (single, same) = (objects(spark, ObjectSpec(name, 4000, SEED)) for name in ("stocks", "single-stocks"))
    assert np.array_equal(np.unique(x), np.arange(41) / 40)
    assert is_uniform(single)
    assert np.abs(x - single).max() <= 1 / 40
    assert np.array_equal(y, same)
    assert (y.mean(), y.std()) == pytest.approx((0.5, 0.6 / 8), rel=0.03)
    assert np.all((y >= 0) & (y < 1))


def test_a_distribution_of_ones_own(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow(rows: DataFrame, seed: int, *, width: float = 0.25) -> DataFrame:
        start = uniform_column(seed, 1) * (1 - width)
        return rows.withColumns({"l": start, "r": start + width})

    monkeypatch.setitem(DISTRIBUTIONS, "narrow", narrow)
    rows = rows_of(spark, PopulationSpec("narrow", 1000, 1, {"width": 0.5}))
    assert rows.r - rows.l == pytest.approx(np.full(1000, 0.5))
    assert PopulationSpec("narrow", 1, 1).parameters == {"width": 0.25}
