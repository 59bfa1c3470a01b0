"""An event as a page: the sweep step by step, under a slider, for keyboard and mouse; nothing is fetched.

All steps are drawn once; what belongs to some of them says from which to which it is shown, and a few lines of script
show and hide. Without a script the last step is seen. What is drawn, by `templates/explain`, has its place in the
drawing here and, as `first` and `last`, the positions of the slider at which it is to be seen.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from paint.messages import EXPOSED
from simulator.views.explain_figure import SAMPLE, clip_tiles, message_tiles, outline, region_after, steps_in_y
from simulator.views.explanation import Explanation
from simulator.views.labels import apart
from simulator.views.page import render
from simulator.views.svg import Axis, Frame

__all__ = ["explain_page"]


def explain_page(explained: Explanation) -> str:
    """One event as an HTML page that stands alone, with a slider over the steps of its sweep."""
    return render(
        "explain.html",
        title=explained.title,
        captions=_captions(explained),
        event_space=_event_space(explained),
        subscription_space=_subscription_space(explained),
        sampled=f"{len(explained.sample(SAMPLE)):,}",
        known=f"{int(np.isfinite(explained.l).sum()):,}",
        unicast=explained.unicast,
        messages=list(_messages(explained)),
    )


def _captions(explained: Explanation) -> list[str]:
    """What each position of the slider shows: before the event, each of its steps, and the end of a sweep."""
    captions = [f"before the event. {explained.deed[0].upper()}{explained.deed[1:]}."]
    own = explained.called(explained.object)
    for number, step in enumerate(explained.steps):
        sent = int((explained.step_of == number).sum())
        messages = f"{sent} message{'' if sent == 1 else 's'}"
        if step.cause == EXPOSED:
            met = f"{explained.letter(number)}, {explained.called(step.object)} at x = {step.place.x:.4g}"
            captions.append(
                f"the sweep comes to y = {step.place.y:.4g} and meets {met}, which gains what "
                f"{own} loses: {messages}."
            )
        else:
            captions.append(f"everyone in the shaded region is told of {own}: {messages}.")
    if explained.steps and explained.kind in ("lower", "delete"):
        captions.append(f"nothing else is met on the way: {explained.deed}. The outline is its new region.")
    return captions


def _event_space(explained: Explanation) -> dict[str, Any]:
    view = explained.view(messages=False)
    axes = (Axis("x", view.l_lo, view.r_hi), Axis("y, smaller ranks first", *explained.heights))
    frame = Frame(*axes, f"Objects in event space; {explained.deed}", height=430)
    best = min(explained.before.y, explained.after.y)
    return {
        "frame": frame,
        "swept": [
            {"box": frame.box(box), "first": number + 1} for number, box in enumerate(steps_in_y(explained), 1)
        ],
        "objects": [
            {
                "spot": frame.spot(explained.x[i], explained.y[i]),
                "above": explained.y[i] < best,
                "tip": f"{explained.called(i)}: x = {explained.x[i]:.4g}, y = {explained.y[i]:.4g}",
            }
            for i in np.flatnonzero(explained.in_event_space()).tolist()
        ],
        "exposed": [
            {
                "spot": frame.spot(*step.place),
                "first": number + 1,
                "series": explained.exposed.index(step.object),
                "letter": explained.letter(number),
                "tip": explained.called(step.object),
            }
            for number, step in enumerate(explained.steps)
            if step.cause == EXPOSED
        ],
        "updated": [
            {"spot": frame.spot(x, y), "first": first, "last": last} for first, last, x, y in _whereabouts(explained)
        ],
    }


def _whereabouts(explained: Explanation) -> Iterator[tuple[int, int | None, float, float]]:
    """Positions of the slider, first and last, and where the updated object is then."""
    sweeps = bool(steps_in_y(explained))
    x, y = explained.before if np.isfinite(explained.before.y) else explained.after
    moments = [(0, x, explained.before.y)]
    if sweeps:
        moments += [
            (number + 1, x, step.place.y) for number, step in enumerate(explained.steps) if step.cause == EXPOSED
        ]
    end = len(explained.steps) + (explained.kind in ("lower", "delete"))
    moments.append((max(end, 1), explained.after.x, explained.after.y))
    for at, (first, x, y) in enumerate(moments):
        last = moments[at + 1][0] - 1 if at + 1 < len(moments) else None
        yield first, last, x, y


def _subscription_space(explained: Explanation) -> dict[str, Any]:
    view = explained.view()
    axes = (Axis("l", view.l_lo, view.l_hi), Axis("r", view.r_lo, view.r_hi))
    frame = Frame(*axes, f"Messages of {explained.approach} in subscription space", height=430)
    lo, hi = max(view.l_lo, view.r_lo), min(view.l_hi, view.r_hi)
    return {
        "frame": frame,
        "diagonal": (frame.spot(lo, lo), frame.spot(hi, hi)) if lo < hi else None,
        "levels": list(_levels(frame, explained)),
        "regions": [region for region in _regions(frame, explained) if region["corners"]],
        "subscriptions": list(_subscriptions(frame, explained)),
        "messages": list(_message_boxes(frame, explained)),
    }


def _levels(frame: Frame, explained: Explanation) -> Iterator[dict[str, Any]]:
    """The region of the updated object before the event, by its rank in the lists."""
    cells = explained.levels_before
    tiles = clip_tiles(cells, explained.view()).tolist()
    for tile, level in zip(tiles, cells[:, 4].astype(int).tolist(), strict=True):
        yield {
            "box": frame.box(tile),
            "opacity": f"{0.5 - 0.4 * level / explained.k:.2f}",
            "level": level,
            "middle": frame.spot((tile[0] + tile[1]) / 2, (tile[2] + tile[3]) / 2),
            "room": _has_room(frame, tile, str(level)),
        }


def _regions(frame: Frame, explained: Explanation) -> Iterator[dict[str, Any]]:
    """What the updated object has after each step; its outline from the last one on."""
    for number, step in enumerate(explained.steps, 1):
        final = number == len(explained.steps)
        corners = outline(step.region if not final else region_after(explained), explained.view())
        yield {"corners": frame.path(corners.tolist()), "first": number, "last": None if final else number}


def _subscriptions(frame: Frame, explained: Explanation) -> Iterator[dict[str, Any]]:
    first = np.full(len(explained.l), -1)
    for at in range(len(explained.messages) - 1, -1, -1):
        first[explained.reached(at)] = explained.step_of[at] + 1
    for s in explained.sample(SAMPLE).tolist():
        l, r = float(explained.l[s]), float(explained.r[s])
        yield {
            "spot": frame.spot(l, r),
            "first": int(first[s]) if first[s] > 0 else None,
            "tip": f"subscription {s}: [{l:.4g}, {r:.4g}]",
        }


def _message_boxes(frame: Frame, explained: Explanation) -> Iterator[dict[str, Any]]:
    for at, tile in enumerate(clip_tiles(message_tiles(explained), explained.view()).tolist()):
        number = int(explained.step_of[at])
        letter = explained.letter(number) if explained.steps else ""
        name = f"{at}{letter}"
        yield {
            "box": frame.box(tile),
            "first": number + 1,
            "series": explained.exposed.index(explained.steps[number].object) if letter else None,
            "name": name,
            "corner": frame.spot(tile[0], tile[3]),
            "middle": frame.spot((tile[0] + tile[1]) / 2, (tile[2] + tile[3]) / 2),
            "room": _has_room(frame, tile, name),
            "tip": f"message {at} about {explained.called(int(explained.messages[at]['object']))}",
        }


def _has_room(frame: Frame, tile: list[float], text: str) -> bool:
    """Whether a word can be written into a rectangle."""
    l_lo, l_hi, r_lo, r_hi = tile
    return frame.x(l_hi) - frame.x(l_lo) >= 9 * len(text) and frame.y(r_lo) - frame.y(r_hi) >= 14


def _messages(explained: Explanation) -> Iterator[dict[str, Any]]:
    """Rows of the table of messages, which are numbered from 0 as in `hops.parquet` and by `rangecast trace`."""
    for at, row in enumerate(explained.messages):
        if explained.unicast:
            cells = [row["subscription"], *(_known(explained, row[key]) for key in ("dropped", "object"))]
        else:
            cells = [
                f"{_known(explained, row['object'])} {explained.letter(int(explained.step_of[at]))}",
                f"{row['y']:.4g}",
                "({}, {}]".format(*apart(row["l_out"], row["l_in"])),
                "[{}, {})".format(*apart(row["r_in"], row["r_out"])),
                f"{int(explained.reached(at).sum()):,}",
            ]
        yield {"step": explained.step_of[at] + 1, "cells": [at, *cells]}


def _known(explained: Explanation, i: int) -> str:
    return "-" if i < 0 else explained.called(int(i)).removeprefix("object ")
