"""The clock under faults, step by step: a list of things to come, sorted by time, and brokers that do one at a time.

Slow and obvious, sharing nothing with the engine. It is told what cannot be known otherwise: the messages that answer
each window, which way a message takes through the network as it is (`Overlay`), and what chance decided: which
transmissions were lost, held up or doubled, who crashed when. All times, queues, resends and bytes follow.

Messages that begin together may travel as packets (`oracles.packets`); where they do not, each is a packet by itself.

The rules. A broker serves one message at a time, first come, first served. Its uplink sends what it has served in the
same order; a resend takes its place behind all that the broker has taken in until then. A crash takes from a broker
all that it has not served and not put on the wire. When neighbours take over, or a broker returns, every message that
is not served by all its gateways begins anew at its source, and what is still on its way then comes to nothing. The
server answers windows in their order, and reads all events that have reached it again after a crash.
"""

import heapq
import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.oracles.clock_inputs import Chance, Overlay, Place, Way, Window


class _Message:
    """Messages that begin together, and how far they have come under the network as it is."""

    def __init__(self, event: int, number: int, contents: list[Any], source: int) -> None:
        self.event, self.number, self.contents, self.origin = event, number, contents, source
        self.attempt = 0
        self.again = False
        self.begun = False
        self.open: set[tuple[str, int]] = {("not begun", 0)}
        self.arrived: set[int] = set()
        self.hops: list[Way] = []


class Sent(NamedTuple):
    """Rows of `hops.parquet`: those of a packet."""

    event: int
    messages: tuple[int, ...]
    sender: int
    receiver: int
    depart_s: float
    arrive_s: float
    again: bool
    size: int


class Delivery(NamedTuple):
    """A gateway is done with a message for its subscriptions."""

    event: int
    message: int
    broker: int
    time_s: float
    subscriptions: list[int]


