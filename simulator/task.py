"""One simulation of a sweep: all approaches of one point on the events of one replication, down to their means.

A task is small and names files, so that it can be sent to another process or machine. Populations and objects are
made by Spark beforehand, once for each distinct spec; a task reads them and needs no Spark of its own.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from rich.progress import Progress

import pipeline
from pipeline.schemas import COUNTS
from rangecast import RangecastError

from .approaches import parse_approach
from .ingredients import assemble, lay_out, trace_of
from .plugins import load_plugins
from .run import RunError, Stopwatch, answer, verifier_of
from .scenario import Scenario

__all__ = ["Failure", "Row", "Task", "run_task", "summary_rows"]

Row = dict[str, str | int | float | None]
"""A row of `summary.csv`: columns of `pipeline.SUMMARY`."""


class Task(NamedTuple):
    """What a worker needs to know."""

    point: int
    replication: int
    scenario: Scenario
    """With the seed of the replication."""
    warm_up: int
    population: Path
    objects: Path
    routes: Path
    """Directory that keeps routes."""
    plugins: tuple[Path, ...] = ()
    """Files to load first."""


class Failure(NamedTuple):
    """Why a task has no rows, in one line."""

    reason: str

    @classmethod
    def of(cls, error: BaseException) -> "Failure":
        """Take the reason from an error; the kind is left out where the text was written for the user."""
        lines = str(error).strip().splitlines()
        told = isinstance(error, RangecastError | ValueError) and lines
        return cls(lines[0] if told else ": ".join([type(error).__name__, *lines[:1]]))


def run_task(task: Task) -> list[Row] | Failure:
    """Run every approach of a task on the same events, verify if the scenario says so, and take the means.

    A wrong list is a failure, like any error: neither may stop the other tasks.
    """
    try:
        load_plugins(task.plugins)
        return _run(task)
    except Exception as error:
        return Failure.of(error)


def _run(task: Task) -> list[Row]:
    scenario, silent = task.scenario, Progress(disable=True)
    population = pipeline.read_population(task.population)
    trace = trace_of(scenario)
    x, y = pipeline.read_objects(task.objects) if trace is None else (trace.x, trace.y)
    workload = lay_out(scenario, (x, y), (population.l, population.r), trace)
    ingredients = assemble(scenario, workload, population.location, routes_cache=task.routes, trace=trace)
    records = []
    for name in scenario.approaches:
        verifier = verifier_of(scenario, ingredients, name)
        records.append(pa.concat_tables(answer(scenario, ingredients, name, verifier, silent, Stopwatch())))
        if verifier is not None and verifier.fault is not None:
            raise RunError(f"{name}: {verifier.fault}")
    return summary_rows(scenario.approaches, records, task.warm_up)


def summary_rows(approaches: Sequence[str], records: Sequence[pa.Table], warm_up: int = 0) -> list[Row]:
    """Rows of `summary.csv`, as `pipeline.summarise` defines them, from records in memory and without Spark.

    Parameters
    ----------
    approaches : sequence of str
        Names, the order of the rows.
    records : sequence of pyarrow.Table
        Rows of `pipeline.EVENTS` of each approach.
    warm_up : int
        Events with smaller numbers are left out.

    Raises
    ------
    RunError
        No event is left.
    """
    rows: list[Row] = []
    for name, table in zip(approaches, records, strict=True):
        kept = table.filter(pc.greater_equal(table["event"], warm_up))
        if len(kept) == 0:
            raise RunError(f"{name}: no event is left after warm_up = {warm_up}; lower it or add events")
        rows.append(_totals(kept) | {"approach": name, "events": pc.sum(kept["events"]).as_py()})
    exact = [name for name in approaches if parse_approach(name).exact]
    paint = [name for name in exact if name.startswith("paint")]
    _compare(rows, exact[:1], "redundancy", ("received_update",))
    _compare(rows, paint[:1], "redundancy_total", ("received_update", "received_exposed"))
    return [{column: row[column] for column in pipeline.SUMMARY.names} for row in rows]


def _totals(kept: pa.Table) -> Row:
    """Means per event, and the largest of a window; latencies: means over windows. None where none has a value."""
    totals: Row = {}
    events = pc.sum(kept["events"]).as_py()
    for column in pipeline.SUMMARY.names:
        name = column.removesuffix("_max") if column not in kept.column_names else column
        if name in kept.column_names and column not in ("approach", "events"):
            values: NDArray[np.float64] | NDArray[np.int64] = kept[name].drop_null().to_numpy()
            if len(values) == 0:
                totals[column] = None
            elif column.endswith("_max"):
                totals[column] = values.max().item()
            else:
                totals[column] = values.sum().item() / (events if column in COUNTS else len(values))
    path, direct = (pc.sum(kept[name]).as_py() for name in ("path_hops", "direct_hops"))
    totals["stretch"] = path / direct if direct else None
    return totals


def _compare(rows: list[Row], yardsticks: Sequence[str], column: str, received: Sequence[str]) -> None:
    """What each approach sends beyond the yardstick, as a share of what that sends."""

    def sent(row: Row) -> float:
        return sum(float(row[name] or 0) for name in received)

    needed = next((sent(row) for row in rows if row["approach"] in yardsticks), 0.0)
    for row in rows:
        row[column] = sent(row) / needed - 1 if needed else None
