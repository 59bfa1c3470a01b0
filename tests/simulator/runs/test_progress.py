"""Whoever waits for a run sees what goes on, and how far it has come."""

import io
import re
import time
from concurrent.futures import Future
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn

from simulator.runs.run import run_scenario
from simulator.runs.spark_bar import spark_bar
from simulator.scenario.scenario import Scenario

SCENARIO = Scenario.model_validate(
    {
        "name": "seen",
        "k": 3,
        "approaches": ["paint-dense", "cn-relax"],
        "topology": {"model": "barabasi-albert", "nodes": 200},
        "network": {"brokers": 16},
        "objects": {"count": 40},
        "subscriptions": {"count": 300},
        "events": {"count": 50},
    }
)


def shown_on(screen: io.StringIO) -> Progress:
    columns = (TextColumn("{task.description}"), MofNCompleteColumn())
    return Progress(*columns, console=Console(file=screen, force_terminal=True, width=120))


@pytest.mark.parametrize("deliveries", ["memory", "spark"])
def test_every_step_is_shown_and_comes_to_its_end(
    deliveries: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    screen = io.StringIO()
    progress = shown_on(screen)
    master = str(spark.sparkContext.master)
    run_scenario(SCENARIO, tmp_path / "run", master=master, deliveries=deliveries, progress=progress)  # type: ignore[arg-type]
    named = "" if deliveries == "memory" else ", deliveries on Spark"
    whole = {
        "finding the routes between brokers": 16,
        "counting the notifications that are needed": 50,
        f"paint-dense{named}": 50,
        f"cn-relax{named}": 50,
        "following the routes of what was sent": 16,
    }
    told = {task.description: (task.completed, task.total) for task in progress.tasks}
    assert {what: told[what] for what in whole} == {what: (total, total) for what, total in whole.items()}
    open_ended = [what for what, (_, total) in told.items() if total is None]
    assert open_ended == [
        "starting",
        "making the IP network",
        "making objects and subscriptions, unless they are kept from before",
        *(["reading the subscriptions"] if deliveries == "memory" else []),
        "making the events and the overlay network",
        "giving the subscriptions to their gateways",
        "taking the means on Spark",
        "counting the objects that subscriptions must keep",
    ]
    for what in (*whole, *open_ended[1:]):
        assert what in screen.getvalue()


def test_jobs_of_spark_are_shown_while_they_run(spark: SparkSession) -> None:
    screen, session = io.StringIO(), Future[SparkSession]()
    with shown_on(screen) as progress, spark_bar(progress, session):
        assert [task.visible for task in progress.tasks] == [False]
        session.set_result(spark)
        slow = spark.sparkContext.parallelize(range(8), 8).map(lambda _: time.sleep(0.5))
        slow.count()
    assert re.search(r"on Spark: tasks under way \S*[0-8]/8", re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()))
    assert [task.visible for task in progress.tasks] == [False]


def test_a_spark_that_does_not_start_shows_nothing() -> None:
    session = Future[SparkSession]()
    session.set_exception(RuntimeError("no Java"))
    with shown_on(io.StringIO()) as progress, spark_bar(progress, session):
        time.sleep(0.7)
        assert [task.visible for task in progress.tasks] == [False]
