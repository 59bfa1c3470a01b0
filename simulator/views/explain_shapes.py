"""Shapes and colours that pictures and pages of an explanation share."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.views.explanation import Explanation, Tiles, View
from simulator.views.window_explanation import WindowExplanation, aligned

__all__ = [
    "MOST_LABELS",
    "SAMPLE",
    "clip_tiles",
    "grouped",
    "largest",
    "letters_of",
    "outline",
    "spread_of",
    "steps_told",
]

SAMPLE = 400
"""Subscriptions that are drawn at most."""
MOST_LABELS = 50
"""Labels that are drawn outside of what they name when there are no more of them."""


def grouped(explanations: Sequence[Explanation]) -> list[list[Explanation]]:
    """Explanations of the same events together, windows with the same letters, in the order given."""
    groups: dict[object, list[Explanation]] = {}
    for one in explanations:
        groups.setdefault((type(one), one.span), []).append(one)
    for key, group in groups.items():
        windows = [one for one in group if isinstance(one, WindowExplanation)]
        groups[key] = [*aligned(windows)] or group
    return [*groups.values()]


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


def largest(boxes: NDArray[np.float64]) -> int:
    """The box, one of rows of x_lo, x_hi, y_lo, y_hi, that has the most room; the first of equals."""
    return int(np.argmax((boxes[:, 1] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 2])))


def spread_of(numbers: list[int]) -> str:
    """Numbers, ascending, as a reader is told them: 4, 4 to 7, or 4, 6, 9."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def steps_told(explained: Explanation) -> dict[int, list[int]]:
    """Messages of each step that has some, in the order in which they are sent."""
    found: dict[int, list[int]] = {}
    for message, step in enumerate(explained.step_of.tolist()):
        found.setdefault(step, []).append(message)
    return found


def letters_of(explained: WindowExplanation) -> list[int]:
    """Steps of a window whose objects get their letters: all, or those of the updated objects if there are many."""
    steps = range(len(explained.outcomes))
    return [step for step in steps if len(steps) <= MOST_LABELS or explained.outcomes[step].events]
