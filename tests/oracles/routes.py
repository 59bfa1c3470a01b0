"""Routes by listing every shortest path with networkx, and, where there are too many to list, level by level."""

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


def routes_from(graph: "nx.Graph[int]", source: int) -> dict[int, tuple[int, float, int]]:
    """Hops, delay and the node before it of every node: of those a hop nearer by least delay, then by label."""
    found = {source: (0, 0.0, -1)}
    for hops, layer in enumerate(nx.bfs_layers(graph, [source])):
        for node in layer:
            if hops:
                nearer = (v for v in graph[node] if v in found and found[v][0] == hops - 1)
                delay, before = min((found[v][1] + graph.edges[v, node]["delay_ms"], v) for v in nearer)
                found[node] = (hops, delay, before)
    return found
