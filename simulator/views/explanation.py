"""An explained event: all that is worth drawing of it, and the words for it. `simulator.explain` makes it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paint.messages import EXPOSED
from simulator.views.labels import object_name

__all__ = ["Explanation", "Place", "Step", "Tiles", "View", "in_message"]

Tiles = NDArray[np.float64]
"""Rows of l_in, r_in, l_out, r_out."""

_MARGIN = 0.08
_SMALL = 0.1
"""Share of all y below which a picture shows only a part around what happens."""
_OPEN = np.finfo(np.float64).max
"""A subscription's end that is infinite is kept as this."""


def in_message(row: np.void, l: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a message to a region reaches each of the subscriptions [l, r]."""
    got: NDArray[np.bool_] = (row["l_out"] < l) & (l <= row["l_in"]) & (row["r_in"] <= r) & (r < row["r_out"])
    return got


class Place(NamedTuple):
    """Where an object is in event space; y = +inf when it is not there."""

    x: float
    y: float


class View(NamedTuple):
    """A part of S; event space is drawn from `l_lo` to `r_hi`."""

    l_lo: float
    l_hi: float
    r_lo: float
    r_hi: float


class Step(NamedTuple):
    """One step of an event: the updated object is told of, or the sweep meets an exposed object."""

    object: int
    place: Place
    cause: int
    """`paint.UPDATE` or `paint.EXPOSED`."""
    tiles: Tiles
    """Who must hear of the object: the influence region, or what an exposed object gains; exact tiles."""
    region: Tiles
    """What the updated object has after the step: IR of z, the y that the sweep has come to."""
    interval: tuple[float, float]
    """Influence interval after the step."""


class Explanation(NamedTuple):
    """An event with all that is worth drawing."""

    approach: str
    k: int
    event: int
    kind: str
    object: int
    before: Place
    after: Place
    x: NDArray[np.float64]
    """Objects as they were just before the event; y = +inf for those that are not there."""
    y: NDArray[np.float64]
    l: NDArray[np.float64]
    """Subscriptions that are there."""
    r: NDArray[np.float64]
    levels_before: Tiles
    """The influence region before the event in rectangles of one level, a fifth column: the rank of the object."""
    levels_after: Tiles
    steps: tuple[Step, ...]
    messages: NDArray[np.void]
    """What the approach sends, in order: rows of `paint.MESSAGE` or `paint.UNICAST`."""
    step_of: NDArray[np.int64]
    """The step that each message belongs to."""
    names: Sequence[str] = ()
    """Of the objects, if they have any."""

    @property
    def unicast(self) -> bool:
        """Whether messages go to single subscriptions, not to rectangles."""
        return "l_in" not in (self.messages.dtype.names or ())

    @property
    def exposed(self) -> list[int]:
        """Exposed objects in the order of the sweep."""
        return [step.object for step in self.steps if step.cause == EXPOSED]

    @property
    def title(self) -> str:
        """The event in one line."""
        return f"Event {self.event}: {self.deed} ({self.approach}, k = {self.k})"

    @property
    def deed(self) -> str:
        """What happens to the object."""
        name, (x_0, y_0), (x_1, y_1) = self.called(self.object), self.before, self.after
        if self.kind == "insert":
            return f"{name} is inserted at x = {x_1:.4g}, y = {y_1:.4g}"
        if self.kind == "delete":
            return f"{name} at x = {x_0:.4g}, y = {y_0:.4g} is deleted"
        if self.kind == "move":
            return f"{name} moves from x = {x_0:.4g} to x = {x_1:.4g}"
        way = "rises in rank" if self.kind == "raise" else "falls in rank"
        return f"{name} at x = {x_0:.4g} {way}, y = {y_0:.4g} → {y_1:.4g}"

    def called(self, i: int) -> str:
        """How a reader is told of object i."""
        return object_name(i, self.names)

    def letter(self, step: int) -> str:
        """Name of an exposed object by its place in the sweep, A, B, ..., Z, AA, ...; "" for the updated one."""
        order, name = sum(earlier.cause == EXPOSED for earlier in self.steps[: step + 1]), ""
        if self.steps[step].cause != EXPOSED:
            return ""
        while order:
            order, digit = divmod(order - 1, 26)
            name = chr(ord("A") + digit) + name
        return name

    def reached(self, message: int) -> NDArray[np.bool_]:
        """Whether each subscription gets a message; O(m)."""
        row = self.messages[message]
        if self.unicast:
            got: NDArray[np.bool_] = np.arange(len(self.l)) == row["subscription"]
        else:
            got = in_message(row, self.l, self.r)
        return got

    @property
    def domain(self) -> tuple[float, float]:
        """Lowest and highest value that an object or the end of a subscription has; open ends are left out."""
        ends = np.concatenate((self.x[np.isfinite(self.y)], self.l, self.r, (self.before.x, self.after.x)))
        known = ends[np.abs(ends) < _OPEN]
        lo, hi = float(known.min()), float(known.max())
        return (lo, hi) if lo < hi else (lo - 0.5, hi + 0.5)

    def sample(self, most: int) -> NDArray[np.int64]:
        """Some of the subscriptions in view, all if there are few: ids, always the same ones."""
        l_lo, l_hi, r_lo, r_hi = self.view()
        seen = np.flatnonzero((self.l >= l_lo) & (self.l <= l_hi) & (self.r >= r_lo) & (self.r <= r_hi))
        if len(seen) > most:
            seen = np.sort(np.random.default_rng(0).choice(seen, most, replace=False))
        return seen

    def drawn(self, *, messages: bool = True) -> Tiles:
        """Everything that a picture in S should hold: regions and tiles, and what messages reach if asked for."""
        regions = [tiles[:, :4] for tiles in (self.levels_before, self.levels_after)]
        regions += [step.tiles for step in self.steps]
        if messages and not self.unicast:
            regions.append(np.column_stack([self.messages[name] for name in ("l_in", "r_in", "l_out", "r_out")]))
        return np.concatenate(regions)

    def view(self, *, messages: bool = True) -> View:
        """Part of S to draw: the regions concerned, no further than objects and subscriptions go, and a margin."""
        lo, hi = self.domain
        own, drawn = (self.before.x, self.after.x), self.drawn(messages=messages)
        ends = [np.append(np.clip(ends, lo, hi), own) for ends in drawn.reshape(-1, 2, 2).transpose(2, 0, 1)]
        sides = []
        for side in ends:
            low, high = float(side.min()), float(side.max())
            margin = _MARGIN * (high - low) or _MARGIN * (hi - lo)
            sides += [low - margin, high + margin]
        return View(*sides)

    @property
    def heights(self) -> tuple[float, float]:
        """Part of event space to draw: y of all objects, or of those around what happens if that is a small part."""
        places = [self.before, self.after, *(step.place for step in self.steps)]
        met = [place.y for place in places if np.isfinite(place.y)]
        every = np.append(self.y[np.isfinite(self.y)], met)
        low, high = float(every.min()), float(every.max())
        reach = max(met) - min(met)
        if 0 < reach < _SMALL * (high - low):
            low, high = max(low, min(met) - 2 * reach), min(high, max(met) + 2 * reach)
        margin = 0.05 * (high - low) or 0.5
        return low - margin, high + margin

    def in_event_space(self) -> NDArray[np.bool_]:
        """Whether each object, but the updated one, is there and in the part of event space to draw."""
        (lo, _, _, hi), (bottom, top) = self.view(messages=False), self.heights
        seen: NDArray[np.bool_] = (self.x >= lo) & (self.x <= hi) & (self.y >= bottom) & (self.y <= top)
        seen[self.object] = False
        return seen
