"""Checks of the events that a server is given: they must name objects that it has, and no one after its deletion."""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paint.algorithm import Change
from paint.arguments import columns, entry, flat, integer, number, numbers, same_length

__all__ = ["Held", "known_object", "known_stream", "known_window"]


class Held(NamedTuple):
    """The objects that a server has when events are given to it.

    Attributes
    ----------
    x, y : float64 arrays by object id
        Those of the index; y = +inf for an id that is not in it, and there may be more rows than ids.
    issued : int
        Ids given so far.
    sign : float
        1.0, or -1.0 when the largest y ranks first: the index then holds -y.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    issued: int
    sign: float


def known_object(object_id: SupportsIndex, y: NDArray[np.float64], issued: int) -> int:
    """Give the id of an object that the server has, by the y and the number of ids of `Held`."""
    i = integer("object_id", object_id)
    if _there(i, y, issued):
        return i
    raise ValueError(f"object_id = {i} is not an object of this server: {_ids_told(issued)}")


def _there(i: int, y: NDArray[np.float64], issued: int) -> bool:
    return 0 <= i < issued and bool(y[i] < math.inf)


def known_stream(
    object_ids: ArrayLike, new_ys: ArrayLike, held: Held, rows: str = ""
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Check a stream of y-updates; ids, and y as the index has it, +inf for a deletion.

    With `rows`, the two are columns of an argument of that name, which may hold deletions.
    """
    id_name, y_name = ("object_id", "new_y") if rows else ("object_ids", "new_ys")
    ids = flat(id_name, object_ids)
    if ids.dtype.kind not in "iu" and len(ids):
        raise TypeError(f"{id_name} must be integers, got an array of {ids.dtype}")
    gone = held.sign * np.inf
    ys = numbers(y_name, new_ys, allowed=gone if rows else np.nan, rows=rows)
    same_length(id_name, ids, y_name, ys)
    known = (ids >= 0) & (ids < held.issued)
    known[known] = held.y[ids[known].astype(np.int64)] < np.inf
    if not known.all():
        wrong = entry(id_name, ids, int(np.argmin(known)), rows)
        raise ValueError(f"{wrong} is not an object of this server: {_ids_told(held.issued)}")
    ids = ids.astype(np.int64)
    deleted = np.flatnonzero(ys == gone)
    if len(deleted):
        last = dict(zip(ids.tolist(), range(len(ids)), strict=True))
        for where in deleted.tolist():
            if last[int(ids[where])] != where:
                raise ValueError(f"object {ids[where]} is deleted by event {where}; no later event may name it")
    return ids, held.sign * ys


def known_window(
    events: Iterable[tuple[int, Any, float]], held: Held, place_of: Callable[[str, Any], Any]
) -> tuple[list[Change], int]:
    """Check a window; what it makes of each object, by id, and the next free id after it.

    `place_of` checks an x and gives it as a value that can be compared.
    """
    found: dict[int, Change] = {}
    fresh, gone = held.issued, held.sign * math.inf
    for at, (object_id, x, y) in enumerate(zip(*columns("events", events, ("object_id", "x", "y")), strict=True)):
        i = integer(f"events[{at}] object_id", object_id)
        place = place_of(f"events[{at}] x", x)
        rank = math.inf if y == gone else held.sign * number(f"events[{at}] y", y)
        if i in found:
            if found[i].y_1 == math.inf:
                raise ValueError(f"object {i} is deleted; no later event may name it")
            found[i] = found[i]._replace(x_1=place, y_1=rank)
        elif i == fresh:
            fresh += 1
            found[i] = Change(i, place, math.inf, place, rank)
        else:
            if not _there(i, held.y, held.issued):
                raise ValueError(
                    f"events[{at}] with object_id = {i} is not an object of this server: {_ids_told(held.issued)}; "
                    f"the next free id, {fresh}, inserts one"
                )
            found[i] = Change(i, place_of("x", held.x[i]), float(held.y[i]), place, rank)
    return [found[i] for i in sorted(found)], fresh


def _ids_told(issued: int) -> str:
    return f"ids run from 0 to {issued - 1}, without those deleted" if issued else "it has none"
