"""What the sections of a report of runs hold: sentences, tables of text, charts and labels.

Each section has a template of its name in `templates/report`, which puts them into the page.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.schemas import BATCHES
from simulator.approaches.colours import Colour, colour_of
from simulator.views.report.charts import cumulative, exceedance
from simulator.views.report.downloads import csv_of, downloads_of
from simulator.views.report.findings import findings_between, findings_of, reference_of
from simulator.views.report.loads import broker_loads, column_of, link_loads, pens_of
from simulator.views.report.over_time import measures_of, when_table
from simulator.views.report.runs import Run, Side, known
from simulator.views.report.side_by_side import charts_of, groups_of
from simulator.views.report.tables import Table, flat, plain
from simulator.views.report.wording import in_prose

__all__ = ["Section", "colours_of", "facts_of", "sections_of"]

_NETWORKS = {
    "can": "content-addressable (can)",
    "prefix": "contacts by prefix (prefix)",
    "tree": "spanning tree (tree)",
}


class Section(NamedTuple):
    """A part of the page, with a link to it in the header."""

    name: str
    heading: str
    content: dict[str, Any]
    folder: str = "report"
    """Where among the templates the one of its name is."""


def sections_of(runs: Sequence[Run], sides: Sequence[Side]) -> list[Section]:
    """All sections that have something to say, in order."""
    sections = [
        Section("findings", "What was found", _findings(runs, sides)),
        Section("comparison", "Side by side" if len(sides) > 1 else "Means", _comparison(sides)),
        Section("time", "Over time", _over_time(sides)),
        Section("distributions", "Distributions over events", _distributions(sides)),
        Section("brokers", "Load on the brokers", broker_loads(runs, sides)),
        Section("links", "Load on the links", link_loads(sides)),
        Section("scenario", "Scenario" if len(runs) == 1 else "Scenarios", _scenarios(runs)),
        Section("downloads", "Downloads", _downloads(runs)),
    ]
    return [section for section in sections if section.content]


def colours_of(sides: Sequence[Side]) -> list[Colour]:
    """Colours of the approaches, in the order of their numbers."""
    names = {side.colour: side.name for side in sides}
    return [colour_of(names[number]) for number in sorted(names)]


def facts_of(runs: Sequence[Run]) -> Table:
    """What was simulated, in a few numbers."""
    wanted: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("subscriptions", ("subscriptions", "count")),
        ("objects", ("objects", "count")),
        ("k", ("k",)),
        ("events", ("events", "count")),
        ("brokers", ("network", "brokers")),
        ("network", ("network", "kind")),
        ("engine", ("engine",)),
        ("seed", ("seed",)),
    )
    told = [[plain(known(_counted(run), *keys)) for _, keys in wanted] for run in runs]
    rows = [[run.name, *(_NETWORKS.get(cell, cell) for cell in row)] for run, row in zip(runs, told, strict=True)]
    return Table("the runs of this report", ["run", *(name for name, _ in wanted)], rows)


def _counted(run: Run) -> dict[str, Any]:
    """The scenario of a run, with the number of its events where it says how long they go on instead."""
    scenario, table = dict(run.manifest["scenario"]), run.tables["events"]
    events = scenario.get("events")
    if not isinstance(events, dict) or "count" in events or len(table) == 0:
        return scenario
    first = table.filter(pc.field("approach") == table["approach"][0])
    return scenario | {"events": events | {"count": pc.sum(first["events"]).as_py()}}


def _findings(runs: Sequence[Run], sides: Sequence[Side]) -> dict[str, Any]:
    own = [(run, [side for side in sides if side.run is run]) for run in runs]
    told = [
        {
            "name": run.name,
            "reference": in_prose(reference_of(these).name) if len(these) > 1 else None,
            "findings": findings_of(these),
        }
        for run, these in own
    ]
    return {"runs": told, "between": findings_between(sides), "several": len(runs) > 1, "parts": BATCHES}


def _comparison(sides: Sequence[Side]) -> dict[str, Any]:
    return {
        "sides": [(side.colour, side.name) for side in sides],
        "runs": _runs_above(sides),
        "groups": groups_of(sides),
        "charts": charts_of(sides) if len(sides) > 1 else [],  # a bar alone says nothing
    }


def _runs_above(sides: Sequence[Side]) -> list[tuple[str, int]]:
    """Names of several runs, each with the number of its sides, which stand together; none for one run."""
    names = Counter(side.run.name for side in sides)
    return list(names.items()) if len(names) > 1 else []


def _over_time(sides: Sequence[Side]) -> dict[str, Any]:
    measures, counts, when = measures_of(sides), _fault_counts(sides), when_table(sides)
    if not measures and counts is None:
        return {}
    kinds = {mark.kind for measure in measures for row in measure.rows for panel in row for mark in panel.marks}
    return {"measures": measures, "counts": counts, "when": when, "kinds": kinds}


def _fault_counts(sides: Sequence[Side]) -> Table | None:
    """How often what went wrong, one column for each approach; None where nothing did."""
    told = [known(side.run.manifest, "faults", side.name) for side in sides]
    happened = [own if isinstance(own, dict) else {} for own in told]
    kinds = dict.fromkeys(what for own in happened for what in own)
    if not kinds:
        return None
    rows = [[what, *(plain(own.get(what, 0)) for own in happened)] for what in kinds]
    return Table("how often what went wrong", ["what happened", *(side.label for side in sides)], rows)


def _distributions(sides: Sequence[Side]) -> dict[str, Any]:
    pens = pens_of(sides)
    measures = (
        ("Out of the server", "bytes out of the server", ("bytes_out",)),
        ("Overlay traffic", "bytes in the overlay", ("overlay_bytes",)),
        ("Notifications", "notifications received", ("received_update", "received_exposed")),
    )
    kept = [side.events.filter(pc.field("event") >= side.run.warm_up) for side in sides]
    charts = [
        exceedance(title, label, [_per_event(events, *columns) for events in kept], pens, "events")
        for title, label, columns in measures
    ]
    waits = (
        ("Median latency of an event", "latency (ms)", "latency_p50"),
        ("99th percentile of an event", "latency (ms)", "latency_p99"),
        ("Staleness of an event", "until a list has taken it in (ms)", "stale"),
    )
    charts += [
        cumulative(title, label, [column_of(events, column) for events in kept], pens, "events")
        for title, label, column in waits
    ]
    drawn = [chart for chart in charts if chart is not None]
    legend = list(zip([side.label for side in sides], pens, strict=True))
    timed = any(side.value("latency_p50") is not None for side in sides)
    return {"legend": legend, "charts": drawn, "timed": timed} if drawn else {}


def _per_event(events: pa.Table, *columns: str) -> NDArray[np.float64]:
    """What every event costs, those of a window alike, so that the mean is that of the table."""
    counts = events["events"].to_numpy()
    return np.repeat(column_of(events, *columns) / np.maximum(counts, 1), counts)


def _scenarios(runs: Sequence[Run]) -> dict[str, Any]:
    told = [
        {
            "name": run.name,
            "text": run.scenario_text,
            "versions": list(flat(run.manifest["versions"]).items()),
            "seconds": Table(
                f"time spent in {run.name}", ["step", "seconds"], list(flat(run.manifest["seconds"]).items())
            ),
        }
        for run in runs
    ]
    return {"differences": _differences(runs) if len(runs) > 1 else None, "runs": told}


def _differences(runs: Sequence[Run]) -> Table:
    told = [flat(run.manifest["scenario"]) for run in runs]
    keys = dict.fromkeys(key for values in told for key in values)
    rows = [
        [key, *(values.get(key, "-") for values in told)]
        for key in keys
        if len({values.get(key) for values in told}) > 1
    ]
    return Table("differences between the scenarios", ["what differs", *(run.name for run in runs)], rows)


def _downloads(runs: Sequence[Run]) -> dict[str, Any]:
    contents = [(f"{run.name}-summary.csv", run.summary_csv, run.directory / "summary.csv") for run in runs]
    for name in ("brokers", "links", "series", "events", "faults"):
        for run in runs:
            contents += csv_of({name: run.tables[name]}, run.name, run.directory)
    return {"files": downloads_of(contents)}
