"""Files of `rangecast match`: subscriptions as ranges or as predicates, and events for them, as tables on disk.

A population has the columns `l`, `r` and perhaps `score`, one row per range, as those that `rangecast population`
makes, or those of `matching.predicates`, one row per predicate. With `x`, `y` and `alpha` beside these, the same in
all rows of a subscription, it is a population with places. Events have a column for each attribute, named by it,
missing values where an event lacks one; for ranges one column, and with places also `x` and `y`. Tables are Parquet,
or CSV with a header.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from floor.errors import RangecastError
from matching.places.place_index import checked_places
from matching.predicates import COLUMNS, Predicates
from matching.range_index import checked_ends, checked_scores

__all__ = ["Placed", "Ranges", "read_events", "read_population"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Ranges(NamedTuple):
    """A population of ranges."""

    l: Floats
    r: Floats
    score: Floats | None
    ids: Ints | None
    """What the file calls them, ascending; None if it has no names for them."""


class Placed(NamedTuple):
    """A population of predicates with places."""

    predicates: Predicates
    places: Floats
    """Shape (subscriptions, 2)."""
    alpha: Floats


PLACE_COLUMNS = ("x", "y", "alpha")


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


def _is_number(kind: pa.DataType) -> bool:
    """Whether a column of this type has numbers, or nothing at all."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind))


def _numbers(path: Path, table: pa.Table, name: str) -> Floats:
    column = table.column(name)
    if not _is_number(column.type):
        raise RangecastError(f"{path}: column {name!r} must hold numbers, got {column.type}; convert or drop it")
    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
    except pa.ArrowInvalid:
        raise RangecastError(
            f"{path}: column {name!r} must hold numbers that floats tell apart, got integers beyond 2^53; shift them"
        ) from None


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
            f"{path} must have columns of different names, one for each attribute, got {list(names)}; rename one"
        )
    return names, np.stack([_numbers(path, table, name) for name in names], axis=1)


def read_population(path: Path, attributes: tuple[str, ...]) -> Ranges | Predicates | Placed:
    """Read ranges, or predicates over attributes, or predicates and places; the columns of events are given.

    Raises
    ------
    RangecastError
        The file cannot be read, or does not hold any of these.
    """
    table = _table(path)
    names = set(table.column_names)
    if len(names) < len(table.column_names):
        raise RangecastError(f"{path} must have columns of different names, got {table.column_names}; rename one")
    if {"l", "r"} <= names:
        return _ranges(path, table)
    if not {"attribute", "operator"} <= names:
        raise RangecastError(
            f"{path} has the columns {', '.join(table.column_names)}; a population has l and r, or attribute, "
            f"operator and others of {', '.join(COLUMNS)}; give boxes over several attributes as such predicates"
        )
    own = [name for name in table.column_names if name not in PLACE_COLUMNS]
    placed = len(own) < len(table.column_names)
    if placed:
        _check_place_columns(path, names, attributes)
        attributes = tuple(name for name in attributes if name not in ("x", "y"))
    try:
        predicates = Predicates({name: _column(path, table, name) for name in own}, attributes)
    except (ValueError, TypeError) as error:
        raise RangecastError(f"{path}: {error}") from error
    return _placed(path, table, predicates) if placed else predicates


def _ranges(path: Path, table: pa.Table) -> Ranges:
    """Ranges, in the order of their ids if they have any."""
    names = table.column_names
    ids = None
    if "id" in names:
        ids, table = _ids(path, table)
    try:
        l, r = checked_ends(*(_numbers(path, table, name) for name in ("l", "r")))
        score = checked_scores(_numbers(path, table, "score"), l.size) if "score" in names else None
    except ValueError as error:
        raise RangecastError(f"{path}: {error}") from error
    return Ranges(l, r, score, ids)


def _ids(path: Path, table: pa.Table) -> tuple[Ints, pa.Table]:
    """Ids in ascending order, and the rows in theirs."""
    column = table.column("id")
    if not pa.types.is_integer(column.type) or column.null_count:
        got = f"{column.type}" + (" with gaps" if column.null_count else "")
        raise RangecastError(f"{path}: column 'id' must hold integers, got {got}; number the ranges, or drop it")
    table = table.sort_by("id")
    ids = np.asarray(table.column("id").to_numpy(), np.int64)
    twice = ids[1:][np.diff(ids) == 0]
    if twice.size:
        raise RangecastError(
            f"{path}: ids must be distinct, got {twice[0]} twice; number the ranges anew, or drop 'id'"
        )
    return ids, table


def _check_place_columns(path: Path, names: set[str], attributes: tuple[str, ...]) -> None:
    missing = [name for name in PLACE_COLUMNS if name not in names]
    if missing:
        raise RangecastError(
            f"{path} has no column {missing[0]!r}; a population with places has x, y and alpha, another none of them"
        )
    if not {"x", "y"} <= set(attributes):
        raise RangecastError(
            f"events for the places of {path} must have the columns x and y, got {', '.join(attributes)}; add them"
        )


def _placed(path: Path, table: pa.Table, predicates: Predicates) -> Placed:
    """Places and alphas by subscription, of rows that have them in the order of predicates or in another."""
    columns = np.stack([_numbers(path, table, name) for name in PLACE_COLUMNS], axis=1)
    if "subscription" in table.column_names:
        columns = columns[np.argsort(table.column("subscription").to_numpy(), kind="stable")]
    first = np.searchsorted(predicates.subscription, np.arange(predicates.subscriptions))
    wrong = (columns != columns[first[predicates.subscription]]).any(axis=1) & ~np.isnan(columns).any(axis=1)
    if wrong.any():
        of = predicates.subscription[int(wrong.argmax())]
        raise RangecastError(
            f"{path}: x, y and alpha must be the same in all rows of a subscription, got two of subscription {of}; "
            "mend one"
        )
    try:
        places = checked_places("places", columns[first, :2], predicates.subscriptions)
    except ValueError as error:
        raise RangecastError(f"{path}: {error}") from error
    return Placed(predicates, places, columns[first, 2])


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
    listed = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
    if not (listed and _is_number(column.type.value_type)):
        raise RangecastError(
            f"{path}: column 'set' must hold lists of numbers, got {column.type}; write them to Parquet"
        )
    sizes = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    values = column.flatten().cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.concatenate(([0], np.cumsum(sizes))), values
