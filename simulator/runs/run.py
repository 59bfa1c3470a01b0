"""Running a scenario: ingredients, approaches, engine, verification, and a run directory that is whole or absent."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark.sql import SparkSession
from rich.progress import Progress

import pipeline
from simulator.approaches.registry import parse_approach
from simulator.engine.carried import message_bytes
from simulator.engine.carry import carry_events
from simulator.engine.journeys import sources_of
from simulator.engine.ledger import Ledger
from simulator.engine.spark_deliveries import SparkDeliveries, check_spark_deliveries
from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import Ingredients, all_cached, gather, generator, population_of
from simulator.results.accounting import event_records
from simulator.results.comparison_figure import draw_comparison
from simulator.results.errors import RunError
from simulator.results.hop_records import hop_table
from simulator.results.latency import waits_of
from simulator.results.loads import Loads, kept_objects
from simulator.results.stopwatch import Stopwatch
from simulator.results.verify import Mismatch, Verifier
from simulator.results.versions import versions
from simulator.scenario.loading import scenario_toml
from simulator.scenario.scenario import Scenario

__all__ = ["RunResult", "answer", "run_scenario", "verifier_of"]

_FOLLOWED = 1000


@dataclass
class RunResult:
    """What a finished run leaves."""

    directory: Path
    figure: Path
    verdicts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What else is worth a line."""
    right: bool = True


