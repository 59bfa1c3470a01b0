"""Populations on disk: a directory of Parquet files that appears whole or not at all and says what it is.

Spark writes the files under a temporary name and the directory is renamed; the spec and the version of the layout are
in the metadata of every file. Whoever opens a directory looks at its marker and at every footer first, so that a
half-written, foreign or older one is told apart before a row is read.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from floor.files import reason_of, whole
from pipeline.errors import PipelineError, spark_errors
from pipeline.schemas import POPULATION_VERSION

__all__ = [
    "Layout",
    "PopulationFiles",
    "content_hash",
    "open_files",
    "read_columns",
    "spec_found",
    "write_rows",
    "written_spec",
]

_SPARK_ROW_METADATA = b"org.apache.spark.sql.parquet.row.metadata"


class Layout(NamedTuple):
    """A kind of population: its columns, their version, and how its spec is made from the JSON in the files."""

    kind: str
    schema: pa.Schema
    version: int
    spec: Callable[..., Any]


class PopulationFiles(NamedTuple):
    """A population on disk that passed every check of its footers."""

    spec: Any
    files: list[Path]
    row_groups: list[list[int]]
    """Rows of each row group of each file."""


def write_rows(rows: DataFrame, layout: Layout, spec_json: str, path: Path) -> None:
    """Write rows of a layout, in their order, whole or not at all.

    Raises
    ------
    PipelineError
        If `path` exists (nothing is overwritten) or Spark cannot write.
    """
    if path.exists():
        raise PipelineError(f"{path} exists already; remove it or choose another path for the {layout.kind}")
    # Spark's writer takes no metadata for a file, but it keeps that of a column in every file.
    metadata = {"rangecast_version": layout.version, "rangecast_spec": spec_json}
    try:
        with whole(path, replace=False) as partial, spark_errors(f"write {path}"):
            # Hardly a value occurs twice: a dictionary would cost time and save nothing.
            writer = rows.withMetadata("id", metadata).write.option("parquet.enable.dictionary", "false")
            writer.parquet(str(partial.absolute()))
            _check_rows(partial, json.loads(spec_json)["count"])
    except OSError as error:
        raise PipelineError(f"cannot write {path}: {reason_of(error)}") from error


def _check_rows(directory: Path, count: int) -> None:
    rows = sum(pq.read_metadata(file).num_rows for file in directory.glob("*.parquet"))
    if rows != count:
        raise PipelineError(f"{rows} rows were made for {count} ids; a distribution gives one for each; mend it")


def open_files(path: Path, layout: Layout) -> PopulationFiles:
    """Spec and files of a population, after a look at its marker and at the footer of every file.

    Raises
    ------
    PipelineError
        If `path` is not a whole population of this layout and version.
    """
    if not path.is_dir():
        if not path.exists():
            raise PipelineError(f"{path} is not a {layout.kind} (no such directory); choose another path or make one")
        raise _refusal(path, layout, "not a directory")
    files = sorted(path.glob("*.parquet"))
    if not (path / "_SUCCESS").exists() or not files:
        raise _refusal(path, layout, "half-written or made by something else")
    footers = [_footer(path, file, layout) for file in files]
    specs = {_spec_of(path, file, footer, layout) for file, footer in zip(files, footers, strict=True)}
    if len(specs) != 1:
        raise _refusal(path, layout, "its files are of different populations")
    spec = specs.pop()
    rows = sum(footer.num_rows for footer in footers)
    if rows != spec.count:
        raise _refusal(path, layout, f"it holds {rows} rows, not {spec.count}")
    groups = [[footer.row_group(group).num_rows for group in range(footer.num_row_groups)] for footer in footers]
    return PopulationFiles(spec, files, groups)


def written_spec(file: Path) -> str | None:
    """Spec in a Parquet file, as JSON; None if it is no part of a population."""
    spec = _id_metadata(pq.read_schema(file)).get("rangecast_spec")
    return None if spec is None else str(spec)


def spec_found(path: Path) -> str:
    """Spec in the first file of a directory, as JSON; empty if there is none, which `open_files` will tell."""
    try:
        return written_spec(min(path.glob("*.parquet"))) or ""
    except (OSError, ValueError, pa.ArrowException):  # there may be none
        return ""


def content_hash(spec: str, source: str) -> str:
    """Digest of a spec, the version and the distribution's source: an edited distribution gets a new place."""
    return hashlib.sha256(f"{POPULATION_VERSION}\n{spec}\n{source}".encode()).hexdigest()[:16]


def read_columns(path: Path, opened: PopulationFiles, layout: Layout) -> pa.Table:
    """Read all rows of a population that was opened."""
    try:
        # Not by `read_table`, which would load pandas for nothing.
        files = [pq.ParquetFile(file, page_checksum_verification=True) for file in opened.files]
        return pa.concat_tables([file.read(columns=layout.schema.names) for file in files])
    except (OSError, pa.ArrowException) as error:
        raise _refusal(path, layout, str(error).splitlines()[0]) from error


def _refusal(path: Path, layout: Layout, reason: str) -> PipelineError:
    return PipelineError(f"{path} is not a {layout.kind} ({reason}); remove it or choose another path")


def _footer(path: Path, file: Path, layout: Layout) -> pq.FileMetaData:
    try:
        return pq.read_metadata(file)
    except (OSError, pa.ArrowException) as error:
        raise _refusal(path, layout, f"{file.name} is not a Parquet file") from error


def _spec_of(path: Path, file: Path, footer: pq.FileMetaData, layout: Layout) -> Any:
    schema = footer.schema.to_arrow_schema()
    metadata = _id_metadata(schema)
    present, wanted = ({column.name: column.type for column in columns} for columns in (schema, layout.schema))
    if "rangecast_spec" not in metadata or present != wanted:
        raise _refusal(path, layout, f"{file.name} has other columns or no spec")
    version = metadata["rangecast_version"]
    if version != layout.version:
        raise PipelineError(
            f"{path} is a {layout.kind} of version {version}, this is version {layout.version}; make it again"
        )
    try:
        return layout.spec(**json.loads(metadata["rangecast_spec"]))
    except (TypeError, ValueError) as error:
        raise _refusal(path, layout, f"{file.name}: {error}") from error


def _id_metadata(schema: pa.Schema) -> dict[str, Any]:
    text = (schema.metadata or {}).get(_SPARK_ROW_METADATA, b"{}")
    for column in json.loads(text).get("fields", []):
        if column["name"] == "id":
            return dict(column["metadata"])
    return {}
