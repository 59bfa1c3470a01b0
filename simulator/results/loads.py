"""Loads: what every broker and every IP link carried, how long queues were, and where the bottleneck sits."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from floor.steps import Advance
from matching.side_index import SideIndex
from paint.shapes import count_held
from pipeline import BROKERS, LINKS
from simulator.approaches.approach import Approach
from simulator.engine.carried import Carried
from simulator.engine.ledger import Ledger
from simulator.workload.workload import Workload
from topologies import PairBytes, Routes

__all__ = ["Bottleneck", "Loads", "kept_objects", "link_table"]


@dataclass(frozen=True)
class Bottleneck:
    """What was busy for the largest share of the time."""

    what: str
    utilisation: float

    def __str__(self) -> str:
        return f"{self.what}, busy {self.utilisation:.1%} of the time"


class _PairSums:
    """What brokers sent to each other, added up; 16 bytes for each pair of which one sent anything."""

    def __init__(self, brokers: int) -> None:
        self._brokers = brokers
        self._pairs, self._sums = np.empty((2, 0), np.int64)

    def add(self, sender: NDArray[np.int64], receiver: NDArray[np.int64], amount: NDArray[np.int64]) -> None:
        """Add more; O((p + q) log (p + q)) for q rows on top of p pairs."""
        some = amount > 0
        pairs = np.concatenate((self._pairs, (sender * self._brokers + receiver)[some]))
        amounts = np.concatenate((self._sums, amount[some]))
        self._pairs, place = np.unique(pairs, return_inverse=True)
        self._sums = np.zeros(len(self._pairs), np.int64)
        np.add.at(self._sums, place, amounts)

    def times(self, size_bytes: int) -> PairBytes:
        """What that comes to when each that was counted takes so many bytes."""
        return PairBytes(*np.divmod(self._pairs, self._brokers), self._sums * size_bytes)

    def per_sender(self) -> NDArray[np.int64]:
        """What each broker sent."""
        totals = np.zeros(self._brokers, np.int64)
        np.add.at(totals, self._pairs // self._brokers, self._sums)
        return totals


class Loads:
    """Sums over the chunks of one approach; O(brokers + pairs of them that sent each other anything) space.

    Attributes
    ----------
    timed : bool
        Whether there was a clock.
    """

    def __init__(self, brokers: int) -> None:
        self._bytes, self._control = _PairSums(brokers), _PairSums(brokers)
        self._came, self._went, self._deliveries, self._notifications = np.zeros((4, brokers), np.int64)
        self._queues = np.zeros((4, brokers))
        self.timed = False

    def take(self, carried: Carried) -> None:
        """Take in a chunk."""
        traffic, brokers = carried.traffic, len(self._deliveries)
        sender, receiver, count, size = traffic.crossed.T
        self._bytes.add(sender, receiver, size)
        self._went += np.bincount(sender, count, brokers).astype(np.int64)
        self._came += np.bincount(receiver, count, brokers).astype(np.int64)
        if traffic.control is not None:
            self._control.add(*traffic.control.T[1:])
        self._deliveries += np.bincount(traffic.broker, traffic.copies, brokers).astype(np.int64)
        self._notifications += np.bincount(traffic.broker, carried.received, brokers).astype(np.int64)
        if traffic.queues is not None:
            self.timed = True
            self._queues[:3] += traffic.queues[:3]
            self._queues[3] = np.maximum(self._queues[3], traffic.queues.longest_wait_s)

    def broker_table(self, name: str, control_bytes: int) -> pa.Table:
        """Rows of `brokers.parquet`, where a control message has so many bytes."""
        control, brokers = self._control.per_sender() * control_bytes, len(self._deliveries)
        columns = {
            "approach": np.full(brokers, name),
            "broker": np.arange(brokers),
            "messages_in": self._came,
            "messages_out": self._went,
            "bytes_out": self._bytes.per_sender() + control,
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

    def sent(self, control_bytes: int) -> PairBytes:
        """What brokers sent each other, where a control message has so many bytes."""
        parts = self._bytes.times(1), self._control.times(control_bytes)
        return PairBytes(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

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


def link_table(sent: Mapping[str, PairBytes], routes: Routes, advance: Advance = lambda _: None) -> pa.Table:
    """Rows of `links.parquet`, by approach and by the ends of the links.

    Parameters
    ----------
    sent : dict
        What brokers sent each other, by approach.
    advance : function
        Told how many more brokers' routes have been followed.
    """
    tables = []
    for name, loads in zip(sent, routes.link_loads(list(sent.values()), advance), strict=True):
        used = np.flatnonzero(loads)
        tables.append(
            pa.table([np.full(len(used), name), *routes.links[used].astype(np.int64).T, loads[used]], LINKS)
        )
    return pa.concat_tables(tables)


def kept_objects(approaches: Mapping[str, Approach], workload: Workload) -> dict[str, float]:
    """Objects that a subscription must keep, on average at the start: k at most, but all in range without a server.

    O((n + m) log n) over one attribute, over d attributes O(n log n + m n^(1 - 1/d)) at worst, and O(n m) for
    halfspaces and disks.
    """
    inside = _objects_inside(workload)
    with_server, without = float(np.mean(np.minimum(inside, workload.k))), float(np.mean(inside))
    return {name: without if approach.serverless else with_server for name, approach in approaches.items()}


def _objects_inside(workload: Workload) -> NDArray[np.int64]:
    """(m,) objects in the range of each subscription."""
    if workload.sides is None:
        x = np.sort(workload.x)
        ends = np.searchsorted(x, workload.r, side="right") - np.searchsorted(x, workload.l)
        return ends.astype(np.int64)
    if workload.shape != "boxes":
        return count_held(workload.shape, workload.r, workload.x)
    # Objects as points and ranges as closed boxes: what the index does for subscriptions and messages.
    return SideIndex(workload.x).counts(np.stack((workload.l, workload.r), axis=1))
