"""A window of a batch approach explained: what became of each of its objects, and what was sent about it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from simulator.views.explanation import Explanation, Place, Tiles, deed_of, lettered

__all__ = ["Outcome", "WindowExplanation", "aligned"]


class Outcome(NamedTuple):
    """What a window comes to for one object: it was updated, or exposed by what happened to others."""

    object: int
    events: tuple[int, ...]
    """Numbers of the window's events about it; none if it is exposed."""
    before: Place
    after: Place
    region_before: Tiles
    """Its influence region before the window."""
    region_after: Tiles
    kind: str
    """`raise`, `lower`, `insert`, `delete` or `move` by the outcome, `exposed`, or `same` if it is where it was."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WindowExplanation(Explanation):
    """Events that are answered by one round of messages."""

    outcomes: tuple[Outcome, ...]
    """In the order in which the messages tell of the objects; those that none tells of come last."""

    @property
    def asked(self) -> int | None:
        """The step about the object of the event that was asked for."""
        return next((at for at, outcome in enumerate(self.outcomes) if self.event in outcome.events), None)

    @property
    def title(self) -> str:
        """The window in one line."""
        return f"{self._events}: {self._count} ({self.approach}, k = {self.k})"

    @property
    def _events(self) -> str:
        first, last = self.span[0], self.span[-1]
        return f"Events {first} to {last} in one window" if first < last else f"Event {first}, a window of its own"

    @property
    def _count(self) -> str:
        updated = sum(bool(outcome.events) for outcome in self.outcomes)
        exposed = sum(not outcome.events for outcome in self.outcomes)
        objects = f"{updated} object{'' if updated == 1 else 's'} updated"
        return f"{objects}, {exposed} exposed" if exposed else objects

    def heading(self, letters: int) -> tuple[str, str]:
        """The window, and the event that was asked for."""
        asked = self.asked
        ours = "" if asked is None else f"; event {self.event} is about {self.called(self.about[asked], letters)}"
        return f"{self._events}: {self._count}", f"k = {self.k}{ours}"

    def deed(self, step: int) -> str:
        """What became of an object."""
        outcome = self.outcomes[step]
        name = self.called(outcome.object)
        if outcome.kind == "same":
            return f"{name} ends where it was"
        if outcome.kind == "exposed":
            return f"{name} at x = {outcome.after.x:.4g}, y = {outcome.after.y:.4g} is exposed"
        return deed_of(name, outcome.kind, outcome.before, outcome.after)

    @property
    def facts(self) -> list[str]:
        """The window, the event asked for, the objects told of and the number of messages."""
        steps = dict.fromkeys(self.step_of.tolist())
        told = [self.called(self.about[step]).removeprefix("object ") for step in steps]
        asked = self.asked
        ours = [] if asked is None else [f"event {self.event} of it: {self.deed(asked)}"]
        return [
            self.title,
            *ours,
            f"objects told of, in order: {', '.join(told) or 'none'}",
            f"messages: {len(self.messages):,}",
        ]

    @property
    def exposed(self) -> list[int]:
        """Exposed objects in the order in which messages tell of them."""
        return [outcome.object for outcome in self.outcomes if outcome.kind == "exposed"]

    @property
    def about(self) -> list[int]:
        """The object of each outcome."""
        return [outcome.object for outcome in self.outcomes]

    def letter(self, step: int) -> str:
        """Name of an object by its place among those of the window."""
        return lettered(step + 1)

    def shade(self, step: int) -> int | None:
        """Place of an object among those of the window."""
        return step

    @property
    def places(self) -> list[Place]:
        """Where objects were and are."""
        return [place for outcome in self.outcomes for place in (outcome.before, outcome.after)]

    @property
    def anchors(self) -> list[float]:
        """Where objects were and are."""
        return [place.x for place in self.places]

    @property
    def updated(self) -> list[int]:
        """All objects that an outcome is about."""
        return [i for i in self.about if i < len(self.x)]

    def drawn(self, *, messages: bool = True) -> Tiles:
        """Regions of all objects before and after, and what messages reach if asked for."""
        regions = [tiles for outcome in self.outcomes for tiles in (outcome.region_before, outcome.region_after)]
        return np.concatenate([*regions, self.message_tiles] if messages else regions)

    def zoomed(self, step: int) -> tuple[Tiles, list[float]]:
        """What a picture about one object should hold: its tiles, and its places on the diagonal."""
        outcome = self.outcomes[step]
        own = self.message_tiles[self.step_of == step]
        tiles = np.concatenate((outcome.region_before, outcome.region_after, own))
        return tiles, [outcome.before.x, outcome.after.x]


def aligned(windows: Sequence[WindowExplanation]) -> list[WindowExplanation]:
    """What several approaches send for one window, with the same outcomes, so that a letter means one object.

    Objects keep the order in which the first approach tells of them; those that only others tell of follow.
    """
    outcomes = {outcome.object: outcome for window in windows for outcome in window.outcomes}
    order = {i: at for at, i in enumerate(outcomes)}
    return [
        replace(
            window,
            outcomes=tuple(outcomes.values()),
            step_of=np.array([order[window.about[step]] for step in window.step_of.tolist()], np.int64),
        )
        for window in windows
    ]
