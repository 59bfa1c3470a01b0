"""Times of the INET-3.0 model and of routes; run with `python -m benchmarks.topologies`.

Each figure is the best of a few runs after the kernels are compiled, beside the bound it must keep. A ratio puts our
routes beside `scipy.sparse.csgraph.dijkstra`, which finds hops only.
"""

import resource
import tempfile
from pathlib import Path

import networkx as nx
import numpy as np
from scipy.sparse.csgraph import dijkstra

from benchmarks.record import best_of
from topologies import MODELS, Routes, inet, read_network, write_network


def report(what: str, seconds: float, bound: float | None = None) -> None:
    print(f"{what:<62} {seconds:8.2f} s" + ("" if bound is None else f"   (bound {bound:g} s)"), flush=True)


def main() -> None:
    warm = inet(3_037, 0)
    Routes.build(warm, [0, 1]).crossings()
    report("inet, 20,000 nodes", best_of(3, lambda: inet(20_000, 1)), 5)
    report("inet, 100,000 nodes", best_of(1, lambda: inet(100_000, 1)), 60)
    for name in sorted(set(MODELS) - {"inet"}):
        report(f"{name}, 20,000 nodes", best_of(2, lambda name=name: MODELS[name](20_000, 1)))  # type: ignore[misc]

    graph = inet(20_000, 1)
    brokers = np.random.default_rng(1).choice(20_000, 1_000, replace=False)
    ours = best_of(3, lambda: Routes.build(graph, brokers))
    report("routes, 1,000 brokers on 20,000 nodes", ours, 10)
    matrix = nx.to_scipy_sparse_array(graph, weight=None, format="csr")
    peer = best_of(1, lambda: dijkstra(matrix, unweighted=True, indices=brokers[:200])) * 5
    report(f"the hops alone by dijkstra ({peer / ours:.1f} times ours)", peer)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "network.inet"
        report("write 20,000 nodes as INET text", best_of(1, lambda: write_network(graph, file)))
        report("read them back", best_of(1, lambda: read_network(file)))
    routes = Routes.build(graph, brokers)
    report("link load of a million pairs", best_of(3, routes.crossings))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"routes hold {routes.nbytes / 1e6:.0f} MB; peak of this process {peak / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
