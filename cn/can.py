"""Routing and region multicast over zones, decided hop by hop from a broker's own zone and its neighbours'.

A message's rectangle G is `l_out < l <= l_in`, `r_in <= r < r_out` with l_in <= r_in: all of G lies in the triangle.

**To the region.** A broker whose zone does not meet G hands the message to a neighbour on a side that faces G
(left when l_in <= l_lo, right when l_hi <= l_out, below when r_out <= r_lo, above when r_hi <= r_in) that is no
worse in the other dimension: it meets G there if the broker does, and otherwise its edge that faces G is not
further off. Of those it takes the one nearest to G. Such a neighbour exists:

* in the square, it is the one across the facing side at the point nearest to G in the other dimension;
* in the triangle, that point may be missing only where the facing side has no length above the diagonal. A right
  side has none when l_hi = r_hi; G to the right of it has r_in >= l_in > l_out >= r_hi, so the upper side faces G
  too, and upper sides have their full length. A lower side has none when r_lo = l_lo; G below it has
  l_in <= r_in < r_out <= l_lo, so the left side faces G too, and left sides have their full length. Where the side
  has length, the wanted point is on it: G to the right has r_in > l_hi, G below has l_in < r_lo, which keeps the
  point above the diagonal.

Each hop strictly advances the edge in one dimension and loses nothing in the other, by comparisons without
rounding, so no zone is visited twice and the message arrives.

**In the region.** For a zone that meets G let (a, b) be the corner of the common part with the largest l and the
smallest r. If b > r_in the zone's parent is the zone just below (a, b); otherwise, if a < l_in, the one just right of
it; otherwise it is the root, the zone of (l_in, r_in). Parents meet G, and b falls or stays at r_in while a grows, so
the zones that meet G form one tree. Both ends of an edge can tell that it is one. A message that has come to any
zone of the tree is passed on along all its edges but the one it came by: each zone that meets G is reached once, and
no other beyond the route.
"""

from math import inf, nextafter

import numpy as np
import numpy.typing as npt

from cn.deliveries import Deliveries, Hops, link_costs, message_corners, message_starts
from cn.zones import ABOVE, BELOW, LEFT, RIGHT, Floats, Ints, Zones, ZoneTable
from floor.kernels import njit

__all__ = ["Can", "Deliveries", "Hops", "meets", "next_hops"]


