"""Approaches: how events become messages, and who sends them. All of them are registered here, in one table.

A scenario names an approach as `paint-dense`, with its ε as `paint-dense(0.5)`, or with its window as
`paint-batch(100)` for 100 events and `paint-batch(50ms)` for 50 milliseconds.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import paint
from rangecast import RangecastError

from .events import DELETE, INSERT, LOWER, MOVE, EventStream
from .stretches import Stretch, Window
from .units import DURATION

__all__ = ["APPROACHES", "Approach", "Outgoing", "Session", "Workload", "parse_approach"]


class Workload(NamedTuple):
    """What the server starts with."""

    k: int
    x: NDArray[np.float64]
    """x and y of the n objects."""
    y: NDArray[np.float64]
    l: NDArray[np.float64]
    """Ends of the m subscriptions."""
    r: NDArray[np.float64]


class Outgoing(NamedTuple):
    """What an approach sends for a stretch of events."""

    table: NDArray[np.void]
    """Rows of `paint.MESSAGE`, or of `paint.UNICAST` for an approach that writes to single subscriptions."""
    offsets: NDArray[np.int64]
    """Where each window's rows start; one more entry than there are windows."""
    costs: NDArray[np.int64]
    """Calls of the server per window, shape (windows, 3): first_k, min_y, snap."""


class Session(ABC):
    """An approach at work on one stream of events, from a workload on; made as `session(workload, approach)`."""

    @abstractmethod
    def answer(self, stretch: Stretch) -> Outgoing:
        """Messages for the next windows of the stream."""

    def regions(self, stretch: Stretch) -> Outgoing | None:  # noqa: ARG002 - most approaches cannot tell
        """Instead of `answer`, for messages to single subscriptions: disjoint `paint.MESSAGE` rows that hold them.

        None, and nothing has happened, if it cannot tell.
        """
        return None

    def subscribe(self, l: float, r: float) -> None:  # noqa: B027 - most approaches need not know
        """Take note of a new subscription; ids go on from those of the workload."""

    def unsubscribe(self, subscription: int) -> None:  # noqa: B027
        """Take note that a subscription is gone."""


def ask(session: Session, stretch: Stretch) -> Outgoing:
    """Messages of a session for the next windows of the stream.

    Raises
    ------
    RangecastError
        A session of a user's own answers with something else.
    """
    outgoing = session.answer(stretch)
    if not isinstance(outgoing, Outgoing):
        kind = type(session).__name__
        raise RangecastError(f"{kind}.answer must return an Outgoing, got {outgoing!r:.80}; mend the approach")
    return outgoing


@dataclass(frozen=True)
class Approach:
    """A way of notifying subscriptions, as registered under its name."""

    open: "Callable[[Workload, Approach], Session]"
    """Starts a session; the class of the session will do."""
    exact: bool
    """Whether only affected subscriptions are notified."""
    takes: Literal["epsilon", "window"] | None = None
    """What may stand in parentheses after the name."""
    serverless: bool = False
    """Whether events enter the network where they arise instead of at the server."""
    aware: bool = False
    """Whether its server knows the subscriptions."""
    unicast: bool = False
    """Whether rows name single subscriptions, sent straight to their gateways."""
    updates_only: bool = False
    """Whether it has no answer to objects that are inserted or move."""
    epsilon: float | None = None
    window: Window | None = None
    """The window that the server answers at once; every event by itself without one."""


