"""What every room's tests share: one Spark session for the whole run, and sweeps that start no processes."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import pipeline.session
from pipeline import spark_session
from simulator.results.summary import Row
from simulator.runs import sweep
from simulator.runs.task import Failure, Task, run_task

_MEMORY_MB = 1024

_LONG = ("test_cli.py", "test_fuzz.py", "test_sweep.py", "test_wheel.py")
"""Modules whose tests take longest: they and the notebooks come first, or one would be left when all else is done."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in _LONG and item.path.suffix != ".ipynb")


@pytest.fixture(scope="session", autouse=True)
def _small_sessions() -> Iterator[None]:
    """Let a session that a test starts by what it tests be like the one that tests share: later ones share it too."""
    settings = pipeline.session._settings
    brief = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline.session, "_settings", lambda master, _: settings(master, _MEMORY_MB) | brief)
        yield


@pytest.fixture(autouse=True)
def _same_signals() -> Iterator[None]:
    """Keep what a command of a test does at SIGTERM from outliving it: the tests could not be ended."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = spark_session("local[2]", driver_memory_mb=_MEMORY_MB, brief=True)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def own_cache(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of a module's own, empty at first; Spark has started by then, with the classes kept in the other."""
    place = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANGECAST_CACHE", str(place))
        yield place


@contextmanager
def tasks_here() -> Iterator[None]:
    """Let sweeps run their tasks in this very process: one that is started takes seconds to import and load all."""

    def on_this_process(tasks: Sequence[Task], processes: int) -> Iterator[tuple[Task, list[Row] | Failure]]:
        return ((task, run_task(task)) for task in tasks)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "on_processes", on_this_process)
        yield


@pytest.fixture
def in_this_process(spark: SparkSession) -> Iterator[None]:
    """Sweeps whose tasks run where a test can reach into them."""
    with tasks_here():
        yield
