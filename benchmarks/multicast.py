"""Times of zones, routing, multicast and matching; run with `python -m benchmarks.multicast`.

The messages are Paint-Dense's for k = 20 on 10,000 objects. Overlay hops are put beside the fewest that can do: a
tree over the zones concerned and the shortest way from the server to the nearest of them.
"""

import resource
import time

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from benchmarks.record import best_of, uniform_workload
from cn import Can, Deliveries, Gateways, Subscribers, Zones
from paint import Server

SEED = 1
OBJECTS, EVENTS, BROKERS, SUBSCRIPTIONS, K = 10_000, 1_000, 1_000, 2_000_000, 20


def fewest_hops(zones: Zones, got: Deliveries) -> npt.NDArray[np.int64]:
    """Shortest way to the nearest zone concerned, and one hop to each of the others."""
    sides, neighbours = zones.table.sides, zones.table.neighbours
    starts = np.append(sides[:, 0], sides[-1, 4])
    graph = csr_array((np.ones(len(neighbours)), neighbours, starts), shape=(len(zones), len(zones)))
    away = dijkstra(graph, unweighted=True, indices=[zones.server])[0]
    nearest = np.minimum.reduceat(away[got.zones], got.offsets[:-1])
    return nearest.astype(np.int64) + got.zones_reached - 1


def main() -> None:
    rng = np.random.default_rng(SEED)
    x, y, events = uniform_workload(OBJECTS, EVENTS, SEED)
    table = Server(x, y, k=K, algorithm="dense").replay(events.object, events.y).table
    ip_hops = rng.integers(1, 8, (BROKERS, BROKERS))
    l, r = np.sort(rng.random((2, SUBSCRIPTIONS)), axis=0)
    print(f"{EVENTS} events, {len(table) / EVENTS:.1f} messages per event, {BROKERS} brokers, k = {K}, seed {SEED}")
    for space in ("triangle", "square"):
        zones = Zones(BROKERS, seed=SEED, space=space)
        can = Can(zones)
        got = can.multicast(table, zones.server, ip_hops)
        seconds = best_of(5, lambda can=can: can.multicast(table, can.server, ip_hops))  # type: ignore[misc]
        each = seconds / len(table) * 1e6
        print(f"{space}: {EVENTS / seconds:,.0f} events/s (bound 3,000), {each:.2f} us per message")
        print(f"  per event: {got.overlay_hops.sum() / EVENTS:.0f} overlay hops, {len(got.zones) / EVENTS:.0f} zones")
        print(f"  overlay hops against the fewest: {got.overlay_hops.sum() / fewest_hops(zones, got).sum():.3f}")
    zones = Zones(BROKERS, seed=SEED)
    can = Can(zones)
    Gateways(can, l[:10], r[:10])
    start = time.perf_counter()
    gateways = Gateways(can, l, r)
    print(f"gateways of {SUBSCRIPTIONS:,} subscriptions: {time.perf_counter() - start:.2f} s")
    got = can.multicast(table, zones.server)
    count = best_of(3, lambda: gateways.count(table, got))
    match = best_of(3, lambda: gateways.match(table, got))
    offsets, found = gateways.match(table, got)
    print(f"matching: {EVENTS / count:,.0f} events/s counted, {EVENTS / match:,.0f} listed")
    print(f"  per event: {len(found) / EVENTS:.0f} messages received")
    subscribers = Subscribers(l, r, K)
    print(f"lists filled: {best_of(1, lambda: subscribers.start(x, y)):.2f} s (first use compiles)")
    start = time.perf_counter()
    changed = subscribers.apply(table, offsets, found)
    print(
        f"lists kept: {len(found) / (time.perf_counter() - start):,.0f} messages/s, {changed} of {len(found)} of use"
    )
    y[events.object] = events.y
    print(f"wrong lists: {len(subscribers.wrong(x, y))}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
