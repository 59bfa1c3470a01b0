"""What the sections of the report hold: tables of text, charts and labels, which the templates put into the page.

Each section has a template of its name in `templates/report`.
"""

import base64
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
from numpy.typing import NDArray

from cn import Zones
from simulator.views.report_charts import Bars, LoadMap, bars, cumulative, exceedance, map_of, shades
from simulator.views.report_runs import Map, Run, Series, series_of
from simulator.views.tables import METRICS

__all__ = ["Section", "Table", "facts_of", "sections_of"]

_LARGEST = 1_000_000
"""Bytes of a CSV file that may be put into the page."""
_TOP = 10
_NETWORKS = {"can": "content-addressable (can)", "tree": "spanning tree (tree)"}


class Table(NamedTuple):
    """Cells as text; the first of a row is its head."""

    label: str
    """Read aloud."""
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class Section(NamedTuple):
    """A part of the page, with a link to it in the header."""

    name: str
    heading: str
    content: dict[str, Any]


def sections_of(runs: list[Run]) -> list[Section]:
    """All sections that have something to say, in order."""
    series = series_of(runs)
    sections = [
        Section("verdicts", "Is it right?", _verdicts(series)),
        Section("comparison", "Side by side", _comparison(series)),
        Section("distributions", "Distributions over events", _distributions(series)),
        Section("latency", "Latency", _latency(series)),
        Section("zones", "Load on the brokers", _zones(series)),
        Section("links", "Links under load", _links(series)),
        Section("faults", "Faults", _faults(runs)),
        Section("scenario", "Scenario", _scenarios(runs)),
        Section("downloads", "Downloads", _downloads(runs)),
    ]
    return [section for section in sections if section.content]


def facts_of(runs: list[Run]) -> Table:
    """What was simulated, in a few numbers."""
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
    told = [[_plain(_known(_counted(run), *keys)) for _, keys in wanted] for run in runs]
    rows = [[run.name, *(_NETWORKS.get(cell, cell) for cell in row)] for run, row in zip(runs, told, strict=True)]
    return Table("the runs of this report", ["run", *(name for name, _ in wanted)], rows)


def _counted(run: Run) -> dict[str, Any]:
    """The scenario of a run, with the number of its events where it says how long they go on instead."""
    scenario = dict(run.manifest["scenario"])
    events = scenario.get("events")
    if not isinstance(events, dict) or "count" in events or len(run.events) == 0:
        return scenario
    first = run.events.filter(pc.field("approach") == run.events["approach"][0])
    return scenario | {"events": events | {"count": pc.sum(first["events"]).as_py()}}


def _verdicts(series: list[Series]) -> dict[str, Any]:
    verdicts = [
        {
            "label": one.label,
            "verdict": _known(one.run.manifest, "verified", one.approach),
            "extent": _known(one.run.manifest, "scenario", "verify"),
        }
        for one in series
    ]
    return {"verdicts": verdicts, "compared": any(one["verdict"] is not None for one in verdicts)}


def _comparison(series: list[Series]) -> dict[str, Any]:
    labels = _labels(series)
    rows = [
        [label, *(_cell(one.summary[column], show) for one in series)]
        for label, column, show in METRICS
        if any(one.summary[column] is not None for one in series)
    ]

    def chart(title: str, columns: dict[str, str]) -> Bars:
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
    table = Table("means per event of every approach", ["per event, mean", *labels], rows)
    return {"table": table, "charts": charts}


def _distributions(series: list[Series]) -> dict[str, Any]:
    measures = (
        ("Out of the server", "bytes out of the server", ("bytes_out",)),
        ("Overlay traffic", "bytes in the overlay", ("overlay_bytes",)),
        ("Notifications", "notifications received", ("received_update", "received_exposed")),
    )
    charts = [
        exceedance(title, label, [_column(one.events, *columns) for one in series], "events")
        for title, label, columns in measures
    ]
    return {"labels": _labels(series), "charts": charts}


