"""Trials of indexes, and of servers alone: which populations tables and figures need, and measuring them.

A file `scenarios/matching/trials/SCALE/NAME.toml`, or of `scenarios/paper/trials`, has a kind of population, the
indexes, and lists of values for keys of the tables `population` and `ask`; the points are all their combinations. A
population has a seed of its own, made from its settings and that of the file: one seed for two that differ in a
number of values would draw the same places in both. Points with one population are asked of one index, which is built
once and then dropped, so that memory holds a population and an index. Timings are taken in one process, one after the
other: compare them within a point. Servers are not timed, and are asked on all cores.

    OUT/trials-SCALE/measured/  what was measured at a point, a file for each, named by all that it depends on
"""

import csv
import hashlib
import io
import json
import time
import tomllib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.progress import Progress, TaskID

from floor.errors import RangecastError
from floor.files import write_whole
from simulator.paper.exhibits import PaperError, Scale
from simulator.paper.verdicts import Measured
from simulator.runs.index_measures import KINDS, Ask, Kind
from simulator.runs.server_measures import SERVER_KINDS
from simulator.runs.task import Failure
from simulator.runs.workers import cores, each_on_processes

__all__ = ["REHEARSED", "Trial", "TrialPoint", "load_trial", "measured_trial", "run_trial", "trial_csv", "trial_path"]

REHEARSED = 1000
"""Subscriptions by which kernels are compiled; what a population is made from begins with their number."""

Settings = dict[str, Any]
Rows = list[dict[str, Any]]


Groups = dict[tuple[Any, int], list["TrialPoint"]]
"""What is to be measured, by population and seed."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: str
    indexes: list[str] = Field(min_length=1)
    replications: int = Field(default=1, ge=1)
    seed: int
    few: dict[str, int] = Field(default_factory=dict)
    population: Settings = Field(default_factory=dict)
    ask: Settings = Field(default_factory=dict)
    grid: dict[str, list[Any]] = Field(default_factory=dict)


class TrialPoint(NamedTuple):
    """A population, and how indexes over it are asked."""

    population: Any
    ask: Ask

    def settings(self) -> Settings:
        """Tables of all keys and values."""
        return {"population": self.population._asdict(), "ask": self.ask._asdict()}


class Trial(NamedTuple):
    """All that is measured for some tables and figures."""

    path: Path
    kind: str
    indexes: tuple[str, ...]
    few: Mapping[str, int]
    """Indexes that are asked only the first so many events, since they take long and by any event the same."""
    keys: tuple[str, ...]
    """What the points differ in."""
    points: tuple[TrialPoint, ...]
    seeds: tuple[int, ...]

    @property
    def extent(self) -> str:
        """How many events indexes are asked."""
        return f"{self.points[0].ask.events:,} events"

    def asked(self, index: str, ask: Ask) -> Ask:
        """How an index is asked."""
        return ask._replace(events=min(ask.events, self.few.get(index, ask.events)))


def trial_path(name: str, scale: Scale, directory: Path) -> Path:
    """The file of a trial at a scale."""
    return directory / "trials" / scale / f"{name}.toml"


def load_trial(path: Path) -> Trial:
    """Read a trial and make its points, the last key changing fastest.

    Raises
    ------
    PaperError
        The file is missing or wrong.
    """
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        kind = _kind(file.kind)
        points = tuple(
            _point(kind, file, dict(zip(file.grid, values, strict=True))) for values in product(*file.grid.values())
        )
    except OSError as error:
        raise PaperError(f"{path}: cannot be read: {error.strerror}; install Rangecast again") from error
    except (tomllib.TOMLDecodeError, ValidationError, KeyError, TypeError) as error:
        raise PaperError(f"{path}: {' '.join(str(error).split())}") from error
    seeds = tuple(range(file.seed, file.seed + file.replications))
    return Trial(path, file.kind, tuple(file.indexes), file.few, tuple(file.grid), points, seeds)


def _kind(name: str) -> Kind:
    return SERVER_KINDS[name] if name in SERVER_KINDS else KINDS[name]


def _point(kind: Kind, file: _File, values: Settings) -> TrialPoint:
    tables = {"population": dict(file.population), "ask": dict(file.ask)}
    for key, value in values.items():
        table, _, name = key.partition(".")
        tables[table][name] = value
    return TrialPoint(kind.population(**tables["population"]), Ask(**tables["ask"]))


def run_trial(trial: Trial, out: Path, progress: Progress, processes: int | None = None) -> None:
    """Measure every point that has not been measured below `out`, in all replications.

    Parameters
    ----------
    processes : int, optional
        Servers that are asked at a time; by default one per core.

    Raises
    ------
    RangecastError
        Two indexes gave different answers.
    """
    groups: Groups = {}
    for seed in trial.seeds:
        for point in trial.points:
            if not _file(trial, point, seed, out).exists():
                groups.setdefault((point.population, seed), []).append(point)
    if groups:
        _rehearse(trial)
    with progress:
        bar = progress.add_task(trial.path.stem, total=sum(map(len, groups.values())) * len(trial.indexes))
        if trial.kind in SERVER_KINDS:
            _ask_servers(trial, groups, out, progress, bar, min(processes or cores(), cores()))
            return
        for (population, seed), points in groups.items():
            found: list[Rows] = [[] for _ in points]
            for at, row in _measured(trial, population, points, seed):
                found[at].append(row)
                progress.advance(bar)
            for point, rows in zip(points, found, strict=True):
                write_whole(_file(trial, point, seed, out), _rows_csv(rows, _kind(trial.kind).metrics))


class _Job(NamedTuple):
    """A server that is asked by itself."""

    point: TrialPoint
    seed: int
    kind: str
    name: str
    ask: Ask
    own: int
    """Seed of its population."""
    events: int
    """Events that are made; it is asked the first of them."""


def _ask_servers(trial: Trial, groups: Groups, out: Path, progress: Progress, bar: TaskID, processes: int) -> None:
    """Ask servers on several processes, those with the longest lists first, and note each point when it is whole."""
    jobs = [
        _Job(
            point,
            seed,
            trial.kind,
            name,
            trial.asked(name, point.ask),
            _own_seed(trial, population, seed),
            _most_events(points),
        )
        for (population, seed), points in groups.items()
        for point in points
        for name in trial.indexes
    ]
    jobs.sort(key=lambda job: job.ask.k * job.ask.events, reverse=True)
    found: dict[tuple[TrialPoint, int], dict[str, dict[str, Any]]] = {}
    for job, row in each_on_processes(jobs, processes, _asked_server):
        if isinstance(row, Failure):
            raise RangecastError(f"{trial.path}: {job.name}: {row.reason}")
        rows = found.setdefault((job.point, job.seed), {})
        rows[job.name] = row
        progress.advance(bar)
        if len(rows) == len(trial.indexes):
            text = _rows_csv([rows[name] for name in trial.indexes], _kind(trial.kind).metrics)
            write_whole(_file(trial, job.point, job.seed, out), text)


def _asked_server(job: _Job) -> dict[str, Any] | Failure:
    try:
        kind = _kind(job.kind)
        made = kind.make(job.point.population, job.events, job.own)
        return {"approach": job.name, **kind.ask(kind.build(job.name, made), made, job.ask).row}
    except Exception as error:  # told by whoever waits for it
        return Failure.of(error)


def _own_seed(trial: Trial, population: Any, seed: int) -> int:
    return zlib.crc32(json.dumps([trial.kind, *population]).encode()) % 2**31 + seed


def _most_events(points: Sequence[TrialPoint]) -> int:
    return max(point.ask.events for point in points)


def _rehearse(trial: Trial) -> None:
    """Compile what is going to be timed, on a population of a few."""
    kind, spec = _kind(trial.kind), trial.points[0].population
    made = kind.make(spec._replace(**{spec._fields[0]: REHEARSED}), 1, 0)
    for name in trial.indexes:
        kind.ask(kind.build(name, made), made, Ask(events=1, runs=1))


def _measured(
    trial: Trial, population: Any, points: Sequence[TrialPoint], seed: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows of indexes over one population, with the number of the point each is of."""
    kind = _kind(trial.kind)
    made = kind.make(population, _most_events(points), _own_seed(trial, population, seed))
    first: list[list[int]] = []
    for name in trial.indexes:
        start = time.process_time()
        index = kind.build(name, made)
        built = time.process_time() - start
        for at, point in enumerate(points):
            row, marks = kind.ask(index, made, trial.asked(name, point.ask))
            if len(first) == at:
                first.append(marks)
            same = min(len(marks), len(first[at]))
            if marks[:same] != first[at][:same]:
                raise RangecastError(f"{trial.path}: {name} and {trial.indexes[0]} disagree on the answers to events")
            yield at, {"approach": name, **row, **({"build_s": built} if "build_s" in kind.metrics else {})}
        del index