def run_scenario(
    scenario: Scenario,
    out: Path | None = None,
    *,
    master: str = "local[*]",
    deliveries: Literal["memory", "spark"] = "memory",
    progress: Progress | None = None,
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
    deliveries : str
        Where to count whom messages reach: "memory" reads the population, "spark" leaves it on disk.
    progress : rich.progress.Progress, optional
        Where the steps are shown; it is started once nothing is wrong with the arguments.

    Raises
    ------
    RunError
        `out` exists or cannot be made.
    DeliveriesError
        The scenario needs its subscriptions in memory, but they are to stay on disk.
    PipelineError
        `master` is no Spark master.
    """
    pipeline.check_spark(master)
    if deliveries == "spark":
        check_spark_deliveries(scenario)
    directory = _free_directory(scenario.name) if out is None else out
    partial = _partial_directory(directory)
    try:
        with progress or Progress(disable=True) as shown:
            result = _run_into(partial, scenario, master, shown, in_memory=deliveries == "memory")
        partial.rename(directory)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return RunResult(directory, directory / result.figure.name, result.verdicts, result.notes, result.right)


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


def _run_into(directory: Path, scenario: Scenario, master: str, progress: Progress, *, in_memory: bool) -> RunResult:
    watch = Stopwatch()
    steps = progress.add_task("gathering population, topology and events", total=None)
    events_path = directory / "events.parquet"
    faults: dict[str, Mismatch | None] = {}
    loads: dict[str, Loads] = {}
    ledgers: dict[str, Ledger] = {}
    brief = in_memory and all_cached(scenario)
    with _spark_aside(master, directory, watch, brief=brief) as starting, ExitStack() as files:
        spark = starting.result
        with watch("ingredients"):
            ingredients = gather(scenario, spark, in_memory=in_memory)
            on_disk = (
                None if in_memory else SparkDeliveries(spark(), population_of(scenario, spark), ingredients.x_range)
            )
        progress.update(steps, visible=False)
        writer = files.enter_context(pq.ParquetWriter(events_path, pipeline.EVENTS, compression="zstd"))
        take_hops = None
        if "hops" in scenario.record:
            hops_path = directory / "hops.parquet"
            take_hops = files.enter_context(
                pq.ParquetWriter(hops_path, pipeline.HOPS, compression="zstd")
            ).write_table
        for name in scenario.approaches:
            if starting.done():
                spark()  # better told now than at the end if it failed
            verifier = verifier_of(scenario, ingredients, name)
            loads[name], ledgers[name] = Loads(len(ingredients.network)), Ledger()
            noted = (ledgers[name], loads[name], take_hops)
            for table in answer(scenario, ingredients, name, verifier, progress, watch, *noted, on_disk=on_disk):
                writer.write_table(table)
            if verifier is not None:
                faults[name] = verifier.mismatch
    progress.update(steps, visible=True, description="aggregating on Spark")
    with watch("summary"):
        exact = [name for name in scenario.approaches if parse_approach(name).exact]
        summary = pipeline.summarise(pipeline.read_events(spark(), events_path), exact)
        pipeline.write_summary(summary, directory / "summary.csv", scenario.approaches)
    _write_loads(directory, scenario, ingredients, loads)
    kept = (
        kept_objects({name: parse_approach(name) for name in loads}, ingredients.workload)
        if on_disk is None
        else on_disk.kept_objects(ingredients.workload, scenario.approaches)
    )
    figure = directory / "comparison.png"
    draw_comparison(events_path, directory / "summary.csv", scenario.approaches, _title(scenario), figure)
    progress.update(steps, visible=False)
    (directory / "scenario.toml").write_text(scenario_toml(scenario), encoding="utf-8")
    manifest = {
        "scenario": scenario.model_dump(exclude_none=True),
        "seed": scenario.seed,
        "deliveries": "memory" if in_memory else "spark",
        "versions": versions(),
        "topology": {"nodes": len(ingredients.graph), "links": ingredients.graph.size(), **ingredients.graph.graph},
        "verified": {name: str(fault) if fault else "right" for name, fault in faults.items()},
        "faults": {name: ledger.happened for name, ledger in ledgers.items()} if scenario.faults.any else {},
        "approaches": {name: {"kept_objects": kept[name], **_told(loads[name], ledgers[name])} for name in loads},
        "seconds": watch.seconds,
    }
    (directory / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    right = not any(faults.values())
    return RunResult(directory, figure, _verdicts(scenario, faults), _notes(loads, ledgers), right)


@contextmanager
def _spark_aside(master: str, directory: Path, watch: Stopwatch, *, brief: bool) -> Iterator[Future[SparkSession]]:
    """Start Spark, and let it rehearse what it is needed for at the end, while the block goes on."""

    def start() -> SparkSession:
        with watch("spark_start"):
            return pipeline.spark_session(master, brief=brief, keep_classes=True)

    fresh = not pipeline.spark_runs()
    with ThreadPoolExecutor(1) as aside:
        starting = aside.submit(start)
        if fresh:
            aside.submit(lambda: pipeline.rehearse_summary(starting.result(), directory))
        try:
            yield starting
        finally:
            aside.shutdown(wait=False, cancel_futures=True)


def _write_loads(directory: Path, scenario: Scenario, ingredients: Ingredients, loads: dict[str, Loads]) -> None:
    sizes = {name: message_bytes(scenario.sizes, parse_approach(name)) for name in loads}
    brokers = [load.broker_table(name, sizes[name]) for name, load in loads.items()]
    links = [load.link_table(name, sizes[name], ingredients.routes) for name, load in loads.items()]
    pq.write_table(pa.concat_tables(brokers), directory / "brokers.parquet", compression="zstd")
    pq.write_table(pa.concat_tables(links), directory / "links.parquet", compression="zstd")


def _told(load: Loads, ledger: Ledger) -> dict[str, float | str]:
    """What an engine with a clock knows of an approach beside its events, for the manifest."""
    told: dict[str, float | str] = {}
    bottleneck = load.bottleneck(ledger)
    if bottleneck is not None:
        told |= {"bottleneck": bottleneck.what, "utilisation": bottleneck.utilisation}
        told |= {
            "server_busy_s": ledger.server_busy_s,
            "server_waited_s": ledger.server_waited_s,
            "end_s": ledger.end_s,
        }
    return told


def answer(
    scenario: Scenario,
    ingredients: Ingredients,
    name: str,
    verifier: Verifier | None,
    progress: Progress,
    watch: Stopwatch,
    ledger: Ledger | None = None,
    loads: Loads | None = None,
    take_hops: Callable[[pa.Table], None] | None = None,
    *,
    on_disk: SparkDeliveries | None = None,
) -> Iterator[pa.Table]:
    """Let one approach answer all events: the rows of `events.parquet`, chunk by chunk.

    What else happened is noted in `ledger` and `loads`; `take_hops` is given the rows of `hops.parquet`, if the
    scenario has them recorded. With `on_disk`, deliveries to that population are counted.
    """
    approach = parse_approach(name)
    shown = name if on_disk is None else f"{name}, deliveries on Spark"
    bar = progress.add_task(shown, total=len(ingredients.events.object))
    with watch(f"server {name}"):
        session = approach.open(ingredients.workload, approach)
    watched = _followed(scenario, ingredients) if verifier is None else verifier.watched
    carrying = carry_events(scenario, ingredients, approach, session, watched, ledger)
    if on_disk is not None:
        carrying = on_disk.recount(ingredients.network, carrying)
    for carried in watch.each(f"network {name}", carrying):
        waits = waits_of(ingredients, approach, carried, last_hop=scenario.network.last_hop)
        if verifier is not None:
            with watch(f"verify {name}"):
                verifier.take(carried)
        if loads is not None:
            loads.add(carried)
        if take_hops is not None and carried.sent is not None:
            take_hops(hop_table(name, approach, carried, scenario.sizes))
        sources = sources_of(ingredients, approach, carried.chunk, carried.outgoing)[carried.traffic.message]
        direct = ingredients.routes.hops[sources, carried.traffic.broker].astype(np.int64)
        progress.advance(bar, len(carried.chunk.events.object))
        yield event_records(name, approach, carried, waits, direct, scenario.sizes)


def _followed(scenario: Scenario, ingredients: Ingredients) -> NDArray[np.int64]:
    """Subscriptions to follow for how long lists are wrong, where nothing is verified: some, if there is a clock."""
    if scenario.engine == "tally":
        return np.empty(0, np.int64)
    return _sample(scenario, ingredients, _FOLLOWED)


def _sample(scenario: Scenario, ingredients: Ingredients, size: int) -> NDArray[np.int64]:
    subscriptions = len(ingredients.workload.l)
    return np.sort(generator(scenario, "sample").choice(subscriptions, min(size, subscriptions), replace=False))


def verifier_of(scenario: Scenario, ingredients: Ingredients, name: str) -> Verifier | None:
    """Follows the lists that the scenario wants verified under an approach; None if it wants none.

    Of a sample, those that come later are verified too.
    """
    if scenario.verify == "none":
        return None
    churn = plan_faults(scenario, ingredients).churn
    first = (
        np.arange(len(ingredients.workload.l))
        if scenario.verify == "all"
        else _sample(scenario, ingredients, int(scenario.verify.partition(":")[2]))
    )
    watched = np.append(first, len(ingredients.workload.l) + np.arange(len(churn.l)))
    return Verifier(parse_approach(name), ingredients.workload, watched, ingredients.events, churn)


def _verdicts(scenario: Scenario, faults: dict[str, Mismatch | None]) -> list[str]:
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


def _notes(loads: dict[str, Loads], ledgers: dict[str, Ledger]) -> list[str]:
    """Where the bottleneck sits, and what went wrong."""
    lines = []
    for name, ledger in ledgers.items():
        bottleneck = loads[name].bottleneck(ledger)
        if bottleneck is not None:
            lines.append(f"busiest  {name}: {bottleneck}")
        if ledger.happened:
            told = ", ".join(f"{times} {what}" for what, times in sorted(ledger.happened.items()))
            lines.append(f"faults   {name}: {told}")
    return lines


def _title(scenario: Scenario) -> str:
    return (
        f"{scenario.name}: {scenario.subscriptions.count:,} subscriptions, {scenario.objects.count:,} objects, "
        f"k = {scenario.k}, {scenario.network.brokers} brokers, {scenario.events.count:,} events"
    )
