"""What the three networks take for the same messages: `python -m benchmarks.networks [BROKERS ...] [--plot]`.

The messages are Paint-Dense's for k = 20 on 10,000 objects, over the triangle, on an INET of 20,000 nodes, from one
server, the broker in the middle of the zones; 200,000 subscriptions at random nodes are told. A tree's ways depend on
who is behind its links, so it has a second row, "regional": those at one broker ask for much the same, the ranges
around its place on the map. Means over several seeds of objects, events, subscriptions, brokers' nodes and zones:

* overlay and IP hops per message, brokers that are reached to tell somebody (on zones: whose zone the message meets),
  and copies that the busiest broker sends;
* delay from the server to these brokers over that of the IP path, and on to the nodes of those told over that of the
  IP path to there (sums over all);
* contacts or neighbours per broker, and of the one with most;
* of a crash and of a return: pairs of brokers of which one gets to know the other by it, links whose summary changes,
  subscriptions that change their gateway, and hops from the server to the broker that shares its zone with one that
  returns;
* events multicast per second of processor time; seconds to make the tables, and to mend them after a change;
* of overlay hops and of the delay to brokers the least and the most of the seeds: the one depends on where zones
  happen to be split, the other on where the server is.

What is bounded is printed with its bound at the end, which fails if one does not hold. All bases are measured at
1,000 brokers only. At 5,000 what is bounded and `can` have all seeds, and all else, as everything above that, the
first alone. Every size leaves results/networks-BROKERS.csv; `--plot` draws docs/networks.png from all that are there
and judges them, and measures from 100 to 10,000 brokers unless sizes are given.
"""

import csv
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from benchmarks.network_growth import draw_growth
from benchmarks.record import RESULTS, best_of, uniform_workload, write_rows
from cn import Can, Gateways, PrefixNetwork, RoutingTree, Zones
from cn.prefix import BASES
from paint import Server
from simulator.engine.journeys import travelled
from topologies import Routes, inet

SEEDS = (1, 2, 3, 4, 5)
NODES, BROKERS, OBJECTS, SUBSCRIPTIONS, EVENTS, K = 20_000, (1_000, 5_000), 10_000, 200_000, 100, 20
PLOTTED = (100, 300, 1_000, 3_000, 5_000, 10_000)
PLOTTED_NETWORKS = ("can", "prefix, base 2, near", "prefix, base 16, near", "tree", "tree, regional")
ALL_WAYS = 1_000
CHANGES = 10
HOPS_AT_ONCE = 20_000_000
"""At most so many hops are in memory, if every broker gets every message."""
SHORT = "prefix, base 16, near"
FEW_SEEDS = 5_000
"""Networks of so many brokers have all seeds only of `ALL_SEEDS`, larger ones one seed."""
ALL_SEEDS = ("can", SHORT)
AT_MOST = {1_000: {"overlay_hops": 2.6, "ip_hops": 7.6, "delay_over_direct": 1.5}, 5_000: {"overlay_hops": 3.3}}
AT_LEAST = {1_000: {"events_per_s": 3_000.0}}

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Means = dict[str, float]
Compared = Can | PrefixNetwork | RoutingTree


class Case(NamedTuple):
    """What all networks of one seed share."""

    seed: int
    routes: Routes
    table: NDArray[np.void]
    server: int
    nodes: Ints
    """Node of each subscription."""
    uniform: tuple[Floats, Floats]
    regional: tuple[Floats, Floats]
    last_ms: dict[bool, NDArray[np.float32]]
    """Delays from gateways to subscriptions, of a tree or not: both networks over zones have the same gateways."""


class Way(NamedTuple):
    """A network, and whom it serves."""

    make: Callable[[], Compared]
    subscriptions: tuple[Floats, Floats]


def case_of(graph: "nx.Graph[int]", brokers: int, seed: int) -> Case:
    """Draw what a seed decides."""
    x, y, events = uniform_workload(OBJECTS, EVENTS, seed)
    table = Server(x, y, k=K, algorithm="dense").replay(events.object, events.y).table
    rng = np.random.default_rng(seed)
    routes = Routes.build(graph, rng.choice(NODES, brokers, replace=False))
    nodes = rng.integers(NODES, size=SUBSCRIPTIONS)
    l, r = np.sort(rng.random((2, SUBSCRIPTIONS)), axis=0)
    # From west to east on the map is from 0 to 1 of x: ranges of length up to 0.1 around the nearest broker's place.
    west_to_east = np.array([graph.nodes[int(node)]["x"] for node in routes.brokers]) / 10_000
    nearest = routes.nearest(np.ones(brokers, np.bool_))
    middle = west_to_east[nearest[nodes]] + rng.uniform(-0.01, 0.01, SUBSCRIPTIONS)
    half = rng.uniform(0, 0.05, SUBSCRIPTIONS)
    server = Zones(brokers, seed=seed).centre
    return Case(seed, routes, table, server, nodes, (l, r), (middle - half, middle + half), {})


