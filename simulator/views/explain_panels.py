"""Panels of the picture of an explanation, drawn to be read in grey: numbers and letters say what colours say.

Each draws into axes and gives back what is to be named there; names are written once the layout is known. What marks
mean stands in a legend below the axes.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from paint.messages import EXPOSED
from simulator.approaches import colours
from simulator.views.event_explanation import EventExplanation, region_after, steps_in_y
from simulator.views.explain_shapes import MOST_LABELS, SAMPLE, clip_tiles, largest, letters_of, outline, steps_told
from simulator.views.explanation import VERBS, Explanation, View
from simulator.views.figure_labels import Name, Naming
from simulator.views.window_explanation import WindowExplanation

__all__ = ["UPDATED", "colour_of", "draw_changes", "draw_event_space", "draw_levels", "draw_messages", "draw_object"]

UPDATED = "#c00000"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0508c", "#b87900", "#2b8fc9", "#7a5c12")
_WORDS = {**VERBS, "same": "ends where it was", "exposed": "is exposed"}
_NOTHING = np.empty((0, 2))
_LETTERS = 12
"""Of a name in a legend."""
_LISTED = 6
"""Objects that a legend names at most."""


def colour_of(explained: Explanation, step: int) -> str:
    """Colour of the object that a step tells of."""
    shade = explained.shade(step)
    return UPDATED if shade is None else _COLOURS[shade % len(_COLOURS)]


def draw_event_space(axes: Axes, explained: EventExplanation, view: View) -> Naming:
    """Event space: objects, the fall or rise of the updated one, where the sweep looks, and what it exposes."""
    lo, _, _, hi = view
    bottom, top = explained.heights
    for left, right, low, high in steps_in_y(explained):
        left, right, high = max(left, lo), min(right, hi), min(high, top)
        axes.add_patch(Rectangle((left, low), right - left, high - low, facecolor="0.9", edgecolor="0.6"))
    seen = explained.in_event_space()
    above = seen & (explained.y < min(explained.before.y, explained.after.y))
    others = seen & ~above
    axes.scatter(explained.x[above], explained.y[above], s=20, color="black")
    axes.scatter(explained.x[others], explained.y[others], s=20, facecolors="white", edgecolors="0.4")
    names = []
    for step, (_, place, cause, *_) in enumerate(explained.steps):
        if cause == EXPOSED:
            colour = colour_of(explained, step)
            axes.scatter(*place, s=48, color=colour, edgecolors="black", zorder=4)
            names.append(Name(explained.letter(step), (place.x, place.x, place.y, place.y), colour))
    ends = [(place.x, min(place.y, top)) for place in (explained.before, explained.after)]
    _draw_change(axes, ends[0], ends[1], UPDATED, thick=True)
    _dress(axes, View(lo, hi, bottom, top), "x", "y (smaller ranks first)", "Event space")
    marks: list[Artist] = [_dot("black", "ranks above it"), _dot("white", "ranks below it", edge="0.4")]
    marks += [_square("white", "updated, before"), _square(UPDATED, "updated, after")]
    if steps_in_y(explained):
        marks.append(Patch(facecolor="0.9", edgecolor="0.6", label="where the sweep looks"))
    _legend(axes, [*marks, *_listed(explained, "exposed ", range(len(explained.steps)))])
    exposed = [step.place for step in explained.steps if step.cause == EXPOSED]
    hard = np.array([*exposed, *_along(ends[0], ends[1])]).reshape(-1, 2)
    return Naming(axes, names, hard, _points(explained, seen))


def draw_changes(axes: Axes, explained: WindowExplanation, view: View) -> Naming:
    """Event space of a window: every object it updates from where it was to where it ends, and those it exposes."""
    lo, _, _, hi = view
    bottom, top = explained.heights
    seen = explained.in_event_space()
    axes.scatter(explained.x[seen], explained.y[seen], s=14, facecolors="white", edgecolors="0.6")
    names, hard, named = [], [], letters_of(explained)
    for step, outcome in enumerate(explained.outcomes):
        colour = colour_of(explained, step)
        before, after = ((place.x, min(place.y, top)) for place in (outcome.before, outcome.after))
        if outcome.events:
            _draw_change(axes, before, after, colour, thick=step == explained.asked)
            hard += _along(before, after)
        else:
            axes.scatter(*after, s=48, color=colour, edgecolors="black", zorder=4)
        hard.append(after)
        asked = f" event {explained.event}" if step == explained.asked else ""
        if step in named:
            names.append(Name(f"{explained.letter(step)}{asked}", (after[0], after[0], after[1], after[1]), colour))
    _dress(axes, View(lo, hi, bottom, top), "x", "y (smaller ranks first)", "Event space: the outcome of the window")
    marks = [_square("white", "updated, before", "0.2"), _square("0.2", "updated, after", "0.2")]
    exposed = [] if all(outcome.events for outcome in explained.outcomes) else [_dot("0.5", "exposed", edge="black")]
    _legend(axes, [*marks, *exposed, _dot("white", "other objects", edge="0.6")])
    return Naming(axes, names, np.array(hard).reshape(-1, 2), _points(explained, seen))


def draw_levels(axes: Axes, explained: EventExplanation, view: View) -> Naming:
    """S: the influence region before the event, cut into levels, and its outline after."""
    _prepare(axes, view, "S: influence region by level")
    blues = mpl.colormaps["Blues"]
    cells, names = explained.levels_before, []
    for box, level in zip(clip_tiles(cells, view), cells[:, 4].astype(int).tolist(), strict=True):
        shade = blues(0.65 - 0.55 * level / explained.k)
        axes.add_patch(_rectangle(box, facecolor=shade, edgecolor="0.35", lw=0.7))
        names.append(Name(str(level), box.tolist(), only_inside=True))
    corners = outline(region_after(explained), view)
    if len(corners):
        axes.fill(*corners.T, fill=False, edgecolor="black", linewidth=2.4, zorder=4)
    for place, face in ((explained.before, "white"), (explained.after, UPDATED)):
        axes.scatter(place.x, place.x, s=45, marker="s", facecolors=face, edgecolors=UPDATED, zorder=5)
    marks: list[Artist] = [Patch(facecolor=blues(0.35), edgecolor="0.35", label="before, with the object's rank")]
    if len(corners):
        marks.append(Line2D([], [], color="black", linewidth=2.4, label="after"))
    _legend(axes, marks)
    own = np.array([(place.x, place.x) for place in (explained.before, explained.after)])
    return Naming(axes, names, own, _NOTHING)


def draw_messages(axes: Axes, explained: Explanation, view: View) -> Naming:
    """S: the messages in the order they are sent, each with the letter of the object it tells of; subscriptions."""
    count = len(explained.messages)
    title = f"S: {count:,} message{'' if count == 1 else 's'} of {explained.approach}"
    _prepare(axes, view, title)
    axes.title.set_color(colours.colour_of(explained.approach).light)
    boxes = clip_tiles(explained.message_tiles, view)
    names, told, windowed = [], steps_told(explained), isinstance(explained, WindowExplanation)
    for at, box in enumerate(boxes):
        step = int(explained.step_of[at])
        _draw_message(axes, explained, step, box)
        if not windowed:
            names.append(_numbered(explained, at, box, alone=len(boxes) > MOST_LABELS))
    if isinstance(explained, WindowExplanation):  # its panels about single objects have the numbers
        for step in letters_of(explained):
            if step not in told:
                continue
            own = told[step]
            box = boxes[own][largest(boxes[own])]
            names.append(Name(explained.letter(step), box.tolist(), colour_of(explained, step)))
    points = _draw_subscriptions(axes, explained, view)
    reached, known = int(explained.told.sum()), explained.subscriptions
    marks: list[Artist] = [
        _dot("black", f"told: {reached:,} of {known:,} subscriptions"),
        _dot("none", "not told", edge="0.55"),
    ]
    if not windowed and not explained.unicast and any(explained.shade(step) is None for step in told):
        marks.append(Line2D([], [], color=UPDATED, linestyle="--", linewidth=1.8, label="about the updated object"))
    _legend(axes, [*marks, *([] if explained.unicast else _listed(explained, "about ", told))])
    return Naming(axes, names, _NOTHING, points, radius=2.0)


def draw_object(axes: Axes, explained: WindowExplanation, step: int, view: View) -> Naming:
    """S: what became of one object of a window: its region before and after, and the messages about it."""
    colour, outcome = colour_of(explained, step), explained.outcomes[step]
    own = steps_told(explained).get(step, [])
    asked = f", event {explained.event}" if step == explained.asked else ""
    _prepare(
        axes,
        view,
        f"{explained.letter(step)}: object {outcome.object} {_WORDS.get(outcome.kind, outcome.kind)}{asked}",
    )
    axes.title.set(color=colour, weight="bold" if asked else "normal")
    before, after = outline(outcome.region_before, view), outline(outcome.region_after, view)
    if len(after):
        axes.fill(*after.T, facecolor="0.88", edgecolor="black", linewidth=2.0, zorder=1.5)
    if len(before):
        axes.fill(*before.T, fill=False, edgecolor="0.25", linewidth=1.4, linestyle=":", zorder=4)
    boxes, names = clip_tiles(explained.message_tiles[own], view), []
    for at, box in zip(own, boxes, strict=True):
        _draw_message(axes, explained, step, box)
        names.append(Name(str(at), box.tolist(), only_inside=len(own) > MOST_LABELS))
    points = _draw_subscriptions(axes, explained, view, SAMPLE // 4, explained.told_by(own))
    return Naming(axes, names, _NOTHING, points, radius=2.0)


def _numbered(explained: Explanation, at: int, box: NDArray[np.float64], *, alone: bool) -> Name:
    """Number of a message, and the letter of its object; that of the updated one stands in a corner."""
    letter = explained.letter(int(explained.step_of[at]))
    if letter:
        return Name(f"{at}{letter}", box.tolist(), only_inside=alone)
    return Name(str(at), box.tolist(), UPDATED, alone, (-0.5, 0.5))


def _draw_message(axes: Axes, explained: Explanation, step: int, box: NDArray[np.float64]) -> None:
    colour = colour_of(explained, step)
    if explained.shade(step) is None:
        axes.add_patch(_rectangle(box, fill=False, edgecolor=colour, lw=1.8, linestyle="--", zorder=4))
        return
    axes.add_patch(_rectangle(box, facecolor=colour, alpha=0.35, edgecolor="none", zorder=2))
    axes.add_patch(_rectangle(box, fill=False, edgecolor=colour, lw=1.2, zorder=3))


def _draw_subscriptions(
    axes: Axes,
    explained: Explanation,
    view: View,
    most: int = SAMPLE,
    told: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Dots for subscriptions, black for those told; where they are."""
    sample = explained.sample(most, view)
    black = (explained.told if told is None else told)[sample]
    l, r = explained.l[sample], explained.r[sample]
    axes.scatter(l[~black], r[~black], s=8, facecolors="none", edgecolors="0.55", linewidths=0.6, zorder=5)
    axes.scatter(l[black], r[black], s=8, color="black", zorder=5)
    return np.column_stack((l, r))


