"""Explaining an event of a run or a scenario: gather what it is made of, follow it there, draw it to a file."""

from pathlib import Path

import pyarrow.compute as pc

import pipeline
from simulator.approaches.registry import parse_approach
from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import gather
from simulator.results.finished_run import FinishedRun
from simulator.scenario.loading import load_scenario
from simulator.scenario.scenario import Scenario
from simulator.views.explain import ExplainError, explain, pick_event
from simulator.views.explain_figure import draw_explanation
from simulator.views.explain_page import explain_page
from simulator.views.explanation import Explanation
from simulator.views.output import PICTURES, check_out, write_out, write_picture

__all__ = ["explain_event", "explain_to_file", "facts_of", "write_explanation"]

_ENDINGS = (*PICTURES, ".html")


def explain_to_file(
    target: Path,
    out: Path,
    *,
    event: int | None = None,
    approach: str | None = None,
    changes: tuple[str, ...] = (),
    master: str = "local[*]",
) -> list[str]:
    """Draw one event of a run directory or a scenario file; the facts worth printing.

    Parameters
    ----------
    out : Path
        A picture, one of `PICTURES`, or a page with a slider, `.html`; it appears whole or not at all.
    event : int, optional
        By default `pick_event` chooses.
    approach : str, optional
        Whose messages; by default the first of the scenario's that answers events one by one.
    changes : tuple of str
        `key=value` pairs that replace values of a scenario file; a run is as it is.

    Raises
    ------
    ExplainError, OutputError, ScenarioError, PipelineError
        One line for the user; as far as can be told, before anything else is done.
    """
    check_out(out, _ENDINGS)
    explained = explain_event(target, event=event, approach=approach, changes=changes, master=master)
    write_explanation(explained, out)
    return facts_of(explained)


def explain_event(
    target: Path | Scenario,
    *,
    event: int | None = None,
    approach: str | None = None,
    changes: tuple[str, ...] = (),
    master: str = "local[*]",
) -> Explanation:
    """Explain one event of a run directory, a scenario file or a scenario; the rest as in `explain_to_file`."""
    spark = pipeline.spark_source(master)
    directory = target if isinstance(target, Path) and target.is_dir() else None
    if changes and directory is not None:
        raise ExplainError(f"--set {changes[0]}: {directory} is a finished run; give its scenario file to change it")
    run = None if directory is None else FinishedRun(directory)
    if run is not None:
        scenario = run.scenario
    else:
        scenario = target if isinstance(target, Scenario) else _scenario(Path(target), changes)
    if scenario.events.duration_s is None:
        _check_event(event, scenario.events.count, scenario)
    name = _first_approach(scenario) if approach is None else approach
    ingredients = gather(scenario, spark)
    _check_event(event, len(ingredients.events.object), scenario)
    churn = plan_faults(scenario, ingredients).churn if scenario.faults.any else None
    number = pick_event(ingredients.workload, ingredients.events) if event is None else event
    explained = explain(ingredients.workload, ingredients.events, number, name, churn, ingredients.names)
    if run is not None:
        _compare(run, explained)
    return explained


def _check_event(event: int | None, count: int, scenario: Scenario) -> None:
    if event is not None and not 0 <= event < count:
        last = count - 1
        raise ExplainError(f"--event {event}: must be between 0 and {last}, the last of {scenario.name}; choose one")


def write_explanation(explained: Explanation, out: Path) -> None:
    """Write an explained event as a picture, one of `PICTURES`, or as a page with a slider, `.html`.

    Raises
    ------
    OutputError
        It cannot be written there.
    """
    check_out(out, _ENDINGS)
    if out.suffix.lower() == ".html":
        write_out(explain_page(explained).encode(), out)
    else:
        write_picture(draw_explanation(explained), out, dpi=110)


def _scenario(target: Path, changes: tuple[str, ...]) -> Scenario:
    if not target.exists():
        raise ExplainError(
            f"{target}: there is no such run or scenario; give a run directory or a scenario file, such as one that "
            "`rangecast scenario new` copies"
        )
    return load_scenario(target, changes)


def _first_approach(scenario: Scenario) -> str:
    return next((name for name in scenario.approaches if parse_approach(name).window is None), "paint-dense")


def _compare(run: FinishedRun, explained: Explanation) -> None:
    """Make sure that the event is the one that the run recorded."""
    records = run.table("events", ["event", "object", "messages"], explained.approach)
    rows = records.filter(pc.field("event") == explained.event).to_pylist()
    if rows and (rows[0]["object"], rows[0]["messages"]) != (explained.object, len(explained.messages)):
        raise ExplainError(
            f"{run.directory}: event {explained.event} was recorded with {rows[0]['messages']} messages about object "
            f"{rows[0]['object']}, this version makes {len(explained.messages)} about {explained.object}; run again"
        )


def facts_of(explained: Explanation) -> list[str]:
    """What is worth printing of an event, in three lines."""
    exposed = ", ".join(explained.called(h).removeprefix("object ") for h in explained.exposed) or "none"
    return [
        explained.title,
        f"exposed objects, in order: {exposed}",
        f"messages: {len(explained.messages):,}",
    ]
