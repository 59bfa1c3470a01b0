"""The picture of an event or a window, of one approach or of several side by side."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from simulator.views.event_explanation import EventExplanation
from simulator.views.explain_panels import (
    colour_of,
    draw_changes,
    draw_event_space,
    draw_levels,
    draw_messages,
    draw_object,
)
from simulator.views.explain_shapes import clip_tiles, grouped, outline
from simulator.views.explanation import Explanation, View, shared_view
from simulator.views.figure_labels import Naming, fitted, settle, write_names
from simulator.views.window_explanation import WindowExplanation

__all__ = ["PANELS", "WINDOW_PANELS", "draw_explanation", "draw_side_by_side", "draw_steps", "panels_of"]

PANELS = ("events", "levels", "messages")
"""Of the picture of an event."""
WINDOW_PANELS = ("events", "messages", "objects")
"""Of the picture of a window."""
_STYLE: Any = {"svg.hashsalt": "rangecast", "text.parse_math": False, "axes.axisbelow": True}
"""The same event gives the same file, and a name with dollar signs is no formula."""
_OBJECTS = 8
"""Objects of a window that are drawn by themselves at most."""
_ACROSS = 12
"""Columns of the grid, which rows of one to four panels divide."""
_TITLE, _NAME = 11.0, 9.0


class Panel(NamedTuple):
    """A panel to be drawn: how, and whether it is a small one."""

    draw: Callable[[Axes], Naming]
    small: bool = False


class Row(NamedTuple):
    """Panels beside each other, and how many of their size there is room for."""

    panels: list[Panel]
    room: int


def panels_of(explained: Explanation) -> tuple[str, ...]:
    """Names of the panels that the picture of an explanation has."""
    return WINDOW_PANELS if isinstance(explained, WindowExplanation) else PANELS


def draw_explanation(explained: Explanation, panels: Sequence[str] | None = None) -> Figure:
    """Draw an event in up to three panels, or a window.

    Left, event space: objects, the fall or rise of the updated one, the interval that the sweep looks at, exposed
    objects named A, B, ... in the order in which it meets them. Middle, S: the influence region before the event,
    cut into levels, and its outline after. Right, S: the messages numbered in the order they are sent, each with the
    letter of the exposed object that it tells of, and subscriptions. A window has all its objects in event space and
    in S, and then in S each of the first by itself.
    """
    return draw_side_by_side([explained], panels)


def draw_side_by_side(explanations: Sequence[Explanation], panels: Sequence[str] | None = None) -> Figure:
    """Draw what several approaches send for the same event, in the same part of S.

    Parameters
    ----------
    explanations : sequence of Explanation
        Of one event; those of approaches that answer it in a window show that.
    panels : sequence of str, optional
        Those of `PANELS` or `WINDOW_PANELS` to draw; by default all.
    """
    groups = grouped(explanations)
    rows = [row for group in groups for row in _rows(_panels(group, panels))]
    across = max(min(row.room, 3) for row in rows)
    heights = [3.3 if row.panels[0].small else 5.6 for row in rows]
    with mpl.rc_context({"font.size": 9, **_STYLE}):
        figure = Figure(figsize=(4.8 * across, sum(heights) + 0.1), layout="constrained")
        lines = [line for group in groups for line in _heading(figure, group[0])[: 2 if len(groups) == 1 else 1]]
        figure.suptitle("\n".join(lines), fontsize=_TITLE)
        grid = figure.add_gridspec(len(rows), _ACROSS, height_ratios=heights)
        namings = []
        for down, row in enumerate(rows):
            width = _ACROSS // row.room
            for at, panel in enumerate(row.panels):
                axes = figure.add_subplot(grid[down, at * width : (at + 1) * width])
                namings.append(panel.draw(axes))
                _fit_title(figure, axes, 4.8 * across * width / _ACROSS)
        if any(row.panels[0].small for row in rows):
            _legend_of_objects(figure, groups)
        settle(figure)
        for naming in namings:
            write_names(naming, _NAME)
    return figure


def _panels(group: Sequence[Explanation], names: Sequence[str] | None) -> Iterator[Panel]:
    """Panels of one event or window, which what the approaches have in common is drawn in once."""
    first, chosen = group[0], panels_of(group[0]) if names is None else names
    view, around = (shared_view([one.view(messages=messages) for one in group]) for messages in (True, False))
    for name in (name for name in chosen if name in panels_of(first)):
        if name == "messages":
            yield from (Panel(partial(draw_messages, explained=one, view=view)) for one in group)
        elif name == "objects" and isinstance(first, WindowExplanation):
            yield from _object_panels([one for one in group if isinstance(one, WindowExplanation)])
        elif isinstance(first, WindowExplanation):
            yield Panel(partial(draw_changes, explained=first, view=around))
        elif isinstance(first, EventExplanation):
            draw = draw_event_space if name == "events" else draw_levels
            yield Panel(partial(draw, explained=first, view=around))


def _object_panels(group: Sequence[WindowExplanation]) -> Iterator[Panel]:
    """A small panel for each of the first objects and each approach, and for the one that was asked for."""
    first = group[0]
    most = max(_OBJECTS // len(group), 1)
    steps = list(range(min(len(first.outcomes), most)))
    if first.asked is not None and first.asked not in steps:
        steps[-1] = first.asked
    for step in steps:
        view = shared_view([one.view_of(*one.zoomed(step)) for one in group])
        yield from (Panel(partial(draw_object, explained=one, step=step, view=view), small=True) for one in group)


def _rows(panels: Iterator[Panel]) -> Iterator[Row]:
    """Panels in rows: two or three large ones, four small ones; the last row may have room left."""
    every = list(panels)
    for small in (False, True):
        some = [panel for panel in every if panel.small == small]
        room = 4 if small else 2 if len(some) == 4 else min(len(some), 3)
        yield from (Row(some[at : at + room], room) for at in range(0, len(some), max(room, 1)))


def _heading(figure: Figure, explained: Explanation) -> list[str]:
    """The title in two lines that are no wider than the picture."""
    width = (figure.get_figwidth() - 0.2) * figure.dpi
    return [fitted(figure, partial(_line, explained, line), _TITLE, width) for line in (0, 1)]


def _line(explained: Explanation, line: int, letters: int) -> str:
    return explained.heading(letters)[line]


def _fit_title(figure: Figure, axes: Axes, inches: float) -> None:
    """Cut a title that is wider than its panel."""
    title, size = axes.get_title(), float(axes.title.get_fontsize())
    width = (inches - 0.7) * figure.dpi
    axes.title.set_text(
        fitted(figure, lambda letters: title if len(title) <= letters else f"{title[:letters]}…", size, width)
    )


def _legend_of_objects(figure: Figure, groups: Sequence[Sequence[Explanation]]) -> None:
    windows = [group[0] for group in groups if isinstance(group[0], WindowExplanation)]
    most = max(_OBJECTS // max(len(group) for group in groups), 1)
    more = sum(max(len(window.outcomes) - most, 0) for window in windows)
    marks = [
        Line2D([], [], color="0.25", linestyle=":", linewidth=1.4, label="influence region before the window"),
        Patch(facecolor="0.88", edgecolor="black", linewidth=2, label="after it"),
        Patch(facecolor="0.6", alpha=0.6, label="messages about the object, numbered as sent"),
    ]
    if more:
        marks.append(Line2D([], [], linestyle="", label=f"{more} more objects: a page (.html) shows them all"))
    figure.legend(handles=marks, loc="outside lower center", ncols=4, fontsize=8, frameon=False)


def draw_steps(explained: Explanation, most: int = 8) -> Figure:
    """Draw the first steps of an event in S, one small picture each; of a window, its first objects.

    Shaded is what the updated object has after the step, coloured what an exposed object has just gained, and in a
    lighter tone what was given away before.
    """
    if isinstance(explained, WindowExplanation):
        return draw_side_by_side([explained], ("objects",))
    if not isinstance(explained, EventExplanation):
        raise TypeError(f"explained must be of an event or a window, got {type(explained).__name__}")
    count, view = min(len(explained.steps), most), explained.view()
    across = min(4, count)
    down = -(-count // max(across, 1))
    with mpl.rc_context({"font.size": 8, **_STYLE}):
        figure = Figure(figsize=(2.7 * across, 2.6 * down), layout="constrained")
        every = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).flat
        for number, axes in enumerate(every):
            if number >= count:
                axes.set_axis_off()
                continue
            _draw_step(axes, explained, number, view)
            _fit_title(figure, axes, 2.7)
    return figure


def _draw_step(axes: Axes, explained: EventExplanation, number: int, view: View) -> None:
    step, letter = explained.steps[number], explained.letter(number)
    name = explained.called(step.object, 14)
    lo, hi = min(view), max(view)
    axes.fill([lo, hi, hi], [lo, hi, lo], color="0.93", zorder=0)
    axes.plot([lo, hi], [lo, hi], color="black", linewidth=1)
    met = f"{letter}: {name}, y = {step.place.y:.3g}" if letter else f"{name} told"
    axes.set(xlim=view[:2], ylim=view[2:], xlabel="l", ylabel="r", title=met)
    corners = outline(step.region, view)
    if len(corners):
        axes.fill(*corners.T, facecolor="0.85", edgecolor="black", linewidth=1.5, zorder=2)
    for earlier in range(number + 1):
        if not explained.letter(earlier):
            continue
        fade, shade = 0.75 if earlier == number else 0.25, colour_of(explained, earlier)
        for l_lo, l_hi, r_lo, r_hi in clip_tiles(explained.steps[earlier].tiles, view).tolist():
            style: dict[str, Any] = {"facecolor": shade, "alpha": fade, "edgecolor": "black", "lw": 0.6}
            axes.add_patch(Rectangle((l_lo, r_lo), l_hi - l_lo, r_hi - r_lo, **style))
