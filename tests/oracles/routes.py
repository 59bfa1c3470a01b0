"""Routes by listing every shortest path with networkx."""

import networkx as nx


def best_path(graph: "nx.Graph[int]", source: int, target: int) -> list[int]:
    """Fewest hops, then least delay summed from the source, then the labels read from the target back."""

    def cost(path: list[int]) -> tuple[float, list[int]]:
        delay = 0.0
        for u, v in nx.utils.pairwise(path):
            delay += graph.edges[u, v]["delay_ms"]
        return delay, path[::-1]

    return min(nx.all_shortest_paths(graph, source, target), key=cost)


def path_delay(graph: "nx.Graph[int]", path: list[int]) -> float:
    """Sum of the delays along a path."""
    return float(sum(graph.edges[link]["delay_ms"] for link in nx.utils.pairwise(path)))


def path_bandwidth(graph: "nx.Graph[int]", path: list[int]) -> float:
    """Smallest bandwidth along a path."""
    return float(min((graph.edges[link]["bandwidth_mbps"] for link in nx.utils.pairwise(path)), default=float("inf")))
