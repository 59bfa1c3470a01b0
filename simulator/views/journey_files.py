"""Following one event of a finished run: as text, as a picture, and as a moving map of several approaches.

The run's scenario is simulated again until the messages of the event have arrived, which gives what the run gave,
since a scenario decides everything; the records of the run are compared with it.
"""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

import pipeline
from simulator.inputs.ingredients import gather
from simulator.results.errors import RunError
from simulator.results.finished_run import FinishedRun
from simulator.runs.event_journey import EventJourney, follow_event
from simulator.views.approach_choice import named_once
from simulator.views.journey_figure import draw_journey
from simulator.views.journey_film import journey_film, journey_still
from simulator.views.journey_map import JourneyMap, map_journeys
from simulator.views.journey_page import journey_page
from simulator.views.journey_text import heading_lines, journey_lines
from simulator.views.output import PICTURES, check_out, write_out, write_picture

__all__ = ["tell_journey"]

_MAPS = (".html", ".gif")


def tell_journey(
    directory: Path,
    event: int,
    approaches: Sequence[str] = (),
    out: Path | None = None,
    *,
    at: float | None = None,
    everything: bool = False,
    master: str = "local[*]",
) -> list[str]:
    """Follow one event of a finished run: lines of text, and a drawing in `out` if that is given.

    Parameters
    ----------
    approaches : sequence of str
        Some of the run's; by default all of them for a map, else the first.
    out : Path, optional
        A picture, one of `PICTURES`, or a moving map, `.html` or `.gif`.
    at : float, optional
        A moment, as the slider of the map has it: the picture is then the map as it is at that moment.
    everything : bool
        Whether to tell all messages and hops, however many there are. Without, several approaches have their headings
        told only.

    Raises
    ------
    RunError
        No finished run, no such event, approach or moment in it, an approach named twice, or records that are not
        those of its scenario.
    OutputError
        `out` cannot be written.
    """
    run = FinishedRun(directory)
    if out is not None:
        check_out(out, (*PICTURES, *_MAPS))
    moves = out is not None and out.suffix.lower() in _MAPS
    if at is not None and (out is None or moves):
        raise RunError(f"--at {at:g}: a still is a picture; let --out end in {' or '.join(PICTURES)}")
    scenario = run.scenario
    names = named_once(approaches, RunError) or scenario.approaches[: None if moves or at is not None else 1]
    records = [_records(run, name, event) for name in names]
    ingredients = gather(scenario, pipeline.spark_source(master))
    journeys = [follow_event(scenario, ingredients, name, event) for name in names]
    for one, followed in zip(records, journeys, strict=True):
        _compare(directory, one, followed)
    if out is not None and not moves and at is None:
        write_picture(draw_journey(*journeys), out)
    elif out is not None:
        _write_map(map_journeys(journeys, ingredients), at, out)
    whole = everything or len(journeys) == 1
    told = [list(journey_lines(one, everything=everything) if whole else heading_lines(one)) for one in journeys]
    return [line for lines in told for line in ("", *lines)][1:]


def _write_map(shown: JourneyMap, at: float | None, out: Path) -> None:
    """Write a map that moves, or the moment `at` of it."""
    if at is None:
        write_out(journey_film(shown) if out.suffix.lower() == ".gif" else journey_page(shown).encode(), out)
    elif shown.start <= at <= shown.end:
        write_picture(journey_still(shown, at), out)
    else:
        unit = "ms since the event" if shown.timed else "hops from the source"
        raise RunError(f"--at {at:g}: must be between {shown.start:.4g} and {shown.end:.4g}, in {unit}")


def _records(run: FinishedRun, name: str, event: int) -> pa.Table:
    """What the run recorded of an approach, if it has that, and the event."""
    if name not in run.scenario.approaches:
        raise RunError(f"--approach {name}: the run has {', '.join(run.scenario.approaches)}; choose one of them")
    records = run.table("events", ["event", "events", "overlay_hops"], name)
    last = int(pc.sum(records["events"]).as_py() or 0) - 1
    if not 0 <= event <= last:
        raise RunError(f"--event {event}: must be between 0 and {last}, the last event of the run")
    return records


def _compare(directory: Path, records: pa.Table, followed: EventJourney) -> None:
    row = records.filter(pc.field("event") == followed.first)
    recorded = row["overlay_hops"].to_pylist()
    if recorded != [len(followed.hops)]:
        raise RunError(
            f"{directory}: event {followed.first} of {followed.name} takes {len(followed.hops)} hops now, its record "
            f"says {', '.join(map(str, recorded)) or 'nothing'}; run the scenario again with this version"
        )
