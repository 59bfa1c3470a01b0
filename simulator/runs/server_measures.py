"""What a server asks and sends over several attributes, without a network: one number per metric.

For Appendix D and Theorem 8 of the paper. A population is objects, subscriptions and dimensions; who is asked is an
approach, with the dataset of its subscriptions if it knows them, or a formula for what there should be. In 1.5
dimensions objects are searched by intervals, as in the paper, and Paint-Sparse snaps every tile.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import paint
from paint.sides import sides_of
from simulator.inputs.event_stream import make_events
from simulator.runs.index_measures import Answer, Ask, Kind
from simulator.scenario.tables import Events
from simulator.workload.appendix_d import DATASETS, make_dataset

__all__ = ["DENSE", "FORMULAS", "SERVER_KINDS", "SERVER_METRICS", "SPARSE", "Objects", "own_around"]

Floats = NDArray[np.float64]

SERVER_METRICS = (
    "messages",
    "own",
    "own_around",
    "exposed",
    "bytes_out",
    "bytes_out_max",
    "first_k",
    "min_x2",
    "min_y",
    "snap",
    "min_queries",
    "paper_snap",
)
"""Per event: messages, those of the updated object (`own`), the same of the events in which others lie all around it
(`own_around`), exposed objects that are told of, bytes sent, and those of the largest event; calls of the object
index and snaps; then all calls of min_x2 and min_y (`min_queries`) and the snaps as the paper counts them."""

PIECE = 64
"""Events that are replayed at a time, at most."""
ROWS = 1 << 16
"""Messages of the events of a time, about: few enough that their table is memory used again and again."""

DENSE = "paint-dense"
SPARSE = {f"paint-sparse, dataset {number}": number for number in DATASETS}


class Objects(NamedTuple):
    """What is asked about."""

    objects: int = 10_000
    subscriptions: int = 400_000
    dimensions: float = 1.5


class _Made(NamedTuple):
    spec: Objects
    seed: int
    x: Floats
    y: Floats
    ids: NDArray[np.int64]
    ys: Floats


def _make(spec: Objects, events: int, seed: int) -> _Made:
    """Uniform objects, and a stream of updates as in Section V."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((spec.objects, math.ceil(spec.dimensions))), rng.random(spec.objects)
    stream = make_events(Events(count=events), x[:, 0].copy(), y, 1, np.zeros((1, 1)), lambda _: rng)
    return _Made(spec, seed, x, y, stream.object, stream.y)


def _near(k: int, n: int, dimensions: float) -> float:
    """Messages about an updated object with objects all around, in 1.5 and 2 dimensions (k in one)."""
    if dimensions == 1.5:
        return k * k + 2.0 * k
    return k * (k + 1) * (k + 2) * (math.log(n / k) - 3.1)


def _theorem(k: int, n: int, dimensions: float) -> tuple[float, float]:
    """What the proof of Theorem 8 has for one object, and for an event, up to a constant; 1.5 counts as 2."""
    d = math.ceil(dimensions)
    objects = k * math.log(n) ** (d - 1) / math.factorial(d - 1)
    return objects**d, objects ** (d + 1)


FORMULAS: dict[str, Callable[[int, int, float], dict[str, float]]] = {
    "formula": lambda *where: dict.fromkeys(("own", "own_around"), _near(*where)),
    "theorem 8": lambda *where: dict(zip(("own", "messages"), _theorem(*where), strict=True)),
}
"""What there should be, by (k, objects, dimensions)."""


def _build(name: str, made: _Made) -> Any:
    """The settings of a server, or a formula."""
    if name in FORMULAS:
        return FORMULAS[name]
    index = "intervals" if made.spec.dimensions == 1.5 else "kd"
    if name == DENSE:
        return {"index": index}
    known = make_dataset(SPARSE[name], made.spec.subscriptions, made.x[:, 0], made.seed)
    return {"index": index, "algorithm": "sparse-tiles", "subscriptions": known}


def own_around(sent: paint.Messages) -> NDArray[np.int64]:
    """Messages about the updated object, of the events in which others lie all around it.

    These are the events in which no message about it is open in every attribute: k better objects are on either side.
    """
    updates = sent.table["cause"] == paint.UPDATE
    table, events = sent.table[updates], len(sent.offsets) - 1
    event = np.repeat(np.arange(events), np.diff(sent.offsets))[updates]
    left = np.isinf(table["l_out"]) & np.isfinite(table["l_in"])  # an attribute without a left side has neither
    open_sides = left | np.isinf(table["r_out"])
    alone = np.unique(event[open_sides.all(axis=1)])
    return np.delete(np.bincount(event, minlength=events), alone)


def _piece(messages: int, events: int) -> int:
    """Events to replay next, by the messages of those before; one at first."""
    return min(PIECE, max(1, ROWS * events // max(messages, 1)))


def _ask(who: Any, made: _Made, ask: Ask) -> Answer:
    if callable(who):
        return Answer(who(ask.k, made.spec.objects, made.spec.dimensions), [])
    dimensions, k = made.spec.dimensions, ask.k
    server = paint.Server(made.x, made.y, k=k, dimensions=dimensions, **who)
    size = 4 * (2 * len(sides_of(dimensions).sign) + made.x.shape[1] + 1)
    sums = dict.fromkeys(("messages", "own", "exposed"), 0)
    largest, around = 0, [np.zeros(0, np.int64)]
    start = end = 0
    while end < ask.events:
        start, end = end, min(end + _piece(sums["messages"], end), ask.events)
        sent = server.replay(made.ids[start:end], made.ys[start:end])
        table, lengths = sent.table, np.diff(sent.offsets)
        told = table["cause"] == paint.EXPOSED
        # A new object begins where the id changes, or the event.
        fresh = np.diff(table["object"], prepend=-1) != 0
        fresh[sent.offsets[:-1][lengths > 0]] = True
        sums["messages"] += len(table)
        sums["own"] += int(np.count_nonzero(~told))
        sums["exposed"] += int(np.count_nonzero(told & fresh))
        largest = max(largest, int(lengths.max(initial=0)))
        around.append(own_around(sent))
    ours, paper = server.costs, server.paper_costs
    calls = {"first_k": ours["first_k"], "min_y": ours["min_y"], "snap": ours["snap"], "paper_snap": paper["snap"]}
    calls["min_x2"] = ours.get("min_x2", 0)
    calls["min_queries"] = calls["min_x2"] + paper["min_y"]
    row = {name: number / ask.events for name, number in {**sums, **calls}.items()}
    row |= {"bytes_out": size * row["messages"], "bytes_out_max": float(size * largest)}
    near = np.concatenate(around)
    return Answer({**row, "own_around": float(near.mean()) if len(near) else 0.0}, [])


SERVER_KINDS: dict[str, Kind] = {"servers": Kind(Objects, _make, _build, _ask, SERVER_METRICS)}
"""Kinds of trials of servers, by name."""
