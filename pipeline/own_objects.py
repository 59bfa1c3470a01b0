"""Objects from a file: `x` and `y` of each and, if they have any, their names."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.errors import PipelineError
from pipeline.own_tables import OwnTable, files_digest, finite, looked_up, open_table

__all__ = ["ObjectFacts", "OwnObjects", "object_facts", "read_own_objects"]

Floats = npt.NDArray[np.float64]

_PLACES = {"x": pa.float64(), "y": pa.float64()}


class ObjectFacts(NamedTuple):
    """What a file of objects holds."""

    rows: int
    sha256: str
    """Digest of its content."""
    low: float
    """Lowest x."""
    high: float
    """Highest x."""


class OwnObjects(NamedTuple):
    """Objects of a file, in the order of its rows, from which they have their ids."""

    x: Floats
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
    count, low, high = 0, np.inf, -np.inf
    table.require(_PLACES)
    for first, columns in table.batches(_types(table)):
        for name in _PLACES:
            values = columns[name]
            table.refuse_any(first, name, values, ~finite(values), "must be a finite number; mend or remove the row")
        if "name" in columns:
            blank = np.asarray(pc.equal(pc.utf8_trim_whitespace(pc.fill_null(columns["name"], "")), ""))
            table.refuse_any(
                first, "name", columns["name"], blank, "must not be blank; name it, or remove the column"
            )
        x = np.asarray(columns["x"])
        count, low, high = count + len(x), min(low, x.min(initial=np.inf)), max(high, x.max(initial=-np.inf))
    if not count:
        raise PipelineError(f"{table.path}: holds no objects; add rows with x and y")
    return ObjectFacts(count, files_digest(table.files), float(low), float(high))


def read_own_objects(path: Path, sha256: str | None = None) -> OwnObjects:
    """Read a file of objects into memory: 16 bytes per object, and its name.

    Parameters
    ----------
    sha256 : str, optional
        Digest that its content must have.

    Raises
    ------
    PipelineError
        One line: as `object_facts`, it has changed, or two objects have one name.
    """
    facts, table = object_facts(path), open_table(path)
    if sha256 not in (None, facts.sha256):
        raise PipelineError(f"{path}: changed since the scenario was read; start again")
    batches = [columns for _, columns in table.batches(_types(table))]
    x, y = (np.concatenate([np.asarray(columns[name]) for columns in batches]) for name in _PLACES)
    names: list[str] = [name for columns in batches for name in columns.get("name", pa.array([])).to_pylist()]
    seen: set[str] = set()
    for row, name in enumerate(names):
        if name in seen:
            table.refuse(row, "name", name, "another object has this name already; rename one of them")
        seen.add(name)
    return OwnObjects(x, y, names)


def _types(table: OwnTable) -> dict[str, pa.DataType]:
    return _PLACES | ({"name": pa.string()} if "name" in table.names else {})
