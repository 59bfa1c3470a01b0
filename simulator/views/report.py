"""The report: finished runs side by side, as one HTML page that works offline, prints, and needs no script.

Charts are SVG in the page: a few hundred kilobytes, where a charting library would bring megabytes of script; they
are printed, read aloud and follow the reader into dark mode. Whatever comes from a run is escaped.
"""

import base64
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
from numpy.typing import NDArray

from cn import Zones
from simulator.results.errors import RunError
from simulator.views.output import check_out, write_out
from simulator.views.page import escape, make_page
from simulator.views.report_charts import bars, cumulative, exceedance, legend, map_of, shades, with_caption
from simulator.views.report_runs import Map, Run, Series, read_run, series_of
from simulator.views.tables import METRICS

__all__ = ["report_page", "write_report"]

_STYLE = """
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0; list-style: none; max-width: none; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; list-style: none; max-width: none; }
svg.swatch { display: inline-block; width: 36px; height: 10px; }
figure.map { flex: 1 1 16rem; max-width: 24rem; }
th[scope="row"] { position: sticky; left: 0; background: var(--paper); }
svg text.head { font-weight: 700; }
.wide { margin-bottom: 1rem; }
"""
_LARGEST = 1_000_000
"""Bytes of a CSV file that may be put into the page."""
_TOP = 10
_NETWORKS = {"can": "content-addressable (can)", "tree": "spanning tree (tree)"}


def write_report(directories: Sequence[Path], out: Path) -> None:
    """Write finished runs as one page, whole or not at all.

    Raises
    ------
    RunError, OutputError
        One line for the user; then nothing is written.
    """
    check_out(out, (".html",))
    write_out(report_page(directories).encode(), out)


def report_page(directories: Sequence[Path]) -> str:
    """The page of some run directories.

    Raises
    ------
    RunError
        A directory that is not a finished run, or the same one twice.
    """
    places = [directory.resolve() for directory in directories]
    if len(set(places)) < len(places):
        twice = next(directory for directory in places if places.count(directory) > 1)
        raise RunError(f"{twice}: given twice; name each run once")
    names = [directory.name for directory in places]
    runs = [
        read_run(directory, place.name if names.count(place.name) == 1 else str(directory))
        for directory, place in zip(directories, places, strict=True)
    ]
    series = series_of(runs)
    sections: list[tuple[str, str, str]] = [
        ("verdicts", "Is it right?", _verdicts(series)),
        ("comparison", "Side by side", _comparison(series)),
        ("distributions", "Distributions over events", _distributions(series)),
        ("latency", "Latency", _latency(series)),
        ("zones", "Load on the brokers", _zones(series)),
        ("links", "Links under load", _links(series)),
        ("faults", "Faults", _faults(runs)),
        ("scenario", "Scenario", _scenarios(runs)),
        ("downloads", "Downloads", _downloads(runs)),
    ]
    kept = [section for section in sections if section[2]]
    title = f"Rangecast report: {', '.join(run.name for run in runs)}"
    links = "".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading, _ in kept)
    parts = [f'<section id="{name}"><h2>{heading}</h2>\n{content}</section>' for name, heading, content in kept]
    body = (
        f'<header><h1>{escape(title)}</h1>\n{_facts(runs)}<nav aria-label="sections"><ul>{links}</ul></nav></header>'
    )
    return make_page(title, "\n".join([body, "<main>", *parts, "</main>"]), style=_STYLE)


def _table(head: Sequence[object], rows: Iterable[Sequence[object]], label: str) -> str:
    """A table of text; the first cell of a row is its head."""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    lines = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(label)}">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _known(values: Any, *keys: str) -> Any:
    """A value deep in a manifest, which may hold anything; None if it is not there."""
    for key in keys:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _facts(runs: list[Run]) -> str:
    wanted: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("objects", ("objects", "count")),
        ("subscriptions", ("subscriptions", "count")),
        ("k", ("k",)),
        ("brokers", ("network", "brokers")),
        ("network", ("network", "kind")),
        ("events", ("events", "count")),
        ("engine", ("engine",)),
        ("seed", ("seed",)),
    )
    told = [[_plain(_known(run.manifest, "scenario", *keys)) for _, keys in wanted] for run in runs]
    rows = [[run.name, *(_NETWORKS.get(cell, cell) for cell in row)] for run, row in zip(runs, told, strict=True)]
    return _table(["run", *(name for name, _ in wanted)], rows, "the runs of this report")