def _latency(series: list[Series]) -> dict[str, Any]:
    timed = [(at, one) for at, one in enumerate(series) if one.events["latency_p50"].null_count < len(one.events)]
    charts = []
    for title, column in (("Median of an event's notifications", "latency_p50"), ("p99", "latency_p99")):
        samples = [np.empty(0)] * len(series)
        for at, one in timed:
            samples[at] = _column(one.events, column)
        charts.append(cumulative(title, "latency (ms)", samples, "events"))
    rows = [
        [
            one.label,
            _plain(_known(one.run.manifest, "approaches", one.approach, "bottleneck")),
            _percent(_known(one.run.manifest, "approaches", one.approach, "utilisation")),
            _plain(_known(one.run.manifest, "approaches", one.approach, "steady")),
        ]
        for _, one in timed
    ]
    return {
        "timed": bool(timed),
        "labels": _labels(series),
        "charts": [chart for chart in charts if chart is not None],
        "bottlenecks": Table("bottlenecks", ["approach", "busiest", "busy", "steady?"], rows),
    }


def _zones(series: list[Series]) -> dict[str, Any]:
    grouped: dict[int, tuple[Run, list[Series]]] = {}
    for one in series:
        grouped.setdefault(id(one.run), (one.run, []))[1].append(one)
    return {"runs": [_zones_of(run, own) for run, own in grouped.values()]}


def _zones_of(run: Run, series: list[Series]) -> dict[str, Any]:
    most = max(int(_column(one.brokers, "deliveries").max(initial=0)) for one in series)
    counts = ["messages in", "messages out", "delivered", "notifications"]
    head = ["approach", "broker", *counts, "busy", "uplink busy", "longest wait"]
    rows = [line for one in series for line in _busiest(one)]
    mapped = {"reason": run.map} if isinstance(run.map, str) else _maps_of(run.map, series, most)
    return {
        "name": run.name,
        "changed": bool(run.manifest["faults"]),
        "busiest": Table("the busiest brokers of each approach", head, rows),
        **mapped,
    }


def _maps_of(places: Map, series: list[Series], most: int) -> dict[str, Any]:
    return {
        "reason": None,
        "where": "Zones of S" if isinstance(places, Zones) else "Brokers on the map",
        "shades": shades(most),
        "maps": [_map(places, one, most) for one in series],
    }


def _map(places: Map, one: Series, most: int) -> LoadMap:
    load, tips = np.zeros(len(places), np.int64), [f"broker {broker}" for broker in range(len(places))]
    for row in one.brokers.to_pylist():
        load[row["broker"]] = row["deliveries"]
        tips[row["broker"]] += f": {row['deliveries']:,} messages delivered, {row['notifications']:,} notifications"
    return map_of(places, load, tips, most, one.label)


def _busiest(one: Series) -> list[list[str]]:
    """The three busiest brokers: by the time that they or their uplinks were, without a clock by messages."""
    end_s = _known(one.run.manifest, "approaches", one.approach, "end_s")

    def rank(row: dict[str, Any]) -> tuple[float, int]:
        if row["busy_s"] is None or row["uplink_busy_s"] is None:
            return -row["messages_in"] - row["messages_out"], row["broker"]
        return -max(row["busy_s"], row["uplink_busy_s"]), row["broker"]

    def share(busy_s: float | None) -> str:
        return _percent(busy_s / end_s) if busy_s is not None and isinstance(end_s, float) and end_s else "-"

    rows = sorted(one.brokers.to_pylist(), key=rank)
    counts = ("broker", "messages_in", "messages_out", "deliveries", "notifications")
    return [
        [
            one.label,
            *(f"{row[name]:,}" for name in counts),
            share(row["busy_s"]),
            share(row["uplink_busy_s"]),
            "-" if row["longest_wait_s"] is None else f"{1e3 * row['longest_wait_s']:,.2f} ms",
        ]
        for row in rows[:3]
    ]


