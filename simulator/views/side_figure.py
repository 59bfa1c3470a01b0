"""The picture of one event over several attributes: the map of objects, and a few slices of S."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from simulator.views.labels import apart
from simulator.views.side_explanation import SideExplanation, Slices, slices_of
from simulator.views.side_page import slice_view

__all__ = ["draw_sides"]

_STYLE: Any = {"svg.hashsalt": "rangecast", "text.parse_math": False, "axes.axisbelow": True, "font.size": 9}
_SLICES = 3
"""Slices that are drawn at most."""
_NAMED = 8
"""Exposed objects that the legend names at most."""
_UPDATED, _POLYGON = "#b5121b", "#9ecae1"


def draw_sides(explanations: Sequence[SideExplanation]) -> Figure:
    """Draw an event over several attributes: a row for each approach, the map of objects in the first.

    Each row has the slices of S, the same for all, that hold the most messages.
    """
    slices, view = slices_of(explanations), slice_view(explanations)
    slabs = _busiest(explanations, slices)
    with mpl.rc_context(_STYLE):
        size = (4.6 * (1 + len(slabs)), 4.8 * len(explanations) + 1.1)
        figure = Figure(figsize=size, layout="constrained")
        figure.suptitle(
            explanations[0].title if len(explanations) == 1 else explanations[0].title.rpartition(" (")[0]
        )
        grid = figure.add_gridspec(len(explanations), 1 + len(slabs))
        _draw_map(figure.add_subplot(grid[:, 0] if len(explanations) == 1 else grid[0, 0]), explanations[0])
        for row, one in enumerate(explanations):
            for column, slab in enumerate(slabs, 1):
                _draw_slice(figure.add_subplot(grid[row, column]), one, slices, slab, view)
        figure.legend(handles=_legend(explanations[0]), loc="outside lower center", ncols=1 + len(slabs), fontsize=8)
    return figure


def _legend(explained: SideExplanation) -> list[Artist]:
    """What marks mean, and which objects the letters of the map stand for."""

    def mark(label: str, size: float = 5, **look: Any) -> Line2D:
        return Line2D([], [], linestyle="none", markeredgecolor="black", markersize=size, label=label, **look)

    marks: list[Artist] = [
        mark(f"updated: {explained.called(explained.object)}", marker="s", markerfacecolor=_UPDATED),
        mark("object that ranks above it, before and after", marker="o", markerfacecolor="black"),
        mark("other object", marker="o", markerfacecolor="white"),
        mark("kept: fewer than k others above are in its way", size=9, marker="o", markerfacecolor="none"),
        Patch(color=_POLYGON, alpha=0.6, label="influence polygon: here objects may be exposed"),
        Patch(facecolor="none", edgecolor=_UPDATED, linestyle="--", label="message about the updated object"),
        Patch(color="C0", alpha=0.4, label="message about an exposed object, in its colour"),
        mark("subscription that is told", marker="o", markerfacecolor="black", markeredgewidth=0),
        mark("subscription that is not", marker="o", markerfacecolor="none"),
    ]
    for series, h in enumerate(explained.exposed[:_NAMED]):
        label = f"{explained.letter(h)}: exposed, {explained.called(h)}"
        marks.append(mark(label, marker="o", markerfacecolor=f"C{series % 10}"))
    if (more := len(explained.exposed) - _NAMED) > 0:
        marks.append(mark(f"and {more} more exposed objects", marker="none"))
    return marks


def _busiest(explanations: Sequence[SideExplanation], slices: Slices) -> list[int]:
    """Slabs with the most messages, in their order."""
    counts = np.zeros(len(slices.edges) - 1, np.int64)
    for one in explanations:
        for first, last in slices.spans(one).tolist():
            if first >= 0:
                counts[first : last + 1] += 1
    return sorted(np.argsort(-counts, kind="stable")[:_SLICES].tolist())


def _draw_map(axes: Axes, explained: SideExplanation) -> None:
    (x_lo, x_hi), (y_lo, y_hi) = explained.near()
    for x_0, x_1, y_0, y_1 in explained.polygon():
        axes.add_patch(Rectangle((x_0, y_0), x_1 - x_0, y_1 - y_0, color=_POLYGON, alpha=0.6, linewidth=0))
    there, above = np.isfinite(explained.y), explained.above
    for chosen, face in ((there & ~above, "white"), (above, "black")):
        x1, x2 = explained.x[chosen, 0], explained.x[chosen, 1]
        axes.scatter(x1, x2, s=14, facecolor=face, edgecolor="black", linewidth=0.6)
    ringed = explained.x[explained.kept_objects]
    axes.scatter(ringed[:, 0], ringed[:, 1], s=70, facecolor="none", edgecolor="black", linewidth=1)
    for series, h in enumerate(explained.exposed):
        at = (float(explained.x[h, 0]), float(explained.x[h, 1]))
        axes.scatter([at[0]], [at[1]], s=40, color=f"C{series % 10}", edgecolor="black", zorder=3)
        axes.annotate(explained.letter(h), at, (4, 4), textcoords="offset points", weight="bold")
    own, after = explained.own.x, explained.after.x
    axes.scatter([own[0]], [own[1]], marker="s", s=60, color=_UPDATED, edgecolor="white", zorder=4)
    if explained.kind == "move":
        axes.scatter([after[0]], [after[1]], marker="s", s=60, facecolor="none", edgecolor=_UPDATED, zorder=4)
    axes.set(xlim=(x_lo, x_hi), ylim=(y_lo, y_hi), xlabel="x1", ylabel="x2")
    axes.set_title("Objects and influence polygon", fontsize=9)


def _draw_slice(
    axes: Axes, explained: SideExplanation, slices: Slices, slab: int, view: tuple[float, float, float, float]
) -> None:
    l_lo, l_hi, r_lo, r_hi = view
    lo, hi = explained.boxes
    order = {h: series for series, h in enumerate(explained.exposed)}
    for at, (first, last) in enumerate(slices.spans(explained).tolist()):
        if not 0 <= first <= slab <= last:
            continue
        l, r = np.clip([-hi[at, 0], -lo[at, 0]], l_lo, l_hi), np.clip([lo[at, 1], hi[at, 1]], r_lo, r_hi)
        series = order.get(int(explained.messages[at]["object"]))
        look: dict[str, Any] = {"facecolor": "none", "edgecolor": _UPDATED, "linestyle": "--", "linewidth": 1.4}
        if series is not None:
            look = {"color": f"C{series % 10}", "alpha": 0.4}
        axes.add_patch(Rectangle((l[0], r[0]), l[1] - l[0], r[1] - r[0], **look))
    chosen = explained.sample()
    points = explained.points[chosen]
    here = (slices.edges[slab] <= points[:, -1]) & (points[:, -1] < slices.edges[slab + 1])
    told = explained.told(chosen)
    for some, face in ((here & ~told, "none"), (here & told, "black")):
        axes.scatter(-points[some, 0], points[some, 1], s=8, facecolor=face, edgecolor="#777777", linewidth=0.5)
    low, high = max(l_lo, r_lo), min(l_hi, r_hi)
    if low < high:
        axes.plot([low, high], [low, high], color="black", linewidth=0.8)
    ends, last_side = apart(*slices.edges[slab : slab + 2]), explained.side_names[-1]
    axes.set(xlim=(l_lo, l_hi), ylim=(r_lo, r_hi), xlabel="l1", ylabel="r1")
    where = ", ".join((f"{ends[0]} <= {last_side} < {ends[1]}", *slices.fixed_names(explained)))
    axes.set_title(f"{explained.approach}: {where}", fontsize=9)
