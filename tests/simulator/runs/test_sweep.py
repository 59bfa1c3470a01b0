"""Sweeps, small but real: the same bytes wherever they run and however often they are killed."""

import csv
import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from rich.progress import Progress
from typer.testing import CliRunner

from pipeline import SUMMARY, PopulationSpec, population_path
from simulator.approaches.approach import Approach
from simulator.approaches.registry import APPROACHES
from simulator.cli.app import app
from simulator.inputs.start import objects_of, population_of
from simulator.results.summary import Row
from simulator.runs import workers
from simulator.runs.run import run_scenario
from simulator.runs.sweep import SweepError, SweepResult, run_sweep
from simulator.runs.sweep_tables import METRICS, TableError, read_rows
from simulator.runs.task import Failure, Task, run_task
from simulator.scenario.grid import load_grid
from tests.conftest import tasks_here
from tests.some_cases import some

ROOT = Path(__file__).parents[3]
GRID = """
replications = 3
seed = 5
warm_up = 10

[scenario]
name = "small"
approaches = ["paint-dense", "paint-dense(1)", "unicast", "cn-relax"]
engine = "des"
verify = "all"
topology = {model = "barabasi-albert", nodes = 100}
objects = {count = 30}
subscriptions = {count = 200}
events = {count = 40}

[grid]
k = [2, 3]
network.brokers = [4, 8]
"""
TASKS = 12

Sweep = Callable[..., SweepResult]


