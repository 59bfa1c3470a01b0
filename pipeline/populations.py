"""Populations of subscriptions from a small spec: made by Spark, kept as Parquet, read as arrays.

A population is a directory of Parquet files whose rows, in the order of the file names, follow a Z-order curve over
(l, r), or over all columns that say what a subscription is (`pipeline.attributes`): rows that lie together in S lie
together on disk. Spec and version are in the metadata of every file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline.attributes import UNIT, Form, Range, XRange, other_form
from pipeline.curve_order import curve_key
from pipeline.distributions import STREAMS, uniform_column
from pipeline.drawing import distributions_of, draw_subscriptions, source_of
from pipeline.errors import PipelineError
from pipeline.population_files import (
    Layout,
    PopulationFiles,
    content_hash,
    open_files,
    read_columns,
    spec_found,
    write_rows,
)
from pipeline.population_specs import FileSpec, PopulationSpec, stored_form, stored_spec
from pipeline.schemas import POPULATION_VERSION, population_schema
from pipeline.session import SparkSource
from pipeline.side_distributions import curve_frames

__all__ = [
    "Population",
    "in_curve_order",
    "open_population",
    "population",
    "population_columns",
    "population_frame",
    "population_layout",
    "population_path",
    "population_spec",
    "read_population",
    "write_population",
]

Floats = npt.NDArray[np.float64]

ROWS_PER_FILE = 1_000_000


def population_layout(form: Form) -> Layout:
    """How populations of a form lie on disk."""
    return Layout("population", population_schema(form.columns), POPULATION_VERSION, stored_spec)


@dataclass(frozen=True)
class Population:
    """
    A population in memory: arrays of one row per subscription, in curve order; `location` lies in [0, 1).

    `l` and `r` are (m,) over one attribute and (m, d) over several; see `pipeline.attributes` for other shapes.
    """

    spec: PopulationSpec | FileSpec
    id: npt.NDArray[np.int64]
    l: Floats
    r: Floats
    location: Floats

    @property
    def form(self) -> Form:
        """What its subscriptions are."""
        return self.spec.form


def population_frame(spark: SparkSession, spec: PopulationSpec, partitions: int | None = None) -> DataFrame:
    """
    Rows of a population, in no order: id, the columns of its form (l, r over one attribute), location.

    Parameters
    ----------
    partitions
        How many tasks make them; the rows do not depend on it.
    """
    return _rows(spark.range(0, spec.count, 1, partitions), spec)


def _rows(ids: DataFrame, spec: PopulationSpec) -> DataFrame:
    rows = draw_subscriptions(spec.distribution, ids, spec.seed, spec.parameters, spec.form)
    location = uniform_column(spec.seed, STREAMS["location"])
    return rows.withColumn("location", location).select(*population_schema(spec.form.columns).names)


def write_population(spark: SparkSession, spec: PopulationSpec, path: Path) -> None:
    """
    Make a population and write it as Parquet in curve order, whole or not at all.

    Sorting costs O(m log m) spread over the cores; no step holds the population in memory. On a cluster `path` must
    be on a file system that all machines share.

    Raises
    ------
    PipelineError
        If `path` exists (nothing is overwritten) or Spark cannot write.
    """
    if spec.dimensions == 1:
        rows = _rows(_ids_in_curve_order(spark, spec), spec)
    else:
        frames = curve_frames(spec.form, spec.parameters)
        rows = in_curve_order(population_frame(spark, spec), spec.form.columns, frames, spec.count)
    write_rows(rows, population_layout(spec.form), spec.as_json(), path)


def _ids_in_curve_order(spark: SparkSession, spec: PopulationSpec) -> DataFrame:
    """
    Row ids by (curve, id), which is one and the same order however the rows are cut into files.

    Both are packed into one long: Spark sorts single longs by radix, and since a row is a function of its id, nothing
    else needs to travel. Above 2^31 rows the curve has fewer bits.
    """
    columns = spec.form.columns
    key, id_bits = curve_key(columns, [UNIT] * len(columns), spec.count)
    ordered = _sorted_by(population_frame(spark, spec).select(key.alias("key")), spec.count)
    return ordered.select(sf.col("key").bitwiseAND(sf.lit(2**id_bits - 1).cast("long")).alias("id"))


def in_curve_order(rows: DataFrame, columns: Sequence[str], frames: Sequence[Range], count: int) -> DataFrame:
    """Rows with id and columns in frames by (curve, id), for rows that are dear to make a second time."""
    return _sorted_by(rows.withColumn("key", curve_key(columns, frames, count)[0]), count).drop("key")


def _sorted_by(rows: DataFrame, count: int) -> DataFrame:
    return rows.repartitionByRange(-(-count // ROWS_PER_FILE), "key").sortWithinPartitions("key")


def population(spark: SparkSource, spec: PopulationSpec, cache_dir: Path) -> Path:
    """
    Path of the population of a spec below `cache_dir`, made if it is not there yet.

    Raises
    ------
    PipelineError
        If something else stands at that path, or Spark cannot write.
    """
    path = population_path(spec, cache_dir)
    if not path.exists():
        try:
            write_population(spark(), spec, path)
        except PipelineError:
            # Another process may have put the same population there in the meantime.
            if not (path / "_SUCCESS").exists():
                raise
    open_files(path, population_layout(spec.form))
    return path


def population_path(spec: PopulationSpec, cache_dir: Path) -> Path:
    """Where `population` puts the population of a spec; whoever finds it there can read it without Spark."""
    source = source_of(distributions_of(spec.dimensions)[spec.distribution])
    return cache_dir / f"population-{content_hash(spec.as_json(), source)}"


def open_population(path: Path, form: Form | None = None) -> PopulationFiles:
    """
    Files of a population on disk, of which only the footers are read.

    Parameters
    ----------
    form
        What its subscriptions must be; anything by default.

    Raises
    ------
    PipelineError
        If `path` is no population, is incomplete, was written by another version, or is of another form.
    """
    found = stored_form(spec_found(path))
    opened = open_files(path, population_layout(found))
    if form not in (None, found):
        raise other_form(path, found, form)
    return opened


def population_spec(path: Path, form: Form | None = None) -> PopulationSpec | FileSpec:
    """
    Spec of a population on disk, of which only the footers are read.

    Raises
    ------
    PipelineError
        As `open_population`.
    """
    spec: PopulationSpec | FileSpec = open_population(path, form).spec
    return spec


def read_population(path: Path, form: Form | None = None, x_range: XRange = UNIT) -> Population:
    """
    Read a population into memory: 32 bytes per subscription over one attribute, 16 (d + 1) over several.

    Parameters
    ----------
    form
        What its subscriptions must be; anything by default.
    x_range
        Range of x over which they are laid, of all attributes alike or a pair for each; as they are by default.

    Raises
    ------
    PipelineError
        As `open_population`.
    """
    opened, id_, by_name, location = _columns(path, form)
    found: Form = opened.spec.form
    as_they_are = found.dimensions == 1 and x_range == UNIT
    l, r = (by_name["l"], by_name["r"]) if as_they_are else found.laid(by_name, x_range)
    return Population(opened.spec, id_, l, r, location)


def population_columns(path: Path) -> tuple[PopulationSpec | FileSpec, dict[str, Floats]]:
    """
    Read the columns of a population that say what its subscriptions are, by name and as they are on disk.

    Raises
    ------
    PipelineError
        As `open_population`.
    """
    opened, _, by_name, _ = _columns(path, None)
    return opened.spec, by_name


def _columns(
    path: Path, form: Form | None
) -> tuple[PopulationFiles, npt.NDArray[np.int64], dict[str, Floats], Floats]:
    """Ids, columns by name, and locations."""
    opened = open_population(path, form)
    found: Form = opened.spec.form
    table = read_columns(path, opened, population_layout(found))
    by_name = {name: table[name].to_numpy() for name in found.columns}
    return opened, table["id"].to_numpy(), by_name, table["location"].to_numpy()
