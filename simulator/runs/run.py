"""Running a scenario: ingredients, approaches, engine, verification, and a run directory that is whole or absent."""

import errno
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from pyspark.sql import SparkSession
from rich.progress import Progress, TaskID

import pipeline
from floor.files import Claim, reason_of
from floor.steps import Advance
from simulator.engine.carried import Carried
from simulator.engine.spark_deliveries import SparkDeliveries, check_spark_deliveries
from simulator.inputs.ingredients import Ingredients, clear_cache, gather, network_notes
from simulator.inputs.out_directory import claim_out
from simulator.inputs.room import check_room
from simulator.inputs.start import little_to_make, population_of
from simulator.results.collectors import Beside
from simulator.results.errors import RunError
from simulator.results.loads import kept_objects
from simulator.results.needed import Needed, needed_of
from simulator.results.run_directory import FIGURE, Outcome, RunDirectory
from simulator.results.stopwatch import Stopwatch
from simulator.runs.answer import Timed, answer
from simulator.runs.spark_bar import spark_bar
from simulator.scenario.scenario import Scenario

__all__ = ["RunResult", "run_scenario"]


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
        The name is taken before anything is simulated.
    master : str
        Spark master for the population and the summary.
    deliveries : str
        Where to count whom messages reach: "memory" reads the population, "spark" leaves it on disk.
    progress : rich.progress.Progress, optional
        Where the steps are shown; it is started once nothing is wrong with the arguments.

    Raises
    ------
    RunError
        `out` exists, is being written to by another run, or cannot be made or written.
    ScenarioError
        The scenario needs more memory or disk than there is.
    DeliveriesError
        The scenario needs its subscriptions in memory, but they are to stay on disk.
    PipelineError
        `master` is no Spark master.
    """
    pipeline.check_spark(master)
    if deliveries == "spark":
        check_spark_deliveries(scenario)
    in_memory = deliveries == "memory"
    check_room(scenario, in_memory=in_memory, out=out)
    clear_cache()
    claim = _claimed(scenario.name, out)
    wanted = claim.path
    with _write_errors(claim), claim, progress or Progress(disable=True) as shown:
        outcomes, told = _run_into(claim.partial, scenario, master, shown, in_memory=in_memory)
    if claim.path != wanted:
        told.append(f"note     {wanted} was taken by something else meanwhile; the results are in {claim.path}")
    right, directory = all(one.mismatch is None for one in outcomes), claim.path
    notes = [*_notes(outcomes), *told]
    return RunResult(directory, directory / FIGURE, _verdicts(scenario, outcomes), notes, right)


def _claimed(name: str, out: Path | None) -> Claim:
    """Take the name of a directory before there is anything to put into it: `out`, or the first free one."""
    if out is not None:
        return claim_out(out, RunError)
    directory, number = Path("runs") / name, 1
    while True:
        try:
            return claim_out(directory, RunError)
        except RunError:
            if not os.path.lexists(directory):  # not taken: it cannot be made at all
                raise
        number += 1
        directory = directory.with_name(f"{name}-{number}")


@contextmanager
def _write_errors(claim: Claim) -> Iterator[None]:
    """Tell in one line what keeps a run from being written."""
    try:
        yield
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        remedy = "make room and run again" if full else "mend that or choose another directory, and run again"
        kept = f"; the results are in {claim.partial}, give that another name" if claim.partial.exists() else ""
        told = f"--out {claim.path}: cannot be written: {where}{reason_of(error)}"
        raise RunError(told + (kept or f"; {remedy}")) from error


def _run_into(
    directory: Path, scenario: Scenario, master: str, progress: Progress, *, in_memory: bool
) -> tuple[list[Outcome], list[str]]:
    """Fill a run directory: what is known of each approach, and what else is worth a line."""
    watch, steps = Stopwatch(), _ShownSteps(progress)
    writing = RunDirectory(directory, scenario)
    brief = in_memory and little_to_make(scenario)
    with ExitStack() as shown:
        with _spark_aside(master, directory, watch, brief=brief) as starting, writing:
            shown.enter_context(spark_bar(progress, starting))
            spark, deliveries = starting.result, None
            with watch("ingredients"):
                ingredients = gather(scenario, spark, in_memory=in_memory, steps=steps)
                if not in_memory:
                    deliveries = SparkDeliveries(spark(), population_of(scenario, spark), ingredients.ranges.laid)
            counted = steps("counting the notifications that are needed", len(ingredients.events.object))
            with watch("needed"):
                needed = needed_of(scenario, ingredients, deliveries, counted)
            steps.end()
            for name in scenario.approaches:
                if starting.done():
                    spark()  # better told now than at the end if it failed
                _answer(writing, ingredients, needed, name, scenario, deliveries, progress, watch)
            import simulator.results.comparison_figure  # noqa: F401  # Matplotlib loads while Spark rehearses
        steps("taking the means on Spark")
        with watch("summary"):
            writing.summarise(spark())
        followed = steps("following the routes of what was sent", len(ingredients.network))
        with watch("loads"):
            writing.write_loads(ingredients, followed)
        steps("counting the objects that subscriptions must keep")
        with watch("kept"):
            kept = _kept_objects(writing, ingredients, deliveries)
        steps.end()
    writing.write_manifest(ingredients, kept, watch.seconds, "memory" if in_memory else "spark")
    return writing.outcomes, [f"network  {line}" for line in network_notes(ingredients.graph)]


def _kept_objects(
    writing: RunDirectory, ingredients: Ingredients, deliveries: SparkDeliveries | None
) -> dict[str, float]:
    """Objects that a subscription must keep, by approach."""
    approaches = {one.name: one.approach for one in writing.outcomes}
    if deliveries is None:
        return kept_objects(approaches, ingredients.workload)
    return deliveries.kept_objects(ingredients.workload, list(approaches))


def _answer(
    writing: RunDirectory,
    ingredients: Ingredients,
    needed: Needed,
    name: str,
    scenario: Scenario,
    deliveries: SparkDeliveries | None,
    progress: Progress,
    watch: Stopwatch,
) -> None:
    """Let one approach answer all events, under a bar of its own."""
    outcome, collectors = writing.begin(name, ingredients, needed)
    shown = name if deliveries is None else f"{name}, deliveries on Spark"
    bar = progress.add_task(shown, total=len(ingredients.events.object))
    collectors.append(_Shown(progress, bar))
    with ExitStack() as beside:
        if outcome.verifier is not None:
            verifying = Timed(outcome.verifier, watch, f"verify {name}")
            collectors.insert(0, beside.enter_context(Beside(verifying)))
        answer(scenario, ingredients, name, collectors, ledger=outcome.ledger, deliveries=deliveries, watch=watch)


class _ShownSteps:
    """Shows the steps outside the approaches, one at a time."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._bar = progress, progress.add_task("starting", total=None)

    def __call__(self, what: str, total: int | None = None) -> Advance:
        """Show a step in the place of the one before."""
        self.end()
        self._bar = self._progress.add_task(what, total=total)
        self._progress.refresh()  # what comes may keep all else from running
        return partial(self._progress.advance, self._bar)

    def end(self) -> None:
        """Show none until the next."""
        self._progress.update(self._bar, visible=False)


