"""One round of messages for the outcome of a window of events: its steps, in whatever space the objects are.

`paint.window` says what is told, to whom and in which order, and why lists are exact then; nothing in it depends on
the number of sides. Regions are rows of messages; how they are made and cut is left to the kinds of windows.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from paint.algorithm import Change, Plan, Rows

__all__ = ["Outcome", "put"]


def put(index: Any, i: int, x: Any, y: float) -> None:
    """Bring object i to a place of an index, or with y = +inf out of it."""
    arrays = index.arrays
    there = i < len(arrays.y) and arrays.y[i] < np.inf
    if there and y < np.inf and (arrays.x[i] == x).all():
        index.update(i, y)
        return
    if there:
        index.delete(i)
    if y < np.inf:
        index.insert(i, x, y)


class Outcome(ABC):
    """An object index under the changes of one window."""

    def __init__(self, index: Any, plan: Plan) -> None:
        self._index, self._plan = index, plan

    @abstractmethod
    def region(self, i: int) -> Rows:
        """Messages about object i to its influence region, as the index has it."""

    @abstractmethod
    def exposed_by(self, i: int, y: float) -> list[int]:
        """Objects that gain a subscription as object i leaves its y in the index for another."""

    @abstractmethod
    def before(self, grown: list[Change]) -> list[Any]:
        """What `union` needs to know of objects whose y grows, while the index is as before the window."""

    @abstractmethod
    def after(self, exposed: list[int]) -> Any:
        """What `gains` needs to know of objects while the index is as after the window."""

    @abstractmethod
    def union(self, one: Change, was: Any) -> Rows:
        """Messages about an object that keeps its x, to its regions before and after."""

    @abstractmethod
    def gains(self, exposed: list[int], after: Any) -> list[Rows]:
        """Messages about objects, with the index as before the window, to what their regions gain."""

    @abstractmethod
    def told(self, rows: Rows, one: Change) -> Rows:
        """Make tiles tell of an object as it is after the window."""

    @abstractmethod
    def holding(self, rows: Rows, place: Any) -> Rows:
        """What of some tiles holds a place."""

    @abstractmethod
    def without(self, rows: Rows, inside: Any, outside: Any) -> Rows:
        """What of some tiles, which hold one place, does not hold another."""

    @abstractmethod
    def difference(self, rows: Rows, taken: Rows) -> Rows:
        """What of some tiles lies outside of others."""

    def paint(self, changes: list[Change]) -> list[Rows]:
        """Apply the changes of distinct objects to the index and give back their messages, part by part."""
        moved = [one for one in changes if one.moves]
        grown = sorted((one for one in changes if one.y_1 > one.y_0), key=lambda one: (one.y_1, one.id), reverse=True)
        # What grows in place is told by what it had, what moves by the tiles.
        before = self.before(grown)
        regions_0 = {one.id: self.region(one.id) for one in moved}
        exposed = self._advance(changes)
        after = self.after(exposed)
        regions_1 = {one.id: self.region(one.id) for one in changes if one.y_1 < np.inf}

        parts = [self.told(self.without(regions_0[one.id], one.x_0, one.x_1), one) for one in moved]
        for one, was in zip(grown, before, strict=True):
            if one.moves:
                held = self.holding(regions_0[one.id], one.x_1)
                news = self.difference(self.holding(regions_1[one.id], one.x_0), held)
                parts.append(self.told(np.concatenate((held, news)), one))
            else:
                parts.append(self.union(one, was))
        if exposed:
            for one in changes:
                put(self._index, one.id, one.x_0, one.y_0)
            parts += self.gains(exposed, after)
            for one in changes:
                put(self._index, one.id, one.x_1, one.y_1)
        for one in changes:
            if one.y_1 < one.y_0 or (one.moves and one.y_1 == one.y_0):
                parts.append(regions_1[one.id])
            elif one.moves:
                parts.append(self.without(regions_1[one.id], one.x_1, one.x_0))
        return parts

    def _advance(self, changes: list[Change]) -> list[int]:
        """Bring the index from before to after; ids of other objects that gained a subscription on the way."""
        known = {one.id for one in changes}
        exposed: list[int] = []
        for one in changes:
            if not one.moves and one.y_1 < one.y_0:
                put(self._index, one.id, one.x_1, one.y_1)
        for one in changes:
            if one.moves or one.y_1 > one.y_0:
                end = np.inf if one.moves else one.y_1
                fresh = [h for h in self.exposed_by(one.id, end) if h not in known]
                known.update(fresh)
                exposed += fresh
                put(self._index, one.id, one.x_0, end)
        for one in changes:
            if one.moves:
                put(self._index, one.id, one.x_1, one.y_1)
        return exposed
