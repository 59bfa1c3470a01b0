"""The routing tree at full size: building, forwarding, and what small summaries cost in needless hops.

Run as `python -m benchmarks.routing_tree [SUBSCRIPTIONS]`. 1,000 brokers on an INET-3.0 network of 20,000 nodes
carry messages from the server. Two populations: `uniform` ranges at random nodes, where every broker has
subscriptions everywhere, and `local` ones, where those near a broker share its interest: middles within 0.01 of its
place on the map from west to east. The least hops are those of the tree's paths from the server to the brokers where
somebody matches, found by brute force; the ratio is hops taken over them. Times are of the processor, one core.
"""

import resource
import sys
import time

import networkx as nx
import numpy as np
import numpy.typing as npt

from benchmarks.record import best_of, write_rows
from cn import RoutingTree
from topologies import Routes, inet

SUBSCRIPTIONS = 2_000_000
BROKERS = 1_000
NODES = 20_000
MESSAGES = 2_000
EXACT = 200
LIMITS = (4, 16, 64)
SEED = 1
REPEATS = 3

Floats = npt.NDArray[np.float64]
MESSAGE = np.dtype([("l_in", "f8"), ("r_in", "f8"), ("l_out", "f8"), ("r_out", "f8")])


def uniform_ranges(count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    l, r = np.sort(rng.random((2, count)), axis=0)
    return l, r


def local_ranges(graph: "nx.Graph[int]", homes: npt.NDArray[np.int64], brokers: npt.NDArray[np.int64],
                 rng: np.random.Generator) -> tuple[Floats, Floats]:  # fmt: skip
    """Ranges of length up to 0.1; the place of the broker on the map, 0 to 1 from west to east, is their middle."""
    places = np.array([graph.nodes[int(b)]["x"] for b in brokers], np.float64)
    places = (places - places.min()) / (places.max() - places.min())
    middle = places[homes] + rng.uniform(-0.01, 0.01, len(homes))
    half = rng.uniform(0, 0.05, len(homes))
    return middle - half, middle + half


def draw_messages(l: Floats, r: Floats, rng: np.random.Generator) -> npt.NDArray[np.void]:
    """Rectangles with sides of 0.001 to 0.03 that have a random subscription at their corner (l_in, r_in)."""
    seen = rng.integers(len(l), size=MESSAGES)
    table = np.zeros(MESSAGES, MESSAGE)
    table["l_in"], table["r_in"] = l[seen], r[seen]
    table["l_out"] = table["l_in"] - rng.uniform(0.001, 0.03, MESSAGES)
    table["r_out"] = table["r_in"] + rng.uniform(0.001, 0.03, MESSAGES)
    return table


def least_hops(tree: RoutingTree, table: npt.NDArray[np.void], l: Floats, r: Floats,
               homes: npt.NDArray[np.int64]) -> int:  # fmt: skip
    """Links of the paths from the server to the brokers with a match, added over the messages."""
    graph: nx.Graph[int] = nx.Graph(tree.links.tolist())
    parent = dict(nx.bfs_predecessors(graph, tree.centre))
    hops = 0
    for row in table:
        concerned = (row["l_out"] < l) & (l <= row["l_in"]) & (row["r_in"] <= r) & (r < row["r_out"])
        met = {tree.centre}
        for broker in np.unique(homes[concerned]).tolist():
            while broker not in met:
                met.add(broker)
                broker = parent[broker]
        hops += len(met) - 1
    return hops


def measure(name: str, routes: Routes, l: Floats, r: Floats, nodes: npt.NDArray[np.int64],
            rng: np.random.Generator) -> list[dict[str, object]]:  # fmt: skip
    table = draw_messages(l, r, rng)
    ids = np.arange(len(l))
    rows: list[dict[str, object]] = []
    least = 0
    for limit in LIMITS:
        start = time.process_time()
        tree = RoutingTree(routes, limit=limit)
        homes = tree.subscribe(ids, l, r, nodes)
        build = time.process_time() - start
        least = least or least_hops(tree, table[:EXACT], l, r, homes)
        seconds = best_of(REPEATS, lambda tree=tree: tree.multicast(table, tree.centre, routes.hops))  # type: ignore[misc]
        taken = tree.multicast(table[:EXACT], tree.centre)
        tree.subscribe([len(l)], l[:1], r[:1], nodes[:1])  # makes room
        fresh, wider = rng.integers(len(l), size=1000), rng.uniform(0, 0.01, 1000)
        start = time.process_time()
        tree.subscribe(len(l) + 1 + np.arange(1000), l[fresh] - wider, r[fresh] + wider, nodes[fresh])
        joins = 1000 / (time.process_time() - start)
        start = time.process_time()
        gone = tree.centre
        tree.leave(gone)
        crash = time.process_time() - start
        start = time.process_time()
        tree.join(gone)
        back = time.process_time() - start
        row = {
            "population": name, "limit": limit, "build_s": build, "messages_per_s": MESSAGES / seconds,
            "hops_per_message": float(taken.overlay_hops.mean()), "least_hops_per_message": least / EXACT,
            "ratio": float(taken.overlay_hops.sum()) / least, "joins_per_s": joins, "crash_s": crash,
            "return_s": back,
        }  # fmt: skip
        print("  ".join(f"{key} {v:.4g}" if isinstance(v, float) else f"{key} {v}" for key, v in row.items()))
        rows.append(row)
    return rows


def main(subscriptions: int = SUBSCRIPTIONS) -> None:
    rng = np.random.default_rng(SEED)
    graph = inet(NODES, seed=SEED)
    brokers = np.sort(rng.choice(NODES, BROKERS, replace=False))
    routes = Routes.build(graph, brokers)
    tree = RoutingTree(routes, limit=2)  # compiles what building needs
    tree.subscribe(np.arange(9000), *uniform_ranges(9000, rng), rng.integers(NODES, size=9000))
    nodes = rng.integers(NODES, size=subscriptions)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = measure("uniform", routes, *uniform_ranges(subscriptions, rng), nodes, rng)
    homes = tree.home(nodes, nodes, nodes)
    rows += measure("local", routes, *local_ranges(graph, homes, brokers, rng), nodes, rng)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory {peak / 2**20:.2f} GB, {before / 2**20:.2f} GB of it before the subscriptions")
    write_rows("routing_tree", rows, SEED)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
