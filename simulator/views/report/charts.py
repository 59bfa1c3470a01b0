"""Charts of the report: bars, distributions and maps as places and words, which templates draw."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cn import Zones
from simulator.views.svg import Axis, Box, Frame, Spot

__all__ = ["Area", "Bars", "Lines", "LoadMap", "Pen", "bars", "cumulative", "exceedance", "map_of", "shades"]

_POINTS = 160
_HEAVY = 20
"""A distribution is drawn on log axes when its largest value is so many times the median of the positive ones."""
_TIPS = 300
"""Brokers of a map that has something to say of each of them; of more, those of like load are one drawing."""
_LEVELS = 16
_WIDTH, _HEIGHT, _SQUARE, _LEFT, _TEXT = 400, 270, 374, 58, 13
"""Sizes of drawings; one as high as `_SQUARE` has a square area."""


class Pen(NamedTuple):
    """How a line looks: the number of its colour, and that of its dashes."""

    colour: int
    look: int


class Bar(NamedTuple):
    """A value: its name and how it is written stand above the bar, whose length is in percent of the longest."""

    name: str
    value: str
    colour: int
    percent: float


class Bars(NamedTuple):
    """A chart of lying bars on a linear scale from 0; `template` draws it, here and below."""

    title: str
    bars: list[Bar]
    template: str = "report/bars.html"


class Line(NamedTuple):
    """A line through the places of `points`."""

    pen: Pen
    points: str


class Lines(NamedTuple):
    """A chart of lines."""

    title: str
    scale: str
    frame: Frame
    lines: list[Line]
    template: str = "report/lines.html"


class Zone(NamedTuple):
    """A broker in S, how strong its colour is (0 to 1), and what to say of it."""

    box: Box
    shade: float
    tip: str


class Area(NamedTuple):
    """Brokers in S of like load, as the path around them."""

    path: str
    shade: float


class Dot(NamedTuple):
    """A broker on the map of the IP network, likewise; without a tip where there are many."""

    spot: Spot
    radius: float
    shade: float
    tip: str


class LoadMap(NamedTuple):
    """Zones of S, with the corners of the half that holds no subscription and the ends of the diagonal; or dots."""

    label: str
    colour: int
    frame: Frame
    zones: list[Zone]
    areas: list[Area]
    below: str
    diagonal: tuple[Spot, Spot] | None
    dots: list[Dot]
    template: str = "report/map.html"


def shades(most: int) -> list[tuple[str, float]]:
    """Numbers of messages delivered, from none to the most, with the strength of colour that stands for each."""
    steps = dict.fromkeys([0, *(10**power for power in range(len(str(most))) if most), most])
    return [(f"{step:,}", _shade(step, most)) for step in steps]


def bars(title: str, rows: Sequence[tuple[str, int, float | None, str]]) -> Bars | None:
    """Lying bars from 0, each below its name and value; None where no value is above 0.

    Parameters
    ----------
    rows : sequence of tuples
        Name, number of the colour, value, and how the value is written; a missing value has a row without a bar.
    """
    most = max((value for _, _, value, _ in rows if value is not None), default=0.0)
    if most <= 0:
        return None
    return Bars(
        title,
        [Bar(name, text, colour, round(100 * max(value or 0, 0) / most, 2)) for name, colour, value, text in rows],
    )


def exceedance(
    title: str, label: str, samples: Sequence[NDArray[np.float64]], pens: Sequence[Pen], unit: str
) -> Lines | None:
    """For every value the share of samples at or above it: tails to the right; log axes where they are heavy.

    None where no value is above 0.
    """
    positive = [np.sort(sample[sample > 0])[::-1] for sample in samples]
    every = np.concatenate([*positive, np.empty(0)])
    if len(every) == 0:
        return None
    heavy = bool(every.max() > _HEAVY * np.median(every))
    most = max(len(sample) for sample in samples)
    x = _axis(label, float(every.min()), float(every.max()), heavy)
    y = (
        Axis(f"share of {unit} at or above", 0.9 / most, 1.0, True)
        if heavy and most > 1
        else Axis(f"share of {unit} at or above", 0.0, 1.0)
    )
    frame, lines = _frame(x, y, f"{title}: share of {unit} at or above each value"), []
    for values, sample, pen in zip(positive, samples, pens, strict=True):
        points = [(float(values[rank]), (rank + 1) / len(sample)) for rank in _some(len(values))]
        if points:
            lines.append(Line(pen, frame.path([(points[0][0], y.low), *points, (x.low, points[-1][1])])))
    return Lines(title, "logarithmic axes" if heavy else "linear axes", frame, lines)


def cumulative(
    title: str, label: str, samples: Sequence[NDArray[np.float64]], pens: Sequence[Pen], unit: str
) -> Lines | None:
    """For every value the share of samples at or below it; None without samples."""
    every = np.concatenate([*samples, np.empty(0)])
    if len(every) == 0:
        return None
    heavy = bool(every.min() > 0 and every.max() > _HEAVY * np.median(every))
    x = _axis(label, float(every.min()), float(every.max()), heavy)
    y = Axis(f"share of {unit} at or below", 0.0, 1.0)
    frame, lines = _frame(x, y, f"{title}: share of {unit} at or below each value"), []
    for sample, pen in zip(samples, pens, strict=True):
        values = np.sort(sample)
        ranks = [len(values) - 1 - rank for rank in reversed(_some(len(values)))]
        points = [(float(values[rank]), (rank + 1) / len(values)) for rank in ranks]
        if points:
            lines.append(Line(pen, frame.path([(points[0][0], 0.0), *points, (x.high, 1.0)])))
    return Lines(title, "logarithmic values" if heavy else "linear values", frame, lines)


def _frame(x: Axis, y: Axis, title: str) -> Frame:
    return Frame(x, y, title, width=_WIDTH, height=_HEIGHT, text=_TEXT, left=_LEFT)


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
    places: Zones | NDArray[np.float64],
    load: NDArray[np.int64],
    tips: Sequence[str],
    most: int,
    side: tuple[str, int],
) -> LoadMap:
    """Brokers of a run, the stronger coloured the more messages were delivered there; `most` is the strongest.

    They are zones of S, or dots on the map of the IP network, which are larger too with more messages.

    Parameters
    ----------
    side : tuple of str and int
        Whose load it is, and the number of the colour.
    """
    label, colour = side
    title, strengths = f"Load on the brokers under {label}", [_shade(value, most) for value in load.tolist()]
    many = len(load) > _TIPS
    if not isinstance(places, Zones):
        frame = _frame_around(places, title)
        dots = [
            Dot(frame.spot(x, y), round(4 + 8 * shade, 1), shade, "" if many else tip)
            for (x, y), shade, tip in zip(places.tolist(), strengths, tips, strict=True)
        ]
        return LoadMap(label, colour, frame, [], [], "", None, dots)
    lo, hi = np.asarray(places.domain).tolist()
    frame = Frame(Axis("l", lo, hi), Axis("r", lo, hi), title, width=_WIDTH, height=_SQUARE, text=_TEXT, left=_LEFT)
    boxes = [frame.box(extent) for extent in np.clip(places.table.extents, lo, hi).tolist()]
    areas = _areas(boxes, strengths) if many else []
    zones = [] if many else [Zone(*one) for one in zip(boxes, strengths, tips, strict=True)]
    below = frame.path(((lo, lo), (hi, hi), (hi, lo))) if places.space == "triangle" else ""
    return LoadMap(label, colour, frame, zones, areas, below, (frame.spot(lo, lo), frame.spot(hi, hi)), [])


def _areas(boxes: Sequence[Box], strengths: Sequence[float]) -> list[Area]:
    """Boxes of nearly the same shade as one path each."""
    levels: dict[float, list[Box]] = {}
    for box, strength in zip(boxes, strengths, strict=True):
        levels.setdefault(round(strength * _LEVELS) / _LEVELS, []).append(box)
    return [
        Area("".join(f"M{box.x:g},{box.y:g}h{box.width:g}v{box.height:g}h{-box.width:g}z" for box in own), shade)
        for shade, own in sorted(levels.items())
    ]


def _frame_around(places: NDArray[np.float64], title: str) -> Frame:
    """A frame with some room around the places of brokers."""
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.maximum(0.05 * (high - low), 1e-9)
    (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
    axes = (Axis("x of the node", left, right), Axis("y of the node", bottom, top))
    return Frame(*axes, title, width=_WIDTH, height=_SQUARE, text=_TEXT, left=_LEFT)


def _shade(value: int, most: int) -> float:
    return round(0.04 + 0.9 * math.log1p(value) / math.log1p(max(most, 1)), 3) if value else 0.0
