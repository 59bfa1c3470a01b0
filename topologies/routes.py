"""Routes between brokers, and from brokers to every node, by fewest hops.

IP packets take the path of fewest hops; among those, the one of least delay; among those, the one whose node
before the last has the smallest label, and so on back to the broker. The rule decides every tie, so the same
network gives the same routes whatever the order of its links. Hop counts are the same both ways. Delays are too, up
to rounding; the way back may use other links only where both hops and delay tie.
"""

import hashlib
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from floor.files import whole
from floor.kernels import njit
from floor.seals import seal
from topologies.arguments import check_graph, integer
from topologies.errors import TopologyError

__all__ = ["Routes"]


@dataclass(frozen=True, eq=False)
class Routes:
    """Paths of fewest hops from B brokers to the N nodes of a network with E links; make one with `Routes.build`.

    Attributes
    ----------
    brokers : int64 array (B,)
        Node of each broker; two brokers may share a node.
    hops : int32 array (B, B)
        IP hops from broker to broker.
    delay_ms : float64 array (B, B)
        Sum of the delays along the path, from the first broker on.
    bandwidth_mbps : float64 array (B, B)
        Smallest bandwidth along the path; infinite between brokers of one node.
    node_hops : int32 array (B, N)
        IP hops from each broker to each node.
    node_delay_ms : float32 array (B, N)
        The delays to each node, in single precision to save memory.
    links : int32 array (E, 2)
        Ends of each link, smaller label first, in ascending order.
    via : int32 array (B, N)
        Number of the last link on the way from the broker to the node; -1 at the broker itself.

    Notes
    -----
    Memory: 12 bytes for each broker and node, 20 for each pair of brokers (1,000 brokers on 20,000 nodes: 260 MB; on
    100,000 nodes: 1.2 GB).
    """

    brokers: NDArray[np.int64]
    hops: NDArray[np.int32]
    delay_ms: NDArray[np.float64]
    bandwidth_mbps: NDArray[np.float64]
    node_hops: NDArray[np.int32]
    node_delay_ms: NDArray[np.float32]
    links: NDArray[np.int32]
    via: NDArray[np.int32]

    @classmethod
    def build(
        cls, graph: "nx.Graph[int]", brokers: Sequence[int] | NDArray[np.integer], cache: Path | None = None
    ) -> "Routes":
        """Find the routes from every broker by breadth-first search.

        Parameters
        ----------
        graph : networkx.Graph
            Connected, nodes 0..N-1, links with `delay_ms` and `bandwidth_mbps`.
        brokers : sequence of int
            Node of each broker, shape (B,), at least one.
        cache : Path, optional
            Directory in which to keep the routes, 4 bytes for each broker and node. The file is named after a hash of
            the links, their attributes and the brokers; one that is not what was put there is made anew.

        Raises
        ------
        ValueError
            When the labels are not 0..N-1, a broker is not among them, or the graph is directed or has loops.
        TopologyError
            When the graph is not connected, or a link lacks an attribute or has a meaningless one.

        Notes
        -----
        O(B (N + E)) time: `scipy.sparse.csgraph.breadth_first_order` orders the nodes by hops from each broker, then
        a kernel picks the best last link of every node in that order.
        """
        nodes = check_graph(graph)
        places = _check_brokers(brokers, nodes)
        links, delays, bandwidths = _link_table(graph)
        file = None if cache is None else cache / f"{_content_hash(nodes, links, delays, bandwidths, places)}.npz"
        via = None if file is None else _load(file, (len(places), nodes), len(links))
        if via is None:
            via = _search(nodes, links, delays, places)
            if file is not None:
                _store(file, via)
        node_hops, node_delay, hops, delay, bandwidth = _measure(via, links, delays, bandwidths, places)
        return cls(places, hops, delay, bandwidth, node_hops, node_delay, links, via)

    def path(self, i: int, j: int) -> list[int]:
        """Nodes on the way from broker i to broker j, both included; O(hops)."""
        return self.node_path(i, int(self.brokers[integer("j", j, 0, len(self.brokers) - 1)]))

    def node_path(self, i: int, node: int) -> list[int]:
        """Nodes on the way from broker i to a node, both included; O(hops)."""
        i = integer("i", i, 0, len(self.brokers) - 1)
        path = [integer("node", node, 0, self.via.shape[1] - 1)]
        while (link := self.via[i, path[-1]]) >= 0:
            path.append(int(self.links[link].sum()) - path[-1])
        return path[::-1]

    def link_load(self, pairs_bytes: ArrayLike) -> NDArray[np.float64]:
        """Bytes that cross each link when broker i sends `pairs_bytes[i, j]` bytes to broker j.

        Parameters
        ----------
        pairs_bytes : array (B, B)
            Traffic between brokers; not negative.

        Returns
        -------
        float64 array (E,)
            Load of `links[e]`, both directions added. It adds up to the sum of `pairs_bytes * hops`.

        Notes
        -----
        O(B² + E + hops of the pairs that send), compiled.
        """
        traffic = np.ascontiguousarray(pairs_bytes, dtype=np.float64)
        if traffic.shape != self.hops.shape:
            raise ValueError(
                f"pairs_bytes must have shape {self.hops.shape} (a row and a column for each broker), "
                f"got {traffic.shape}"
            )
        sound = np.isfinite(traffic) & (traffic >= 0)
        if not sound.all():
            i, j = np.argwhere(~sound)[0].tolist()
            raise ValueError(f"pairs_bytes must be finite and not negative, got {traffic[i, j]} from {i} to {j}")
        return _add_loads(self.via, self.links, self.brokers, traffic)


