"""What is worth drawing of an event or a window of events, whatever it is: objects, subscriptions, messages, words.

`simulator.views.explain` makes explanations; `EventExplanation` and `WindowExplanation` say what happened.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.views.labels import object_name

__all__ = ["VERBS", "Explanation", "Place", "Tiles", "View", "deed_of", "in_message", "lettered", "shared_view"]

Tiles = NDArray[np.float64]
"""Rows of l_in, r_in, l_out, r_out."""

VERBS = {"raise": "rises", "lower": "falls", "insert": "is inserted", "delete": "is deleted", "move": "moves"}
"""What an object does by the kind of its event."""
_MARGIN = 0.08
_SMALL = 0.1
"""Share of all y below which a picture shows only a part around what happens."""
_OPEN = np.finfo(np.float64).max
"""A subscription's end that is infinite is kept as this."""


def in_message(row: np.void, l: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a message to a region reaches each of the subscriptions [l, r], in every attribute."""
    got: NDArray[np.bool_] = (row["l_out"] < l) & (l <= row["l_in"]) & (row["r_in"] <= r) & (r < row["r_out"])
    return got if got.ndim == 1 else np.asarray(got.all(axis=1))


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


def shared_view(views: Sequence[View]) -> View:
    """The smallest part of S that holds all of these."""
    l_lo, l_hi, r_lo, r_hi = zip(*views, strict=True)
    return View(min(l_lo), max(l_hi), min(r_lo), max(r_hi))


def deed_of(name: str, kind: str, before: Place, after: Place) -> str:
    """What happens to an object, and where."""
    (x_0, y_0), (x_1, y_1) = before, after
    if kind == "insert":
        return f"{name} is inserted at x = {x_1:.4g}, y = {y_1:.4g}"
    if kind == "delete":
        return f"{name} at x = {x_0:.4g}, y = {y_0:.4g} is deleted"
    if kind == "move":
        y = "" if y_0 == y_1 else f", y = {y_0:.4g} → {y_1:.4g}"
        return f"{name} moves from x = {x_0:.4g} to x = {x_1:.4g}{y}"
    return f"{name} at x = {x_0:.4g} {VERBS[kind]} in rank, y = {y_0:.4g} → {y_1:.4g}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation(ABC):
    """One round of messages of an approach with all that is worth drawing of it."""

    approach: str
    k: int
    event: int
    """The event asked for."""
    span: range
    """Numbers of the events that are answered together; one, but for batches."""
    x: NDArray[np.float64]
    """Objects as they were just before; y = +inf for those that are not there."""
    y: NDArray[np.float64]
    l: NDArray[np.float64]
    """Subscriptions that are there."""
    r: NDArray[np.float64]
    messages: NDArray[np.void]
    """What the approach sends, in order: rows of `paint.MESSAGE` or `paint.UNICAST`."""
    step_of: NDArray[np.int64]
    """The step that each message belongs to."""
    names: Sequence[str] = ()
    """Of the objects, if they have any."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What is explained, in one line."""

    @abstractmethod
    def heading(self, letters: int) -> tuple[str, str]:
        """The title in two lines, the second without names, for names of so many letters at most."""

    @property
    @abstractmethod
    def facts(self) -> list[str]:
        """What is worth printing, in a few lines."""

    @property
    @abstractmethod
    def exposed(self) -> list[int]:
        """Objects that nothing happens to and that lists gain, in the order in which they are met or told of."""

    @property
    @abstractmethod
    def about(self) -> list[int]:
        """The object that each step tells of."""

    @abstractmethod
    def letter(self, step: int) -> str:
        """Short name of the object that a step tells of, A, B, ..., Z, AA, ...; "" if it needs none."""

    @abstractmethod
    def shade(self, step: int) -> int | None:
        """Number of the colour of the object that a step tells of; None for the one that the event updates."""

    @property
    @abstractmethod
    def places(self) -> list[Place]:
        """Where something happens in event space."""

    @property
    @abstractmethod
    def anchors(self) -> list[float]:
        """Where on the diagonal of S the objects are that a picture of it must hold."""

    @property
    @abstractmethod
    def updated(self) -> list[int]:
        """Objects that are drawn as they change, not among the others."""

    @abstractmethod
    def drawn(self, *, messages: bool = True) -> Tiles:
        """Everything that a picture in S should hold: regions and tiles, and what messages reach if asked for."""

    @property
    def unicast(self) -> bool:
        """Whether messages go to single subscriptions, not to rectangles."""
        return "l_in" not in (self.messages.dtype.names or ())

    @property
    def message_tiles(self) -> Tiles:
        """Rectangles of the messages; none for messages to single subscriptions."""
        if self.unicast:
            return np.empty((0, 4))
        return np.column_stack([self.messages[name] for name in ("l_in", "r_in", "l_out", "r_out")])

    def called(self, i: int, letters: int | None = None) -> str:
        """How a reader is told of object i, in so many letters of its name if that is long."""
        return object_name(i, self.names, letters)

    def reached(self, message: int) -> NDArray[np.bool_]:
        """Whether each subscription gets a message; O(m)."""
        row = self.messages[message]
        if self.unicast:
            got: NDArray[np.bool_] = np.arange(len(self.l)) == row["subscription"]
        else:
            got = in_message(row, self.l, self.r)
        return got

    @property
    def told(self) -> NDArray[np.bool_]:
        """Whether each subscription gets any message."""
        return self.told_by(range(len(self.messages)))

    def told_by(self, messages: Sequence[int]) -> NDArray[np.bool_]:
        """Whether each subscription gets one of these messages; O(m) for each of them."""
        if self.unicast:
            return np.isin(np.arange(len(self.l)), self.messages["subscription"][list(messages)])
        told = np.zeros(len(self.l), np.bool_)
        for message in messages:
            told |= self.reached(message)
        return told

    @property
    def subscriptions(self) -> int:
        """How many subscriptions are there."""
        return int(np.isfinite(self.l).sum())

    @property
    def domain(self) -> tuple[float, float]:
        """Lowest and highest value that an object or the end of a subscription has; open ends are left out."""
        ends = np.concatenate((self.x[np.isfinite(self.y)], self.l, self.r, self.anchors))
        known = ends[np.abs(ends) < _OPEN]
        lo, hi = float(known.min()), float(known.max())
        return (lo, hi) if lo < hi else (lo - 0.5, hi + 0.5)

    def sample(self, most: int, view: View) -> NDArray[np.int64]:
        """Some of the subscriptions in view, all if there are few: ids, always the same ones."""
        l_lo, l_hi, r_lo, r_hi = view
        seen = np.flatnonzero((self.l >= l_lo) & (self.l <= l_hi) & (self.r >= r_lo) & (self.r <= r_hi))
        if len(seen) > most:
            seen = np.sort(np.random.default_rng(0).choice(seen, most, replace=False))
        return seen

    def view(self, *, messages: bool = True) -> View:
        """Part of S to draw: the regions concerned, no further than objects and subscriptions go, and a margin."""
        return self.view_of(self.drawn(messages=messages), self.anchors)

    def view_of(self, tiles: Tiles, own: Sequence[float]) -> View:
        """Part of S that holds some tiles and points of the diagonal, with a margin."""
        lo, hi = self.domain
        ends = [np.append(np.clip(ends, lo, hi), own) for ends in tiles.reshape(-1, 2, 2).transpose(2, 0, 1)]
        sides = []
        for side in ends:
            low, high = float(side.min()), float(side.max())
            margin = _MARGIN * (high - low) or _MARGIN * (hi - lo)
            sides += [low - margin, high + margin]
        return View(*sides)

    @property
    def heights(self) -> tuple[float, float]:
        """Part of event space to draw: y of all objects, or of those around what happens if that is a small part."""
        met = [place.y for place in self.places if np.isfinite(place.y)]
        every = np.append(self.y[np.isfinite(self.y)], met)
        low, high = float(every.min(initial=np.inf)), float(every.max(initial=-np.inf))
        if low > high:
            return 0.0, 1.0
        reach = max(met) - min(met) if met else 0.0
        if 0 < reach < _SMALL * (high - low):
            low, high = max(low, min(met) - 2 * reach), min(high, max(met) + 2 * reach)
        margin = 0.05 * (high - low) or 0.5
        return low - margin, high + margin

    def in_event_space(self) -> NDArray[np.bool_]:
        """Whether each object, but those updated, is there and in the part of event space to draw."""
        (lo, _, _, hi), (bottom, top) = self.view(messages=False), self.heights
        seen: NDArray[np.bool_] = (self.x >= lo) & (self.x <= hi) & (self.y >= bottom) & (self.y <= top)
        seen[self.updated] = False
        return seen


def lettered(order: int) -> str:
    """The name of the n-th of several, from 1: A, B, ..., Z, AA, ..."""
    name = ""
    while order:
        order, digit = divmod(order - 1, 26)
        name = chr(ord("A") + digit) + name
    return name