def _plain(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "-" if value is None else str(value)


def _verdicts(series: list[Series]) -> str:
    lines, compared = [], False
    for one in series:
        verdict = _known(one.run.manifest, "verified", one.approach)
        extent = _known(one.run.manifest, "scenario", "verify")
        compared |= verdict is not None
        if verdict is None:
            told = '<span>not verified; set verify = "all" in the scenario</span>'
        elif verdict == "right":
            told = f'<span class="good">✓ verified, all right</span> (verify = {escape(extent)})'
        else:
            told = f'<span class="bad">✗ WRONG: {escape(verdict)}</span>'
        lines.append(f"<li>{escape(one.label)}: {told}</li>")
    what = "Lists compared with brute force after every event." if compared else "Nothing was verified."
    return f"<p>{what}</p>\n<ul>{''.join(lines)}</ul>"


def _comparison(series: list[Series]) -> str:
    labels = [one.label for one in series]
    rows = [
        [label, *(_cell(one.summary[column], show) for one in series)]
        for label, column, show in METRICS
        if any(one.summary[column] is not None for one in series)
    ]
    table = _table(["per event, mean", *labels], rows, "means per event of every approach")

    def chart(title: str, columns: dict[str, str]) -> str:
        groups = {name: [_value(one.summary[column]) for one in series] for name, column in columns.items()}
        return bars(title, groups, labels)

    charts = [
        chart(
            "Traffic per event, bytes",
            {"out of the server": "bytes_out", "overlay": "overlay_bytes", "IP": "ip_bytes"},
        ),
        chart(
            "Notifications received by subscriptions per event",
            {"of the updated object": "received_update", "of an exposed object": "received_exposed"},
        ),
        chart("Server calls per event", {"first_k": "first_k", "min_y": "min_y", "snap": "snap"}),
    ]
    return f'{table}\n<div class="row">{"".join(charts)}</div>'


def _value(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _cell(value: object, show: Callable[[float], str]) -> str:
    return show(float(value)) if isinstance(value, int | float) else "-"


def _column(table: pa.Table, *names: str) -> NDArray[np.float64]:
    """Columns added up, without nulls."""
    parts = [table[name].drop_null().to_numpy().astype(np.float64) for name in names]
    total: NDArray[np.float64] = np.sum(parts, axis=0)
    return total


def _distributions(series: list[Series]) -> str:
    measures = (
        ("Out of the server", "bytes out of the server", ("bytes_out",)),
        ("Overlay traffic", "bytes in the overlay", ("overlay_bytes",)),
        ("Notifications", "notifications received", ("received_update", "received_exposed")),
    )
    charts = [
        exceedance(title, label, [_column(one.events, *columns) for one in series], "events")
        for title, label, columns in measures
    ]
    return (
        "<p>Means hide the tail: a few objects of low y stand in most lists. Each line tells what share of the "
        "events (windows, for a batch approach) cost at least so much; events of no cost are in the share but not on "
        "the line. Where lines coincide, their colours take turns.</p>"
        f'{legend([one.label for one in series])}<div class="row">{"".join(charts)}</div>'
    )


def _latency(series: list[Series]) -> str:
    timed = [(at, one) for at, one in enumerate(series) if one.events["latency_p50"].null_count < len(one.events)]
    if not timed:
        return "<p>No clock: the runs were counted by the engine <code>tally</code>.</p>"
    none = np.empty(0)
    charts = []
    for title, column in (("Median of an event's notifications", "latency_p50"), ("p99", "latency_p99")):
        samples = [none] * len(series)
        for at, one in timed:
            samples[at] = _column(one.events, column)
        charts.append(cumulative(title, "latency (ms)", samples, "events"))
    rows = [
        [
            one.label,
            _plain(_known(one.run.manifest, "approaches", one.approach, "bottleneck")),
            _percent(_known(one.run.manifest, "approaches", one.approach, "utilisation")),
        ]
        for _, one in timed
    ]
    return (
        "<p>From the event to the gateway broker of each subscription notified.</p>"
        f'{legend([one.label for one in series])}<div class="row">{"".join(charts)}</div>'
        f"{_table(['approach', 'busiest', 'busy'], rows, 'bottlenecks')}"
    )


def _percent(value: object) -> str:
    return f"{value:.1%}" if isinstance(value, int | float) else "-"


def _zones(series: list[Series]) -> str:
    grouped = _by_run(series)
    if len(grouped) == 1:
        return _zones_of(*grouped[0])
    return "".join(f"<h3>{escape(run.name)}</h3>\n{_zones_of(run, own)}" for run, own in grouped)


def _by_run(series: list[Series]) -> list[tuple[Run, list[Series]]]:
    grouped: dict[int, tuple[Run, list[Series]]] = {}
    for one in series:
        grouped.setdefault(id(one.run), (one.run, []))[1].append(one)
    return list(grouped.values())


def _zones_of(run: Run, series: list[Series]) -> str:
    most = max(int(_column(one.brokers, "deliveries").max(initial=0)) for one in series)
    if isinstance(run.map, str):
        drawn = f"<p>No map: {escape(run.map)}.</p>"
    else:
        drawn = f'<div class="row">{"".join(_map(run.map, one, most) for one in series)}</div>'
        where = "Zones of S" if isinstance(run.map, Zones) else "Brokers on the map"
        changed = ", as they were before any fault" if run.manifest["faults"] else ""
        drawn = (
            f"<p>{where}{changed}: the stronger the colour, the more messages were delivered there to subscriptions "
            f"(a logarithmic scale).</p>{shades(most)}{drawn}"
        )
    rows = [line for one in series for line in _busiest(one)]
    head = ["approach", "broker", "messages in", "messages out", "delivered", "notifications", "busy", "longest wait"]
    return drawn + _table(head, rows, "brokers with most messages")


def _map(places: Map, one: Series, most: int) -> str:
    load, tips = np.zeros(len(places), np.int64), [f"broker {broker}" for broker in range(len(places))]
    for row in one.brokers.to_pylist():
        load[row["broker"]] = row["deliveries"]
        tips[row["broker"]] += f": {row['deliveries']:,} messages delivered, {row['notifications']:,} notifications"
    drawing = map_of(places, load, tips, most, f"Load on the brokers under {one.label}")
    return with_caption(drawing, escape(one.label)).replace("<figure>", '<figure class="map">', 1)


def _busiest(one: Series) -> list[list[str]]:
    end_s = _known(one.run.manifest, "approaches", one.approach, "end_s")
    rows = sorted(one.brokers.to_pylist(), key=lambda row: (-row["messages_in"] - row["messages_out"], row["broker"]))
    counts = ("broker", "messages_in", "messages_out", "deliveries", "notifications")
    return [
        [
            one.label,
            *(f"{row[name]:,}" for name in counts),
            _percent(row["busy_s"] / end_s)
            if row["busy_s"] is not None and isinstance(end_s, float) and end_s
            else "-",
            "-" if row["longest_wait_s"] is None else f"{1e3 * row['longest_wait_s']:,.2f} ms",
        ]
        for row in rows[:3]
    ]


def _links(series: list[Series]) -> str:
    chart = exceedance(
        "Links of the IP network", "bytes carried", [_column(s.links, "bytes") for s in series], "links"
    )
    tables = []
    for one in series:
        total = int(_column(one.links, "bytes").sum())
        rows = sorted(one.links.to_pylist(), key=lambda row: (-row["bytes"], row["from"], row["to"]))[:_TOP]
        lines = [
            [f"{row['from']} – {row['to']}", f"{row['bytes']:,}", _percent(row["bytes"] / total)] for row in rows
        ]
        table = _table(["link", "bytes", "share"], lines, f"most loaded links under {one.label}")
        tables.append(f"<div><h3>{escape(one.label)}</h3>{table if lines else '<p>none used</p>'}</div>")
    return (
        "<p>Bytes over each link that carried any, both directions added. A link is named by its nodes.</p>"
        f'{legend([one.label for one in series])}<div class="row">{chart}</div>'
        f'<details><summary>The {_TOP} most loaded links of each approach</summary><div class="row">'
        f"{''.join(tables)}</div></details>"
    )


def _faults(runs: list[Run]) -> str:
    rows = [
        [run.name, approach, what, _plain(count)]
        for run in runs
        for approach, happened in run.manifest["faults"].items()
        for what, count in (happened.items() if isinstance(happened, dict) else ())
    ]
    return _table(["run", "approach", "what happened", "times"], rows, "faults that happened") if rows else ""


def _scenarios(runs: list[Run]) -> str:
    parts = []
    if len(runs) > 1:
        flat = [_flat(run.manifest["scenario"]) for run in runs]
        keys = list(dict.fromkeys(key for values in flat for key in values))
        rows = [
            [key, *(values.get(key, "-") for values in flat)]
            for key in keys
            if len({values.get(key) for values in flat}) > 1
        ]
        parts.append(_table(["what differs", *(run.name for run in runs)], rows, "differences between the scenarios"))
    for run in runs:
        versions = _flat(run.manifest["versions"])
        seconds = _flat(run.manifest["seconds"])
        told = "".join(f"{escape(key)} {escape(value)}, " for key, value in versions.items()).rstrip(", ")
        spent = _table(["step", "seconds"], list(seconds.items()), f"time spent in {run.name}")
        parts.append(
            f"<details><summary>scenario.toml of {escape(run.name)}</summary><pre>{escape(run.scenario_text)}</pre>"
            f"<p>Made with {told}.</p>{spent}</details>"
        )
    return "".join(parts)


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Dotted keys and values as text."""
    flat: dict[str, str] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return flat


def _downloads(runs: list[Run]) -> str:
    items = []
    for run in runs:
        tables = {"events": run.events, "brokers": run.brokers, "links": run.links}
        files = {"summary": (run.directory / "summary.csv").read_bytes()}
        files |= {name: _csv(table) for name, table in tables.items()}
        for name, content in files.items():
            file = re.sub(r"[^A-Za-z0-9._-]+", "_", f"{run.name}-{name}.csv")
            if len(content) > _LARGEST:
                source = escape(run.directory / f"{name}.parquet")
                items.append(f"<li>{escape(file)}: {len(content):,} bytes, too large for a page; see {source}</li>")
                continue
            data = base64.b64encode(content).decode()
            link = f'<a download="{escape(file)}" href="data:text/csv;charset=utf-8;base64,{data}">{escape(file)}</a>'
            items.append(f"<li>{link} ({len(content):,} bytes)</li>")
    return f"<ul>{''.join(items)}</ul>"


def _csv(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    csv.write_csv(table, stream)
    return stream.getvalue()
