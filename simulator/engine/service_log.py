"""The services of brokers while a chunk is under way, from which a crash may take something back."""

import numpy as np
from numpy.typing import NDArray

from simulator.engine.carried import Queues

__all__ = ["ServiceLog"]


class ServiceLog:
    """What brokers served, when it came and how long it waited; and how long uplinks were busy."""

    def __init__(self, brokers: int) -> None:
        self.uplink_busy_s = [0.0] * brokers
        self.last_s = 0.0
        """When the last service ends, as far as is known."""
        self._busy_s, self._waited_s, self._longest_s = ([0.0] * brokers for _ in range(3))
        self._services: list[tuple[int, float, float, float, int]] = []
        """Broker, when a packet came to it, when it began and when it was done with it; its messages."""

    def note(self, broker: int, came_s: float, begins_s: float, service_s: float, count: int) -> float:
        """Note that a broker serves a packet of so many messages; when it is done with it."""
        done_s = begins_s + service_s
        self._services.append((broker, came_s, begins_s, done_s, count))
        self.last_s = max(self.last_s, done_s)
        self._busy_s[broker] += service_s
        self._waited_s[broker] += count * (begins_s - came_s)
        self._longest_s[broker] = max(self._longest_s[broker], begins_s - came_s)
        return done_s

    def stop(self, broker: int, now: float) -> None:
        """Let a broker neither serve nor keep waiting from now on."""
        longest_s = 0.0
        for place, (at, came_s, begins_s, done_s, count) in enumerate(self._services):
            if at != broker:
                continue
            if done_s > now:
                self._busy_s[broker] -= done_s - max(begins_s, now)
                self._waited_s[broker] -= count * (begins_s - min(begins_s, now))
                self._services[place] = (at, came_s, min(begins_s, now), now, count)
            longest_s = max(longest_s, self._services[place][2] - came_s)
        self._longest_s[broker] = longest_s

    def queues(self) -> Queues:
        """The sums per broker."""
        return Queues(*np.array([self._busy_s, self.uplink_busy_s, self._waited_s, self._longest_s]))

    def waits(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """When each message came that had to wait, and when the broker began with it, or crashed."""
        waits = [(came, begun) for _, came, begun, _, count in self._services if begun > came for _ in range(count)]
        came_s, begun_s = np.array(waits).reshape(-1, 2).T
        return came_s, begun_s
