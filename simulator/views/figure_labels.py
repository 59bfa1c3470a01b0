"""Labels and titles of matplotlib figures, placed by how large they really are once the layout is known."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import patheffects as path_effects
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import NDArray

from simulator.views.placement import Home, Label, place_labels

__all__ = ["Name", "Naming", "fitted", "measured", "settle", "write_names"]

_SLACK = 0.93
_PADDING = 2.0
"""Pixels around a label: its halo, and what another renderer draws wider."""


class Name(NamedTuple):
    """A label of a rectangle, or of a point if that is empty, in the axes' values."""

    text: str
    box: Sequence[float]
    """x_lo, x_hi, y_lo, y_hi."""
    colour: str = "black"
    only_inside: bool = False
    prefers: tuple[float, float] = (0.0, 0.0)


class Naming(NamedTuple):
    """What is to be named in axes, and the points (n, 2) that labels must not cover or had better not."""

    axes: Axes
    names: Sequence[Name]
    hard: NDArray[np.float64]
    soft: NDArray[np.float64]
    radius: float = 4.0
    """Of a point that is not to be covered, in points of the font."""


def settle(figure: Figure) -> None:
    """Lay a figure out and keep that, so that what is placed by it stays in place."""
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def write_names(naming: Naming, size: float) -> list[Text]:
    """Write the names that find a place, those outside of what they name with a line to it; O(labels) time each."""
    axes = naming.axes
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("axes must belong to a figure, got some that do not")
    to_pixels, area = axes.transData, axes.get_window_extent()
    radius = naming.radius * figure.dpi / 72
    labels = []
    for name in naming.names:
        x_lo, x_hi, y_lo, y_hi = name.box
        (left, bottom), (right, top) = to_pixels.transform([(x_lo, y_lo), (x_hi, y_hi)]).tolist()
        width, height = measured(figure, name.text, size, weight="bold")
        clear = radius + 0.5 if x_lo == x_hi and y_lo == y_hi else 0.0
        size_px = (width + 2 * _PADDING, height + 2 * _PADDING)
        labels.append(Label(*size_px, Home(left, bottom, right, top), name.only_inside, clear, name.prefers))
    around = [_around(to_pixels.transform(points.reshape(-1, 2)), radius) for points in (naming.hard, naming.soft)]
    places = place_labels(labels, Home(area.x0 + 1, area.y0 + 1, area.x1 - 1, area.y1 - 1), *around)
    to_values, written = to_pixels.inverted(), []
    halo = [path_effects.withStroke(linewidth=2.5, foreground="white")]
    for name, place in zip(naming.names, places, strict=True):
        if place is None:
            continue
        if place.line is not None:
            ends = to_values.transform(np.reshape(place.line, (2, 2)))
            axes.plot(*ends.T, color=name.colour, linewidth=0.8, zorder=6, marker="o", markevery=[0], markersize=2)
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, "weight": "bold"}
        x, y = to_values.transform((place.x, place.y)).tolist()
        written.append(axes.text(x, y, name.text, color=name.colour, path_effects=halo, zorder=7, **style))
    return written


def _around(points: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
    return np.concatenate((points - radius, points + radius), axis=1)


def measured(figure: Figure, text: str, size: float, weight: str = "normal") -> tuple[float, float]:
    """Width and height of a line of text in pixels."""
    canvas: Any = figure.canvas if isinstance(figure.canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)
    probe = Text(0, 0, text, fontsize=size, weight=weight, figure=figure)
    box = probe.get_window_extent(canvas.get_renderer())
    return float(box.width), float(box.height)


def fitted(figure: Figure, told: Callable[[int], str], size: float, width: float, weight: str = "normal") -> str:
    """The longest of the lines told(1), told(2), ... that is no wider than so many pixels; told(1) if none is.

    `told` takes the number of letters that a name in it may have. Letters are set on whole pixels, so that a line is
    a little wider at other resolutions than the one it is measured at; some room is left for that.
    """
    low, high, width = 1, 400, _SLACK * width
    if measured(figure, told(high), size, weight)[0] <= width:
        return told(high)
    while high - low > 1:
        middle = (low + high) // 2
        if measured(figure, told(middle), size, weight)[0] <= width:
            low = middle
        else:
            high = middle
    return told(low)