def ways_of(case: Case) -> Iterator[tuple[str, Way]]:
    """Names of networks, and how each is made."""
    brokers = len(case.routes.brokers)
    yield "can", Way(lambda: Can(Zones(brokers, seed=case.seed)), case.uniform)
    for contacts in ("random", "near"):
        for base in BASES:
            make = lambda base=base, contacts=contacts: PrefixNetwork(  # noqa: E731
                Zones(brokers, seed=case.seed), case.routes.delay_ms, base=base, contacts=contacts, seed=case.seed
            )
            yield f"prefix, base {base}, {contacts}", Way(make, case.uniform)
    yield "tree", Way(lambda: RoutingTree(case.routes), case.uniform)
    yield "tree, regional", Way(lambda: RoutingTree(case.routes), case.regional)


def measure(way: Way, case: Case) -> Means:
    """What one network takes."""
    start = time.process_time()
    network = way.make()
    gateways = Gateways(network, *way.subscriptions, nodes=case.nodes)
    made_s = time.process_time() - start
    at_once = HOPS_AT_ONCE // len(network)
    parts = [case.table[first : first + at_once] for first in range(0, len(case.table), at_once)]
    runs, seconds = 1 if isinstance(network, RoutingTree) else 3, 0.0
    for part in parts:
        seconds += best_of(runs, lambda part=part: network.multicast(part, case.server, case.routes.hops))  # type: ignore[misc]
    known = np.bincount(pairs_known(network) // len(network), minlength=len(network))
    return {
        **followed(network, gateways, case, parts),
        "known": float(known.mean()),
        "most_known": float(known.max()),
        "events_per_s": EVENTS / seconds,
        "made_s": made_s,
        **changed(network, gateways, case),
    }


def followed(network: Compared, gateways: Gateways, case: Case, parts: list[NDArray[np.void]]) -> Means:
    """What the messages take, added up part by part."""
    routes, server, brokers = case.routes, case.server, len(network)
    tree = isinstance(network, RoutingTree)
    if tree not in case.last_ms:
        case.last_ms[tree] = routes.node_delays(gateways.home, case.nodes)
    last_ms = case.last_ms[tree]
    direct_ms = routes.row(server).delay_ms[case.nodes]
    sums = dict.fromkeys(("overlay", "ip", "reached", "along_ms", "straight_ms", "told_ms", "told_straight_ms"), 0.0)
    sent = np.zeros(brokers, np.int64)
    for part in parts:
        hops = network.hops(part, server)
        arrives_ms = travelled(hops.previous, routes.delay_ms[hops.senders, hops.receivers])
        sent += np.bincount(hops.senders, minlength=brokers)
        sums["overlay"] += len(hops.senders)
        sums["ip"] += routes.hops[hops.senders, hops.receivers].sum(dtype=np.int64)
        sums["reached"] += hops.delivers.sum() + hops.at_source.sum()
        sums["along_ms"] += arrives_ms[hops.delivers].sum()
        sums["straight_ms"] += routes.delay_ms[server, hops.receivers[hops.delivers]].sum()
        message = np.repeat(np.arange(len(part)), np.diff(hops.offsets))
        # Delays by message and broker, those of the server's own subscriptions being 0.
        key = np.append(message * brokers + hops.receivers, np.arange(len(part)) * brokers + server)
        order = np.argsort(key, kind="stable")
        offsets, told = gateways.match(part, network.multicast(part, server))
        asked = np.repeat(np.arange(len(part)), np.diff(offsets)) * brokers + gateways.home[told]
        delay_ms = np.append(arrives_ms, np.zeros(len(part)))[order[np.searchsorted(key, asked, sorter=order)]]
        sums["told_ms"] += (delay_ms + last_ms[told]).sum()
        sums["told_straight_ms"] += direct_ms[told].sum()
    messages = len(case.table)
    return {
        "overlay_hops": sums["overlay"] / messages,
        "ip_hops": sums["ip"] / messages,
        "reached": sums["reached"] / messages,
        "busiest_sends": sent.max() / messages,
        "delay_over_direct": sums["along_ms"] / sums["straight_ms"],
        "delay_to_subscribers_over_direct": sums["told_ms"] / sums["told_straight_ms"],
    }


def changed(network: Compared, gateways: Gateways, case: Case) -> Means:
    """What crashes and returns take, one broker after the other, each back before the next goes."""
    found: dict[str, list[float]] = {}
    seconds = 0.0
    for broker in [b for b in range(0, len(network), len(network) // CHANGES) if b != case.server][:CHANGES]:
        for name in ("crash", "return"):
            knew, said = pairs_known(network), summaries(network)
            start = time.process_time()
            gave = network.leave(broker) if name == "crash" else network.join(broker, broker)
            known = pairs_known(network)
            seconds += time.process_time() - start
            if name == "return" and not isinstance(network, RoutingTree):
                (keeper,) = gave.tolist()
                found.setdefault("hops_to_return", []).append(len(network.path(case.server, keeper)) - 1)
            found.setdefault(f"learnt_by_{name}", []).append(len(np.setdiff1d(known, knew)))
            says = summaries(network)
            differ = sum(text != said.get(link) for link, text in says.items())
            found.setdefault(f"summaries_by_{name}", []).append(differ)
            found.setdefault(f"moved_by_{name}", []).append(len(gateways.rehome(gave)))
    means = {name: float(np.mean(values)) for name, values in found.items()}
    return means | {"change_s": seconds / 2 / CHANGES}


def pairs_known(network: Compared) -> Ints:
    """A broker times their number, plus one that it knows."""
    links = network.links
    if isinstance(network, RoutingTree):
        links = np.concatenate((links, links[:, ::-1]))
    return links @ (len(network), 1)


def summaries(network: Compared) -> dict[tuple[int, int], bytes]:
    """What each broker of a tree knows of what is behind each of its links; nothing of other networks."""
    if not isinstance(network, RoutingTree):
        return {}
    table, n = network.table, len(network)
    owners = np.repeat(np.arange(n), np.diff(table.starts)).tolist()
    ends = zip(owners, table.neighbours.tolist(), strict=True)
    return {ends_of: table.boxes[n + e, : table.counts[n + e]].tobytes() for e, ends_of in enumerate(ends)}


def straight(case: Case) -> Means:
    """What it would take from the server to every zone concerned."""
    zones = Can(Zones(len(case.routes.brokers), seed=case.seed)).multicast(case.table, case.server).zones
    there = zones[zones != case.server]
    ip = case.routes.hops[case.server, there].sum(dtype=np.int64)
    messages = len(case.table)
    return {
        "overlay_hops": len(there) / messages,
        "ip_hops": float(ip) / messages,
        "reached": len(zones) / messages,
        "delay_over_direct": 1.0,
    }


def means_of(graph: "nx.Graph[int]", brokers: int) -> dict[str, Means]:
    """Means over seeds, of all networks or of those of the plot."""
    found: dict[str, list[Means]] = {}
    for seed in SEEDS if brokers <= FEW_SEEDS else SEEDS[:1]:
        start = time.process_time()
        case = case_of(graph, brokers, seed)
        for name, way in ways_of(case):
            wanted = brokers == ALL_WAYS or name in PLOTTED_NETWORKS
            if wanted and (brokers < FEW_SEEDS or seed == SEEDS[0] or name in ALL_SEEDS):
                found.setdefault(name, []).append(measure(way, case))
        found.setdefault("straight", []).append(straight(case))
        print(f"seed {seed} of {brokers:,} brokers: {time.process_time() - start:.0f} s", file=sys.stderr, flush=True)
    print(f"{brokers:,} brokers on {NODES:,} nodes, {EVENTS} events of each seed, k = {K}")
    rows = {}
    for name, each in found.items():
        columns = {key: [one[key] for one in each] for key in each[0]}
        rows[name] = {"seeds": float(len(each))} | {key: float(np.mean(values)) for key, values in columns.items()}
        for key in ("overlay_hops", "delay_over_direct"):
            rows[name] |= {f"least_{key}": min(columns[key]), f"most_{key}": max(columns[key])}
        print(f"  {name:24}" + ", ".join(f"{key} {value:,.4g}" for key, value in rows[name].items()), flush=True)
    every = dict.fromkeys(rows["can"])
    write_rows(f"networks-{brokers}", [{"network": name, **every, **means} for name, means in rows.items()], SEEDS[0])
    return rows


def measured() -> dict[int, dict[str, Means]]:
    """Means of all sizes that were ever measured here, by number of brokers and network."""
    found: dict[int, dict[str, Means]] = {}
    for path in RESULTS.glob("networks-*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            rows = {row.pop("network"): row for row in csv.DictReader(file)}
        about = ("seed", "commit", "machine")
        found[int(path.stem.rpartition("-")[2])] = {
            name: {key: float(value) for key, value in row.items() if value and key not in about}
            for name, row in rows.items()
        }
    return dict(sorted(found.items()))


def judged(found: dict[int, dict[str, Means]]) -> bool:
    """Print what is bounded with its bound; whether all is as it should be."""
    right = True
    for bounds, rule in ((AT_MOST, "at most"), (AT_LEAST, "at least")):
        for brokers, columns in bounds.items():
            for name, bound in columns.items() if brokers in found else ():
                value = found[brokers][SHORT][name]
                holds = value <= bound if bounds is AT_MOST else value >= bound
                right &= holds
                beside = f"; can {found[brokers]['can'][name]:,.4g}"
                told = f"{name} {value:,.4g} (bound: {rule} {bound:,g}{beside})"
                print(f"{'ok    ' if holds else 'FAILED'} {SHORT}, {brokers:,} brokers: {told}")
    return right


def main(words: list[str]) -> int:
    plot = "--plot" in words
    brokers = [int(word) for word in words if word != "--plot"] or (PLOTTED if plot else BROKERS)
    graph = inet(NODES, SEEDS[0])
    found = {count: means_of(graph, count) for count in brokers}
    if plot:
        found = measured()
        print(draw_growth(found))
    return int(not judged(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