def _draw_change(
    axes: Axes, before: tuple[float, float], after: tuple[float, float], colour: str, *, thick: bool
) -> None:
    width = 1.8 if thick else 1.0
    axes.annotate("", after, before, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": width}, zorder=6)
    size = 45 if thick else 24
    axes.scatter(*before, s=size, marker="s", facecolors="white", edgecolors=colour, zorder=6)
    axes.scatter(*after, s=size, marker="s", color=colour, zorder=6)


def _along(before: tuple[float, float], after: tuple[float, float]) -> list[tuple[float, float]]:
    """Points of an arrow, close enough that no label fits between them."""
    shares = np.linspace(0.0, 1.0, 40)[:, None]
    points = np.array(before) * (1 - shares) + np.array(after) * shares
    return [(float(x), float(y)) for x, y in points]


def _points(explained: Explanation, seen: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.column_stack((explained.x[seen], explained.y[seen]))


def _prepare(axes: Axes, view: View, title: str) -> None:
    lo, hi = min(view), max(view)
    axes.fill([lo, hi, hi], [lo, hi, lo], color="0.93", zorder=0)
    axes.plot([lo, hi], [lo, hi], color="black", linewidth=1)
    _dress(axes, view, "l", "r", title)


def _dress(axes: Axes, view: View, x: str, y: str, title: str) -> None:
    axes.set(xlim=view[:2], ylim=view[2:], xlabel=x, ylabel=y, title=title)
    axes.locator_params(nbins=6)


def _rectangle(box: NDArray[np.float64], **style: Any) -> Rectangle:
    l_lo, l_hi, r_lo, r_hi = box.tolist()
    return Rectangle((l_lo, r_lo), l_hi - l_lo, r_hi - r_lo, **style)


def _dot(face: str, label: str, edge: str | None = None) -> Line2D:
    return Line2D([], [], linestyle="", marker="o", ms=4.5, mfc=face, mec=edge or face, label=label)


def _square(face: str, label: str, edge: str = UPDATED) -> Line2D:
    return Line2D([], [], linestyle="", marker="s", ms=5.5, mfc=face, mec=edge, label=label)


def _listed(explained: Explanation, word: str, of: Iterable[int]) -> list[Artist]:
    """The first objects of some steps that have a letter, for a legend, and how many more there are."""
    steps = [step for step in of if explained.shade(step) is not None]
    shown = steps if len(steps) <= _LISTED else steps[: _LISTED - 1]
    marks: list[Artist] = []
    for step in shown:
        name = explained.called(explained.about[step], _LETTERS)
        label = f"{word}{explained.letter(step)}: {name.removeprefix('object ')}"
        marks.append(Patch(facecolor=colour_of(explained, step), alpha=0.6, label=label))
    if steps[len(shown) :]:
        marks.append(Line2D([], [], linestyle="", label=f"and {len(steps) - len(shown)} more"))
    return marks


def _legend(axes: Axes, marks: Sequence[Artist]) -> None:
    """What marks mean, below the axes and their label."""
    axes.legend(
        handles=list(marks),
        loc="upper center",
        bbox_to_anchor=(0.5, -0.13),
        ncols=2,
        fontsize=8,
        frameon=False,
        borderaxespad=0,
        handlelength=1.4,
    )
