"""Approaches side by side: a table in which the best of each row is marked, and charts of what matters most."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pipeline.schemas import TIMES
from simulator.views.report.charts import Bars, bars
from simulator.views.report.runs import Side
from simulator.views.tables import METRICS

__all__ = ["BY_THE_CLOCK", "OF_A_SERVER", "Cell", "Group", "Row", "charts_of", "groups_of"]

_GROUPS = {
    "Traffic per event": ("messages", "bytes_out", "overlay_bytes", "resent_bytes", "control_bytes", "ip_bytes"),
    "Subscribers, per event": ("received_update", "received_exposed", "redundancy"),
    "Server work per event": ("first_k", "min_y", "snap"),
    "Time": ("stretch", "latency_p50", "latency_p99", "latency_max", "stale", "wrong_share", "offered_load"),
}
OF_A_SERVER = ("bytes_out", "first_k", "min_y", "snap")
"""In which an approach without a server does not compete."""
_NEITHER = ("resent_bytes", "control_bytes", "received_exposed")
"""Of which less is not better: parts of another row, and what Unicast tells within the same message."""
BY_THE_CLOCK = {*TIMES, "wrong_share"}
"""In which one that is not steady does not compete."""
_CHARTED = {
    "bytes_out": "Bytes out of the server, per event",
    "overlay_bytes": "Bytes in the overlay, per event",
    "ip_bytes": "Bytes on IP links, per event",
    "received_update": "Notifications received, per event",
    "min_y": "Server calls of min_y, per event",
    "stale": "Lists stale for, ms",
    "wrong_share": "Lists wrong, share of time",
    "latency_p99": "Latency p99, ms",
}


class Cell(NamedTuple):
    """A value as text, and whether none in its row and of its run is better."""

    text: str
    best: bool


class Row(NamedTuple):
    """A metric of every side."""

    name: str
    cells: list[Cell]


class Group(NamedTuple):
    """Rows under one heading."""

    name: str
    rows: list[Row]


def groups_of(sides: Sequence[Side]) -> list[Group]:
    """The comparison table; metrics and groups of which nothing is known, or all is 0, are left out."""
    rows = {column: _row(label, column, show, sides) for label, column, show in METRICS if _told(column, sides)}
    named = {column for columns in _GROUPS.values() for column in columns}
    every = {**_GROUPS, "More": tuple(column for column in rows if column not in named)}
    groups = [Group(name, [rows[column] for column in columns if column in rows]) for name, columns in every.items()]
    return [group for group in groups if group.rows]


def _told(column: str, sides: Sequence[Side]) -> bool:
    return any(side.value(column) for side in sides)


def _row(label: str, column: str, show: Callable[[float], str], sides: Sequence[Side]) -> Row:
    cells = []
    for side in sides:
        value = side.value(column)
        cells.append(Cell("-" if value is None else show(value), _is_best(column, show, side, sides)))
    return Row(label, cells)


def _is_best(column: str, show: Callable[[float], str], side: Side, sides: Sequence[Side]) -> bool:
    """Whether a side has the least of its run, where somebody has more; by what is shown, so that like are alike."""
    competing = [one for one in sides if one.run is side.run and _judged(column, one)]
    values = [value for one in competing if (value := one.value(column)) is not None]
    own = side.value(column)
    if side not in competing or own is None:
        return False
    return show(own) == show(min(values)) != show(max(values))


def _judged(column: str, side: Side) -> bool:
    """Whether a side takes part in the contest for the least of a column."""
    if column in _NEITHER or (column in OF_A_SERVER and side.serverless):
        return False
    return not (column in BY_THE_CLOCK and side.unsteady)


def charts_of(sides: Sequence[Side]) -> list[Bars]:
    """A chart for each metric of `_CHARTED` of which something is above 0."""
    shows = {column: show for _, column, show in METRICS}
    charts = []
    for column, title in _CHARTED.items():
        rows = [(side, side.value(column)) for side in sides]
        told = [
            (
                side.label,
                side.colour,
                value,
                "no value" if value is None else _noted(column, side, shows[column](value)),
            )
            for side, value in rows
        ]
        charts.append(bars(title, told))
    return [chart for chart in charts if chart is not None]


def _noted(column: str, side: Side, text: str) -> str:
    if column in OF_A_SERVER and side.serverless:
        return f"{text} (no server)"
    return f"{text} (not steady)" if column in BY_THE_CLOCK and side.unsteady else text
