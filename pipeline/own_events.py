"""Events from a file: a plain list, a row for each, with its time, its object and what becomes of that."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.attributes import attributes_of, other_attributes, x_names
from pipeline.errors import PipelineError
from pipeline.own_objects import attributes_in, stacked
from pipeline.own_tables import OwnTable, files_digest, finite, looked_up, open_table

__all__ = ["EventFacts", "OwnEvents", "event_facts", "is_event_list", "read_own_events"]

Floats = npt.NDArray[np.float64]


class EventFacts(NamedTuple):
    """What a list of events holds."""

    rows: int
    sha256: str
    """Digest of its content."""
    attributes: int | None = 1
    """Whose columns it has: one of x, several of x1, x2, ...; None if it has no column of any, so that any go."""


class OwnEvents(NamedTuple):
    """Rows of a list of events; what a row leaves blank is NaN, or "" for its kind."""

    table: OwnTable
    """To tell of a wrong row."""
    time_s: Floats
    """Never before the row in front of it."""
    object: pa.Array
    """(rows,) of text, or of int64 where they were asked for."""
    kind: npt.NDArray[np.str_]
    x: Floats
    """(rows,), or (rows, d) of several attributes."""
    y: Floats


def is_event_list(path: Path) -> bool:
    """Whether a path may be that of a list of events, rather than the directory of a trace."""
    if path.is_dir():
        return not (path / "trace.json").exists() and any(file.is_file() for file in path.glob("*.parquet"))
    return path.exists() or path.suffix in (".csv", ".parquet")


@looked_up
def event_facts(table: OwnTable) -> EventFacts:
    """Count the rows of a list of events; every byte is read. Space O(1) in the rows.

    Raises
    ------
    PipelineError
        One line: it cannot be read, lacks a column, or holds nothing.
    """
    _time_column(table)
    count = sum(len(columns["object"]) for _, columns in table.batches({"object": pa.string()}))
    if not count:
        raise PipelineError(f"{table.path}: holds no events; add rows")
    return EventFacts(count, files_digest(table.files), _attributes(table))


def read_own_events(
    path: Path, count: int | None, *, named: bool, sha256: str | None = None, dimensions: float = 1
) -> OwnEvents:
    """Read the first events of a list, by default all: 50 bytes for each, and 8 for every attribute beyond one.

    Parameters
    ----------
    named : bool
        Whether objects are known by name, or else by number.
    sha256 : str, optional
        Digest that its content must have.
    dimensions : float
        By how many of them objects have attributes.

    Raises
    ------
    PipelineError
        One line: as `event_facts`, it has changed, a value cannot be, or it has too few or many attributes.
    """
    table = open_table(path)
    time = _time_column(table)
    if sha256 not in (None, files_digest(table.files)):
        raise PipelineError(f"{path}: changed since the scenario was read; start again")
    types = {time: pa.float64(), "object": pa.string() if named else pa.int64()}
    found, places = _attributes(table), x_names(attributes_of(dimensions))
    if found is not None and (found > len(places) or (found == 1) != (len(places) == 1)):
        raise other_attributes(path, found, dimensions)
    types |= {name: kind for name, kind in _optional(places).items() if name in table.names}
    kept = [columns for _, columns in _first(table, types, count, time)]
    rows = sum(len(columns["object"]) for columns in kept)

    def numbers(name: str) -> Floats:
        parts = [np.asarray(pc.fill_null(columns[name], float("nan"))) for columns in kept if name in columns]
        return np.concatenate(parts) if parts else np.full(rows, np.nan)

    kinds = [np.asarray(pc.fill_null(columns["kind"], "")).astype(np.str_) for columns in kept if "kind" in columns]
    kind = np.concatenate(kinds) if kinds else np.full(rows, "")
    objects = pa.concat_arrays([columns["object"] for columns in kept])
    time_s = numbers(time)
    falls = np.diff(time_s, prepend=time_s[:1]) < 0
    rule = "must not be before the one in front of it; sort the rows by time"
    table.refuse_any(0, time, pa.array(time_s), falls, rule)
    return OwnEvents(table, time_s, objects, kind, stacked([numbers(name) for name in places]), numbers("y"))


def _optional(places: Iterable[str]) -> dict[str, pa.DataType]:
    return {"kind": pa.string(), **dict.fromkeys((*places, "y"), pa.float64())}


def _attributes(table: OwnTable) -> int | None:
    """Of how many attributes a list has columns; None if it has none of any."""
    found = attributes_in(table)
    return found if found > 1 or "x" in table.names else None


def _time_column(table: OwnTable) -> str:
    """Which column of a list has the time.

    Raises
    ------
    PipelineError
        One that is needed is missing.
    """
    time = "time_s" if "time_s" in table.names and "time" not in table.names else "time"
    table.require((time, "object"))
    if not any(name in table.names for name in _optional(x_names(attributes_in(table)))):
        table.require(("y",))
    return time


def _first(
    table: OwnTable, types: dict[str, pa.DataType], count: int | None, time: str
) -> Iterator[tuple[int, dict[str, pa.Array]]]:
    for first, columns in table.batches(types):
        if count is not None and first >= count:
            return
        wanted = {name: values[: None if count is None else count - first] for name, values in columns.items()}
        seconds, objects = wanted[time], wanted["object"]
        table.refuse_any(first, time, seconds, ~finite(seconds), "must be a finite number of seconds; mend it")
        blank = np.asarray(objects.is_null())
        table.refuse_any(first, "object", objects, blank, "must not be blank; say which object the event is about")
        for name in wanted:
            if name not in (time, "object", "kind"):
                given = pc.fill_null(wanted[name], 0.0)
                table.refuse_any(first, name, given, ~finite(given), "must be a finite number, or blank; mend it")
        yield first, wanted
