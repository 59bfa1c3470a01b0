"""Populations of 1.5-dimensional subscriptions, [l, r] x (-inf, r2]: the three datasets of the paper's Appendix D.3.

They have a layout and a version of their own, apart from those of 1-d populations. Objects have two attributes to
select by, x and x2. In datasets 2 and 3 a subscription begins anywhere and is just as wide as it takes to cover 1,000
or 100 objects, so these follow from the objects; where fewer are left to the right, r is the end of the domain, 1.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline.distributions import STREAMS, uniform, uniform_column
from pipeline.errors import spark_errors
from pipeline.population_files import Layout, open_files, read_columns, write_rows
from pipeline.populations import check_spec, in_curve_order
from pipeline.schemas import POPULATION_15D, POPULATION_15D_VERSION

__all__ = [
    "DATASETS_15D",
    "Population15d",
    "Population15dSpec",
    "objects_15d",
    "population_15d_frame",
    "read_population_15d",
    "write_population_15d",
]

Floats = npt.NDArray[np.float64]

#: Objects that a subscription of each dataset covers; dataset 1 pays them no heed.
DATASETS_15D: dict[str, int | None] = {"dataset-1": None, "dataset-2": 1000, "dataset-3": 100}


@dataclass(frozen=True)
class Population15dSpec:
    """What a 1.5-d population is.

    Parameters
    ----------
    distribution
        A name in `DATASETS_15D`.
    count
        Number of subscriptions; 400,000 in the paper.
    seed
        Seed of the subscriptions and of the objects.
    objects
        Number of objects, as given to `objects_15d`; 10,000 in the paper.
    """

    distribution: str
    count: int
    seed: int
    objects: int = 10_000

    def __post_init__(self) -> None:
        check_spec(DATASETS_15D, self.distribution, self.count, self.seed)
        covered = DATASETS_15D[self.distribution] or 1
        if isinstance(self.objects, bool) or not isinstance(self.objects, int):
            raise TypeError(f"objects must be an integer, got {self.objects!r}")
        if self.objects < covered:
            raise ValueError(f"objects must be at least {covered} for {self.distribution}, got {self.objects}")


@dataclass(frozen=True)
class Population15d:
    """A 1.5-d population in memory: one row per subscription [l, r] x (-inf, r2], in curve order of (l, r)."""

    spec: Population15dSpec
    id: npt.NDArray[np.int64]
    l: Floats
    r: Floats
    r2: Floats
    location: Floats


def _layout() -> Layout:
    return Layout("1.5-d population", POPULATION_15D, POPULATION_15D_VERSION, Population15dSpec)


def _object_frame(spark: SparkSession, count: int, seed: int) -> DataFrame:
    streams = {"x": "object x", "x2": "object x2", "y": "object y"}
    return spark.range(count).withColumns({name: uniform_column(seed, STREAMS[s]) for name, s in streams.items()})


def objects_15d(spark: SparkSession, count: int, seed: int) -> tuple[Floats, Floats, Floats]:
    """Arrays x, x2 and y of `count` objects by id, each uniform in [0, 1); x and y are those of 1-d objects."""
    with spark_errors(f"make {count} objects"):
        table = _object_frame(spark, count, seed).toArrow().sort_by("id")
    return table["x"].to_numpy(), table["x2"].to_numpy(), table["y"].to_numpy()


def population_15d_frame(spark: SparkSession, spec: Population15dSpec, partitions: int | None = None) -> DataFrame:
    """Rows of a 1.5-d population, in no order, with the columns of `schemas.POPULATION_15D`."""
    rows = spark.range(0, spec.count, 1, partitions)
    covered = DATASETS_15D[spec.distribution]
    rows = uniform(rows, spec.seed) if covered is None else _covering(rows, spec, covered)
    streams = {"r2": "r2", "location": "location"}
    rows = rows.withColumns({name: uniform_column(spec.seed, STREAMS[stream]) for name, stream in streams.items()})
    return rows.select(*POPULATION_15D.names)


def _covering(rows: DataFrame, spec: Population15dSpec, covered: int) -> DataFrame:
    """Left ends uniform, right ends at the `covered`-th object from there.

    SQL has no binary search: objects are listed by cell of a grid with about one object per cell, so that the rank of
    a left end is the rank at its cell and a look at the few objects inside.
    """
    spark = rows.sparkSession
    with spark_errors(f"make {spec.objects} objects"):
        x = np.sort(_object_frame(spark, spec.objects, spec.seed).select("x").toArrow()["x"].to_numpy())
    edges = np.searchsorted(np.floor(x * spec.objects), np.arange(spec.objects + 1))
    cells = [(cell, int(edges[cell]), x[edges[cell] : edges[cell + 1]].tolist()) for cell in range(spec.objects)]
    grid = spark.createDataFrame(cells, "cell long, before long, inside array<double>")
    ends = spark.createDataFrame([(rank, value) for rank, value in enumerate(x.tolist())], "rank long, r double")
    rows = rows.withColumn("l", uniform_column(spec.seed, STREAMS["ends"]))
    rows = rows.withColumn("cell", sf.floor(sf.col("l") * spec.objects)).join(sf.broadcast(grid), "cell")
    smaller = sf.size(sf.filter("inside", lambda value: value < sf.col("l")))
    rows = rows.withColumn("rank", sf.col("before") + smaller + (covered - 1))
    return rows.join(sf.broadcast(ends), "rank", "left").withColumn("r", sf.coalesce("r", sf.lit(1.0)))


def write_population_15d(spark: SparkSession, spec: Population15dSpec, path: Path) -> None:
    """Make a 1.5-d population and write it as Parquet in curve order of (l, r), whole or not at all.

    Raises
    ------
    PipelineError
        If `path` exists (nothing is overwritten) or Spark cannot write.
    """
    rows = in_curve_order(population_15d_frame(spark, spec), spec.count)
    write_rows(rows, _layout(), json.dumps(asdict(spec), sort_keys=True), path)


def read_population_15d(path: Path) -> Population15d:
    """Read a 1.5-d population into memory: 40 bytes per subscription.

    Raises
    ------
    PipelineError
        If `path` is no 1.5-d population, is incomplete, or was written by another version.
    """
    opened = open_files(path, _layout())
    table = read_columns(path, opened, _layout())
    return Population15d(opened.spec, *(table[name].to_numpy() for name in POPULATION_15D.names))
