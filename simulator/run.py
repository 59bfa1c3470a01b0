"""Running a scenario: ingredients, approaches, engine, verification, and a run directory that is whole or absent."""

import json
import os
import platform
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from rich.progress import Progress

import pipeline
from rangecast import RangecastError, __version__

from .approaches import Approach, Outgoing, parse_approach
from .des import simulate
from .figures import draw_comparison
from .ingredients import Ingredients, gather, generator
from .journeys import journeys_of, sources_of, traffic_of, waits_of
from .receivers import Answered
from .scenario import Scenario, scenario_toml
from .tally import tally
from .traffic import Traffic, event_records
from .verify import Fault, verify

__all__ = ["RunError", "RunResult", "Stopwatch", "answer", "check", "run_scenario", "versions"]

_RECORDED = ("matplotlib", "networkx", "numba", "numpy", "pyarrow", "pydantic", "pyspark", "scipy", "simpy")


class RunError(RangecastError):
    """A run that cannot be made or read; the text is one line for the user."""


@dataclass
class RunResult:
    """What a finished run leaves."""

    directory: Path
    figure: Path
    verdicts: list[str] = field(default_factory=list)
    right: bool = True


class Stopwatch:
    """Seconds spent in each step, for the manifest."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Add the time spent in the block to a step."""
        begun = time.perf_counter()
        yield
        self.seconds[step] = round(self.seconds.get(step, 0.0) + time.perf_counter() - begun, 3)


def run_scenario(
    scenario: Scenario, out: Path | None = None, *, master: str = "local[*]", progress: Progress | None = None
) -> RunResult:
    """Run every approach of a scenario on the same events and write the run directory.

    Parameters
    ----------
    scenario : Scenario
        What to run.
    out : Path, optional
        Directory to make; it must not exist. By default the first free one of runs/NAME, runs/NAME-2, ...
    master : str
        Spark master for the population and the summary.
    progress : rich.progress.Progress, optional
        Where the steps are shown; it is started once nothing is wrong with the arguments.

    Raises
    ------
    RunError
        `out` exists or cannot be made.
    PipelineError
        `master` is no Spark master.
    """
    pipeline.check_master(master)
    directory = _free_directory(scenario.name) if out is None else out
    partial = _partial_directory(directory)
    try:
        with progress or Progress(disable=True) as shown:
            result = _run_into(partial, scenario, master, shown)
        partial.rename(directory)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return RunResult(directory, directory / result.figure.name, result.verdicts, result.right)


def _free_directory(name: str) -> Path:
    runs, number = Path("runs"), 2
    directory = runs / name
    while directory.exists():
        directory, number = runs / f"{name}-{number}", number + 1
    return directory


def _partial_directory(directory: Path) -> Path:
    if directory.exists():
        raise RunError(f"--out {directory}: exists already; choose another directory or remove it")
    partial = directory.with_name(f".{directory.name}.partial-{os.getpid()}")
    try:
        partial.mkdir(parents=True)
    except OSError as error:
        raise RunError(f"--out {directory}: cannot be made: {error.strerror}; choose another directory") from error
    return partial