class Can:
    """The content-addressable network of Section V: brokers are zones, and messages go from neighbour to neighbour.

    Parameters
    ----------
    zones
        The brokers' zones. When they change, the next decision uses the new tables.
    """

    def __init__(self, zones: Zones) -> None:
        if not isinstance(zones, Zones):
            raise TypeError(f"zones must be Zones, got {zones!r}; make them with Zones(brokers)")
        self.zones = zones

    @property
    def server(self) -> int:
        """Broker that keeps the objects."""
        return self.zones.server

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which brokers hold a zone, (n,) bool."""
        return self.zones.present

    def __len__(self) -> int:
        return len(self.zones)

    def home(self, l: npt.ArrayLike, r: npt.ArrayLike, nodes: npt.ArrayLike | None = None) -> Ints:  # noqa: ARG002
        """Gateway broker of each subscription: (m,) i8. Where subscriptions are located (`nodes`) does not matter."""
        return self.zones.home(l, r)

    def subscribe(
        self,
        ids: npt.ArrayLike,  # noqa: ARG002
        l: npt.ArrayLike,
        r: npt.ArrayLike,
        nodes: npt.ArrayLike | None = None,
    ) -> Ints:
        """Gateway broker of each newcomer: (m,) i8. Zones forward by place in S alone, so nothing changes."""
        return self.home(l, r, nodes)

    def unsubscribe(self, ids: npt.ArrayLike) -> None:
        """Let subscriptions go; nothing changes, as in `subscribe`."""

    def leave(self, broker: int) -> Ints:
        """Let a broker leave (or crash); see `Zones.leave`. Returns the brokers that gave a zone away: one or two."""
        takeover = self.zones.leave(broker)
        return np.array([takeover.gone] if takeover.merged < 0 else [takeover.gone, takeover.heir])

    def join(self, broker: int, seed: int | np.random.Generator) -> Ints:
        """Let a broker that left return; see `Zones.join`. Returns the broker that gave half of its zone away."""
        return np.array([self.zones.join(broker, seed).keeper])

    def next_hops(
        self, broker: int, came_from: int, l_in: float, r_in: float, l_out: float, r_out: float
    ) -> tuple[bool, list[int]]:
        """Decide what a broker does with a message: deliver it to its own subscriptions or not, and hand it to whom.

        `came_from` is the broker that sent it, -1 where it starts. O(number of neighbours).
        """
        if broker not in self.zones:
            raise ValueError(f"broker must be a broker that holds a zone, got {broker}")
        out = np.empty(len(self.zones), np.int64)
        delivers, count = next_hops(self.zones.table, broker, came_from, l_in, r_in, l_out, r_out, out)
        return delivers, out[:count].tolist()

    def path(self, source: int, target: int) -> list[int]:
        """Brokers from one to another along the zones, both included: for unicast over the overlay.

        O(route x neighbours): the way of a message to one point of the target's zone.
        """
        for name, broker in (("source", source), ("target", target)):
            if broker not in self.zones:
                raise ValueError(f"{name} must be a broker that holds a zone, got {broker}")
        l_lo, _, _, r_hi = self.zones.table.extents[target].tolist()
        way = [source]
        while way[-1] != target:
            came_from = way[-2] if len(way) > 1 else -1
            _, onward = self.next_hops(way[-1], came_from, nextafter(l_lo, inf), nextafter(r_hi, -inf), l_lo, r_hi)
            way += onward
        return way

    def multicast(
        self, table: npt.NDArray[np.void], sources: npt.ArrayLike, ip_hops: npt.NDArray[np.integer] | None = None
    ) -> Deliveries:
        """Carry a table of messages to every zone they concern; compiled (see `cn.network.Network.multicast`).

        O(hops x neighbours) time for all messages together, O(messages + zones reached) space.
        """
        corners = message_corners(table)
        return self._carry(corners, message_starts(sources, len(table), self.zones.present), ip_hops)

    def hops(self, table: npt.NDArray[np.void], sources: npt.ArrayLike) -> Hops:
        """Follow a table of messages hop by hop: the same hops as `multicast` counts. O(hops x neighbours)."""
        corners = message_corners(table)
        return Hops(*_follow(self.zones.table, *corners, message_starts(sources, len(table), self.zones.present)))

    def _carry(
        self,
        corners: tuple[Floats, Floats, Floats, Floats],
        starts: Ints,
        ip_hops: npt.NDArray[np.integer] | None,
    ) -> Deliveries:
        zones = self.zones.table
        owners = np.repeat(np.arange(len(self)), zones.sides[:, 4] - zones.sides[:, 0])
        cost = link_costs(ip_hops, len(self), owners, zones.neighbours)
        columns = _multicast(zones, *corners, starts, cost)
        return Deliveries(*columns[:5], np.column_stack((owners, zones.neighbours, columns[5])))


@njit
def meets(box: Floats, l_in: float, r_in: float, l_out: float, r_out: float) -> bool:
    """Whether a zone and a message's rectangle have a point in common."""
    return bool(box[0] < l_in and l_out < box[1] and box[2] < r_out and r_in < box[3])


