"""Subscriptions with places as columns, and how good one of them is for an event: seed 001, Eq. 1 to 4.

All indexes of `matching.places` score subscriptions by `similarities` alone, so they agree to the last bit.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floor.kernels import njit
from matching.bisection import is_among
from matching.flat_arrays import grown
from matching.predicates import IN, INTERVAL, Predicates
from matching.range_index import Floats, Ints

__all__ = ["PlaceColumns", "Where", "appended", "place_columns", "similarities", "without_deleted"]

GROWTH = 1.25

Where = tuple[Floats, float, float, float]
"""Values of an event, x and y, and the distance at which nearness is 0."""


class PlaceColumns(NamedTuple):
    """Columns by id, by predicate and by set."""

    place: npt.NDArray[np.float64]
    """(ids, 2)."""
    alpha: npt.NDArray[np.float64]
    """(ids,)."""
    alive: npt.NDArray[np.bool_]
    """(ids,): False of those that are deleted."""
    offset: npt.NDArray[np.int64]
    """(ids + 1,): where the predicates of a subscription start."""
    attribute: npt.NDArray[np.int32]
    """(predicates,)."""
    low: npt.NDArray[np.float64]
    """(predicates,): left end of the interval."""
    high: npt.NDArray[np.float64]
    """(predicates,): right end."""
    weight: npt.NDArray[np.float64]
    """(predicates,)."""
    kind: npt.NDArray[np.int8]
    """(predicates,): INTERVAL, IN or OUT of `matching.predicates`."""
    set_offset: npt.NDArray[np.int64]
    """(predicates + 1,): where the set of a predicate starts."""
    value: npt.NDArray[np.float64]
    """(values,): members of sets, ascending in each."""


def place_columns(predicates: Predicates, places: Floats, alpha: Floats) -> PlaceColumns:
    """Columns of checked subscriptions."""
    counts = np.bincount(predicates.subscription, minlength=predicates.subscriptions)
    return PlaceColumns(
        places,
        alpha,
        np.ones(alpha.size, np.bool_),
        np.append(0, np.cumsum(counts)).astype(np.int64),
        predicates.attribute.astype(np.int32),
        predicates.low,
        predicates.high,
        predicates.weight,
        predicates.kind.astype(np.int8),
        predicates.offset.astype(np.int64),
        predicates.value,
    )


def appended(columns: PlaceColumns, ids: int, more: PlaceColumns) -> PlaceColumns:
    """The columns with more subscriptions behind the first `ids`; O(1) amortised for each of their entries."""
    predicates = int(columns.offset[ids])
    values = int(columns.set_offset[predicates])
    used = {
        "place": ids,
        "alpha": ids,
        "alive": ids,
        "offset": ids + 1,
        "set_offset": predicates + 1,
        "value": values,
    }
    parts = more._asdict()
    parts["offset"] = more.offset[1:] + predicates
    parts["set_offset"] = more.set_offset[1:] + values
    return PlaceColumns(
        **{
            name: grown(getattr(columns, name), used.get(name, predicates), parts[name], GROWTH)
            for name in PlaceColumns._fields
        }
    )


def without_deleted(columns: PlaceColumns, ids: int) -> PlaceColumns:
    """The first `ids` subscriptions, without the predicates of those that are deleted; no row to spare."""
    alive, counts = columns.alive[:ids], np.diff(columns.offset[: ids + 1])
    kept = np.repeat(alive, counts)
    sizes = np.diff(columns.set_offset[: kept.size + 1])
    in_sets = np.repeat(kept, sizes)
    return PlaceColumns(
        columns.place[:ids].copy(),
        columns.alpha[:ids].copy(),
        alive.copy(),
        np.append(0, np.cumsum(np.where(alive, counts, 0))).astype(np.int64),
        columns.attribute[: kept.size][kept],
        columns.low[: kept.size][kept],
        columns.high[: kept.size][kept],
        columns.weight[: kept.size][kept],
        columns.kind[: kept.size][kept],
        np.append(0, np.cumsum(sizes[kept])).astype(np.int64),
        columns.value[: in_sets.size][in_sets],
    )


@njit
def similarities(columns: PlaceColumns, ids: Ints, where: Where, out: Floats) -> int:
    """How good each of some subscriptions is for an event at a place, NaN if it is deleted; the predicates tested.

    Many at a time: handing the columns to a kernel takes longer than scoring one subscription.
    """
    event, x, y, max_distance = where
    offset, attribute, kind = columns.offset, columns.attribute, columns.kind
    low, high, weight = columns.low, columns.high, columns.weight
    tests = 0
    for at in range(len(ids)):
        i = ids[at]
        if not columns.alive[i]:
            out[at] = np.nan
            continue
        held = 0.0
        for p in range(offset[i], offset[i + 1]):
            v = event[attribute[p]]
            if low[p] <= v <= high[p]:
                if kind[p] != INTERVAL:
                    is_in = is_among(columns.value, columns.set_offset[p], columns.set_offset[p + 1], v)
                    if is_in != (kind[p] == IN):
                        continue
                held += weight[p]
        tests += offset[i + 1] - offset[i]
        dx, dy = columns.place[i, 0] - x, columns.place[i, 1] - y
        near = 1 - np.sqrt(dx * dx + dy * dy) / max_distance
        out[at] = (1 - columns.alpha[i]) * held + columns.alpha[i] * near
    return tests
