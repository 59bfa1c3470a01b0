"""Objects from a file: `x`, or `x1`, `x2`, ... of several attributes, and `y` of each and, if any, their names."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.attributes import Range, attributes_of, other_attributes, x_names
from pipeline.errors import PipelineError
from pipeline.own_tables import OwnTable, files_digest, finite, looked_up, open_table

__all__ = ["ObjectFacts", "OwnObjects", "attributes_in", "object_facts", "read_own_objects", "stacked"]

Floats = npt.NDArray[np.float64]

_NUMBERS = ("1", "2", "3")


class ObjectFacts(NamedTuple):
    """What a file of objects holds."""

    rows: int
    sha256: str
    """Digest of its content."""
    ranges: tuple[Range, ...]
    """Lowest and highest x of each attribute."""


class OwnObjects(NamedTuple):
    """Objects of a file, in the order of its rows, from which they have their ids."""

    x: Floats
    """(n,), or (n, d) of several attributes."""
    y: Floats
    names: list[str]
    """Empty if the file has none."""


@looked_up
def object_facts(table: OwnTable) -> ObjectFacts:
    """Look a file of objects through: every row is checked, every byte is read. Space O(1) in the rows.

    Raises
    ------
    PipelineError
        One line: it cannot be read, lacks a column, holds nothing, or a value cannot be.
    """
    places = x_names(attributes_in(table))
    table.require((*places, "y"))
    count, bounds = 0, np.array([[np.inf, -np.inf]] * len(places))
    for first, columns in table.batches(_types(table)):
        for name in (*places, "y"):
            values = columns[name]
            table.refuse_any(first, name, values, ~finite(values), "must be a finite number; mend or remove the row")
        if "name" in columns:
            blank = np.asarray(pc.equal(pc.utf8_trim_whitespace(pc.fill_null(columns["name"], "")), ""))
            table.refuse_any(
                first, "name", columns["name"], blank, "must not be blank; name it, or remove the column"
            )
        count += len(columns["y"])
        for at, name in enumerate(places):
            x = np.asarray(columns[name])
            bounds[at] = x.min(initial=bounds[at, 0]), x.max(initial=bounds[at, 1])
    if not count:
        raise PipelineError(f"{table.path}: holds no objects; add rows with {', '.join(places)} and y")
    return ObjectFacts(count, files_digest(table.files), tuple((float(low), float(high)) for low, high in bounds))


def read_own_objects(path: Path, sha256: str | None = None, dimensions: float = 1) -> OwnObjects:
    """Read a file of objects into memory: 8 bytes per object and column, and its name.

    Parameters
    ----------
    sha256 : str, optional
        Digest that its content must have.
    dimensions : float
        By how many of them objects must have attributes.

    Raises
    ------
    PipelineError
        One line: as `object_facts`, it has changed, two objects have one name, or too few or many attributes.
    """
    facts, table = object_facts(path), open_table(path)
    if attributes_of(dimensions) != len(facts.ranges):
        raise other_attributes(path, len(facts.ranges), dimensions)
    if sha256 not in (None, facts.sha256):
        raise PipelineError(f"{path}: changed since the scenario was read; start again")
    batches = [columns for _, columns in table.batches(_types(table))]
    *x, y = (
        np.concatenate([np.asarray(columns[name]) for columns in batches])
        for name in (*x_names(len(facts.ranges)), "y")
    )
    names: list[str] = [name for columns in batches for name in columns.get("name", pa.array([])).to_pylist()]
    seen: set[str] = set()
    for row, name in enumerate(names):
        if name in seen:
            table.refuse(row, "name", name, "another object has this name already; rename one of them")
        seen.add(name)
    return OwnObjects(stacked(x), y, names)


def attributes_in(table: OwnTable) -> int:
    """Count the attributes of a table by its columns: one if it has x, or none, else up to the last of x1, x2, ..."""
    numbers = [int(name[1:]) for name in table.names if name[:1] == "x" and name[1:] in _NUMBERS]
    return 1 if "x" in table.names or not numbers else max(*numbers, 2)


def stacked(columns: Sequence[Floats]) -> Floats:
    """Columns of attributes side by side, (n, d); of one, (n,)."""
    return columns[0] if len(columns) == 1 else np.column_stack(columns)


def _types(table: OwnTable) -> dict[str, pa.DataType]:
    places = dict.fromkeys((*x_names(attributes_in(table)), "y"), pa.float64())
    return places | ({"name": pa.string()} if "name" in table.names else {})
