"""What a scenario plans for the ways between brokers: who is apart when, and what single links lose or delay.

All of it is known beforehand, as a function of time. A transmission meets the state of the moment at which its sender
has put it on the wire: what has left before a partition arrives, and what leaves during one is lost.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence

from simulator.scenario.fault_tables import PlannedFault
from simulator.scenario.planned_faults import in_order
from simulator.workload.units import DURATION

__all__ = ["LinkPlan"]

Steps = dict[tuple[int, int], tuple[list[float], list[float]]]
"""Of a pair of brokers, the smaller first: from when on there is each value."""


class LinkPlan:
    """The planned faults of links."""

    def __init__(self, planned: Sequence[PlannedFault]) -> None:
        self._cuts: list[tuple[float, float, frozenset[int]]] = []
        self._loss: Steps = {}
        self._delay_s: Steps = {}
        begun: dict[frozenset[int], float] = {}
        for fault in in_order(planned):
            if fault.what == "partition":
                begun[frozenset(fault.brokers)] = fault.time_s
            elif fault.what == "heal":
                apart = frozenset(fault.brokers)
                self._cuts.append((begun.pop(apart), fault.time_s, apart))
            elif isinstance(fault.value, str):
                _step(self._delay_s, fault, float(DURATION.parse(fault.value)))
            elif fault.value is not None:
                _step(self._loss, fault, fault.value)

    def __bool__(self) -> bool:
        return bool(self._cuts or self._loss or self._delay_s)

    def apart(self, one: int, other: int, time_s: float) -> bool:
        """Whether a partition is between two brokers. O(partitions)."""
        return any(start <= time_s < end and (one in cut) != (other in cut) for start, end, cut in self._cuts)

    def loss(self, one: int, other: int, time_s: float, otherwise: float) -> float:
        """Share of the transmissions between two brokers that is lost; `otherwise` if nothing is planned."""
        return _value(self._loss, one, other, time_s, otherwise)

    def delay_s(self, one: int, other: int, time_s: float) -> float:
        """What the way between two brokers takes longer."""
        return _value(self._delay_s, one, other, time_s, 0.0)


def _step(steps: Steps, fault: PlannedFault, value: float) -> None:
    times, values = steps.setdefault((min(fault.brokers), max(fault.brokers)), ([-math.inf], [math.nan]))
    times.append(fault.time_s)
    values.append(value)


def _value(steps: Steps, one: int, other: int, time_s: float, otherwise: float) -> float:
    if (one, other) not in steps:
        one, other = other, one
    times, values = steps.get((one, other), ((), ()))
    at = bisect_right(times, time_s) - 1
    return values[at] if at > 0 else otherwise
