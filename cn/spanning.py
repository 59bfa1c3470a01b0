"""Spanning trees of brokers by IP hops, then delay, then numbers.

That is one order of all pairs, no two alike, so there is one minimum spanning tree, whatever the way to it.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from cn.deliveries import Floats, Ints
from floor.kernels import njit
from topologies import Routes

__all__ = ["spanning_links", "spanning_tree"]


def spanning_tree(routes: Routes, brokers: Ints) -> Ints:
    """Links (brokers - 1, 2) of the minimum spanning tree of all pairs of some brokers, the smaller end first.

    Prim's algorithm over the tables of the routes: O(b²) time and O(b) space for b brokers, which ascend.
    """
    links = _grow(routes.hops, routes.delay_ms, brokers)
    return links[np.lexsort((links[:, 1], links[:, 0]))]


def spanning_links(routes: Routes, pairs: Ints) -> Ints:
    """Links of the minimum spanning tree of some pairs of brokers (e, 2), the smaller end first; O(e log e)."""
    u, v = pairs[:, 0], pairs[:, 1]
    rank = np.empty(len(pairs))
    rank[np.lexsort((v, u, routes.delay_ms[u, v], routes.hops[u, v]))] = np.arange(1, len(pairs) + 1)
    # Ranks start at 1: csgraph takes 0, the distance of brokers on one node, for a missing link.
    n = len(routes.brokers)
    chosen = minimum_spanning_tree(coo_array((rank, (u, v)), shape=(n, n)).tocsr()).tocoo()
    return np.sort(np.stack((chosen.row, chosen.col), axis=1).astype(np.int64), axis=1)


@njit
def _grow(hops: npt.NDArray[np.unsignedinteger], delay: Floats, brokers: Ints) -> Ints:
    """Take in broker after broker, the nearest to those taken in first."""
    count = len(brokers)
    links = np.empty((max(count - 1, 0), 2), np.int64)
    outside = np.ones(count, np.bool_)
    # Of each broker outside: whom it would be linked to, at what distance.
    to, apart, late = np.full(count, -1, np.int64), np.empty(count, np.int64), np.empty(count)
    taken = 0
    for made in range(count - 1):
        outside[taken] = False
        nearest = -1
        for x in range(count):
            if not outside[x]:
                continue
            i, j = brokers[min(taken, x)], brokers[max(taken, x)]
            h, d = int(hops[i, j]), delay[i, j]
            if to[x] < 0 or _before(h, d, x, taken, apart[x], late[x], x, to[x]):
                to[x], apart[x], late[x] = taken, h, d
            if nearest < 0 or _before(
                apart[x], late[x], x, to[x], apart[nearest], late[nearest], nearest, to[nearest]
            ):
                nearest = x
        a, b = brokers[nearest], brokers[to[nearest]]
        links[made, 0], links[made, 1] = min(a, b), max(a, b)
        taken = nearest
    return links


@njit
def _before(h: int, d: float, a: int, b: int, other_h: int, other_d: float, c: int, e: int) -> bool:
    """Whether the pair of places (a, b), at h hops and delay d, comes before the pair (c, e)."""
    if h != other_h:
        return h < other_h
    if d != other_d:
        return d < other_d
    return min(a, b) < min(c, e) or (min(a, b) == min(c, e) and max(a, b) < max(c, e))
