"""The messages of one chunk of events on their way by the clock, where things go wrong."""

from collections import Counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.session import Outgoing
from simulator.engine.audience import Notified
from simulator.engine.carried import ACKNOWLEDGEMENT, MESSAGE, RESENT, Carried, Queues, Traffic, Transmissions
from simulator.engine.control import echo
from simulator.engine.holding import Heard, held_back
from simulator.engine.journeys import journeys_of, sources_of, transmission_s, travelled
from simulator.engine.transit import Due, Transit, World, next_hops
from simulator.workload.windows import Chunk

__all__ = ["Faults", "FaultyTransit"]


_SENT = np.dtype(
    [*((name, "i8") for name in Transmissions._fields[:5]), *((name, "f8") for name in Transmissions._fields[5:])]
)


_DELIVERY = np.dtype([("message", "i8"), ("broker", "i8"), ("travelled", "i8"), ("time_s", "f8")])


class _Attempt:
    """The way of some messages under one state of the network."""

    def __init__(
        self,
        world: World,
        outgoing: Outgoing,
        messages: NDArray[np.int64],
        sources: NDArray[np.int64],
        gone: set[int],
    ) -> None:
        ingredients, approach = world.ingredients, world.approach
        windows = np.searchsorted(outgoing.offsets, messages, side="right") - 1
        offsets = np.append(0, np.cumsum(np.bincount(windows, minlength=len(outgoing.costs))))
        part = Outgoing(outgoing.table[messages], offsets, outgoing.costs)
        sources = sources[messages]
        while len(absent := np.flatnonzero(np.isin(sources, list(gone)))):  # the next broker stands in
            sources[absent] = (sources[absent] + 1) % len(ingredients.network)
        hops = journeys_of(ingredients, approach, part, sources)
        routes, size = ingredients.routes, world.scenario.sizes.of(approach)
        self.stale = False
        self.sources = sources.tolist()
        self.at_source = hops.at_source.tolist()
        self.local = dict(zip(messages.tolist(), range(len(messages)), strict=True))
        self.rows = np.diff(hops.offsets)
        self.message = np.repeat(messages, self.rows).tolist()
        self.senders, self.receivers = hops.senders.tolist(), hops.receivers.tolist()
        self.delivers = hops.delivers.tolist()
        links = routes.hops[hops.senders, hops.receivers].astype(np.int64)
        self.links = links.tolist()
        self.travelled = [*travelled(hops.previous, links).tolist(), *([0] * len(messages))]
        self.transmit_s = transmission_s(size, routes.bandwidth_mbps[hops.senders, hops.receivers]).tolist()
        self.delay_s = (routes.delay_ms[hops.senders, hops.receivers] / 1e3).tolist()
        self.next_row, self.next_start = next_hops(hops)
        self.previous = hops.previous
        self.done_s = [np.inf] * (len(self.receivers) + len(messages))
        """When each hop's receiver, then each message's source, has served it; +inf if never."""
        self.departs_s = [0.0] * len(self.receivers)
        self.arrived = [False] * len(self.receivers)

    def forget(self, broker: int, now: float) -> None:
        """Note that a broker never serves what it would have served later."""
        at = [*self.receivers, *self.sources]
        for place, done_s in enumerate(self.done_s):
            if at[place] == broker and now < done_s < np.inf:
                self.done_s[place] = np.inf


class Faults(Protocol):
    """What a transit must know of the faults around it."""

    down_s: list[float]
    """Since when each broker is down; +inf for those that are up."""
    gone: set[int]
    """Brokers from which neighbours have taken over."""
    links: np.random.Generator
    """Decides what becomes of each transmission."""

    def answer(self, chunk: Chunk) -> Outgoing:
        """Messages for a chunk."""


