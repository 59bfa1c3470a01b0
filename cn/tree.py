"""A content-based routing tree in the manner of Siena and PADRES: messages go where somebody behind a link may match.

Every subscription lives at the broker nearest to its node. The brokers form a spanning tree, and each keeps, for
every link, a summary of the subscriptions behind it: at most `limit` boxes of the subscription space. A broker hands
a message to those neighbours, other than the one it came from, behind which a box has a point of the message's
rectangle, and delivers it when a box of its own has one. A tree has one path between two brokers, so no broker gets
a message twice; summaries hold every subscription behind their link, so none is missed. What a small limit costs is
hops toward brokers where nobody matches.

After A. Carzaniga, D. S. Rosenblum and A. L. Wolf, "Design and evaluation of a wide-area event notification service",
ACM TOCS 19(3), 2001 (subscription forwarding with covering, peer-to-peer), and PADRES, with bounding boxes in
place of sets of covering subscriptions.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from cn.deliveries import (
    Deliveries,
    End,
    Floats,
    Hops,
    Ints,
    finite_ends,
    link_costs,
    message_regions,
    message_starts,
    one_region,
)
from cn.forwarding import follow_messages, multicast, next_edges
from cn.plane import line_points
from cn.side_space import side_points
from cn.spanning import spanning_links, spanning_tree
from cn.summaries import TreeTable, grow, summarise_links, summarise_own
from cn.summary_boxes import covers, put_point
from floor.errors import RangecastError
from paint.sides import Sides
from topologies import Routes
from topologies.arguments import integer

__all__ = ["RoutingTree", "TreeError"]


class TreeError(RangecastError):
    """The brokers cannot be kept in one tree, or a tree is not what it should be."""


class RoutingTree:
    """Brokers in a spanning tree that forward by summaries of the subscriptions behind their links.

    Parameters
    ----------
    routes
        IP routes of the n brokers. Near means few IP hops, then little delay, then a small number.
    limit
        Most boxes in a summary. With as many as there are subscriptions, messages take no needless hop.
    sides
        Sides of the subscription space; left out for l and r of one attribute. Over several, ends have the shape
        (m, attributes).

    Attributes
    ----------
    ip_routes : Routes
        The routes it was made with.
    present : bool array (n,)
        Which brokers have not left.
    links : int64 array (brokers present - 1, 2)
        The tree: a minimum spanning tree of the IP hops between brokers, ties by delay, then by number.
    table : TreeTable
        What brokers know.

    Notes
    -----
    Subscriptions that come are added to the summaries from their broker onward, as far as no box covers the news;
    those that go leave the boxes as they are. After changes to a quarter of the subscriptions present, all summaries
    are made anew (`rebuild`). O(n min(limit, largest id)) space for summaries, besides the subscriptions.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.path_graph(5)
    >>> nx.set_edge_attributes(graph, {e: {"delay_ms": 1.0, "bandwidth_mbps": 100.0} for e in graph.edges})
    >>> tree = RoutingTree(Routes.build(graph, [0, 2, 4]))
    >>> tree.subscribe([0, 1], [0.1, 0.3], [0.4, 0.9], nodes=[1, 4]).tolist()
    [0, 2]
    >>> tree.next_hops(1, -1, 0.3, 0.5, 0.2, 1.0)
    (False, [2])
    """

    def __init__(self, routes: Routes, *, limit: int = 16, sides: Sides | None = None) -> None:
        if not isinstance(routes, Routes):
            raise TypeError(f"routes must be Routes, got {routes!r}; make them with Routes.build")
        self.ip_routes = routes
        self.limit = integer("limit", limit, 1)
        self.sides = sides
        n = len(routes.brokers)
        self.present = np.ones(n, np.bool_)
        self.links = spanning_tree(routes, np.arange(n))
        self._nearest = routes.nearest(self.present)
        self._root = self.centre  # summaries are made from here outward
        # By id, with room to spare; an id not in use has home -1.
        self._points = np.empty((0, 2 if sides is None else len(sides.sign)))
        self._nodes, self._home = np.empty(0, np.int64), np.empty(0, np.int64)
        self._subscribed = 0
        self._changed = 0
        self._counts = np.zeros(n + 2 * (n - 1), np.int64)
        shape = (4,) if sides is None else (2, len(sides.sign))
        self._boxes = np.empty((len(self._counts), 1, *shape))
        self._connect()

    @property
    def centre(self) -> int:
        """Broker with the least IP hops to all present, ties to the smallest. O(n²)."""
        brokers = np.flatnonzero(self.present)
        return int(brokers[self.ip_routes.hops[np.ix_(brokers, brokers)].sum(axis=1).argmin()])

    def __len__(self) -> int:
        return len(self.present)

    def home(self, l: npt.ArrayLike, r: npt.ArrayLike, nodes: npt.ArrayLike) -> Ints:  # noqa: ARG002
        """Gateway broker of each subscription, the nearest to its node: (m,) i8. The range does not matter."""
        return self._nearest[self._check_nodes(np.asarray(nodes))]

    def subscribe(self, ids: npt.ArrayLike, l: npt.ArrayLike, r: npt.ArrayLike, nodes: npt.ArrayLike) -> Ints:
        """Take in subscriptions under ids not in use; returns their gateways, (m,) i8.

        O(links reached x limit) each; at best one, where an older box covers the newcomer.
        """
        rows = np.asarray(ids, np.int64)
        lows, highs, where = finite_ends(l), finite_ends(r), np.asarray(nodes)
        if rows.ndim != 1 or not rows.shape == lows.shape[:1] == highs.shape[:1] == where.shape:
            raise ValueError(
                "ids, l, r and nodes must be one-dimensional and equally long, "
                f"got shapes {rows.shape}, {lows.shape}, {highs.shape} and {where.shape}"
            )
        points = (
            np.column_stack(line_points(lows, highs)) if self.sides is None else side_points(self.sides, lows, highs)
        )
        home = self.home(lows, highs, where)
        self._check_distinct(rows)
        self._reserve(int(rows.max(initial=-1)) + 1)
        if (self._home[rows] >= 0).any():
            raise ValueError(f"ids must not be in use, got {rows[self._home[rows] >= 0][0]}")
        self._points[rows], self._nodes[rows], self._home[rows] = points, where, home
        self._subscribed += len(rows)
        if not self._note(len(rows)):
            grow(self.table, home, points)
        return home

    def unsubscribe(self, ids: npt.ArrayLike) -> None:
        """Forget subscriptions. O(1) each: the boxes stay as they are until the next `rebuild`."""
        rows = np.asarray(ids, np.int64)
        self._check_distinct(rows)
        missing = rows[rows >= len(self._home)] if len(rows) else rows
        missing = missing if len(missing) else rows[self._home[rows] < 0]
        if len(missing):
            raise ValueError(f"ids must be in use, got {missing[0]}")
        self._home[rows] = -1
        self._subscribed -= len(rows)
        self._note(len(rows))

    def rebuild(self) -> None:
        """Make all summaries anew from the subscriptions present. O(m log m + n limit log limit)."""
        self._summarise_own(np.arange(len(self)))
        self._changed = 0
        self._summarise_links()

    def leave(self, broker: int) -> Ints:
        """Let a broker leave or crash: the tree closes behind it and its subscriptions go to the next nearest broker.

        Its neighbours link up by a minimum spanning tree among themselves; all other links stay. The summaries
        of links are made anew, and those of brokers that take subscriptions over. Returns the broker
        if it had subscriptions to give away.
        O(n limit log limit + IP links + m), and O(g log g) for the g subscriptions of those brokers.
        """
        self._check_present(broker)
        if self.present.sum() == 1:
            raise TreeError(f"broker {broker} is the last one: nobody is left to take its subscriptions")
        around = self.table.neighbours[self.table.starts[broker] : self.table.starts[broker + 1]]
        kept = self.links[(self.links != broker).all(axis=1)]
        self.links = np.concatenate((kept, spanning_tree(self.ip_routes, np.sort(around))))
        self.present[broker] = False
        self._counts[broker] = 0
        if broker == self._root:
            self._root = self.centre
        return self._resettle()

    def join(self, broker: int, seed: int | np.random.Generator = 0) -> Ints:  # noqa: ARG002
        """Let a broker that left return: it takes over the subscriptions that are nearest to it.

        The tree becomes the minimum spanning tree of its links and of those from the broker to all others, so the
        broker may also stand between brokers that had closed up. Links of the tree of all brokers are never given up
        for others while both ends are here: when everyone is back, so is that tree, whatever the order. Nothing
        is random. Returns the brokers that gave subscriptions away; costs as `leave`.
        """
        if not 0 <= broker < len(self) or self.present[broker]:
            raise ValueError(f"broker must be one of the {int((~self.present).sum())} that left, got {broker}")
        others = np.flatnonzero(self.present)
        star = np.sort(np.stack((others, np.full(len(others), broker)), axis=1), axis=1)
        self.links = spanning_links(self.ip_routes, np.concatenate((self.links, star)))
        self.present[broker] = True
        return self._resettle()

    def next_hops(
        self, broker: int, came_from: int, l_in: End, r_in: End, l_out: End, r_out: End
    ) -> tuple[bool, list[int]]:
        """Decide what a broker does with a message: deliver it to its own subscriptions or not, and hand it to whom.

        `came_from` is the broker that sent it, -1 where it starts. O(number of neighbours x limit).
        """
        self._check_present(broker)
        out = np.empty(len(self), np.int64)
        region = one_region(self.sides, l_in, r_in, l_out, r_out)
        delivers, count = next_edges(self.table, broker, came_from, region, out)
        return delivers, self.table.neighbours[out[:count]].tolist()

    def multicast(
        self, table: npt.NDArray[np.void], sources: npt.ArrayLike, ip_hops: npt.NDArray[np.integer] | None = None
    ) -> Deliveries:
        """Carry a table of messages to every broker they may concern; compiled (see `cn.network.Network.multicast`).

        O(brokers met x neighbours x limit) time for all messages together, O(messages + brokers reached) space.
        """
        regions = message_regions(table, self.sides)
        starts = message_starts(sources, len(table), self.present)
        owners = np.repeat(np.arange(len(self)), np.diff(self.table.starts))
        cost = link_costs(ip_hops, len(self), owners, self.table.neighbours)
        columns = multicast(self.table, len(self), regions, starts, cost)
        return Deliveries(*columns[:5], np.column_stack((owners, self.table.neighbours, columns[5])))

    def hops(self, table: npt.NDArray[np.void], sources: npt.ArrayLike) -> Hops:
        """Follow a table of messages hop by hop: the same hops as `multicast` counts."""
        regions = message_regions(table, self.sides)
        starts = message_starts(sources, len(table), self.present)
        return Hops(*follow_messages(self.table, len(self), regions, starts))

    def path(self, source: int, target: int) -> list[int]:
        """Brokers from one to another along the tree, both included: for unicast over the overlay. O(n)."""
        self._check_present(source)
        self._check_present(target)
        _, parents = self._walk(source)
        way = [target]
        while way[-1] != source:
            way.append(int(parents[way[-1]]))
        return way[::-1]

    def _resettle(self) -> Ints:
        """Move every subscription to its nearest broker and make the summaries fit; returns the brokers that gave."""
        self._nearest = self.ip_routes.nearest(self.present)
        here = np.flatnonzero(self._home >= 0)
        home = self._nearest[self._nodes[here]]
        new = home != self._home[here]
        moved = here[new]
        gave = np.unique(self._home[moved])
        self._home[moved] = home[new]
        self._connect()
        self._summarise_own(np.union1d(gave, home[new]))
        self._summarise_links()
        return gave

    def _connect(self) -> None:
        """Make the table's links from the tree; the brokers' own summaries stay."""
        n = len(self)
        ends = np.concatenate((self.links, self.links[:, ::-1]))
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        starts = np.searchsorted(ends[order, 0], np.arange(n + 1))
        back = place[(order + len(self.links)) % max(len(order), 1)]
        self._counts[n:] = 0
        self.table = TreeTable(starts, ends[order, 1], back, self._counts, self._boxes)

    def _walk(self, source: int) -> tuple[Ints, Ints]:
        """Brokers outward from one of them, and the broker before each, (n,), along the tree."""
        neighbours = self.table.neighbours
        graph = csr_array(
            (np.ones(len(neighbours), np.int32), neighbours, self.table.starts), shape=(len(self), len(self))
        )
        outward, parents = breadth_first_order(graph, source, directed=True)
        return outward.astype(np.int64), parents.astype(np.int64)

    def _summarise_own(self, brokers: Ints) -> None:
        """Make some brokers' own summaries, given in ascending order, from their subscriptions."""
        wanted = np.zeros(len(self) + 1, np.bool_)  # a place more, for the -1 of ids not in use
        wanted[brokers] = True
        rows = np.flatnonzero(wanted[self._home])
        rows = rows[np.argsort(self._home[rows], kind="stable")]
        offsets = np.append(np.searchsorted(self._home[rows], brokers), len(rows))
        summarise_own(self.table, brokers, offsets, self._points[rows])

    def _summarise_links(self) -> None:
        outward, parents = self._walk(self._root)
        owners = np.repeat(np.arange(len(self)), np.diff(self.table.starts))
        uplink = np.full(len(self), -1)
        inward = parents[owners] == self.table.neighbours
        uplink[owners[inward]] = np.flatnonzero(inward)
        summarise_links(self.table, outward, uplink)

    def _note(self, changes: int) -> bool:
        """Count changes; rebuild, and say so, when they come to a quarter of the subscriptions present."""
        self._changed += changes
        if 4 * self._changed < self._subscribed or not changes:
            return False
        self.rebuild()
        return True

    def _reserve(self, rows: int) -> None:
        """Make room for ids below `rows`, doubling so that newcomers one by one cost O(1) each."""
        more = max(rows, 2 * len(self._home)) - len(self._home)
        if rows <= len(self._home):
            return
        self._points = np.concatenate((self._points, np.zeros((more, self._points.shape[1]))))
        self._nodes = np.concatenate((self._nodes, np.zeros(more, np.int64)))
        self._home = np.concatenate((self._home, np.full(more, -1)))
        width = min(self.limit, len(self._home))
        if width > self._boxes.shape[1]:
            boxes = np.empty((len(self._boxes), width, *self._boxes.shape[2:]))
            boxes[:, : self._boxes.shape[1]] = self._boxes
            self._boxes = boxes
            self.table = self.table._replace(boxes=boxes)

    def _check_present(self, broker: int) -> None:
        if not (0 <= broker < len(self) and self.present[broker]):
            raise ValueError(f"broker must be one of the {int(self.present.sum())} present, got {broker}")

    def _check_nodes(self, nodes: npt.NDArray[np.generic]) -> npt.NDArray[np.int64]:
        count = self.ip_routes.nodes
        if len(nodes) and nodes.dtype.kind not in "iu":
            raise TypeError(f"nodes must be integers, got {nodes.dtype}")
        labels = nodes.astype(np.int64, copy=False)
        wrong = (labels < 0) | (labels >= count)
        if wrong.any():
            raise ValueError(f"nodes must be between 0 and {count - 1}, got {labels[wrong][0]}")
        return labels

    def _check_distinct(self, ids: Ints) -> None:
        if len(ids) and ids.min() < 0:
            raise ValueError(f"ids must not be negative, got {ids.min()}")
        if len(np.unique(ids)) < len(ids):
            raise ValueError("ids must be distinct")

    def _check(self) -> None:
        """Raise TreeError unless the links are a tree and every summary covers what it is made from; slow."""
        starts, neighbours, back, counts, boxes = self.table
        n = len(self)
        owners = np.repeat(np.arange(n), np.diff(starts))
        reached, _ = self._walk(self._root)
        if len(neighbours) != 2 * (len(reached) - 1) or set(reached) != set(np.flatnonzero(self.present)):
            raise TreeError("the links are not a tree over the brokers present")
        if (neighbours[back] != owners).any() or (back[back] != np.arange(len(back))).any():
            raise TreeError("a link has no way back")
        for row in np.flatnonzero(self._home >= 0):
            point = np.empty((1, *boxes.shape[2:]))
            put_point(point, 0, self._points, row)
            if not _covers(boxes[self._home[row], : counts[self._home[row]]], point):
                raise TreeError(f"broker {self._home[row]} does not know its subscription {row}")
        for e, b in enumerate(neighbours):
            for slot in [int(b), *(n + f for f in range(starts[b], starts[b + 1]) if f != back[e])]:
                if not _covers(boxes[n + e, : counts[n + e]], boxes[slot, : counts[slot]]):
                    raise TreeError(f"link {owners[e]} to {b} does not cover what {b} knows")


def _covers(outer: Floats, inner: Floats) -> bool:
    """Whether each inner box lies in one of the outer boxes."""
    return all(any(covers(outer, i, inner, j) for i in range(len(outer))) for j in range(len(inner)))