def measured_trial(trial: Trial, out: Path) -> Measured:
    """The points of a trial that are measured below `out` in all replications."""
    files = {at: [_file(trial, point, seed, out) for seed in trial.seeds] for at, point in enumerate(trial.points)}
    whole = {at: paths for at, paths in files.items() if all(path.exists() for path in paths)}
    return Measured(
        trial, {at: [_read(path, _kind(trial.kind).metrics) for path in paths] for at, paths in whole.items()}
    )


def trial_csv(trial: Trial, measured: Measured) -> str:
    """One row for each point, replication and index, with all metrics."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    metrics = _kind(trial.kind).metrics
    writer.writerow([*trial.keys, "seed", "approach", *metrics])
    for at, runs in measured.replications.items():
        place = [measured.key(at, key) for key in trial.keys]
        for seed, rows in zip(trial.seeds, runs, strict=True):
            writer.writerows([*place, seed, row["approach"], *(row[name] for name in metrics)] for row in rows)
    return text.getvalue()


def _file(trial: Trial, point: TrialPoint, seed: int, out: Path) -> Path:
    """Where a point is noted; the name tells all that was measured by."""
    asked = {name: trial.asked(name, point.ask) for name in trial.indexes}
    told = json.dumps([trial.kind, point.population._asdict(), asked, seed])
    return out / "measured" / f"{trial.kind}-{hashlib.sha256(told.encode()).hexdigest()[:16]}.csv"


def _rows_csv(rows: Rows, metrics: Sequence[str]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["approach", *metrics], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _read(path: Path, metrics: Sequence[str]) -> Rows:
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            rows = [{name: row[name] for name in ("approach", *metrics)} for row in csv.DictReader(lines)]
        if not rows:
            raise ValueError
        return [
            {name: value if name == "approach" else float(value) if value else None for name, value in row.items()}
            for row in rows
        ]
    except (OSError, ValueError, KeyError) as error:
        raise RangecastError(f"{path}: is damaged, or of another version; remove it and start again") from error
