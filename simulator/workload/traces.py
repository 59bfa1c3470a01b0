"""Traces: what `rangecast events` made of a history, checked row by row before anything is run."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import pipeline
from floor.errors import RangecastError
from floor.kernels import njit
from simulator.workload.events import DELETE, INSERT, KINDS, LOWER, MOVE, RAISE
from simulator.workload.places import by_attribute, more_places

__all__ = ["BrokenRule", "Trace", "TraceError", "Updates", "attribute_columns", "broken_rule", "read_trace"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WRONG_ID, _WRONG_NEXT, _WRONG_X, _WRONG_KEEP, _WRONG_RAISE, _WRONG_LOWER, _GONE = range(1, 8)


class TraceError(RangecastError):
    """A trace that cannot be run; the text is one line with directory, row, rule and remedy."""


class Updates(NamedTuple):
    """Events without their origins, as the columns of an `EventStream` have them."""

    object: Ints
    x: Floats
    """Over several attributes (events, d)."""
    y: Floats
    kind: NDArray[np.int8]
    time_s: Floats
    """From the first event on."""


class Trace(NamedTuple):
    """A trace that can be run."""

    updates: Updates
    x: Floats
    """x and y of the objects at the start, in the order of their ids."""
    y: Floats
    ranges: Sequence[tuple[float, float]]
    """Where subscriptions lie, in each attribute."""
    names: list[str]
    """Names in the history of all objects, by id, those that are inserted too."""


def read_trace(
    path: Path, count: int | None = None, sha256: str | None = None, dimensions: float | None = None
) -> Trace:
    """Read the first events of a trace, by default all, and the objects they are about. O(rows).

    Parameters
    ----------
    path : Path
        A directory made by `rangecast events`.
    sha256 : str, optional
        Digest that its files must have.
    dimensions : float, optional
        By how many of them objects must have attributes; any by default.

    Raises
    ------
    TraceError
        One line: directory, row, value, rule and remedy. Rows are counted from 0.
    PipelineError
        `path` is no trace, or one of objects with other attributes.
    """
    if sha256 not in (None, pipeline.trace_facts(path).sha256):
        raise TraceError(f"{path}: changed since the scenario was read; start again")
    stored = pipeline.read_trace(path, dimensions)
    # Arrow's arrays are read-only.
    x, y = stored.object_x[: stored.initial].copy(), stored.object_y[: stored.initial].copy()
    for name, values in (*attribute_columns(x), ("y", y)):
        _refuse_infinite(path, "object", name, values)
    return Trace(_checked(path, stored, x, y, count), x, y, stored.ranges, stored.names)


def _checked(path: Path, stored: pipeline.TraceData, x: Floats, y: Floats, count: int | None) -> Updates:
    """Events of a trace about objects (x, y), as far as they are wanted."""
    objects, names = stored.object[:count].copy(), stored.kind[:count]
    time_s, new_x, new_y = (column[:count].copy() for column in (stored.time_s, stored.x, stored.y))
    _refuse(path, "event", "kind", names, ~np.isin(names, KINDS), f"must be one of {', '.join(KINDS)}; mend it")
    kind = np.argmax(names[:, None] == np.array(KINDS), axis=1).astype(np.int8)
    _refuse_infinite(path, "event", "time_s", time_s)
    _refuse(path, "event", "time_s", time_s, np.diff(time_s, prepend=time_s[:1]) < 0,
            "must not be before the one in front of it; sort them by time")  # fmt: skip
    for name, values in (*attribute_columns(new_x), ("y", new_y)):
        _refuse_infinite(path, "event", name, np.where(kind == DELETE, 0.0, values))
    broken = broken_rule(kind, objects, new_x, new_y, (x, y))
    if broken is not None:
        told = {"object": objects, **dict(attribute_columns(new_x)), "y": new_y}[broken.column][broken.row]
        raise TraceError(f"{path}: event {broken.row}: {broken.column} = {told}: {broken.rule}")
    return Updates(objects, new_x, new_y, kind, time_s - time_s[:1])


class BrokenRule(NamedTuple):
    """What is wrong with an event."""

    row: int
    column: str
    rule: str
    """With its remedy."""


def broken_rule(
    kind: NDArray[np.int8], objects: Ints, new_x: Floats, new_y: Floats, start: tuple[Floats, Floats]
) -> BrokenRule | None:
    """Follow objects that start with (x, y) from event to event: the first rule that is broken. O(events + objects).

    Deletions get the object's x and y = +inf.
    """
    more = int((kind == INSERT).sum())
    x, y = more_places(start[0], more), np.append(start[1], np.zeros(more))
    row, wrong, attribute, right = _check(
        kind, objects, by_attribute(new_x), new_y, by_attribute(x), y, len(start[0])
    )
    name = attribute_columns(new_x)[attribute][0]
    return BrokenRule(row, *_rule(wrong, KINDS[kind[row]], name, right)) if wrong else None


def attribute_columns(x: Floats) -> list[tuple[str, Floats]]:
    """Columns of places by name: x, or over several attributes x1, x2, ..."""
    return [("x", x)] if x.ndim == 1 else [(f"x{j + 1}", x[:, j]) for j in range(x.shape[1])]


def _rule(wrong: int, kind: str, x: str, right: float) -> tuple[str, str]:
    """Column that breaks a rule, and the rule with its remedy; `x` is the name of the attribute in question."""
    return {
        _WRONG_ID: ("object", f"the object of a {kind} must be there from the start or inserted before; mend the id"),
        _GONE: ("object", f"the object of a {kind} must not have been deleted before; ids are not used again"),
        _WRONG_NEXT: ("object", f"an inserted object must take the next id, {int(right)}; renumber"),
        _WRONG_X: (x, f"a {kind} must keep the object's {x}, {right}; write the change of {x} as a move of its own"),
        _WRONG_KEEP: ("y", f"a move must keep the object's y, {right}; write the change of y as an event of its own"),
        _WRONG_RAISE: ("y", f"a raise must not make the object's y, {right}, larger; write lower"),
        _WRONG_LOWER: ("y", f"a lower must not make the object's y, {right}, smaller; write raise"),
    }[wrong]


def _refuse_infinite(path: Path, row: str, name: str, values: Floats) -> None:
    _refuse(path, row, name, values, ~np.isfinite(values), "must be a finite number; mend or remove it")


def _refuse(
    path: Path, row: str, name: str, values: Ints | Floats | NDArray[np.str_], wrong: NDArray[np.bool_], rule: str
) -> None:
    if wrong.any():
        at = int(np.argmax(wrong))
        raise TraceError(f"{path}: {row} {at}: {name} = {values[at].item()!r}: {rule}")


@njit
def _check(
    kind: NDArray[np.int8], objects: Ints, new_x: Floats, new_y: Floats, x: Floats, y: Floats, known: int
) -> tuple[int, int, int, float]:
    """Follow the objects: the first row that breaks a rule, which rule, in which attribute, and what would be right.

    `new_x` and `x` are (rows, d); `x` and `y` are used up. Deletions get the object's x and y = +inf.
    """
    for row in range(len(kind)):
        i = objects[row]
        if kind[row] == INSERT:
            if i != known:
                return row, _WRONG_NEXT, 0, float(known)
            known += 1
        elif i < 0 or i >= known:
            return row, _WRONG_ID, 0, 0.0
        elif y[i] == np.inf:
            return row, _GONE, 0, 0.0
        elif kind[row] == DELETE:
            new_x[row] = x[i]
            new_y[row] = np.inf
        elif kind[row] == MOVE:
            if new_y[row] != y[i]:
                return row, _WRONG_KEEP, 0, y[i]
        else:
            for j in range(x.shape[1]):
                if new_x[row, j] != x[i, j]:
                    return row, _WRONG_X, j, x[i, j]
            if kind[row] == RAISE and new_y[row] > y[i]:
                return row, _WRONG_RAISE, 0, y[i]
            if kind[row] == LOWER and new_y[row] < y[i]:
                return row, _WRONG_LOWER, 0, y[i]
        x[i] = new_x[row]
        y[i] = new_y[row]
    return 0, 0, 0, 0.0
