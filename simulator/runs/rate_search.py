"""Searching for the highest rate that passes a test, by as few tests as may be: each is a simulation."""

from collections.abc import Callable
from typing import NamedTuple

from sortedcontainers import SortedDict

from simulator.results.loads import Bottleneck

__all__ = ["Limits", "Probe", "Search", "find_rate"]

_WIDTH = 0.02
"""The search ends when the failing rate is above the other by this share."""
_DOUBLING = 2.0
_MARGIN = 0.008
"""Rates that will be just below and just above the limit, as far as work decides, are so far from it."""


class Probe(NamedTuple):
    """What was measured at a rate."""

    rate_per_s: float
    p99_ms: float
    """Latency that 99 of 100 notifications after the warm-up did not exceed."""
    bottleneck: Bottleneck | None
    """What had the most work, as a share of the time in which events arise; from 1 on it falls behind."""

    def passes(self, bound_ms: float) -> bool:
        """Whether the rate can be kept up with p99 under the bound."""
        return self.p99_ms < bound_ms and not self.overloaded

    @property
    def overloaded(self) -> bool:
        """Whether a part falls behind."""
        return self.bottleneck is not None and self.bottleneck.utilisation >= 1

    def at_load(self, load: float) -> float | None:
        """The rate at which the busiest part will have so much work, which grows with the rate; None if unknown."""
        if self.bottleneck is None or self.bottleneck.utilisation <= 0:
            return None
        return self.rate_per_s * load / self.bottleneck.utilisation


class Search(NamedTuple):
    """What was found with one seed."""

    highest: Probe | None
    """At the highest rate found to be in time; None if no rate is."""
    failing: Probe | None
    """At the lowest rate above that was found not to be, or where p99 is lowest if no rate is in time; None if no
    rate up to the highest that can be tried fails."""


class Limits(NamedTuple):
    """Rates that can be tried, in events per second."""

    lowest_per_s: float
    highest_per_s: float


def find_rate(
    test: Callable[[float], Probe],
    start_per_s: float,
    bound_ms: float,
    limits: Limits,
    *,
    ratio: float = _DOUBLING,
    batches: bool = False,
) -> Search:
    """Find the highest rate with p99 under a bound: go up or down from a rate, then close in to 2 %.

    Work grows with the rate, so that one measured rate tells at which one the busiest part will have no time left:
    about five tests where that is the limit. Where latency is, about log2 of (capacity / start) and six.

    Parameters
    ----------
    test : callable
        Measures a rate.
    start_per_s : float
        Where to begin, within the limits or not.
    ratio : float
        Of a rate to the next one tried; squared from one to the next, up to 2.
    batches : bool
        Whether a low rate may be late where a higher one is not, since windows wait for their events.
    """
    tried, (lowest, highest) = _Tried(test, bound_ms), limits
    start_per_s = min(max(start_per_s, lowest), highest)
    found, step = tried.measure(start_per_s), ratio
    while tried.low is None and found.rate_per_s > lowest:
        below = found.at_load(1 - _MARGIN) if found.overloaded else None
        found = tried.measure(max(below or found.rate_per_s / step, lowest))
        step = min(step * step, _DOUBLING)
    found, step = tried.last, ratio
    # Windows that wait too long for their events fill sooner at a higher rate.
    while tried.high is None and found.rate_per_s < highest and (batches or tried.low is not None):
        above = max(found.at_load(1 + _MARGIN) or 0.0, found.rate_per_s * step)
        found = tried.measure(min(above, highest))
        step = min(step * step, _DOUBLING)
    while (middle := tried.middle()) is not None:
        tried.measure(middle)
    return Search(tried.low, tried.best if tried.low is None else tried.high)


class _Tried:
    """The rates that were measured, in ascending order: the highest in time and the next above it are the answer."""

    def __init__(self, test: Callable[[float], Probe], bound_ms: float) -> None:
        self._test, self._bound_ms = test, bound_ms
        self._probes: SortedDict[float, Probe] = SortedDict()

    def measure(self, rate_per_s: float) -> Probe:
        """Measure a rate and keep what is found."""
        self._probes[rate_per_s] = measured = self._test(rate_per_s)
        return measured

    @property
    def last(self) -> Probe:
        """At the highest rate that was measured."""
        return self._probes.peekitem(-1)[1]

    @property
    def low(self) -> Probe | None:
        """At the highest rate that is in time."""
        return next((found for found in reversed(self._probes.values()) if found.passes(self._bound_ms)), None)

    @property
    def high(self) -> Probe | None:
        """At the lowest rate above that one, which is not; None if there is none."""
        if self.low is None:
            return None
        above = self._probes.bisect_right(self.low.rate_per_s)
        return self._probes.peekitem(above)[1] if above < len(self._probes) else None

    @property
    def best(self) -> Probe:
        """Where latency is lowest."""
        return min(self._probes.values(), key=lambda found: found.p99_ms)

    def middle(self) -> float | None:
        """The rate between the two; None once they are close, or there are no two."""
        low, high = self.low, self.high
        if low is None or high is None or high.rate_per_s - low.rate_per_s <= _WIDTH * low.rate_per_s:
            return None
        guesses = (high.at_load(1 - _MARGIN) if high.overloaded else None, low.at_load(1 + _MARGIN))
        between = (low.rate_per_s * (1 + _MARGIN), high.rate_per_s / (1 + _MARGIN))
        middle = (low.rate_per_s + high.rate_per_s) / 2
        return next((one for one in guesses if one is not None and between[0] < one < between[1]), middle)
