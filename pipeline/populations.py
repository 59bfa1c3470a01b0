"""Populations of subscriptions, and objects, from a small spec: made by Spark, kept as Parquet, read as arrays.

A population is a directory of Parquet files whose rows, in the order of the file names, follow a Z-order curve over
(l, r): rows that lie together in S lie together on disk. Spec and version are in the metadata of every file.
"""

import hashlib
import inspect
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from floor.files import whole
from floor.seals import seal
from pipeline.distributions import (
    DISTRIBUTIONS,
    OBJECT_DISTRIBUTIONS,
    STREAMS,
    draw_objects,
    draw_subscriptions,
    source_of,
    uniform_column,
)
from pipeline.errors import PipelineError, spark_errors
from pipeline.population_files import Layout, open_files, read_columns, write_rows
from pipeline.schemas import POPULATION, POPULATION_VERSION
from pipeline.session import SparkSource

__all__ = [
    "FileSpec",
    "ObjectSpec",
    "Population",
    "PopulationSpec",
    "object_file",
    "object_path",
    "objects",
    "population",
    "population_frame",
    "population_path",
    "population_spec",
    "read_objects",
    "read_population",
    "spread_ends",
    "write_population",
]

Floats = npt.NDArray[np.float64]

ROWS_PER_FILE = 1_000_000
#: Most bits per axis of the curve: cells of side 2^-16.
CURVE_BITS = 16


def check_spec(registry: Mapping[str, object], distribution: str, count: int, seed: int) -> None:
    """Refuse a distribution that is not registered, and counts and seeds out of range."""
    if distribution not in registry:
        raise ValueError(f"distribution must be one of {', '.join(sorted(registry))}, got {distribution!r}")
    for name, value, least, bits in (("count", count, 1, 40), ("seed", seed, 0, 63)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} must be an integer, got {value!r}")
        if not least <= value < 2**bits:
            raise ValueError(f"{name} must be between {least} and 2^{bits} - 1, got {value}")


