"""The vocabulary of event indexes: what each of them offers, and checks of events.

An event index holds subscriptions that are conjunctions of predicates over attributes (`matching.predicates`) and is
asked which of them an event *matches*: all of their predicates hold. An event has a number for each attribute, NaN
for one that it lacks; no predicate on that one holds then, and a subscription that does not ask for it may match.

The score of a subscription is the sum of the weights of its predicates. Ids count up from 0 in the order of insertion
and are never used again. Every answer is in the order of ranks, score descending and id ascending, so all indexes
give equal answers. A static structure has the methods that change subscriptions and refuses with `StaticIndexError`.

`matching.registry` names every index.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from matching.predicates import Predicates
from matching.range_index import Floats, Ints

__all__ = ["Event", "EventIndex", "checked_event", "checked_events"]

Event = npt.ArrayLike | Mapping[str, float]
"""One number per attribute, or numbers by the names of attributes; those that are left out are missing."""


class EventIndex(Protocol):
    """What every event index offers."""

    def __init__(
        self,
        predicates: Predicates | Mapping[str, Any] | None = None,
        *,
        attributes: Sequence[str] | int | None = None,
    ) -> None: ...

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept."""

    @property
    def evaluations(self) -> int:
        """How often an event has been held against a key, a region or a predicate, in all queries so far."""

    def match(self, event: Event) -> Ints:
        """Ids of the subscriptions that an event matches, best first."""

    def matches(self, events: npt.ArrayLike) -> tuple[Ints, Ints]:
        """Give (offsets, ids): what event i matches is `ids[offsets[i]:offsets[i + 1]]`, best first."""

    def top(self, event: Event, k: int) -> Ints:
        """Ids of the k best subscriptions that an event matches, best first; fewer when fewer match."""

    def insert(self, predicates: Predicates | Mapping[str, Any]) -> int | Ints:
        """Add one subscription and return its id, or several and return their ids."""

    def delete(self, ids: npt.ArrayLike) -> None:
        """Remove one subscription or several."""

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds."""


def checked_events(events: npt.ArrayLike, attributes: int, *, declared: bool = True) -> Floats:
    """Events as a contiguous array with a row for each and a column for each attribute.

    Parameters
    ----------
    events
        Numbers; NaN for a missing attribute.
    attributes
        How many there are.
    declared
        Whether there are no others: without names, events may have columns behind those that are asked for.

    Raises
    ------
    TypeError
        A value is not a number.
    ValueError
        The columns are not the attributes.
    """
    array = np.asarray(events)
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(
            f"events must hold numbers, got dtype {array.dtype}: convert them to float, missing ones to NaN"
        )
    if array.ndim != 2 or not (array.shape[1] == attributes or (not declared and array.shape[1] > attributes)):
        wanted = f"{attributes}" if declared else f"at least {attributes}"
        raise ValueError(
            f"events must have the shape (events, {wanted}), one column for each attribute, got {array.shape}: "
            "add or leave out columns, NaN for what an event lacks"
        )
    return np.ascontiguousarray(array[:, :attributes], np.float64)


def checked_event(event: Event, attributes: int, names: tuple[str, ...] | None, *, declared: bool = True) -> Floats:
    """One event as an array of one row."""
    if isinstance(event, Mapping):
        row = np.full((1, attributes), np.nan)
        for name, value in event.items():
            if names is None or name not in names:
                known = "the index was given none" if names is None else f"there are {', '.join(names)}"
                raise ValueError(f"unknown attribute {name!r} of an event: {known}; leave it out")
            try:
                row[0, names.index(name)] = value
            except (TypeError, ValueError):
                raise TypeError(
                    f"attribute {name!r} of an event must be a number, got {value!r}: leave it out if it is missing"
                ) from None
        return row
    array = np.asarray(event)
    if array.ndim != 1:
        raise ValueError(f"an event must have one number for each attribute, got shape {array.shape}: take matches")
    return checked_events(array[None, :], attributes, declared=declared)
