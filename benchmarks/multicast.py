"""Times of zones, routing, multicast and matching; run with `python -m benchmarks.multicast`.

The messages are Paint-Dense's for k = 20 on 10,000 objects. Overlay hops are put beside the fewest that can do: a
tree over the zones concerned and the shortest way from the server to the nearest of them. Then every network carries
messages over three and four sides, 1.5 and 2 dimensions, in the same run as those of one attribute, and is to be a
third as fast at least; the rows of that go to benchmarks/results/multicast.csv, with verdicts.
"""

import math
import resource
import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.record import best_of, uniform_workload, write_rows
from cn import Can, Gateways, Network, PrefixNetwork, RoutingTree, Subscribers, Zones, fewest_hops
from paint import Server
from paint.sides import sides_of
from topologies import Routes, barabasi_albert

SEED = 1
OBJECTS, EVENTS, BROKERS, SUBSCRIPTIONS, K = 10_000, 1_000, 1_000, 2_000_000, 20
OF_SIDES, MOST, AT_TREE = 300, 40_000, 100_000
"""Events and messages of the comparison of sides, and subscriptions at its routing tree."""
LEAST_SHARE = 1 / 3
"""Of the messages per second over two sides, over three and four."""


def show(name: str, network: Can | PrefixNetwork, table: NDArray[np.void], ip_hops: NDArray[np.int64]) -> None:
    """Time a network's multicast, and print its hops."""
    got = network.multicast(table, network.centre, ip_hops)
    seconds = best_of(5, lambda: network.multicast(table, network.centre, ip_hops))
    each = seconds / len(table) * 1e6
    print(f"{name}: {EVENTS / seconds:,.0f} events/s (bound: at least 3,000), {each:.2f} us per message")
    print(f"  per event: {got.overlay_hops.sum() / EVENTS:.0f} overlay hops, {len(got.zones) / EVENTS:.0f} zones")
    fewest = fewest_hops(network, got.offsets, got.zones, network.centre).sum()
    print(f"  overlay hops against the fewest: {got.overlay_hops.sum() / fewest:.3f}")


def messages_of(dimensions: float, k: int) -> NDArray[np.void]:
    """Some messages of Paint-Dense, in the order of events."""
    x, y, events = uniform_workload(OBJECTS, EVENTS, SEED)
    if dimensions > 1:
        x = np.column_stack((x, np.random.default_rng(SEED + 1).random((OBJECTS, math.ceil(dimensions) - 1))))
    server = Server(x, y, k=k, algorithm="dense", dimensions=dimensions)
    return server.replay(events.object[:OF_SIDES], events.y[:OF_SIDES]).table[:MOST]


def networks_of(dimensions: float) -> dict[str, Network]:
    """Every network over the sides of some dimensions, the tree with subscriptions."""
    sides = None if dimensions == 1 else sides_of(dimensions)
    made: dict[str, Network] = {}
    for space in ("triangle", "square"):
        zones = Zones(BROKERS, seed=SEED, space=space, sides=sides)
        made[f"can, {space}"] = Can(zones)
        made[f"prefix, {space}"] = PrefixNetwork(zones, contacts="random", seed=SEED)
    rng = np.random.default_rng(SEED)
    ends = np.sort(rng.random((2, AT_TREE, math.ceil(dimensions))), axis=0)
    if dimensions % 1:
        ends[0, :, -1] = -np.finfo(np.float64).max
    l, r = ends if dimensions > 1 else ends[:, :, 0]
    tree = RoutingTree(Routes.build(barabasi_albert(BROKERS, SEED), list(range(BROKERS))), sides=sides)
    tree.subscribe(np.arange(AT_TREE), l, r, rng.integers(0, BROKERS, AT_TREE))
    return {**made, "tree": tree}


