"""Labels that do not cover each other: each gets a place beside or inside what it names, or none.

Every label has candidates, dearer the further they are from what it names. Labels are placed one after the other,
those with the least room first, each at the cheapest candidate that touches no label, no line that leads to one, and
nothing that must stay visible. One that finds none may push a single other label to a place that is still free.
Nothing is left to chance: the same labels get the same places.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Home", "Label", "Placed", "place_labels"]

Boxes = NDArray[np.float64]
"""Rows of x_lo, y_lo, x_hi, y_hi."""

_GRID = 5
"""Candidates inside a rectangle, along and across."""
_RINGS = (0.0, 0.6, 1.3, 2.2, 3.2, 4.4, 5.8)
"""How far outside of what they name labels may stand, in their heights."""
_DIRECTIONS = 16
_OUTSIDE, _COVERED, _STRANGE = 4.0, 1.5, 2.5
"""What it costs, in heights away from home, to stand outside, to cover a mark that had better be seen, and to stand
in what another label names."""
_LEAST_LINE = 0.3
"""Labels this near to what they name, in their heights, need no line to it."""


class Home(NamedTuple):
    """What a label names: a rectangle, or a point if it is empty."""

    x_lo: float
    y_lo: float
    x_hi: float
    y_hi: float


class Label(NamedTuple):
    """A label that wants a place."""

    width: float
    height: float
    home: Home
    only_inside: bool = False
    """Whether it is better left out than put outside."""
    clear: float = 0.0
    """How far it keeps from what it names when it stands outside."""
    prefers: tuple[float, float] = (0.0, 0.0)
    """Where inside it would stand: (0, 0) for the middle, (-0.5, -0.5) for the corner of the lowest values."""


class Placed(NamedTuple):
    """Where a label stands: its middle, and the ends of a line from what it names, if it takes one to see that."""

    x: float
    y: float
    line: tuple[float, float, float, float] | None


class _Choice(NamedTuple):
    """Candidates of a label, cheapest first."""

    boxes: Boxes
    lines: Boxes
    """Ends of the line that each needs, (candidates, 4); NaN for none."""


def place_labels(
    labels: Sequence[Label], area: Home, hard: Boxes | None = None, soft: Boxes | None = None
) -> list[Placed | None]:
    """Find places for labels, None for those that have none.

    Parameters
    ----------
    area : Home
        Where labels may stand; candidates outside are not considered.
    hard, soft : float64 arrays (n, 4), optional
        What no label may cover, and what they had better not.

    Notes
    -----
    O(c (c + h + s)) for c candidates of all labels, about 100 each, h and s boxes; on arrays.
    """
    empty = np.empty((0, 4))
    hard, soft = (empty if hard is None else hard), (empty if soft is None else soft)
    homes = np.array([label.home for label in labels], np.float64).reshape(-1, 4)
    choices = [_choose(label, area, hard, soft, np.delete(homes, at, axis=0)) for at, label in enumerate(labels)]
    board = _Board(choices)
    for at in sorted(range(len(labels)), key=lambda at: (len(choices[at].boxes), at)):
        board.take_free(at) or board.push_one(at)
    return [board.placed(at) for at in range(len(labels))]


class _Board:
    """Which candidate each label has."""

    def __init__(self, choices: list[_Choice]) -> None:
        self._choices = choices
        self._at = np.full(len(choices), -1)
        self._boxes, self._lines = np.full((len(choices), 4), np.nan), np.full((len(choices), 4), np.nan)

    def take_free(self, label: int) -> bool:
        """Give a label its cheapest candidate that is free, if there is one."""
        for candidate in range(len(self._choices[label].boxes)):
            if not self._blockers(label, candidate).any():
                self._set(label, candidate)
                return True
        return False

    def push_one(self, label: int) -> bool:
        """Give a label a candidate that one other stands in the way of, if that one finds another place."""
        for candidate in range(len(self._choices[label].boxes)):
            blockers = np.flatnonzero(self._blockers(label, candidate))
            if len(blockers) != 1:
                continue
            other, before = int(blockers[0]), int(self._at[blockers[0]])
            self._set(other, -1)
            self._set(label, candidate)
            if self.take_free(other):
                return True
            self._set(label, -1)
            self._set(other, before)
        return False

    def placed(self, label: int) -> Placed | None:
        """Where a label has come to stand."""
        if self._at[label] < 0:
            return None
        x_lo, y_lo, x_hi, y_hi = self._boxes[label].tolist()
        x_0, y_0, x_1, y_1 = self._lines[label].tolist()
        return Placed((x_lo + x_hi) / 2, (y_lo + y_hi) / 2, None if np.isnan(x_0) else (x_0, y_0, x_1, y_1))

    def _set(self, label: int, candidate: int) -> None:
        self._at[label] = candidate
        taken, choice = candidate >= 0, self._choices[label]
        self._boxes[label] = choice.boxes[candidate] if taken else np.nan
        self._lines[label] = choice.lines[candidate] if taken else np.nan

    def _blockers(self, label: int, candidate: int) -> NDArray[np.bool_]:
        """Labels that a candidate touches, or whose lines it meets; NaN, of those without a place, meets nothing."""
        box, line = self._choices[label].boxes[candidate], self._choices[label].lines[candidate]
        return _overlap(box, self._boxes) | _cross(self._lines, box) | _cross(line, self._boxes)


def _choose(label: Label, area: Home, hard: Boxes, soft: Boxes, others: Boxes) -> _Choice:
    half = np.array((label.width, label.height)) / 2
    middles, costs = _inside(label, area)
    boxes = np.concatenate((middles - half, middles + half), axis=1)
    if not label.only_inside:
        around, dear = _outside(label)
        outside = np.concatenate((around - half, around + half), axis=1)
        dear = dear + _STRANGE * _overlap(outside[:, None], others[None]).any(axis=1)
        boxes, costs = np.concatenate((boxes, outside)), np.concatenate((costs, dear))
    good = (boxes[:, :2] >= area[:2]).all(axis=1) & (boxes[:, 2:] <= area[2:]).all(axis=1)
    good &= ~_overlap(boxes[:, None], hard[None]).any(axis=1)
    boxes, costs = boxes[good], costs[good]
    costs = costs + _COVERED * _overlap(boxes[:, None], soft[None]).sum(axis=1)
    order = np.argsort(costs, kind="stable")
    return _Choice(boxes[order], _lines_to(label, boxes[order]))


def _inside(label: Label, area: Home) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middles of labels on a grid in the rectangle, if it has room, with what they cost."""
    home = Home(*np.maximum(label.home[:2], area[:2]), *np.minimum(label.home[2:], area[2:]))
    slack_x, slack_y = home.x_hi - home.x_lo - label.width, home.y_hi - home.y_lo - label.height
    if slack_x < 0 or slack_y < 0:
        return np.empty((0, 2)), np.empty(0)
    steps = np.linspace(-0.5, 0.5, _GRID)
    across, down = (part.ravel() for part in np.meshgrid(steps, steps))
    middle = np.array((home.x_lo + home.x_hi, home.y_lo + home.y_hi)) / 2
    return middle + np.column_stack((across * slack_x, down * slack_y)), np.hypot(
        across - label.prefers[0], down - label.prefers[1]
    )


