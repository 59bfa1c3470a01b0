"""Rows of a task are the same whether approaches share answers or each is asked by itself."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from simulator.inputs.start import objects_of, population_of
from simulator.results.summary import Row
from simulator.runs import same_answers, task
from simulator.runs.answer import verified_records
from simulator.runs.same_answers import answers_as
from simulator.runs.task import Task, run_task
from simulator.scenario.grid import load_grid
from simulator.scenario.scenario import Scenario

GRID = """
[scenario]
name = "same"
approaches = [
    "paint-sparse", "paint-sparse(0.25)", "paint-sparse(0.5)", "paint-sparse(1)", "paint-dense", "paint-dense(1)",
    "paint-dense(0.5, tiles)", "unicast", "cn-relax", "flood",
]
topology = {model = "barabasi-albert", nodes = 100}
objects = {count = 60}
subscriptions = {count = 400}
events = {count = 80}

[grid]
network.brokers = [1, 8]
k = [1, 2, 5]
"""


@pytest.fixture
def scenarios(tmp_path: Path) -> list[Scenario]:
    path = tmp_path / "same.toml"
    path.write_text(GRID, encoding="utf-8")
    return [point.scenario for point in load_grid(path).points]


def test_which_approaches_answer_the_same(scenarios: list[Scenario]) -> None:
    one, two, five = scenarios[:3]
    sparse = ["paint-sparse", "paint-sparse(0.25)", "paint-sparse(0.5)", "paint-sparse(1)"]
    assert len({answers_as(one, name) for name in sparse}) == 1
    assert len({answers_as(two, name) for name in sparse}) == 2
    assert len({answers_as(five, name) for name in sparse}) == 4
    assert answers_as(one, "paint-sparse") != answers_as(one, "paint-dense")
    assert answers_as(one, "cn-relax") != answers_as(one, "flood")
    assert answers_as(one, "paint-sparse(sketch=9)") != answers_as(one, "paint-sparse")
    verified = one.model_copy(update={"verify": "all"})
    assert len({answers_as(verified, name) for name in sparse}) == 4


def test_rows_are_those_of_approaches_asked_by_themselves(
    spark: SparkSession, scenarios: list[Scenario], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def noted(scenario: Scenario, ingredients: object, name: str, *more: object, **about: object) -> object:
        asked.append(name)
        return verified_records(scenario, ingredients, name, *more, **about)  # type: ignore[arg-type]

    def rows() -> list[list[Row]]:
        asked.clear()
        same_answers._last.clear()
        tasks = [
            Task(at, 0, one, population_of(one, lambda: spark), objects_of(one, lambda: spark))
            for at, one in enumerate(scenarios)
        ]
        found = [run_task(one) for one in tasks]
        return [one for one in found if isinstance(one, list)]

    monkeypatch.setattr(task, "verified_records", noted)
    shared = rows()
    assert len(shared) == 6
    assert asked.count("cn-relax") == asked.count("flood") == 2
    assert asked.count("paint-sparse(0.25)") == 2
    monkeypatch.setattr(task, "answers_as", lambda _, name: name)
    monkeypatch.setattr(task, "relaxed_before", lambda *_: None)
    assert rows() == shared
    assert asked.count("cn-relax") == asked.count("paint-sparse(0.25)") == 6
