"""The vocabulary of place indexes: what each of them offers, and checks of arguments.

Seed 001. A subscription has predicates on attributes (`matching.predicates`), each with a weight, a place (x, y), and
alpha, which says how much nearness counts beside the predicates. An event has values of attributes, NaN for one that
it lacks, and a place. How good a subscription is for it (Eq. 1 to 4):

    (1 - alpha) * (weights of the predicates that hold) + alpha * (1 - distance / max_distance)

A subscription need not match: all of them have a score, and a place index is asked for the k best. Answers are in the
order of all of `matching`, score descending and id ascending; ids count up from 0 and are never used again.

Departures. `max_distance` is a parameter: the paper takes the largest distance between subscriptions, which would
change with every insertion. Take the diagonal of the domain; what is farther away has a negative second term, which
is allowed. The weights of a subscription sum to 1 and no two of its predicates are on one attribute, for else the
bounds of the R^I-tree do not hold. Not-equal and sets are tested exactly, where the paper tests their intervals only.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from matching.event_index import Event
from matching.predicates import Predicates
from matching.range_index import Floats, Ints

__all__ = ["TOLERANCE", "PlaceIndex", "checked_alpha", "checked_distance", "checked_places", "checked_weights"]

TOLERANCE = 1e-9
"""By how much the sum of weights may differ from 1."""


class PlaceIndex(Protocol):
    """What every place index offers."""

    def __init__(
        self,
        predicates: Predicates | Mapping[str, Any],
        places: npt.ArrayLike,
        alpha: npt.ArrayLike,
        *,
        max_distance: float,
        attributes: Sequence[str] | int | None = None,
    ) -> None: ...

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """Bytes of everything that is kept."""

    @property
    def evaluations(self) -> int:
        """How often an event has been held against a node or a predicate, in all queries so far."""

    def top(self, event: Event, place: npt.ArrayLike, k: int) -> Ints:
        """Ids of the k best subscriptions for an event at a place, best first; fewer when there are fewer."""

    def tops(self, events: npt.ArrayLike, places: npt.ArrayLike, k: int) -> tuple[Ints, Ints]:
        """Give (offsets, ids): the k best for event i are `ids[offsets[i]:offsets[i + 1]]`."""

    def insert(
        self, predicates: Predicates | Mapping[str, Any], places: npt.ArrayLike, alpha: npt.ArrayLike
    ) -> int | Ints:
        """Add one subscription and return its id, or several and return their ids."""

    def delete(self, ids: npt.ArrayLike) -> None:
        """Remove one subscription or several."""

    def _check(self) -> None:
        """Raise AssertionError unless every invariant holds."""


def _numbers(name: str, given: npt.ArrayLike) -> Floats:
    array = np.asarray(given)
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(f"{name} must hold numbers, got dtype {array.dtype}: convert it to float first")
    return array.astype(np.float64)


def checked_places(name: str, given: npt.ArrayLike, count: int) -> Floats:
    """Places as an array with a row (x, y) for each of `count` subscriptions or events."""
    places = np.atleast_2d(_numbers(name, given))
    if places.size == 0:
        places = places.reshape(0, 2)
    if places.shape != (count, 2):
        raise ValueError(
            f"{name} must have the shape ({count}, 2), one row x, y for each, got {np.shape(given)}: mend it"
        )
    wrong = ~np.isfinite(places).all(axis=1)
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(
            f"{name} must be finite, got {places[i].tolist()} at position {i} ({wrong.sum()} in all): leave it out"
        )
    return places


def checked_alpha(given: npt.ArrayLike, count: int) -> Floats:
    """How much nearness counts for each of `count` subscriptions; one number stands for all."""
    alpha = _numbers("alpha", given)
    if alpha.ndim == 0:
        alpha = np.full(count, float(alpha))
    if alpha.shape != (count,):
        raise ValueError(f"alpha must have one number per subscription ({count}), got shape {alpha.shape}: mend it")
    wrong = ~((alpha >= 0) & (alpha <= 1))
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(
            f"alpha must be between 0 and 1, got {alpha[i]} of subscription {i} ({wrong.sum()} in all): take a share "
            "of nearness"
        )
    return alpha


def checked_distance(given: float) -> float:
    """The distance at which nearness is 0."""
    distance = float(_numbers("max_distance", given).ravel()[0])
    if not 0 < distance < np.inf:
        raise ValueError(
            f"max_distance must be positive and finite, got {distance}: take the diagonal of the domain of places"
        )
    return distance


def checked_weights(predicates: Predicates) -> None:
    """Raise ValueError unless weights are not negative and sum to 1 by subscription, on different attributes."""
    wrong = predicates.weight < 0
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(
            f"weights must not be negative, got {predicates.weight[i]} of subscription {predicates.subscription[i]} "
            f"({wrong.sum()} in all): turn the predicate round, or leave it out"
        )
    sums = np.bincount(predicates.subscription, predicates.weight, predicates.subscriptions)
    wrong = ~(np.abs(sums - 1) <= TOLERANCE)
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(
            f"the weights of a subscription must sum to 1, got {sums[i]:g} of subscription {i} "
            f"({wrong.sum()} in all): divide them by their sum"
        )
    pairs = predicates.subscription * np.int64(predicates.attributes) + predicates.attribute
    values, counts = np.unique(pairs, return_counts=True)
    if (counts > 1).any():
        of, attribute = divmod(int(values[counts > 1][0]), predicates.attributes)
        named = repr(predicates.names[attribute]) if predicates.names else attribute
        raise ValueError(
            f"a subscription must not have two predicates on one attribute, got some on {named} "
            f"of subscription {of} ({(counts > 1).sum()} in all): put them into one"
        )
