"""What the classes around event indexes share: predicates taken in, ids, scores, batches answered in order.

A subclass keeps flat arrays and answers by a kernel `match_all(arrays, checks, events) -> (offsets, ids,
evaluations)`, whose ids come in any order.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.conjunctions.asked import Asked, Checks, asked_of, checks_of
from matching.event_index import Event, checked_event, checked_events
from matching.flat_arrays import bytes_of, grown
from matching.known_ids import known_ids
from matching.predicates import Predicates
from matching.range_index import Floats, Ids, Ints, StaticIndexError, checked_count
from matching.subscriptions import UnknownSubscriptionError

__all__ = ["Columns", "ConjunctionIndex", "StaticConjunctionIndex"]

Columns = Predicates | Mapping[str, Any]


class ConjunctionIndex(ABC):
    """The owner of the arrays of an event index.

    Parameters
    ----------
    predicates
        Those of the first subscriptions, as `Predicates` or as columns that these take; the number of a subscription
        is its id.
    attributes
        Names of the attributes in the order of the columns of events, or their number, unless `Predicates` has them.
    """

    arrays: Any
    """The arrays, for kernels; a change may replace them."""

    def __init__(self, predicates: Columns | None = None, *, attributes: Sequence[str] | int | None = None) -> None:
        given = _first_predicates(predicates, attributes)
        self.names, self.attributes, self.declared = given.names, given.attributes, given.declared
        self._made = 0
        self._issued = self._length = given.subscriptions
        self._scores = _scores(given)
        self._checks = checks_of(given, 0)
        self._place = np.empty(given.subscriptions, np.int32)
        """Where the subscription of each id is, -1 if it was deleted."""
        self._build(asked_of(given), np.arange(given.subscriptions, dtype=np.int32))

    @abstractmethod
    def _build(self, asked: Asked, ids: Ids) -> None:
        """Make the arrays anew over some subscriptions, and set their places."""

    @abstractmethod
    def _match_all(self, events: Floats) -> tuple[Ints, Ints, int]:
        """Offsets, ids in any order, evaluations."""

    def __len__(self) -> int:
        return self._length

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept."""
        scores = 0 if self._scores is None else self._scores.nbytes
        return bytes_of(self.arrays) + bytes_of(self._checks) + self._place.nbytes + scores

    @property
    def evaluations(self) -> int:
        """How often an event has been held against a key, a region or a predicate, in all queries so far."""
        return self._made

    def match(self, event: Event) -> Ints:
        """Ids of the subscriptions that an event matches, best first."""
        return self._answers(checked_event(event, self.attributes, self.names, declared=self.declared))[1]

    def matches(self, events: npt.ArrayLike) -> tuple[Ints, Ints]:
        """Give (offsets, ids): what event i matches is `ids[offsets[i]:offsets[i + 1]]`, best first."""
        return self._answers(checked_events(events, self.attributes, declared=self.declared))

    def top(self, event: Event, k: int) -> Ints:
        """Ids of the k best subscriptions that an event matches, best first: all matches are found for it."""
        count = checked_count(k)
        return self.match(event)[:count]

    def _answers(self, events: Floats) -> tuple[Ints, Ints]:
        offsets, ids, made = self._match_all(events)
        self._made += made
        if self._scores is None:
            _sort_by_id(offsets, ids)
        else:
            _sort_by_rank(offsets, ids, self._scores)
        return offsets, ids

    def insert(self, predicates: Columns) -> int | Ints:
        """Add one subscription and return its id, or several and return their ids."""
        given = self._later_predicates(predicates)
        first = self._issued
        scores = _scores(given)
        if scores is not None or self._scores is not None:
            before = np.zeros(first) if self._scores is None else self._scores
            self._scores = grown(before, first, np.zeros(given.subscriptions) if scores is None else scores)
        self._place = grown(self._place, first, np.full(given.subscriptions, -1, np.int32))
        self._issued += given.subscriptions
        self._length += given.subscriptions
        self._add(asked_of(given), np.arange(first, self._issued, dtype=np.int32), checks_of(given, first))
        return first if given.subscriptions == 1 else np.arange(first, self._issued)

    def delete(self, ids: npt.ArrayLike) -> None:
        """Remove one subscription or several.

        Raises
        ------
        UnknownSubscriptionError
            An id was never issued or is deleted already; nothing is removed.
        ValueError
            An id is given twice; nothing is removed.
        """
        place = self._place
        known = known_ids(ids, self._issued, lambda some: place[some] >= 0, UnknownSubscriptionError, distinct=True)
        self._length -= known.size
        self._remove(known)

    @abstractmethod
    def _add(self, asked: Asked, ids: Ids, sets: Checks) -> None:
        """Take in subscriptions with new ids and the rows of their sets."""

    @abstractmethod
    def _remove(self, ids: Ints) -> None:
        """Take out subscriptions that are there."""

    def _later_predicates(self, predicates: Columns) -> Predicates:
        if not isinstance(predicates, Predicates):
            return Predicates(predicates, attributes=self.attributes if self.names is None else self.names)
        if predicates.names != self.names or predicates.attributes > self.attributes:
            own = f"{self.attributes}" if self.names is None else ", ".join(self.names)
            raise ValueError(f"predicates must be over the attributes of the index ({own}): make them with those")
        return predicates

    @abstractmethod
    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds."""

    def _check_places(self) -> None:
        """Raise AssertionError unless as many ids have a place as there are subscriptions, each its own."""
        places = self._place[: self._issued]
        assert (places >= 0).sum() == self._length == np.unique(places[places >= 0]).size
        assert self._scores is None or np.isfinite(self._scores[: self._issued]).sum() == self._issued
        assert (np.diff(self._checks.owner.astype(np.int64)) >= 0).all()


class StaticConjunctionIndex(ConjunctionIndex):
    """An event index that is built once."""

    def insert(self, predicates: Columns) -> int | Ints:
        """Refuse: raises StaticIndexError."""
        del predicates
        raise self._refusal("insert")

    def delete(self, ids: npt.ArrayLike) -> None:
        """Refuse: raises StaticIndexError."""
        del ids
        raise self._refusal("delete")

    def _refusal(self, change: str) -> StaticIndexError:
        return StaticIndexError(
            f"{type(self).__name__} is built once and cannot {change} subscriptions: "
            "take matching.conjunctions.AccessPredicates instead"
        )

    def _add(self, asked: Asked, ids: Ids, sets: Checks) -> None:
        del asked, ids, sets
        raise self._refusal("insert")

    def _remove(self, ids: Ints) -> None:
        del ids
        raise self._refusal("delete")


def _first_predicates(predicates: Columns | None, attributes: Sequence[str] | int | None) -> Predicates:
    if isinstance(predicates, Predicates):
        if attributes is not None:
            raise TypeError("attributes are those of the Predicates given: leave out attributes=")
        return predicates
    if predicates is None:
        return Predicates({"attribute": [], "operator": [], "subscription": []}, attributes)
    return Predicates(predicates, attributes)


def _scores(given: Predicates) -> Floats | None:
    """Scores of subscriptions; None if no predicate has a weight."""
    if not given.weight.any():
        return None
    return np.bincount(given.subscription, given.weight, given.subscriptions).astype(np.float64)


@njit
def _sort_by_id(offsets: Ints, ids: Ints) -> None:
    for i in range(len(offsets) - 1):
        ids[offsets[i] : offsets[i + 1]].sort()


@njit
def _sort_by_rank(offsets: Ints, ids: Ints, scores: Floats) -> None:
    """Sort by score descending; what is equal stays in the order of ids."""
    for i in range(len(offsets) - 1):
        found = ids[offsets[i] : offsets[i + 1]]
        found.sort()
        order = np.argsort(-scores[found], kind="mergesort")
        found[:] = found[order]
