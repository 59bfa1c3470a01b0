"""One simulation of a sweep: all approaches of one point on the events of one replication, down to their means.

A task is small and names files, so that it can be sent to another process or machine. Populations and objects are
made by Spark beforehand, once for each distinct spec; a task reads them and needs no Spark of its own.
"""

import hashlib
import inspect
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import SparkSession
from rich.progress import Progress

import pipeline
from pipeline.schemas import POPULATION_VERSION
from rangecast import RangecastError, cache_dir

from .approaches import Workload, parse_approach
from .ingredients import assemble
from .run import RunError, Stopwatch, answer, check
from .scenario import Scenario

__all__ = ["Failure", "Row", "Task", "make_objects", "make_population", "run_task", "summary_rows"]

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


class Failure(NamedTuple):
    """Why a task has no rows, in one line."""

    reason: str

    @classmethod
    def of(cls, error: BaseException) -> "Failure":
        """Take the reason from an error; the kind is left out where the text was written for the user."""
        lines = str(error).strip().splitlines()
        told = isinstance(error, RangecastError | ValueError) and lines
        return cls(lines[0] if told else ": ".join([type(error).__name__, *lines[:1]]))


def make_population(spark: SparkSession, scenario: Scenario) -> Path:
    """Path of the subscriptions of a scenario, made by Spark if they are not in the cache."""
    chosen = scenario.subscriptions
    spec = pipeline.PopulationSpec(chosen.distribution, chosen.count, scenario.seed)
    return pipeline.population(spark, spec, cache_dir() / "populations").absolute()


def make_objects(spark: SparkSession, scenario: Scenario) -> Path:
    """Path of the objects of a scenario, an array of shape (2, n) with x and y, made by Spark if not in the cache."""
    spec = pipeline.ObjectSpec(scenario.objects.distribution, scenario.objects.count, scenario.seed)
    # As for populations: an edited distribution gets a new place.
    source = inspect.getsource(pipeline.OBJECT_DISTRIBUTIONS[spec.distribution])
    digest = hashlib.sha256(f"{POPULATION_VERSION}\n{spec}\n{source}".encode()).hexdigest()[:16]
    path = (cache_dir() / "objects" / f"objects-{digest}.npy").absolute()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with partial.open("wb") as stream:
                np.save(stream, np.stack(pipeline.objects(spark, spec)))
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return path


def run_task(task: Task) -> list[Row] | Failure:
    """Run every approach of a task on the same events, verify if the scenario says so, and take the means.

    A wrong list is a failure, like any error: neither may stop the other tasks.
    """
    try:
        return _run(task)
    except Exception as error:
        return Failure.of(error)


def _run(task: Task) -> list[Row]:
    scenario, silent = task.scenario, Progress(disable=True)
    population = pipeline.read_population(task.population)
    x, y = np.load(task.objects)
    workload = Workload(scenario.k, x, y, population.l, population.r)
    ingredients = assemble(scenario, workload, population.location, routes_cache=task.routes)
    answers = [answer(scenario, ingredients, name, silent, Stopwatch()) for name in scenario.approaches]
    for name, fault in check(scenario, ingredients, [one for one, _ in answers], silent).items():
        if fault is not None:
            raise RunError(f"{name}: {fault}")
    return summary_rows(scenario.approaches, [records for _, records in answers], task.warm_up)


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
        rows.append(_totals(kept) | {"approach": name, "events": len(kept)})
    exact = [name for name in approaches if parse_approach(name)[0].exact]
    paint = [name for name in exact if name.startswith("paint")]
    _compare(rows, exact[:1], "redundancy", ("received_update",))
    _compare(rows, paint[:1], "redundancy_total", ("received_update", "received_exposed"))
    return [{column: row[column] for column in pipeline.SUMMARY.names} for row in rows]


def _totals(kept: pa.Table) -> Row:
    """Means per event, and the largest of an event; None where no event has a value."""
    totals: Row = {}
    for column in pipeline.SUMMARY.names:
        name = column.removesuffix("_max") if column not in kept.column_names else column
        if name in kept.column_names and column not in ("approach", "events"):
            values: NDArray[np.float64] | NDArray[np.int64] = kept[name].drop_null().to_numpy()
            total = values.max if column.endswith("_max") else values.mean
            totals[column] = total().item() if len(values) else None
    return totals


def _compare(rows: list[Row], yardsticks: Sequence[str], column: str, received: Sequence[str]) -> None:
    """What each approach sends beyond the yardstick, as a share of what that sends."""

    def sent(row: Row) -> float:
        return sum(float(row[name] or 0) for name in received)

    needed = next((sent(row) for row in rows if row["approach"] in yardsticks), 0.0)
    for row in rows:
        row[column] = sent(row) / needed - 1 if needed else None
