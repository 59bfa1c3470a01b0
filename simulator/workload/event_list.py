"""Lists of events that somebody brings: what they leave blank filled in, then checked like a trace.

A row is one event: the time, the object, and what becomes of it. Where its kind is left blank, a new y is a raise or
a lower and a new x is a move; what a row leaves blank stays as it is. Objects are known by name where they have any,
and else by number.
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
from simulator.workload.traces import Floats, Ints, Updates, broken_rule

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
) -> EventList:
    """Read the first events of a list, by default all. O(rows).

    Parameters
    ----------
    objects : (n,) float64 arrays x and y
        Objects at the start.
    names : sequence of str
        Their names, all different; without, they are known by their numbers.
    sha256 : str, optional
        Digest that the file must have.

    Raises
    ------
    PipelineError
        One line: path, place, value, rule and remedy.
    """
    rows = pipeline.read_own_events(path, count, named=bool(names), sha256=sha256)
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
    room = np.zeros(inserts)
    now = [np.append(one, room) for one in objects]
    row, wrong, right = _complete((codes, kind, x, y), ids, there, now[0], now[1], len(objects[0]), bool(names))
    if wrong:
        told = {
            "object": rows.object,
            "x": pa.array(rows.x, from_pandas=True),
            "y": pa.array(rows.y, from_pandas=True),
        }
        column, rule = _rule(wrong, KINDS[kind[row]], right)
        table.refuse(row, column, told[column][row].as_py(), rule)
    broken = broken_rule(kind, ids, x, y, objects)
    if broken is not None:
        told = {"object": rows.object, "x": pa.array(x), "y": pa.array(y)}
        table.refuse(broken.row, broken.column, told[broken.column][broken.row].as_py(), broken.rule)
    every = [*names, *rows.object.filter(pa.array(kind == INSERT)).to_pylist()] if names else []
    return EventList(Updates(ids, x, y, kind, rows.time_s - rows.time_s[:1]), every)


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


def _rule(wrong: int, kind: str, right: float) -> tuple[str, str]:
    """Column that breaks a rule, and the rule with its remedy."""
    return {
        _UNKNOWN: (
            "object",
            "there is no such object at that time; insert it before by a row of kind insert, or mend it",
        ),
        _TWICE: ("object", "an inserted object must not be there already; delete it before, or leave the kind blank"),
        _NOT_NEXT: ("object", f"an inserted object must take the next number, {int(right)}; renumber"),
        _NO_X: ("x", f"the row of {kind} needs the new x; write it"),
        _NO_Y: ("y", f"the row of {kind} needs the new y; write it"),
        _NOTHING: ("y", "a row without a kind needs a new y or a new x; write one, or the kind delete"),
        _BOTH: ("x", f"differs from {right} as y does too; a row is one event: write a row for either"),
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
) -> tuple[int, int, float]:
    """Follow the objects from row to row and fill in ids, kinds, x and y; the first row that cannot be, and why.

    `x`, `y` and `there`, the id of each code, are used up.
    """
    codes, kind, new_x, new_y = rows
    for row in range(len(codes)):
        code = codes[row]
        i = there[code]
        if kind[row] == INSERT:
            if i >= 0:
                return row, _TWICE, 0.0
            if not named and code != known:
                return row, _NOT_NEXT, float(known)
            if np.isnan(new_x[row]):
                return row, _NO_X, 0.0
            if np.isnan(new_y[row]):
                return row, _NO_Y, 0.0
            i = there[code] = known
            known += 1
        elif i < 0:
            return row, _UNKNOWN, 0.0
        elif kind[row] == DELETE:
            there[code] = -1
        elif kind[row] == MOVE and np.isnan(new_x[row]):
            return row, _NO_X, 0.0
        elif (kind[row] == RAISE or kind[row] == LOWER) and np.isnan(new_y[row]):
            return row, _NO_Y, 0.0
        elif kind[row] == _BLANK:
            moves = not np.isnan(new_x[row]) and (new_x[row] != x[i] or np.isnan(new_y[row]))
            if moves and not np.isnan(new_y[row]) and new_y[row] != y[i]:
                return row, _BOTH, x[i]
            if not moves and np.isnan(new_y[row]):
                return row, _NOTHING, 0.0
            kind[row] = MOVE if moves else LOWER if new_y[row] > y[i] else RAISE
        if np.isnan(new_x[row]):
            new_x[row] = x[i]
        if np.isnan(new_y[row]):
            new_y[row] = y[i]
        ids[row] = i
        x[i] = new_x[row]
        y[i] = new_y[row]
    return 0, 0, 0.0
