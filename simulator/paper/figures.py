"""Tables and figures in the paper's form: CSV for both, curves or bars for figures, drawn to be read in grey."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from floor.files import whole
from simulator.paper.exhibits import Exhibit, Panel, Value
from simulator.paper.verdicts import Measured, Verdict
from simulator.runs.statistics import Estimate
from simulator.views.sweep_figure import line_look

__all__ = ["draw_exhibit", "exhibit_csv"]

_HATCHES = ("", "///", "...", "xxx")
MOST_COLUMNS = 3
"""Panels side by side; more go to further rows."""


class _Curve(NamedTuple):
    label: str
    places: list[Any]
    values: list[Estimate]


def exhibit_csv(view: Exhibit, measured: Mapping[str, Measured], verdicts: Sequence[Verdict]) -> str:
    """A figure as one row per point of a curve; a table as rows of the paper's, ours and half of the 95% interval."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if view.panels:
        writer.writerow(["panel", "curve", "metric", "along", "at", *Estimate._fields])
        for panel in view.panels:
            for curve in _curves(panel, measured[panel.sweep or view.sweeps[0]]):
                for place, value in zip(curve.places, curve.values, strict=True):
                    writer.writerow([panel.title, curve.label, panel.metric, panel.along, place, *value])
        return text.getvalue()
    columns = list(dict.fromkeys(f"{number.along} = {at}" for number in view.numbers for at in number.at))
    writer.writerow(["row", "source", *columns])
    for number in view.numbers:
        cells = {one.place: one for one in verdicts if one.claim == number.row}
        for source, field in (("paper", "paper"), ("ours", "ours"), ("±", "half_width")):
            found = [getattr(cells[column], field) if column in cells else None for column in columns]
            writer.writerow([number.row, source, *found])
    return text.getvalue()


def draw_exhibit(view: Exhibit, measured: Mapping[str, Measured], scale: str, paths: Sequence[Path]) -> None:
    """Draw the panels of a figure in rows, with 95% confidence intervals; one file for each path."""
    with mpl.rc_context(
        {"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True, "svg.hashsalt": "rangecast"}
    ):
        columns = min(len(view.panels), MOST_COLUMNS)
        rows = -(-len(view.panels) // columns)
        figure = Figure(figsize=(4.4 * columns, 4.2 * rows), layout="constrained")
        drawn = [list(_curves(panel, measured[panel.sweep or view.sweeps[0]])) for panel in view.panels]
        # A curve looks the same in every panel.
        looks = {label: at for at, label in enumerate(dict.fromkeys(curve.label for one in drawn for curve in one))}
        every = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in every[len(drawn) :]:
            axes.remove()
        for axes, panel, curves in zip(every[: len(drawn)], view.panels, drawn, strict=True):
            if any(isinstance(place, str) for curve in curves for place in curve.places):
                _bars(axes, curves, log=panel.log)
            else:
                _lines(axes, curves, looks)
            axes.set_title(panel.title)
            axes.set_xlabel(panel.xlabel)
            axes.set_ylabel(panel.ylabel)
            if panel.log:
                axes.set_yscale("log")
            # Below the axes, where it hides no curve.
            axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)
        figure.suptitle(f"{view.title}\n{scale} scale; bars: 95% confidence over seeds", fontsize=10)
        for path in paths:
            undated: Any = {"Date": None} if path.suffix == ".svg" else None
            with whole(path) as partial:
                figure.savefig(partial, format=path.suffix[1:], dpi=130, metadata=undated)


def _curves(panel: Panel, measured: Measured) -> Iterator[_Curve]:
    points = measured.points(panel.where)
    if panel.curves:
        yield from _curves_of_approaches(panel, measured, points)
        return
    splits = list(dict.fromkeys(measured.key(point, panel.split) for point in points)) if panel.split else [None]
    for approach in panel.approaches:
        for split in splits:
            chosen = [one for one in points if panel.split is None or measured.key(one, panel.split) == split]
            places = [measured.key(point, panel.along) for point in chosen]
            label = f"{approach} / {panel.over}" if panel.over else approach
            if panel.split:
                value = f"{panel.split_name or panel.split} = {split}"
                label = value if panel.over and len(panel.approaches) == 1 else f"{label}, {value}"
            yield _Curve(label, places, [measured.value(panel, approach, point) for point in chosen])


def _curves_of_approaches(panel: Panel, measured: Measured, points: Sequence[int]) -> Iterator[_Curve]:
    """A curve for each name and value of the key `split`; its points are approaches."""
    for name, approaches in panel.curves.items():
        for point in points:
            places: list[Any] = list(panel.places)
            if panel.across is not None:
                across = Value(metric=panel.across)
                places = [measured.value(across, approach, point).mean for approach in approaches]
            label = name
            if panel.split:
                label = f"{name}, {measured.key(point, panel.split)}"
            yield _Curve(label, places, [measured.value(panel, approach, point) for approach in approaches])


def _lines(axes: Axes, curves: Sequence[_Curve], looks: Mapping[str, int]) -> None:
    for label, places, values in curves:
        widths = [value.half_width or 0.0 for value in values]
        axes.errorbar(
            places,
            [value.mean for value in values],
            yerr=widths,  # one that reaches below 0 leaves a log axis at the bottom
            label=label,
            **line_look(looks[label]),
        )
    ticks = sorted({place for curve in curves for place in curve.places})
    if not all(isinstance(tick, int) or tick.is_integer() for tick in ticks):
        return
    if ticks and ticks[-1] > 100:
        axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.set_xticks([], minor=True)
    elif ticks:
        axes.set_xticks(ticks)
        axes.xaxis.set_major_formatter(ScalarFormatter())


def _bars(axes: Axes, curves: Sequence[_Curve], *, log: bool) -> None:
    width = 0.8 / len(curves)
    for at, (label, _, values) in enumerate(curves):
        axes.bar(
            np.arange(len(values)) + at * width,
            [value.mean for value in values],
            width,
            yerr=[value.half_width or 0.0 for value in values],
            label=label,
            color=f"C{at}",
            edgecolor="black",
            hatch=_HATCHES[at % len(_HATCHES)],
            capsize=2,
        )
    # A log axis has no 0 to begin at.
    heights = [value.mean for curve in curves for value in curve.values if value.mean > 0]
    axes.set_ylim(bottom=min(heights) / 2 if log and heights else 0)
    places = curves[0].places
    names = [re.sub(r", (?![^(]*\))", "\n", place) for place in places]
    axes.set_xticks(np.arange(len(places)) + 0.4 - width / 2, names, fontsize=7)
