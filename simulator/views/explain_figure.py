"""Pictures of one event: event space, the influence region in S with its levels, and the messages in S, in order.

Drawn to be read in grey: numbers say what colours say.
"""

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import patheffects as path_effects
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from paint.messages import EXPOSED
from simulator.views.explanation import Explanation, Tiles, View

__all__ = [
    "PANELS",
    "SAMPLE",
    "clip_tiles",
    "colour_of",
    "draw_explanation",
    "draw_steps",
    "message_tiles",
    "outline",
    "region_after",
    "steps_in_y",
]

PANELS = ("events", "levels", "messages")
"""Of the picture of an event."""
SAMPLE = 400
"""Subscriptions that are drawn at most."""
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d1f")
_STYLE: Any = {"svg.hashsalt": "rangecast", "text.parse_math": False}
"""The same event gives the same file, and a name with dollar signs is no formula."""
_READABLE = 0.022
"""Share of the view below which a rectangle carries no number."""


def draw_explanation(explained: Explanation, panels: Sequence[str] = PANELS) -> Figure:
    """Draw an event in up to three panels.

    Left, event space: objects, the fall or rise of the updated one, the interval that the sweep looks at, exposed
    objects named A, B, ... in the order in which it meets them. Middle, S: the influence region before the event,
    cut into levels, and its outline after. Right, S: the messages numbered in the order they are sent, each with the
    letter of the exposed object that it tells of, and subscriptions.
    """
    with mpl.rc_context({"font.size": 9, "axes.axisbelow": True, **_STYLE}):
        figure = Figure(figsize=(4.8 * len(panels), 5.2), layout="constrained")
        figure.suptitle(explained.title)
        for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            _PANELS[panel](axes, explained)
    return figure


def draw_steps(explained: Explanation, most: int = 8) -> Figure:
    """Draw the first steps of an event in S, one small picture each.

    Shaded is what the updated object has after the step, coloured what an exposed object has just gained, and in a
    lighter tone what was given away before.
    """
    steps, view = explained.steps[:most], explained.view()
    across = min(4, len(steps))
    down = -(-len(steps) // max(across, 1))
    with mpl.rc_context({"font.size": 8, **_STYLE}):
        figure = Figure(figsize=(2.7 * across, 2.6 * down), layout="constrained")
        every = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).flat
        for number, axes in enumerate(every):
            if number >= len(steps):
                axes.set_axis_off()
                continue
            step = steps[number]
            letter = explained.letter(number)
            name = explained.called(step.object)
            met = f"{letter}: {name}, y = {step.place.y:.3g}" if letter else f"{name} told"
            _prepare(axes, view, met)
            corners = outline(step.region, view)
            if len(corners):
                axes.fill(*corners.T, facecolor="0.85", edgecolor="black", linewidth=1.5, zorder=2)
            for earlier in range(number + 1):
                if explained.letter(earlier):
                    fade = 0.75 if earlier == number else 0.25
                    for box in clip_tiles(steps[earlier].tiles, view):
                        shade = colour_of(explained, earlier)
                        axes.add_patch(_rectangle(box, facecolor=shade, alpha=fade, edgecolor="black", lw=0.6))
    return figure


def colour_of(explained: Explanation, step: int) -> str:
    """Colour of the object that a step tells of."""
    order = sum(earlier.cause == EXPOSED for earlier in explained.steps[:step])
    return _COLOURS[order % len(_COLOURS)] if explained.steps[step].cause == EXPOSED else "#c00000"


def message_tiles(explained: Explanation) -> Tiles:
    """Rectangles of the messages; none for messages to single subscriptions."""
    if explained.unicast:
        return np.empty((0, 4))
    return np.column_stack([explained.messages[name] for name in ("l_in", "r_in", "l_out", "r_out")])


def clip_tiles(tiles: Tiles, view: View) -> NDArray[np.float64]:
    """Rows of l_lo, l_hi, r_lo, r_hi: what of each tile is in view."""
    low, high = np.array(view)[[0, 0, 2, 2]], np.array(view)[[1, 1, 3, 3]]
    return np.clip(tiles[:, [2, 0, 1, 3]], low, high)


