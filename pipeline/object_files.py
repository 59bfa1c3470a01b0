"""Objects from a small spec: made by Spark, kept as an array under a seal."""

import zipfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pyspark.sql import SparkSession

from floor.files import reason_of, whole
from floor.seals import seal
from paint.sides import DIMENSIONS
from pipeline.attributes import attributes_of, x_names
from pipeline.drawing import draw_objects, object_distributions_of, source_of
from pipeline.errors import PipelineError, spark_errors
from pipeline.population_files import content_hash
from pipeline.population_specs import ObjectSpec
from pipeline.session import SparkSource

__all__ = ["object_file", "object_path", "objects", "read_objects"]

Floats = npt.NDArray[np.float64]


def objects(spark: SparkSession, spec: ObjectSpec) -> tuple[Floats, Floats]:
    """Arrays x, (n,) or (n, d) for more than one attribute, and y of `spec.count` objects, by object id."""
    return _places(_rows(spark, spec))


def _rows(spark: SparkSession, spec: ObjectSpec) -> Floats:
    """(d + 1, n): every x, and y."""
    names = (*x_names(attributes_of(spec.dimensions)), "y")
    with spark_errors(f"make {spec.count} {spec.distribution} objects"):
        rows = draw_objects(spec.distribution, spark.range(spec.count), spec.seed, spec.dimensions)
        table = rows.select("id", *names).toArrow().sort_by("id")
    if len(table) != spec.count:
        raise PipelineError(f"{len(table)} rows were made for {spec.count} ids; a distribution gives one for each")
    return np.stack([table[name].to_numpy() for name in names])


def _places(rows: Floats) -> tuple[Floats, Floats]:
    return rows[0] if len(rows) == 2 else np.ascontiguousarray(rows[:-1].T), rows[-1]


def object_file(spark: SparkSource, spec: ObjectSpec, cache_dir: Path) -> Path:
    """
    Path of the objects of a spec below `cache_dir`, made if it is not there: all x and y, (d + 1, n), under a seal.

    Raises
    ------
    PipelineError
        If Spark cannot make them, or the file cannot be written.
    """
    path = object_path(spec, cache_dir)
    if path.exists():
        return path
    rows = _rows(spark(), spec)
    try:
        with whole(path) as partial, partial.open("wb") as stream:
            np.savez(stream, rows=rows, seal=np.array(seal(path.name, rows)))
    except OSError as error:
        raise PipelineError(f"cannot write {path}: {reason_of(error)}") from error
    return path


def object_path(spec: ObjectSpec, cache_dir: Path) -> Path:
    """Where `object_file` puts the objects of a spec."""
    source = source_of(object_distributions_of(spec.dimensions)[spec.distribution])
    return cache_dir / f"objects-{content_hash(str(spec), source)}.npz"


def read_objects(path: Path) -> tuple[Floats, Floats]:
    """
    Give x, (n,) or (n, d) for more than one attribute, and y of the objects in a file of `object_file`.

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
    most = attributes_of(max(DIMENSIONS)) + 1
    if rows.dtype != np.float64 or rows.ndim != 2 or not 2 <= len(rows) <= most or sealed != seal(path.name, rows):
        raise PipelineError(f"{path}: not the objects that were put there; delete the file, it is made again")
    return _places(rows)
