"""Sweeps: every point of a grid with every seed, in a directory that continues where it was stopped.

    DIR/grid.toml       the grid as it was given
    DIR/points.json     what it comes to: every point's scenario in full, the seeds, digests of files given by --with
    DIR/tasks/          one small file per point and replication, the `summary.csv` of that simulation
    DIR/results.csv     per point, approach and metric: mean over the replications, 95% confidence interval
    DIR/paired.csv      per point, pair of approaches and metric: mean difference on the same events, and quotient,
                        with 95% intervals
    DIR/figures/        what views draw of it
    DIR/manifest.json   versions, timings, failures

A file appears whole or not at all, and the tables are computed from the task files alone, in the order of the grid:
they do not depend on where tasks ran, in which order they ended, or how often the sweep was stopped.
"""

import fcntl
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import (
    Progress,
    TaskID,
)

import pipeline
from floor.errors import RangecastError
from floor.files import reason_of, write_whole
from floor.version import VERSION
from simulator.inputs.ingredients import clear_cache
from simulator.inputs.plugins import loaded_plugins
from simulator.inputs.room import check_room
from simulator.results.stopwatch import Stopwatch
from simulator.results.versions import versions
from simulator.runs.sweep_tables import (
    Replications,
    paired_csv,
    read_replications,
    read_rows,
    results_csv,
    rows_csv,
    task_file,
)
from simulator.runs.sweep_tasks import Place, in_order, make_tasks, places_of, taken_over
from simulator.runs.task import Failure
from simulator.runs.workers import cores, on_processes, on_spark
from simulator.scenario.grid import Grid

__all__ = ["SweepError", "SweepResult", "check_workers", "run_sweep", "run_sweeps"]


class SweepError(RangecastError):
    """A sweep that cannot be begun or continued; the text is one line for the user."""


@dataclass(frozen=True)
class SweepResult:
    """What a sweep leaves."""

    directory: Path
    tasks: int
    found: int
    """Tasks that an earlier start had finished."""
    failures: list[str]
    """One line for each point that failed."""
    unsteady: list[str]
    """One line for each point and approach of which a run was not steady."""

    @property
    def lines(self) -> list[str]:
        """What to tell the user at the end."""
        found = f", {self.found} of them found finished" if self.found else ""
        return [
            *(f"FAILED   {line}" for line in self.failures),
            *(f"WARNING  {line}" for line in self.unsteady),
            f"tasks    {self.tasks}{found}",
            f"results  {self.directory / 'results.csv'}, {self.directory / 'paired.csv'}",
        ]


def run_sweep(
    grid: Grid, out: Path | None, *, master: str | None, processes: int | None, progress: Progress
) -> SweepResult:
    """Run what is missing of a sweep and write its tables; see `run_sweeps`.

    Parameters
    ----------
    out : Path, optional
        Directory of the sweep, new or with a part of the same grid. By default sweeps/NAME, after the grid file.
    """
    directory = out or Path("sweeps") / grid.path.stem
    (result,) = run_sweeps([(grid, directory)], master=master, processes=processes, progress=progress)
    return result


def run_sweeps(
    sweeps: Sequence[tuple[Grid, Path]], *, master: str | None, processes: int | None, progress: Progress
) -> list[SweepResult]:
    """Run what is missing of sweeps, all together, and write the tables of each.

    Simulations that two of them have in common are run once.

    Parameters
    ----------
    sweeps : sequence of pairs
        What to run, and the directory of each, new or with a part of the same grid.
    master : str, optional
        Spark master whose executors run the simulations; by default processes of this machine do.
    processes : int, optional
        Simulations at a time: by default, and on this machine at most, the number of cores.
    progress : rich.progress.Progress
        Where the progress is shown, while tasks are run.

    Raises
    ------
    SweepError
        A directory holds something else or another sweep, is in use, or cannot be written.
    PipelineError
        `master` is no Spark master, or does not answer.
    """
    check_workers(master, processes)
    grids, directories = [grid for grid, _ in sweeps], [directory for _, directory in sweeps]
    for grid in grids:
        for point in grid.points:
            check_room(point.scenario)
    clear_cache()
    watch = Stopwatch()
    with ExitStack() as claims:
        for grid, directory in sweeps:
            claims.enter_context(_claimed(directory, grid))
        wanted = places_of(grids)
        missing = [place for place in wanted if not _file(directories, place).exists()]
        failed: dict[Place, Failure] = {}
        if missing:
            bar = progress.add_task(
                "making populations and objects", total=len(wanted), completed=len(wanted) - len(missing)
            )
            over = taken_over(grids, wanted)
            own = [one for one in missing if one not in over]
            pairs = [(one, over[one]) for one in missing if one in over]
            with progress:
                failed = _run(sweeps, own, master, processes, progress, bar, watch)
                failed |= _take_over(sweeps, pairs, failed)
                progress.advance(bar, len(pairs))
        return [
            _finish(grid, directory, [one for one in missing if one.sweep == at], failed, watch)
            for at, (grid, directory) in enumerate(sweeps)
        ]