def outline(tiles: Tiles, view: View) -> NDArray[np.float64]:
    """Corners of a staircase of tiles, in view, around from the diagonal; none for no tiles."""
    if len(tiles) == 0:
        return np.empty((0, 2))
    boxes = clip_tiles(tiles, view)
    boxes = boxes[np.argsort(boxes[:, 0], kind="stable")]
    stairs = [corner for l_lo, l_hi, _, r_hi in boxes for corner in ((l_lo, r_hi), (l_hi, r_hi))]
    return np.array([(boxes[-1, 1], boxes[0, 2]), (boxes[0, 0], boxes[0, 2]), *stairs])


def steps_in_y(explained: Explanation) -> list[tuple[float, float, float, float]]:
    """Left, right, bottom and top of what the sweep looks at in event space, step by step; open ends infinite."""
    falls = [step for step in explained.steps if step.cause == EXPOSED]
    if explained.kind not in ("lower", "delete", "move"):
        return []
    ys = [explained.before.y, *(step.place.y for step in falls)]
    tops = [*ys[1:], explained.after.y if explained.kind == "lower" else np.inf]
    return [(*step.interval, low, top) for step, low, top in zip(explained.steps, ys, tops, strict=False)]


def _draw_event_space(axes: Axes, explained: Explanation) -> None:
    lo, _, _, hi = explained.view(messages=False)
    bottom, top = explained.heights
    for left, right, low, high in steps_in_y(explained):
        left, right, high = max(left, lo), min(right, hi), min(high, top)
        axes.add_patch(Rectangle((left, low), right - left, high - low, facecolor="0.9", edgecolor="0.6"))
    seen = explained.in_event_space()
    above = seen & (explained.y < min(explained.before.y, explained.after.y))
    axes.scatter(explained.x[above], explained.y[above], s=20, color="black", label="ranks above it")
    others = seen & ~above
    axes.scatter(
        explained.x[others], explained.y[others], s=20, facecolors="white", edgecolors="0.4", label="ranks below it"
    )
    for step, (_, place, cause, *_) in enumerate(explained.steps):
        if cause == EXPOSED:
            axes.scatter(*place, s=150, color=colour_of(explained, step), edgecolors="black", zorder=4)
            name = explained.letter(step)
            axes.text(*place, name, color="white", ha="center", va="center", weight="bold", zorder=5)
    ends = [(place.x, min(place.y, top)) for place in (explained.before, explained.after)]
    axes.annotate("", ends[1], ends[0], arrowprops={"arrowstyle": "-|>", "color": "red", "lw": 1.8}, zorder=6)
    axes.scatter(*ends[0], s=45, marker="s", facecolors="white", edgecolors="red", zorder=6, label="updated, before")
    axes.scatter(*ends[1], s=45, marker="s", color="red", zorder=6, label="updated, after")
    axes.set(xlim=(lo, hi), ylim=(bottom, top), xlabel="x", ylabel="y (smaller ranks first)", title="event space")
    axes.legend(fontsize=8, framealpha=0.9)


def _prepare(axes: Axes, view: View, title: str) -> None:
    lo, hi = min(view), max(view)
    axes.fill([lo, hi, hi], [lo, hi, lo], color="0.93", zorder=0)
    axes.plot([lo, hi], [lo, hi], color="black", linewidth=1)
    axes.set(xlim=view[:2], ylim=view[2:], xlabel="l", ylabel="r", title=title)


