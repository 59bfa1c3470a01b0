"""Steadiness: whether means would stay as they are if a run went on, or a queue grows for as long as it lasts.

Server, brokers and uplinks are queues, each with one place where work is done, first come, first served. One that is
given more work than it can do while events arise has a queue that grows until they end: the work that is left then is
at least the surplus, and every mean of latencies depends on how long the run went on. Below that, what is left does
not grow with the length of the run (rho < 1 in queueing theory). So the test is the work given to the busiest part,
over the time in which events arise, against 1: the offered load. It needs no trend to be told from noise, and a burst
or a crash that queues recover from within the run is no alarm. What is sent again after a fault is work like any
other: where it is so much that a queue is left at the end, the run was too short for its faults.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simulator.engine.ledger import Ledger
from simulator.results.loads import Bottleneck, Loads

__all__ = ["arising_s", "offered_load", "unsteady"]


def arising_s(time_s: NDArray[np.float64]) -> float:
    """Seconds in which events arise, the pause after the last included; 0 if they arise at once. O(events).

    Between d different times are d - 1 pauses; the last is taken to be as long as they are on average, so that n
    events at a rate take n / rate, and bursts their number times the gap.
    """
    times = np.unique(time_s)
    return float((times[-1] - times[0]) * len(times) / (len(times) - 1)) if len(times) > 1 else float(times[-1])


def offered_load(loads: Loads, ledger: Ledger, time_s: NDArray[np.float64]) -> Bottleneck | None:
    """What was given most work, as a share of the time in which events arose; None without a clock or such a time."""
    return loads.bottleneck(replace(ledger, end_s=arising_s(time_s)))


def unsteady(loads: Loads, ledger: Ledger, time_s: NDArray[np.float64]) -> str | None:
    """Why the means of a run depend on its length, beginning with `not steady: `; None where they do not."""
    if not loads.timed or len(time_s) < 2:
        return None
    busiest = offered_load(loads, ledger, time_s)
    if busiest is None:
        return "not steady: all events arise at once, so latencies depend on their number"
    if busiest.utilisation < 1:
        return None
    return (
        f"not steady: {busiest.what} is given {busiest.utilisation:.4g} times the work that it can do while events "
        "arise, so a queue is left at the end and latencies depend on the length of the run"
    )