class _ServerSession(Session):
    """A `paint.Server`, which knows the subscriptions if it is aware of them."""

    def __init__(self, workload: Workload, approach: Approach, *, algorithm: str, variant: str | None = None) -> None:
        self._variant = variant
        known = np.column_stack((workload.l, workload.r)) if approach.aware else None
        self._aware, self._batches = approach.aware, approach.window is not None
        self._outlines = algorithm == "unicast"
        self._server = paint.Server(
            workload.x, workload.y, k=workload.k, algorithm=algorithm, epsilon=approach.epsilon, subscriptions=known
        )

    def answer(self, stretch: Stretch) -> Outgoing:
        """Messages of the server: runs of y-updates by one compiled call, everything else window by window."""
        plain = np.zeros(stretch.windows, np.bool_) if self._batches else stretch.events.kind <= LOWER
        edges = np.flatnonzero(plain[1:] != plain[:-1]) + 1
        parts = [
            part
            for start, end in zip(np.append(0, edges).tolist(), np.append(edges, len(plain)).tolist(), strict=True)
            for part in (self._replay(stretch, start, end) if plain[start] else self._each(stretch, start, end))
        ]
        return _joined(parts)

    def regions(self, stretch: Stretch) -> Outgoing | None:
        """Regions of those whom Unicast writes to, if all events are y-updates."""
        if not self._outlines or (stretch.events.kind > LOWER).any():
            return None
        return _joined([self._server.regions(stretch.events.object, stretch.events.y)])

    def subscribe(self, l: float, r: float) -> None:
        """Tell the server, if it wants to know."""
        if self._aware:
            self._server.subscribe(l, r)

    def unsubscribe(self, subscription: int) -> None:
        """Tell the server, if it wants to know."""
        if self._aware:
            self._server.unsubscribe(subscription)

    def _replay(self, stretch: Stretch, start: int, end: int) -> list[paint.Messages]:
        return [self._server.replay(stretch.events.object[start:end], stretch.events.y[start:end])]

    def _each(self, stretch: Stretch, start: int, end: int) -> list[paint.Messages]:
        found = []
        for at in range(start, end):
            before = self._calls()
            table = self._window(stretch.window(at)).table
            found.append(paint.Messages(table, np.array((0, len(table))), self._calls() - before))
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

    def _one(self, i: int, x: float, y: float, kind: int) -> paint.Messages:
        if kind == INSERT:
            given, messages = self._server.insert(x, y)
            if given != i:
                raise ValueError(f"an inserted object must take the next id, {given}, got {i}")
            return messages
        if kind == DELETE:
            return self._server.delete(i)
        return self._server.move(i, x)

    def _calls(self) -> NDArray[np.int64]:
        costs = self._server.costs
        return np.array([[costs["first_k"], costs["min_y"], costs["snap"]]])


def _joined(parts: Sequence[paint.Messages]) -> Outgoing:
    lengths = np.concatenate([np.diff(messages.offsets) for messages in parts])
    costs = np.concatenate([messages.costs[:, :3] for messages in parts if messages.costs is not None])
    table = parts[0].table if len(parts) == 1 else np.concatenate([messages.table for messages in parts])
    return Outgoing(table, np.append(0, np.cumsum(lengths)), costs)


def _served(algorithm: str, *, variant: str | None = None) -> "Callable[[Workload, Approach], Session]":
    return partial(_ServerSession, algorithm=algorithm, variant=variant)


_HUNDRED = Window(events=100)

APPROACHES: dict[str, Approach] = {
    "paint-dense": Approach(_served("dense"), exact=True, takes="epsilon"),
    "paint-sparse": Approach(_served("sparse"), exact=True, takes="epsilon", aware=True),
    "paint-batch": Approach(_served("dense"), exact=True, takes="window", window=_HUNDRED),
    "paint-batch-sparse": Approach(_served("sparse"), exact=True, takes="window", aware=True, window=_HUNDRED),
    "paint-batch-printed": Approach(
        _served("dense", variant="printed"), exact=False, takes="window", updates_only=True, window=_HUNDRED
    ),
    "coalesce": Approach(
        _served("dense", variant="coalesce"), exact=False, takes="window", updates_only=True, window=_HUNDRED
    ),
    "unicast": Approach(_served("unicast"), exact=True, aware=True, unicast=True),
    "cn-relax": Approach(_served("relax"), exact=False, serverless=True),
}
"""Every approach by name; `APPROACHES["mine"] = Approach(...)` adds one."""


def parse_approach(name: str) -> Approach:
    """Look an approach up by the name a scenario gives it.

    Returns
    -------
    Approach
        With the ε or window of the name. With an ε, it is no longer exact.

    Raises
    ------
    ValueError
        Unknown name, something in parentheses for an approach that takes nothing, or a wrong ε or window.
    """
    match = re.fullmatch(r"([a-z0-9-]+)(?:\(([^()]*)\))?", name)
    approach = APPROACHES.get(match[1]) if match else None
    if match is None or approach is None:
        names = ", ".join(APPROACHES)
        raise ValueError(f"the approach must be one of {names}; choose one of them, or bring your own by --with FILE")
    if match[2] is None:
        return approach
    if approach.takes is None:
        raise ValueError(f"{match[1]} takes no ε; remove the parentheses")
    if approach.takes == "window":
        return replace(approach, window=_window(match[1], match[2]))
    try:
        epsilon = float(match[2])
    except ValueError:
        epsilon = np.nan
    if not 0 < epsilon <= 1:
        raise ValueError(f"ε must be a number in (0, 1], as in {match[1]}(0.5); change what stands in parentheses")
    return replace(approach, exact=False, epsilon=epsilon)


def _window(name: str, text: str) -> Window:
    if re.fullmatch(r"[1-9][0-9]*", text):
        return Window(events=int(text))
    try:
        seconds = DURATION.parse(text)
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise ValueError(
            f"a window is a number of events or a time above 0, as in {name}(100) and {name}(50ms); "
            "change what stands in parentheses"
        )
    return Window(seconds=seconds)
