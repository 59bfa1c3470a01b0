"""The engine with a clock: a SimPy simulation of server, brokers, queues and links.

An event travels from its origin to the server, which answers events in event order, one at a time, for a service
time made of its counted calls. Every broker serves one message at a time and sends through one uplink. A hop is one
SimPy event whose time of arrival is computed when the message departs: queues are kept as the time at which a
broker or an uplink becomes free, which is exact for first-come first-served queues and an order of magnitude faster
than a process and a store per broker. Brokers decide where a message goes from their own zone and neighbour table.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import simpy
from numpy.typing import NDArray

from cn import Network
from topologies import Routes

from .approaches import Outgoing
from .events import EventStream
from .scenario import Costs
from .traffic import Traffic

__all__ = ["simulate"]


class _Due(Protocol):
    """What SimPy hands to a callback."""

    value: Any


class _Hop(NamedTuple):
    """A message that has come to a broker, and from which other (-1 where it starts)."""

    message: int
    broker: int
    came_from: int


def simulate(
    events: EventStream,
    outgoing: Outgoing,
    network: Network,
    routes: Routes,
    *,
    gateways: NDArray[np.int64] | None,
    serverless: bool,
    message_bytes: int,
    event_bytes: int,
    costs: Costs,
    advance: Callable[[int], object] = lambda _: None,
) -> Traffic:
    """Run an approach's messages through the network, with time.

    Parameters
    ----------
    gateways : (messages,) int64 array, optional
        For unicast: the gateway each row is sent to, straight over IP. Otherwise the network decides.
    serverless : bool
        Whether messages enter the network at the event's origin, without a server.
    advance : callable
        Told how many events the server (or the origin) has just answered.

    Returns
    -------
    Traffic
        With the time of every delivery.
    """
    run = _Simulation(events, outgoing, network, routes, gateways, message_bytes, event_bytes, costs, advance)
    run.start(serverless=serverless)
    run.clock.run()
    return run.traffic()


class _Simulation:
    """State of one run: the clock, when each broker and uplink is free, and what was delivered."""

    def __init__(
        self,
        events: EventStream,
        outgoing: Outgoing,
        network: Network,
        routes: Routes,
        gateways: NDArray[np.int64] | None,
        message_bytes: int,
        event_bytes: int,
        costs: Costs,
        advance: Callable[[int], object],
    ) -> None:
        brokers = len(routes.hops)
        self.clock = simpy.Environment()
        self.events, self.outgoing, self.network = events, outgoing, network
        self.gateways = gateways
        if gateways is None:
            self.regions = outgoing.table[["l_in", "r_in", "l_out", "r_out"]].tolist()
        self.delay_s = routes.delay_ms / 1e3
        self.hops = routes.hops
        with np.errstate(divide="ignore"):
            self.transmit_s = message_bytes * 8 / (routes.bandwidth_mbps * 1e6)
            self.transmit_event_s = event_bytes * 8 / (routes.bandwidth_mbps * 1e6)
        self.broker_s = costs.broker_us / 1e6
        calls = np.array([costs.first_k_us, costs.min_y_us, costs.snap_us])
        messages = np.diff(outgoing.offsets)
        self.service_s = (outgoing.costs @ calls + messages * costs.send_us) / 1e6
        self.broker_free = np.zeros(brokers).tolist()
        self.uplink_free = np.zeros(brokers).tolist()
        self.server_free = 0.0
        self.arrived = np.zeros(len(events.object) + 1, bool)
        self.next_event = 0
        self.overlay_hops = np.zeros(len(outgoing.table), np.int64)
        self.ip_hops = np.zeros(len(outgoing.table), np.int64)
        self.delivered: list[tuple[int, int, float]] = []
        self.advance = advance

    def start(self, *, serverless: bool) -> None:
        """Put every event on the clock."""
        server = self.network.server
        for event, (time, origin) in enumerate(zip(self.events.time_s, self.events.origin, strict=True)):
            if serverless:
                self._at(time, self._inject, (event, int(origin)))
            else:
                way = self.delay_s[origin, server] + self.transmit_event_s[origin, server]
                self._at(time + way, self._reach_server, event)

    def traffic(self) -> Traffic:
        """What travelled, deliveries sorted by message and broker."""
        columns = np.array(self.delivered, dtype=[("message", "i8"), ("broker", "i8"), ("time", "f8")])
        columns.sort(order=["message", "broker"])
        return Traffic(self.overlay_hops, self.ip_hops, columns["message"], columns["broker"], columns["time"])

    def _at(self, time: float, act: Callable[[_Due], None], value: object) -> None:
        timeout = self.clock.timeout(time - self.clock.now, value)
        timeout.callbacks.append(act)

    def _reach_server(self, reached: _Due) -> None:
        """Queue an event at the server, which keeps to the order of event numbers."""
        self.arrived[reached.value] = True
        while self.arrived[self.next_event]:
            event = self.next_event
            self.server_free = max(self.server_free, self.clock.now) + float(self.service_s[event])
            self._at(self.server_free, self._inject, (event, self.network.server))
            self.next_event += 1

    def _inject(self, answered: _Due) -> None:
        """Hand an event's messages to the broker where they enter the network."""
        event, broker = answered.value
        for message in range(self.outgoing.offsets[event], self.outgoing.offsets[event + 1]):
            self._receive(_Hop(message, broker, -1))
        self.advance(1)

    def _receive(self, hop: _Hop) -> None:
        """Queue a message at a broker."""
        done = max(self.broker_free[hop.broker], self.clock.now) + self.broker_s
        self.broker_free[hop.broker] = done
        self._at(done, self._forward, hop)

    def _forward(self, served: _Due) -> None:
        """Deliver a message if it concerns this broker's zone, and send it where this broker knows to."""
        message, broker, came_from = hop = served.value
        if self.gateways is None:
            concerned, onward = self.network.next_hops(broker, came_from, *self.regions[message])
        else:
            gateway = int(self.gateways[message])
            concerned, onward = gateway == broker, [] if gateway == broker else [gateway]
        if concerned:
            self.delivered.append((message, broker, self.clock.now))
        for neighbour in onward:
            self._send(hop, neighbour)

    def _send(self, hop: _Hop, neighbour: int) -> None:
        """Send a message over the uplink; it arrives after transmission and the delay of the IP path."""
        message, broker, _ = hop
        self.overlay_hops[message] += 1
        self.ip_hops[message] += self.hops[broker, neighbour]
        departed = max(self.uplink_free[broker], self.clock.now) + float(self.transmit_s[broker, neighbour])
        self.uplink_free[broker] = departed
        arrival = departed + float(self.delay_s[broker, neighbour])
        self._at(arrival, self._arrive, _Hop(message, neighbour, broker))

    def _arrive(self, arrived: _Due) -> None:
        self._receive(arrived.value)
