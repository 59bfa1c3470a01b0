"""What every room's tests share: the order, few Spark sessions for the whole run, and sweeps that start no processes.

Of several processes only some start Spark and only one a browser, which take longer to start than most tests.
"""

import gc
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import settings
from pyspark.sql import SparkSession

import pipeline.session
from pipeline import spark_session
from simulator.results.summary import Row
from simulator.runs import sweep
from simulator.runs.task import Failure, Task, run_task

_MEMORY_MB = 1024

settings.register_profile("untimed", deadline=None)  # a machine with other work may take any time for an example
settings.load_profile("untimed")

_APART = ("test_wheel.py", "test_class_archive.py", "test_cluster.py")
"""Modules that wait for programs they start, each with a Spark of its own; notebooks do so too."""

_LONG = ("test_cli.py", "test_fuzz.py", "test_journey.py", "test_lies.py", "test_paper.py", "test_sweep.py")
"""Modules whose tests take long: they come first, or one would be left when all else is done."""


def _kind(module: list[pytest.Item]) -> str:
    """What a module's tests start."""
    path, wanted = module[0].path, {name for item in module for name in getattr(item, "fixturenames", ())}
    if path.suffix == ".ipynb" or path.name in _APART:
        return "programs"
    return "spark" if "spark" in wanted else "pages" if "browser" in wanted else "nothing"


@pytest.hookimpl(trylast=True)  # what is not to be run is gone by then
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let each process begin with one kind of tests, and go on with those that start nothing.

    At first each process is handed as many tests as the others, one after the other; one that is done takes over the
    last half of what another has left (`--dist worksteal`).
    """
    modules = [list(module) for _, module in groupby(items, key=lambda item: item.path)]
    modules.sort(key=lambda module: module[0].path.name not in _LONG)
    kinds: dict[str, list[list[pytest.Item]]] = {"programs": [], "spark": [], "pages": [], "nothing": []}
    for module in modules:
        kinds[_kind(module)].append(module)
    processes = int(getattr(config, "workerinput", {}).get("workercount", 1))
    starts = [kinds["spark"][::2], kinds["spark"][1::2], kinds["programs"], kinds["pages"]]
    firsts: list[list[pytest.Item]] = [[] for _ in range(processes)]
    for at, start in enumerate(starts):
        firsts[at % processes] += [item for module in start for item in module]
    rest = [item for module in kinds["nothing"] for item in module]
    ordered: list[pytest.Item] = []
    for at, first in enumerate(firsts):
        share = (len(items) - len(ordered)) // (processes - at)
        ordered += first + rest[: max(share - len(first), 0)]
        del rest[: max(share - len(first), 0)]
    items[:] = ordered + rest


def pytest_collection_finish() -> None:
    """Keep the garbage collector from going over all modules and tests again and again: they stay to the end.

    Oracles make many small objects and few cycles: it looks for these a hundred times less often than it would.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100 * gc.get_threshold()[0])


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


@pytest.fixture(autouse=True)
def _spark_is_asked_for(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test use Spark that does not say so: a process that needs none for its other tests would start it."""
    if "spark" not in request.fixturenames:
        asks = partial(pytest.fail, "let it ask for the fixture `spark`")
        monkeypatch.setattr(pipeline.session, "spark_runs", asks)


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
