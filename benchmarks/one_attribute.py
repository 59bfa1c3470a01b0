"""Speeds over one attribute, from server to lists, in under a minute: a line of JSON, processor seconds by name.

`benchmarks.same_speed` runs this file as a script with the packages of one version, then of another: it uses only
what both have. What a measure does is the same in all runs.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

import paint
from benchmarks.record import best_of, uniform_workload
from cn import Can, Gateways, PrefixNetwork, RoutingTree, Subscribers, Zones
from matching import SubscriptionIndex
from topologies import Routes, barabasi_albert

SEED = 1
OBJECTS, SUBSCRIPTIONS, BROKERS = 10_000, 500_000, 1_000
SINGLES, IN_SKETCH = 1_000, 50_000
"""Single changes of objects, and subscriptions that a sketch covers."""
IN_TREE, OF_TREE, AT_TREE = 200, 20_000, 5_000
"""Brokers, subscriptions and messages of the routing tree."""
RUNS = 4

Measure = tuple[str, float]


def fresh(made: Iterable[paint.Server], task: Callable[[paint.Server], object]) -> float:
    """Seconds of a task at best, every time on a server of its own, the first to warm up."""
    waiting = iter(made)
    task(next(waiting))
    return best_of(RUNS, lambda: task(next(waiting)))


def servers(index: SubscriptionIndex, ends: Any) -> Iterator[Measure]:
    """Streams of updates, for every algorithm and object index."""
    known = {"subscriptions": index}
    cases: list[tuple[int, int, dict[str, Any]]] = [
        (20_000, 20, {"index": "tournament"}),
        (40_000, 1, {"index": "tournament"}),
        (20_000, 20, {"index": "kd"}),
        (10_000, 20, {"index": "range"}),
        (20_000, 20, {"epsilon": 0.5}),
        (5_000, 20, {"algorithm": "sparse", **known}),
        (5_000, 20, {"algorithm": "sparse", **known, "epsilon": 1.0}),
        (5_000, 20, {"algorithm": "sparse", "subscriptions": ends, "sketch": 1_000}),
        (2_000, 20, {"algorithm": "unicast", **known}),
        (2_000, 20, {"algorithm": "unicast-tiles", **known}),
    ]
    for events, k, options in cases:
        x, y, stream = uniform_workload(OBJECTS, events, SEED)
        made = [paint.Server(x, y, k=k, **options) for _ in range(RUNS + 1)]
        name = " ".join([options.get("algorithm", "dense"), options.get("index", ""), f"k = {k}"])
        name += f", sketch {options['sketch']}" if "sketch" in options else ""
        seconds = fresh(made, lambda server, of=stream: server.replay(of.object, of.y))  # type: ignore[misc]
        yield f"server: {name}, epsilon {options.get('epsilon', 'none')}", seconds


def windows_and_changes(index: SubscriptionIndex) -> Iterator[Measure]:
    """Windows of updates, and single insertions, moves and deletions, with and without the subscriptions known."""
    x, y, stream = uniform_workload(OBJECTS, 2_000, SEED)
    changes = list(dict(zip(stream.object.tolist(), stream.y.tolist(), strict=True)).items())
    places = np.random.default_rng(SEED).random((SINGLES, 3)).tolist()

    def insert(server: paint.Server) -> None:
        for place, rank, _ in places:
            server.insert(place, rank)

    def move(server: paint.Server) -> None:
        for i, (_, _, place) in enumerate(places):
            server.move(i, place)

    def delete(server: paint.Server) -> None:
        for i in range(SINGLES):
            server.delete(i)

    known: list[dict[str, Any]] = [{}, {"algorithm": "sparse", "subscriptions": index}]
    for options in known:
        name = options.get("algorithm", "dense")
        tasks: list[tuple[str, Callable[[paint.Server], object]]] = [
            ("window of 2,000 events", lambda server: server.batch(changes)),
            (f"{SINGLES:,} insertions", insert),
            (f"{SINGLES:,} moves", move),
            (f"{SINGLES:,} deletions", delete),
        ]
        for what, task in tasks:
            made = [paint.Server(x, y, k=20, **options) for _ in range(RUNS + 1)]
            yield f"server: {name}, {what}", fresh(made, task)


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
    yield from routing_tree(table[:AT_TREE], l, r)
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


def routing_tree(table: Any, l: Any, r: Any) -> Iterator[Measure]:
    """Subscribing at a tree of brokers, and multicast by what they know then."""
    routes = Routes.build(barabasi_albert(IN_TREE, SEED), list(range(IN_TREE)))
    ids, nodes = np.arange(OF_TREE), np.random.default_rng(SEED).integers(0, IN_TREE, OF_TREE)
    made: list[RoutingTree] = []

    def subscribe() -> None:
        made.append(RoutingTree(routes))
        made[-1].subscribe(ids, l[:OF_TREE], r[:OF_TREE], nodes)

    subscribe()
    yield "routing tree: make and subscribe", best_of(RUNS, subscribe)
    carry = partial(made[-1].multicast, table, made[-1].centre)
    carry()
    yield "multicast: routing tree", best_of(RUNS, carry)


def main() -> None:
    """Measure and print."""
    l, r = np.sort(np.random.default_rng(SEED).random((2, SUBSCRIPTIONS)), axis=0)
    index = SubscriptionIndex(l, r)
    measures = [*servers(index, np.column_stack((l, r))[:IN_SKETCH]), *windows_and_changes(index)]
    print(json.dumps(dict([*measures, *subscription_index(l, r), *networks(l, r)])))


if __name__ == "__main__":
    main()
