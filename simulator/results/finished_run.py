"""Finished runs: every file of a run directory, read and checked here only."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

from pipeline import SUMMARY
from simulator.results.errors import RunError

__all__ = ["read_manifest", "read_scenario_text", "read_summary", "read_table"]


def read_summary(directory: Path) -> list[dict[str, object]]:
    """Rows of a run's `summary.csv`.

    Raises
    ------
    RunError
        A directory that is not a finished run.
    """
    path = directory / "summary.csv"
    if not path.is_file():
        reason = f"it has no {path.name}" if directory.is_dir() else "there is no such directory"
        raise RunError(f"{directory}: not a finished run: {reason}; give a directory that `rangecast run` made")
    try:
        rows = csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=SUMMARY)).to_pylist()
    except (OSError, ValueError) as error:
        raise RunError(
            f"{directory}: not a finished run ({str(error).splitlines()[0]}); give a directory that `run` made"
        ) from error
    missing = [column for column in SUMMARY.names if rows and column not in rows[0]]
    if missing:
        raise RunError(f"{path}: lacks the columns {', '.join(missing)}; run the scenario again with this version")
    return list(rows)


_TABLES = ("scenario", "versions", "verified", "faults", "approaches", "seconds")
"""What the report reads of a manifest."""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}; run the scenario again") from error
    except ValueError as error:
        raise RunError(f"{path}: cannot be read: it is not UTF-8 text; run the scenario again") from error


def read_manifest(path: Path) -> dict[str, Any]:
    """Read a `manifest.json` with all its tables."""
    try:
        manifest = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: not valid JSON ({str(error).splitlines()[0]}); run the scenario again") from error
    if not isinstance(manifest, dict):
        raise RunError(f"{path}: must hold a table, not {type(manifest).__name__}; run the scenario again")
    missing = [name for name in _TABLES if not isinstance(manifest.get(name), dict)]
    if missing:
        raise RunError(f"{path}: lacks the tables {', '.join(missing)}; run the scenario again with this version")
    return manifest


def read_scenario_text(path: Path, ran: dict[str, Any]) -> str:
    """The scenario file, with all that ran: of one that was cut off, defaults would stand in for the rest."""
    text = _text(path)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: not valid TOML ({str(error).splitlines()[0]}); run the scenario again") from error
    missing = _missing(ran, values)
    if missing:
        raise RunError(f"{path}: lacks {', '.join(missing)}, which manifest.json has; run the scenario again")
    return text


def _missing(wanted: dict[str, Any], values: dict[str, Any]) -> list[str]:
    """Keys, dotted, that are in `wanted` only."""
    missing = []
    for key, value in wanted.items():
        if key not in values:
            missing.append(key)
        elif isinstance(value, dict) and isinstance(values[key], dict):
            missing += [f"{key}.{inner}" for inner in _missing(value, values[key])]
    return missing


def read_table(path: Path, schema: pa.Schema) -> pa.Table:
    """Read a Parquet file of a run with the columns of a schema."""
    try:
        table = pq.read_table(path)
        missing = [name for name in schema.names if name not in table.column_names]
        if not missing:
            return table.select(schema.names).cast(schema)
    except (OSError, ValueError) as error:  # Arrow's errors are among these
        reason = "there is no such file" if not path.exists() else str(error).splitlines()[0]
        raise RunError(f"{path}: cannot be read: {reason}; run the scenario again with this version") from error
    raise RunError(f"{path}: lacks the columns {', '.join(missing)}; run the scenario again with this version")
