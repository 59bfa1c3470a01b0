"""The part of a page about a window: its outcome in event space, all messages in S, and its objects one by one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.views.explain_marks import (
    Named,
    diagonal_of,
    frame_of,
    message_marks,
    message_names,
    named_marks,
    subscription_marks,
)
from simulator.views.explain_shapes import SAMPLE, clip_tiles, largest, letters_of, outline, spread_of, steps_told
from simulator.views.explanation import View, shared_view
from simulator.views.svg import Axis, Frame, Spot
from simulator.views.window_explanation import WindowExplanation

__all__ = ["window_part"]

_CLOSE_UPS = 200
"""Objects that are shown by themselves at most."""
_ALONG = np.linspace(0.0, 1.0, 24).tolist()
"""Points of an arrow that names keep off."""
_FEW = 60
"""Subscriptions in a drawing of one object."""


def window_part(group: Sequence[WindowExplanation]) -> dict[str, Any]:
    """What the template of a window wants to know; the explanations are aligned ones of one window."""
    first, view = group[0], shared_view([one.view() for one in group])
    steps = range(len(first.outcomes))
    return {
        "captions": ["before the window.", *(_caption(group, step) for step in steps)],
        "start": 0 if first.asked is None else first.asked + 1,
        "event_space": _event_space(first),
        "spaces": [_overview(one, view) for one in group],
        "close_ups": [[_close_up(one, group, step) for step in steps[:_CLOSE_UPS]] for one in group],
    }


def _caption(group: Sequence[WindowExplanation], step: int) -> str:
    """What is told of one object: what became of it, by which events, and by which messages."""
    first = group[0]
    numbers = first.outcomes[step].events
    events = f" by event{'s' if len(numbers) > 1 else ''} {spread_of(list(numbers))}" if numbers else ""
    parts = []
    for one in group:
        own = steps_told(one).get(step, [])
        words = f"message{'s' if len(own) > 1 else ''} {spread_of(own)}" if own else "no message"
        parts.append(words if len(group) == 1 else f"{one.approach} {words}")
    asked = f" This is event {first.event}." if step == first.asked else ""
    return f"{first.letter(step)}, {first.deed(step)}{events}: {', '.join(parts)}.{asked}"


def _event_space(explained: WindowExplanation) -> dict[str, Any]:
    view, (bottom, top) = explained.view(messages=False), explained.heights
    axes = (Axis("x", view.l_lo, view.r_hi), Axis("y, smaller ranks first", bottom, top))
    frame = frame_of(*axes, "Objects in event space, before the window and after it")
    others = np.flatnonzero(explained.in_event_space()).tolist()
    changes, names, hard = [], [], []
    named = letters_of(explained)
    for step, outcome in enumerate(explained.outcomes):
        ends = [(place.x, min(place.y, top)) for place in (outcome.before, outcome.after)]
        spots, tip = [frame.spot(*end) for end in ends], explained.deed(step)
        changes.append({"ends": spots, "updated": bool(outcome.events), "series": step, "tip": tip})
        hard += [Spot(*np.add(spots[0], share * np.subtract(spots[1], spots[0]))) for share in _ALONG]
        if step in named:
            x, y = ends[1]
            names.append(Named(explained.letter(step), (x, x, y, y), 0, series=step))
    soft = [frame.spot(explained.x[i], explained.y[i]) for i in others]
    return {"frame": frame, "objects": soft, "changes": changes, "names": named_marks(frame, names, hard, soft)}


def _overview(explained: WindowExplanation, view: View) -> dict[str, Any]:
    """All messages of the window, those of an object with its letter at the largest."""
    frame = _frame(view, f"Messages of {explained.approach} in subscription space")
    every, boxes = range(len(explained.messages)), clip_tiles(explained.message_tiles, view)
    told = steps_told(explained)
    names = []
    for step in letters_of(explained):
        if step in told:
            own = boxes[told[step]]
            names.append(Named(explained.letter(step), own[largest(own)].tolist(), step + 1, series=step))
    subscriptions = list(subscription_marks(frame, explained, view, SAMPLE, every))
    return {
        "frame": frame,
        "diagonal": diagonal_of(frame, view),
        "levels": [],
        "regions": [],
        "subscriptions": subscriptions,
        "messages": list(message_marks(frame, explained, view, every)),
        "names": named_marks(frame, names, soft=[mark["spot"] for mark in subscriptions]),
    }


def _close_up(explained: WindowExplanation, group: Sequence[WindowExplanation], step: int) -> dict[str, Any]:
    """A drawing of one object, with its region before and after the window and the messages about it."""
    view, outcome = shared_view([one.view_of(*one.zoomed(step)) for one in group]), explained.outcomes[step]
    frame = _frame(view, f"{explained.called(outcome.object)} in subscription space, {explained.approach}")
    own = steps_told(explained).get(step, [])
    subscriptions = list(subscription_marks(frame, explained, view, _FEW, own))
    names = [name._replace(text=str(at)) for at, name in zip(own, message_names(explained, view, own), strict=True)]
    return {
        "at": step + 1,
        "frame": frame,
        "diagonal": diagonal_of(frame, view),
        "before": frame.path(outline(outcome.region_before, view).tolist()),
        "after": frame.path(outline(outcome.region_after, view).tolist()),
        "subscriptions": subscriptions,
        "messages": list(message_marks(frame, explained, view, own)),
        "names": named_marks(frame, names, soft=[mark["spot"] for mark in subscriptions]),
    }


def _frame(view: View, title: str) -> Frame:
    return frame_of(Axis("l", view.l_lo, view.l_hi), Axis("r", view.r_lo, view.r_hi), title)
