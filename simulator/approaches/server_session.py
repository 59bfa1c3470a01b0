"""The session of every approach that has a `paint.Server`: runs of updates in one compiled call, the rest singly."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import paint
from floor.errors import RangecastError
from paint.sides import points_of
from simulator.approaches.approach import Approach
from simulator.approaches.session import Outgoing, Session
from simulator.workload.events import DELETE, INSERT, LOWER, MOVE, EventStream
from simulator.workload.windows import Chunk
from simulator.workload.workload import Workload

__all__ = ["ServerSession", "joined"]


class ServerSession(Session):
    """A `paint.Server`, which knows the subscriptions if it is aware of them."""

    def __init__(self, workload: Workload, approach: Approach, *, algorithm: str, variant: str | None = None) -> None:
        self._variant = variant
        self._aware, self._batches, self._sides = approach.aware, approach.window is not None, workload.sides
        self._outlines = algorithm == "unicast" and workload.sides is None
        self._server = paint.Server(
            workload.x,
            workload.y,
            k=workload.k,
            algorithm=algorithm,
            epsilon=approach.epsilon,
            cut=approach.cut,
            subscriptions=_known(workload, approach) if approach.aware else None,
            sketch=approach.sketch,
            dimensions=workload.dimensions,
            shape=workload.shape,
        )

    def answer(self, chunk: Chunk) -> Outgoing:
        """Messages of the server: runs of y-updates by one compiled call, everything else window by window."""
        plain = np.zeros(chunk.windows, np.bool_) if self._batches else chunk.events.kind <= LOWER
        edges = np.flatnonzero(plain[1:] != plain[:-1]) + 1
        parts = [
            part
            for start, end in zip(np.append(0, edges).tolist(), np.append(edges, len(plain)).tolist(), strict=True)
            for part in (self._replay(chunk, start, end) if plain[start] else self._each(chunk, start, end))
        ]
        return joined(parts)

    def regions(self, chunk: Chunk) -> Outgoing | None:
        """Regions of those whom Unicast writes to, if all events are y-updates."""
        if not self._outlines or (chunk.events.kind > LOWER).any():
            return None
        return joined([self._server.regions(chunk.events.object, chunk.events.y)])

    def subscribe(self, l: Any, r: Any) -> None:
        """Tell the server, if it wants to know."""
        if self._aware:
            left = l if self._sides is None else l[: int(np.count_nonzero(self._sides.sign < 0))]
            self._server.subscribe(left, r)

    def unsubscribe(self, subscription: int) -> None:
        """Tell the server, if it wants to know."""
        if self._aware:
            self._server.unsubscribe(subscription)

    def _replay(self, chunk: Chunk, start: int, end: int) -> list[paint.Messages]:
        return [self._server.replay(chunk.events.object[start:end], chunk.events.y[start:end])]

    def _each(self, chunk: Chunk, start: int, end: int) -> list[paint.Messages]:
        found = []
        for at in range(start, end):
            before = self._calls()
            table = self._window(chunk.window(at)).table
            calls = self._calls() - before
            found.append(paint.Messages(table, np.array((0, len(table))), calls[:, :4], calls[:, 4:]))
        return found

    def _window(self, events: EventStream) -> paint.Messages:
        columns = (events.object.tolist(), events.x.tolist(), events.y.tolist())
        if self._variant is not None:
            if np.isin(events.kind, (INSERT, MOVE)).any():
                raise RangecastError("coalesce and paint-batch-printed take no insertions or moves; use paint-batch")
            return self._server.batch(zip(columns[0], columns[2], strict=True), self._variant)
        if self._batches:
            return self._server.window(zip(*columns, strict=True))
        (i,), (x,), (y,) = columns
        return self._one(i, x, y, int(events.kind[0]))

    def _one(self, i: int, x: Any, y: float, kind: int) -> paint.Messages:
        if kind == INSERT:
            given, messages = self._server.insert(x, y)
            if given != i:
                raise ValueError(f"an inserted object must take the next id, {given}, got {i}")
            return messages
        if kind == DELETE:
            return self._server.delete(i)
        return self._server.move(i, x)

    def _calls(self) -> NDArray[np.int64]:
        return np.array([[*self._server.costs.values(), *self._server.paper_costs.values()]])


def _known(workload: Workload, approach: Approach) -> Any:
    """What a server that knows the subscriptions is given of them: the index that all share, or its own."""
    if workload.known is not None and approach.sketch is None:
        return workload.known
    sides = workload.sides
    if sides is None:
        return np.column_stack((workload.l, workload.r))
    return workload.made_index() if approach.sketch is None else points_of(sides, workload.l, workload.r) * sides.sign


def joined(parts: Sequence[paint.Messages]) -> Outgoing:
    """What a server sent in several calls, one after the other."""
    lengths = np.concatenate([np.diff(messages.offsets) for messages in parts])
    costs = np.concatenate([messages.costs for messages in parts if messages.costs is not None])
    paper = np.concatenate([messages.paper_costs for messages in parts if messages.paper_costs is not None])
    apart = np.column_stack((costs[:, 3], paper[:, 1:]))
    table = parts[0].table if len(parts) == 1 else np.concatenate([messages.table for messages in parts])
    return Outgoing(table, np.append(0, np.cumsum(lengths)), costs[:, :3], apart=apart)
