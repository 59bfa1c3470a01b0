"""What the networks over zones take for the same messages; run with `python -m benchmarks.networks [BROKERS ...]`.

The messages are Paint-Dense's for k = 20 on 10,000 objects, over the triangle, on an INET of 20,000 nodes. For every
network: overlay and IP hops per message, the delay from the server to the zones reached over that of the IP path
(sums over all), contacts or neighbours per broker, events multicast per second of processor time, and of a crash and
of a return the pairs of brokers that come to know each other by it.
"""

import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.record import best_of, uniform_workload, write_rows
from cn import Can, Hops, PrefixNetwork, ZoneNetwork, Zones
from cn.prefix import BASES
from paint import Server
from topologies import Routes, inet

SEED = 1
NODES, BROKERS, OBJECTS, EVENTS, K = 20_000, (1_000,), 10_000, 500, 20
CHANGES = 10


def networks(brokers: int, delay_ms: NDArray[np.float64]) -> Iterator[tuple[str, Callable[[], ZoneNetwork]]]:
    """Names of networks, and how each is made."""
    yield "can", lambda: Can(Zones(brokers, seed=SEED))
    for contacts in ("random", "near"):
        for base in BASES:
            yield (
                f"prefix, base {base}, {contacts}",
                lambda base=base, contacts=contacts: PrefixNetwork(  # type: ignore[misc]
                    Zones(brokers, seed=SEED), delay_ms, base=base, contacts=contacts, seed=SEED
                ),
            )


def delays(hops: Hops, delay_ms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Delay from the source to the receiver of every hop: add up by steps twice as long each time."""
    total, before = delay_ms[hops.senders, hops.receivers], hops.previous
    while (before >= 0).any():
        total = total + np.where(before >= 0, total[before], 0.0)
        before = np.where(before >= 0, before[before], -1)
    return total


def learnt(network: ZoneNetwork, change: Callable[[], object]) -> int:
    """Pairs of brokers that know each other after a change and did not before."""
    before = {tuple(pair) for pair in network.links.tolist()}
    change()
    return len({tuple(pair) for pair in network.links.tolist()} - before)


def measure(name: str, make: Callable[[], ZoneNetwork], routes: Routes, table: NDArray[np.void]) -> dict[str, object]:
    """A row of results."""
    start = time.process_time()
    network = make()
    made = time.process_time() - start
    got = network.multicast(table, network.centre, routes.hops)
    seconds = best_of(3, lambda: network.multicast(table, network.centre, routes.hops))
    hops = network.hops(table, network.centre)
    ends = hops.receivers[hops.delivers]
    stretch = delays(hops, routes.delay_ms)[hops.delivers].sum() / routes.delay_ms[network.centre, ends].sum()
    known = len(network.links) / len(network)
    crash, back = 0, 0
    for broker in range(0, len(network), len(network) // CHANGES):
        crash += learnt(network, lambda broker=broker: network.leave(broker))  # type: ignore[misc]
        back += learnt(network, lambda broker=broker: network.join(broker, SEED))  # type: ignore[misc]
    row = {
        "network": name,
        "brokers": len(network),
        "overlay_hops": round(got.overlay_hops.mean(), 3),
        "ip_hops": round(got.ip_hops.mean(), 3),
        "delay_over_direct": round(stretch, 3),
        "known_per_broker": round(known, 1),
        "learnt_after_crash": crash / CHANGES,
        "learnt_after_return": back / CHANGES,
        "events_per_s": round(EVENTS / seconds),
        "made_s": round(made, 3),
    }
    print("  ".join(f"{value:>{len(key)}}" if key != "network" else f"{value:24}" for key, value in row.items()))
    return row


def main(brokers: list[int]) -> None:
    x, y, events = uniform_workload(OBJECTS, EVENTS, SEED)
    table = Server(x, y, k=K, algorithm="dense").replay(events.object, events.y).table
    graph = inet(NODES, SEED)
    rows = []
    print(f"{EVENTS} events, {len(table) / EVENTS:.1f} messages per event, k = {K}, {NODES:,} nodes, seed {SEED}")
    for count in brokers:
        routes = Routes.build(graph, np.random.default_rng(SEED).choice(NODES, count, replace=False))
        for name, make in networks(count, routes.delay_ms):
            rows.append(measure(name, make, routes, table))
            if len(rows) == 1:
                print(f"{'':24}  {'  '.join(list(rows[0])[1:])}")
        straight = Can(Zones(count, seed=SEED))
        got = straight.multicast(table, straight.centre)
        ip = routes.hops[straight.centre, got.zones].sum() / len(table)
        print(f"straight to every zone: {len(got.zones) / len(table):.3f} overlay hops, {ip:.3f} IP hops per message")
    write_rows("networks", rows, SEED)


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or list(BROKERS))
