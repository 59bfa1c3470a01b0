"""The mixture: which object each event is about, and whether it enters, leaves or moves instead of changing its y.

Objects are picked uniformly among those that are there, or all in turn, again and again. What enters, and where
something moves to, is drawn from the distribution of the objects at the start, straight between its values. Over
several attributes each is drawn by itself, and a move changes one of them or more, every choice alike.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floor.kernels import njit
from simulator.workload.events import DELETE, INSERT, LOWER, MOVE, RAISE
from simulator.workload.places import attributes_in, by_attribute

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
    """(objects at any time,) x and y that each object starts with, those that enter later included; over several
    attributes x is (objects, d)."""
    y: Floats
    new_x: Floats
    """(events,) or (events, d) where an object moves to; 0 if it does not, NaN in an attribute that stays."""


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
    further = rng.random((attributes_in(x), count)) if x.ndim > 1 else np.empty((1, 0))
    shares_of_x = np.stack((places, *further[:-1]))
    new_x = np.zeros((count, *x.shape[1:]))
    new_x[moving] = _spread_places(x, shares_of_x[:, moving])
    if x.ndim > 1:
        new_x[moving] = np.where(_some(further[-1, moving], attributes_in(x)), new_x[moving], np.nan)
    return Cast(
        objects,
        kind,
        np.concatenate((x, _spread_places(x, shares_of_x[:, entering]))),
        np.append(y, _spread(y, heights[entering])),
        new_x,
    )


def follow(cast: Cast, steps: Floats) -> tuple[Floats, Floats, NDArray[np.int8]]:
    """Columns x, y and kind of a stream, from the new y of every update in order. O(events + objects)."""
    xs, ys, kind = _follow(
        cast._replace(x=by_attribute(cast.x), new_x=by_attribute(cast.new_x)),
        by_attribute(cast.x.copy()),
        cast.y.copy(),
        steps,
    )
    return xs.reshape(cast.new_x.shape), ys, kind


def _spread_places(x: Floats, shares: Floats) -> Floats:
    """Places of which each attribute has the given shares, a row for each attribute, of those of `x` below it."""
    if x.ndim == 1:
        return _spread(x, shares[0])
    return np.column_stack([_spread(x[:, j], of_one) for j, of_one in enumerate(shares)])


def _some(chance: Floats, attributes: int) -> NDArray[np.bool_]:
    """(rows, d) which attributes are chosen: one at least, every choice alike."""
    choice = 1 + (chance * (2**attributes - 1)).astype(np.int64)
    chosen: NDArray[np.bool_] = (choice[:, None] >> np.arange(attributes) & 1) > 0
    return chosen


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
    for i in range(n):
        there[i] = i
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
    """Bring x, (objects, d), and y, which are used up, from event to event."""
    count = len(cast.object)
    xs, ys, kind = np.empty((count, x.shape[1])), np.empty(count), cast.kind.copy()
    step = 0
    for event in range(count):
        i = cast.object[event]
        if kind[event] == RAISE:
            if steps[step] > y[i]:
                kind[event] = LOWER
            y[i] = steps[step]
            step += 1
        elif kind[event] == MOVE:
            for j in range(x.shape[1]):
                if not np.isnan(cast.new_x[event, j]):
                    x[i, j] = cast.new_x[event, j]
        elif kind[event] == DELETE:
            y[i] = np.inf
        for j in range(x.shape[1]):
            xs[event, j] = x[i, j]
        ys[event] = y[i]
    return xs, ys, kind
