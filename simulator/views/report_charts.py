"""Charts of the report: bars, distributions and maps as SVG, with the words that belong to them."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cn import Zones
from simulator.views.page import escape
from simulator.views.svg import Axis, Frame, colour, number, stroke

__all__ = ["bars", "cumulative", "exceedance", "legend", "map_of", "shades", "with_caption"]

_POINTS = 160
_HEAVY = 20
"""A distribution is drawn on log axes when its largest value is so many times the median of the positive ones."""


def with_caption(drawing: str, caption: str) -> str:
    """A figure; `drawing` is SVG, `caption` HTML."""
    return f"<figure>{drawing}<figcaption>{caption}</figcaption></figure>"


def legend(labels: Sequence[str]) -> str:
    """Names of the series with the stroke that stands for each."""
    items = "".join(f"<li>{_swatch(at)} {escape(label)}</li>" for at, label in enumerate(labels))
    return f'<ul class="legend">{items}</ul>'


def _swatch(at: int) -> str:
    return (
        '<svg class="swatch" viewBox="0 0 36 10" aria-hidden="true">'
        f'<line x1="0" y1="5" x2="36" y2="5" {stroke(at)} stroke-width="3"/></svg>'
    )


def shades(most: int) -> str:
    """Colours of a map's brokers with the number of messages delivered that each stands for."""
    steps = dict.fromkeys([0, *(10**power for power in range(len(str(most))) if most), most])
    items = "".join(
        '<li><svg class="swatch" viewBox="0 0 36 10" aria-hidden="true"><rect width="36" height="10" '
        f'fill="var(--accent)" fill-opacity="{_shade(step, most)}" stroke="var(--soft)"/></svg> {step:,}</li>'
        for step in steps
    )
    return f'<ul class="legend">{items}</ul>'


def bars(title: str, groups: Mapping[str, Sequence[float]], labels: Sequence[str]) -> str:
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
    width, rows, y = 520, [], 8
    for group, heights in groups.items():
        rows.append(f'<text x="0" y="{y + 14}" class="head">{escape(group)}</text>')
        y += 20
        for at, (label, value) in enumerate(zip(labels, heights, strict=True)):
            length = round(max(axis.share(value), 0.0) * width, 1) if value > 0 else 0
            tip = f"<title>{escape(f'{label}: {value:,.6g}')}</title>"
            rows.append(
                f'<text x="0" y="{y + 15}">{escape(_short(label))}</text>'
                f'<text x="{width}" y="{y + 15}" text-anchor="end">{number(value)}</text>'
                f'<rect x="0" y="{y + 19}" width="{length}" height="8" fill="{colour(at)}">{tip}</rect>'
            )
            y += 35
        y += 8
    scale = "logarithmic scale" if log else "linear scale"
    drawing = f'<svg viewBox="0 0 {width} {y}" role="img" aria-label="{escape(title)}">{"".join(rows)}</svg>'
    return with_caption(drawing, f"{escape(title)} ({scale})")


def _short(label: str) -> str:
    """A name that leaves room for a value beside it, on a phone too; the run stands first, the approach last."""
    return label if len(label) <= 40 else f"{label[:16]}…{label[-23:]}"


def exceedance(title: str, label: str, samples: Sequence[NDArray[np.float64]], unit: str) -> str:
    """For every value the share of samples at or above it: tails to the right; log axes where they are heavy."""
    positive = [np.sort(sample[sample > 0])[::-1] for sample in samples]
    every = np.concatenate([*positive, np.empty(0)])
    if len(every) == 0:
        return f"<p>{escape(title)}: nothing above 0.</p>"
    heavy = bool(every.max() > _HEAVY * np.median(every))
    most = max(len(sample) for sample in samples)
    x = _axis(label, float(every.min()), float(every.max()), heavy)
    y = (
        Axis(f"share of {unit} at or above", 0.9 / most, 1.0, True)
        if heavy and most > 1
        else Axis(f"share of {unit} at or above", 0.0, 1.0)
    )
    frame = Frame(x, y, f"{title}: share of {unit} at or above each value")
    for at, (values, sample) in enumerate(zip(positive, samples, strict=True)):
        points = [(float(values[rank]), (rank + 1) / len(sample)) for rank in _some(len(values))]
        if points:
            frame.line([(points[0][0], y.low), *points, (x.low, points[-1][1])], at)
    scale = "both axes logarithmic, the tail is heavy" if heavy else "linear axes"
    return with_caption(frame.svg(), f"{escape(title)} ({scale})")


