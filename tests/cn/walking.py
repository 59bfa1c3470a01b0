"""A message followed from broker to broker, each of which decides for itself."""

from typing import Any

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
