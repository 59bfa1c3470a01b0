"""Routes between brokers, and from brokers to every node, by fewest hops.

IP packets take the path of fewest hops; among those, the one of least delay; among those, the one whose node
before the last has the smallest label, and so on back to the broker. The rule decides every tie, so the same
network gives the same routes whatever the order of its links. Hop counts are the same both ways. Delays are too, up
to rounding; the way back may use other links only where both hops and delay tie.

Of every pair of brokers hops, delay and bandwidth are kept, in 10 bytes where no node is further than 127 hops from
the first broker and links have at most 255 bandwidths. What lies between, and what leads to other nodes, is found by
a search from the broker when it is asked for: 20 bytes for each node, while it is needed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from floor.kernels import njit
from floor.steps import Advance
from topologies.arguments import integer
from topologies.searches import LinkTable, Row, nearest_sources, search

__all__ = ["Bottlenecks", "PairBytes", "Routes"]

Ints = NDArray[np.int64]


class PairBytes(NamedTuple):
    """What brokers sent each other, as columns; a pair may have several rows."""

    sender: Ints
    receiver: Ints
    size_bytes: Ints


class Bottlenecks:
    """Smallest bandwidth along the path of each pair of B brokers, in Mbps: indexed as a float64 array (B, B) is.

    Kept as the places of the bandwidths among those that links have.

    Parameters
    ----------
    levels : (b,) float64 array
        Bandwidths, ascending.
    places : unsigned array (B, B)
        That of each pair's bandwidth among them.
    """

    def __init__(self, levels: NDArray[np.float64], places: NDArray[np.unsignedinteger]) -> None:
        self._levels, self._places = levels, places

    def __getitem__(self, pairs: Any) -> Any:
        return self._levels[self._places[pairs]]

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        return self._places.nbytes + self._levels.nbytes


@dataclass(frozen=True, eq=False)
class Routes:
    """Paths of fewest hops from B brokers to the N nodes of a network with E links; make one with `Routes.build`.

    Attributes
    ----------
    brokers : int64 array (B,)
        Node of each broker; two brokers may share a node.
    hops : unsigned array (B, B)
        IP hops from broker to broker, in the fewest bytes that hold them: sums need a wider type.
    delay_ms : float64 array (B, B)
        Sum of the delays along the path, from the first broker on.
    bandwidth_mbps : Bottlenecks (B, B)
        Smallest bandwidth along the path; infinite between brokers of one node.
    table : LinkTable
        The links of the network.

    Notes
    -----
    Memory: 10 bytes for each pair of brokers (1,000 brokers: 10 MB; 10,000 brokers: 1 GB), 48 for each link.
    """

    brokers: Ints
    hops: NDArray[np.unsignedinteger]
    delay_ms: NDArray[np.float64]
    bandwidth_mbps: Bottlenecks
    table: LinkTable

    @classmethod
    def build(
        cls,
        graph: "nx.Graph[int]",
        brokers: Sequence[int] | NDArray[np.integer],
        advance: Advance = lambda _: None,
    ) -> "Routes":
        """Find the routes between all brokers by a search from each.

        Parameters
        ----------
        graph : networkx.Graph
            Connected, nodes 0..N-1, links with `delay_ms` and `bandwidth_mbps`.
        brokers : sequence of int
            Node of each broker, shape (B,), at least one.
        advance : function
            Told of every broker whose routes are found.

        Raises
        ------
        ValueError
            When the labels are not 0..N-1, a broker is not among them, or the graph is directed or has loops.
        TopologyError
            When the graph is not connected, or a link lacks an attribute or has a meaningless one.

        Notes
        -----
        O(B (N log E + E + B)) time, at most: see `topologies.searches`.
        """
        table = LinkTable.of(graph)
        places = _check_brokers(brokers, table.nodes)
        count = len(places)
        # No two nodes are further apart than both are from the first broker.
        longest = 2 * int(search(table, int(places[0])).hops.max())
        levels, level_of = np.unique(table.bandwidth_mbps, return_inverse=True)
        hops = np.empty((count, count), np.min_scalar_type(longest))
        delay = np.empty((count, count), np.float64)
        narrowest = np.empty((count, count), np.min_scalar_type(len(levels)))
        for i, source in enumerate(places.tolist()):
            row = search(table, source)
            hops[i], delay[i] = row.hops[places], row.delay_ms[places]
            narrowest[i] = _narrowest(row, table.links, level_of, len(levels), places)
            advance(1)
        return cls(places, hops, delay, Bottlenecks(np.append(levels, np.inf), narrowest), table)

    @property
    def links(self) -> NDArray[np.int32]:
        """Ends of each link, smaller label first, in ascending order: (E, 2)."""
        return self.table.links

    @property
    def nodes(self) -> int:
        """Number of nodes N."""
        return self.table.nodes

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        columns = (self.brokers, self.hops, self.delay_ms, self.bandwidth_mbps, *self.table)
        return sum(column.nbytes for column in columns)

    def row(self, i: int) -> Row:
        """Routes from broker i to every node; one search."""
        return search(self.table, int(self.brokers[integer("i", i, 0, len(self.brokers) - 1)]))

    def path(self, i: int, j: int) -> list[int]:
        """Nodes on the way from broker i to broker j, both included; one search."""
        return self.node_path(i, int(self.brokers[integer("j", j, 0, len(self.brokers) - 1)]))

    def node_path(self, i: int, node: int) -> list[int]:
        """Nodes on the way from broker i to a node, both included; one search."""
        path = [integer("node", node, 0, self.nodes - 1)]
        via = self.row(i).via
        while (link := via[path[-1]]) >= 0:
            path.append(int(self.links[link].sum()) - path[-1])
        return path[::-1]

    def node_delays(self, brokers: ArrayLike, nodes: ArrayLike) -> NDArray[np.float32]:
        """Delay in ms from each of some brokers to the node beside it, in single precision; a search for each broker.

        Parameters
        ----------
        brokers, nodes : int arrays (m,)
            Ends of the ways.
        """
        starts, ends = np.asarray(brokers, np.int64), np.asarray(nodes, np.int64)
        delays = np.empty(len(starts), np.float32)
        order = np.argsort(starts, kind="stable")
        for i, begin, end in _stretches(starts[order]):
            rows = order[begin:end]
            delays[rows] = self.row(i).delay_ms[ends[rows]]
        return delays

    def nearest(self, present: NDArray[np.bool_]) -> Ints:
        """Nearest present broker of every node by hops, then delay, then number, -1 for none: (N,); O(N + E)."""
        return nearest_sources(self.table, np.where(present, self.brokers, -1))

    def link_loads(self, traffic: Sequence[PairBytes], advance: Advance = lambda _: None) -> Ints:
        """Bytes that cross each link when brokers send each other what `traffic` says.

        Parameters
        ----------
        traffic : sequence of PairBytes
            Whatever is to be told apart; sizes are not negative.
        advance : function
            Told of every broker that sends, and of those that do not at the end.

        Returns
        -------
        int64 array (len(traffic), E)
            Load of each link, both directions added. It adds up to the sum of bytes times hops.

        Notes
        -----
        One search for every broker that sends anything in any of them, and O(hops) for each row.
        """
        which = np.repeat(np.arange(len(traffic)), [len(sent.sender) for sent in traffic])
        columns = zip(*(_check_pairs(sent, len(self.brokers)) for sent in traffic), strict=True)
        sender, receiver, size = (np.concatenate(column) for column in columns)
        loads = np.zeros((len(traffic), len(self.links)), np.int64)
        order = np.argsort(sender, kind="stable")
        done = 0
        for i, begin, end in _stretches(sender[order]):
            rows = order[begin:end]
            _add_loads(self.row(i).via, self.links, self.brokers[receiver[rows]], size[rows], which[rows], loads)
            done += 1
            advance(1)
        advance(len(self.brokers) - done)
        return loads

    def crossings(self) -> Ints:
        """How many of the routes between two brokers, there and back, cross each link: (E,); a search per broker."""
        loads = np.zeros((1, len(self.links)), np.int64)
        ones, zeros = np.ones(len(self.brokers), np.int64), np.zeros(len(self.brokers), np.int64)
        for i in range(len(self.brokers)):
            _add_loads(self.row(i).via, self.links, self.brokers, ones, zeros, loads)
        crossed: Ints = loads[0]
        return crossed


def _check_brokers(brokers: Sequence[int] | NDArray[np.integer], nodes: int) -> Ints:
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


def _check_pairs(sent: PairBytes, brokers: int) -> PairBytes:
    for name, ends in (("sender", sent.sender), ("receiver", sent.receiver)):
        wrong = ends[(ends < 0) | (ends >= brokers)]
        if len(wrong):
            raise ValueError(f"{name} must be a broker between 0 and {brokers - 1}, got {wrong[0]}")
    if sent.size_bytes.min(initial=0) < 0:
        raise ValueError(f"size_bytes must not be negative, got {sent.size_bytes.min()}")
    return sent


def _stretches(ascending: Ints) -> Iterable[tuple[int, int, int]]:
    """Values of an ascending array, and where each begins and ends."""
    values, counts = np.unique(ascending, return_counts=True)
    ends = np.cumsum(counts)
    return zip(values.tolist(), (ends - counts).tolist(), ends.tolist(), strict=True)


@njit
def _narrowest(row: Row, links: NDArray[np.int32], level_of: Ints, infinite: int, places: Ints) -> Ints:
    """Least level of the links on the way to each of some nodes; `infinite` where there are none."""
    found = np.full(len(places), infinite, np.int64)
    for j in range(len(places)):
        v = places[j]
        while row.via[v] >= 0:
            link = row.via[v]
            found[j] = min(found[j], level_of[link])
            v = links[link, 0] + links[link, 1] - v
    return found


@njit
def _add_loads(
    via: NDArray[np.int32], links: NDArray[np.int32], nodes: Ints, size: Ints, which: Ints, loads: Ints
) -> None:
    """Add what goes to each of some nodes to the links on its way."""
    for row in range(len(nodes)):
        v = nodes[row]
        while via[v] >= 0:
            link = via[v]
            loads[which[row], link] += size[row]
            v = links[link, 0] + links[link, 1] - v