@njit
def _toward(zones: ZoneTable, broker: int, l_in: float, r_in: float, l_out: float, r_out: float) -> int:
    """Edge by which a message leaves a zone that its rectangle does not meet; see the module's proof."""
    l_lo, l_hi = zones.extents[broker, 0], zones.extents[broker, 1]
    r_lo, r_hi = zones.extents[broker, 2], zones.extents[broker, 3]
    left, right, below, above = l_in <= l_lo, l_hi <= l_out, r_out <= r_lo, r_hi <= r_in
    best = -1
    nearest = np.inf
    if left or right:
        side = LEFT if left else RIGHT
        for e in range(zones.sides[broker, side], zones.sides[broker, side + 1]):
            w_r_lo, w_r_hi = zones.beyond[e, 2], zones.beyond[e, 3]
            if below:
                fit = w_r_lo <= r_lo
            elif above:
                fit = w_r_hi >= r_hi
            else:
                fit = w_r_lo < r_out and r_in < w_r_hi
            if fit:
                gap_l = zones.beyond[e, 0] - l_in if left else l_out - zones.beyond[e, 1]
                distance = max(gap_l, 0.0) + max(w_r_lo - r_out, r_in - w_r_hi, 0.0)
                if best < 0 or distance < nearest:
                    nearest = distance
                    best = e
    if below or above:
        side = BELOW if below else ABOVE
        for e in range(zones.sides[broker, side], zones.sides[broker, side + 1]):
            w_l_lo, w_l_hi = zones.beyond[e, 0], zones.beyond[e, 1]
            if left:
                fit = w_l_lo <= l_lo
            elif right:
                fit = w_l_hi >= l_hi
            else:
                fit = w_l_lo < l_in and l_out < w_l_hi
            if fit:
                gap_r = zones.beyond[e, 2] - r_out if below else r_in - zones.beyond[e, 3]
                distance = max(gap_r, 0.0) + max(w_l_lo - l_in, l_out - w_l_hi, 0.0)
                if best < 0 or distance < nearest:
                    nearest = distance
                    best = e
    return best


@njit
def _spread(
    zones: ZoneTable, broker: int, came_from: int, l_in: float, r_in: float, l_out: float, r_out: float, out: Ints
) -> int:
    """Write the edges of the region's tree at a zone of it, but the one the message came by; returns how many."""
    l_lo, l_hi = zones.extents[broker, 0], zones.extents[broker, 1]
    r_lo, r_hi = zones.extents[broker, 2], zones.extents[broker, 3]
    count = 0
    if r_lo > r_in:  # the parent is below the corner (a, r_lo)
        a = min(l_hi, l_in)
        for e in range(zones.sides[broker, BELOW], zones.sides[broker, BELOW + 1]):
            if zones.beyond[e, 0] < a <= zones.beyond[e, 1] and zones.neighbours[e] != came_from:
                out[count] = e
                count += 1
    else:  # on the bottom row the parent is right of the corner and children are to the left
        if l_hi < l_in:
            for e in range(zones.sides[broker, RIGHT], zones.sides[broker, RIGHT + 1]):
                if zones.beyond[e, 2] <= r_in < zones.beyond[e, 3] and zones.neighbours[e] != came_from:
                    out[count] = e
                    count += 1
        if l_out < l_lo:
            for e in range(zones.sides[broker, LEFT], zones.sides[broker, LEFT + 1]):
                if zones.beyond[e, 2] <= r_in < zones.beyond[e, 3] and zones.neighbours[e] != came_from:
                    out[count] = e
                    count += 1
    if r_hi < r_out:  # children above have the corner of their common part over this zone
        for e in range(zones.sides[broker, ABOVE], zones.sides[broker, ABOVE + 1]):
            a = min(zones.beyond[e, 1], l_in)
            if l_lo < a <= l_hi and l_out < a and zones.beyond[e, 0] < a and zones.neighbours[e] != came_from:
                out[count] = e
                count += 1
    return count


@njit
def next_hops(
    zones: ZoneTable, broker: int, came_from: int, l_in: float, r_in: float, l_out: float, r_out: float, out: Ints
) -> tuple[bool, int]:
    """Write the brokers that get a message next into `out`; returns how many, after whether this one delivers it.

    There are at most as many as neighbours. Only the broker's row and its neighbours' extents are read.
    """
    delivers = meets(zones.extents[broker], l_in, r_in, l_out, r_out)
    if delivers:
        count = _spread(zones, broker, came_from, l_in, r_in, l_out, r_out, out)
    else:
        out[0] = _toward(zones, broker, l_in, r_in, l_out, r_out)
        count = 1
    for h in range(count):
        out[h] = zones.neighbours[out[h]]
    return delivers, count