def _write(axes: Axes, box: NDArray[np.float64], text: str, view: View, *, corner: bool = False) -> None:
    """Put a name in the middle of a rectangle, or at its outer corner, if there is room for it."""
    l_lo, l_hi, r_lo, r_hi = box.tolist()
    width, height = view.l_hi - view.l_lo, view.r_hi - view.r_lo
    if l_hi - l_lo < _READABLE * width * len(text) or r_hi - r_lo < 2 * _READABLE * height:
        return
    halo = [path_effects.withStroke(linewidth=2.5, foreground="white")]
    if corner:
        place = (l_lo + 0.008 * width, r_hi - 0.008 * height)
        style: dict[str, Any] = {"ha": "left", "va": "top", "color": "#c00000"}
    else:
        place, style = ((l_lo + l_hi) / 2, (r_lo + r_hi) / 2), {"ha": "center", "va": "center", "color": "black"}
    axes.text(*place, text, clip_on=True, weight="bold", path_effects=halo, zorder=7, **style)


def _draw_levels(axes: Axes, explained: Explanation) -> None:
    view = explained.view(messages=False)
    _prepare(axes, view, "S: influence region before, by level\n(thick outline: after)")
    blues = mpl.colormaps["Blues"]
    cells = explained.levels_before
    for box, level in zip(clip_tiles(cells, view), cells[:, 4].astype(int).tolist(), strict=True):
        shade = blues(0.65 - 0.55 * level / explained.k)
        axes.add_patch(_rectangle(box, facecolor=shade, edgecolor="0.35", lw=0.7))
        _write(axes, box, str(level), view)
    corners = outline(region_after(explained), view)
    if len(corners):
        axes.fill(*corners.T, fill=False, edgecolor="black", linewidth=2.4, zorder=4)
    for place, face in ((explained.before, "white"), (explained.after, "red")):
        axes.scatter(place.x, place.x, s=45, marker="s", facecolors=face, edgecolors="red", zorder=5)


def _rectangle(box: NDArray[np.float64], **style: Any) -> Rectangle:
    l_lo, l_hi, r_lo, r_hi = box.tolist()
    return Rectangle((l_lo, r_lo), l_hi - l_lo, r_hi - r_lo, **style)


def region_after(explained: Explanation) -> Tiles:
    """The influence region after the event as columns, each as high as its highest level reaches."""
    cells = explained.levels_after
    columns = [cells[cells[:, 0] == l_in] for l_in in np.unique(cells[:, 0])]
    tiles = [(column[0, 0], column[:, 1].min(), column[0, 2], column[:, 3].max()) for column in columns]
    return np.array(tiles).reshape(-1, 4)


def _draw_messages(axes: Axes, explained: Explanation) -> None:
    view = explained.view()
    _prepare(axes, view, "")
    sample = explained.sample(SAMPLE)
    told = np.zeros(len(explained.l), np.bool_)
    for at in range(len(explained.messages)):
        told |= explained.reached(at)
    for at, box in enumerate(clip_tiles(message_tiles(explained), view)):
        step = int(explained.step_of[at])
        letter = explained.letter(step)
        if letter:
            colour = colour_of(explained, step)
            axes.add_patch(_rectangle(box, facecolor=colour, alpha=0.35, edgecolor="none", zorder=2))
            axes.add_patch(_rectangle(box, fill=False, edgecolor=colour, lw=1.2, zorder=3))
        else:
            axes.add_patch(_rectangle(box, fill=False, edgecolor="#c00000", lw=1.8, linestyle="--", zorder=4))
        _write(axes, box, f"{at}{letter}", view, corner=not letter)
    l, r, black = explained.l[sample], explained.r[sample], told[sample]
    axes.scatter(l[~black], r[~black], s=8, facecolors="none", edgecolors="0.55", linewidths=0.6, zorder=5)
    axes.scatter(l[black], r[black], s=8, color="black", zorder=5)
    seen = f"{int(told.sum()):,} of {int(np.isfinite(explained.l).sum()):,} subscriptions told (black)"
    count = len(explained.messages)
    axes.set_title(f"S: {count:,} message{'s in order' if count != 1 else ''}\n{seen}")


_PANELS: dict[str, Callable[[Axes, Explanation], None]] = {
    "events": _draw_event_space,
    "levels": _draw_levels,
    "messages": _draw_messages,
}
