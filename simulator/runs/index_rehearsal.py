"""Rehearsing indexes: every operation on a few subscriptions or objects, so that their kernels are compiled.

Those of `matching`, and servers over object indexes, dimensions and shapes, with streams that scenarios do not have.
"""

from contextlib import suppress
from typing import Any

import numpy as np

import paint
from matching.conjunctions import Profiles
from matching.predicates import Predicates
from matching.range_index import StaticIndexError
from matching.registry import EVENT_INDEXES, PLACE_INDEXES, RANGE_INDEXES

__all__ = ["INDEXES", "SERVERS", "rehearse_index", "rehearse_server"]

_COUNT, _K = 40, 3

INDEXES = (*RANGE_INDEXES, *EVENT_INDEXES, *PLACE_INDEXES)
"""Names of all indexes."""


SERVERS = (
    *((index, 1, name) for index in ("kd", "range", "tournament") for name in ("dense", "sparse", "unicast")),
    *(("kd", 1.5, name) for name in ("dense", "relax", "sparse", "sparse-tiles", "unicast")),
    *(("intervals", 1.5, name) for name in ("dense", "sparse-tiles")),  # those of the paper's trials
    *(("ranked", 2, name) for name in ("relax", "sparse", "unicast")),
)
"""Object index, dimensions and algorithm of servers; "ranked" is that of disks, whose kernels halfspaces share."""


def rehearse_server(index: str, dimensions: float, algorithm: str) -> None:
    """Let a server take events of every kind, one by one, in a stream and in a window."""
    rng = np.random.default_rng(0)
    shape = "disks" if index == "ranked" else "boxes"
    places, sides = int(dimensions + 0.5), int(2 * dimensions) if shape == "boxes" else 3
    x, y = rng.random((_COUNT, places)), rng.random(_COUNT)
    ends = np.sort(rng.random((9, sides)), axis=1)
    known: dict[str, Any] = {} if algorithm in ("dense", "relax") else {"subscriptions": ends}
    if places == 1:
        x = x[:, 0]
    about = {"algorithm": algorithm, "index": index, "dimensions": dimensions, "shape": shape, **known}
    server = paint.Server(x, y, k=_K, **about)
    server.update(0, 0.5)
    server.insert(x[1], 0.1)
    server.delete(1)
    server.move(2, x[3])
    server.replay([3, 4], [0.9, 0.2])
    if algorithm in ("dense", "sparse"):
        server.batch([(5, 0.0), (6, 1.0)])
    if (index, algorithm) == ("tournament", "unicast"):
        server.regions([7, 8], [0.3, 0.6])
    if known:
        for subscription in range(5):  # more than half: their index is built anew
            server.unsubscribe(subscription)


def rehearse_index(name: str) -> None:
    """Build the index of a name and do with it all that it offers; seconds if nothing is compiled yet."""
    rng = np.random.default_rng(0)
    if name in RANGE_INDEXES:
        _ranges(name, rng)
    elif name in EVENT_INDEXES:
        _events(name, rng)
    else:
        _places(name, rng)


def _ranges(name: str, rng: np.random.Generator) -> None:
    entry = RANGE_INDEXES[name]
    (l, r), score, xs = np.sort(rng.random((2, _COUNT)), axis=0), rng.random(_COUNT), rng.random(5)
    index: Any = entry.kind(l, r, score)
    index.stab(xs[0])
    index.stabs(xs)
    index.counts(xs)
    if entry.ranked:
        index.top(xs[0], _K)
        index.tops(xs, _K)
        index.ranked(xs[0]).take(_K)
    with suppress(StaticIndexError):
        index.rescore(index.insert(l[:9], r[:9], score[:9]), score[:9])
        index.delete(np.arange(_COUNT // 2))
        index.insert(l, r, score)  # more than there are: it is built anew


def _predicates(rng: np.random.Generator) -> dict[str, Any]:
    """Two predicates of each subscription, on two attributes, with weights that sum to 1."""
    low = rng.random(2 * _COUNT)
    columns = {
        "subscription": np.repeat(np.arange(_COUNT), 2),
        "attribute": np.tile(["a", "b"], _COUNT),
        "operator": np.tile(["between", "between", ">=", "!="], _COUNT // 2),
        "low": low,
        "high": np.where(np.arange(2 * _COUNT) % 4 < 2, low + 0.3, np.nan),
        "weight": np.full(2 * _COUNT, 0.5),
    }
    return {key: column.tolist() for key, column in columns.items()}


def _events(name: str, rng: np.random.Generator) -> None:
    predicates, events = _predicates(rng), rng.random((5, 2))
    index = EVENT_INDEXES[name].make(predicates, attributes=["a", "b"])
    index.match(events[0])
    index.matches(events)
    index.top(events[0], _K)
    unweighted = {key: column for key, column in predicates.items() if key != "weight"}
    EVENT_INDEXES[name].make(unweighted, attributes=["a", "b"]).match(events[0])
    with suppress(StaticIndexError):
        index.insert(predicates)
        index.delete(np.arange(2 * _COUNT - 1))  # nearly all: it is built anew
    joins: dict[str, list[Any]] = {
        "subscription": [0],
        "quantifier": ["all"],
        "attribute": ["a"],
        "operator": ["<"],
        "old": ["b"],
    }
    profiles = Profiles(Predicates(unweighted, attributes=["a", "b"]), joins)
    profiles.add(events[0])
    profiles.match(events[1])


def _places(name: str, rng: np.random.Generator) -> None:
    predicates, places, alpha = _predicates(rng), rng.random((_COUNT, 2)), rng.random(_COUNT)
    index = PLACE_INDEXES[name].kind(predicates, places, alpha, max_distance=2.0, attributes=["a", "b"])
    index.top(rng.random(2), places[0], _K)
    index.tops(rng.random((5, 2)), places[:5], _K)
    index.insert(predicates, places, alpha)
    index.delete(np.arange(_COUNT))
