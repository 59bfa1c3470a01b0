"""Lists by the clock: when watched subscriptions take in what comes, and what their lists are meanwhile."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.registry import parse_approach
from simulator.engine.carried import Carried
from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import Ingredients
from simulator.inputs.watched import watched_of
from simulator.results.series import Series
from simulator.results.timeline import Timeline, WrongList
from simulator.scenario.scenario import Scenario

__all__ = ["ListTimes", "Lists", "lists_of"]

Floats = NDArray[np.float64]


class ListTimes(NamedTuple):
    """What a chunk came to, per window; docs/results.md defines it."""

    stale_ms: Floats
    """From the window's first event until the lists that it changed had taken it in, on average; NaN if none."""
    wrong_s: Floats
    """From its first event to the next window's: seconds that lists were wrong, added up over those that count."""
    counted_s: Floats
    """Likewise: seconds of all lists that count."""


class Lists:
    """Follows the lists of watched subscriptions by the clock, in the order that the scenario gives to messages."""

    def __init__(self, scenario: Scenario, ingredients: Ingredients, name: str, series: Series | None = None) -> None:
        self._series = series
        watched, churn = watched_of(scenario, ingredients), plan_faults(scenario, ingredients).churn
        self._ingredients = ingredients
        self._last_hop_ms = ingredients.last_hop_ms[watched.ids] if scenario.network.last_hop else None
        self._judged = scenario.verify != "none" and scenario.network.order != "none"
        self._timeline = Timeline(
            parse_approach(name),
            ingredients.workload,
            watched.ids,
            watched.counted,
            ingredients.events,
            churn,
            in_place=scenario.network.order != "none",
        )

    def take(self, carried: Carried) -> ListTimes:
        """Follow a chunk."""
        told = self._timeline.take(carried, self._taken_s(carried), questions_s=self._questions_s(carried))
        if self._series is not None:
            self._series.take_wrong(*self._timeline.spans)
        stale_ms = np.where(told.lists > 0, told.stale_s / np.maximum(told.lists, 1), np.nan) * 1e3
        return ListTimes(stale_ms, told.wrong_s, told.counted_s)

    def _questions_s(self, carried: Carried) -> tuple[Floats, Floats] | None:
        """When questions are put, and answers without news there."""
        asked, replies, routes = carried.outgoing.asked, carried.replies, self._ingredients.routes
        if asked is None or replies is None or replies.left_s is None or replies.ready_s is None:
            return None
        back_s = replies.ready_s + routes.delay_ms[self._ingredients.server, replies.gateway] / 1e3
        return asked.time_s, back_s + replies.left_s - asked.time_s  # as long to the subscription as from it

    def _taken_s(self, carried: Carried) -> Floats:
        """When each watched subscription acts on what comes to it: at once, or when the watermark has come."""
        notified_s, routes = carried.notified_s, self._ingredients.routes
        assert notified_s is not None  # there is a clock
        gateway = carried.traffic.broker[carried.notified.delivery]
        if carried.traffic.watermark_s is not None:
            window = carried.window_of[carried.notified.message]
            come_s = carried.traffic.watermark_s[window] + routes.delay_ms[self._ingredients.server, gateway] / 1e3
            notified_s = np.maximum(notified_s, come_s)
        if self._last_hop_ms is not None:
            return notified_s + self._last_hop_ms[carried.notified.subscription] / 1e3
        return notified_s

    @property
    def mismatch(self) -> WrongList | None:
        """The first list that was wrong although nothing was under way to it, where that must not happen."""
        return self._timeline.mismatch if self._judged else None

    @property
    def ends_wrong(self) -> float:
        """Share of the lists that are wrong in the end, of those still there."""
        present = np.count_nonzero(self._timeline.present)
        return np.count_nonzero(self._timeline.wrong) / present if present else 0.0


def lists_of(scenario: Scenario, ingredients: Ingredients, name: str, series: Series | None = None) -> Lists | None:
    """Follows lists under an approach, and tells a series how many are wrong; None without a clock."""
    return None if scenario.engine == "tally" else Lists(scenario, ingredients, name, series)
