"""What pages of explanations draw in S: places of regions, messages, subscriptions and labels in a drawing.

`first` and `last` are the positions of the slider from which and up to which something is seen.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.views.explain_shapes import MOST_LABELS, clip_tiles
from simulator.views.explanation import Explanation, View
from simulator.views.placement import Home, Label, place_labels
from simulator.views.svg import Axis, Frame, Spot

__all__ = ["Named", "diagonal_of", "frame_of", "message_marks", "message_names", "named_marks", "subscription_marks"]

_LETTER, _LINE = 10.4, 19.0
"""Width of a letter and height of a line, as large as phones get them."""


class Named(NamedTuple):
    """A name to be written in a drawing, of a rectangle or a point of it."""

    text: str
    box: Sequence[float]
    """x_lo, x_hi, y_lo, y_hi of what it names, in values of the axes."""
    first: int
    last: int | None = None
    series: int | None = None
    """Number of its colour; none for the ink of text."""
    strong: bool = False
    """Whether it is about the updated object, and stands in a corner."""
    only_inside: bool = False


def frame_of(x: Axis, y: Axis, title: str) -> Frame:
    """An area between two axes with room for what they are called."""
    return Frame(x, y, title, height=430)


def diagonal_of(frame: Frame, view: View) -> tuple[Spot, Spot] | None:
    """Ends of the diagonal of S, if it is in view."""
    lo, hi = max(view.l_lo, view.r_lo), min(view.l_hi, view.r_hi)
    return (frame.spot(lo, lo), frame.spot(hi, hi)) if lo < hi else None


def named_marks(
    frame: Frame,
    names: Sequence[Named],
    hard: Sequence[Spot] = (),
    soft: Sequence[Spot] = (),
    radius: float = 7.0,
) -> list[dict[str, Any]]:
    """Places of those names that find one; they keep off some spots, and off others if they can."""
    labels = []
    for name in names:
        box = frame.box(name.box)
        home = Home(box.x, box.y, box.x + box.width, box.y + box.height)
        clear = radius if not box.width and not box.height else 0.0
        prefers = (-0.5, -0.5) if name.strong else (0.0, 0.0)
        labels.append(Label(_LETTER * len(name.text) + 2, _LINE, home, name.only_inside, clear, prefers))
    area = Home(frame.left + 1, frame.top + 1, frame.right - 1, frame.bottom - 1)
    places = place_labels(labels, area, _around(hard, radius), _around(soft, 3.0))
    return [
        {
            "spot": Spot(round(place.x, 1), round(place.y, 1)),
            "line": None if place.line is None else [round(end, 1) for end in place.line],
            **name._asdict(),
        }
        for name, place in zip(names, places, strict=True)
        if place is not None
    ]


def _around(spots: Sequence[Spot], radius: float) -> NDArray[np.float64]:
    places = np.array(spots, np.float64).reshape(-1, 2)
    return np.concatenate((places - radius, places + radius), axis=1)


def subscription_marks(
    frame: Frame, explained: Explanation, view: View, most: int, messages: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """Some subscriptions, each with the position of the slider at which one of the messages reaches it."""
    first = np.full(len(explained.l), -1)
    for at in reversed(messages):
        first[explained.reached(at)] = explained.step_of[at] + 1
    for s in explained.sample(most, view).tolist():
        l, r = float(explained.l[s]), float(explained.r[s])
        yield {
            "spot": frame.spot(l, r),
            "first": int(first[s]) if first[s] > 0 else None,
            "tip": f"subscription {s}: [{l:.4g}, {r:.4g}]",
        }


def message_marks(
    frame: Frame, explained: Explanation, view: View, messages: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """Rectangles of some messages."""
    boxes = clip_tiles(explained.message_tiles, view).tolist()
    for at in messages if boxes else ():
        step = int(explained.step_of[at])
        yield {
            "box": frame.box(boxes[at]),
            "first": step + 1,
            "series": explained.shade(step),
            "tip": f"message {at} about {explained.called(int(explained.messages[at]['object']))}",
        }


def message_names(explained: Explanation, view: View, messages: Sequence[int]) -> Iterator[Named]:
    """Numbers of some messages, with the letters of their objects."""
    boxes = clip_tiles(explained.message_tiles, view).tolist()
    for at in messages if boxes else ():
        step = int(explained.step_of[at])
        updated = explained.shade(step) is None
        text, alone = f"{at}{explained.letter(step)}", len(messages) > MOST_LABELS
        yield Named(text, boxes[at], step + 1, strong=updated, only_inside=alone)
