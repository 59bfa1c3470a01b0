"""Trouble: crashes, links that lose, delay and duplicate, and subscriptions that come and go, by the clock of `des`.

**Links.** A transmission may be lost; the sender then repeats it after a timeout, for as long as it takes. One that
is held up may be overtaken, and one may arrive twice, of which the receiver, who remembers what it got, drops one.

**Brokers.** What a broker has not served or sent when it crashes is gone. After `detection`, neighbours take over its
zone and its subscriptions; when it returns, it is given a zone again. Either way messages travel under one state of
the network only: those under way then are started anew by whoever sent them first, who keeps each until everyone it
is for has acknowledged it. So a broker's crash costs transmissions and time, and subscribers get some messages twice;
they apply each once, in the order of its number.

**Server.** Every event is in its journal before it is answered. When the server crashes, what it has not sent is
lost with its memory; it starts again from the objects and subscriptions of the beginning and reads the journal.

**Subscriptions** come and go between two events, as the server sees them. A newcomer is given its list as it is
then, and what is under way from earlier events is not for it. The gateway of one who goes forgets it when all that
was under way then has arrived.
"""

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rangecast import RangecastError

from .approaches import Outgoing, ask
from .faults import FaultPlan
from .flights import Due, Flight, World, next_hops
from .ingredients import generator
from .journeys import journeys_of, sources_of, transmission_s, travelled
from .reach import Notified
from .stretches import Stretch
from .traffic import Carried, Queues, Traffic, Transmissions, message_bytes

__all__ = ["Trouble", "TroubledFlight"]


_SENT = np.dtype(
    [*((name, "i8") for name in Transmissions._fields[:3]), *((name, "f8") for name in Transmissions._fields[3:])]
)
_DELIVERY = np.dtype([("message", "i8"), ("broker", "i8"), ("travelled", "i8"), ("time_s", "f8")])


class Trouble:
    """What has gone wrong so far, and makes the rest go wrong in time.

    Attributes
    ----------
    down_s : list of float
        Since when each broker is down; +inf for those that are up.
    gone : set of int
        Brokers from which neighbours have taken over.
    """

    def __init__(self, world: World, plan: FaultPlan) -> None:
        self.down_s = [np.inf] * len(world.ingredients.network)
        self.gone: set[int] = set()
        self.links = generator(world.scenario, "links")
        self._world, self._plan, self._happened = world, plan, world.ledger.happened
        self._under_way: list[TroubledFlight] = []
        self._leaving: list[tuple[list[TroubledFlight], NDArray[np.int64]]] = []
        self._journal: list[Stretch] = []
        self._zones = generator(world.scenario, "zones")

    def begin(self, crash_server: Callable[[float], None]) -> None:
        """Put the crashes on the clock; `crash_server` is told when the server will be up again."""
        self._crash_server = crash_server
        for time, pick in self._plan.crashes:
            self._world.at(time, self._crash, pick)
        if not self._world.approach.serverless:
            for time in self._plan.server_crashes:
                self._world.at(time, self._lose_server, None)

    def flight(self, stretch: Stretch) -> "TroubledFlight":
        """Follow the messages of a stretch until they have landed."""
        self._under_way = [flight for flight in self._under_way if not flight.landed.triggered]
        self._under_way.append(TroubledFlight(self._world, stretch, self))
        return self._under_way[-1]

    def answer(self, stretch: Stretch) -> Outgoing:
        """Let those come and go whose time it is, then answer a stretch and note it in the journal."""
        churn, event = self._plan.churn, stretch.first
        if event in churn.moments:
            self._settle()
            leaving, joining = churn.leaving(event), churn.joining(event)
            world = self._world
            self._leaving.append((list(self._under_way), leaving))
            first = len(world.ingredients.workload.l)
            ends = churn.l[joining - first], churn.r[joining - first]
            world.ingredients.gateways.join(joining, *ends, churn.nodes[joining - first])
            world.reach.join(joining, *ends)
            self._happened["subscriptions joined"] += len(joining)
            self._happened["subscriptions left"] += len(leaving)
        self._say_farewell()
        self._journal.append(stretch)
        return self._answer(stretch)

    def _say_farewell(self) -> None:
        """Let the gateways forget those that left, once nothing is under way to them."""
        waiting = []
        for flights, ids in self._leaving:
            flights = [flight for flight in flights if flight.outgoing is not None and not flight.landed.triggered]
            if flights:
                waiting.append((flights, ids))
            else:
                self._world.ingredients.gateways.leave(ids)
                self._world.reach.leave(ids)
        self._leaving = waiting

    def _answer(self, stretch: Stretch) -> Outgoing:
        """Answer a stretch, with the subscriptions as they are then."""
        churn, session = self._plan.churn, self._world.session
        if stretch.first in churn.moments:
            first = len(self._world.ingredients.workload.l)
            for subscription in churn.leaving(stretch.first).tolist():
                session.unsubscribe(subscription)
            for subscription in churn.joining(stretch.first).tolist():
                session.subscribe(float(churn.l[subscription - first]), float(churn.r[subscription - first]))
        return ask(session, stretch)

    def _crash(self, due: Due) -> None:
        """Take down one of the brokers that are up, if one can be spared."""
        server = self._world.ingredients.server
        up = [broker for broker, since in enumerate(self.down_s) if since == np.inf and broker != server]
        if len(up) < 2:
            return
        broker, now = up[due.value % len(up)], self._world.clock.now
        self.down_s[broker] = now
        self._happened["broker crashes"] += 1
        for flight in self._under_way:
            flight.forget(broker)
        faults = self._world.scenario.faults
        self._world.at(now + faults.detection_s, self._take_over, broker)
        self._world.at(now + faults.detection_s + faults.downtime_s, self._return, broker)

    def _take_over(self, due: Due) -> None:
        self._settle()
        self.gone.add(due.value)
        self._rearrange(self._world.ingredients.network.leave(due.value))

    def _return(self, due: Due) -> None:
        self._settle()
        now = self._world.clock.now
        self.down_s[due.value] = np.inf
        self.gone.remove(due.value)
        self._world.broker_free[due.value] = self._world.uplink_free[due.value] = now
        self._rearrange(self._world.ingredients.network.join(due.value, self._zones))

    def _rearrange(self, givers: NDArray[np.int64]) -> None:
        """Hand subscriptions over from some brokers, and start what is under way anew."""
        moved = self._world.ingredients.gateways.rehome(givers)
        self._world.reach.follow(moved)
        self._happened["subscriptions handed over"] += len(moved)
        for flight in self._under_way:
            self._happened["messages started anew"] += flight.restart()

    def _settle(self) -> None:
        for flight in self._under_way:
            flight.settle()

    def _lose_server(self, _: Due) -> None:
        """Rebuild the server from the journal; its answers must be what they were."""
        world, faults = self._world, self._world.scenario.faults
        self._happened["server crashes"] += 1
        world.session = world.approach.open(world.ingredients.workload, world.approach)
        answers = {stretch.first: self._answer(stretch) for stretch in self._journal}
        for flight in self._under_way:
            again = answers.get(flight.stretch.first)
            if again is not None and flight.outgoing is not None and not _same(again, flight.outgoing):
                raise RangecastError(
                    f"the journal does not lead to the same answers from event {flight.stretch.first}"
                )
        events = sum(len(stretch.events.object) for stretch in self._journal)
        self._crash_server(world.clock.now + faults.server_downtime_s + events * faults.replay_s)


