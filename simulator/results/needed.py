"""What was needed: how many lists each event changed, and how many objects it exposed, whatever approaches run.

A notification is needed where the event changes the list of a subscription that is there then; x and y of the objects
are part of a list. That follows from the events and the subscriptions alone: a server that is exact and answers every
event by itself tells each of those subscriptions of the updated object once, and of the exposed object where one
takes its place. Its messages are counted over all subscriptions, without a network; tests hold that against brute
force.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from floor.steps import Advance
from paint import EXPOSED
from simulator.approaches.approach import Approach
from simulator.approaches.server_session import ServerSession
from simulator.approaches.session import Outgoing, Session
from simulator.engine.everybody import Everybody
from simulator.engine.spark_deliveries import HELD, SparkDeliveries
from simulator.inputs.fault_plan import Churn, plan_faults
from simulator.inputs.ingredients import Ingredients
from simulator.scenario.scenario import Scenario
from simulator.workload.events import EventStream
from simulator.workload.windows import Chunk, chunks_of, windows_in_room
from simulator.workload.workload import Workload, add_subscriptions

__all__ = ["Needed", "count_needed", "needed_in", "needed_of", "with_needed"]

Ints = NDArray[np.int64]

_EXACT = Approach(partial(ServerSession, algorithm="dense"), exact=True)
_AWARE = Approach(partial(ServerSession, algorithm="sparse"), exact=True, aware=True)
"""Over several attributes almost all tiles are empty: a server that knows the subscriptions is much quicker."""


class Needed(NamedTuple):
    """Notifications that were needed, event by event."""

    update: Ints
    """(events,) lists that the event changed: each must be told of the updated object."""
    exposed: Ints
    """(events,) lists in which another object took its place."""

    def per_window(self, chunk: Chunk) -> tuple[Ints, Ints]:
        """Both, added up over the events of each window of a chunk."""
        update, exposed = (
            np.add.reduceat(column[chunk.first : chunk.first + len(chunk.events.object)], chunk.starts[:-1])
            for column in self
        )
        return update, exposed


def needed_of(
    scenario: Scenario,
    ingredients: Ingredients,
    deliveries: SparkDeliveries | None = None,
    advance: Advance = lambda _: None,
) -> Needed:
    """Count what a scenario needs: once for all approaches."""
    churn = plan_faults(scenario, ingredients).churn if scenario.faults.any else None
    return count_needed(ingredients.workload, ingredients.events, churn, deliveries, advance)


def count_needed(
    workload: Workload,
    events: EventStream,
    churn: Churn | None = None,
    deliveries: SparkDeliveries | None = None,
    advance: Advance = lambda _: None,
) -> Needed:
    """Count the notifications that events need.

    Time of Paint-Dense's server, over several attributes of Paint-Sparse's where subscriptions are in memory, and
    O(m^(1 - 1/D)) at worst over D sides for each of its messages; about 40 bytes per subscription. Halfspaces and
    disks on disk have a server of Paint-Sparse for each row group.

    Parameters
    ----------
    churn : Churn, optional
        Who comes and goes.
    deliveries : SparkDeliveries, optional
        The population, where it is on disk; nobody comes and goes then.
    advance : function
        Told of events that are counted.
    """
    if deliveries is not None and workload.shape != "boxes":
        totals = deliveries.among(partial(_needed_among, workload, events))
        advance(len(events.object))
        return Needed(*totals)
    exact = _EXACT if workload.sides is None or deliveries is not None else _AWARE
    if workload.known is None and churn is None:  # nobody changes it
        workload = workload._replace(known=workload.made_index())
    session = exact.open(workload, exact)
    everybody = _Changing(workload, churn, session)
    totals = np.zeros((2, len(events.object)), np.int64)
    held: list[tuple[Chunk, Outgoing]] = []
    most = 1 if deliveries is None else HELD
    reach = everybody.count if deliveries is None else deliveries.reach
    room = {"windows": windows_in_room(workload.k)} if workload.sides is None else {}
    for chunk in chunks_of(events, None, None if churn is None else churn.moments, **room):
        everybody.change(chunk.first)
        held.append((chunk, session.answer(chunk)))
        if sum(len(outgoing.table) for _, outgoing in held) >= most:
            advance(_add(totals, held, reach))
            held = []
    if any(len(outgoing.table) for _, outgoing in held):
        advance(_add(totals, held, reach))
    return Needed(*totals)


def needed_in(records: pa.Table) -> Needed:
    """What events need, from records of Paint-Dense: it is exact and answers every event by itself."""
    return Needed(*(records[name].to_numpy() for name in ("received_update", "received_exposed")))


def with_needed(records: pa.Table, needed: Needed) -> pa.Table:
    """Records of every event with other numbers of what was needed."""
    for name, values in zip(("needed_update", "needed_exposed"), needed, strict=True):
        at = records.schema.get_field_index(name)
        records = records.set_column(at, records.schema.field(at), pa.array(values, records.schema.field(at).type))
    return records


def _needed_among(
    workload: Workload, events: EventStream, l: NDArray[np.float64], r: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Both counts of what is needed by the subscriptions with these ends: only a server that knows them can tell.

    The region of an object among halfspaces or disks is no union of boxes, so that nobody can be counted by those of
    Paint-Dense. What is needed by some is needed whoever else is there: parts of a population add up.
    """
    return np.stack(count_needed(workload._replace(l=l, r=r), events))


def _add(totals: Ints, held: list[tuple[Chunk, Outgoing]], reach: Callable[[NDArray[np.void]], Ints]) -> int:
    """Count whom the messages of some chunks reach, by event and cause; returns how many events they are."""
    table = np.concatenate([outgoing.table for _, outgoing in held])
    event = np.concatenate(
        [np.repeat(chunk.first + np.arange(chunk.windows), np.diff(outgoing.offsets)) for chunk, outgoing in held]
    )
    np.add.at(totals, ((table["cause"] == EXPOSED).astype(np.int64), event), reach(table))
    return sum(chunk.windows for chunk, _ in held)


class _Changing:
    """All subscriptions that are there, as they come and go."""

    def __init__(self, workload: Workload, churn: Churn | None, session: Session) -> None:
        self._session, self._everybody = session, Everybody(workload)
        self._churn, self._first = churn, len(workload.l)
        self.count = self._everybody.count

    def change(self, event: int) -> None:
        """Let those come and go who do so before an event, and tell the server."""
        if self._churn is None or event not in self._churn.moments:
            return
        leaving, joining = self._churn.leaving(event), self._churn.joining(event)
        for subscription in leaving.tolist():
            self._session.unsubscribe(subscription)
        for l, r in zip(*self._churn.ends_of(joining - self._first), strict=True):
            self._session.subscribe(l.tolist(), r.tolist())
        if len(leaving):
            self._everybody.index.delete(leaving)
        if len(joining):  # ids go on in the order of arrival, as those of the index do
            add_subscriptions(
                self._everybody.index, self._everybody.sides, *self._churn.ends_of(joining - self._first)
            )
