"""Lists of events that somebody brings: what they leave blank filled in, then checked like a trace.

A row is one event: the time, the object, and what becomes of it. Where its kind is left blank, a new y is a raise or
a lower and a new x is a move; what a row leaves blank stays as it is. Over several attributes x is x1, x2, ...: a
move may change some of them, an insertion needs them all. Objects are known by name where they have any, and else by
number.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import pipeline
from floor.kernels import njit
from simulator.workload.events import DELETE, INSERT, KINDS, LOWER, MOVE, RAISE
from simulator.workload.places import attributes_in, by_attribute, more_places
from simulator.workload.traces import Floats, Ints, Updates, attribute_columns, broken_rule

__all__ = ["EventList", "read_event_list"]

_UNKNOWN, _TWICE, _NOT_NEXT, _NO_X, _NO_Y, _NOTHING, _BOTH = range(1, 8)
_BLANK = -1


class EventList(NamedTuple):
    """A list that can be run."""

    updates: Updates
    names: list[str]
    """Names of all objects by id, those that are inserted too; empty if they have none."""


def read_event_list(
    path: Path,
    objects: tuple[Floats, Floats],
    names: Sequence[str] = (),
    count: int | None = None,
    sha256: str | None = None,
    dimensions: float | None = None,
) -> EventList:
    """Read the first events of a list, by default all. O(rows).

    Parameters
    ----------
    objects : (n,) float64 arrays x and y
        Objects at the start; over several attributes x is (n, d).
    names : sequence of str
        Their names, all different; without, they are known by their numbers.
    sha256 : str, optional
        Digest that the file must have.
    dimensions : float, optional
        Those of the scenario, if they are not as many as objects have attributes.

    Raises
    ------
    PipelineError
        One line: path, place, value, rule and remedy.
    """
    asked = dimensions or attributes_in(objects[0])
    rows = pipeline.read_own_events(path, count, named=bool(names), sha256=sha256, dimensions=asked)
    table, known = rows.table, np.array(["", *KINDS])
    strange = ~np.isin(rows.kind, known)
    if strange.any():
        at = int(np.argmax(strange))
        rule = f"must be one of {', '.join(KINDS)}, or blank; mend it"
        table.refuse(at, "kind", str(rows.kind[at]), rule)
    kind = (np.argmax(rows.kind[:, None] == known, axis=1) - 1).astype(np.int8)
    inserts = int((kind == INSERT).sum())
    codes, there = _codes(rows.object, names, len(objects[0]), inserts)
    ids, x, y = np.empty(len(codes), np.int64), rows.x.copy(), rows.y.copy()
    now_x, now_y = more_places(objects[0], inserts), np.append(objects[1], np.zeros(inserts))
    row, wrong, attribute, right = _complete(
        (codes, kind, by_attribute(x), y), ids, there, by_attribute(now_x), now_y, len(objects[0]), bool(names)
    )
    if wrong:
        column, rule = _rule(wrong, KINDS[kind[row]], attribute_columns(x)[attribute][0], right)
        table.refuse(row, column, _told(rows.object, rows.x, rows.y, column, row), rule)
    broken = broken_rule(kind, ids, x, y, objects)
    if broken is not None:
        table.refuse(broken.row, broken.column, _told(rows.object, x, y, broken.column, broken.row), broken.rule)
    every = [*names, *rows.object.filter(pa.array(kind == INSERT)).to_pylist()] if names else []
    return EventList(Updates(ids, x, y, kind, rows.time_s - rows.time_s[:1]), every)


def _told(objects: pa.Array, x: Floats, y: Floats, column: str, row: int) -> object:
    """What a row says in a column; None if that is blank."""
    columns = {name: pa.array(values, from_pandas=True) for name, values in (*attribute_columns(x), ("y", y))}
    value: object = {"object": objects, **columns}[column][row].as_py()
    return value


def _codes(objects: pa.Array, names: Sequence[str], n: int, inserts: int) -> tuple[Ints, Ints]:
    """A small number for the object of each row, and the id that each number stands for at the start; -1 for none."""
    if not names:
        codes = np.asarray(objects, np.int64)
        size = n + inserts
        return np.where((codes >= 0) & (codes < size), codes, size), np.append(np.arange(n), np.full(inserts + 1, -1))
    both = pa.concat_arrays([pa.array(list(names), pa.string()), objects]).dictionary_encode()
    codes = np.asarray(both.indices, np.int64)
    there = np.full(len(both.dictionary), -1)
    there[:n] = np.arange(n)  # names differ, so that they are numbered in their order
    return codes[n:], there


def _rule(wrong: int, kind: str, x: str, right: float) -> tuple[str, str]:
    """Column that breaks a rule, and the rule with its remedy; `x` is the name of the attribute in question."""
    return {
        _UNKNOWN: (
            "object",
            "there is no such object at that time; insert it before by a row of kind insert, or mend it",
        ),
        _TWICE: ("object", "an inserted object must not be there already; delete it before, or leave the kind blank"),
        _NOT_NEXT: ("object", f"an inserted object must take the next number, {int(right)}; renumber"),
        _NO_X: (x, f"the row of {kind} needs the new {x}; write it"),
        _NO_Y: ("y", f"the row of {kind} needs the new y; write it"),
        _NOTHING: ("y", f"a row without a kind needs a new y or a new {x}; write one, or the kind delete"),
        _BOTH: (x, f"differs from {right} as y does too; a row is one event: write a row for either"),
    }[wrong]


@njit
def _complete(
    rows: tuple[Ints, NDArray[np.int8], Floats, Floats],
    ids: Ints,
    there: Ints,
    x: Floats,
    y: Floats,
    known: int,
    named: bool,
) -> tuple[int, int, int, float]:
    """Follow the objects and fill in ids, kinds, x and y; the first row that cannot be, why, and in which attribute.

    Places are (rows, d). `x`, `y` and `there`, the id of each code, are used up.
    """
    codes, kind, new_x, new_y = rows
    for row in range(len(codes)):
        code = codes[row]
        i = there[code]
        blanks, blank = 0, 0  # attributes that are left blank, and the first of them
        for j in range(x.shape[1] - 1, -1, -1):
            if np.isnan(new_x[row, j]):
                blanks, blank = blanks + 1, j
        if kind[row] == INSERT:
            if i >= 0:
                return row, _TWICE, 0, 0.0
            if not named and code != known:
                return row, _NOT_NEXT, 0, float(known)
            if blanks:
                return row, _NO_X, blank, 0.0
            if np.isnan(new_y[row]):
                return row, _NO_Y, 0, 0.0
            i = there[code] = known
            known += 1
        elif i < 0:
            return row, _UNKNOWN, 0, 0.0
        elif kind[row] == DELETE:
            there[code] = -1
        elif kind[row] == MOVE and blanks == x.shape[1]:
            return row, _NO_X, blank, 0.0
        elif (kind[row] == RAISE or kind[row] == LOWER) and np.isnan(new_y[row]):
            return row, _NO_Y, 0, 0.0
        elif kind[row] == _BLANK:
            other = -1  # the first attribute that differs
            for j in range(x.shape[1] - 1, -1, -1):
                if not np.isnan(new_x[row, j]) and new_x[row, j] != x[i, j]:
                    other = j
            moves = blanks < x.shape[1] and (other >= 0 or np.isnan(new_y[row]))
            if moves and not np.isnan(new_y[row]) and new_y[row] != y[i]:
                return row, _BOTH, other, x[i, other]
            if not moves and np.isnan(new_y[row]):
                return row, _NOTHING, 0, 0.0
            kind[row] = MOVE if moves else LOWER if new_y[row] > y[i] else RAISE
        for j in range(x.shape[1]):
            if np.isnan(new_x[row, j]):
                new_x[row, j] = x[i, j]
        if np.isnan(new_y[row]):
            new_y[row] = y[i]
        ids[row] = i
        x[i] = new_x[row]
        y[i] = new_y[row]
    return 0, 0, 0, 0.0
