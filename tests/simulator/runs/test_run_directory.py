"""Nothing of a run is lost: names are taken at the start, and what cannot be written is told in one line."""

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from floor.files import partial_name
from simulator.results.errors import RunError
from simulator.results.run_directory import RunDirectory
from simulator.runs import run as running
from simulator.runs.run import RunResult, run_scenario
from simulator.scenario.scenario import Scenario
from tests.simulator.one_line import told_in_one_line

ROOT = Path(__file__).parents[3]
SCENARIO = Scenario.model_validate(
    {
        "name": "small",
        "k": 2,
        "approaches": ["paint-dense"],
        "topology": {"model": "barabasi-albert", "nodes": 50},
        "network": {"brokers": 4},
        "objects": {"count": 20},
        "subscriptions": {"count": 50},
        "events": {"count": 5},
    }
)

Run = Callable[..., RunResult]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def run(spark: SparkSession, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("RANGECAST_CACHE", str(cache))
    monkeypatch.chdir(tmp_path)
    return lambda out=None: run_scenario(SCENARIO, out, master="local[2]")


def visit(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], object]) -> None:
    """Let something happen while a run simulates."""
    answer = running._answer

    def visited(*arguments: Any) -> None:
        meanwhile()
        answer(*arguments)

    monkeypatch.setattr(running, "_answer", visited)


def test_a_second_run_is_refused_before_it_simulates(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def second() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(running, "_run_into", lambda *_, **__: pytest.fail("it simulates"))
            told_in_one_line(lambda: run(Path("out")), RunError, "--out out: ", "another process is writing to it")

    with monkeypatch.context() as patch:
        visit(patch, second)
        assert run(Path("out")).directory == Path("out")
    told_in_one_line(lambda: run(Path("out")), RunError, "--out out: ", "exists already; choose another directory")


def test_automatic_names_do_not_collide(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    inner: list[Path] = []
    with monkeypatch.context() as patch:

        def second() -> None:
            patch.undo()
            inner.append(run().directory)

        visit(patch, second)
        outer = run().directory
    assert (outer, inner) == (Path("runs/small"), [Path("runs/small-2")])
    assert all((directory / "manifest.json").exists() for directory in (outer, *inner))


def test_results_stay_when_the_name_is_taken_meanwhile(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    visit(monkeypatch, lambda: Path("out/letter").touch())
    result = run(Path("out"))
    assert result.directory == Path("out-2")
    assert (result.directory / "manifest.json").exists()
    assert result.notes[-1] == "note     out was taken by something else meanwhile; the results are in out-2"
    assert [path.name for path in Path("out").iterdir()] == ["letter"]


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("link", "exists already"),
        ("n" * 300, "File name too long"),
        ("file/out", "cannot be made"),
        ("o\0", "null"),
        (".", "exists"),
    ],
)
def test_a_name_that_cannot_be_had_is_refused_at_once(
    run: Run, monkeypatch: pytest.MonkeyPatch, out: str, reason: str
) -> None:
    Path("link").symlink_to("nowhere")
    Path("file").touch()
    monkeypatch.setattr(running, "_run_into", lambda *_, **__: pytest.fail("it simulates"))
    told_in_one_line(lambda: run(Path(out)), RunError, "--out ", reason)
    assert {path.name for path in Path().iterdir()} == {"link", "file"}


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "Error writing bytes to file"), OSError(errno.EDQUOT, "x")])
def test_a_full_disk_is_told_in_one_line_and_leaves_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    def full(*_: object) -> None:
        raise error

    monkeypatch.setattr(RunDirectory, "write_loads", full)
    reason = f"cannot be written: {os.strerror(error.errno or 0)}; make room and run again"
    told_in_one_line(lambda: run(Path("out")), RunError, "--out out: ", reason)
    assert list(Path().iterdir()) == []


def test_the_next_start_removes_what_a_killed_one_left(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    process = multiprocessing.get_context("spawn").Process(target=int)
    process.start()
    process.join()
    for place, kind in ((tmp_path / "out", "c"), (tmp_path / "cache" / "populations" / "population-1", "w")):
        place.parent.mkdir(parents=True, exist_ok=True)
        own = partial_name(place, kind)
        own.with_name(own.name.replace(f"-{os.getpid()}-", f"-{process.pid}-")).mkdir()
    Path("out").mkdir()
    assert run(Path("out")).directory == Path("out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "out"]
    assert not list((tmp_path / "cache" / "populations").glob(".*"))


def test_sigterm_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time, simulator.approaches as a\nfrom pathlib import Path\n"
        "def slow(*_):\n    Path('begun').touch()\n    time.sleep(60)\n"
        "a.APPROACHES['slow'] = a.Approach(slow, exact=True)\n")  # fmt: skip
    scenario = 'name = "s"\napproaches = ["slow"]\nk = 2\nobjects.count = 9\nsubscriptions.count = 9\n'
    (tmp_path / "s.toml").write_text(scenario + 'topology = {model = "waxman", nodes = 20}\nnetwork.brokers = 2\n')
    (tmp_path / "tmp").mkdir()
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "tmp")}
    command = [sys.executable, "-m", "simulator.cli", "run", "s.toml", "--with", "slow.py", "--out", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not (tmp_path / "begun").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in told, "rangecast: interrupted\n" in told) == (143, False, True)
    left = sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__")
    assert left == ["begun", "s.toml", "slow.py", "tmp"]
