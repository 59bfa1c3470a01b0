"""Figures of a sweep: a metric over a key of the grid, with confidence intervals; drawn to be read in grey."""

from collections.abc import Mapping, Sequence
from itertools import product
from operator import itemgetter
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy

from floor.text import visible
from simulator.approaches.colours import colour_of
from simulator.runs.finished_sweep import FinishedSweep
from simulator.views.output import write_picture
from simulator.views.sweep_axes import Layout, Places, lay_out, name_of, places_of, scale_values, told
from simulator.views.tables import LABELS

__all__ = ["draw_sweep", "line_look", "write_figures"]

_MARKERS = "osD^vP*X"
_STYLES = ("-", "--", "-.", ":")
_MOST = 24
"""Panels of a figure."""
_WIDEST = 5
"""Panels side by side."""
_APART = 0.6
"""Share of the room between two words on an axis over which the approaches are spread."""
_ASIDE = 2.5
"""Points of print between lines that share a value on an axis of numbers."""
_LETTER = 0.07
"""Width of a letter of a title, in inches."""

Rows = list[dict[str, Any]]


def write_figures(sweep: FinishedSweep, metrics: Sequence[str]) -> list[Path]:
    """Draw metrics of a sweep that it has, one file for each in the sweep's directory; their paths.

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    paths = []
    for metric in metrics:
        if metric in sweep.metrics:
            paths.append(sweep.directory / "figures" / f"{metric}.png")
            write_picture(draw_sweep(sweep.results, sweep.facts.axes, metric), paths[-1])
    return paths


def draw_sweep(
    results: pa.Table,
    axes: Sequence[tuple[str, ...]],
    metric: str,
    along: str | None = None,
    where: Mapping[str, Any] | None = None,
) -> Figure:
    """Draw a metric of a sweep: a line per approach with 95% intervals, a panel per combination of the other keys.

    Parameters
    ----------
    results : Table
        The `results.csv` of the sweep.
    axes : sequence of tuple of str
        Keys in which its points differ, those that change together in one tuple.
    metric : str
        What to draw.
    along : str, optional
        One of the keys, or "point"; by default the first that has several values and whose values are numbers, or
        else the first that has several.
    where : mapping, optional
        Keys and the one value of each whose points are drawn.

    Raises
    ------
    ValueError
        There is no such metric, key or value, or no point that did not fail.
    """
    rows = _chosen(results, axes, metric, where or {})
    layout = lay_out(rows, axes, along)
    panels, across, cut = _panels(rows, layout)
    approaches = list(dict.fromkeys(row["approach"] for row in rows))
    looks = {name: {**line_look(at), "color": colour_of(name).light} for at, name in enumerate(approaches)}
    places = places_of(rows, layout.along)
    with mpl.rc_context(
        {"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True, "text.parse_math": False}
    ):
        down = -(-len(panels) // across)
        size = (4.0, 3.3) if len(panels) <= 4 else (3.0, 2.6)
        figure = Figure(figsize=(1.9 + size[0] * across, 0.6 + size[1] * down), layout="constrained")
        every = list(figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).flat)
        for one, (title, drawn) in zip(every, panels.items(), strict=False):
            lines = [fill(line, int(size[0] / _LETTER)) for line in title.splitlines()]
            one.set_title("\n".join(lines), fontsize=8)
            _draw_lines(one, drawn, layout.along, places, looks)
        for one in every[len(panels) :]:
            one.set_axis_off()
        for one in every[max(len(panels) - across, 0) : len(panels)]:
            one.set_xlabel(f"{places.name}, logarithmic" if places.spread else places.name)
            one.tick_params(labelbottom=True)
        for one in every[::across]:
            one.set_ylabel(LABELS.get(metric, metric))
        places.label(every[0], size[0] - 0.6)  # and with it the others, which share the axes
        scale_values(every[0], rows)
        figure.suptitle(_title(metric, rows, len(panels), cut), fontsize=10)
        beside: Any = "outside center right"  # the list of such places for type checkers lacks it
        figure.legend(*_handles(every), fontsize=8, loc=beside)
    return figure


def line_look(at: int) -> dict[str, Any]:
    """How the line of this number looks: by colour, mark and dashes, so that any one of them is enough."""
    return {
        "color": f"C{at}",
        "marker": _MARKERS[at % len(_MARKERS)],
        "linestyle": _STYLES[at % len(_STYLES)],
        "markersize": 4,
        "capsize": 2,
    }


def _chosen(results: pa.Table, axes: Sequence[tuple[str, ...]], metric: str, where: Mapping[str, Any]) -> Rows:
    """Rows to draw."""
    metrics = results["metric"].unique().to_pylist()
    if not metrics:
        raise ValueError("results must hold a point, got none: every point failed; mend that and sweep again")
    if metric not in metrics:
        raise ValueError(f"metric must be one of {', '.join(metrics)}, got {metric!r}")
    rows: Rows = [row for row in results.to_pylist() if row["metric"] == metric]
    for key, value in where.items():
        if not any(key in keys for keys in axes):
            raise ValueError(f"where must name one of {', '.join(key for keys in axes for key in keys)}, got {key!r}")
        found = list(dict.fromkeys(row[key] for row in rows))
        if value not in found:
            raise ValueError(f"where[{key!r}] must be one of {', '.join(map(repr, found))}, got {value!r}")
        rows = [row for row in rows if row[key] == value]
    return rows


def _panels(rows: Rows, layout: Layout) -> tuple[dict[str, Rows], int, int]:
    """Rows of each panel by its title, how many go side by side, and how many panels there was no room for."""
    groups = [*layout.down, *([layout.across] if layout.across else [])]
    values = [list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows)) for keys in groups]
    panels: dict[str, Rows] = {}
    for combination in product(*values):
        own = [row for row in rows if all(_has(row, *one) for one in zip(groups, combination, strict=True))]
        lines = [f"{name_of(keys)} = {told(value)}" for keys, value in zip(groups, combination, strict=True)]
        panels["\n".join(lines)] = own  # one whose points failed stays empty, in its place
    beside = len(values[-1]) if values else 1
    across = beside if layout.down and beside <= _WIDEST else min(len(panels), _WIDEST if len(panels) > 4 else 3)
    if len(panels) == 4 and not layout.down:
        across = 2
    kept = dict(list(panels.items())[: max(_MOST // across, 1) * across])
    return kept, across, len(panels) - len(kept)


def _has(row: dict[str, Any], keys: Sequence[str], values: Sequence[Any]) -> bool:
    return all(row[key] == value for key, value in zip(keys, values, strict=True))


def _draw_lines(
    axes: Axes, rows: Rows, along: tuple[str, ...], places: Places, looks: Mapping[str, dict[str, Any]]
) -> None:
    for at, (name, look) in enumerate(looks.items()):
        # Of points that differ in the list of approaches only, one stands for all.
        line = {
            places.at[tuple(row[key] for key in along)]: (row["mean"], row["half_width"])
            for row in rows
            if row["approach"] == name
        }
        if not line:
            continue
        pairs = [(place, *values) for place, values in sorted(line.items(), key=itemgetter(0))]
        x, mean, half = np.array(pairs, np.float64).T  # no interval becomes NaN
        if places.counted:
            drawn = axes.errorbar(x, mean, half, label=visible(name), **look)
            # Only now, so that the axes know the values: a little aside, to tell intervals from each other.
            aside = _ASIDE * (at - (len(looks) - 1) / 2)
            for artist in drawn.get_children():
                artist.set_transform(offset_copy(axes.transData, axes.get_figure(root=True), aside, units="points"))
        else:  # beside each other, and with no line, which would tell of values between two words
            shift = _APART * ((at + 0.5) / len(looks) - 0.5)
            axes.errorbar(x + shift, mean, half, label=visible(name), **{**look, "linestyle": "none"})


def _handles(every: Sequence[Axes]) -> tuple[list[Any], list[str]]:
    """Every line of any panel once, for the legend."""
    found: dict[str, Any] = {}
    for axes in every:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    return list(found.values()), list(found)


def _title(metric: str, rows: Rows, panels: int, cut: int) -> str:
    seeds = max(row["replications"] for row in rows)
    told_of = f"mean over {seeds} seeds, bars: 95% intervals" if seeds > 1 else "of one seed"
    more = f"\nthe first {panels} of {panels + cut} panels; `plot(..., where=...)` draws others" if cut else ""
    return f"{metric}: {told_of}{more}"
