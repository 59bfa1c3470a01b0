"""The fewest overlay hops that can do, to put beside what brokers need who decide from local knowledge only."""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from cn.deliveries import Ints
from cn.zone_network import ZoneNetwork

__all__ = ["fewest_hops"]


def fewest_hops(network: ZoneNetwork, offsets: Ints, reached: Ints, sources: npt.ArrayLike) -> Ints:
    """Lower bound on the overlay hops of each message, (messages,) i8.

    A minimum tree: the shortest way over links to the nearest of its zones, and one hop to each of the others.

    Parameters
    ----------
    network
        Brokers and whom each may hand messages to.
    offsets, reached
        Message i concerns the zones `reached[offsets[i]:offsets[i + 1]]`, at least one.
    sources
        Broker at which each message starts, or one for all.

    Notes
    -----
    O(b e) for b distinct sources and e links, and O(1) for each zone reached.
    """
    counts = np.diff(offsets)
    if len(counts) == 0:
        return np.empty(0, np.int64)
    owners, neighbours = network.links.T
    graph = csr_array((np.ones(len(owners)), (owners, neighbours)), shape=(len(network), len(network)))
    starts, row = np.unique(np.broadcast_to(np.asarray(sources, np.int64), counts.shape), return_inverse=True)
    away = dijkstra(graph, unweighted=True, indices=starts)
    nearest = np.minimum.reduceat(away[np.repeat(row, counts), reached], offsets[:-1])
    return nearest.astype(np.int64) + counts - 1
