"""What went on when: staleness, wrong lists, queues, bytes and losses in slices of time, a panel for each approach.

Panels of a measure share their axes, so that approaches are compared by eye; where one is many times above another,
which would flatten it, each has its own. What was down or cut off is marked in every panel.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simulator.views.report.fault_spans import KINDS, Span, fault_spans
from simulator.views.report.runs import Side
from simulator.views.report.tables import Table
from simulator.views.svg import Axis, Box, Frame, number

__all__ = ["Measure", "Panel", "measures_of", "when_table"]

_POINTS = 150
_APART = 8
"""Panels have scales of their own when the highest of one is so many times that of another."""
_ROWS = 40

Floats = NDArray[np.float64]


class Mark(NamedTuple):
    """A time in which something was down."""

    kind: str
    box: Box
    tip: str


class Panel(NamedTuple):
    """A measure of one approach over time."""

    label: str
    colour: int
    most: str
    frame: Frame
    marks: list[Mark]
    areas: list[str]
    """Outlines of what lies below the line; several where values are missing in between."""


class Measure(NamedTuple):
    """Panels of one measure."""

    title: str
    note: str
    rows: list[list[Panel]]
    """One for each run."""


class _Slices(NamedTuple):
    """Slices of one length, so few that they can be drawn."""

    number: int
    seconds: float

    def of(self, time_s: Floats) -> NDArray[np.int64]:
        return np.clip((time_s / self.seconds + 1e-9).astype(np.int64), 0, self.number - 1)

    def sums(self, time_s: Floats, values: Floats) -> Floats:
        return np.bincount(self.of(time_s), values, self.number).astype(np.float64)

    def means(self, time_s: Floats, values: Floats) -> Floats:
        """NaN where there is no value."""
        counted = self.sums(time_s, np.ones(len(time_s)))
        return np.where(counted > 0, self.sums(time_s, values) / np.maximum(counted, 1), np.nan)


def measures_of(sides: Sequence[Side]) -> list[Measure]:
    """Every measure of which something is above 0; none without a clock."""
    timed = [side for side in sides if len(side.series)]
    if not timed:
        return []
    end_s = max(float(side.series["time"][-1].as_py() + side.series["seconds"][-1].as_py()) for side in timed)
    wanted: tuple[tuple[str, str, Callable[[Side, _Slices], Floats]], ...] = (
        ("Wrong lists", "share of the lists that are followed", lambda side, cut: _mean(side, cut, "wrong_lists")),
        ("Staleness", "ms until a list has taken in an event of that time", _stale),
        ("Queues", "messages waiting at all brokers", lambda side, cut: _mean(side, cut, "queue_mean")),
        ("Bytes", "bytes per second in the overlay", _bytes),
        ("Losses", "transmissions lost per second", _losses),
    )
    drawn = []
    for title, note, values_of in wanted:
        values = [values_of(side, _cut(side.series, end_s)) for side in timed]
        tops = [float(np.nanmax(own, initial=0.0)) for own in values]
        if max(tops) > 0:
            drawn.append(_measure(title, note, timed, values, end_s))
    return drawn


def _cut(series: pa.Table, end_s: float) -> _Slices:
    """Slices of the report: as many of those of the run together as it takes."""
    own_s = float(series["seconds"][0].as_py())
    together = max(1, math.ceil(end_s / own_s / _POINTS))
    return _Slices(math.ceil(end_s / own_s / together - 1e-9), own_s * together)


def _mean(side: Side, cut: _Slices, column: str) -> Floats:
    kept = side.series.filter(pc.field(column).is_valid())
    return cut.means(kept["time"].to_numpy(), kept[column].to_numpy().astype(np.float64))


def _bytes(side: Side, cut: _Slices) -> Floats:
    return cut.sums(side.series["time"].to_numpy(), side.series["bytes"].to_numpy() / cut.seconds)


def _stale(side: Side, cut: _Slices) -> Floats:
    kept = side.events.filter(pc.field("stale").is_valid())
    return cut.means(kept["time"].to_numpy(), kept["stale"].to_numpy())


def _losses(side: Side, cut: _Slices) -> Floats:
    happened = side.faults.filter(pc.field("what") == "loss")
    # What came in vain, since its message had been started anew, was not lost.
    lost = happened.filter(pc.invert(pc.equal(happened["why"], "anew").fill_null(False)))
    return cut.sums(lost["time"].to_numpy(), np.full(len(lost), 1 / cut.seconds))


def _measure(title: str, note: str, sides: Sequence[Side], values: Sequence[Floats], end_s: float) -> Measure:
    tops = [float(np.nanmax(own, initial=0.0)) for own in values]
    positive = [top for top in tops if top > 0]
    shared = max(positive) <= _APART * min(positive)
    panels = [
        _panel(f"{title}, {note}", side, own, end_s, 1.06 * (max(tops) if shared else top or 1.0))
        for side, own, top in zip(sides, values, tops, strict=True)
    ]
    runs = dict.fromkeys(id(side.run) for side in sides)
    rows = [[panel for panel, side in zip(panels, sides, strict=True) if id(side.run) == run] for run in runs]
    return Measure(title, note if shared else f"{note}; every panel has a scale of its own", rows)


def _panel(title: str, side: Side, values: Floats, end_s: float, top: float) -> Panel:
    axes = Axis("", 0.0, end_s), Axis("", 0.0, top)
    frame = Frame(*axes, f"{title}: {side.label}", width=270, height=150, text=12, left=42)
    seconds = _cut(side.series, end_s).seconds
    there = np.flatnonzero(np.isfinite(values))
    runs = np.split(there, np.flatnonzero(np.diff(there) > 1) + 1) if len(there) else []
    # What is missing for a moment, as the staleness of a slice without an event, is no gap worth showing.
    areas = [_outline(frame, run, values, seconds, end_s) for run in _joined(runs)]
    most = float(np.nanmax(values, initial=0.0))
    return Panel(side.label, side.colour, number(most), frame, _marks(side, frame, end_s), areas)


def _joined(runs: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Runs of slices, those together that are at most three apart, or as far as windows of a batch mostly are."""
    joined: list[NDArray[np.int64]] = []
    gaps = [int(later[0] - run[-1]) for run, later in pairwise(runs)]
    near = max(4, 2 * int(np.median(gaps))) if gaps else 4
    for run in runs:
        if joined and run[0] - joined[-1][-1] <= near:
            joined[-1] = np.concatenate([joined[-1], run])
        else:
            joined.append(run)
    return joined


