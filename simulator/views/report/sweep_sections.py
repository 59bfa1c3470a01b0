"""What the sections of a report of a sweep hold; each has a template of its name in `templates/report/sweep`."""

from collections.abc import Sequence
from typing import Any

import tomli_w

from simulator.approaches.colours import Colour, colour_of
from simulator.runs.finished_sweep import FinishedSweep
from simulator.views.labels import short
from simulator.views.report.charts import Pen
from simulator.views.report.downloads import downloads_of
from simulator.views.report.sections import Section
from simulator.views.report.side_by_side import BY_THE_CLOCK, Cell, Row
from simulator.views.report.sweep_charts import sweep_panels
from simulator.views.report.sweep_findings import sweep_findings
from simulator.views.report.sweep_rows import Measured, Place, SweepRows
from simulator.views.report.tables import Table, plain
from simulator.views.report.wording import in_prose, written
from simulator.views.tables import LABELS

__all__ = ["sweep_colours", "sweep_facts", "sweep_sections"]

_FOLDER = "report/sweep"
_ROWS = 200
"""Points of a table."""


def sweep_sections(sweep: FinishedSweep, rows: SweepRows) -> list[Section]:
    """All sections, in order."""
    return [
        Section("findings", "What was found", _findings(sweep, rows), _FOLDER),
        Section("charts", "Over the grid", _charts(rows), _FOLDER),
        Section("tables", "Point by point", _tables(rows), _FOLDER),
        Section("scenario", "Scenario", _scenario(sweep), _FOLDER),
        Section("downloads", "Downloads", _downloads(sweep)),
    ]


def sweep_colours(rows: SweepRows) -> list[Colour]:
    """Colours of the approaches, in the order of their numbers."""
    return [colour_of(name) for name in rows.approaches]


def sweep_facts(sweep: FinishedSweep, name: str) -> Table:
    """What was swept, in a few words."""
    facts = sweep.facts
    cells = [plain(len(facts.scenarios)), plain(len(facts.seeds)), ", ".join(facts.keys) or "-"]
    return Table("the sweep of this report", ["sweep", "points", "seeds at each", "keys swept"], [[name, *cells]])


def _findings(sweep: FinishedSweep, rows: SweepRows) -> dict[str, Any]:
    return {"findings": sweep_findings(rows, sweep.facts.failures), "seeds": len(sweep.facts.seeds)}


def _charts(rows: SweepRows) -> dict[str, Any]:
    metrics = []
    for metric in rows.shown:
        panels, missing = sweep_panels(rows, metric)
        if any(one.mean for one in rows.metrics[metric].values()):
            scale = "logarithmic axis" if panels[0].frame.y_axis.log else ""
            metrics.append(
                {"title": LABELS.get(metric, metric), "panels": panels, "missing": missing, "scale": scale}
            )
    legend = [(name, Pen(at, at)) for at, name in enumerate(rows.approaches)]
    return {"metrics": metrics, "legend": legend}


def _tables(rows: SweepRows) -> dict[str, Any]:
    tables = [
        {
            "title": LABELS.get(metric, metric),
            "rows": [_row(rows, metric, place) for place in rows.places[:_ROWS]],
            "against": _against(rows, metric),
        }
        for metric in rows.shown
        if any(one.mean for one in rows.metrics[metric].values())
    ]
    return {
        "tables": tables,
        "approaches": list(enumerate(rows.approaches)),
        "reference": in_prose(rows.reference),
        "missing": max(0, len(rows.places) - _ROWS),
    }


def _row(rows: SweepRows, metric: str, place: Place) -> Row:
    found = [rows.at(metric, place, name) for name in rows.approaches]
    judged = rows.competing(metric, place)
    means = [one.mean for one in judged]
    least = min(means) if len(means) > 1 and min(means) < max(means) else None
    best = [one for one in judged if one.mean == least]
    cells = [Cell(_shown(rows, metric, one), one in best) for one in found]
    return Row(rows.named(place) or "the only point", cells)


def _shown(rows: SweepRows, metric: str, one: Measured | None) -> str:
    if one is None:
        return "-"
    half = "" if one.half_width is None else f" ± {_as_fine_as(short(one.mean), one.half_width)}"
    steady = ", not steady" if metric in BY_THE_CLOCK and rows.unsteady(one.place, one.approach) else ""
    return f"{short(one.mean)}{half}{steady}"


def _as_fine_as(told: str, value: float) -> str:
    """A value with as many digits after the point as another has, or with two of its own where that is more."""
    after = len(told.partition(".")[2])
    return f"{value:,.{after}f}" if "e" not in told and value >= 10.0 ** (1 - after) else short(value)


def _against(rows: SweepRows, metric: str) -> Table | None:
    """Ratios to the reference, point by point; None where there is none."""
    others = [name for name in rows.approaches if name != rows.reference]
    lines = []
    for place in rows.places[:_ROWS]:
        found = [rows.at(metric, place, name) for name in others]
        lines.append([rows.named(place) or "the only point", *(_ratio(one) for one in found)])
    if all(cell == "-" for line in lines for cell in line[1:]):
        return None
    return Table(f"{metric}: times that of {rows.reference}", ["times that of " + rows.reference, *others], lines)


def _ratio(one: Measured | None) -> str:
    if one is None or one.ratio is None:
        return "-"
    ends = [end for end in (one.ratio.low, one.ratio.high) if end is not None]
    return f"{written(one.ratio.value)}{f' ({written(ends[0])} to {written(ends[1])})' if ends else ''}"


def _scenario(sweep: FinishedSweep) -> dict[str, Any]:
    scenarios = sweep.facts.scenarios
    text = tomli_w.dumps(_without_none(scenarios[0])) if scenarios else ""
    return {"text": text, "grid": _read(sweep), "seeds": ", ".join(map(str, sweep.facts.seeds))}


def _without_none(value: Any) -> Any:
    """What TOML can say of tables, and of tables in lists."""
    if isinstance(value, dict):
        return {key: _without_none(one) for key, one in value.items() if one is not None}
    return [_without_none(one) for one in value] if isinstance(value, list) else value


def _read(sweep: FinishedSweep) -> str:
    path = sweep.directory / "grid.toml"
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _downloads(sweep: FinishedSweep) -> dict[str, Any]:
    names = ("results.csv", "paired.csv")
    files: Sequence[tuple[str, bytes, Any]] = [
        (f"{sweep.directory.resolve().name}-{name}", (sweep.directory / name).read_bytes(), sweep.directory / name)
        for name in names
    ]
    return {"files": downloads_of(files)}
