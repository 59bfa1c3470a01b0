"""The messages of one chunk of events on their way by the clock, where things go wrong."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.session import Outgoing
from simulator.engine.audience import Notified, gathered
from simulator.engine.carried import (
    ACKNOWLEDGEMENT,
    MESSAGE,
    RESENT,
    Carried,
    Moments,
    Traffic,
    Transmissions,
    Volume,
)
from simulator.engine.control import Ends, control_rows
from simulator.engine.fault_log import FaultRow
from simulator.engine.flights import Attempt, Flight, Unpacked, heard_of, unpacked
from simulator.engine.holding import held_back
from simulator.engine.journeys import crossings, sources_of
from simulator.engine.packets import begins_of, starts_of
from simulator.engine.service_log import ServiceLog
from simulator.engine.transit import Due, Transit, World, starts_within
from simulator.engine.transmissions import control_transmissions, joined
from simulator.inputs.link_plan import LinkPlan
from simulator.workload.windows import Chunk

__all__ = ["Faults", "FaultyTransit"]

_SENT = np.dtype([("packet", "i8"), ("depart_s", "f8"), ("arrive_s", "f8"), ("wait_s", "f8"), ("again", "?")])
_DELIVERY = np.dtype([("message", "i8"), ("broker", "i8"), ("travelled", "i8"), ("time_s", "f8")])


class Faults(Protocol):
    """What a transit must know of the faults around it."""

    down_s: list[float]
    """Since when each broker is down; +inf for those that are up."""
    gone: set[int]
    """Brokers from which neighbours have taken over."""
    links: np.random.Generator
    """Decides what becomes of each transmission."""
    link_plan: LinkPlan
    """What is planned for them."""

    def answer(self, chunk: Chunk) -> Outgoing:
        """Messages for a chunk."""


class FaultyTransit(Transit):
    """The messages of one chunk on their way, with faults.

    What begins together, a start, is there when all its messages are everywhere, and is begun anew as a whole.
    """

    def __init__(self, world: World, chunk: Chunk, faults: Faults) -> None:
        super().__init__(world, chunk)
        self._faults = faults
        self._deliveries: list[tuple[int, int, int, float]] = []
        self._settled: list[tuple[NDArray[np.void], NDArray[np.int64]]] = []
        self._services = ServiceLog(len(world.ingredients.network))
        self._notified: list[Notified] = []
        self._sent: list[tuple[int, float, float, float, bool] | None] = []
        """Every transmission, by the number of its packet; None for one that a crash prevented."""
        self._flying: dict[int, Flight] = {}
        """Transmissions that have not ended, by their number."""
        self._acknowledged: list[tuple[int, int, int, float]] = []
        """First message, from whom, to whom and when."""
        self._attempts: list[Attempt] = []

    def _answers(self) -> Outgoing:
        return self._faults.answer(self.chunk)

    def _lay_out(self, outgoing: Outgoing) -> None:
        self._offsets = outgoing.offsets.tolist()
        self._starts = starts_of(self.world.packing, begins_of(outgoing))
        count = len(self._starts) - 1
        self._start_of = np.repeat(np.arange(count), np.diff(self._starts))
        self._again, self._started, self._out_again = [False] * count, [False] * count, [0] * count
        self._open = self.chunk.windows + count + outgoing.questions
        self._sources = sources_of(self.world.ingredients, self.world.approach, self.chunk, outgoing)
        self._attempt = self._attempt_with(outgoing, np.arange(count))
        self._missing = (self._attempt.rows + 1).tolist()

    def _start_rows(self, first: int, end: int) -> None:
        for start in starts_within(self._start_of, first, end):
            self._started[start] = True
            self._begin(start)

    def restart(self) -> int:
        """Let the messages that have not arrived everywhere travel under the network as it is now; how many began."""
        if self.outgoing is None or self.done.triggered:
            return 0
        self._take_back(self._deliveries)
        self._deliveries = []
        unfinished = np.flatnonzero(np.array(self._missing) > 0)
        self._attempt.anew.update(unfinished.tolist())
        if self.world.watermarks is not None:
            self._attempt.forget(self.world.clock.now)
        self._attempt = self._attempt_with(self.outgoing, unfinished)
        for start, rows in zip(unfinished.tolist(), self._attempt.rows.tolist(), strict=True):
            self._missing[start] = rows + 1
        begun = unfinished[np.array(self._started, np.bool_)[unfinished]].tolist()
        messages = 0
        for start in begun:
            self._again[start] = True
            self._out_again[start] += self._attempt.out_bytes(start)
            together = range(*self._starts[start : start + 2].tolist())
            self._note("anew", together, broker=self._attempt.sources[self._attempt.local[start]])
            self._begin(start)
            messages += len(together)
        return messages

    def _attempt_with(self, outgoing: Outgoing, chosen: NDArray[np.int64]) -> Attempt:
        """The way of the messages of some starts under the network as it is now."""
        before = sum(len(attempt.receivers) for attempt in self._attempts)
        about = (self._starts, chosen, self._sources, self._faults.gone, before)
        self._attempts.append(Attempt(self.world, outgoing, *about))
        return self._attempts[-1]

    def forget(self, broker: int) -> None:
        """Take back what a broker that crashes now would have served or sent later."""
        now = self.world.clock.now
        for attempt in self._attempts if self.world.watermarks is not None else ():
            attempt.forget(now, broker)
        lost = [delivery for delivery in self._deliveries if delivery[1] == broker and delivery[3] > now]
        self._deliveries = [delivery for delivery in self._deliveries if delivery[1] != broker or delivery[3] <= now]
        self._take_back(lost)
        for flight in [one for one in self._flying.values() if one.sender == broker and one.departed_s > now]:
            del self._flying[flight.number]
            unsent_s = 0.0 if flight.is_copy else flight.departed_s - max(flight.depart_s, now)
            self._services.uplink_busy_s[broker] -= unsent_s
            if flight.depart_s < now and not flight.is_copy:
                self._lose(flight, "crash", now)
            else:
                self._sent[flight.number] = None
        self._services.stop(broker, now)

    def _take_back(self, deliveries: list[tuple[int, int, int, float]]) -> None:
        """Messages that are not delivered after all: never to be met, until each is started anew."""
        for message, *_ in deliveries:
            start = int(self._start_of[message])
            self._open += self._missing[start] == 0
            self._missing[start] += 1

    def settle(self, until_s: float) -> None:
        """Hand what was delivered since the last time to the subscriptions, by the gateways as they are."""
        delivered = [delivery for delivery in self._deliveries if delivery[3] <= until_s]
        if not delivered or self.outgoing is None:
            return
        rows = np.array(delivered, _DELIVERY)
        at = (self.outgoing.table, rows["message"].copy(), rows["broker"].copy())
        self._settled.append((rows, self.world.audience.count(*at)))
        self._notified.append(self.world.audience.name(*at))
        self._deliveries = [delivery for delivery in self._deliveries if delivery[3] > until_s]

    def _begin(self, start: int) -> None:
        attempt = self._attempt
        local = attempt.local[start]
        broker = attempt.sources[local]
        if self._faults.down_s[broker] == np.inf:  # else it waits for neighbours to take over
            self._handle(attempt, broker, len(attempt.receivers) + local, start)

    def _handle(self, attempt: Attempt, broker: int, place: int, start: int) -> None:
        """Let a broker serve a packet that it has not had before, or what begins there."""
        world, now, count = self.world, self.world.clock.now, attempt.count[place]
        begins = max(world.broker_free[broker], now)
        done = self._services.note(broker, now, begins, count * world.broker_s, count)
        world.broker_free[broker] = attempt.done_s[place] = done
        for message in attempt.delivers[place]:
            self._deliveries.append((message, broker, attempt.travelled[place], done))
        for row in attempt.next_row[attempt.next_start[place] : attempt.next_start[place + 1]]:
            self._send(attempt, row, done, begins - now, self._again[start])
        self._missing[start] -= 1
        if not self._missing[start]:
            self._count_down()

    def _count_down(self) -> None:
        self._open -= 1
        if not self._open:
            self.world.at(max(self._services.last_s, self.world.clock.now), self._arrive_all, None)

    def _arrive_all(self, _: Due) -> None:
        if not self._open and not self.done.triggered:
            self.settle(np.inf)
            for flight in self._flying.values():
                self._end(flight)
                self._acknowledge(flight)
            self._flying.clear()
            self.done.succeed()

    def _send(self, attempt: Attempt, row: int, ready_s: float, wait_s: float, again: bool) -> None:
        """Transmit a packet once, which has waited for the broker; the link decides what becomes of it."""
        world, sender, transmit_s = self.world, attempt.senders[row], attempt.transmit_s[row]
        departed = max(world.uplink_free[sender], ready_s) + transmit_s
        world.uplink_free[sender] = departed
        self._services.uplink_busy_s[sender] += transmit_s
        wait_s += departed - transmit_s - ready_s
        lost, held, copied_s = self._draw(sender, attempt.receivers[row], departed)
        number, depart = len(self._sent), departed - transmit_s
        if lost is not None:
            half_s = transmit_s + attempt.delay_s[row] / 2
            told = (("loss", lost, half_s),)
            flight = Flight(attempt, row, number, again, depart, departed, depart + half_s, told)
            self._launch(flight, np.nan, wait_s)
            world.at(departed + world.scenario.faults.timeout_s, self._repeat, flight)
            return
        arrival = departed + attempt.delay_s[row]
        for *_, seconds in held:
            arrival += seconds
        flight = Flight(attempt, row, number, again, depart, departed, arrival, held)
        self._launch(flight, arrival, wait_s)
        world.at(arrival, self._arrive, flight)
        if copied_s is not None:
            arrival += copied_s
            told = (("duplicate", "random", copied_s),)
            flight = Flight(attempt, row, number + 1, True, depart, departed, arrival, told, is_copy=True)
            self._launch(flight, arrival, wait_s)
            world.at(arrival, self._arrive, flight)

    def _draw(
        self, sender: int, receiver: int, departed: float
    ) -> tuple[str | None, tuple[tuple[str, str, float], ...], float | None]:
        """What a link does: why it loses a transmission, what holds that up, how much later a copy of it comes."""
        faults, plan, chance = self.world.scenario.faults, self._faults.link_plan, self._faults.links.random
        loss: float = faults.loss
        held: tuple[tuple[str, str, float], ...] = ()
        if plan:
            if plan.apart(sender, receiver, departed):
                return "partition", (), None
            loss = plan.loss(sender, receiver, departed, loss)
        if loss and chance() < loss:
            return "link", (), None
        if plan and (planned_s := plan.delay_s(sender, receiver, departed)):
            held = (("delay", "planned", planned_s),)
        if faults.delayed and chance() < faults.delayed:
            held = (*held, ("delay", "random", chance() * faults.delay_s))
        copied_s = chance() * faults.delay_s if faults.duplication and chance() < faults.duplication else None
        return None, held, copied_s

    def _launch(self, flight: Flight, arrival: float, wait_s: float) -> None:
        """Account for a transmission, and keep an eye on it."""
        packet = flight.attempt.before + flight.row
        self._sent.append((packet, flight.depart_s, arrival, wait_s, flight.again))
        self._flying[flight.number] = flight

    def _repeat(self, due: Due) -> None:
        flight: Flight = due.value
        if self._flying.pop(flight.number, None) is None:
            return
        self._end(flight)
        if not flight.in_vain and self._faults.down_s[flight.sender] == np.inf:
            attempt, row = flight.attempt, flight.row
            self._note("resend", flight.messages, sender=flight.sender, receiver=flight.receiver)
            if attempt.previous[row] < 0:
                self._out_again[flight.start] += int(attempt.packets.size[row])
            self._send(attempt, row, self.world.clock.now, 0.0, True)

    def _arrive(self, arrived: Due) -> None:
        flight: Flight = arrived.value
        if self._flying.pop(flight.number, None) is None:
            return
        attempt, row = flight.attempt, flight.row
        receiver, in_vain = attempt.receivers[row], flight.in_vain
        if not in_vain and self._faults.down_s[receiver] < np.inf:
            self._lose(flight, "crash", flight.ends_s)
            return
        if in_vain or flight.faults:
            self._end(flight)
        self._acknowledge(flight)
        if in_vain or attempt.arrived[row]:
            return
        attempt.arrived[row] = True
        self._handle(attempt, receiver, row, attempt.start[row])

    def _acknowledge(self, flight: Flight) -> None:
        """Tell the sender of a transmission that it came, where some may not."""
        if self.world.scenario.faults.lossy and not flight.in_vain:
            self._acknowledged.append((flight.messages[0], flight.receiver, flight.sender, flight.ends_s))

    def _end(self, flight: Flight) -> None:
        """Tell what the link did to a transmission; one whose state of the network is over comes to nothing."""
        if flight.in_vain and not any(what == "loss" for what, *_ in flight.faults):
            self._lose(flight, "anew", flight.ends_s)
            return
        for what, why, seconds in flight.faults:
            self._tell(flight, what, why, seconds)

    def _lose(self, flight: Flight, why: str, time_s: float) -> None:
        """Let a transmission come to nothing at a time; if it has not left its sender, the link did nothing to it."""
        for what, reason, seconds in flight.faults if time_s >= flight.departed_s else ():
            self._tell(flight, what, reason, seconds)
        self._tell(flight, "loss", why, time_s - flight.depart_s)
        recorded = self._sent[flight.number]
        if recorded is not None:
            self._sent[flight.number] = (*recorded[:2], np.nan, *recorded[3:])

    def _tell(self, flight: Flight, what: str, why: str, seconds: float) -> None:
        if self.world.ledger.faults is None:
            return
        where = {"sender": flight.sender, "receiver": flight.receiver, "seconds": seconds, "time_s": flight.depart_s}
        self._note(what, flight.messages, why=why, **where)

    def _note(self, what: str, messages: Sequence[int], **about: Any) -> None:
        """Log a fault of messages that are together, which happens now unless told otherwise."""
        if self.world.ledger.faults is None:
            return
        window = bisect_right(self._offsets, messages[0]) - 1
        event = int(self.chunk.first + self.chunk.starts[window])
        about = {"time_s": self.world.clock.now, "event": event} | about
        for message in messages:
            self.world.ledger.note(FaultRow(what=what, message=message - self._offsets[window], **about))

    def carried(self) -> Carried:
        """What became of the chunk, once it has done."""
        assert self.outgoing is not None  # nothing ends that did not take off
        world, brokers = self.world, len(self.world.ingredients.network)
        rows = np.concatenate([np.empty(0, _DELIVERY), *(rows for rows, _ in self._settled)])
        received = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in self._settled)])
        order = np.argsort(rows, order=("message", "broker", "time_s"), kind="stable")
        sent = np.array([row for row in self._sent if row is not None], _SENT)
        parts = unpacked(self._attempts, sent["packet"])
        traffic = self._traffic(sent, parts, rows[order])
        window_of = np.repeat(np.arange(self.chunk.windows), np.diff(self.outgoing.offsets))
        acknowledged = np.array(self._acknowledged, np.float64).reshape(-1, 4)
        about, sender, receiver = acknowledged[:, :3].astype(np.int64).T
        ends, left_s = Ends(window_of[about], sender, receiver), acknowledged[:, 3]
        if len(about):
            traffic = traffic._replace(control=control_rows(brokers, ends))
        size = np.bincount(parts.row, parts.size, len(sent)).astype(np.int64)
        moments = Moments(sent["depart_s"].copy(), size, *self._services.waits(), left_s)
        recorded = None
        if world.records_hops:
            kind = np.where(sent["again"][parts.row], RESENT, MESSAGE)
            timed = (sent[name][parts.row] for name in ("depart_s", "arrive_s", "wait_s"))
            told = Transmissions(kind, window_of[parts.message], *parts[1:5], *timed)
            recorded = joined(
                told, control_transmissions(ACKNOWLEDGEMENT, ends, about, left_s, world.ingredients.routes)
            )
        named = gathered(self._notified, [len(rows) for rows, _ in self._settled], order)
        carried = Carried(
            self.chunk, self.outgoing, self._sources, traffic, received[order], named, recorded, moments
        )
        if world.watermarks is None:
            return self._with_replies(carried)
        heard, complete_s = heard_of(self._attempts, len(self._missing))
        whole_s = complete_s[self._start_of]
        return held_back(world.ingredients, carried, self._starts, heard, world.watermarks, whole_s)

    def _traffic(self, sent: NDArray[np.void], parts: Unpacked, deliveries: NDArray[np.void]) -> Traffic:
        """What was sent, message by message of every packet, and delivered."""
        messages, brokers = len(self._start_of), len(self.world.ingredients.network)
        again = sent["again"][parts.row]
        overlay, ip, overlay_bytes, ip_bytes, resent = (
            np.bincount(parts.message, weights, messages).astype(np.int64)
            for weights in (None, parts.links, parts.size, parts.size * parts.links, parts.size * again)
        )
        out = self._attempts[0].packets.out.copy()
        out[self._starts[:-1]] += np.array(self._out_again, np.int64)
        return Traffic(
            overlay,
            ip,
            Volume(overlay_bytes, ip_bytes, out, resent),
            deliveries["message"].copy(),
            deliveries["broker"].copy(),
            deliveries["travelled"].copy(),
            crossings(brokers, parts.sender, parts.receiver, parts.size),
            deliveries["time_s"].copy(),
            self._services.queues(),
        )
