"""One simulation of a sweep: all approaches of one point on the events of one replication, down to their means.

A task is small and names files, so that it can be sent to another process or machine. Populations and objects are
made by Spark beforehand, once for each distinct spec; a task reads them and needs no Spark of its own.
"""

from pathlib import Path
from typing import NamedTuple

import pipeline
from floor.errors import RangecastError
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import assemble
from simulator.inputs.plugins import Plugin, load_again
from simulator.inputs.start import start_of, workload_of
from simulator.results.errors import RunError
from simulator.results.loads import Loads
from simulator.results.needed import needed_of
from simulator.results.steadiness import offered_load
from simulator.results.summary import Row, summary_rows
from simulator.runs.answer import verified_records
from simulator.scenario.scenario import Scenario

__all__ = ["Failure", "Task", "run_task"]


class Task(NamedTuple):
    """What a worker needs to know."""

    point: int
    replication: int
    scenario: Scenario
    """With the seed of the replication."""
    population: Path
    objects: Path
    plugins: tuple[Plugin, ...] = ()
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
        load_again(task.plugins)
        return _run(task)
    except (Exception, SystemExit) as error:
        return Failure.of(error)


def _run(task: Task) -> list[Row]:
    scenario = task.scenario
    start = start_of(scenario, lambda: pipeline.read_objects(task.objects))
    workload, location = workload_of(scenario, start, task.population)
    if not scenario.faults.any:
        workload = workload._replace(known=workload.made_index())
    ingredients = assemble(scenario, workload, location, start=start)
    records, loads, needed = [], [], needed_of(scenario, ingredients)
    for name in scenario.approaches:
        load, ledger = Loads(len(ingredients.network)), Ledger()
        more = [load] if scenario.engine == "des" else []
        table, mismatch = verified_records(scenario, ingredients, name, *more, ledger=ledger, needed=needed)
        records.append(table)
        busiest = offered_load(load, ledger, ingredients.events.time_s)
        loads.append(None if busiest is None else busiest.utilisation)
        if mismatch is not None:
            raise RunError(f"{name}: {mismatch}")
    return summary_rows(scenario.approaches, records, scenario.events.warm_up, loads)