def _outline(frame: Frame, run: NDArray[np.int64], values: Floats, seconds: float, end_s: float) -> str:
    """Places around what is below a line through the middles of slices."""
    middles = np.minimum((run + 0.5) * seconds, end_s)
    points = [*zip(middles.tolist(), values[run].tolist(), strict=True)]
    return frame.path([(points[0][0], 0.0), *points, (points[-1][0], 0.0)])


def _marks(side: Side, frame: Frame, end_s: float) -> list[Mark]:
    marks = []
    for span in fault_spans(side.faults, end_s):
        box = frame.box((span.start_s, min(span.end_s, end_s), 0.0, frame.y_axis.high))
        wide = box._replace(width=max(box.width, 1.5))
        marks.append(Mark(span.kind.replace(" ", "-"), wide, f"{span.told}, {_from_to(span)}"))
    return marks


def _from_to(span: Span) -> str:
    return f"{span.start_s:.4g} s to {span.end_s:.4g} s"


def when_table(sides: Sequence[Side]) -> tuple[Table, int] | None:
    """What was down or cut off when, the same for several approaches once; and how many rows had no room."""
    rows: dict[tuple[Any, ...], list[str]] = {}
    for side in sides:
        end_s = float(side.series["time"][-1].as_py()) if len(side.series) else 0.0
        for span in fault_spans(side.faults, end_s):
            place = ", ".join(str(broker) for broker in span.brokers) or "server"
            lasting = "to the end" if span.end_s >= end_s else f"{span.end_s - span.start_s:.4g} s"
            rows.setdefault((span.start_s, KINDS[span.kind], place, lasting), []).append(side.label)
    if not rows:
        return None
    told = [
        [f"{key[0]:.4g} s", *key[1:], "all" if len(labels) == len(sides) else ", ".join(labels)]
        for key, labels in sorted(rows.items())
    ]
    head = ["when", "what", "where", "how long", "under"]
    return Table("what was down when", head, told[:_ROWS]), max(0, len(told) - _ROWS)
