"""Several sweeps at once: what they have in common is run once, and each finds what it would find alone."""

from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress

from simulator.inputs.ingredients import assemble
from simulator.runs import sweep_tasks, task
from simulator.runs.sweep import SweepResult, run_sweep, run_sweeps
from simulator.runs.sweep_tasks import Place, in_order, places_of, taken_over
from simulator.runs.task import Task
from simulator.scenario.grid import Grid, load_grid
from simulator.scenario.scenario import Scenario
from tests.simulator.runs.test_sweep import content

pytestmark = pytest.mark.usefixtures("in_this_process")

WIDE = """
replications = 2
[scenario]
name = "wide"
approaches = ["paint-sparse", "paint-dense", "paint-dense(0.5, tiles)", "unicast"]
topology = { model = "barabasi-albert", nodes = 100 }
network = { brokers = 1 }
objects = { count = 30 }
subscriptions = { count = 200 }
events = { count = 40 }
[grid]
k = [2, 3]
"""
NARROW = """
replications = 1
[scenario]
name = "narrow"
approaches = ["unicast", "paint-dense(0.5, tiles)"]
topology = { model = "barabasi-albert", nodes = 100 }
network = { brokers = 1 }
objects = { count = 30 }
events = { count = 40 }
[grid]
subscriptions.count = [100, 200]
k = [3, 4]
"""
COMMON = {Place(1, 2, 0): Place(0, 1, 0)}
"""Of NARROW, 200 subscriptions and k = 3."""


def together(grids: list[Grid], out: Path) -> list[SweepResult]:
    sweeps = [(grid, out / grid.path.stem) for grid in grids]
    return run_sweeps(sweeps, master=None, processes=1, progress=Progress(disable=True))


@pytest.fixture
def grids(tmp_path: Path) -> list[Grid]:
    for name, text in {"wide": WIDE, "narrow": NARROW}.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    return [load_grid(tmp_path / f"{name}.toml") for name in ("wide", "narrow")]


def test_a_point_of_two_sweeps_is_taken_over(grids: list[Grid]) -> None:
    assert taken_over(grids, places_of(grids)) == COMMON
    assert taken_over(grids[::-1], places_of(grids[::-1])) == {Place(0, 2, 0): Place(1, 1, 0)}
    assert taken_over(grids[:1], places_of(grids[:1])) == {}
    twice = [grids[0], grids[0]]
    assert taken_over(twice, places_of(twice)) == {
        Place(1, point, one): Place(0, point, one) for point in (0, 1) for one in (0, 1)
    }


def test_other_approaches_are_not_taken_over(grids: list[Grid], tmp_path: Path) -> None:
    (tmp_path / "narrow.toml").write_text(NARROW.replace('"unicast"', '"cn-relax"'), encoding="utf-8")
    others = [grids[0], load_grid(tmp_path / "narrow.toml")]
    assert taken_over(others, places_of(others)) == {}


def test_each_sweep_finds_what_it_finds_alone(grids: list[Grid], tmp_path: Path) -> None:
    for grid in grids:
        run_sweep(
            grid, tmp_path / "alone" / grid.path.stem, master=None, processes=1, progress=Progress(disable=True)
        )
    results = together(grids, tmp_path / "together")
    assert [(one.tasks, one.found, one.failures) for one in results] == [(4, 0, []), (4, 0, [])]
    assert content(tmp_path / "together") == content(tmp_path / "alone")


def test_what_was_finished_before_is_taken_over_too(
    grids: list[Grid], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    together(grids[:1], out)
    ran: list[Place] = []
    make = sweep_tasks.make_tasks

    def noted(grids: Any, missing: Any, spark: Any) -> Any:
        ran.extend(missing)
        return make(grids, missing, spark)

    monkeypatch.setattr("simulator.runs.sweep.make_tasks", noted)
    first, second = together(grids, out)
    assert (first.found, second.found, second.failures) == (4, 0, [])
    assert ran == [Place(1, 0, 0), Place(1, 1, 0), Place(1, 3, 0)]
    assert len(list((out / "narrow" / "tasks").iterdir())) == 4


def test_what_fails_fails_in_both(grids: list[Grid], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(scenario: Scenario, *about: Any, **more: Any) -> Any:
        if scenario.name == "wide" and scenario.k == 3:
            raise ValueError("a planted defect")
        return assemble(scenario, *about, **more)

    monkeypatch.setattr(task, "assemble", failing)
    wide, narrow = together(grids, tmp_path)
    assert wide.failures == [
        f"point 2 (k=3): replication 1, seed {grids[0].seeds[0]}: a planted defect (and 1 more replications)"
    ]
    assert [line.partition(": ")[2] for line in narrow.failures] == [
        f"replication 1, seed {grids[1].seeds[0]}: a planted defect"
    ]


def test_tasks_of_a_population_stay_together_and_the_most_work_is_first(grids: list[Grid]) -> None:
    scenario = grids[0].points[0].scenario
    tasks = [
        Task(at, 0, scenario.model_copy(update={"k": k}), Path(name), Path())
        for at, (name, k) in enumerate([("a", 1), ("b", 5), ("a", 7), ("b", 2), ("c", 3)])
    ]
    assert [task.point for task in in_order(tasks)] == [2, 0, 1, 3, 4]


@pytest.mark.parametrize("warm_up", [0, 7])
def test_what_is_needed_is_counted_once(
    grids: list[Grid], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_up: int
) -> None:
    (tmp_path / "wide.toml").write_text(WIDE.replace("count = 40", f"count = 40, warm_up = {warm_up}"), "utf-8")
    grid = load_grid(tmp_path / "wide.toml")
    together([grid], tmp_path / "once")
    monkeypatch.setattr(task, "_counted_already", lambda *_: None)
    together([grid], tmp_path / "twice")
    assert content(tmp_path / "once") == content(tmp_path / "twice")