def _links(series: list[Series]) -> dict[str, Any]:
    carried = [_column(one.links, "bytes") for one in series]
    return {
        "labels": _labels(series),
        "chart": exceedance("Links of the IP network", "bytes carried", carried, "links"),
        "top": _TOP,
        "most_loaded": [(one.label, _most_loaded(one)) for one in series],
    }


def _most_loaded(one: Series) -> Table:
    total = int(_column(one.links, "bytes").sum())
    rows = sorted(one.links.to_pylist(), key=lambda row: (-row["bytes"], row["from"], row["to"]))[:_TOP]
    lines = [[f"{row['from']} – {row['to']}", f"{row['bytes']:,}", _percent(row["bytes"] / total)] for row in rows]
    return Table(f"most loaded links under {one.label}", ["link", "bytes", "share"], lines)


def _faults(runs: list[Run]) -> dict[str, Any]:
    rows = [
        [run.name, approach, what, _plain(count)]
        for run in runs
        for approach, happened in run.manifest["faults"].items()
        for what, count in (happened.items() if isinstance(happened, dict) else ())
    ]
    return (
        {"table": Table("faults that happened", ["run", "approach", "what happened", "times"], rows)} if rows else {}
    )


def _scenarios(runs: list[Run]) -> dict[str, Any]:
    told = [
        {
            "name": run.name,
            "text": run.scenario_text,
            "versions": list(_flat(run.manifest["versions"]).items()),
            "seconds": Table(
                f"time spent in {run.name}", ["step", "seconds"], list(_flat(run.manifest["seconds"]).items())
            ),
        }
        for run in runs
    ]
    return {"differences": _differences(runs) if len(runs) > 1 else None, "runs": told}


def _differences(runs: list[Run]) -> Table:
    flat = [_flat(run.manifest["scenario"]) for run in runs]
    keys = dict.fromkeys(key for values in flat for key in values)
    rows = [
        [key, *(values.get(key, "-") for values in flat)]
        for key in keys
        if len({values.get(key) for values in flat}) > 1
    ]
    return Table("differences between the scenarios", ["what differs", *(run.name for run in runs)], rows)


def _downloads(runs: list[Run]) -> dict[str, Any]:
    files = []
    for run in runs:
        tables = {"events": run.events, "brokers": run.brokers, "links": run.links}
        contents = {"summary": (run.directory / "summary.csv").read_bytes()}
        contents |= {name: _csv(table) for name, table in tables.items()}
        for name, content in contents.items():
            files.append(
                {
                    "name": re.sub(r"[^A-Za-z0-9._-]+", "_", f"{run.name}-{name}.csv"),
                    "size": f"{len(content):,}",
                    "data": base64.b64encode(content).decode() if len(content) <= _LARGEST else None,
                    "source": run.directory / f"{name}.parquet",
                }
            )
    return {"files": files}


def _csv(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    csv.write_csv(table, stream)
    return stream.getvalue()


def _labels(series: Iterable[Series]) -> list[str]:
    return [one.label for one in series]


def _known(values: Any, *keys: str) -> Any:
    """A value deep in a manifest, which may hold anything; None if it is not there."""
    for key in keys:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _column(table: pa.Table, *names: str) -> NDArray[np.float64]:
    """Columns added up, without nulls."""
    parts = [table[name].drop_null().to_numpy().astype(np.float64) for name in names]
    total: NDArray[np.float64] = np.sum(parts, axis=0)
    return total


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Dotted keys and values as text."""
    flat: dict[str, str] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return flat


def _plain(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "-" if value is None else str(value)


def _percent(value: object) -> str:
    return f"{value:.1%}" if isinstance(value, int | float) else "-"


def _value(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _cell(value: object, show: Callable[[float], str]) -> str:
    return show(float(value)) if isinstance(value, int | float) else "-"
