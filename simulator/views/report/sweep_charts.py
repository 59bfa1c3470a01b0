"""Charts of a sweep: a metric over a key of the grid, with intervals; a panel for each value of the other keys."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from simulator.views.report.charts import Pen
from simulator.views.report.sweep_rows import Measured, SweepRows
from simulator.views.svg import Axis, Frame, Spot
from simulator.views.sweep_axes import Places, lay_out, places_of, told

__all__ = ["Curve", "SweepPanel", "sweep_panels"]

_LOG = 50
"""Largest over smallest value from which an axis is logarithmic."""
_MOST = 12
"""Panels of a metric."""
_APART = 4.0
"""Approaches stand so far beside each other where they share a value of the key."""
_WIDTH, _HEIGHT, _LEFT, _TEXT = 400, 250, 52, 13


class Point(NamedTuple):
    """A mean and the ends of its interval, as places; without an interval all three are one."""

    spot: Spot
    low: float
    high: float
    tip: str


class Curve(NamedTuple):
    """The means of an approach."""

    pen: Pen
    points: list[Point]
    path: str


class SweepPanel(NamedTuple):
    """Curves over the key along, where the other keys have certain values."""

    title: str
    frame: Frame
    curves: list[Curve]


def sweep_panels(rows: SweepRows, metric: str) -> tuple[list[SweepPanel], int]:
    """Panels of a metric, on the same axes; and how many there was no room for."""
    found = list(rows.metrics[metric].values())
    named = [dict(zip(rows.keys, one.place, strict=True)) | {"point": 1} for one in found]
    layout = lay_out(named, rows.axes, None)
    along = places_of(named, layout.along)
    beside = [key for keys in (layout.across, *layout.down) for key in keys]
    grouped: dict[tuple[Any, ...], list[tuple[float, Measured]]] = {}
    for values, one in zip(named, found, strict=True):
        place = along.at[tuple(values[key] for key in layout.along)]
        grouped.setdefault(tuple(values[key] for key in beside), []).append((place, one))
    axes = _x_axis(along), _y_axis(found)
    panels = [_panel(rows, _named(beside, values), axes, group) for values, group in grouped.items()]
    return panels[:_MOST], max(0, len(panels) - _MOST)


def _named(keys: Sequence[str], values: Sequence[Any]) -> str:
    return ", ".join(f"{key} = {told((value,))}" for key, value in zip(keys, values, strict=True))


def _panel(
    rows: SweepRows, title: str, axes: tuple[Axis, Axis], group: Sequence[tuple[float, Measured]]
) -> SweepPanel:
    frame = Frame(*axes, title or "all points", width=_WIDTH, height=_HEIGHT, text=_TEXT, left=_LEFT)
    curves = []
    for number, name in enumerate(rows.approaches):
        own = sorted(((place, one) for place, one in group if one.approach == name), key=lambda pair: pair[0])
        if own:
            aside = _APART * (number - (len(rows.approaches) - 1) / 2)
            points = [_point(rows, frame, place, one, aside) for place, one in own]
            path = " ".join(f"{point.spot.x:g},{point.spot.y:g}" for point in points)
            curves.append(Curve(Pen(number, number), points, path))
    return SweepPanel(title, frame, curves)


def _point(rows: SweepRows, frame: Frame, place: float, one: Measured, aside: float) -> Point:
    spot = Spot(round(frame.x(place) + aside, 2), frame.y(one.mean))
    half = one.half_width or 0.0
    within = "" if one.half_width is None else f" ± {one.half_width:,.4g}"
    steady = ", not steady" if rows.unsteady(one.place, one.approach) else ""
    at = rows.named(one.place)
    tip = f"{one.approach}{f' at {at}' if at else ''}: {one.mean:,.4g}{within}{steady}"
    return Point(spot, frame.y(one.mean - half), frame.y(one.mean + half), tip)


def _x_axis(along: Places) -> Axis:
    """The key along: numbers at their size with some room at both ends, words in turn."""
    places, name = sorted(along.at.values()), along.name if along.name != "point" else ""
    labels = {at: told(value) if along.name != "point" else "" for value, at in along.at.items()}
    low, high = places[0], places[-1]
    log = along.counted and low > 0 and high >= _LOG * low
    if not along.counted or low == high:
        low, high = low - 0.5, high + 0.5
    elif log:
        low, high = low / (high / low) ** 0.06, high * (high / low) ** 0.06
    else:
        low, high = low - 0.06 * (high - low), high + 0.06 * (high - low)
    return Axis(name, low, high, log, tuple(sorted(labels.items())))


def _y_axis(found: Sequence[Measured]) -> Axis:
    """From 0, or logarithmic where means are above 0 and span decades; wide intervals may leave it above."""
    means = [one.mean for one in found]
    low, high = min(means), max(means)
    if low > 0 and high >= _LOG * low:
        return Axis("", 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high * 1.001)), True)
    tops = [min(one.mean + (one.half_width or 0.0), 1.6 * high) for one in found]
    return Axis("", min(0.0, 1.1 * low), 1.06 * max(tops) if max(tops) > 0 else 1.0)
