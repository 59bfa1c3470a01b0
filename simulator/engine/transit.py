"""The messages of one chunk of events on their way by the clock, where nothing goes wrong."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import simpy
from numpy.typing import NDArray

from simulator.approaches.approach import Approach
from simulator.approaches.session import Asked, Outgoing, Session, ask
from simulator.engine.asking import questions_of, with_replies
from simulator.engine.audience import Audience
from simulator.engine.carried import Carried, Replies
from simulator.engine.control import Watermarks, echo
from simulator.engine.holding_back import Heard, held_back
from simulator.engine.journeys import Times, journeys_of, sources_of, traffic_of, transmission_s
from simulator.engine.ledger import Ledger
from simulator.engine.packets import before, begins_of, followers, packets_of, packing_of
from simulator.engine.transmissions import moments_of, timed_transmissions
from simulator.inputs.ingredients import Ingredients
from simulator.scenario.scenario import Scenario
from simulator.workload.windows import Chunk

__all__ = ["Due", "Transit", "World", "starts_within"]


class Due(Protocol):
    """What SimPy hands to a callback."""

    value: Any


class World:
    """The clock, and when brokers and their uplinks are free. Plain lists, as SimPy is Python."""

    def __init__(
        self,
        scenario: Scenario,
        ingredients: Ingredients,
        approach: Approach,
        session: Session,
        audience: Audience,
        ledger: Ledger,
    ) -> None:
        self.scenario, self.ingredients, self.approach = scenario, ingredients, approach
        self.session, self.audience, self.ledger = session, audience, ledger
        self.clock = simpy.Environment()
        self.records_hops = "hops" in scenario.record
        self.broker_s = scenario.costs.broker_s
        self.broker_free = [0.0] * len(ingredients.network)
        self.uplink_free = [0.0] * len(ingredients.network)
        self.packing = packing_of(scenario, approach)
        holds = scenario.network.order == "hold" and not approach.asked
        self.watermarks = Watermarks(ingredients.routes, ingredients.server) if holds else None
        self.journal_events = 0
        """Events that have reached the server."""

    def at(self, time: float, act: Callable[[Due], None], value: object) -> None:
        """Call `act` when the clock shows a time."""
        timeout = self.clock.timeout(time - self.clock.now, value)
        timeout.callbacks.append(act)

    def service_s(self, outgoing: Outgoing) -> list[float]:
        """Time that the server takes for each window, or question: its counted calls and the messages it sends."""
        costs, asked = self.scenario.costs, outgoing.asked
        calls_s = np.array([costs.first_k_s, costs.min_y_s, costs.snap_s])
        calls, starts = (outgoing.costs, outgoing.offsets) if asked is None else (asked.costs, asked.starts)
        seconds: list[float] = (calls @ calls_s + np.diff(starts) * costs.send_s).tolist()
        return seconds


class Transit:
    """The messages of one chunk on their way."""

    def __init__(self, world: World, chunk: Chunk) -> None:
        self.world, self.chunk = world, chunk
        self.done = world.clock.event()
        self.awaited = (np.diff(chunk.starts) + 1).tolist()
        """What a window waits for: its events, and the end of its time."""
        self.outgoing: Outgoing | None = None
        self.service_s: list[float] = []
        """Of each window; where subscriptions ask, of each question, and windows take none."""
        self.answered = 0
        """How many windows the server has answered."""
        self.questions: Replies | None = None
        self._ready_s: list[float] = []
        self._arrivals: list[Callable[[Any], None]] = []

    def set_out(self) -> None:
        """Answer the chunk, if that is not done, and find the way of every message."""
        if self.outgoing is None:
            self.outgoing = outgoing = self._answers()
            self.service_s = self.world.service_s(outgoing)
            self._offsets = outgoing.offsets.tolist()
            self._sources = sources_of(self.world.ingredients, self.world.approach, self.chunk, outgoing)
            self._lay_out(outgoing)
            if outgoing.asked is not None:
                ingredients, network = self.world.ingredients, self.world.scenario.network
                self.questions = questions_of(ingredients, outgoing.asked, last_hop=network.last_hop)
                self._ready_s = [np.nan] * len(outgoing.asked.time_s)

    def _answers(self) -> Outgoing:
        return ask(self.world.session, self.chunk, self.world.ingredients.workload.ends)

    def _lay_out(self, outgoing: Outgoing) -> None:
        world = self.world
        self._hops = journeys_of(world.ingredients, world.approach, outgoing, self._sources)
        self._packets = packets = packets_of(world.packing, self._hops, outgoing.table, begins_of(outgoing))
        places = len(packets.places)
        self._arrived, self._served = [0.0] * places, [0.0] * places
        self._left = self.chunk.windows + len(packets.size) + outgoing.questions
        self._serve, self._place = self._clockwork()

    def start(self, window: int) -> None:
        """Hand a window's messages to the broker where they enter the network, unless they are asked for."""
        self.answered += 1
        if self.questions is None:
            self._start_rows(self._offsets[window], self._offsets[window + 1])
        self._count_down()

    def reply(self, question: int) -> None:
        """The same for the answer to a question."""
        self._ready_s[question] = self.world.clock.now
        self._start_rows(*self._asked.starts[question : question + 2].tolist())
        self._count_down()

    def window_of(self, question: int) -> int:
        """The window that a question is put after."""
        return int(self._asked.window[question])

    @property
    def _asked(self) -> Asked:
        assert self.outgoing is not None  # it has set out
        assert self.outgoing.asked is not None  # somebody asks
        return self.outgoing.asked

    def _start_rows(self, first: int, end: int) -> None:
        packets = len(self._packets.size)
        for start in starts_within(self._packets.start_of, first, end):
            self._serve(int(self._sources[self._packets.starts[start]]), packets + start)

    def _count_down(self) -> None:
        self._left -= 1
        if not self._left:
            self.done.succeed()

    def _clockwork(self) -> tuple[Callable[[int, int], None], NDArray[np.int64]]:
        """Number packets so that those which follow the same one are side by side, and let brokers serve by that.

        Almost all the time of `des` is spent in the functions made here: they know everything by local names, and
        SimPy gets one list of callbacks for all packets. A broker takes its time for each message of one.

        Returns
        -------
        serve : callable
            Lets a broker serve a packet and send its messages on. Told the broker and the number of the packet, or
            for where messages start that of the start after those of all packets.
        place : (packets + starts,) int64 array
            Row of each packet's number; the numbers of starts stay.
        """
        world, packets = self.world, self._packets
        routes, hops = world.ingredients.routes, packets.hops
        rows, starts = followers(hops)
        place = np.append(rows, np.arange(len(rows), len(starts) - 1))
        first_next, end_next = starts[place].tolist(), starts[place + 1].tolist()
        senders, receivers = hops.senders[rows], hops.receivers[rows]
        transmit_s = transmission_s(packets.size[rows], routes.bandwidth_mbps[senders, receivers]).tolist()
        delay_s = (routes.delay_ms[senders, receivers] / 1e3).tolist()
        broker_of, arrived, served, count_down = receivers.tolist(), self._arrived, self._served, self._count_down
        clock, timeout = world.clock, world.clock.timeout
        held, broker_s = packets.places[place].tolist(), world.broker_s
        broker_free, uplink_free = world.broker_free, world.uplink_free

        def serve(broker: int, came_by: int) -> None:
            arrived[came_by] = now = clock.now
            done = broker_free[broker]
            served[came_by] = broker_free[broker] = done = (now if done < now else done) + held[came_by] * broker_s
            first, end = first_next[came_by], end_next[came_by]
            if first < end:
                departed = uplink_free[broker]
                departed = done if departed < done else departed
                for hop in range(first, end):
                    departed += transmit_s[hop]
                    timeout(departed + delay_s[hop] - now, hop).callbacks = arrivals
                uplink_free[broker] = departed

        def arrive(due: Due) -> None:
            hop = due.value
            serve(broker_of[hop], hop)
            count_down()

        arrivals = self._arrivals
        arrivals.append(arrive)
        return serve, place

    def carried(self) -> Carried:
        """What became of the chunk, once it has done."""
        assert self.outgoing is not None  # nothing ends that did not take off
        self._arrivals.clear()  # it is in a circle with the functions of the clockwork, and these hold all lists
        world, hops, packets = self.world, self._hops, self._packets
        routes, broker_s = world.ingredients.routes, world.broker_s
        times = Times(*np.empty((2, len(self._place))))
        times.arrived[self._place], times.served[self._place] = self._arrived, self._served
        traffic = traffic_of(routes, self._sources, hops, packets, times, broker_s)
        at = (self.outgoing.table, traffic.message, traffic.broker)
        received, notified = world.audience.count(*at), world.audience.name(*at)
        moments = moments_of(routes, packets, times, broker_s)
        carried = Carried(self.chunk, self.outgoing, self._sources, traffic, received, notified, None, moments)
        if world.records_hops:
            sent = timed_transmissions(routes, hops, packets, carried.window_of, times, broker_s)
            carried = carried._replace(sent=sent)
        if world.watermarks is None:
            return self._with_replies(carried)
        ways, rows = packets.hops, len(packets.size)
        delay_s = routes.delay_ms[ways.senders, ways.receivers] / 1e3
        heard_s = echo(before(ways), times.served, delay_s)
        heard = Heard(packets.first, ways.receivers, ways.senders, heard_s[:rows])
        whole_s = packets.at_sources(heard_s)
        return held_back(world.ingredients, carried, packets.starts, heard, world.watermarks, whole_s)

    def _with_replies(self, carried: Carried) -> Carried:
        """Add what was asked, if anything was."""
        if self.questions is None:
            return carried
        replies = self.questions._replace(ready_s=np.array(self._ready_s))
        return with_replies(self.world.ingredients, carried, replies)


def starts_within(start_of: NDArray[np.int64], first: int, end: int) -> range:
    """Starts of the messages from one to another, which is not included."""
    return range(int(start_of[first]), int(start_of[end - 1]) + 1) if first < end else range(0)
