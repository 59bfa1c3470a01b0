"""Figures of a sweep: a metric over a key of the grid, with confidence intervals; drawn to be read in grey."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["draw_sweep", "line_look"]

_MARKERS = "osD^vP*X"
_STYLES = ("-", "--", "-.", ":")
_LOG = 50
"""Largest over smallest value from which an axis is logarithmic."""

_TICKS = 10
"""Values of a key that are marked on its axis, at most."""

Rows = list[dict[str, Any]]


def draw_sweep(results: pa.Table, keys: Sequence[str], metric: str, along: str | None = None) -> Figure:
    """Draw a metric of a sweep: a line per approach with 95% intervals, a panel per combination of the other keys.

    Parameters
    ----------
    results : Table
        The `results.csv` of the sweep.
    keys : sequence of str
        Keys in which its points differ.
    metric : str
        What to draw.
    along : str, optional
        One of the keys, or "point"; by default the first key that has several values.

    Raises
    ------
    ValueError
        There is no such metric or key, or no point that did not fail.
    """
    metrics = results["metric"].unique().to_pylist()
    if not metrics:
        raise ValueError("results must hold a point, got none: every point failed; mend that and sweep again")
    if metric not in metrics:
        raise ValueError(f"metric must be one of {', '.join(metrics)}, got {metric!r}")
    varied = [key for key in keys if len(results[key].unique()) > 1]
    chosen = along if along is not None else (*varied, *keys, "point")[0]
    if chosen not in (*keys, "point"):
        raise ValueError(f"along must be one of {', '.join((*keys, 'point'))}, got {along!r}")
    others = [key for key in varied if key != chosen and chosen != "point"]
    panels: dict[str, Rows] = {}
    for row in results.to_pylist():
        if row["metric"] == metric:
            panels.setdefault(", ".join(f"{key} = {row[key]}" for key in others), []).append(row)
    approaches = results["approach"].unique().to_pylist()
    across = min(len(panels), 3)
    down = -(-len(panels) // across)
    with mpl.rc_context({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}):
        figure = Figure(figsize=(2.4 + 4 * across, 3.6 * down), layout="constrained")
        every = list(figure.subplots(down, across, squeeze=False, sharey=True).flat)
        for axes, (title, rows) in zip(every, panels.items(), strict=False):
            axes.set(title=title, xlabel=chosen)
            _draw_lines(axes, rows, chosen, approaches)
        for axes in every[len(panels) :]:
            axes.set_axis_off()
        for axes in every[::across]:
            axes.set_ylabel(metric)
        means = [row["mean"] for rows in panels.values() for row in rows]
        if min(means) > 0 and max(means) >= _LOG * min(means):
            every[0].set_yscale("log")  # and with it the others, which share the axis
        figure.legend(*every[0].get_legend_handles_labels(), fontsize=8, loc="outside right upper")
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


def _draw_lines(axes: Axes, rows: Rows, along: str, approaches: Sequence[str]) -> None:
    values = list(dict.fromkeys(row[along] for row in rows))
    numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    counted = len(numbers) == len(values)
    places = dict(zip(values, numbers if counted else range(len(values)), strict=True))
    for at, name in enumerate(approaches):
        line = [(places[row[along]], row["mean"], row["half_width"]) for row in rows if row["approach"] == name]
        if not line:
            continue
        x, mean, half = np.array(sorted(line, key=itemgetter(0)), np.float64).T  # no interval becomes NaN
        axes.errorbar(x, mean, half, label=name, **line_look(at))
    if not counted:
        axes.set_xticks(range(len(values)), [str(value) for value in values])
    elif min(numbers) > 0 and max(numbers) >= _LOG * min(numbers):
        axes.set_xscale("log")
    elif len(numbers) <= _TICKS:
        axes.set_xticks(numbers)
