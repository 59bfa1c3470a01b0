"""The mixture: which object each event is about, and whether it enters, leaves or moves instead of changing its y.

Objects are picked uniformly among those that are there, or all in turn, again and again. What enters, and where
something moves to, is drawn from the distribution of the objects at the start, straight between its values.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from simulator.workload.events import DELETE, INSERT, LOWER, MOVE, RAISE

__all__ = ["Cast", "Shares", "cast_events", "follow"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Shares(NamedTuple):
    """Shares of the events that are no updates of y; their sum is at most 1."""

    insert: float
    delete: float
    move: float


class Cast(NamedTuple):
    """Who does what in a stream of events."""

    object: Ints
    kind: NDArray[np.int8]
    """INSERT, DELETE or MOVE; RAISE for any update of y."""
    x: Floats
    """(objects at any time,) x and y that each object starts with, those that enter later included."""
    y: Floats
    new_x: Floats
    """(events,) where an object moves to; 0 if it does not."""


def cast_events(
    x: Floats, y: Floats, k: int, count: int, shares: Shares, rng: np.random.Generator, *, turn: bool = False
) -> Cast:
    """Draw who does what; O(count + n log n).

    With `turn` the objects at the start are updated in the order of their ids, from the first again after the last.

    A deletion that would leave fewer than k objects is an update of y instead. An object that enters takes the next
    id, from n on; ids are not used again.

    Raises
    ------
    ValueError
        There are no objects to begin with.
    """
    if not len(x):
        raise ValueError("events need at least one object at the start, got none; add objects")
    chance, picks, places, heights = rng.random((4, count))
    if turn:
        picks = (np.arange(count) % len(x) + 0.5) / len(x)
    edges = np.cumsum(shares)
    kind = np.array([INSERT, DELETE, MOVE, RAISE], np.int8)[np.searchsorted(edges, chance, side="right")]
    objects = _pick(kind, picks, len(x), k)
    entering, moving = kind == INSERT, kind == MOVE
    new_x = np.zeros(count)
    new_x[moving] = _spread(x, places[moving])
    return Cast(
        objects,
        kind,
        np.append(x, _spread(x, places[entering])),
        np.append(y, _spread(y, heights[entering])),
        new_x,
    )


def follow(cast: Cast, steps: Floats) -> tuple[Floats, Floats, NDArray[np.int8]]:
    """Columns x, y and kind of a stream, from the new y of every update in order. O(events + objects)."""
    return _follow(cast, cast.x.copy(), cast.y.copy(), steps)


def _spread(values: Floats, shares: Floats) -> Floats:
    """Values that have the given shares of `values` below them."""
    if not len(shares):
        return shares
    drawn: Floats = np.interp(shares * (len(values) - 1), np.arange(len(values)), np.sort(values))
    return drawn


@njit
def _pick(kind: NDArray[np.int8], picks: Floats, n: int, k: int) -> Ints:
    """Turn shares of the objects that are there into ids; deletions that must not be are put right in `kind`."""
    objects = np.empty(len(kind), np.int64)
    there = np.empty(n + len(kind), np.int64)
    there[:n] = np.arange(n)
    count = n
    fresh = n
    for event in range(len(kind)):
        if kind[event] == INSERT:
            objects[event] = there[count] = fresh
            count += 1
            fresh += 1
            continue
        at = int(picks[event] * count)
        objects[event] = there[at]
        if kind[event] == DELETE:
            if count <= k:
                kind[event] = RAISE
            else:
                count -= 1
                there[at] = there[count]
    return objects


@njit
def _follow(cast: Cast, x: Floats, y: Floats, steps: Floats) -> tuple[Floats, Floats, NDArray[np.int8]]:
    """Bring x and y, which are used up, from event to event."""
    count = len(cast.object)
    xs, ys, kind = np.empty(count), np.empty(count), cast.kind.copy()
    step = 0
    for event in range(count):
        i = cast.object[event]
        if kind[event] == RAISE:
            if steps[step] > y[i]:
                kind[event] = LOWER
            y[i] = steps[step]
            step += 1
        elif kind[event] == MOVE:
            x[i] = cast.new_x[event]
        elif kind[event] == DELETE:
            y[i] = np.inf
        xs[event] = x[i]
        ys[event] = y[i]
    return xs, ys, kind