class _Shown:
    """Shows how many events have been answered."""

    def __init__(self, progress: Progress, bar: TaskID) -> None:
        self._progress, self._bar = progress, bar

    def take(self, carried: Carried) -> None:
        """Count the events of a chunk."""
        self._progress.advance(self._bar, len(carried.chunk.events.object))


@contextmanager
def _spark_aside(master: str, directory: Path, watch: Stopwatch, *, brief: bool) -> Iterator[Future[SparkSession]]:
    """Start Spark, and let it rehearse what it is needed for at the end, while the block goes on."""

    def start() -> SparkSession:
        with watch("spark_start"):
            return pipeline.spark_session(master, brief=brief, keep_classes=True)

    fresh = not pipeline.spark_runs()
    if fresh:  # Spark and Arrow load pandas when they need it: two threads that do so at once may find it half made
        import pandas  # noqa: F401
    with ThreadPoolExecutor(1) as aside:
        starting = aside.submit(start)
        if fresh:
            aside.submit(lambda: pipeline.rehearse_summary(starting.result(), directory))
        try:
            yield starting
        finally:
            aside.shutdown(wait=False, cancel_futures=True)


def _verdicts(scenario: Scenario, outcomes: list[Outcome]) -> list[str]:
    if scenario.verify == "none":
        return ['not verified: set verify = "all" to compare every list with brute force']
    lines = []
    for one in outcomes:
        count = 0 if one.verifier is None else len(one.verifier.verified)
        subscriptions = "every subscription" if scenario.verify == "all" else f"{count:,} subscriptions"
        checked = f"verified {one.name}: {subscriptions}, {scenario.events.extent}"
        if one.mismatch is not None:
            lines.append(f"WRONG    {one.name}: {one.verdict}")
        else:
            unordered = scenario.network.order == "none" and one.lists is not None
            lines.append(f"{checked}, {'all messages' if unordered else 'all'} right")
    return lines


def _notes(outcomes: list[Outcome]) -> list[str]:
    """Where the bottleneck sits, whether a queue grows, and what went wrong."""
    lines = []
    for one in outcomes:
        bottleneck = one.loads.bottleneck(one.ledger)
        if bottleneck is not None:
            lines.append(f"busiest  {one.name}: {bottleneck}")
        if one.unsteady is not None:
            lines.append(f"WARNING  {one.name}: {one.unsteady}")
        if one.lists is not None and one.lists.ends_wrong:  # only without order, or it is told as wrong
            lines.append(f"order    {one.name}: {one.lists.ends_wrong:.2%} of the lists that are followed end wrong")
        if one.ledger.happened:
            told = ", ".join(f"{times:,} {what}" for what, times in sorted(one.ledger.happened.items()))
            lines.append(f"faults   {one.name}: {told}")
    return lines
