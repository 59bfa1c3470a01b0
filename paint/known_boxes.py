"""The subscriptions over several attributes that a server knows, as points of an index over their sides."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matching import UnknownSubscriptionError
from matching.side_index import SideIndex
from matching.side_sketch import SideSketch
from matching.side_tree import SideTree
from paint.arguments import integer
from paint.place_arguments import rows_of
from paint.sides import Floats, Sides

__all__ = ["KnownBoxes", "end_names"]


class KnownBoxes:
    """Boxes under ids, for algorithms that know them.

    Parameters
    ----------
    subscriptions : array_like of shape (m, D), or SideIndex
        Ends of the subscriptions 0 to m - 1, in the order of the sides l1, r1, l2, r2, ..., without an l for an
        attribute that has an upper bound only. An index, whose points have -l for l, is used as it is, not copied.
    sides : Sides
        The sides of the space.
    rectangles : int, optional
        Let a cover by so many boxes answer in place of the index. The points are still kept, by id, to tell which
        subscription an id stands for.
    """

    def __init__(self, subscriptions: ArrayLike | SideIndex, sides: Sides, rectangles: int | None = None) -> None:
        self._sides, self._sketch = sides, None
        if rectangles is not None:
            if isinstance(subscriptions, SideIndex):
                raise ValueError("a sketch is made from ranges, got a SideIndex: pass an array of them")
            self._names = end_names(sides)
            points = self._points(subscriptions)
            self._sketch = SideSketch(points, rectangles)
            self._kept: dict[int, Floats] = dict(enumerate(points))
            self._issued = len(points)
            return
        self._names = end_names(sides)
        if isinstance(subscriptions, SideIndex):
            if subscriptions.sides != len(sides.sign):
                raise ValueError(
                    f"subscriptions must have {len(sides.sign)} sides, got an index of {subscriptions.sides}"
                )
            self._index = subscriptions
            return
        self._index = SideIndex(self._points(subscriptions), len(sides.sign))

    def __len__(self) -> int:
        return len(self._index if self._sketch is None else self._sketch)

    @property
    def sketched(self) -> bool:
        """Whether a cover answers."""
        return self._sketch is not None

    @property
    def arrays(self) -> SideTree:
        """The arrays for kernels; read them anew after every change."""
        return (self._index if self._sketch is None else self._sketch).arrays

    def _points(self, ends: Any) -> NDArray[np.float64]:
        """Turn rows of ends into points of the sides."""
        array = rows_of("subscriptions", ends, self._names)
        for at, name in enumerate(self._names):
            if name[0] == "l":
                wrong = np.flatnonzero(~(array[:, at] <= array[:, at + 1]))
            else:
                wrong = np.flatnonzero(np.isnan(array[:, at]))
            if wrong.size:
                row = int(wrong[0])
                raise ValueError(
                    f"subscriptions must have l <= r in every attribute and no NaN, got {array[row].tolist()} in row "
                    f"{row} ({name}; {wrong.size} in all)"
                )
        points: Floats = array * self._sides.sign
        return points

    def subscribe(self, left: Any, right: Any) -> int:
        """Add a subscription by its left ends and its right ends, and give its id, which is never used again."""
        row = np.empty(len(self._names))
        for name, sign, ends in (("l", -1.0, left), ("r", 1.0, right)):
            at = np.flatnonzero(self._sides.sign == sign)
            given = np.atleast_1d(np.asarray(ends, dtype=object))
            if given.shape != (len(at),):
                wanted = ", ".join(self._names[side] for side in at)
                raise ValueError(f"{name} must be {len(at)} numbers ({wanted}), got {ends!r}")
            try:
                row[at] = [float(end) for end in given.tolist()]
            except (TypeError, ValueError):
                raise TypeError(f"{name} must be numbers, got {ends!r}") from None
        point = self._points(row[None])
        if self._sketch is None:
            return int(self._index.insert(point)[0])
        self._sketch.insert(point)
        self._kept[self._issued] = point[0]
        self._issued += 1
        return self._issued - 1

    def unsubscribe(self, subscription: int) -> None:
        """Remove a subscription; O(log m) amortised."""
        i = integer("subscription_id", subscription)
        if self._sketch is None:
            self._index.delete(i)
            return
        if i not in self._kept:
            raise UnknownSubscriptionError(f"no subscription has the id {i}")
        self._sketch.delete(self._kept.pop(i)[None])


def end_names(sides: Sides) -> list[str]:
    """Name the ends of a subscription."""
    return [("l" if sign < 0 else "r") + str(j + 1) for j, sign in zip(*sides[:2], strict=True)]
