"""The engine with a clock: a SimPy simulation of server, brokers, queues and links.

An event travels from its origin to the server, which answers events in event order, one at a time, for a service
time made of its counted calls. Every broker serves one message at a time and sends through one uplink, both first
come, first served. Where a message goes is decided by the brokers, each from what it knows (`Network.hops`).

A hop is one SimPy event, its arrival at a broker. Since queues are first come, first served, the time at which the
broker is done with the message, and at which each copy departs and arrives at the next broker, follow at once from
the times at which broker and uplink become free. That is exact, and an order of magnitude faster than a process and
a store per broker.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import simpy
from numpy.typing import NDArray

from cn import Hops
from topologies import Routes

from .approaches import Outgoing
from .events import EventStream
from .models import Costs

__all__ = ["Times", "simulate"]


class Times(NamedTuple):
    """When things happened, in seconds of simulated time."""

    served: NDArray[np.float64]
    """(hops,) when the receiver of a hop was done with the message."""
    served_at_source: NDArray[np.float64]
    """(messages,) when the broker at which a message starts was done with it."""


class _Due(Protocol):
    """What SimPy hands to a callback."""

    value: Any


def simulate(
    events: EventStream,
    outgoing: Outgoing,
    hops: Hops,
    sources: NDArray[np.int64],
    routes: Routes,
    *,
    server: int | None,
    message_bytes: int,
    event_bytes: int,
    costs: Costs,
    advance: Callable[[int], object] = lambda _: None,
) -> Times:
    """Put a clock on the hops of an approach's messages.

    Parameters
    ----------
    hops : Hops
        The way of every message, sources not counted as hops.
    sources : (events,) int64 array
        Broker at which the messages of each event start.
    server : int or None
        Broker of the server; None where messages start at the event's origin without one.
    advance : callable
        Told how many events were answered.

    Returns
    -------
    Times
        One SimPy event per hop, and two per event.
    """
    run = _Simulation(events, outgoing, hops, sources, routes, message_bytes, costs, advance)
    run.start(server, event_bytes)
    run.clock.run()
    return Times(np.array(run.served), np.array(run.served_at_source))


class _Simulation:
    """State of one run: the clock, and when server, brokers and uplinks are free. Plain lists, as SimPy is Python."""

    def __init__(
        self,
        events: EventStream,
        outgoing: Outgoing,
        hops: Hops,
        sources: NDArray[np.int64],
        routes: Routes,
        message_bytes: int,
        costs: Costs,
        advance: Callable[[int], object],
    ) -> None:
        self.clock = simpy.Environment()
        self.events, self.routes, self.advance = events, routes, advance
        self.offsets, self.sources = outgoing.offsets.tolist(), sources.tolist()
        calls_s = np.array([costs.first_k_s, costs.min_y_s, costs.snap_s])
        self.service_s = (outgoing.costs @ calls_s + np.diff(outgoing.offsets) * costs.send_s).tolist()
        self.broker_s = costs.broker_s
        self.receivers = hops.receivers.tolist()
        self.transmit_s = _transmission(message_bytes, routes.bandwidth_mbps[hops.senders, hops.receivers]).tolist()
        self.delay_s = (routes.delay_ms[hops.senders, hops.receivers] / 1e3).tolist()
        self.next_row, self.next_start = _next_hops(hops)
        self.server_free = 0.0
        self.broker_free = [0.0] * len(routes.hops)
        self.uplink_free = [0.0] * len(routes.hops)
        self.arrived = [False] * (len(events.object) + 1)
        self.next_event = 0
        self.served = [0.0] * len(hops.receivers)
        self.served_at_source = [0.0] * len(outgoing.table)

    def start(self, server: int | None, event_bytes: int) -> None:
        """Put every event on the clock."""
        origin, time_s = self.events.origin, self.events.time_s
        if server is None:
            for event, time in enumerate(time_s.tolist()):
                self._at(time, self._inject, event)
            return
        transmit_s = _transmission(event_bytes, self.routes.bandwidth_mbps[origin, server])
        reach_s = time_s + transmit_s + self.routes.delay_ms[origin, server] / 1e3
        for event, time in enumerate(reach_s.tolist()):
            self._at(time, self._reach_server, event)

    def _at(self, time: float, act: Callable[[_Due], None], value: int) -> None:
        timeout = self.clock.timeout(time - self.clock.now, value)
        timeout.callbacks.append(act)

    def _reach_server(self, reached: _Due) -> None:
        """Queue an event at the server, which keeps to the order of event numbers."""
        self.arrived[reached.value] = True
        while self.arrived[self.next_event]:
            self.server_free = max(self.server_free, self.clock.now) + self.service_s[self.next_event]
            self._at(self.server_free, self._inject, self.next_event)
            self.next_event += 1

    def _inject(self, answered: _Due) -> None:
        """Hand an event's messages to the broker where they enter the network."""
        event = answered.value
        broker = self.sources[event]
        for message in range(self.offsets[event], self.offsets[event + 1]):
            self.served_at_source[message] = self._serve(broker, len(self.receivers) + message)
        self.advance(1)

    def _arrive(self, arrived: _Due) -> None:
        row = arrived.value
        self.served[row] = self._serve(self.receivers[row], row)

    def _serve(self, broker: int, place: int) -> float:
        """Let a broker serve a message and send it on; `place` is the hop it came by, or its place after all hops."""
        done = max(self.broker_free[broker], self.clock.now) + self.broker_s
        self.broker_free[broker] = done
        departed = max(self.uplink_free[broker], done)
        for row in self.next_row[self.next_start[place] : self.next_start[place + 1]]:
            departed += self.transmit_s[row]
            self._at(departed + self.delay_s[row], self._arrive, row)
        self.uplink_free[broker] = departed
        return done


def _transmission(size_bytes: int, bandwidth_mbps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seconds to put a message on the wire; none where the bandwidth is infinite, within one node."""
    return size_bytes * 8 / (bandwidth_mbps * 1e6)


def _next_hops(hops: Hops) -> tuple[list[int], list[int]]:
    """Hops that follow each hop, then those that follow each message's source: rows, and where each run starts."""
    rows, messages = len(hops.receivers), len(hops.at_source)
    message = np.repeat(np.arange(messages), np.diff(hops.offsets))
    after = np.where(hops.previous >= 0, hops.previous, rows + message)
    order = np.argsort(after, kind="stable")
    starts = np.searchsorted(after[order], np.arange(rows + messages + 1))
    return order.tolist(), starts.tolist()
