"""Charts of the report: bars, distributions and maps as places and words, which templates draw."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn import Zones
from simulator.views.svg import Axis, Box, Frame, Spot, number

__all__ = ["Bars", "Empty", "Lines", "LoadMap", "bars", "cumulative", "exceedance", "map_of", "shades"]

_POINTS = 160
_HEAVY = 20
"""A distribution is drawn on log axes when its largest value is so many times the median of the positive ones."""


class Bar(NamedTuple):
    """The value of a series: name and value above, then the bar."""

    name: str
    value: str
    tip: str
    y: int
    length: float


class BarGroup(NamedTuple):
    """Bars of the same measure, one per series."""

    name: str
    y: int
    bars: list[Bar]


class Bars(NamedTuple):
    """A chart of lying bars; `template` draws it, here and below."""

    title: str
    scale: str
    width: int
    height: int
    groups: list[BarGroup]
    template: str = "report/bars.html"


class Line(NamedTuple):
    """A line of the series of that number, through the places of `points`."""

    series: int
    points: str


class Lines(NamedTuple):
    """A chart of lines."""

    title: str
    scale: str
    frame: Frame
    lines: list[Line]
    template: str = "report/lines.html"


class Empty(NamedTuple):
    """A chart of which nothing is above 0."""

    title: str
    template: str = "report/empty.html"


class Zone(NamedTuple):
    """A broker in S, how strong its colour is (0 to 1), and what to say of it."""

    box: Box
    shade: float
    tip: str


class Dot(NamedTuple):
    """A broker on the map of the IP network, likewise."""

    spot: Spot
    radius: float
    shade: float
    tip: str


class LoadMap(NamedTuple):
    """Zones of S, with the corners of the half that holds no subscription and the ends of the diagonal; or dots."""

    label: str
    frame: Frame
    zones: list[Zone]
    below: str
    diagonal: tuple[Spot, Spot] | None
    dots: list[Dot]
    template: str = "report/map.html"


def shades(most: int) -> list[tuple[str, float]]:
    """Numbers of messages delivered, from none to the most, with the strength of colour that stands for each."""
    steps = dict.fromkeys([0, *(10**power for power in range(len(str(most))) if most), most])
    return [(f"{step:,}", _shade(step, most)) for step in steps]


def bars(title: str, groups: Mapping[str, Sequence[float]], labels: Sequence[str]) -> Bars:
    """Lying bars, one group of series under the other, each below its name and value; log if they differ a lot.

    Parameters
    ----------
    groups : mapping of str to values
        One value per series, in the order of `labels`.
    """
    values = [value for group in groups.values() for value in group if value > 0]
    top = max(values, default=1.0)
    log = bool(values) and top > _HEAVY * min(values)
    low = 10.0 ** math.floor(math.log10(min(values)) - 0.001) if log else 0.0
    axis = Axis("", low, top, log)
    width, drawn, y = 520, [], 8
    for group, heights in groups.items():
        own = [
            Bar(
                _short(label),
                number(value),
                f"{label}: {value:,.6g}",
                y + 20 + 35 * at,
                round(max(axis.share(value), 0.0) * width, 1) if value > 0 else 0,
            )
            for at, (label, value) in enumerate(zip(labels, heights, strict=True))
        ]
        drawn.append(BarGroup(group, y, own))
        y += 20 + 35 * len(own) + 8
    return Bars(title, "logarithmic scale" if log else "linear scale", width, y, drawn)


def _short(label: str) -> str:
    """A name that leaves room for a value beside it, on a phone too; the run stands first, the approach last."""
    return label if len(label) <= 40 else f"{label[:16]}…{label[-23:]}"


def exceedance(title: str, label: str, samples: Sequence[NDArray[np.float64]], unit: str) -> Lines | Empty:
    """For every value the share of samples at or above it: tails to the right; log axes where they are heavy."""
    positive = [np.sort(sample[sample > 0])[::-1] for sample in samples]
    every = np.concatenate([*positive, np.empty(0)])
    if len(every) == 0:
        return Empty(title)
    heavy = bool(every.max() > _HEAVY * np.median(every))
    most = max(len(sample) for sample in samples)
    x = _axis(label, float(every.min()), float(every.max()), heavy)
    y = (
        Axis(f"share of {unit} at or above", 0.9 / most, 1.0, True)
        if heavy and most > 1
        else Axis(f"share of {unit} at or above", 0.0, 1.0)
    )
    frame, lines = Frame(x, y, f"{title}: share of {unit} at or above each value"), []
    for at, (values, sample) in enumerate(zip(positive, samples, strict=True)):
        points = [(float(values[rank]), (rank + 1) / len(sample)) for rank in _some(len(values))]
        if points:
            lines.append(Line(at, frame.path([(points[0][0], y.low), *points, (x.low, points[-1][1])])))
    return Lines(title, "both axes logarithmic, the tail is heavy" if heavy else "linear axes", frame, lines)


def cumulative(title: str, label: str, samples: Sequence[NDArray[np.float64]], unit: str) -> Lines | None:
    """For every value the share of samples at or below it; None without samples."""
    every = np.concatenate([*samples, np.empty(0)])
    if len(every) == 0:
        return None
    heavy = bool(every.min() > 0 and every.max() > _HEAVY * np.median(every))
    x = _axis(label, float(every.min()), float(every.max()), heavy)
    y = Axis(f"share of {unit} at or below", 0.0, 1.0)
    frame, lines = Frame(x, y, f"{title}: share of {unit} at or below each value"), []
    for at, sample in enumerate(samples):
        values = np.sort(sample)
        ranks = [len(values) - 1 - rank for rank in reversed(_some(len(values)))]
        points = [(float(values[rank]), (rank + 1) / len(values)) for rank in ranks]
        if points:
            lines.append(Line(at, frame.path([(points[0][0], 0.0), *points, (x.high, 1.0)])))
    return Lines(title, "logarithmic values" if heavy else "linear values", frame, lines)


def _axis(label: str, low: float, high: float, log: bool) -> Axis:
    if log:
        return Axis(label, 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high * 1.001)), True)
    return Axis(label, 0.0, high * 1.04 if high > 0 else 1.0)


def _some(count: int) -> list[int]:
    """Ranks to draw, dense at the front, where the tail is; ascending."""
    if count <= _POINTS:
        return list(range(count))
    ranks: list[int] = np.unique(np.rint(np.geomspace(1, count, _POINTS)).astype(int) - 1).tolist()
    return ranks


def map_of(
    places: Zones | NDArray[np.float64], load: NDArray[np.int64], tips: Sequence[str], most: int, label: str
) -> LoadMap:
    """Brokers of a run, the stronger coloured the more messages were delivered there; `most` is the strongest.

    They are zones of S, or dots on the map of the IP network, which are larger too with more messages.
    """
    title, strengths = f"Load on the brokers under {label}", [_shade(value, most) for value in load.tolist()]
    if not isinstance(places, Zones):
        frame = _frame_around(places, title)
        dots = [
            Dot(frame.spot(x, y), round(4 + 8 * shade, 1), shade, tip)
            for (x, y), shade, tip in zip(places.tolist(), strengths, tips, strict=True)
        ]
        return LoadMap(label, frame, [], "", None, dots)
    lo, hi = places.domain
    frame = Frame(Axis("l", lo, hi), Axis("r", lo, hi), title, width=420, height=420)
    extents = np.clip(places.table.extents, lo, hi).tolist()
    zones = [Zone(frame.box(extent), shade, tip) for extent, shade, tip in zip(extents, strengths, tips, strict=True)]
    below = frame.path(((lo, lo), (hi, hi), (hi, lo))) if places.space == "triangle" else ""
    return LoadMap(label, frame, zones, below, (frame.spot(lo, lo), frame.spot(hi, hi)), [])


def _frame_around(places: NDArray[np.float64], title: str) -> Frame:
    """A frame with some room around the places of brokers."""
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.maximum(0.05 * (high - low), 1e-9)
    (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
    axes = (Axis("x of the node", left, right), Axis("y of the node", bottom, top))
    return Frame(*axes, title, width=420, height=420)


def _shade(value: int, most: int) -> float:
    return round(0.04 + 0.9 * math.log1p(value) / math.log1p(max(most, 1)), 3) if value else 0.0
