"""One event explained: what happens to its object, and the sweep step by step."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paint.messages import EXPOSED
from simulator.views.explanation import VERBS, Explanation, Place, Tiles, deed_of, lettered

__all__ = ["EventExplanation", "Step", "region_after", "steps_in_y"]


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


@dataclass(frozen=True, eq=False, kw_only=True)
class EventExplanation(Explanation):
    """An event that is answered by itself."""

    kind: str
    object: int
    before: Place
    after: Place
    levels_before: Tiles
    """The influence region before the event in rectangles of one level, a fifth column: the rank of the object."""
    levels_after: Tiles
    steps: tuple[Step, ...]

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
        return deed_of(self.called(self.object), self.kind, self.before, self.after)

    def heading(self, letters: int) -> tuple[str, str]:
        """What happens to the object, and the numbers of it."""
        (x_0, y_0), (x_1, y_1) = self.before, self.after
        verb = VERBS[self.kind] + (" in rank" if self.kind in ("raise", "lower") else "")
        ways = [
            f"{name} = " + " → ".join(dict.fromkeys(f"{value:.4g}" for value in ends if np.isfinite(value)))
            for name, ends in (("x", (x_0, x_1)), ("y", (y_0, y_1)))
        ]
        return f"Event {self.event}: {self.called(self.object, letters)} {verb}", ", ".join((*ways, f"k = {self.k}"))

    @property
    def facts(self) -> list[str]:
        """The event, the exposed objects, the number of messages."""
        exposed = ", ".join(self.called(h).removeprefix("object ") for h in self.exposed) or "none"
        return [self.title, f"exposed objects, in order: {exposed}", f"messages: {len(self.messages):,}"]

    @property
    def about(self) -> list[int]:
        """The object that each step tells of."""
        return [step.object for step in self.steps]

    def letter(self, step: int) -> str:
        """Name of an exposed object by its place in the sweep; "" for the updated one."""
        shade = self.shade(step)
        return "" if shade is None else lettered(shade + 1)

    def shade(self, step: int) -> int | None:
        """Place of an exposed object in the sweep."""
        if self.steps[step].cause != EXPOSED:
            return None
        return sum(earlier.cause == EXPOSED for earlier in self.steps[:step])

    @property
    def places(self) -> list[Place]:
        """Where the object was and is, and what the sweep meets."""
        return [self.before, self.after, *(step.place for step in self.steps)]

    @property
    def anchors(self) -> list[float]:
        """Where the object was and is."""
        return [self.before.x, self.after.x]

    @property
    def updated(self) -> list[int]:
        """The object of the event."""
        return [self.object]

    def drawn(self, *, messages: bool = True) -> Tiles:
        """Regions before and after, tiles of the steps, and what messages reach if asked for."""
        regions = [tiles[:, :4] for tiles in (self.levels_before, self.levels_after)]
        regions += [step.tiles for step in self.steps]
        if messages:
            regions.append(self.message_tiles)
        return np.concatenate(regions)


def steps_in_y(explained: EventExplanation) -> list[tuple[float, float, float, float]]:
    """Left, right, bottom and top of what the sweep looks at in event space, step by step; open ends infinite."""
    falls = [step for step in explained.steps if step.cause == EXPOSED]
    if explained.kind not in ("lower", "delete", "move"):
        return []
    ys = [explained.before.y, *(step.place.y for step in falls)]
    tops = [*ys[1:], explained.after.y if explained.kind == "lower" else np.inf]
    return [(*step.interval, low, top) for step, low, top in zip(explained.steps, ys, tops, strict=False)]


def region_after(explained: EventExplanation) -> Tiles:
    """The influence region after the event as columns, each as high as its highest level reaches."""
    cells = explained.levels_after
    columns = [cells[cells[:, 0] == l_in] for l_in in np.unique(cells[:, 0])]
    tiles = [(column[0, 0], column[:, 1].min(), column[0, 2], column[:, 3].max()) for column in columns]
    return np.array(tiles).reshape(-1, 4)
