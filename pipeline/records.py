"""Reading the records of a run as data frames, with the columns that this version knows."""

from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from floor.text import first_line
from pipeline.errors import PipelineError, spark_errors
from pipeline.schemas import EVENTS, HOPS, spark_schema

__all__ = ["read_events", "read_hops"]


def _read(schema: pa.Schema, spark: SparkSession, path: Path, name: str) -> DataFrame:
    if (path / "manifest.json").exists():
        there = (path / name).exists()
        remedy = f"give {path / name}" if there else f'it has no {name}; run the scenario with record = ["hops"]'
        raise PipelineError(f"{path}: is a run directory and not the records of one; {remedy}")
    from pyarrow.dataset import dataset  # loads pandas

    try:  # Spark would start a job for that
        present = dataset(path.absolute(), format="parquet").schema.names
    except (OSError, pa.ArrowException) as error:
        raise PipelineError(f"cannot read {path}: {first_line(error)}; give records that Rangecast wrote") from error
    missing = [name for name in schema.names if name not in present]
    if missing:
        raise PipelineError(f"{path} lacks the columns {', '.join(missing)}; it has {', '.join(present)}")
    with spark_errors(f"read {path}"):
        return spark.read.schema(spark_schema(schema)).parquet(str(path.absolute())).select(*schema.names)


def read_events(spark: SparkSession, path: Path) -> DataFrame:
    """
    Records of the events of a run, with the schema `pipeline.schemas.EVENTS`.

    Raises
    ------
    PipelineError
        If `path` cannot be read or lacks columns.
    """
    return _read(EVENTS, spark, path, "events.parquet")


def read_hops(spark: SparkSession, path: Path) -> DataFrame:
    """Records of the hops of a run, with the schema `pipeline.schemas.HOPS`; refuses what `read_events` refuses."""
    return _read(HOPS, spark, path, "hops.parquet")
