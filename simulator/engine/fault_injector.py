"""Faults by the clock of `des`: crashes, links that lose, delay and duplicate, subscriptions that come and go.

**Links.** A transmission may be lost; the sender then repeats it after a timeout, for as long as it takes. One that
is held up may be overtaken, and one may arrive twice, of which the receiver, who remembers what it got, drops one.
In a partition all is lost that is sent from one side to the other. Nobody takes over from anybody for that: brokers
are up, as their neighbours on the same side can tell, and what is for the other side waits there for the end of it.

**Brokers.** What a broker has not served or sent when it crashes is gone. After `detection`, neighbours take over its
zone and its subscriptions; when it returns, it is given a zone again. Either way messages travel under one state of
the network only: those under way then are started anew by whoever sent them first, who keeps each until everyone it
is for has acknowledged it; one that its gateway has not served is under way. So a broker's crash costs transmissions
and time, and subscribers get some messages twice; they apply each once, in the order of its number. A broker that is
back before anybody has noticed keeps its zone, but what it had is gone, so messages are started anew all the same.

**Server.** Every event is in its journal before it is answered. When the server crashes, what it has not sent is
lost with its memory; it starts again from the objects and subscriptions of the beginning and reads the journal.

**Subscriptions** come and go between two events, as the server sees them. A newcomer is given its list as it is
then, and what is under way from earlier events is not for it. The gateway of one who goes forgets it when all that
was under way then has arrived.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from floor.errors import RangecastError
from simulator.approaches.session import Outgoing, ask
from simulator.engine.fault_log import FaultRow
from simulator.engine.faulty_transit import FaultyTransit
from simulator.engine.link_faults import fates
from simulator.engine.transit import Due, World
from simulator.inputs.fault_plan import FaultPlan
from simulator.inputs.ingredients import generator
from simulator.scenario.fault_tables import PlannedFault
from simulator.workload.windows import Chunk

__all__ = ["FaultInjector"]


class FaultInjector:
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
        self.fate = fates(world.scenario.faults, plan.links, generator(world.scenario, "links"))
        self._world, self._plan, self._happened = world, plan, world.ledger.happened
        self._under_way: list[FaultyTransit] = []
        self._leaving: list[tuple[list[FaultyTransit], NDArray[np.int64]]] = []
        self._journal: list[Chunk] = []
        self._zones = generator(world.scenario, "zones")
        self._changes = [0] * len(self.down_s)
        """How often each broker has crashed or returned: what was due after a crash lapses when it has returned."""
        self._kept_down: set[int] = set()
        """Brokers that are down until the scenario restores them."""

    def begin(self, crash_server: Callable[[float], None]) -> None:
        """Put the crashes on the clock; `crash_server` is told when the server will be up again."""
        self._crash_server = crash_server
        for time, pick in self._plan.crashes:
            self._world.at(time, self._crash, pick)
        for time in self._plan.server_crashes:
            self._world.at(time, lambda _: self._lose_server("random"), None)
        for fault in self._plan.planned:
            self._world.at(fault.time_s, self._follow_plan, fault)

    def transit(self, chunk: Chunk) -> "FaultyTransit":
        """Follow the messages of a chunk until they have done."""
        self._under_way = [transit for transit in self._under_way if not transit.done.triggered]
        self._under_way.append(FaultyTransit(self._world, chunk, self))
        return self._under_way[-1]

    def answer(self, chunk: Chunk) -> Outgoing:
        """Let those come and go whose time it is, then answer a chunk and note it in the journal."""
        churn, event = self._plan.churn, chunk.first
        for transit in self._under_way if event in churn.moments or self._leaving else ():
            transit.find_ways()  # with the subscriptions as they were
        if event in churn.moments:
            self._settle(np.inf)  # what a gateway is about to serve is not for newcomers either
            leaving, joining = churn.leaving(event), churn.joining(event)
            world = self._world
            self._leaving.append((list(self._under_way), leaving))
            first = len(world.ingredients.workload.l)
            ends = churn.ends_of(joining - first)
            world.ingredients.gateways.join(joining, *ends, churn.nodes[joining - first])
            world.audience.join(joining, *ends)
            self._happened["subscriptions joined"] += len(joining)
            self._happened["subscriptions left"] += len(leaving)
        self._say_farewell()
        self._journal.append(chunk)
        return self._answer(chunk)

    def _say_farewell(self) -> None:
        """Let the gateways forget those that left, once nothing is under way to them."""
        waiting = []
        for transits, ids in self._leaving:
            transits = [
                transit for transit in transits if transit.outgoing is not None and not transit.done.triggered
            ]
            if transits:
                waiting.append((transits, ids))
            else:
                self._world.ingredients.gateways.leave(ids)
                self._world.audience.leave(ids)
        self._leaving = waiting

    def _answer(self, chunk: Chunk) -> Outgoing:
        """Answer a chunk, with the subscriptions as they are then."""
        churn, session = self._plan.churn, self._world.session
        if chunk.first in churn.moments:
            first = len(self._world.ingredients.workload.l)
            for subscription in churn.leaving(chunk.first).tolist():
                session.unsubscribe(subscription)
            for l, r in zip(*churn.ends_of(churn.joining(chunk.first) - first), strict=True):
                session.subscribe(l.tolist(), r.tolist())
        return ask(session, chunk, self._world.ingredients.workload.ends)

    def _crash(self, due: Due) -> None:
        """Take down one of the brokers that are up, if one can be spared."""
        server = self._world.ingredients.server
        up = [broker for broker, since in enumerate(self.down_s) if since == np.inf and broker != server]
        if len(up) < 2:
            return
        broker, faults = up[due.value % len(up)], self._world.scenario.faults
        self._fail(broker, "random")
        back_s = self._world.clock.now + faults.detection_s + faults.downtime_s
        self._world.at(back_s, self._return, (broker, self._changes[broker]))

    def _follow_plan(self, due: Due) -> None:
        """Let happen what the scenario wants at this time; what concerns links, the links know themselves."""
        fault: PlannedFault = due.value
        if fault.what == "crash" and fault.whom == "server":
            self._lose_server("planned")
        for broker in fault.brokers:
            if fault.what == "crash":
                self._kept_down.add(broker)
                if self.down_s[broker] == np.inf:
                    self._fail(broker, "planned")
            elif fault.what == "restore":
                self._kept_down.remove(broker)
                self._bring_back(broker, "planned")
            elif fault.what in ("partition", "heal"):
                self._note(fault.what, broker, "planned")
        if fault.what == "partition":
            self._happened["partitions"] += 1

    def _note(self, what: str, broker: int, why: str | None = None) -> None:
        self._world.ledger.note(FaultRow(self._world.clock.now, what, why, broker))

    def _fail(self, broker: int, why: str) -> None:
        """Take a broker down; neighbours will notice."""
        now = self._world.clock.now
        self.down_s[broker] = now
        self._changes[broker] += 1
        self._happened["broker crashes"] += 1
        self._note("crash", broker, why)
        for transit in self._under_way:
            transit.forget(broker)
        noticed_s = now + self._world.scenario.faults.detection_s
        self._world.at(noticed_s, self._take_over, (broker, self._changes[broker]))

    def _take_over(self, due: Due) -> None:
        broker, change = due.value
        if change != self._changes[broker]:
            return
        self._settle(self._world.clock.now)
        self.gone.add(broker)
        self._note("takeover", broker)
        self._rearrange(self._world.ingredients.network.leave(broker))

    def _return(self, due: Due) -> None:
        broker, change = due.value
        if change == self._changes[broker] and broker not in self._kept_down:
            self._bring_back(broker, "random")

    def _bring_back(self, broker: int, why: str) -> None:
        """Let a broker return, with nothing in its queues."""
        now = self._world.clock.now
        self._settle(now)
        self.down_s[broker] = np.inf
        self._changes[broker] += 1
        self._note("return", broker, why)
        self._world.broker_free[broker] = self._world.uplink_free[broker] = now
        if broker in self.gone:
            self.gone.remove(broker)
            self._rearrange(self._world.ingredients.network.join(broker, self._zones))
        else:
            self._start_anew()

    def _rearrange(self, givers: NDArray[np.int64]) -> None:
        """Hand subscriptions over from some brokers, and start what is under way anew."""
        moved = self._world.ingredients.gateways.rehome(givers)
        self._world.audience.follow(moved)
        self._happened["subscriptions handed over"] += len(moved)
        self._start_anew()

    def _start_anew(self) -> None:
        for transit in self._under_way:
            self._happened["messages started anew"] += transit.restart()

    def _settle(self, until_s: float) -> None:
        for transit in self._under_way:
            transit.settle(until_s)

    def _lose_server(self, why: str) -> None:
        """Rebuild the server from the journal; its answers must be what they were."""
        world, faults = self._world, self._world.scenario.faults
        if world.approach.serverless:
            return
        self._happened["server crashes"] += 1
        world.session = world.approach.open(world.ingredients.workload, world.approach)
        answers = {chunk.first: self._answer(chunk) for chunk in self._journal}
        for transit in self._under_way:
            again = answers.get(transit.chunk.first)
            if again is not None and transit.outgoing is not None and not _same(again, transit.outgoing):
                raise RangecastError(
                    f"the journal does not lead to the same answers from event {transit.chunk.first}"
                )
        up_s = world.clock.now + faults.server_downtime_s + world.journal_events * faults.replay_s
        down = FaultRow(world.clock.now, "server crash", why, world.ingredients.server)
        world.ledger.note(down._replace(seconds=up_s - world.clock.now))
        self._crash_server(up_s)


def _same(one: Outgoing, other: Outgoing) -> bool:
    """Whether two answers are the same, byte by byte: what is no number is the same as itself."""
    columns = ((*sent[:3], *(sent.asked or ())) for sent in (one, other))
    return all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(*columns, strict=True))