def _outside(label: Label) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middles of labels in rings around the rectangle."""
    home, angles = label.home, np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS) + np.pi / 4
    middle = np.array((home.x_lo + home.x_hi, home.y_lo + home.y_hi)) / 2
    # A label of this half size that just touches the rectangle, in each direction.
    reach = np.array((home.x_hi - home.x_lo + label.width, home.y_hi - home.y_lo + label.height)) / 2 + label.clear
    ways = np.column_stack((np.cos(angles), np.sin(angles)))
    scale = np.min(reach / np.maximum(np.abs(ways), 1e-9), axis=1)
    rings = [middle + ways * (scale + ring * label.height)[:, None] for ring in _RINGS]
    costs = np.repeat(_OUTSIDE + np.array(_RINGS), _DIRECTIONS)
    return np.concatenate(rings), costs


def _lines_to(label: Label, boxes: Boxes) -> Boxes:
    """Lines from what a label names to where it stands; NaN where it stands inside or close by."""
    home = label.home
    target = np.array((home.x_lo + home.x_hi, home.y_lo + home.y_hi)) / 2
    gap_x = np.maximum(boxes[:, 0] - home.x_hi, home.x_lo - boxes[:, 2])
    gap_y = np.maximum(boxes[:, 1] - home.y_hi, home.y_lo - boxes[:, 3])
    # What is beside a rectangle, not in it, needs a line however close it is: the neighbour is a rectangle too.
    point = home.x_lo == home.x_hi and home.y_lo == home.y_hi
    least = label.clear + _LEAST_LINE * label.height if point else -1e-9
    far = np.maximum(gap_x, gap_y) > least
    near = np.clip(target, boxes[:, :2], boxes[:, 2:])
    lines = np.column_stack((np.tile(target, (len(boxes), 1)), near))
    lines[~far] = np.nan
    return lines


def _overlap(one: Boxes, other: Boxes) -> NDArray[np.bool_]:
    """Whether boxes share more than an edge."""
    met: NDArray[np.bool_] = (
        (one[..., 0] < other[..., 2])
        & (other[..., 0] < one[..., 2])
        & (one[..., 1] < other[..., 3])
        & (other[..., 1] < one[..., 3])
    )
    return met


def _cross(lines: Boxes, boxes: Boxes) -> NDArray[np.bool_]:
    """Whether lines, given by their ends, pass through the inside of boxes; either may be one or as many."""
    start, way = lines[..., :2], lines[..., 2:] - lines[..., :2]
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (boxes[..., :2] - start) / way, (boxes[..., 2:] - start) / way
    flat = way == 0
    within = (boxes[..., :2] < start) & (start < boxes[..., 2:])
    enter = np.where(flat, np.where(within, -np.inf, np.inf), np.fmin(one, other)).max(axis=-1)
    leave = np.where(flat, np.where(within, np.inf, -np.inf), np.fmax(one, other)).min(axis=-1)
    passes: NDArray[np.bool_] = np.maximum(enter, 0.0) < np.minimum(leave, 1.0)
    return passes
