"""Places for brokers that are linked as a tree: the server at the left, a column for every hop away from it."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["tree_places"]


def tree_places(brokers: int, links: NDArray[np.int64], root: int) -> NDArray[np.float64]:
    """Places from 0 to 1 of brokers, (brokers, 2); those that no links lead to stand in a column of their own.

    Leaves are a row each, in the order of a walk, and a broker stands in the middle of those behind it, so that no
    links cross. O(brokers + links).
    """
    around: dict[int, list[int]] = {broker: [] for broker in range(brokers)}
    for one, other in links.tolist():
        around[one].append(other)
        around[other].append(one)
    depth, parent, order, waiting = {root: 0}, {root: -1}, list[int](), [root]
    while waiting:
        broker = waiting.pop()
        order.append(broker)
        for other in sorted(around[broker], reverse=True):
            if other not in depth:
                depth[other], parent[other] = depth[broker] + 1, broker
                waiting.append(other)
    behind: dict[int, list[float]] = {broker: [] for broker in range(brokers)}
    apart = [broker for broker in range(brokers) if broker not in depth]
    rows, row = np.zeros(brokers), 0
    leaves = {broker for broker in order if all(parent[other] != broker for other in around[broker])}
    for broker in (*order, *apart):
        if broker in leaves or broker not in depth:
            rows[broker] = row
            row += 1
    for broker in reversed(order):
        if broker not in leaves:
            rows[broker] = np.mean(behind[broker])
        if broker != root:
            behind[parent[broker]].append(float(rows[broker]))
    deepest = max(depth.values())
    columns = np.array([depth.get(broker, deepest + 1) for broker in range(brokers)], np.float64)
    return np.column_stack((columns / max(float(columns.max()), 1.0), (rows + 0.5) / max(row, 1)))