class FaultyTransit(Transit):
    """The messages of one chunk on their way, with faults."""

    def __init__(self, world: World, chunk: Chunk, faults: Faults) -> None:
        super().__init__(world, chunk)
        self._faults = faults
        self._started = [False] * chunk.windows
        self._deliveries: list[tuple[int, int, int, float]] = []
        self._settled: list[tuple[NDArray[np.void], NDArray[np.int64]]] = []
        self._crossed: Counter[tuple[int, int]] = Counter()
        self._queues = Queues(*np.zeros((4, len(world.ingredients.network))))
        self._notified: list[Notified] = []
        self._acknowledged: Counter[tuple[int, int, int]] = Counter()
        self._sent: list[tuple[int, int, int, int, int, float, float, float]] = []
        self._last_s = 0.0

    def set_out(self) -> None:
        """Answer the chunk, if that is not done, and find the way of every message."""
        if self.outgoing is None:
            self.outgoing = self._faults.answer(self.chunk)
            self.service_s = self.world.service_s(self.outgoing)
            self._lay_out(self.outgoing)

    def _lay_out(self, outgoing: Outgoing) -> None:
        messages = len(outgoing.table)
        self._offsets = outgoing.offsets.tolist()
        self._window_of = np.repeat(np.arange(self.chunk.windows), np.diff(outgoing.offsets)).tolist()
        self._overlay, self._ip, self._resent, self._sent_again = ([0] * messages for _ in range(4))
        self._again = [False] * messages
        self._open = self.chunk.windows + messages
        self._sources = sources_of(self.world.ingredients, self.world.approach, self.chunk, outgoing)
        self._attempts: list[_Attempt] = []
        self._attempt = self._attempt_with(outgoing, np.arange(messages))
        self._missing = (self._attempt.rows + 1).tolist()

    def start(self, window: int) -> None:
        """Hand a window's messages to the broker where they enter the network."""
        self._started[window] = True
        for message in range(self._offsets[window], self._offsets[window + 1]):
            self._begin(message)
        self._close()

    def restart(self) -> int:
        """Let the messages that have not arrived everywhere travel under the network as it is now; how many began."""
        if self.outgoing is None or self.done.triggered:
            return 0
        self._attempt.stale = True
        unfinished = np.flatnonzero(np.array(self._missing) > 0)
        self._attempt = self._attempt_with(self.outgoing, unfinished)
        for message, rows in zip(unfinished.tolist(), self._attempt.rows.tolist(), strict=True):
            self._missing[message] = rows + 1
        window_of = np.searchsorted(self.outgoing.offsets, unfinished, side="right") - 1
        begun = unfinished[np.array(self._started, np.bool_)[window_of]].tolist()
        for message in begun:
            self._again[message] = True
            self._sent_again[message] += 1
            self._begin(message)
        return len(begun)

    def _attempt_with(self, outgoing: Outgoing, messages: NDArray[np.int64]) -> _Attempt:
        """The way of some messages under the network as it is now."""
        self._attempts.append(_Attempt(self.world, outgoing, messages, self._sources, self._faults.gone))
        return self._attempts[-1]

    def forget(self, broker: int) -> None:
        """Take back what a broker that crashes now would have served later."""
        now, kept = self.world.clock.now, []
        if self.outgoing is not None:
            self._attempt.forget(broker, now)
        for delivery in self._deliveries:
            message, at, _, done = delivery
            if at == broker and done > now:
                self._open += self._missing[message] == 0
                self._missing[message] += 1  # never to be met: the message is started anew when neighbours take over
            else:
                kept.append(delivery)
        self._deliveries = kept

    def settle(self) -> None:
        """Hand what was delivered since the last time to the subscriptions, by the gateways as they are."""
        if not self._deliveries or self.outgoing is None:
            return
        rows = np.array(self._deliveries, _DELIVERY)
        at = (self.outgoing.table, rows["message"].copy(), rows["broker"].copy())
        self._settled.append((rows, self.world.audience.count(*at)))
        self._notified.append(self.world.audience.name(*at))
        self._deliveries = []

    def _begin(self, message: int) -> None:
        attempt = self._attempt
        local = attempt.local[message]
        broker = attempt.sources[local]
        if self._faults.down_s[broker] == np.inf:  # else it waits for neighbours to take over
            self._handle(attempt, broker, len(attempt.receivers) + local, message, attempt.at_source[local])

    def _handle(self, attempt: _Attempt, broker: int, place: int, message: int, delivers: bool) -> None:
        """Let a broker serve a message that it has not had before."""
        world = self.world
        begins = max(world.broker_free[broker], world.clock.now)
        world.broker_free[broker] = done = begins + world.broker_s
        attempt.done_s[place] = done
        self._last_s = max(self._last_s, done)
        self._queues.busy_s[broker] += world.broker_s
        self._queues.waited_s[broker] += begins - world.clock.now
        self._queues.longest_wait_s[broker] = max(self._queues.longest_wait_s[broker], begins - world.clock.now)
        if delivers:
            self._deliveries.append((message, broker, attempt.travelled[place], done))
        for row in attempt.next_row[attempt.next_start[place] : attempt.next_start[place + 1]]:
            self._send(attempt, row, done, begins - world.clock.now, self._again[message])
        self._missing[message] -= 1
        if not self._missing[message]:
            self._close()

    def _close(self) -> None:
        self._open -= 1
        if not self._open:
            self.world.at(max(self._last_s, self.world.clock.now), self._arrive_all, None)

    def _arrive_all(self, _: Due) -> None:
        if not self._open and not self.done.triggered:
            self.settle()
            self.done.succeed()

    def _send(self, attempt: _Attempt, row: int, ready_s: float, wait_s: float, again: bool) -> None:
        """Transmit a message once, which has waited for the broker; the link decides what becomes of it."""
        world, faults, chance = self.world, self.world.scenario.faults, self._faults.links.random
        sender = attempt.senders[row]
        departed = max(world.uplink_free[sender], ready_s) + attempt.transmit_s[row]
        world.uplink_free[sender] = attempt.departs_s[row] = departed
        self._queues.uplink_busy_s[sender] += attempt.transmit_s[row]
        wait_s += departed - attempt.transmit_s[row] - ready_s
        if faults.loss and chance() < faults.loss:
            self._count(attempt, row, again, np.nan, wait_s)
            world.at(departed + faults.timeout_s, self._repeat, (attempt, row))
            return
        arrival = departed + attempt.delay_s[row]
        if faults.delayed and chance() < faults.delayed:
            arrival += chance() * faults.delay_s
        world.at(arrival, self._arrive, (attempt, row, self._count(attempt, row, again, arrival, wait_s)))
        if faults.duplication and chance() < faults.duplication:
            arrival += chance() * faults.delay_s
            world.at(arrival, self._arrive, (attempt, row, self._count(attempt, row, True, arrival, wait_s)))

    def _count(self, attempt: _Attempt, row: int, again: bool, arrival: float, wait_s: float) -> int:
        """Account for a transmission; its number among those recorded."""
        message = attempt.message[row]
        self._overlay[message] += 1
        self._ip[message] += attempt.links[row]
        self._resent[message] += again
        self._crossed[attempt.senders[row], attempt.receivers[row]] += 1
        if self.world.records_hops:
            departed = attempt.departs_s[row] - attempt.transmit_s[row]
            kind, ends = RESENT if again else MESSAGE, (attempt.senders[row], attempt.receivers[row])
            self._sent.append((kind, self._window_of[message], message, *ends, departed, arrival, wait_s))
        return len(self._sent) - 1

    def _repeat(self, due: Due) -> None:
        attempt, row = due.value
        if not attempt.stale and self._faults.down_s[attempt.senders[row]] == np.inf:
            self._sent_again[attempt.message[row]] += attempt.previous[row] < 0
            self._send(attempt, row, self.world.clock.now, 0.0, True)

    def _arrive(self, arrived: Due) -> None:
        attempt, row, number = arrived.value
        down_s, receiver = self._faults.down_s, attempt.receivers[row]
        if attempt.stale or attempt.departs_s[row] > down_s[attempt.senders[row]] or down_s[receiver] < np.inf:
            if self.world.records_hops:
                self._sent[number] = (*self._sent[number][:6], np.nan, self._sent[number][7])
            return
        if self.world.scenario.faults.lossy:
            self._acknowledge(attempt, row)
        if attempt.arrived[row]:
            return
        attempt.arrived[row] = True
        self._handle(attempt, receiver, row, attempt.message[row], attempt.delivers[row])

    def _acknowledge(self, attempt: _Attempt, row: int) -> None:
        """Tell the sender of a transmission that it came."""
        sender, receiver, message = attempt.senders[row], attempt.receivers[row], attempt.message[row]
        window, now = self._window_of[message], self.world.clock.now
        self._acknowledged[window, receiver, sender] += 1
        if self.world.records_hops:
            delay_s = self.world.ingredients.routes.delay_ms[receiver, sender] / 1e3
            self._sent.append((ACKNOWLEDGEMENT, window, message, receiver, sender, now, now + delay_s, 0.0))

    def carried(self) -> Carried:
        """What became of the chunk, once it has done."""
        assert self.outgoing is not None  # nothing ends that did not take off
        world = self.world
        rows = np.concatenate([np.empty(0, _DELIVERY), *(rows for rows, _ in self._settled)])
        received = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in self._settled)])
        order = np.argsort(rows, order=("message", "broker", "time_s"), kind="stable")
        overlay, ip, resent = (np.array(column, np.int64) for column in (self._overlay, self._ip, self._resent))
        crossed = np.array([(*pair, times) for pair, times in sorted(self._crossed.items())], np.int64).reshape(-1, 3)
        rows = rows[order]
        control = np.array([(*ends, times) for ends, times in sorted(self._acknowledged.items())], np.int64)
        traffic = Traffic(
            overlay,
            ip,
            rows["message"].copy(),
            rows["broker"].copy(),
            rows["travelled"].copy(),
            crossed,
            rows["time_s"].copy(),
            self._queues,
            resent,
            np.array(self._sent_again, np.int64),
            control if len(control) else None,
        )
        sent = np.array(self._sent, _SENT)
        carried = Carried(
            self.chunk,
            self.outgoing,
            self._sources,
            traffic,
            received[order],
            self._named(order),
            Transmissions(*(sent[column].copy() for column in _SENT.names or ())) if world.records_hops else None,
        )
        if world.watermarks is None:
            return carried
        return held_back(world.ingredients, world.watermarks, carried, *self._heard())

    def _named(self, order: NDArray[np.int64]) -> Notified:
        """All notifications, in the order of messages, subscriptions and time; `order` is that of the deliveries."""
        nothing = Notified(*(np.empty(0, np.int64) for _ in Notified._fields))
        before = np.cumsum([0, *(len(rows) for rows, _ in self._settled)])
        parts = [part._replace(delivery=part.delivery + at) for part, at in zip(self._notified, before, strict=False)]
        message, subscription, delivery = (np.concatenate(columns) for columns in zip(nothing, *parts, strict=True))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        every = Notified(message, subscription, place[delivery])
        return every.rows(np.lexsort((every.delivery, subscription, message)))

    def _heard(self) -> tuple[Heard, NDArray[np.float64]]:
        """Acknowledgements that nothing is missing beyond a broker, and when each message's source had all."""
        complete_s = np.zeros(len(self._missing))
        nothing = np.empty(0, np.int64)
        parts = [Heard(nothing, nothing, nothing, np.empty(0))]
        for attempt in self._attempts:
            rows, message = len(attempt.receivers), np.array(attempt.message, np.int64)
            done_s, mine = np.array(attempt.done_s), np.array(list(attempt.local), np.int64)
            ended_s = np.full(len(self._missing), np.inf)
            ended_s[mine] = done_s[rows:]
            heard_s = echo(attempt.previous, message, done_s[:rows], np.array(attempt.delay_s), ended_s)
            ends = np.isfinite(heard_s)
            senders, receivers = np.array(attempt.senders, np.int64), np.array(attempt.receivers, np.int64)
            parts.append(Heard(message[ends], receivers[ends], senders[ends], heard_s[ends]))
            complete_s[mine] = ended_s[mine]  # a later attempt takes the place of one that was given up
        return Heard._make(np.concatenate(columns) for columns in zip(*parts, strict=True)), complete_s
