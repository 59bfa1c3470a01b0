"""Which broker gets which zone: ways between neighbours in S are to be short.

Messages go from neighbour to neighbour, so what counts is the sum of the delays between the brokers of neighbouring
zones. To make it the least is the quadratic assignment problem; two steps come near enough.

1. Brokers are laid out in a plane by their delays alone (FastMap, C. Faloutsos and K.-I. Lin, SIGMOD 1995), and the
   plane is cut as S is: where the split tree cuts along l, the brokers of a subtree are ordered along one axis, where
   it cuts along r along the other, and either side gets as many as it has zones. More sides take turns. Neighbours in
   S are then close in the plane.
2. Two brokers change places whenever that makes the sum less. A zone is tried for the brokers that are nearest to
   those of its neighbours, until nothing helps any more.

Delays decide, and not places on the map: ways are not straight, and a network read from a file may have no places.
Nothing is random, and nothing enters but sums, products and roots of delays and their comparison.
"""

import numpy as np
import numpy.typing as npt

from cn.plane import Splits
from cn.zones import Ints, Zones
from floor.kernels import njit

__all__ = ["near_brokers"]

Floats = npt.NDArray[np.float64]
Delays = npt.NDArray[np.floating]

_TRIED = 32
"""Brokers near that of a neighbour which a zone is tried for."""
_ROUNDS = 12
"""Most rounds over all zones; the last ones change little."""


def near_brokers(zones: Zones, delay_ms: Delays) -> Ints:
    """Broker that each zone is best given to, (n,) i8, by the broker that has it: for `Zones.assign`.

    Parameters
    ----------
    zones
        All their n brokers are present.
    delay_ms
        Delays between brokers, (n, n).

    Notes
    -----
    O(n²) time for the nearest of each broker, O(n) for each round of changes; O(n) space.
    """
    n = len(zones)
    if delay_ms.shape != (n, n):
        raise ValueError(f"delay_ms must be square with a row per broker ({n}), got {delay_ms.shape}")
    chosen = _cut_alike(zones.splits, _lay_out(delay_ms))
    sides = zones.table.sides
    links = np.append(sides[:, 0], sides[-1, -1])
    near = _nearest(delay_ms, min(_TRIED, n - 1))
    _change_places(chosen, links, zones.table.neighbours, delay_ms, near, _ROUNDS)
    return chosen


def _lay_out(delay_ms: Delays) -> Floats:
    """Brokers in a plane so that distances are about their delays, (n, 2): two coordinates of FastMap."""
    places = np.zeros((len(delay_ms), 2))

    def squares(broker: int) -> Floats:
        """Of the distances from a broker to all, less what the first coordinate tells of them."""
        told = places[:, 0] - places[broker, 0]
        left: Floats = np.maximum(np.square(delay_ms[broker], dtype=np.float64) - told * told, 0.0)
        return left

    for axis in (0, 1):
        one = int(squares(0).argmax())
        of_one = squares(one)
        other = int(of_one.argmax())
        if of_one[other] == 0.0:
            break
        places[:, axis] = (of_one - squares(other)) / (2 * np.sqrt(of_one[other]))
    return places


def _cut_alike(splits: Splits, places: Floats) -> Ints:
    """Broker of each zone if places are cut as S is; of two at one place the smaller number comes first."""
    chosen = np.empty(len(places), np.int64)
    zones = _zones_below(splits)
    subtrees = [(splits.root, np.arange(len(places)))]
    while subtrees:
        node, brokers = subtrees.pop()
        if node < 0:
            chosen[-1 - node] = brokers[0]
            continue
        first, second = splits.children[node].tolist()
        ordered = brokers[np.lexsort((brokers, places[brokers, splits.dimension[node] % 2]))]
        count = zones[first] if first >= 0 else 1
        subtrees += [(first, ordered[:count]), (second, ordered[count:])]
    return chosen


def _zones_below(splits: Splits) -> dict[int, int]:
    """How many zones each split has made of its part of S."""
    outward = [splits.root] if splits.root >= 0 else []
    for node in outward:
        outward += [child for child in splits.children[node].tolist() if child >= 0]
    count: dict[int, int] = {}
    for node in reversed(outward):
        count[node] = sum(count[child] if child >= 0 else 1 for child in splits.children[node].tolist())
    return count


@njit
def _nearest(delay_ms: Delays, count: int) -> Ints:
    """The brokers nearest to each, (n, count), the nearest first and of equally near ones the smaller number."""
    n = len(delay_ms)
    near = np.empty((n, count), np.int64)
    for b in range(n):
        found = 0
        for c in range(n):
            if c == b or (found == count and (count == 0 or delay_ms[b, c] >= delay_ms[b, near[b, count - 1]])):
                continue
            at = found if found < count else count - 1
            while at > 0 and delay_ms[b, near[b, at - 1]] > delay_ms[b, c]:
                near[b, at] = near[b, at - 1]
                at -= 1
            near[b, at] = c
            found = min(found + 1, count)
    return near


@njit
def _sum(
    zone: int,
    broker: int,
    other: int,
    chosen: Ints,
    links: Ints,
    neighbours: Ints,
    delay_ms: Delays,
) -> float:
    """Delays from a broker, if it had a zone, to the zone's neighbours, but for one of these."""
    total = 0.0
    for e in range(links[zone], links[zone + 1]):
        if neighbours[e] != other:
            total += delay_ms[broker, chosen[neighbours[e]]]
    return total


@njit
def _change_places(chosen: Ints, links: Ints, neighbours: Ints, delay_ms: Delays, near: Ints, rounds: int) -> None:
    """Let brokers change places as long as that makes the sum of delays between neighbours less.

    The way between the two themselves stays the same, so it is left out.
    """
    zone_of = np.empty(len(chosen), np.int64)
    for zone in range(len(chosen)):
        zone_of[chosen[zone]] = zone
    for _ in range(rounds):
        changes = 0
        for a in range(len(chosen)):
            for e in range(links[a], links[a + 1]):
                for candidate in near[chosen[neighbours[e]]]:
                    b = zone_of[candidate]
                    if a == b:
                        continue
                    mine = chosen[a]
                    now = _sum(a, mine, b, chosen, links, neighbours, delay_ms)
                    now += _sum(b, candidate, a, chosen, links, neighbours, delay_ms)
                    then = _sum(a, candidate, b, chosen, links, neighbours, delay_ms)
                    then += _sum(b, mine, a, chosen, links, neighbours, delay_ms)
                    if then < now * (1 - 1e-9):  # not by rounding
                        chosen[a], chosen[b] = candidate, mine
                        zone_of[candidate], zone_of[mine] = a, b
                        changes += 1
        if changes == 0:
            return