@njit
def _multicast(
    zones: ZoneTable, l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, sources: Ints, cost: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Follow every message to its region, then over the region's tree with a stack; `cost`: IP hops by edge."""
    n = len(zones.extents)
    messages = len(l_in)
    overlay = np.empty(messages, np.int64)
    ip = np.empty(messages, np.int64)
    offsets = np.zeros(messages + 1, np.int64)
    crossed = np.zeros(len(zones.neighbours), np.int64)
    reached = np.empty((2 * messages + n, 2), np.int64)
    out = np.empty(n, np.int64)
    stack = np.empty((n + 1, 3), np.int64)
    filled = 0
    for i in range(messages):
        if filled + n > len(reached):
            reached = np.concatenate((reached, np.empty((len(reached) + n, 2), np.int64)))
        broker = sources[i]
        hops = 0
        links = 0
        while not meets(zones.extents[broker], l_in[i], r_in[i], l_out[i], r_out[i]):
            e = _toward(zones, broker, l_in[i], r_in[i], l_out[i], r_out[i])
            crossed[e] += 1
            hops += 1
            links += cost[e]
            broker = zones.neighbours[e]
        stack[0, 0], stack[0, 1], stack[0, 2] = broker, -1, links
        depth = 1
        while depth > 0:
            depth -= 1
            broker, sender, travelled = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            reached[filled, 0], reached[filled, 1] = broker, travelled
            filled += 1
            count = _spread(zones, broker, sender, l_in[i], r_in[i], l_out[i], r_out[i], out)
            hops += count
            for h in range(count):
                e = out[h]
                crossed[e] += 1
                links += cost[e]
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = zones.neighbours[e], broker, travelled + cost[e]
                depth += 1
        overlay[i] = hops
        ip[i] = links
        offsets[i + 1] = filled
    return overlay, ip, offsets, reached[:filled, 0].copy(), reached[:filled, 1].copy(), crossed


@njit
def _follow(
    zones: ZoneTable, l_in: Floats, r_in: Floats, l_out: Floats, r_out: Floats, sources: Ints
) -> tuple[Ints, Ints, Ints, Ints, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Write down every hop; the rows of a message are its queue."""
    n = len(zones.extents)
    offsets = np.zeros(len(l_in) + 1, np.int64)
    at_source = np.zeros(len(l_in), np.bool_)
    rows = np.empty((16 * len(l_in) + 2 * n, 3), np.int64)
    delivers = np.zeros(len(rows), np.bool_)
    out = np.empty(n, np.int64)
    filled = 0
    for i in range(len(l_in)):
        # A message visits a zone once at most, so n rows are room enough for it.
        if filled + n > len(rows):
            rows = np.concatenate((rows, np.empty_like(rows)))
            delivers = np.concatenate((delivers, np.zeros_like(delivers)))
        at = filled - 1
        while at < filled:
            broker = sources[i] if at < offsets[i] else rows[at, 1]
            sender = -1 if at < offsets[i] else rows[at, 0]
            here, count = next_hops(zones, broker, sender, l_in[i], r_in[i], l_out[i], r_out[i], out)
            if at < offsets[i]:
                at_source[i] = here
            else:
                delivers[at] = here
            for h in range(count):
                rows[filled, 0] = broker
                rows[filled, 1] = out[h]
                rows[filled, 2] = -1 if at < offsets[i] else at
                filled += 1
            at += 1
        offsets[i + 1] = filled
    senders, receivers, previous = rows[:filled, 0].copy(), rows[:filled, 1].copy(), rows[:filled, 2].copy()
    return offsets, senders, receivers, previous, delivers[:filled].copy(), at_source