def _check_brokers(brokers: Sequence[int] | NDArray[np.integer], nodes: int) -> NDArray[np.int64]:
    """Brokers as an array of node labels, or an error that names the first wrong one."""
    if not isinstance(brokers, Iterable):
        raise TypeError(f"brokers must be a sequence of nodes, got {brokers!r}")
    places = np.asarray([integer("every broker", broker) for broker in brokers], dtype=np.int64)
    if len(places) == 0:
        raise ValueError("brokers must name at least one node, got none")
    wrong = places[(places < 0) | (places >= nodes)]
    if len(wrong):
        raise ValueError(f"brokers must be nodes between 0 and {nodes - 1}, got {wrong[0]}")
    return places


def _link_table(graph: "nx.Graph[int]") -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """Links (smaller end first, ascending), their delays and their bandwidths."""
    count = graph.number_of_edges()
    edges = list(graph.edges(data=True))
    links = np.array([(u, v) for u, v, _ in edges], np.int32).reshape(count, 2)
    links.sort(axis=1)
    order = np.lexsort((links[:, 1], links[:, 0]))
    columns = []
    for name, least in (("delay_ms", 0.0), ("bandwidth_mbps", np.nextafter(0.0, 1.0))):
        try:
            column = np.array([attributes.get(name) for _, _, attributes in edges], np.float64)
        except (TypeError, ValueError):
            column = np.full(count, np.nan)
        if not (np.isfinite(column) & (column >= least)).all():
            rule = "at least 0" if least == 0 else "positive"
            raise TopologyError(f"{name} of every link must be finite and {rule}; topologies.fill adds missing ones")
        columns.append(column[order])
    return links[order], columns[0], columns[1]


def _content_hash(nodes: int, *arrays: NDArray[np.generic]) -> str:
    """Name of the cache file: everything the routes follow from, and the version of the rule."""
    digest = hashlib.sha256(f"routes 1 {nodes}".encode())
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


