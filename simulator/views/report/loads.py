"""Loads on brokers and links: maps, the busiest of them, and how unevenly they carry."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cn import Zones
from simulator.views.report.charts import LoadMap, Pen, exceedance, map_of, shades
from simulator.views.report.runs import Map, Run, Side, known
from simulator.views.report.tables import Table, percent, plain

__all__ = ["broker_loads", "column_of", "link_loads", "pens_of"]

_TOP = 5


def broker_loads(runs: Sequence[Run], sides: Sequence[Side]) -> dict[str, Any]:
    """What the section on brokers shows, run by run."""
    labels, pens = [side.label for side in sides], pens_of(sides)
    messages = [column_of(side.brokers, "messages_in", "messages_out") for side in sides]
    chart = exceedance(
        "How messages spread over brokers", "messages in and out of a broker", messages, pens, "brokers"
    )
    told = [_brokers_of(run, [side for side in sides if side.run is run]) for run in runs]
    return {"runs": told, "charts": [chart] if chart else [], "legend": list(zip(labels, pens, strict=True))}


def _brokers_of(run: Run, sides: Sequence[Side]) -> dict[str, Any]:
    most = max(int(column_of(side.brokers, "deliveries").max(initial=0)) for side in sides)
    counts = ["messages in", "messages out", "delivered", "notifications"]
    timed = any(side.brokers["busy_s"].null_count < len(side.brokers) for side in sides)
    head = ["approach", "broker", *counts, *(["busy", "uplink busy", "longest wait"] if timed else [])]
    rows = [line[: len(head)] for side in sides for line in _busiest(side)]
    mapped = {"reason": run.map} if isinstance(run.map, str) else _maps_of(run.map, sides, most)
    return {
        "name": run.name,
        "changed": bool(run.manifest["faults"]),
        "busiest": Table("the busiest brokers of each approach", head, rows),
        "bottlenecks": _bottlenecks(sides),
        **mapped,
    }


def _maps_of(places: Map, sides: Sequence[Side], most: int) -> dict[str, Any]:
    return {
        "reason": None,
        "where": "Zones of S" if isinstance(places, Zones) else "Brokers on the map",
        "shades": shades(most),
        "maps": [_map(places, side, most) for side in sides],
    }


def _map(places: Map, side: Side, most: int) -> LoadMap:
    load, tips = np.zeros(len(places), np.int64), [f"broker {broker}" for broker in range(len(places))]
    for row in side.brokers.to_pylist():
        load[row["broker"]] = row["deliveries"]
        tips[row["broker"]] += f": {row['deliveries']:,} messages delivered, {row['notifications']:,} notifications"
    return map_of(places, load, tips, most, (side.label, side.colour))


def _bottlenecks(sides: Sequence[Side]) -> Table | None:
    """What was busiest under each approach; None without a clock."""
    told = [(side.label, known(side.run.manifest, "approaches", side.name)) for side in sides]
    rows = [
        [label, *(plain(known(own, key)) for key in ("bottleneck",)), percent(known(own, "utilisation"))]
        for label, own in told
        if known(own, "bottleneck") is not None
    ]
    return Table("what was busiest", ["approach", "busiest", "busy"], rows) if rows else None


def _busiest(side: Side) -> list[list[str]]:
    """The three busiest brokers: by the time that they or their uplinks were, without a clock by messages."""
    end_s = known(side.run.manifest, "approaches", side.name, "end_s")

    def rank(row: dict[str, Any]) -> tuple[float, int]:
        if row["busy_s"] is None or row["uplink_busy_s"] is None:
            return -row["messages_in"] - row["messages_out"], row["broker"]
        return -max(row["busy_s"], row["uplink_busy_s"]), row["broker"]

    def share(busy_s: float | None) -> str:
        return percent(busy_s / end_s) if busy_s is not None and isinstance(end_s, float) and end_s else "-"

    rows = sorted(side.brokers.to_pylist(), key=rank)
    counts = ("broker", "messages_in", "messages_out", "deliveries", "notifications")
    return [
        [
            side.label,
            *(f"{row[name]:,}" for name in counts),
            share(row["busy_s"]),
            share(row["uplink_busy_s"]),
            "-" if row["longest_wait_s"] is None else f"{1e3 * row['longest_wait_s']:,.2f} ms",
        ]
        for row in rows[:3]
    ]


def link_loads(sides: Sequence[Side]) -> dict[str, Any]:
    """What the section on links shows; nothing where no link carried anything."""
    carried, pens = [column_of(side.links, "bytes") for side in sides], pens_of(sides)
    chart = exceedance("How bytes spread over the links used", "bytes carried", carried, pens, "links")
    if chart is None:
        return {}
    return {
        "legend": list(zip([side.label for side in sides], pens, strict=True)),
        "charts": [chart],
        "most_loaded": [(side, _most_loaded(side)) for side in sides],
    }


def _most_loaded(side: Side) -> Table:
    total = int(column_of(side.links, "bytes").sum())
    rows = sorted(side.links.to_pylist(), key=lambda row: (-row["bytes"], row["from"], row["to"]))[:_TOP]
    lines = [[f"{row['from']} – {row['to']}", f"{row['bytes']:,}", percent(row["bytes"] / total)] for row in rows]
    return Table(f"most loaded links under {side.label}", ["link", "bytes", "share"], lines)


def pens_of(sides: Sequence[Side]) -> list[Pen]:
    """How their lines look."""
    return [Pen(side.colour, side.look) for side in sides]


def column_of(table: pa.Table, *names: str) -> NDArray[np.float64]:
    """Columns added up, without nulls."""
    parts = [table[name].drop_null().to_numpy().astype(np.float64) for name in names]
    total: NDArray[np.float64] = np.sum(parts, axis=0)
    return total
