"""The part of a page about one event: event space and S with the messages of each approach, step by step."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from paint.messages import EXPOSED
from simulator.views.event_explanation import EventExplanation, region_after, steps_in_y
from simulator.views.explain_marks import (
    Named,
    diagonal_of,
    frame_of,
    message_marks,
    message_names,
    named_marks,
    subscription_marks,
)
from simulator.views.explain_shapes import SAMPLE, clip_tiles, outline
from simulator.views.explanation import View, shared_view
from simulator.views.svg import Axis, Frame

__all__ = ["event_part"]


def event_part(group: Sequence[EventExplanation]) -> dict[str, Any]:
    """What the template of an event wants to know; the explanations are of one event."""
    view = shared_view([one.view() for one in group])
    return {
        "captions": _captions(group),
        "start": 0,
        "event_space": _event_space(group[0]),
        "spaces": [_subscription_space(one, view) for one in group],
    }


def _captions(group: Sequence[EventExplanation]) -> list[str]:
    """What each position of the slider shows: before the event, each of its steps, and the end of a sweep."""
    explained = group[0]
    captions = [f"before the event. {explained.deed[0].upper()}{explained.deed[1:]}."]
    own = explained.called(explained.object)
    for number, step in enumerate(explained.steps):
        messages = _sent(group, number)
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


def _sent(group: Sequence[EventExplanation], step: int) -> str:
    """Messages of a step, by approach if there are several."""
    counts = [int((one.step_of == step).sum()) for one in group]
    told = [f"{count} message{'' if count == 1 else 's'}" for count in counts]
    if len(group) == 1:
        return told[0]
    return ", ".join(f"{one.approach} {words}" for one, words in zip(group, told, strict=True))


def _event_space(explained: EventExplanation) -> dict[str, Any]:
    view = explained.view(messages=False)
    axes = (Axis("x", view.l_lo, view.r_hi), Axis("y, smaller ranks first", *explained.heights))
    frame = frame_of(*axes, f"Objects in event space; {explained.deed}")
    best = min(explained.before.y, explained.after.y)
    exposed = [(at, step) for at, step in enumerate(explained.steps) if step.cause == EXPOSED]
    objects = np.flatnonzero(explained.in_event_space()).tolist()
    whereabouts = list(_whereabouts(explained))
    names = [
        Named(explained.letter(at), (*[step.place.x] * 2, *[step.place.y] * 2), at + 1, series=explained.shade(at))
        for at, step in exposed
    ]
    hard = [frame.spot(*step.place) for _, step in exposed] + [frame.spot(x, y) for *_, x, y in whereabouts]
    soft = [frame.spot(explained.x[i], explained.y[i]) for i in objects]
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
            for i in objects
        ],
        "exposed": [
            {
                "spot": frame.spot(*step.place),
                "first": at + 1,
                "series": explained.shade(at),
                "tip": explained.called(step.object),
            }
            for at, step in exposed
        ],
        "updated": [{"spot": frame.spot(x, y), "first": first, "last": last} for first, last, x, y in whereabouts],
        "names": named_marks(frame, names, hard, soft),
    }


def _whereabouts(explained: EventExplanation) -> Iterator[tuple[int, int | None, float, float]]:
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


def _subscription_space(explained: EventExplanation, view: View) -> dict[str, Any]:
    axes = (Axis("l", view.l_lo, view.l_hi), Axis("r", view.r_lo, view.r_hi))
    frame = frame_of(*axes, f"Messages of {explained.approach} in subscription space")
    every = range(len(explained.messages))
    subscriptions = list(subscription_marks(frame, explained, view, SAMPLE, every))
    dots = [subscription["spot"] for subscription in subscriptions]
    levels = [
        Named(str(int(cell[4])), box, 0, 0, only_inside=True)
        for cell, box in zip(explained.levels_before, clip_tiles(explained.levels_before, view).tolist(), strict=True)
    ]
    return {
        "frame": frame,
        "diagonal": diagonal_of(frame, view),
        "levels": list(_levels(frame, explained, view)),
        "regions": [region for region in _regions(frame, explained, view) if region["corners"]],
        "subscriptions": subscriptions,
        "messages": list(message_marks(frame, explained, view, every)),
        # Levels are seen before the event only, numbers of messages after it, so they share their places.
        "names": named_marks(frame, levels) + named_marks(frame, [*message_names(explained, view, every)], soft=dots),
    }


def _levels(frame: Frame, explained: EventExplanation, view: View) -> Iterator[dict[str, Any]]:
    """The region of the updated object before the event, by its rank in the lists."""
    cells = explained.levels_before
    tiles = clip_tiles(cells, view).tolist()
    for tile, level in zip(tiles, cells[:, 4].astype(int).tolist(), strict=True):
        yield {"box": frame.box(tile), "opacity": f"{0.5 - 0.4 * level / explained.k:.2f}", "level": level}


def _regions(frame: Frame, explained: EventExplanation, view: View) -> Iterator[dict[str, Any]]:
    """What the updated object has after each step; its outline from the last one on."""
    for number, step in enumerate(explained.steps, 1):
        final = number == len(explained.steps)
        corners = outline(step.region if not final else region_after(explained), view)
        yield {"corners": frame.path(corners.tolist()), "first": number, "last": None if final else number}
