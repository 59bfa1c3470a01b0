"""A message followed from broker to broker, each of which decides for itself, beside what a network says of many."""

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from cn import Network


def follow(network: Network, source: int, row: Any) -> tuple[list[int], list[tuple[int, int]]]:
    """Brokers that hand a message to their subscribers, and its hops in breadth-first order."""
    waiting, delivered, hops = [(source, -1)], [], []
    for broker, came_from in waiting:
        delivers, onward = network.next_hops(broker, came_from, row["l_in"], row["r_in"], row["l_out"], row["r_out"])
        if delivers:
            delivered.append(broker)
        for other in onward:
            hops.append((broker, other))
            waiting.append((other, broker))
        assert len(hops) <= 2 * len(network), "the message goes round in circles"
    return delivered, hops


class Carried:
    """What a network says of many messages at once, compared with every one of them followed by itself."""

    def __init__(self, network: Network, table: npt.NDArray[np.void], rng: np.random.Generator) -> None:
        self.network, self.table = network, table
        self.sources = rng.choice(np.flatnonzero(network.present), len(table))
        self.ip_hops = rng.integers(1, 9, (len(network), len(network)))
        self.got = network.multicast(table, self.sources, self.ip_hops)
        self.every = network.hops(table, self.sources)
        self.crossed: Counter[tuple[int, int]] = Counter()

    def follow(self, i: int) -> tuple[list[int], list[tuple[int, int]]]:
        """Brokers that hand message i over, and its hops, after a look at what was said of both."""
        got, every, source = self.got, self.every, int(self.sources[i])
        delivered, hops = follow(self.network, source, self.table[i])
        self.crossed.update(hops)
        far = {source: 0}
        for a, b in hops:
            far[b] = far[a] + int(self.ip_hops[a, b])
        reached = slice(got.offsets[i], got.offsets[i + 1])
        assert sorted(got.zones[reached].tolist()) == sorted(delivered)
        assert got.travelled[reached].tolist() == [far[zone] for zone in got.zones[reached].tolist()]
        assert (got.overlay_hops[i], got.ip_hops[i]) == (len(hops), sum(self.ip_hops[a, b] for a, b in hops))
        rows = slice(every.offsets[i], every.offsets[i + 1])
        assert list(zip(every.senders[rows].tolist(), every.receivers[rows].tolist(), strict=True)) == hops
        assert every.at_source[i] == (source in delivered)
        assert every.delivers[rows].tolist() == [b in delivered for _, b in hops]
        for row in range(every.offsets[i], every.offsets[i + 1]):
            before = every.previous[row]
            assert every.senders[row] == (source if before < 0 else every.receivers[before])
            assert before == -1 or every.offsets[i] <= before < row
        return delivered, hops

    def check_sums(self) -> None:
        """Compare what all messages followed add up to."""
        assert {(a, b): count for a, b, count in self.got.crossed.tolist() if count} == self.crossed
        assert self.got.zones_reached.sum() == len(self.got.zones)
