"""One simulation of a sweep: all approaches of one point on the events of one replication, down to their means.

A task is small and names files, so that it can be sent to another process or machine. Populations and objects are
made by Spark beforehand, once for each distinct spec; a task reads them and needs no Spark of its own.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import pipeline
from floor.errors import RangecastError, interruption
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import Ingredients, assemble
from simulator.inputs.plugins import Plugin, load_again
from simulator.inputs.start import Start, start_of, workload_of
from simulator.results.errors import RunError
from simulator.results.loads import Loads
from simulator.results.needed import Needed, needed_in, needed_of, with_needed
from simulator.results.steadiness import offered_load
from simulator.results.summary import Row, summary_rows
from simulator.runs.answer import records_of, verified_records
from simulator.runs.same_answers import answers_as, keep_relaxed, relaxed_before
from simulator.scenario.scenario import Scenario
from simulator.workload.workload import Known, Workload

__all__ = ["Failure", "Task", "run_task"]

Floats = NDArray[np.float64]

_DENSE = "paint-dense"


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
    sweep: int = 0
    """Which of the sweeps that are run together."""


class Failure(NamedTuple):
    """Why a task has no rows, in one line."""

    reason: str

    @classmethod
    def of(cls, error: BaseException) -> "Failure":
        """Take the reason from an error; the kind is left out where the text was written for the user.

        Raises
        ------
        KeyboardInterrupt
            It comes from one, which ends more than what failed.
        """
        if (stopped := interruption(error)) is not None:
            raise stopped from None
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
    workload, location = _laid_out(task, start)
    ingredients = assemble(scenario, workload, location, start=start)
    first = _counted_already(scenario, ingredients)
    needed = needed_of(scenario, ingredients) if first is None else needed_in(first)
    records: list[pa.Table] = []
    loads: list[float | None] = []
    answered: dict[object, int] = {}
    for name in scenario.approaches:
        if (same := answered.setdefault(answers_as(scenario, name), len(records))) < len(records):
            records.append(records[same])
            loads.append(loads[same])
            continue
        load, ledger = Loads(len(ingredients.network)), Ledger()
        more = [load] if scenario.engine == "des" else []
        if first is not None and name == _DENSE:
            table, mismatch = with_needed(first, needed), None
        elif (kept := relaxed_before(scenario, ingredients.events, name)) is not None:
            table, mismatch = with_needed(kept, needed), None
        else:
            table, mismatch = verified_records(scenario, ingredients, name, *more, ledger=ledger, needed=needed)
            keep_relaxed(scenario, ingredients.events, name, table)
        records.append(table)
        busiest = offered_load(load, ledger, ingredients.events.time_s)
        loads.append(None if busiest is None else busiest.utilisation)
        if mismatch is not None:
            raise RunError(f"{name}: {mismatch}")
    return summary_rows(scenario.approaches, records, scenario.events.warm_up, loads)


def _counted_already(scenario: Scenario, ingredients: Ingredients) -> pa.Table | None:
    """Records of Paint-Dense, but for what is needed, where they are counted in the same way as that is.

    Behind a single broker both are counts of the same messages over all subscriptions.
    """
    plain = scenario.engine == "tally" and scenario.verify == "none" and not scenario.faults.any
    if not (plain and scenario.dimensions == 1 and len(ingredients.network) == 1 and _DENSE in scenario.approaches):
        return None
    nothing = Needed(*np.zeros((2, len(ingredients.events.object)), np.int64))
    return records_of(scenario, ingredients, _DENSE, needed=nothing)


class _Kept(NamedTuple):
    """Subscriptions as they are laid out, with their places, and the index of them that nobody changes."""

    l: Floats
    r: Floats
    location: Floats
    known: Known


_last: dict[object, _Kept] = {}
"""What this process read last: the next task often has the same."""


def _laid_out(task: Task, start: Start) -> tuple[Workload, Floats]:
    """Workload of a task and places of its subscriptions; those of the task before, if they are the same."""
    scenario = task.scenario
    if scenario.faults.any:  # some come and go
        return workload_of(scenario, start, task.population)
    key = (task.population, start.ranges.laid, scenario.form)
    if key not in _last:
        _last.clear()  # first, so that never two are in memory
        made, location = workload_of(scenario, start, task.population)
        # Arrow's arrays are read-only: what is copied once need not be copied by every task.
        l, r = (np.require(end, requirements="W") for end in (made.l, made.r))
        _last[key] = _Kept(l, r, location, made._replace(l=l, r=r).made_index())
    kept = _last[key]
    workload, _ = workload_of(scenario, start, None)
    return workload._replace(l=kept.l, r=kept.r, known=kept.known), kept.location
