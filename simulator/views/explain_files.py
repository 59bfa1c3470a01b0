"""Explaining an event of a run or a scenario: gather what it is made of, follow it there, draw it to a file."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow.compute as pc

import pipeline
from scenarios import located
from simulator.approaches.registry import parse_approach
from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import gather
from simulator.results.finished_run import FinishedRun
from simulator.scenario.loading import load_scenario
from simulator.scenario.scenario import Scenario
from simulator.views.approach_choice import named_once
from simulator.views.event_explanation import EventExplanation
from simulator.views.explain import ExplainError, explain, pick_event
from simulator.views.explain_figure import draw_side_by_side
from simulator.views.explain_page import explain_page
from simulator.views.explain_state import approach_of
from simulator.views.explanation import Explanation
from simulator.views.output import PICTURES, check_out, write_out, write_picture
from simulator.views.side_explanation import SideExplanation, explain_over_sides
from simulator.views.side_figure import draw_sides
from simulator.views.side_page import side_page

__all__ = ["AnyExplanation", "explain_events", "explain_to_file", "write_explanation"]

AnyExplanation = Explanation | SideExplanation
"""An event explained: over one attribute, or over several."""

_ENDINGS = (*PICTURES, ".html")


def explain_to_file(
    target: Path,
    out: Path,
    *,
    event: int | None = None,
    approaches: Sequence[str] = (),
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
    approaches : sequence of str
        Whose messages, side by side; by default of the first of the scenario's that answers events one by one, or of
        its first.
    changes : tuple of str
        `key=value` pairs that replace values of a scenario file; a run is as it is.

    Raises
    ------
    ExplainError, OutputError, ScenarioError, PipelineError
        One line for the user; as far as can be told, before anything else is done.
    """
    check_out(out, _ENDINGS)
    explained = explain_events(target, event=event, approaches=approaches, changes=changes, master=master)
    write_explanation(explained, out)
    return [line for one in explained for line in one.facts]


def explain_events(
    target: Path | Scenario,
    *,
    event: int | None = None,
    approaches: Sequence[str] = (),
    changes: tuple[str, ...] = (),
    master: str = "local[*]",
) -> list[AnyExplanation]:
    """Lay out one event of a run directory, a scenario file or a scenario, once per approach.

    Parameters and errors are those of `explain_to_file`.
    """
    spark = pipeline.spark_source(master)
    directory = target if isinstance(target, Path) and target.is_dir() else None
    if changes and directory is not None:
        raise ExplainError(f"--set {changes[0]}: {directory} is a finished run; give its scenario file to change it")
    named_once(approaches, ExplainError)
    run = None if directory is None else FinishedRun(directory)
    if run is not None:
        scenario = run.scenario
    else:
        scenario = target if isinstance(target, Scenario) else _scenario(Path(target), changes)
    shape = scenario.form.shape
    if shape != "boxes":
        rule = f"subscriptions must be ranges for an event to be drawn, and are {shape}"
        raise ExplainError(f"{scenario.name}: {rule}; follow its messages by rangecast trace")
    if scenario.events.duration_s is None:
        _check_event(event, scenario.events.count, scenario)
    chosen = approaches or [_first_approach(scenario)]
    for name in chosen:
        _check_approach(name, scenario)
    ingredients = gather(scenario, spark)
    workload, events = ingredients.workload, ingredients.events
    _check_event(event, len(events.object), scenario)
    churn = plan_faults(scenario, ingredients).churn if scenario.faults.any else None
    number = pick_event(workload, events) if event is None else event
    lay_out = explain if workload.dimensions == 1 else explain_over_sides
    explained: list[AnyExplanation] = [
        lay_out(workload, events, number, name, churn, ingredients.names, scenario.events.warm_up) for name in chosen
    ]
    if run is not None:
        for one in explained:
            _compare(run, one)
    return explained


def _check_approach(name: str, scenario: Scenario) -> None:
    """Refuse an approach that is not drawn, before anything is gathered."""
    approach = approach_of(name)
    if scenario.dimensions == 1:
        return
    if approach.window is not None:
        rule = "windows are drawn over one attribute only; choose one that answers every event"
    elif approach.cut == "strips":
        rule = "strips are for one dimension; take levels or tiles instead"
    else:
        return
    raise ExplainError(f"--approach {name}: {rule}")


def _check_event(event: int | None, count: int, scenario: Scenario) -> None:
    if event is not None and not 0 <= event < count:
        last = count - 1
        raise ExplainError(f"--event {event}: must be between 0 and {last}, the last of {scenario.name}; choose one")


def write_explanation(explained: Sequence[AnyExplanation], out: Path) -> None:
    """Write an explained event as a picture, one of `PICTURES`, or as a page with a slider, `.html`.

    Several explanations are of several approaches to the event, and stand side by side.

    Raises
    ------
    OutputError
        It cannot be written there.
    """
    check_out(out, _ENDINGS)
    over_sides = [one for one in explained if isinstance(one, SideExplanation)]
    over_one = [one for one in explained if isinstance(one, Explanation)]
    if out.suffix.lower() == ".html":
        write_out((side_page(over_sides) if over_sides else explain_page(*over_one)).encode(), out)
    else:
        write_picture(draw_sides(over_sides) if over_sides else draw_side_by_side(over_one), out, dpi=110)


def _scenario(target: Path, changes: tuple[str, ...]) -> Scenario:
    if not located(target).exists():
        raise ExplainError(
            f"{target}: there is no such run or scenario; give a run directory, a scenario file or a name that "
            "`rangecast scenario list` shows"
        )
    return load_scenario(target, changes)


def _first_approach(scenario: Scenario) -> str:
    parsed = {name: parse_approach(name) for name in scenario.approaches}
    drawn = {name: one for name, one in parsed.items() if not one.asked}
    single = (name for name, one in drawn.items() if one.window is None)
    return next(single, next(iter(drawn), "paint-dense"))


def _compare(run: FinishedRun, explained: AnyExplanation) -> None:
    """Make sure that the event, or its window, is the one that the run recorded; that of a window names no object."""
    first = explained.span.start
    records = run.table("events", ["event", "object", "messages"], explained.approach)
    rows = records.filter(pc.field("event") == first).to_pylist()
    found = explained.object if isinstance(explained, EventExplanation | SideExplanation) else None
    if rows and (rows[0]["object"], rows[0]["messages"]) != (found, len(explained.messages)):
        recorded, made = (_about(i) for i in (rows[0]["object"], found))
        raise ExplainError(
            f"{run.directory}: event {first} was recorded with {rows[0]['messages']} messages{recorded}, "
            f"this version makes {len(explained.messages)}{made}; run again"
        )


def _about(i: int | None) -> str:
    return "" if i is None else f" about object {i}"
