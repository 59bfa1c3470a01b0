"""Speeds over one attribute, from server to lists, in half a minute: a line of JSON, processor seconds by name.

`benchmarks.same_speed` runs this file as a script with the packages of one version, then of another: it uses only
what both have. What a measure does is the same in all runs.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import paint
from benchmarks.record import best_of, uniform_workload
from cn import Can, Gateways, PrefixNetwork, Subscribers, Zones
from matching import SubscriptionIndex

SEED = 1
OBJECTS, SUBSCRIPTIONS, BROKERS = 10_000, 500_000, 1_000
RUNS = 4

Measure = tuple[str, float]


def servers(index: SubscriptionIndex) -> Iterator[Measure]:
    """Streams of updates, for every algorithm and object index, and windows of them."""
    cases: list[tuple[int, int, dict[str, Any]]] = [
        (20_000, 20, {"index": "tournament"}),
        (40_000, 1, {"index": "tournament"}),
        (20_000, 20, {"index": "kd"}),
        (10_000, 20, {"index": "range"}),
        (20_000, 20, {"epsilon": 0.5}),
        (5_000, 20, {"algorithm": "sparse", "subscriptions": index}),
        (5_000, 20, {"algorithm": "sparse", "subscriptions": index, "epsilon": 1.0}),
        (2_000, 20, {"algorithm": "unicast", "subscriptions": index}),
    ]
    for events, k, options in cases:
        x, y, stream = uniform_workload(OBJECTS, events, SEED)
        made = iter([paint.Server(x, y, k=k, **options) for _ in range(RUNS + 1)])

        def replay(made: Iterator[paint.Server] = made, stream: Any = stream) -> object:
            return next(made).replay(stream.object, stream.y)

        replay()
        name = " ".join([options.get("algorithm", "dense"), options.get("index", ""), f"k = {k}"])
        yield f"server: {name}, epsilon {options.get('epsilon', 'none')}", best_of(RUNS, replay)
    x, y, stream = uniform_workload(OBJECTS, 2_000, SEED)
    changes = list(dict(zip(stream.object.tolist(), stream.y.tolist(), strict=True)).items())
    windows = iter([paint.Server(x, y, k=20) for _ in range(RUNS + 1)])
    next(windows).batch(changes)
    yield "server: window of 2,000 events", best_of(RUNS, lambda: next(windows).batch(changes))


def subscription_index(l: Any, r: Any) -> Iterator[Measure]:
    """Building the index, and single insertions and deletions."""
    yield "subscription index: build", best_of(RUNS, partial(SubscriptionIndex, l, r))
    index = SubscriptionIndex(l, r)
    singles = np.sort(np.random.default_rng(SEED).random((20_000, 2)), axis=1)

    def change() -> None:
        for left, right in singles.tolist():
            index.delete(index.insert(left, right))

    yield "subscription index: 20,000 insertions and deletions", best_of(RUNS, change)


def networks(l: Any, r: Any) -> Iterator[Measure]:
    """Zones, multicast, gateways and lists."""
    x, y, stream = uniform_workload(OBJECTS, 1_000, SEED)
    table = paint.Server(x, y, k=20).replay(stream.object, stream.y).table
    yield "zones of 1,000 brokers", best_of(RUNS, partial(Zones, BROKERS, seed=SEED))
    for space in ("triangle", "square"):
        zones = Zones(BROKERS, seed=SEED, space=space)
        for name, network in (("can", Can(zones)), ("prefix", PrefixNetwork(zones, contacts="random", seed=SEED))):
            carry = partial(network.multicast, table, network.centre)
            carry()
            yield f"multicast: {name}, {space}", best_of(2 * RUNS, carry)
    can = Can(Zones(BROKERS, seed=SEED))
    yield "gateways: assign", best_of(RUNS, partial(Gateways, can, l, r))
    gateways, got = Gateways(can, l, r), can.multicast(table, can.centre)
    for what in (gateways.count, gateways.match):
        what(table, got)
        yield f"gateways: {what.__name__}", best_of(2 * RUNS, partial(what, table, got))
    offsets, found = gateways.match(table, got)
    lists = iter([Subscribers(l, r, 20) for _ in range(3)])
    started: list[Subscribers] = []

    def start() -> None:
        started.append(next(lists))
        started[-1].start(x, y)

    start()
    yield "lists: start", best_of(2, start)
    started.pop().apply(table, offsets, found)
    yield "lists: apply", best_of(2, lambda: started.pop().apply(table, offsets, found))


def main() -> None:
    """Measure and print."""
    l, r = np.sort(np.random.default_rng(SEED).random((2, SUBSCRIPTIONS)), axis=0)
    index = SubscriptionIndex(l, r)
    print(json.dumps(dict([*servers(index), *subscription_index(l, r), *networks(l, r)])))


if __name__ == "__main__":
    main()