class Clock:
    """All that happens; `run` lets it happen."""

    def __init__(self, place: Place, overlay: Overlay, chance: Chance, windows: list[Window]) -> None:
        self.place, self.overlay, self.chance, self.windows = place, overlay, chance, windows
        self.now, self.count, self.ahead = 0.0, 0, list[tuple[float, int, Callable[..., None], tuple[Any, ...]]]()
        self.broker_free, self.uplink_free = [0.0] * place.brokers, [0.0] * place.brokers
        self.down, self.gone, self.kept_down = set[int](), set[int](), set[int]()
        self.crash_number = Counter[int]()
        self.messages: list[_Message] = []
        self.sent: list[Sent] = []
        self.faults: list[tuple[Any, ...]] = []
        """What, when, and where."""
        self.services: list[list[float]] = []
        self.out: Counter[int] = Counter()
        """Bytes that left the places where messages begin, by event."""
        self.uplink_busy_s = [0.0] * place.brokers
        self.deliveries: list[Delivery] = []
        self.reached: list[int] = [0] * len(windows)
        self.events_reached, self.next_window, self.server_free, self.server_starts = 0, 0, 0.0, 0
        self.answering: list[int] = []
        self.end_s = 0.0
        self.ties = 0
        """How often a broker was given two things at one time: which is the first, no rule says."""
        self.last_given: dict[int, float] = {}

    def at(self, time_s: float, act: Callable[..., None], *values: Any) -> None:
        """Let something happen at a time; of two at one time the one first said."""
        self.count += 1
        heapq.heappush(self.ahead, (time_s, self.count, act, values))

    def run(self) -> None:
        """Let everything happen, until every message is where it belongs and nothing is on its way."""
        for time_s, broker, stays in self.chance.crashes:
            self.at(time_s, self.crash, broker, stays)
        for time_s, broker in self.chance.restores:
            self.at(time_s, self.restore, broker)
        for time_s in self.chance.server_crashes:
            self.at(time_s, self.crash_server)
        for number, window in enumerate(self.windows):
            if self.place.server is None:
                self.at(window.arisen[0][0], self.start, number)
                continue
            for time_s, origin in window.arisen:
                reach_s = time_s + self.place.event_transmit_s[origin] + self.place.delay_s[origin][self.place.server]
                self.at(reach_s, self.reach, number, 1)
            self.at(window.closes_s, self.reach, number, 0)
        while self.ahead:
            self.now, _, act, values = heapq.heappop(self.ahead)
            act(*values)

    # The server.

    def reach(self, number: int, events: int) -> None:
        self.reached[number] += 1
        self.events_reached += events
        self.answer()

    def answer(self) -> None:
        while self.next_window < len(self.windows):
            window = self.windows[self.next_window]
            if self.reached[self.next_window] <= len(window.arisen):
                return
            self.server_free = max(self.server_free, self.now) + window.service_s
            self.answering.append(self.next_window)
            self.at(self.server_free, self.answered, self.next_window, self.server_starts)
            self.next_window += 1

    def answered(self, number: int, start: int) -> None:
        if start == self.server_starts:
            self.answering.remove(number)
            self.start(number)

    def crash_server(self) -> None:
        if self.place.server is None:
            return
        self.server_starts += 1
        self.next_window = min([self.next_window, *self.answering])
        self.answering = []
        lasts_s = self.place.server_downtime_s + self.events_reached * self.place.replay_s
        self.faults.append(("server crash", self.now))
        self.server_free = self.now + lasts_s
        self.answer()

    # Messages.

    def start(self, number: int) -> None:
        window = self.windows[number]
        source = window.arisen[0][1] if self.place.server is None else self.place.server
        self.give(source)
        number = 0
        for contents in window.messages:
            message = _Message(window.event, number, contents, source)
            number += len(contents)
            self.messages.append(message)
            self.begin(message)

    def begin(self, message: _Message) -> None:
        """Let a message begin at its source; who is gone is replaced by the next broker, who is down keeps it."""
        source = message.origin
        while source in self.gone:
            source = (source + 1) % self.place.brokers
        message.begun, message.arrived = True, set()
        delivers, message.hops = self.overlay.way(message.contents, source)
        message.open = {("hop", i) for i in range(len(message.hops))} | {("source", 0)}
        self.out[message.event] += self.overlay.size(message.contents)
        every = range(message.number, message.number + len(message.contents))
        self.faults += [("anew", self.now, source, message.event, one) for one in every if message.again]
        if source not in self.down:
            message.open.discard(("source", 0))
            self.handle(message, source, -1, delivers, len(every))

    def handle(self, message: _Message, broker: int, came_by: int, delivers: list[int], count: int) -> None:
        """Take a packet into the queue of a broker, and what it will send into that of the uplink."""
        begins_s = max(self.broker_free[broker], self.now)
        done_s = begins_s + count * self.place.broker_s
        self.broker_free[broker] = done_s
        self.services.append([broker, self.now, begins_s, done_s, count])
        self.end_s = max(self.end_s, done_s)
        if delivers:
            message.open.add(("served at", broker))
            self.at(done_s, self.deliver, message, broker, delivers, message.attempt, self.crash_number[broker])
        for hop, way in enumerate(message.hops):
            if way.sender == broker and way.before == came_by:
                self.enqueue(message, hop, done_s, message.again)

    def deliver(self, message: _Message, broker: int, delivers: list[int], attempt: int, crash: int) -> None:
        if crash == self.crash_number[broker] and attempt == message.attempt:
            message.open.discard(("served at", broker))
            for one in delivers:
                told = self.overlay.told(message.contents[one], broker)
                self.deliveries.append(Delivery(message.event, message.number + one, broker, self.now, told))

    def enqueue(self, message: _Message, hop: int, ready_s: float, again: bool) -> None:
        sender, receiver = message.hops[hop].sender, message.hops[hop].receiver
        depart_s = max(self.uplink_free[sender], ready_s)
        departed_s = depart_s + message.hops[hop].size * self.place.byte_s[sender][receiver]
        self.uplink_free[sender] = departed_s
        flight = (message, hop, message.hops[hop], message.attempt, again, depart_s)
        self.at(depart_s, self.depart, flight, departed_s, self.crash_number[sender])

    # Transmissions.

    def depart(self, flight: Any, departed_s: float, crash: int) -> None:
        """The uplink begins with a transmission."""
        message, _, way, _, again, depart_s = flight
        if crash != self.crash_number[way.sender]:
            return
        about = (message.event, tuple(message.number + one for one in way.members), way.sender, way.receiver)
        self.sent.append(Sent(*about, depart_s, math.nan, again, way.size))
        self.at(departed_s, self.leave, flight, len(self.sent) - 1, crash)

    def leave(self, flight: Any, number: int, crash: int) -> None:
        """It is on the wire, unless its sender has crashed in the midst of it."""
        message, hop, way, attempt, _, depart_s = flight
        about = self.sent[number][:4]
        if crash != self.crash_number[way.sender]:
            self.tell(about, "loss", depart_s, "crash")
            return
        self.uplink_busy_s[way.sender] += way.size * self.place.byte_s[way.sender][way.receiver]
        done = self.drawn(about, depart_s)
        apart = any(a <= self.now < b and (way.sender in who) != (way.receiver in who)
                    for a, b, who in self.chance.partitions)  # fmt: skip
        if apart or "loss" in done:
            self.tell(about, "loss", depart_s, "partition" if apart else "link")
            self.at(self.now + self.place.timeout_s, self.repeat, message, hop, attempt)
            return
        arrival_s = self.now + self.place.delay_s[way.sender][way.receiver]
        for why, held_s in (("planned", self.longer(way)), ("random", done.get("delay", 0.0))):
            if held_s:
                self.tell(about, "delay", depart_s, why)
            arrival_s += held_s
        self.at(arrival_s, self.arrive, message, hop, attempt, number)
        if "duplicate" in done:
            self.tell(about, "duplicate", depart_s, "random")
            self.sent.append(Sent(*about, depart_s, math.nan, True, way.size))
            self.at(arrival_s + done["duplicate"], self.arrive, message, hop, attempt, len(self.sent) - 1)

    def tell(self, about: Any, what: str, *more: Any) -> None:
        """A fault of every message of a packet."""
        event, messages, sender, receiver = about
        self.faults += [(what, *more, event, message, sender, receiver) for message in messages]

    def drawn(self, about: Any, depart_s: float) -> dict[str, float]:
        """What chance did to this transmission, the same to all its messages; each thing is used up."""
        event, messages, sender, receiver = about
        for message in messages:
            links = self.chance.links.get((event, message, sender, receiver), [])
            found = [one for one in links if abs(one[0] - depart_s) < 1e-8]
            for one in found:
                links.remove(one)
        return {what: seconds for _, what, seconds in found}

    def longer(self, way: Way) -> float:
        """What is planned for this link now."""
        values = [(time_s, held_s) for time_s, pair, held_s in self.chance.delays
                  if pair == {way.sender, way.receiver} and time_s <= self.now]  # fmt: skip
        return max(values, key=lambda value: value[0])[1] if values else 0.0

    def give(self, broker: int) -> None:
        """Note when a broker is given something from elsewhere."""
        self.ties += abs(self.now - self.last_given.get(broker, -1.0)) < 1e-9
        self.last_given[broker] = self.now

    def repeat(self, message: _Message, hop: int, attempt: int) -> None:
        way = message.hops[hop] if attempt == message.attempt else None
        if way is not None and way.sender not in self.down:
            self.out[message.event] += way.size * (way.before < 0)
            every = tuple(message.number + one for one in way.members)
            self.tell((message.event, every, way.sender, way.receiver), "resend", self.now)
            self.give(way.sender)
            self.enqueue(message, hop, self.now, True)

    def arrive(self, message: _Message, hop: int, attempt: int, number: int) -> None:
        row = self.sent[number]
        if attempt != message.attempt or row.receiver in self.down:
            why = "anew" if attempt != message.attempt else "crash"
            self.tell(row[:4], "loss", row.depart_s, why)
            return
        self.sent[number] = row._replace(arrive_s=self.now)
        if hop not in message.arrived:
            message.arrived.add(hop)
            message.open.discard(("hop", hop))
            self.give(row.receiver)
            self.handle(message, row.receiver, hop, message.hops[hop].delivers, len(row.messages))

    # Brokers.

    def crash(self, broker: int, stays: bool) -> None:
        if stays:
            self.kept_down.add(broker)
        if broker in self.down:
            return
        self.down.add(broker)
        self.crash_number[broker] += 1
        self.faults.append(("crash", self.now, broker))
        for service in self.services:  # it serves no more, and nobody waits for it
            if service[0] == broker:
                service[2], service[3] = min(service[2], self.now), min(service[3], self.now)
        self.cut_uplink(broker)
        self.at(self.now + self.place.detection_s, self.take_over, broker, self.crash_number[broker])
        if not stays:
            back_s = self.now + self.place.detection_s + self.place.downtime_s
            self.at(back_s, self.come_back, broker, self.crash_number[broker])

    def cut_uplink(self, broker: int) -> None:
        """What it is sending ends here: of that, the time until now was spent."""
        for _, _, act, values in self.ahead:
            if act == self.leave and values[0][2].sender == broker and values[2] == self.crash_number[broker] - 1:
                self.uplink_busy_s[broker] += self.now - values[0][5]

    def take_over(self, broker: int, crash: int) -> None:
        if crash == self.crash_number[broker] and broker in self.down:
            self.gone.add(broker)
            self.faults.append(("takeover", self.now, broker))
            self.overlay.leave(broker)
            self.start_anew()

    def come_back(self, broker: int, crash: int) -> None:
        if crash == self.crash_number[broker] and broker in self.down and broker not in self.kept_down:
            self.bring_back(broker)

    def restore(self, broker: int) -> None:
        self.kept_down.discard(broker)
        self.bring_back(broker)

    def bring_back(self, broker: int) -> None:
        self.down.remove(broker)
        self.faults.append(("return", self.now, broker))
        self.broker_free[broker] = self.uplink_free[broker] = self.now
        if broker in self.gone:
            self.gone.remove(broker)
            self.overlay.join(broker)
        self.start_anew()

    def start_anew(self) -> None:
        for message in sorted(self.messages, key=lambda one: (one.event, one.number)):
            if message.open:
                message.attempt += 1
                message.again = True
                self.begin(message)