def sides_rows() -> Iterator[dict[str, object]]:
    """Time every network's multicast over two, three and four sides, and judge the shares of two sides' speed."""
    of_one: dict[str, float] = {}
    for dimensions, k in ((1, K), (1.5, 10), (2, 5)):
        table = messages_of(dimensions, k)
        for name, network in networks_of(dimensions).items():
            got = network.multicast(table, network.centre)
            seconds = best_of(5, lambda n=network, t=table: n.multicast(t, n.centre))  # type: ignore[misc]
            rate = len(table) / seconds
            share = rate / of_one.setdefault(name, rate)
            hops, zones = got.overlay_hops.mean(), got.zones_reached.mean()
            holds = share >= LEAST_SHARE
            print(
                f"{dimensions}-d, {len(table):,} messages, {name}: {rate:,.0f} messages/s, {share:.2f} of 1-d "
                f"(bound: at least {LEAST_SHARE:.2f}): {'holds' if holds else 'DOES NOT HOLD'}; "
                f"{hops:.1f} hops, {zones:.1f} brokers each",
                flush=True,
            )
            yield {
                "dimensions": dimensions,
                "network": name,
                "messages": len(table),
                "messages_per_s": round(rate),
                "share": share,
                "least": LEAST_SHARE,
                "holds": holds,
                "hops": hops,
                "brokers": zones,
            }


def main() -> None:
    rng = np.random.default_rng(SEED)
    x, y, events = uniform_workload(OBJECTS, EVENTS, SEED)
    table = Server(x, y, k=K, algorithm="dense").replay(events.object, events.y).table
    ip_hops = rng.integers(1, 8, (BROKERS, BROKERS))
    l, r = np.sort(rng.random((2, SUBSCRIPTIONS)), axis=0)
    print(f"{EVENTS} events, {len(table) / EVENTS:.1f} messages per event, {BROKERS} brokers, k = {K}, seed {SEED}")
    for space in ("triangle", "square"):
        zones = Zones(BROKERS, seed=SEED, space=space)
        for name, network in (("can", Can(zones)), ("prefix", PrefixNetwork(zones, contacts="random", seed=SEED))):
            show(f"{name}, {space}", network, table, ip_hops)
    warm = Subscribers(l[:10], r[:10], K)
    warm.start(x, y)
    Gateways(Can(Zones(2)), l[:10], r[:10])
    start = time.process_time()
    zones = Zones(BROKERS, seed=SEED)
    can = Can(zones)
    gateways = Gateways(can, l, r)
    subscribers = Subscribers(l, r, K)
    subscribers.start(x, y)
    print(
        f"zones, gateways and lists of {SUBSCRIPTIONS:,} subscriptions: "
        f"{time.process_time() - start:.2f} s (bound 30 s)"
    )
    for change in ("leave", "join"):
        times = []
        moved = 0
        for broker in range(0, BROKERS, BROKERS // 10):
            start = time.process_time()
            gave = can.leave(broker) if change == "leave" else can.join(broker, broker)
            moved += len(gateways.rehome(gave))
            times.append(time.process_time() - start)
        print(f"brokers that {change}: {np.median(times):.3f} s each, {moved / len(times):.0f} subscriptions moved")
    got = can.multicast(table, zones.centre)
    count = best_of(3, lambda: gateways.count(table, got))
    match = best_of(3, lambda: gateways.match(table, got))
    offsets, found = gateways.match(table, got)
    print(f"matching: {EVENTS / count:,.0f} events/s counted, {EVENTS / match:,.0f} listed")
    print(f"  per event: {len(found) / EVENTS:.0f} messages received")
    start = time.process_time()
    changed = subscribers.apply(table, offsets, found)
    print(
        f"lists kept: {len(found) / (time.process_time() - start):,.0f} messages/s, {changed} of {len(found)} of use"
    )
    y[events.object] = events.y
    print(f"wrong lists: {len(subscribers.wrong(x, y))}")
    write_rows("multicast", list(sides_rows()), SEED)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB (bound 2 GB)")


if __name__ == "__main__":
    main()