def check_workers(master: str | None, processes: int | None) -> None:
    """Refuse a Spark master or a number of processes on which no simulation can run.

    Raises
    ------
    SweepError, PipelineError
        One line for the user.
    """
    if processes is not None and processes < 1:
        raise SweepError(f"--processes {processes}: must be at least 1; leave it out for one per core")
    if master is not None:
        pipeline.check_spark(master)


def _finish(
    grid: Grid, directory: Path, missing: Sequence[Place], failed: dict[Place, Failure], watch: Stopwatch
) -> SweepResult:
    """Write the tables of a sweep, whatever of it is there."""
    unsteady = _unsteady_lines(grid, _write_tables(directory, grid))
    failures = _failure_lines(grid, {one[1:]: failed[one] for one in missing if one in failed})
    _write_manifest(directory, grid, failures, unsteady, watch)
    wanted = len(grid.points) * len(grid.seeds)
    return SweepResult(directory, wanted, wanted - len(missing), failures, unsteady)


def _file(directories: Sequence[Path], place: Place) -> Path:
    return task_file(directories[place.sweep], place.point, place.replication)


@contextmanager
def _claimed(directory: Path, grid: Grid) -> Iterator[None]:
    """Make or reopen the directory of a sweep, and keep other processes out of it meanwhile."""
    try:
        _check_same(directory, grid)  # before a foreign directory gets a lock of ours
        directory.mkdir(parents=True, exist_ok=True)
        lock = (directory / ".lock").open("w")
    except OSError as error:
        raise SweepError(
            f"--out {directory}: cannot be made: {reason_of(error)}; choose another directory"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # gone with the process, however that ends
        except BlockingIOError:
            raise SweepError(f"--out {directory}: another sweep is writing to it; wait for it or stop it") from None
        _check_same(directory, grid)  # another sweep may have begun since
        for below in (".", "tasks", "figures"):
            for partial in directory.glob(f"{below}/.*.partial-*"):
                partial.unlink()
        ours = directory / "points.json"
        if not ours.exists():
            _write(directory / "grid.toml", grid.text)
            _write(ours, json.dumps(_points(grid), indent=1) + "\n")
        (directory / "tasks").mkdir(exist_ok=True)
        yield


def _check_same(directory: Path, grid: Grid) -> None:
    """Refuse a directory with something else in it: another sweep, or no sweep at all."""
    ours = directory / "points.json"
    if not ours.exists():
        if directory.is_dir() and any(
            path.name[0] != "." and path.name != "grid.toml" for path in directory.iterdir()
        ):  # fmt: skip
            raise SweepError(f"--out {directory}: holds something that is not a sweep; choose another directory")
        return
    wanted = json.loads(json.dumps(_points(grid)))
    try:
        begun = dict(json.loads(ours.read_text(encoding="utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise SweepError(f"{ours}: is damaged; choose another directory or remove {directory}") from error
    if begun.pop("plugins", []) != wanted.pop("plugins", []) and begun == wanted:
        files = ", ".join(plugin.path.name for plugin in loaded_plugins()) or "nothing"
        raise SweepError(
            f"--with {files}: not what the sweep in {directory} was begun with; bring that back, or choose another "
            "directory or remove it"
        )
    if begun != wanted:
        raise SweepError(
            f"--out {directory}: holds the sweep of another grid (its grid.toml) or of another version; "
            "choose another directory or remove it"
        )


def _points(grid: Grid) -> dict[str, Any]:
    """All that the numbers of a sweep follow from."""
    plugins = [{"file": plugin.path.name, "sha256": plugin.sha256} for plugin in loaded_plugins()]
    return {
        "rangecast": VERSION,
        "seeds": grid.seeds,
        "keys": grid.keys,
        **({"plugins": plugins} if plugins else {}),
        "points": [point.scenario.model_dump(mode="json", exclude={"seed"}) for point in grid.points],
    }


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all, whatever stops us."""
    try:
        write_whole(path, text)
    except OSError as error:
        raise SweepError(f"{path}: cannot be written: {reason_of(error)}; mend that and start again") from error


def _run(
    sweeps: Sequence[tuple[Grid, Path]],
    missing: Sequence[Place],
    master: str | None,
    processes: int | None,
    progress: Progress,
    bar: TaskID,
    watch: Stopwatch,
) -> dict[Place, Failure]:
    """Run the missing tasks and write the file of each as it ends; those that failed."""
    spark = pipeline.spark_source(master or "local[*]")
    directories = [directory for _, directory in sweeps]
    with watch("populations"):
        tasks, failed = make_tasks([grid for grid, _ in sweeps], missing, spark)
    tasks = in_order(tasks)
    progress.update(bar, description="simulating", advance=len(failed))
    with watch("simulations"):
        if master is None:
            outcomes = on_processes(tasks, min(processes or cores(), cores(), max(len(tasks), 1)))
        else:
            session = spark()
            outcomes = on_spark(tasks, session, processes or session.sparkContext.defaultParallelism)
        for task, outcome in outcomes:
            place = Place(task.sweep, task.point, task.replication)
            if isinstance(outcome, Failure):
                failed[place] = outcome
            else:
                _write(_file(directories, place), rows_csv(outcome))
            progress.advance(bar)
    return failed


def _take_over(
    sweeps: Sequence[tuple[Grid, Path]], pairs: Sequence[tuple[Place, Place]], failed: dict[Place, Failure]
) -> dict[Place, Failure]:
    """Write files of simulations from those of others that have the same rows; what failed with these."""
    grids, directories = [grid for grid, _ in sweeps], [directory for _, directory in sweeps]
    for place, other in pairs:
        if other not in failed:
            rows = {row["approach"]: row for row in read_rows(_file(directories, other))}
            wanted = grids[place.sweep].points[place.point].scenario.approaches
            _write(_file(directories, place), rows_csv([rows[name] for name in wanted]))
    return {place: failed[other] for place, other in pairs if other in failed}


def _failure_lines(grid: Grid, failed: dict[tuple[int, ...], Failure]) -> list[str]:
    """One line for each failed point: which it is, and the reason of the first replication that failed."""
    lines = []
    for number, point in enumerate(grid.points):
        reasons = [(one, failed[number, one]) for one in range(len(grid.seeds)) if (number, one) in failed]
        if reasons:
            first, failure = reasons[0]
            more = f" (and {len(reasons) - 1} more replications)" if len(reasons) > 1 else ""
            lines.append(
                f"point {number + 1} ({point.label}): replication {first + 1}, seed {grid.seeds[first]}: "
                f"{failure.reason}{more}"
            )
    return lines


def _unsteady_lines(grid: Grid, replications: Replications) -> list[str]:
    """One line for each point and approach with runs in which a queue grew to the end."""
    lines = []
    for number, runs in replications.items():
        for approach in grid.points[number].scenario.approaches:
            loads = [float(row["offered_load"] or 0) for rows in runs for row in rows if row["approach"] == approach]
            over = sum(load >= 1 for load in loads)
            if over:
                lines.append(
                    f"point {number + 1} ({grid.points[number].label}): {approach}: not steady with {over} of "
                    f"{len(loads)} seeds, so latencies depend on the length of the run"
                )
    return lines


def _write_tables(directory: Path, grid: Grid) -> Replications:
    """Write the tables; the rows that they are made of."""
    replications = read_replications(directory, len(grid.points), len(grid.seeds))
    _write(directory / "results.csv", results_csv(grid, replications))
    _write(directory / "paired.csv", paired_csv(grid, replications))
    return replications


def _write_manifest(directory: Path, grid: Grid, failures: list[str], unsteady: list[str], watch: Stopwatch) -> None:
    manifest = {
        "grid": str(grid.path),
        "seeds": grid.seeds,
        "points": len(grid.points),
        "failures": failures,
        "unsteady": unsteady,
        "versions": versions(),
        "seconds": watch.seconds,
    }
    _write(directory / "manifest.json", json.dumps(manifest, indent=2) + "\n")