def _run_into(directory: Path, scenario: Scenario, master: str, progress: Progress) -> RunResult:
    watch = Stopwatch()
    steps = progress.add_task("starting Spark", total=None)
    with watch("spark_start"):
        spark = pipeline.spark_session(master)
    progress.update(steps, description="gathering population, topology and events")
    with watch("ingredients"):
        ingredients = gather(scenario, spark)
    progress.update(steps, visible=False)

    answered, tables = [], []
    for name in scenario.approaches:
        one, table = answer(scenario, ingredients, name, progress, watch)
        answered.append(one)
        tables.append(table)
    with watch("verify"):
        faults = check(scenario, ingredients, answered, progress)
    events_path = directory / "events.parquet"
    pq.write_table(pa.concat_tables(tables), events_path, compression="zstd")
    progress.update(steps, visible=True, description="aggregating on Spark")
    with watch("summary"):
        exact = [name for name in scenario.approaches if parse_approach(name)[0].exact]
        summary = pipeline.summarise(pipeline.read_events(spark, events_path), exact)
        pipeline.write_summary(summary, directory / "summary.csv", scenario.approaches)
    figure = directory / "comparison.png"
    draw_comparison(pq.read_table(events_path), scenario.approaches, _title(scenario), figure)
    progress.update(steps, visible=False)
    (directory / "scenario.toml").write_text(scenario_toml(scenario), encoding="utf-8")
    manifest = {
        "scenario": scenario.model_dump(exclude_none=True),
        "seed": scenario.seed,
        "versions": versions(),
        "verified": {name: str(fault) if fault else "right" for name, fault in faults.items()},
        "seconds": watch.seconds,
    }
    (directory / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    right = not any(faults.values())
    return RunResult(directory, figure, _verdicts(scenario, faults), right)


def answer(
    scenario: Scenario, ingredients: Ingredients, name: str, progress: Progress, watch: Stopwatch
) -> tuple[Answered, pa.Table]:
    """Let one approach answer all events: what it sent, how that travelled, and the rows of `events.parquet`."""
    approach, epsilon = parse_approach(name)
    with watch(f"server {name}"):
        outgoing = approach.answer(ingredients.workload, ingredients.events, epsilon)
    with watch(f"network {name}"):
        traffic = _carry(scenario, ingredients, name, approach, outgoing, progress)
        records = _records(scenario, ingredients, name, approach, outgoing, traffic)
    return Answered(name, approach, outgoing, traffic), records


def _carry(
    scenario: Scenario,
    ingredients: Ingredients,
    name: str,
    approach: Approach,
    outgoing: Outgoing,
    progress: Progress,
) -> Traffic:
    """Take an approach's messages through the network with the scenario's engine."""
    if scenario.engine == "tally":
        return tally(ingredients, approach, outgoing)
    bar = progress.add_task(f"simulating {name}", total=scenario.events.count)
    hops = journeys_of(ingredients, approach, outgoing)
    times = simulate(
        ingredients.events,
        outgoing,
        hops,
        sources_of(ingredients, approach),
        ingredients.routes,
        server=None if approach.serverless else ingredients.network.server,
        message_bytes=_message_bytes(scenario, approach),
        event_bytes=scenario.sizes.event_bytes,
        costs=scenario.costs,
        advance=lambda events: progress.advance(bar, events),
    )
    return traffic_of(ingredients, approach, outgoing, hops, times)


def _message_bytes(scenario: Scenario, approach: Approach) -> int:
    return scenario.sizes.unicast_bytes if approach.unicast else scenario.sizes.message_bytes


def _records(
    scenario: Scenario, ingredients: Ingredients, name: str, approach: Approach, outgoing: Outgoing, traffic: Traffic
) -> pa.Table:
    if approach.unicast:
        received = np.ones(len(traffic.message), np.int64)
    else:
        received = _received(ingredients, outgoing, traffic)
    return event_records(
        name,
        ingredients.events,
        outgoing,
        traffic,
        received,
        waits_of(ingredients, approach, outgoing, traffic, received, last_hop=scenario.network.last_hop),
        message_bytes=_message_bytes(scenario, approach),
        event_bytes=scenario.sizes.event_bytes,
        serverless=approach.serverless,
    )


def _received(ingredients: Ingredients, outgoing: Outgoing, traffic: Traffic) -> NDArray[np.int64]:
    """Subscriptions that each delivery to a gateway reaches."""
    each = np.arange(len(traffic.message) + 1)
    return ingredients.gateways.index.count(outgoing.table[traffic.message], each, traffic.broker)


def check(
    scenario: Scenario, ingredients: Ingredients, answered: list[Answered], progress: Progress
) -> dict[str, Fault | None]:
    """First fault of each approach, or None; empty where the scenario asks for no verification."""
    if scenario.verify == "none":
        return {}
    chosen = np.arange(len(ingredients.workload.l))
    if scenario.verify != "all":
        wanted = min(int(scenario.verify.partition(":")[2]), len(chosen))
        chosen = np.sort(generator(scenario, "sample").choice(chosen, wanted, replace=False))
    bar = progress.add_task("verifying", total=scenario.events.count)
    return verify(ingredients, answered, chosen, advance=lambda events: progress.advance(bar, events))


def _verdicts(scenario: Scenario, faults: dict[str, Fault | None]) -> list[str]:
    if not faults:
        return ['not verified: set verify = "all" to compare every list with brute force']
    checked = (
        "every subscription" if scenario.verify == "all" else f"{scenario.verify.partition(':')[2]} subscriptions"
    )
    return [
        f"WRONG    {name}: {fault}"
        if fault
        else f"verified {name}: {checked}, {scenario.events.count} events, all right"
        for name, fault in faults.items()
    ]


def _title(scenario: Scenario) -> str:
    return (
        f"{scenario.name}: {scenario.subscriptions.count:,} subscriptions, {scenario.objects.count:,} objects, "
        f"k = {scenario.k}, {scenario.network.brokers} brokers, {scenario.events.count:,} events"
    )


def versions() -> dict[str, str]:
    """Versions of Rangecast, Python and the libraries that numbers depend on."""
    return {"rangecast": __version__, "python": platform.python_version()} | {
        name: version(name) for name in _RECORDED
    }
