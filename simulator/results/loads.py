"""Loads: what every broker and every IP link carried, how long queues were, and where the bottleneck sits."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline import BROKERS, LINKS
from simulator.approaches.approach import Approach
from simulator.engine.carried import Carried
from simulator.engine.ledger import Ledger
from simulator.workload.workload import Workload
from topologies import Routes

__all__ = ["Bottleneck", "Loads", "kept_objects"]


@dataclass(frozen=True)
class Bottleneck:
    """What was busy for the largest share of the time."""

    what: str
    utilisation: float

    def __str__(self) -> str:
        return f"{self.what}, busy {self.utilisation:.1%} of the time"


class Loads:
    """Sums over the chunks of one approach; O(brokers²) space.

    Attributes
    ----------
    timed : bool
        Whether there was a clock.
    """

    def __init__(self, brokers: int) -> None:
        self._bytes, self._control = np.zeros((2, brokers, brokers), np.int64)
        self._came, self._went, self._deliveries, self._notifications = np.zeros((4, brokers), np.int64)
        self._queues = np.zeros((4, brokers))
        self.timed = False

    def take(self, carried: Carried) -> None:
        """Take in a chunk."""
        traffic, brokers = carried.traffic, len(self._bytes)
        sender, receiver, count, size = traffic.crossed.T
        np.add.at(self._bytes, (sender, receiver), size)
        self._went += np.bincount(sender, count, brokers).astype(np.int64)
        self._came += np.bincount(receiver, count, brokers).astype(np.int64)
        if traffic.control is not None:
            _, sender, receiver, count = traffic.control.T
            np.add.at(self._control, (sender, receiver), count)
        self._deliveries += np.bincount(traffic.broker, traffic.copies, brokers).astype(np.int64)
        self._notifications += np.bincount(traffic.broker, carried.received, brokers).astype(np.int64)
        if traffic.queues is not None:
            self.timed = True
            self._queues[:3] += traffic.queues[:3]
            self._queues[3] = np.maximum(self._queues[3], traffic.queues.longest_wait_s)

    def broker_table(self, name: str, control_bytes: int) -> pa.Table:
        """Rows of `brokers.parquet`, where a control message has so many bytes."""
        control, brokers = self._control.sum(axis=1) * control_bytes, len(self._bytes)
        columns = {
            "approach": np.full(brokers, name),
            "broker": np.arange(brokers),
            "messages_in": self._came,
            "messages_out": self._went,
            "bytes_out": self._bytes.sum(axis=1) + control,
            "control_bytes": control,
            "deliveries": self._deliveries,
            "notifications": self._notifications,
        }
        names = ("busy_s", "uplink_busy_s", "waited_s", "longest_wait_s")
        timed = {
            column: pa.array(values, pa.float64()) if self.timed else pa.nulls(brokers, pa.float64())
            for column, values in zip(names, self._queues, strict=True)
        }
        return pa.table(columns | timed, BROKERS)

    def link_table(self, name: str, control_bytes: int, routes: Routes) -> pa.Table:
        """Rows of `links.parquet`, by the ends of the links."""
        loads = np.rint(routes.link_load(self._bytes + self._control * control_bytes)).astype(np.int64)
        used = np.flatnonzero(loads)
        ends = np.sort(routes.links[used].astype(np.int64), axis=1)
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        columns = [np.full(len(used), name), ends[order, 0], ends[order, 1], loads[used][order]]
        return pa.table(columns, LINKS)

    def bottleneck(self, ledger: Ledger) -> Bottleneck | None:
        """Server, broker or uplink with the highest utilisation; None without a clock."""
        if not self.timed or ledger.end_s <= 0:
            return None
        broker, uplink = int(self._queues[0].argmax()), int(self._queues[1].argmax())
        candidates = (
            (ledger.server_busy_s, "server"),
            (float(self._queues[0, broker]), f"broker {broker}"),
            (float(self._queues[1, uplink]), f"uplink of broker {uplink}"),
        )
        busy_s, what = max(candidates)
        return Bottleneck(what, busy_s / ledger.end_s)


def kept_objects(approaches: Mapping[str, Approach], workload: Workload) -> dict[str, float]:
    """Objects that a subscription must keep, on average at the start: k at most, but all in range without a server.

    O((n + m) log n).
    """
    x = np.sort(workload.x)
    inside: NDArray[np.int64] = np.searchsorted(x, workload.r, side="right") - np.searchsorted(x, workload.l)
    with_server, without = float(np.mean(np.minimum(inside, workload.k))), float(np.mean(inside))
    return {name: without if approach.serverless else with_server for name, approach in approaches.items()}