@dataclass(frozen=True)
class PopulationSpec:
    """
    What a population is: the same spec gives the same rows, on any machine of one kind and any cluster.

    Parameters
    ----------
    distribution
        A name in `pipeline.distributions.DISTRIBUTIONS`.
    count
        Number of subscriptions, below 2^40.
    seed
        Any integer from 0 to 2^63 - 1.
    parameters
        Values above 0 for the parameters of the distribution, for instance `{"spread": 0.1}` for "clustered".
    """

    distribution: str
    count: int
    seed: int
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_spec(DISTRIBUTIONS, self.distribution, self.count, self.seed)
        known = _parameters(DISTRIBUTIONS[self.distribution])
        for name, value in self.parameters.items():
            if name not in known:
                takes = f"takes {', '.join(known)}" if known else "takes no parameters"
                raise ValueError(f"distribution {self.distribution} {takes}, got {name!r}")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(f"{name} must be a number, got {value!r}")
            if not (isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a finite number above 0, got {value}")
        object.__setattr__(self, "parameters", {**known, **{n: float(v) for n, v in self.parameters.items()}})

    def __hash__(self) -> int:
        return hash(self.as_json())

    def as_json(self) -> str:
        """Canonical text of the spec, defaults filled in."""
        content = {
            "distribution": self.distribution,
            "count": self.count,
            "seed": self.seed,
            "parameters": self.parameters,
        }
        return json.dumps(content, sort_keys=True)


@dataclass(frozen=True)
class FileSpec:
    """
    What a population is that follows from a file somebody brought, whose ends are values of x, not shares of a range.

    Parameters
    ----------
    sha256
        Digest of the file.
    count
        Number of subscriptions.
    seed
        Of the places of subscriptions; 0 where the file has them.
    """

    sha256: str
    count: int
    seed: int

    def as_json(self) -> str:
        """Canonical text of the spec."""
        return json.dumps(asdict(self), sort_keys=True)


def population_layout() -> Layout:
    """How populations lie on disk."""
    return Layout("population", POPULATION, POPULATION_VERSION, _stored_spec)


def _stored_spec(**content: Any) -> PopulationSpec | FileSpec:
    if "sha256" in content:
        return FileSpec(**content)
    if content.get("distribution") not in DISTRIBUTIONS:
        raise ValueError(f"made by the distribution {content.get('distribution')!r}; bring that by --with FILE")
    return PopulationSpec(**content)


@dataclass(frozen=True)
class ObjectSpec:
    """What a set of objects is: `distribution` is a name in `pipeline.distributions.OBJECT_DISTRIBUTIONS`."""

    distribution: str
    count: int
    seed: int

    def __post_init__(self) -> None:
        check_spec(OBJECT_DISTRIBUTIONS, self.distribution, self.count, self.seed)


@dataclass(frozen=True)
class Population:
    """A population in memory: arrays of one row per subscription, in curve order; `location` lies in [0, 1)."""

    spec: PopulationSpec | FileSpec
    id: npt.NDArray[np.int64]
    l: Floats
    r: Floats
    location: Floats


def spread_ends(ends: Floats, x_range: tuple[float, float]) -> Floats:
    """Ends in [0, 1] of a population laid over a range of x: u stands for low + u (high - low)."""
    low, high = x_range
    return low + ends * (high - low)


def _parameters(distribution: Callable[..., DataFrame]) -> dict[str, float]:
    """Keyword-only arguments of a distribution, with their defaults."""
    arguments = inspect.signature(distribution).parameters.values()
    return {argument.name: argument.default for argument in arguments if argument.kind is argument.KEYWORD_ONLY}


def population_frame(spark: SparkSession, spec: PopulationSpec, partitions: int | None = None) -> DataFrame:
    """
    Rows of a population, in no order: id, l, r, location.

    Parameters
    ----------
    partitions
        How many tasks make them; the rows do not depend on it.
    """
    return _rows(spark.range(0, spec.count, 1, partitions), spec)


def _rows(ids: DataFrame, spec: PopulationSpec) -> DataFrame:
    rows = draw_subscriptions(spec.distribution, ids, spec.seed, spec.parameters)
    return rows.withColumn("location", uniform_column(spec.seed, STREAMS["location"])).select(*POPULATION.names)


def objects(spark: SparkSession, spec: ObjectSpec) -> tuple[Floats, Floats]:
    """Arrays x and y of `spec.count` objects, by object id."""
    with spark_errors(f"make {spec.count} {spec.distribution} objects"):
        rows = draw_objects(spec.distribution, spark.range(spec.count), spec.seed)
        table = rows.select("id", "x", "y").toArrow().sort_by("id")
    if len(table) != spec.count:
        raise PipelineError(f"{len(table)} rows were made for {spec.count} ids; a distribution gives one for each")
    return table["x"].to_numpy(), table["y"].to_numpy()


def curve(l: Column, r: Column, bits: int = CURVE_BITS) -> Column:
    """Z-order position of (l, r) in [0, 1]^2, at up to 16 bits per axis."""
    return _spread_bits(l, bits).bitwiseOR(sf.shiftleft(_spread_bits(r, bits), 1))


def _spread_bits(value: Column, bits: int) -> Column:
    """Put the bits of the cell of a value in [0, 1] at the even places of a long."""
    cell = sf.least(sf.floor(value * sf.lit(2.0**bits)), sf.lit(2**bits - 1)).cast("long")
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        cell = cell.bitwiseOR(sf.shiftleft(cell, shift)).bitwiseAND(sf.lit(mask).cast("long"))
    return cell


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
    rows = _rows(_ids_in_curve_order(spark, spec), spec)
    write_rows(rows, population_layout(), spec.as_json(), path)


def _ids_in_curve_order(spark: SparkSession, spec: PopulationSpec) -> DataFrame:
    """
    Row ids by (curve, id), which is one and the same order however the rows are cut into files.

    Both are packed into one long: Spark sorts single longs by radix, and since a row is a function of its id, nothing
    else needs to travel. Above 2^31 rows the curve has fewer bits.
    """
    key, id_bits = _curve_key(spec.count)
    ordered = _sorted_by(population_frame(spark, spec).select(key.alias("key")), spec.count)
    return ordered.select(sf.col("key").bitwiseAND(sf.lit(2**id_bits - 1).cast("long")).alias("id"))


def in_curve_order(rows: DataFrame, count: int, frame: tuple[float, float] = (0.0, 1.0)) -> DataFrame:
    """Rows with id, l and r in a frame by (curve, id), for rows that are dear to make a second time."""
    return _sorted_by(rows.withColumn("key", _curve_key(count, frame)[0]), count).drop("key")


def _curve_key(count: int, frame: tuple[float, float] = (0.0, 1.0)) -> tuple[Column, int]:
    id_bits = count.bit_length()
    l, r = sf.col("l"), sf.col("r")
    if frame != (0.0, 1.0):
        # Halved first, lest the difference of two large values be infinite.
        low, half = sf.lit(frame[0] / 2), sf.lit(frame[1] / 2 - frame[0] / 2)
        l, r = (l / 2 - low) / half, (r / 2 - low) / half
    position = curve(l, r, min(CURVE_BITS, (63 - id_bits) // 2))
    return sf.shiftleft(position, id_bits).bitwiseOR(sf.col("id")), id_bits


def _sorted_by(rows: DataFrame, count: int) -> DataFrame:
    return rows.repartitionByRange(-(-count // ROWS_PER_FILE), "key").sortWithinPartitions("key")


def object_file(spark: SparkSource, spec: ObjectSpec, cache_dir: Path) -> Path:
    """
    Path of the objects of a spec below `cache_dir`, made if it is not there: x and y, shape (2, n), under a seal.

    Raises
    ------
    PipelineError
        If Spark cannot make them, or the file cannot be written.
    """
    path = object_path(spec, cache_dir)
    if path.exists():
        return path
    rows = np.stack(objects(spark(), spec))
    try:
        with whole(path) as partial, partial.open("wb") as stream:
            np.savez(stream, rows=rows, seal=np.array(seal(path.name, rows)))
    except OSError as error:
        raise PipelineError(f"cannot write {path}: {error.strerror}") from error
    return path


def object_path(spec: ObjectSpec, cache_dir: Path) -> Path:
    """Where `object_file` puts the objects of a spec."""
    return cache_dir / f"objects-{_content_hash(repr(spec), OBJECT_DISTRIBUTIONS[spec.distribution])}.npz"


def read_objects(path: Path) -> tuple[Floats, Floats]:
    """
    Give x and y of the objects in a file of `object_file`.

    Raises
    ------
    PipelineError
        If it cannot be read, holds something else, or is not what was put there.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            rows, sealed = stored["rows"], str(stored["seal"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        reason = " ".join(str(error).split())
        raise PipelineError(f"{path}: damaged objects ({reason}); delete the file, it is made again") from error
    if rows.dtype != np.float64 or rows.ndim != 2 or len(rows) != 2 or sealed != seal(path.name, rows):
        raise PipelineError(f"{path}: not the objects that were put there; delete the file, it is made again")
    return rows[0], rows[1]


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
    open_files(path, population_layout())
    return path


def population_path(spec: PopulationSpec, cache_dir: Path) -> Path:
    """Where `population` puts the population of a spec; whoever finds it there can read it without Spark."""
    return cache_dir / f"population-{_content_hash(spec.as_json(), DISTRIBUTIONS[spec.distribution])}"


def _content_hash(spec: str, distribution: Callable[..., DataFrame]) -> str:
    """Digest of the spec, the version and the distribution's source: an edited distribution gets a new place."""
    return hashlib.sha256(f"{POPULATION_VERSION}\n{spec}\n{source_of(distribution)}".encode()).hexdigest()[:16]


def population_spec(path: Path) -> PopulationSpec | FileSpec:
    """
    Spec of a population on disk, of which only the footers are read.

    Raises
    ------
    PipelineError
        If `path` is no population, is incomplete, or was written by another version.
    """
    spec: PopulationSpec | FileSpec = open_files(path, population_layout()).spec
    return spec


def read_population(path: Path) -> Population:
    """
    Read a population into memory: 32 bytes per subscription.

    Raises
    ------
    PipelineError
        If `path` is no population, is incomplete, or was written by another version.
    """
    opened = open_files(path, population_layout())
    table = read_columns(path, opened, population_layout())
    return Population(opened.spec, *(table[name].to_numpy() for name in POPULATION.names))