def cumulative(title: str, label: str, samples: Sequence[NDArray[np.float64]], unit: str) -> str:
    """For every value the share of samples at or below it."""
    every = np.concatenate([*samples, np.empty(0)])
    if len(every) == 0:
        return ""
    heavy = bool(every.min() > 0 and every.max() > _HEAVY * np.median(every))
    x = _axis(label, float(every.min()), float(every.max()), heavy)
    frame = Frame(
        x, Axis(f"share of {unit} at or below", 0.0, 1.0), f"{title}: share of {unit} at or below each value"
    )
    for at, sample in enumerate(samples):
        values = np.sort(sample)
        ranks = [len(values) - 1 - rank for rank in reversed(_some(len(values)))]
        points = [(float(values[rank]), (rank + 1) / len(values)) for rank in ranks]
        if points:
            frame.line([(points[0][0], 0.0), *points, (x.high, 1.0)], at)
    return with_caption(frame.svg(), f"{escape(title)} ({'logarithmic' if heavy else 'linear'} values)")


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
    places: Zones | NDArray[np.float64], load: NDArray[np.int64], tips: Sequence[str], most: int, title: str
) -> str:
    """Brokers of a run by the messages delivered there, in S or on the map of the IP network."""
    if isinstance(places, Zones):
        return _map_of_zones(places, load, tips, most, title)
    return _map_of_brokers(places, load, tips, most, title)


def _map_of_zones(zones: Zones, load: NDArray[np.int64], tips: Sequence[str], most: int, title: str) -> str:
    """Zones of S, the stronger coloured the more messages were delivered in them; `most` is the strongest."""
    lo, hi = zones.domain
    frame = Frame(Axis("l", lo, hi), Axis("r", lo, hi), title, width=420, height=420)
    for broker, extent in enumerate(np.clip(zones.table.extents, lo, hi).tolist()):
        shade = f'fill="var(--accent)" fill-opacity="{_shade(int(load[broker]), most)}"'
        frame.box(extent, f'{shade} stroke="var(--soft)" stroke-width="0.6"', tips[broker])
    if zones.space == "triangle":
        corners = " ".join(f"{frame.x(l)},{frame.y(r)}" for l, r in ((lo, lo), (hi, hi), (hi, lo)))
        frame.add(f'<polygon points="{corners}" fill="var(--paper)"/>')
    ends = f'x1="{frame.x(lo)}" y1="{frame.y(lo)}" x2="{frame.x(hi)}" y2="{frame.y(hi)}"'
    frame.add(f'<line {ends} stroke="var(--ink)"/>')
    return frame.svg()


def _map_of_brokers(
    places: NDArray[np.float64], load: NDArray[np.int64], tips: Sequence[str], most: int, title: str
) -> str:
    """Brokers on the map of the IP network, larger and stronger coloured with more messages delivered."""
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.maximum(0.05 * (high - low), 1e-9)
    (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
    axes = (Axis("x of the node", left, right), Axis("y of the node", bottom, top))
    frame = Frame(*axes, title, width=420, height=420)
    for broker, (x, y) in enumerate(places.tolist()):
        shade = _shade(int(load[broker]), most)
        style = f'fill="var(--accent)" fill-opacity="{shade}" stroke="var(--ink)"'
        frame.dot(x, y, round(4 + 8 * shade, 1), style, tips[broker])
    return frame.svg()


def _shade(value: int, most: int) -> float:
    return round(0.04 + 0.9 * math.log1p(value) / math.log1p(max(most, 1)), 3) if value else 0.0
