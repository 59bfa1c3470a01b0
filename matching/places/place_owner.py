"""What place indexes share: subscriptions as columns, ids, and static parts over most of them.

A part is a structure over some subscriptions that is built once. Later ones are loose, and scored one by one, until
they are many; then they become a part, together with all parts that are not twice as large as what is gathered
(Bentley and Saxe, "Decomposable searching problems", 1980). So there are O(log n) parts, and a subscription is built
into one O(log n) times. The k best of all parts are the k best: each part goes on with the best so far. A deleted
subscription stays in its part and is passed over; when half of them are, all parts become one new one.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.best_so_far import best_first, keep
from matching.event_index import Event, checked_event, checked_events
from matching.flat_arrays import bytes_of
from matching.known_ids import known_ids
from matching.places.columns import PlaceColumns, Where, appended, place_columns, similarities, without_deleted
from matching.places.place_index import checked_alpha, checked_distance, checked_places, checked_weights
from matching.predicates import Predicates
from matching.range_index import Floats, Ints, checked_count
from matching.subscriptions import UnknownSubscriptionError

__all__ = ["BestSoFar", "PlaceOwner"]

Part = TypeVar("Part")
Columns = Predicates | Mapping[str, Any]
STRIDE = 256
"""Subscriptions that a scan scores at a time."""


class BestSoFar:
    """The k best subscriptions for an event that have been found so far."""

    def __init__(self, k: int) -> None:
        self.scores, self.ids, self.size = np.empty(k), np.empty(k, np.int64), 0

    def best_first(self) -> Ints:
        """Their ids, best first."""
        return best_first(self.scores, self.ids, self.size)


@njit
def scan(columns: PlaceColumns, some: Ints, where: Where, scores: Floats, ids: Ints, size: int) -> tuple[int, int]:
    """Score some subscriptions one by one: how many are kept now, and the predicates tested."""
    found = np.empty(STRIDE)
    tests = 0
    for first in range(0, len(some), STRIDE):
        part = some[first : first + STRIDE]
        tests += similarities(columns, part, where, found)
        for at in range(len(part)):
            if found[at] == found[at] and (size < len(ids) or found[at] >= scores[0]):
                size = keep(scores, ids, size, found[at], part[at])
    return size, tests


class PlaceOwner(ABC, Generic[Part]):
    """The owner of subscriptions with places, in static parts.

    Parameters
    ----------
    predicates
        Those of the first subscriptions, with their weights, as `Predicates` or as columns that these take; the
        number of a subscription is its id.
    places
        Their places, shape (subscriptions, 2).
    alpha
        How much nearness counts for each of them beside the predicates, 0 to 1; one number stands for all.
    max_distance
        The distance at which nearness is 0, such as the diagonal of the domain.
    attributes
        Names of the attributes in the order of the columns of events, or their number, unless `Predicates` has them.
    fan_out
        Subscriptions per leaf and nodes per node at most. The paper takes 50.
    """

    def __init__(
        self,
        predicates: Columns,
        places: npt.ArrayLike,
        alpha: npt.ArrayLike,
        *,
        max_distance: float,
        attributes: Sequence[str] | int | None = None,
        fan_out: int = 50,
    ) -> None:
        if isinstance(predicates, Predicates) and attributes is not None:
            raise TypeError("attributes are those of the Predicates given: leave out attributes=")
        given = predicates if isinstance(predicates, Predicates) else Predicates(predicates, attributes)
        if fan_out < 2:
            raise ValueError(f"fan_out must be at least 2, got {fan_out}")
        self.max_distance = checked_distance(max_distance)
        self.names, self.attributes, self.declared = given.names, given.attributes, given.declared
        self.columns = self._taken(given, places, alpha)
        self.fan_out = fan_out
        self._issued = self._alive = given.subscriptions
        self._made = 0
        self._loose: Ints = np.empty(0, np.int64)
        self._parts: list[tuple[Ints, Part]] = []
        if self._issued:
            self._add_part(np.arange(self._issued))

    @abstractmethod
    def _built(self, ids: Ints) -> Part:
        """Make a part over subscriptions, at least one."""

    @abstractmethod
    def _search(self, part: Part, where: Where, best: BestSoFar) -> int:
        """Bring the best of a part among those so far; the evaluations it took."""

    @abstractmethod
    def _bytes(self, part: Part) -> int:
        """Bytes of a part."""

    @abstractmethod
    def _check_part(self, part: Part, ids: Ints) -> None:
        """Raise AssertionError unless every invariant of a part over some subscriptions holds."""

    def _taken(self, given: Predicates, places: npt.ArrayLike, alpha: npt.ArrayLike) -> PlaceColumns:
        checked_weights(given)
        where = checked_places("places", places, given.subscriptions)
        return place_columns(given, where, checked_alpha(alpha, given.subscriptions))

    def _add_part(self, ids: Ints) -> None:
        """Make a part of subscriptions and of all parts that are not twice as large."""
        while self._parts and self._parts[-1][0].size < 2 * ids.size:
            ids = np.concatenate((self._parts.pop()[0], ids))
        ids = ids[self.columns.alive[ids]]
        if ids.size:
            self._parts.append((ids, self._built(ids)))

    def __len__(self) -> int:
        return self._alive

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept."""
        parts = sum(ids.nbytes + self._bytes(part) for ids, part in self._parts)
        return bytes_of(self.columns) + self._loose.nbytes + parts

    @property
    def evaluations(self) -> int:
        """How often an event has been held against a node or a predicate, in all queries so far."""
        return self._made

    def top(self, event: Event, place: npt.ArrayLike, k: int) -> Ints:
        """Ids of the k best subscriptions for an event at a place, best first; fewer when there are fewer."""
        values = checked_event(event, self.attributes, self.names, declared=self.declared)
        where = checked_places("place", place, 1)
        return self._top(values[0], where[0], checked_count(k))

    def tops(self, events: npt.ArrayLike, places: npt.ArrayLike, k: int) -> tuple[Ints, Ints]:
        """Give (offsets, ids): the k best for event i are `ids[offsets[i]:offsets[i + 1]]`."""
        values = checked_events(events, self.attributes, declared=self.declared)
        where = checked_places("places", places, len(values))
        count = checked_count(k)
        answers = [self._top(event, place, count) for event, place in zip(values, where, strict=True)]
        offsets = np.append(0, np.cumsum([ids.size for ids in answers], dtype=np.int64)).astype(np.int64)
        return offsets, np.concatenate([np.empty(0, np.int64), *answers])

    def _top(self, event: Floats, place: Floats, k: int) -> Ints:
        where = (event, float(place[0]), float(place[1]), self.max_distance)
        best = BestSoFar(min(k, max(self._alive, 1)))
        for _, part in self._parts:
            self._made += self._search(part, where, best)
        self._made += self._scan(self._loose, where, best)
        return best.best_first()

    def _scan(self, some: Ints, where: Where, best: BestSoFar) -> int:
        """Bring the best of some subscriptions among those so far; the predicates tested."""
        best.size, tests = scan(self.columns, some, where, best.scores, best.ids, best.size)
        return tests

    def insert(self, predicates: Columns, places: npt.ArrayLike, alpha: npt.ArrayLike) -> int | Ints:
        """Add one subscription and return its id, or several and return their ids; each is built O(log n) times."""
        if isinstance(predicates, Predicates):
            given = predicates
            if given.names != self.names or given.attributes > self.attributes:
                own = f"{self.attributes}" if self.names is None else ", ".join(self.names)
                raise ValueError(f"predicates must be over the attributes of the index ({own}): make them with those")
        else:
            given = Predicates(predicates, self.attributes if self.names is None else self.names)
        more = self._taken(given, places, alpha)
        first = self._issued
        self.columns = appended(self.columns, first, more)
        self._issued += given.subscriptions
        self._alive += given.subscriptions
        ids = np.arange(first, self._issued)
        self._loose = np.concatenate((self._loose, ids))
        if self._loose.size > self._most_loose():
            ready, self._loose = self._loose, self._loose[:0]
            self._add_part(ready)
        return first if np.ndim(places) == 1 else ids

    def _most_loose(self) -> int:
        """How many subscriptions may wait for a part."""
        return 8 * self.fan_out

    def delete(self, ids: npt.ArrayLike) -> None:
        """Remove one subscription or several; O(1) amortised parts built for each.

        Raises
        ------
        UnknownSubscriptionError
            An id was never issued or is deleted already; nothing is removed.
        ValueError
            An id is given twice; nothing is removed.
        """
        alive = self.columns.alive
        known = known_ids(ids, self._issued, lambda some: alive[some], UnknownSubscriptionError, distinct=True)
        self.columns.alive[known] = False
        self._alive -= known.size
        held = self._loose.size + sum(part_ids.size for part_ids, _ in self._parts)
        if 2 * self._alive < held:
            self.columns = without_deleted(self.columns, self._issued)
            self._parts, self._loose = [], self._loose[:0]
            self._add_part(np.flatnonzero(self.columns.alive))

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds: O(n) in interpreted Python."""
        held = np.concatenate([self._loose, *(ids for ids, _ in self._parts)])
        assert np.unique(held).size == held.size
        alive = np.flatnonzero(self.columns.alive[: self._issued])
        assert set(alive.tolist()) <= set(held.tolist())
        assert alive.size == self._alive
        assert held.size <= max(2 * self._alive, 1)
        assert self._loose.size <= self._most_loose()
        sizes = [ids.size for ids, _ in self._parts]
        assert len(sizes) <= 2 * np.log2(self._issued + 2) + 2
        for ids, part in self._parts:
            self._check_part(part, ids)