def _load(file: Path, shape: tuple[int, int], links: int) -> NDArray[np.int32] | None:
    """Read the last links from the cache; None when the file is missing, damaged, or that of other routes."""
    try:
        with np.load(file, allow_pickle=False) as stored:
            via: NDArray[np.int32] = stored["via"]
            sealed = str(stored["seal"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, MemoryError):
        return None
    sound = via.dtype == np.int32 and via.shape == shape and via.min() == -1 and via.max() < links
    # The kernels follow these links without looking where they lead.
    return via if sound and sealed == seal(file.name, via) else None


def _store(file: Path, via: NDArray[np.int32]) -> None:
    """Write the last links to the cache."""
    with whole(file) as partial, partial.open("wb") as stream:
        np.savez(stream, via=via, seal=np.array(seal(file.name, via)))


def _search(
    nodes: int, links: NDArray[np.int32], delays: NDArray[np.float64], brokers: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Last link of the route from each broker to each node, shape (B, N)."""
    tail = np.concatenate((links[:, 0], links[:, 1]))
    head = np.concatenate((links[:, 1], links[:, 0]))
    # Neighbours in ascending order: the kernel keeps the first of equal candidates.
    order = np.lexsort((head, tail))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(tail, minlength=nodes)))).astype(np.int32)
    head = head[order]
    number = np.tile(np.arange(len(links), dtype=np.int32), 2)[order]
    matrix = csr_array((np.ones(len(head)), head, indptr), shape=(nodes, nodes))
    via = np.empty((len(brokers), nodes), dtype=np.int32)
    for row, broker in zip(via, brokers, strict=True):
        reached = breadth_first_order(matrix, int(broker), directed=True, return_predecessors=False)
        if len(reached) < nodes:
            raise TopologyError(
                f"the network is not connected: node {broker} reaches {len(reached)} of {nodes} nodes; "
                "keep its largest component"
            )
        _choose(reached, indptr, head, number, delays, row)
    return via


@njit
def _choose(reached: NDArray[np.int32], indptr: NDArray[np.int32], head: NDArray[np.int32],
            number: NDArray[np.int32], delays: NDArray[np.float64], via: NDArray[np.int32]) -> None:  # fmt: skip
    """Pick the last link to every node, given the nodes in order of hops from the first of them."""
    hops = np.full(len(via), -1, np.int32)
    delay = np.empty(len(via), np.float64)
    hops[reached[0]] = 0
    delay[reached[0]] = 0.0
    via[reached[0]] = -1
    for a in range(len(reached)):
        v = reached[a]
        if a > 0:
            delay[v] = np.inf
            for b in range(indptr[v], indptr[v + 1]):
                u = head[b]
                if hops[u] == hops[v] - 1 and delay[u] + delays[number[b]] < delay[v]:
                    delay[v] = delay[u] + delays[number[b]]
                    via[v] = number[b]
        for b in range(indptr[v], indptr[v + 1]):
            if hops[head[b]] < 0:
                hops[head[b]] = hops[v] + 1


@njit
def _measure(
    via: NDArray[np.int32], links: NDArray[np.int32], delays: NDArray[np.float64], bandwidths: NDArray[np.float64],
    brokers: NDArray[np.int64],
) -> tuple[
    NDArray[np.int32], NDArray[np.float32], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]
]:  # fmt: skip
    """Follow the last links: hops and delays to all nodes; hops, delays and bottlenecks between brokers."""
    count, nodes = via.shape
    node_hops = np.full((count, nodes), -1, np.int32)
    node_delay = np.empty((count, nodes), np.float32)
    hops = np.empty((count, count), np.int32)
    delay = np.empty((count, count), np.float64)
    bandwidth = np.empty((count, count), np.float64)
    exact = np.empty(nodes, np.float64)
    bottleneck = np.empty(nodes, np.float64)
    stack = np.empty(nodes, np.int64)
    for i in range(count):
        node_hops[i, brokers[i]] = 0
        exact[brokers[i]] = 0.0
        bottleneck[brokers[i]] = np.inf
        for node in range(nodes):
            v = node
            height = 0
            while node_hops[i, v] < 0:
                stack[height] = v
                height += 1
                v = links[via[i, v], 0] + links[via[i, v], 1] - v
            while height > 0:
                height -= 1
                w = stack[height]
                link = via[i, w]
                node_hops[i, w] = node_hops[i, v] + 1
                exact[w] = exact[v] + delays[link]
                bottleneck[w] = min(bottleneck[v], bandwidths[link])
                v = w
            node_delay[i, node] = exact[node]
        for j in range(count):
            hops[i, j] = node_hops[i, brokers[j]]
            delay[i, j] = exact[brokers[j]]
            bandwidth[i, j] = bottleneck[brokers[j]]
    return node_hops, node_delay, hops, delay, bandwidth


@njit
def _add_loads(via: NDArray[np.int32], links: NDArray[np.int32], brokers: NDArray[np.int64],
               traffic: NDArray[np.float64]) -> NDArray[np.float64]:  # fmt: skip
    """Add the bytes of every pair of brokers to the links on its path."""
    load = np.zeros(len(links), np.float64)
    for i in range(len(brokers)):
        for j in range(len(brokers)):
            if traffic[i, j] == 0.0:
                continue
            v = brokers[j]
            while via[i, v] >= 0:
                link = via[i, v]
                load[link] += traffic[i, j]
                v = links[link, 0] + links[link, 1] - v
    return load