@pytest.fixture(scope="module")
def grid_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("grid") / "small.toml"
    path.write_text(GRID, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(spark: SparkSession, grid_file: Path) -> Path:
    """Directory of a sweep that was never stopped, in one process."""
    out = grid_file.parent / "whole"
    with tasks_here():
        result = run_sweep(load_grid(grid_file), out, master=None, processes=1, progress=Progress(disable=True))
    assert result.failures == []
    return out


@pytest.fixture
def here(in_this_process: None, tmp_path: Path) -> Sweep:
    """Sweep in this very process, where a test can reach into it."""

    def run(text: str, out: str = "out") -> SweepResult:
        path = tmp_path / "grid.toml"
        path.write_text(text, encoding="utf-8")
        return run_sweep(
            load_grid(path), tmp_path / out, master=None, processes=None, progress=Progress(disable=True)
        )

    return run


def content(directory: Path) -> dict[str, bytes]:
    """Every file of a sweep but the manifest, which holds timings, the lock, and what the command draws."""
    names = ("manifest.json", ".lock")
    files = [path for path in directory.rglob("*") if path.is_file() and path.name not in names]
    files = [path for path in files if path.parent.name != "figures"]
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_files_of_a_sweep(whole: Path) -> None:
    assert len(list((whole / "tasks").iterdir())) == TASKS
    assert (whole / "grid.toml").read_text(encoding="utf-8") == GRID
    manifest = json.loads((whole / "manifest.json").read_text())
    assert manifest["failures"] == []
    assert manifest["seconds"]["simulations"] > 0
    rows = table(whole / "results.csv")
    assert list(rows[0]) == [
        "point",
        "k",
        "network.brokers",
        "approach",
        "metric",
        "mean",
        "half_width",
        "replications",
    ]
    assert {(row["point"], row["k"], row["network.brokers"]) for row in rows} == {
        ("1", "2", "4"),
        ("2", "2", "8"),
        ("3", "3", "4"),
        ("4", "3", "8"),
    }
    assert len(rows) == 4 * 4 * len(METRICS)
    assert len(table(whole / "paired.csv")) == 4 * 6 * len(METRICS)


@pytest.mark.parametrize("master", some([None, "local[2]"], lambda master: master is not None))
def test_two_processes_and_spark_give_the_same_bytes(
    spark: SparkSession, whole: Path, grid_file: Path, tmp_path: Path, master: str | None
) -> None:
    run_sweep(load_grid(grid_file), tmp_path / "out", master=master, processes=2, progress=Progress(disable=True))
    assert content(tmp_path / "out") == content(whole)


def start(grid_file: Path, out: Path, *more: str) -> "subprocess.Popen[str]":
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    command = [sys.executable, "-m", "simulator.cli", "sweep", str(grid_file), "--out", str(out), *more]
    # A session of its own, so that all its processes can be told from ours.
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def ended(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def test_killed_and_started_again_it_ends_with_the_same_bytes(whole: Path, grid_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "killed"
    enough, pause = random.randrange(TASKS // 2), random.random() / 20
    process = start(grid_file, out, "--processes", "2")
    deadline = time.monotonic() + 200
    while not (out / "tasks").is_dir() or len(list((out / "tasks").glob("point*"))) < enough:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, f"it was finished after {enough} tasks and {pause} s"
    finished = len(list((out / "tasks").glob("point*")))
    while not ended(process.pid):  # neither workers nor the JVM are left behind
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.communicate()

    again = start(grid_file, out, "--processes", "2")
    shown, errors = again.communicate(timeout=200)
    assert again.returncode == 0, errors
    assert "Traceback" not in errors
    assert f"tasks    {TASKS}" + (f", {finished} of them found finished" if finished else "") in shown
    assert content(out) == content(whole), f"killed after {enough} tasks and {pause} s"


def test_stopped_at_every_other_write_it_ends_with_the_same_bytes(
    whole: Path, here: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Die after the temporary file is written and before it gets its name, at the third file of every start."""
    replace, files = Path.replace, 0

    def stop(self: Path, target: Path) -> Path:
        nonlocal files
        files += ".partial-" in self.name
        if files == 3:
            raise KeyboardInterrupt
        return replace(self, target)

    stops = 0
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", stop)
        for _ in range(20):
            files = 0
            try:
                here(GRID)
                break
            except KeyboardInterrupt:
                stops += 1
                files = 3  # what is not ours to stop
    assert stops > TASKS // 3
    here(GRID)
    assert content(tmp_path / "out") == content(whole)


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes(whole: Path, grid_file: Path, tmp_path: Path) -> None:
    process = start(grid_file, tmp_path / "out", "--master", "local-cluster[2,1,1024]")
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert content(tmp_path / "out") == content(whole)


def test_a_task_is_the_summary_of_a_run(spark: SparkSession, whole: Path, grid_file: Path, tmp_path: Path) -> None:
    """Spark's summary of the same scenario and seed; with warm-up, numpy's of the events that are left."""
    grid = load_grid(grid_file)
    scenario = grid.points[3].scenario.model_copy(update={"seed": grid.seeds[1]})
    run = run_scenario(scenario, tmp_path / "run", master="local[2]", progress=Progress(disable=True)).directory
    events = pq.read_table(run / "events.parquet").to_pylist()
    summary = pyarrow.csv.read_csv(
        run / "summary.csv", convert_options=pyarrow.csv.ConvertOptions(column_types=SUMMARY)
    ).to_pylist()
    files = population_of(scenario, lambda: spark), objects_of(scenario, lambda: spark)
    rows = run_task(Task(3, 1, scenario, *files))
    assert isinstance(rows, list)
    for row, right in zip(rows, summary, strict=True):
        assert row.pop("approach") == right.pop("approach")
        assert {name for name, value in row.items() if value is None} == {
            name for name, value in right.items() if value is None
        }
        known = {name: value for name, value in right.items() if value is not None}
        assert {name: row[name] for name in known} == pytest.approx(known, rel=1e-12)
    for row in read_rows(whole / "tasks" / "point-0004-replication-002.csv"):
        own = [event for event in events if event["approach"] == row["approach"] and event["event"] >= 10]
        assert row["events"] == len(own) == 30
        assert row["overlay_bytes"] == pytest.approx(np.mean([event["overlay_bytes"] for event in own]))
        assert row["bytes_out_max"] == max(event["bytes_out"] for event in own)
        waits = [event["latency_p99"] for event in own if event["latency_p99"] is not None]
        assert row["latency_p99"] == pytest.approx(np.mean(waits))


def test_the_tables_are_the_statistics_of_the_tasks(whole: Path) -> None:
    for number in (1, 4):
        tasks = [
            {row["approach"]: row for row in table(whole / "tasks" / f"point-{number:04d}-replication-{one:03d}.csv")}
            for one in (1, 2, 3)
        ]
        for row in table(whole / "results.csv"):
            if row["point"] == str(number):
                values = np.array([float(task[row["approach"]][row["metric"]]) for task in tasks])
                assert float(row["mean"]) == pytest.approx(values.mean(), abs=1e-12)
                # 4.302653 is the 97.5% quantile of Student's t with 2 degrees of freedom, from a printed table.
                assert float(row["half_width"]) == pytest.approx(
                    4.302653 * values.std(ddof=1) / np.sqrt(3), rel=1e-6, abs=1e-12
                )
        for row in table(whole / "paired.csv"):
            if row["point"] == str(number):
                differences = np.array(
                    [
                        float(task[row["approach"]][row["metric"]]) - float(task[row["against"]][row["metric"]])
                        for task in tasks
                    ]
                )
                assert float(row["mean"]) == pytest.approx(differences.mean(), abs=1e-9)
                assert float(row["half_width"]) == pytest.approx(
                    4.302653 * differences.std(ddof=1) / np.sqrt(3), rel=1e-6, abs=1e-9
                )


def test_a_failed_point_is_reported_and_does_not_stop_the_others(
    here: Sweep, grid_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    seeds = load_grid(grid_file).seeds
    foreign = [
        population_path(PopulationSpec("uniform", 300, seed), tmp_path / "cache" / "populations") for seed in seeds
    ]
    for path in foreign:
        path.mkdir(parents=True)
    result = here(GRID.replace("network.brokers = [4, 8]", "subscriptions.count = [200, 300]"))
    assert len(result.failures) == 2
    for line, point, k in zip(result.failures, (2, 4), (2, 3), strict=True):
        told = (
            f"point {point} (k={k}, subscriptions.count=300): replication 1, seed {seeds[0]}: {foreign[0]} is not a "
        )
        assert line.startswith(told)
        assert line.endswith("(and 2 more replications)")
    assert {row["point"] for row in table(tmp_path / "out" / "results.csv")} == {"1", "3"}
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["failures"] == result.failures
    ran = CliRunner().invoke(app, ["sweep", str(tmp_path / "grid.toml"), "--out", str(tmp_path / "out")])
    assert ran.exit_code == 1
    assert "6 of them found finished" in ran.stdout
    assert ran.stdout.count("FAILED   point") == 2


def test_an_error_or_a_wrong_list_in_a_simulation_is_a_failed_point(
    here: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(APPROACHES, "broken", Approach(lambda *_: 1 // 0, exact=True))  # type: ignore[arg-type]
    monkeypatch.setitem(APPROACHES, "silent", Approach(APPROACHES["cn-relax"].open, exact=True, serverless=True))
    text = GRID.replace('approaches = ["paint-dense", "paint-dense(1)", "unicast", "cn-relax"]', "k = 2")
    text = text[: text.index("[grid]")] + '[grid]\napproaches = [["unicast"], ["broken"], ["silent", "unicast"]]\n'
    result = here(text)
    assert [line.partition(":")[0] for line in result.failures] == [
        'point 2 (approaches=["broken"])',
        'point 3 (approaches=["silent", "unicast"])',
    ]
    assert "ZeroDivisionError: integer division" in result.failures[0]
    assert "silent: event " in result.failures[1]
    assert "did not change its list" in result.failures[1]
    assert {row["approach"] for row in table(tmp_path / "out" / "results.csv")} == {"unicast"}
    # A failure is not remembered as a result: mended, the sweep ends whole.
    monkeypatch.setitem(APPROACHES, "broken", APPROACHES["unicast"])
    monkeypatch.setitem(APPROACHES, "silent", APPROACHES["unicast"])
    assert here(text).failures == []


def die_or_answer(task: Task) -> list[Row]:
    if task.point == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return [{"approach": "here", "events": task.point}]


def test_a_process_that_dies_takes_no_other_task_with_it(monkeypatch: pytest.MonkeyPatch, grid_file: Path) -> None:
    monkeypatch.setattr(workers, "run_task", die_or_answer)
    scenario = load_grid(grid_file).points[0].scenario
    tasks = [Task(point, 0, scenario, Path(), Path()) for point in range(5)]
    outcomes = {task.point: outcome for task, outcome in workers.on_processes(tasks, 2)}
    assert outcomes.pop(2) == Failure("its process died (killed, or out of memory)")
    assert outcomes == {point: [{"approach": "here", "events": point}] for point in (0, 1, 3, 4)}


def test_what_is_in_the_directory_is_respected(here: Sweep, tmp_path: Path) -> None:
    small = GRID.replace("[2, 3]", "[2]").replace("[4, 8]", "[4]").replace("replications = 3", "replications = 1")
    here(small)
    before = content(tmp_path / "out")
    assert all(row["half_width"] == "" for row in table(tmp_path / "out" / "results.csv"))
    with pytest.raises(SweepError, match=r"holds the sweep of another grid"):
        here(small.replace("[2]", "[3]"))
    with pytest.raises(SweepError, match=r"holds the sweep of another grid"):
        here(small.replace("seed = 5", "seed = 6"))
    assert here("# a remark changes nothing\n" + small).found == 1
    with (tmp_path / "out" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(SweepError, match="another sweep is writing to it"):
            here(small)
    assert content(tmp_path / "out") == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").touch()
    with pytest.raises(SweepError, match="not a sweep"):
        here(small, "mine")
    with pytest.raises(SweepError, match="cannot be made"):
        here(small, "grid.toml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "cannot be read: Empty CSV file"), ("approach,events\nunicast,6\n", "of another version")],
)
def test_a_damaged_file_of_a_simulation_is_named(here: Sweep, tmp_path: Path, text: str, reason: str) -> None:
    small = GRID.replace("[2, 3]", "[2]").replace("[4, 8]", "[4]").replace("replications = 3", "replications = 1")
    here(small)
    damaged = tmp_path / "out" / "tasks" / "point-0001-replication-001.csv"
    damaged.write_text(text)
    with pytest.raises(TableError, match=rf"{damaged.name}: .*{reason}; remove it and start again"):
        here(small)
    damaged.unlink()
    assert here(small).found == 0


def test_the_content_of_a_file_counts(here: Sweep, tmp_path: Path) -> None:
    file = tmp_path / "net.edges"
    file.write_text("".join(f"{a} {a + 1}\n" for a in range(10)), encoding="utf-8")
    small = GRID.replace("[2, 3]", "[2]").replace("[4, 8]", "[4]").replace("replications = 3", "replications = 1")
    small = small.replace('{model = "barabasi-albert", nodes = 100}', '{file = "net.edges"}')
    assert here(small).failures == []
    assert here(small).found == 1
    before = file.read_text(encoding="utf-8")
    file.write_text("".join(f"0 {a}\n" for a in range(1, 11)), encoding="utf-8")
    with pytest.raises(SweepError, match="holds the sweep of another grid"):
        here(small)
    here(small, "other")
    file.write_text(before, encoding="utf-8")
    assert here(small).found == 1
    rows = [table(tmp_path / out / "results.csv") for out in ("out", "other")]
    assert rows[0] != rows[1], "another network has other routes"
