"""The tasks of sweeps: which are run, which take over what another one found, and in which order.

Sweeps that are run together share what they have in common. A point of one may be a point of another with more
approaches: the same scenario by another name. It is not run then; its rows are those of the other.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pipeline
from floor.errors import RangecastError
from simulator.inputs.plugins import loaded_plugins
from simulator.inputs.start import objects_of, population_of
from simulator.runs.task import Failure, Task
from simulator.scenario.grid import Grid
from simulator.scenario.scenario import Scenario

__all__ = ["Place", "in_order", "make_tasks", "places_of", "taken_over"]


class Place(NamedTuple):
    """Where rows of a simulation belong: which sweep of those run together, which point and replication."""

    sweep: int
    point: int
    replication: int


def places_of(grids: Sequence[Grid]) -> list[Place]:
    """All simulations of sweeps."""
    return [
        Place(sweep, point, one)
        for sweep, grid in enumerate(grids)
        for point in range(len(grid.points))
        for one in range(len(grid.seeds))
    ]


def _scenario_at(grids: Sequence[Grid], place: Place) -> Scenario:
    """Scenario of a simulation, with the seed of its replication."""
    grid = grids[place.sweep]
    return grid.points[place.point].scenario.model_copy(update={"seed": grid.seeds[place.replication]})


def taken_over(grids: Sequence[Grid], places: Iterable[Place]) -> dict[Place, Place]:
    """Simulations that need not be run, and those of another sweep that have all their approaches."""
    alike: dict[str, list[Place]] = {}
    for place in places:
        same = _scenario_at(grids, place).model_dump_json(exclude={"name", "approaches"})
        alike.setdefault(same, []).append(place)
    found: dict[Place, Place] = {}
    for group in alike.values():
        approaches = {place: set(_scenario_at(grids, place).approaches) for place in group}
        group.sort(key=lambda place: -len(approaches[place]))
        for at, place in enumerate(group):
            for other in group[:at]:
                if other.sweep != place.sweep and other not in found and approaches[place] <= approaches[other]:
                    found[place] = other
                    break
    return found


def make_tasks(
    grids: Sequence[Grid], missing: Iterable[Place], spark: pipeline.SparkSource
) -> tuple[list[Task], dict[Place, Failure]]:
    """Tasks with the files they need, which are made where they are not in the cache; and those that cannot be."""
    made: dict[object, Path | Failure] = {}

    def once(
        make: Callable[[Scenario, pipeline.SparkSource], Path], scenario: Scenario, table: object
    ) -> Path | Failure:
        key = (make, scenario.seed, scenario.dimensions, table)
        if key not in made:
            try:
                made[key] = make(scenario, spark)
            except (RangecastError, ValueError) as error:
                made[key] = Failure.of(error)
        return made[key]

    tasks: list[Task] = []
    failed: dict[Place, Failure] = {}
    for place in missing:
        scenario = _scenario_at(grids, place)
        population = once(population_of, scenario, scenario.subscriptions)
        objects = once(objects_of, scenario, (scenario.objects, scenario.events.file))
        match population, objects:
            case (Failure() as failure, _) | (_, Failure() as failure):
                failed[place] = failure
            case (Path(), Path()):
                about = (place.point, place.replication, scenario, population, objects, loaded_plugins())
                tasks.append(Task(*about, place.sweep))
    return tasks, failed


def in_order(tasks: Sequence[Task]) -> list[Task]:
    """Those of one population together, since a process keeps the last one, and the most work first.

    What comes last is short then, and no core waits long for another.
    """
    groups: dict[Path, list[Task]] = {}
    for task in sorted(tasks, key=_work, reverse=True):
        groups.setdefault(task.population, []).append(task)
    return [task for group in groups.values() for task in group]


def _work(task: Task) -> float:
    """What a task takes, roughly, to compare it by."""
    scenario = task.scenario
    return scenario.k * (scenario.events.count or 1) * len(scenario.approaches)
