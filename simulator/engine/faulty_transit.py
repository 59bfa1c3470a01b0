"""The messages of one chunk of events on their way by the clock, where things go wrong."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.session import Outgoing
from simulator.engine.audience import Notified, gathered, repeats
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
from simulator.engine.flights import Fault, Flights, Flown
from simulator.engine.holding_back import held_back
from simulator.engine.journeys import crossings
from simulator.engine.link_faults import Fate
from simulator.engine.packets import begins_of, starts_of
from simulator.engine.service_log import ServiceLog
from simulator.engine.transit import Due, Transit, World, starts_within
from simulator.engine.transmissions import control_transmissions, joined
from simulator.engine.ways import Unpacked, Ways
from simulator.workload.windows import Chunk

__all__ = ["FaultState", "FaultyTransit"]

Ints = NDArray[np.int64]
_Send = Callable[[int, Sequence[int], float, float], None]

_AHEAD = 1000
"""Messages that are given ways together when the first of them begins, after the network has changed."""


class FaultState(Protocol):
    """What a transit must know of the faults around it."""

    down_s: list[float]
    """Since when each broker is down; +inf for those that are up."""
    gone: set[int]
    """Brokers from which neighbours have taken over."""
    fate: Callable[[int, int, float], Fate | None] | None
    """Decides what becomes of each transmission; see `link_faults.fates`."""

    def answer(self, chunk: Chunk) -> Outgoing:
        """Messages for a chunk."""


class _Deliveries(NamedTuple):
    """Messages that came to gateways, as columns."""

    message: Ints
    broker: Ints
    travelled: Ints
    time_s: NDArray[np.float64]
    received: Ints
    """Subscriptions that got each."""


_NOTHING = _Deliveries(*(np.empty(0, kind) for kind in ("i8", "i8", "i8", "f8", "i8")))


class FaultyTransit(Transit):
    """The messages of one chunk on their way, with faults.

    What begins together, a start, is there when all its messages are everywhere, and is begun anew as a whole.
    """

    def __init__(self, world: World, chunk: Chunk, faults: FaultState) -> None:
        super().__init__(world, chunk)
        self._faults = faults
        self._settled: list[_Deliveries] = []
        self._notified: list[Notified] = []
        self._named: list[Notified] = []
        """All that messages told which are begun anew; of each settlement, as in the two above."""

    def _answers(self) -> Outgoing:
        return self._faults.answer(self.chunk)

    def _lay_out(self, outgoing: Outgoing) -> None:
        self._starts = starts_of(self.world.packing, begins_of(outgoing))
        count = len(self._starts) - 1
        self._start_of = np.repeat(np.arange(count), np.diff(self._starts))
        self._started, self._missing, self._out_again = [False] * count, [1] * count, np.zeros(count, np.int64)
        self._open = self.chunk.windows + count + outgoing.questions
        self._ways = Ways(self.world, outgoing, self._starts, self._sources)
        self._flights, self._services = Flights(self._ways), ServiceLog(self._ways)
        self.find_ways()
        self._serve_at, self._send = self._clockwork_with_faults()

    def find_ways(self) -> None:
        """Let all that has no way take one through the network as it is now."""
        if self.outgoing is not None:
            self._find_ways(np.flatnonzero(np.array(self._ways.origin) < 0))

    def _find_ways(self, chosen: Ints) -> None:
        if len(chosen):
            packets = self._ways.add(chosen, np.array(self._started, np.bool_), self._faults.gone)
            for start, count in zip(chosen.tolist(), packets.tolist(), strict=True):
                self._missing[start] = count + 1

    def _start_rows(self, first: int, end: int) -> None:
        for start in starts_within(self._start_of, first, end):
            if self._ways.origin[start] < 0:
                lost = start + np.flatnonzero(np.array(self._ways.origin[start:]) < 0)
                self._find_ways(lost[: np.searchsorted(self._starts[lost], self._starts[start] + _AHEAD)])
            self._started[start] = True
            self._begin(start)

    def restart(self) -> int:
        """Let the messages that have not arrived everywhere travel under the network as it is now; how many began."""
        if self.outgoing is None or self.done.triggered:
            return 0
        self._reopen(self._services.give_up())
        unfinished, begun = np.array(self._missing) > 0, np.array(self._started, np.bool_)
        if self.world.watermarks is not None:
            self._services.ignore(np.flatnonzero(unfinished), self.world.clock.now)
        again = np.flatnonzero(unfinished & begun)
        self._ways.drop(np.flatnonzero(unfinished & ~begun))
        self._find_ways(again)
        origin, places = np.array(self._ways.origin, np.int64)[again], self._ways.places
        self._out_again[again] += places.size[origin]
        for start, place in zip(again.tolist(), origin.tolist(), strict=True):
            self._note("anew", place, broker=self._ways.broker[place])
            self._begin(start)
        return int(places.held[origin].sum())

    def forget(self, broker: int) -> None:
        """Take back what a broker that crashes now would have served or sent later."""
        if self.outgoing is not None:
            now = self.world.clock.now
            for number in self._flights.cut(broker, now):
                self._lose(number, "crash", now)
            self._reopen(self._services.stop(broker, now))

    def _reopen(self, places: Ints) -> None:
        """Messages that are not delivered after all: never to be met, until each is started anew."""
        for start in self._ways.places.start[places].tolist():
            self._open += self._missing[start] == 0
            self._missing[start] += 1

    def settle(self, until_s: float) -> None:
        """Hand what was delivered since the last time to the subscriptions, by the gateways as they are."""
        if self.outgoing is None:
            return
        served, done_s = self._services.deliver(until_s)
        if len(served):
            message, at = self._ways.told(served)
            places = self._ways.places
            broker, travelled = places.broker[served[at]], places.travelled[served[at]]
            told = (self.outgoing.table, message, broker)
            received = self.world.audience.count(*told)
            self._settled.append(_Deliveries(message, broker, travelled, done_s[at], received))
            self._notified.append(self.world.audience.name(*told))
            unfinished = np.array(self._missing) > 0
            unfinished[places.start[self._services.waiting]] = True
            chosen = np.flatnonzero(unfinished[places.start[served[at]]] | places.again[served[at]])
            named = self.world.audience.everyone(self.outgoing.table, message[chosen], broker[chosen])
            self._named.append(named._replace(delivery=chosen[named.delivery]))

    def _begin(self, start: int) -> None:
        place = self._ways.origin[start]
        if self._faults.down_s[self._ways.broker[place]] == np.inf:  # else it waits for neighbours to take over
            self._serve_at(place)

    def _clockwork_with_faults(self) -> tuple[Callable[[int], None], _Send]:
        """What happens at every hop, made as `_clockwork` is; what goes wrong is left to others.

        `serve` lets the broker of a place serve what came there, which it has not had before, and send it on; `send`
        lets a broker transmit to places what is ready at a time, and the links decide what becomes of it.
        """
        world, ways, services, flights = self.world, self._ways, self._services, self._flights
        broker_of, start_of, since = ways.broker, ways.start, ways.since
        held, transmit_s, delay_s, broker_s = ways.held, ways.transmit_s, ways.delay_s, ways.broker_s
        next_first, next_place = ways.next_first, ways.next_place
        served, came_s, begun_s, done_s = services.place, services.came_s, services.begun_s, services.done_s
        place_of, departed_s, came, odd = flights.place, flights.departed_s, flights.came, flights.faults
        clock, timeout = world.clock, world.clock.timeout
        broker_free, uplink_free = world.broker_free, world.uplink_free
        had, missing, down_s, fate, inf = ways.served, self._missing, self._faults.down_s, self._faults.fate, np.inf

        def serve(place: int) -> None:
            now, broker, start = clock.now, broker_of[place], start_of[place]
            begins = broker_free[broker]
            begins = now if begins < now else begins
            broker_free[broker] = done = begins + held[place] * broker_s
            had[place] = 1
            served.append(place)
            came_s.append(now)
            begun_s.append(begins)
            done_s.append(done)
            first, end = next_first[place], next_first[place + 1]
            if first < end:
                send(broker, next_place[first:end], done, now)
            missing[start] -= 1
            if not missing[start]:
                self._count_down()

        def send(broker: int, places: Sequence[int], ready_s: float, now: float) -> None:
            departed = uplink_free[broker]
            departed = ready_s if departed < ready_s else departed
            for place in places:
                departed += transmit_s[place]
                number = len(place_of)
                place_of.append(place)
                departed_s.append(departed)
                met = None if fate is None else fate(broker, broker_of[place], departed)
                if met is None:
                    timeout(departed + delay_s[place] - now, number).callbacks = arrivals
                else:
                    self._meet(met, number)
            uplink_free[broker] = departed

        def arrive(due: Due) -> None:
            number = due.value
            place = place_of[number]
            wrong = number in odd or place < since[start_of[place]] or down_s[broker_of[place]] < inf
            if not wrong or self._comes(number):
                came.append(number)
                if not had[place]:
                    serve(place)

        arrivals = self._arrivals
        arrivals.append(arrive)
        return serve, send

    def _count_down(self) -> None:
        self._open -= 1
        if not self._open:
            self.world.at(max(self._services.last_s, self.world.clock.now), self._arrive_all, None)

    def _arrive_all(self, _: Due) -> None:
        if not self._open and not self.done.triggered:
            self.settle(np.inf)
            self._flights.came += [number for number in self._flights.under_way() if self._end(number)]
            self._arrivals.clear()  # what comes later comes to nobody
            del self._serve_at, self._send  # they are in a circle with this
            self.done.succeed()

    def _meet(self, fate: Fate, number: int) -> None:
        """Let a link do something to a transmission."""
        flights, place, departed_s = self._flights, self._flights.place[number], self._flights.departed_s[number]
        delay_s = self._ways.delay_s[place]
        if fate.lost is not None:
            flights.suffer(number, np.nan, ("loss", fate.lost, self._ways.transmit_s[place] + delay_s / 2))
            self.world.at(departed_s + self.world.scenario.faults.timeout_s, self._repeat, number)
            return
        arrive_s = departed_s + delay_s
        for *_, seconds in fate.held:
            arrive_s += seconds
        self._arrive_at(arrive_s, number, *fate.held)
        if fate.copied_s is not None:
            self._arrive_at(arrive_s + fate.copied_s, flights.copy(number), ("duplicate", "random", fate.copied_s))

    def _arrive_at(self, time_s: float, number: int, *faults: Fault) -> None:
        self._flights.suffer(number, time_s, *faults)
        self.world.clock.timeout(time_s - self.world.clock.now, number).callbacks = self._arrivals

    def _repeat(self, due: Due) -> None:
        """Let a broker that has heard nothing of a transmission send it again."""
        number, flights, ways = due.value, self._flights, self._ways
        if number in flights.over:
            return
        self._end(number)
        place, sender, now = flights.place[number], flights.sender(number), self.world.clock.now
        if not flights.in_vain(number) and self._faults.down_s[sender] == np.inf:
            self._note("resend", place, sender=sender, receiver=ways.broker[place])
            if ways.places.before[ways.places.before[place]] < 0:
                self._out_again[ways.start[place]] += ways.places.size[place]
            flights.repeat(now)
            self._send(sender, (place,), now, now)

    def _comes(self, number: int) -> bool:
        """Whether a transmission that something may have happened to comes to its receiver."""
        flights = self._flights
        if number in flights.over:
            return False
        down = self._faults.down_s[self._ways.broker[flights.place[number]]] < np.inf
        if down and not flights.in_vain(number):
            self._lose(number, "crash", flights.arrive_s(number))
            return False
        return self._end(number)

    def _end(self, number: int) -> bool:
        """Tell what a link did to a transmission at its end; whether it came and its messages are not begun anew."""
        flights = self._flights
        faults = flights.faults.get(number, ())
        lost = bool(faults) and any(what == "loss" for what, *_ in faults)
        if not lost and flights.in_vain(number):
            self._lose(number, "anew", flights.arrive_s(number))
            return False
        for fault in faults:
            self._tell(number, *fault)
        if lost:
            flights.over.add(number)
        return not lost

    def _lose(self, number: int, why: str, time_s: float) -> None:
        """Let a transmission come to nothing at a time; if it has not left its sender, the link did nothing to it."""
        flights = self._flights
        if self.world.ledger.faults is not None:
            for fault in flights.faults.get(number, ()) if time_s >= flights.departed_s[number] else ():
                self._tell(number, *fault)
            self._tell(number, "loss", why, time_s - flights.depart_s(number))
        flights.lose(number)

    def _tell(self, number: int, what: str, why: str, seconds: float) -> None:
        if self.world.ledger.faults is None:
            return
        flights = self._flights
        sender, place, time_s = flights.sender(number), flights.place[number], flights.depart_s(number)
        about = {"sender": sender, "receiver": self._ways.broker[place], "seconds": seconds, "time_s": time_s}
        self._note(what, place, why=why, **about)

    def _note(self, what: str, place: int, **about: Any) -> None:
        """Log a fault of the messages that go to a place, which happens now unless told otherwise."""
        if self.world.ledger.faults is None:
            return
        messages = self._ways.messages(place)
        window = bisect_right(self._offsets, messages[0]) - 1
        event = int(self.chunk.first + self.chunk.starts[window])
        about = {"time_s": self.world.clock.now, "event": event} | about
        for message in messages:
            self.world.ledger.note(FaultRow(what=what, message=message - self._offsets[window], **about))

    def carried(self) -> Carried:
        """What became of the chunk, once it has done."""
        assert self.outgoing is not None  # nothing ends that did not take off
        world, window_of = self.world, np.repeat(np.arange(self.chunk.windows), np.diff(self.outgoing.offsets))
        told = [np.concatenate(parts) for parts in zip(_NOTHING, *self._settled, strict=True)]
        order = np.lexsort((told[3], told[1], told[0]))
        deliveries = _Deliveries(*(column[order] for column in told))
        (flown, came), services = self._flights.flown(), self._services.services()
        parts = self._ways.unpacked(flown.place)
        traffic = self._traffic(flown, parts, deliveries)
        traffic = traffic._replace(queues=services.queues(self._ways, flown, len(world.ingredients.network)))
        came = came if world.scenario.faults.lossy else came[:0]  # where nothing is lost nothing is acknowledged
        back, left_s = flown.place[came], flown.arrive_s[came]
        about = self._ways.first_messages(back)
        ends = Ends(window_of[about], self._ways.places.broker[back], self._ways.places.sender[back])
        if len(about):
            traffic = traffic._replace(control=control_rows(len(world.ingredients.network), ends))
        size = self._ways.places.size[flown.place]
        moments = Moments(flown.depart_s, size, *services.waits(self._ways), left_s)
        sent = None
        if world.records_hops:
            kind = np.where(flown.again[parts.row], RESENT, MESSAGE)
            times = (flown.depart_s, flown.arrive_s, services.wait_s(self._ways, flown))
            timed = (column[parts.row] for column in times)
            sent = joined(
                Transmissions(kind, window_of[parts.message], *parts[1:5], *timed),
                control_transmissions(ACKNOWLEDGEMENT, ends, about, left_s, world.ingredients.routes),
            )
        counts = [len(some.message) for some in self._settled]
        named, everyone = (gathered(some, counts, order) for some in (self._notified, self._named))
        about_chunk = (self.chunk, self.outgoing, self._sources)
        carried = Carried(*about_chunk, traffic, deliveries.received, named, sent, moments)
        carried = carried._replace(repeated=repeats(everyone, deliveries.time_s))
        if world.watermarks is None:
            return self._with_replies(carried)
        heard, complete_s = self._services.heard()
        whole_s = complete_s[self._start_of]
        return held_back(world.ingredients, carried, self._starts, heard, world.watermarks, whole_s)

    def _traffic(self, flown: Flown, parts: Unpacked, deliveries: _Deliveries) -> Traffic:
        """What was sent, message by message of every packet, and delivered."""
        messages, brokers = len(self._start_of), len(self.world.ingredients.network)
        overlay, ip, overlay_bytes, ip_bytes, resent = (
            np.bincount(parts.message, weights, messages).astype(np.int64)
            for weights in (
                None,
                parts.links,
                parts.size,
                parts.size * parts.links,
                parts.size * flown.again[parts.row],
            )
        )
        out = self._ways.unpacked(np.array(self._ways.origin, np.int64)).size
        out[self._starts[:-1]] += self._out_again
        volume = Volume(overlay_bytes, ip_bytes, out, resent)
        crossed = crossings(brokers, parts.sender, parts.receiver, parts.size)
        return Traffic(overlay, ip, volume, *deliveries[:3], crossed, deliveries.time_s)
