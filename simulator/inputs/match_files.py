"""Files of `rangecast match`: subscriptions as ranges or as predicates, and events for them, as tables on disk.

A population has the columns `l`, `r` and perhaps `score`, one row per range, as those that `rangecast population`
makes, or those of `matching.predicates`, one row per predicate. Events have a column for each attribute, named by it,
missing values where an event lacks one; for ranges one column. Tables are Parquet, or CSV with a header.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from floor.errors import RangecastError
from matching.predicates import COLUMNS, Predicates

__all__ = ["Ranges", "read_events", "read_population"]

Floats = npt.NDArray[np.float64]


class Ranges(NamedTuple):
    """A population of ranges."""

    l: Floats
    r: Floats
    score: Floats | None


def _table(path: Path) -> pa.Table:
    try:
        if path.is_dir():
            parts = sorted(path.glob("*.parquet"))
            if not parts:
                raise RangecastError(
                    f"{path} holds no Parquet file; give one, or a directory of `rangecast population`"
                )
            return pa.concat_tables([pq.ParquetFile(part).read() for part in parts])
        if path.suffix == ".csv":
            return pyarrow.csv.read_csv(path)
        return pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        reason = "no such file" if not path.exists() else str(error).splitlines()[0]
        raise RangecastError(f"{path} cannot be read as Parquet or CSV ({reason}); give another file") from error


def _numbers(path: Path, table: pa.Table, name: str) -> Floats:
    column = table.column(name)
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_null(column.type)):
        raise RangecastError(f"{path}: column {name!r} must hold numbers, got {column.type}; convert or drop it")
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)


def read_events(path: Path) -> tuple[tuple[str, ...], Floats]:
    """Names of the attributes and events, shape (events, attributes), NaN for what is missing.

    Raises
    ------
    RangecastError
        The file cannot be read, has no column, a name twice, or something else than numbers.
    """
    table = _table(path)
    names = tuple(table.column_names)
    if not names or len(set(names)) < len(names):
        raise RangecastError(
            f"{path} must have columns of different names, one for each attribute, got {list(names)}"
        )
    return names, np.stack([_numbers(path, table, name) for name in names], axis=1)


def read_population(path: Path, attributes: tuple[str, ...]) -> Ranges | Predicates:
    """Read ranges, or predicates over attributes.

    Raises
    ------
    RangecastError
        The file cannot be read, or does not hold either.
    """
    table = _table(path)
    names = set(table.column_names)
    if {"l", "r"} <= names:
        if "id" in names:
            table = table.sort_by("id")
        score = _numbers(path, table, "score") if "score" in names else None
        return Ranges(_numbers(path, table, "l"), _numbers(path, table, "r"), score)
    if not {"attribute", "operator"} <= names:
        raise RangecastError(
            f"{path} has the columns {', '.join(table.column_names)}; a population has l and r, or attribute, "
            f"operator and others of {', '.join(COLUMNS)}"
        )
    try:
        return Predicates({name: _column(path, table, name) for name in table.column_names}, attributes)
    except (ValueError, TypeError) as error:
        raise RangecastError(f"{path}: {error}") from error


def _column(path: Path, table: pa.Table, name: str) -> Any:
    if name in ("low", "high", "weight"):
        return _numbers(path, table, name)
    if name == "set":
        return _sets(path, table)
    return table.column(name).to_numpy()


def _sets(path: Path, table: pa.Table) -> Any:
    """Starts and values of the lists in column `set`."""
    column = table.column("set").combine_chunks()
    if pa.types.is_null(column.type):
        return None
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise RangecastError(
            f"{path}: column 'set' must hold lists of numbers, got {column.type}; write them to Parquet"
        )
    sizes = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    values = column.flatten().cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.concatenate(([0], np.cumsum(sizes))), values