def _same(one: Outgoing, other: Outgoing) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


class _Attempt:
    """The way of some messages under one state of the network."""

    def __init__(
        self, world: World, stretch: Stretch, outgoing: Outgoing, messages: NDArray[np.int64], gone: set[int]
    ) -> None:
        ingredients, approach = world.ingredients, world.approach
        per_window = np.bincount(
            np.searchsorted(outgoing.offsets, messages, side="right") - 1, minlength=stretch.windows
        )
        offsets = np.append(0, np.cumsum(per_window))
        part = Outgoing(outgoing.table[messages], offsets, outgoing.costs)
        sources = sources_of(ingredients, approach, stretch, part)
        while len(absent := np.flatnonzero(np.isin(sources, list(gone)))):  # the next broker stands in
            sources[absent] = (sources[absent] + 1) % len(ingredients.network)
        hops = journeys_of(ingredients, approach, part, sources)
        routes, size = ingredients.routes, message_bytes(world.scenario.sizes, approach)
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
        self.departs_s = [0.0] * len(self.receivers)
        self.arrived = [False] * len(self.receivers)


class TroubledFlight(Flight):
    """The messages of one stretch on their way, with trouble."""

    def __init__(self, world: World, stretch: Stretch, trouble: Trouble) -> None:
        super().__init__(world, stretch)
        self._trouble = trouble
        self._started = [False] * stretch.windows
        self._deliveries: list[tuple[int, int, int, float]] = []
        self._settled: list[tuple[NDArray[np.void], NDArray[np.int64]]] = []
        self._crossed: Counter[tuple[int, int]] = Counter()
        self._queues = Queues(*np.zeros((4, len(world.ingredients.network))))
        self._notified: list[Notified] = []
        self._sent: list[tuple[int, int, int, float, float, float]] = []
        self._last_s = 0.0

    def take_off(self) -> None:
        """Answer the stretch, if that is not done, and find the way of every message."""
        if self.outgoing is None:
            self.outgoing = self._trouble.answer(self.stretch)
            self.service_s = self.world.service_s(self.outgoing)
            self._lay_out(self.outgoing)

    def _lay_out(self, outgoing: Outgoing) -> None:
        messages = len(outgoing.table)
        self._offsets = outgoing.offsets.tolist()
        self._overlay, self._ip, self._resent = ([0] * messages for _ in range(3))
        self._again = [False] * messages
        self._open = self.stretch.windows + messages
        self._attempt = _Attempt(self.world, self.stretch, outgoing, np.arange(messages), self._trouble.gone)
        self._missing = (self._attempt.rows + 1).tolist()

    def start(self, window: int) -> None:
        """Hand a window's messages to the broker where they enter the network."""
        self._started[window] = True
        for message in range(self._offsets[window], self._offsets[window + 1]):
            self._begin(message)
        self._close()

    def restart(self) -> int:
        """Let the messages that have not arrived everywhere travel under the network as it is now; how many began."""
        if self.outgoing is None or self.landed.triggered:
            return 0
        self._attempt.stale = True
        unfinished = np.flatnonzero(np.array(self._missing) > 0)
        self._attempt = _Attempt(self.world, self.stretch, self.outgoing, unfinished, self._trouble.gone)
        for message, rows in zip(unfinished.tolist(), self._attempt.rows.tolist(), strict=True):
            self._missing[message] = rows + 1
        window_of = np.searchsorted(self.outgoing.offsets, unfinished, side="right") - 1
        begun = unfinished[np.array(self._started, np.bool_)[window_of]].tolist()
        for message in begun:
            self._again[message] = True
            self._begin(message)
        return len(begun)

    def forget(self, broker: int) -> None:
        """Take back what a broker that crashes now would have served later."""
        now, kept = self.world.clock.now, []
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
        self._settled.append((rows, self.world.reach.count(*at)))
        self._notified.append(self.world.reach.name(*at, rows["time_s"].copy()))
        self._deliveries = []

    def _begin(self, message: int) -> None:
        attempt = self._attempt
        local = attempt.local[message]
        broker = attempt.sources[local]
        if self._trouble.down_s[broker] == np.inf:  # else it waits for neighbours to take over
            self._handle(attempt, broker, len(attempt.receivers) + local, message, attempt.at_source[local])

    def _handle(self, attempt: _Attempt, broker: int, place: int, message: int, delivers: bool) -> None:
        """Let a broker serve a message that it has not had before."""
        world = self.world
        begins = max(world.broker_free[broker], world.clock.now)
        world.broker_free[broker] = done = begins + world.broker_s
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
            self.world.at(max(self._last_s, self.world.clock.now), self._touch_down, None)

    def _touch_down(self, _: Due) -> None:
        if not self._open and not self.landed.triggered:
            self.settle()
            self.landed.succeed()

    def _send(self, attempt: _Attempt, row: int, ready_s: float, wait_s: float, again: bool) -> None:
        """Transmit a message once, which has waited for the broker; the link decides what becomes of it."""
        world, faults, chance = self.world, self.world.scenario.faults, self._trouble.links.random
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
            self._sent.append((message, attempt.senders[row], attempt.receivers[row], departed, arrival, wait_s))
        return len(self._sent) - 1

    def _repeat(self, due: Due) -> None:
        attempt, row = due.value
        if not attempt.stale and self._trouble.down_s[attempt.senders[row]] == np.inf:
            self._send(attempt, row, self.world.clock.now, 0.0, True)

    def _arrive(self, arrived: Due) -> None:
        attempt, row, number = arrived.value
        down_s, receiver = self._trouble.down_s, attempt.receivers[row]
        if attempt.stale or attempt.departs_s[row] > down_s[attempt.senders[row]] or down_s[receiver] < np.inf:
            if self._sent:
                self._sent[number] = (*self._sent[number][:4], np.nan, self._sent[number][5])
            return
        if attempt.arrived[row]:
            return
        attempt.arrived[row] = True
        self._handle(attempt, receiver, row, attempt.message[row], attempt.delivers[row])

    def carried(self) -> Carried:
        """What became of the stretch, once it has landed."""
        assert self.outgoing is not None  # nothing lands that did not take off
        world = self.world
        rows = np.concatenate([np.empty(0, _DELIVERY), *(rows for rows, _ in self._settled)])
        received = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in self._settled)])
        order = np.argsort(rows, order=("message", "broker", "time_s"), kind="stable")
        overlay, ip, resent = (np.array(column, np.int64) for column in (self._overlay, self._ip, self._resent))
        crossed = np.array([(*pair, times) for pair, times in sorted(self._crossed.items())], np.int64).reshape(-1, 3)
        rows = rows[order]
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
        )
        sent = np.array(self._sent, _SENT)
        return Carried(
            self.stretch,
            self.outgoing,
            traffic,
            received[order],
            _once(self._notified),
            Transmissions(*(sent[column].copy() for column in _SENT.names or ())) if world.records_hops else None,
        )


def _once(parts: list[Notified]) -> Notified:
    """What subscriptions keep of messages that came to them several times: the first of each."""
    nothing = Notified(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    message, subscription, time_s = (np.concatenate(columns) for columns in zip(nothing, *parts, strict=True))
    order = np.lexsort((time_s, subscription, message))
    message, subscription, time_s = message[order], subscription[order], time_s[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (np.diff(message) != 0) | (np.diff(subscription) != 0)
    return Notified(message[first], subscription[first], time_s[first])
