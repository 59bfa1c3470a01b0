"""What the networks over zones take for the same messages; run with `python -m benchmarks.networks [BROKERS ...]`.

The messages are Paint-Dense's for k = 20 on 10,000 objects, over the triangle, on an INET of 20,000 nodes. Means over
several seeds of objects, events, brokers' nodes and zones, for every network: overlay and IP hops per message; the
delay from the server to the zones reached over that of the IP path (sums over all; it depends on where the server is,
so the least and the most of the seeds stand beside it); contacts or neighbours per broker; of a crash and of a return
the pairs of brokers of which one gets to know the other by it; events multicast per second of processor time; seconds
to make its tables.
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

SEEDS = (1, 2, 3, 4, 5)
NODES, BROKERS, OBJECTS, EVENTS, K = 20_000, (1_000,), 10_000, 100, 20
CHANGES = 10

Make = Callable[[Zones], ZoneNetwork]


def networks(delay_ms: NDArray[np.float64], seed: int) -> Iterator[tuple[str, Make]]:
    """Names of networks, and how each is made of zones."""
    yield "can", Can
    for contacts in ("random", "near"):
        for base in BASES:
            yield (
                f"prefix, base {base}, {contacts}",
                lambda zones, base=base, contacts=contacts: PrefixNetwork(  # type: ignore[misc]
                    zones, delay_ms, base=base, contacts=contacts, seed=seed
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
    """Pairs of brokers of which one knows the other after a change and did not before."""
    before = network.links @ (len(network), 1)
    change()
    return len(np.setdiff1d(network.links @ (len(network), 1), before))


def measure(make: Make, zones: Zones, routes: Routes, table: NDArray[np.void]) -> dict[str, float]:
    """What one network takes."""
    start = time.process_time()
    network = make(zones)
    made = time.process_time() - start
    got = network.multicast(table, network.centre, routes.hops)
    seconds = best_of(3, lambda: network.multicast(table, network.centre, routes.hops))
    hops = network.hops(table, network.centre)
    ends = hops.receivers[hops.delivers]
    delay = delays(hops, routes.delay_ms)[hops.delivers].sum() / routes.delay_ms[network.centre, ends].sum()
    known = len(network.links) / len(network)
    crash, back = 0, 0
    for broker in range(0, len(network), len(network) // CHANGES):
        crash += learnt(network, lambda broker=broker: network.leave(broker))  # type: ignore[misc]
        back += learnt(network, lambda broker=broker: network.join(broker, 0))  # type: ignore[misc]
    return {
        "overlay_hops": float(got.overlay_hops.mean()),
        "ip_hops": float(got.ip_hops.mean()),
        "delay_over_direct": float(delay),
        "known": known,
        "learnt_by_crash": crash / CHANGES,
        "learnt_by_return": back / CHANGES,
        "events_per_s": EVENTS / seconds,
        "made_s": made,
    }


def main(brokers: list[int]) -> None:
    graph = inet(NODES, SEEDS[0])
    rows = []
    for count in brokers:
        found: dict[str, list[dict[str, float]]] = {}
        for seed in SEEDS:
            x, y, events = uniform_workload(OBJECTS, EVENTS, seed)
            table = Server(x, y, k=K, algorithm="dense").replay(events.object, events.y).table
            routes = Routes.build(graph, np.random.default_rng(seed).choice(NODES, count, replace=False))
            for name, make in networks(routes.delay_ms, seed):
                measured = measure(make, Zones(count, seed=seed), routes, table)
                found.setdefault(name, []).append(measured)
            got = Can(Zones(count, seed=seed)).multicast(table, Zones(count, seed=seed).centre)
            ip = routes.hops[Zones(count, seed=seed).centre, got.zones].sum() / len(table)
            straight = {"overlay_hops": len(got.zones) / len(table), "ip_hops": float(ip), "delay_over_direct": 1.0}
            found.setdefault("straight", []).append(straight)
        print(f"{count:,} brokers on {NODES:,} nodes, {EVENTS} events each of seeds {SEEDS}, k = {K}")
        for name, each in found.items():
            means = {key: float(np.mean([one[key] for one in each])) for key in each[0]}
            spread = [one["delay_over_direct"] for one in each]
            told = {"least_delay": min(spread), "most_delay": max(spread)}
            print(f"  {name:24}" + ", ".join(f"{key} {value:,.6g}" for key, value in (means | told).items()))
            rows.append({"network": name, "brokers": count, **dict.fromkeys(found["can"][0]), **means, **told})
    write_rows("networks", rows, SEEDS[0])


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or list(BROKERS))
