"""Approaches: how an event becomes messages, and who sends them. All of them are registered here, in one table.

A scenario names an approach as `paint-dense`, or with its ε as `paint-dense(0.5)`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import paint

from .events import EventStream

__all__ = ["APPROACHES", "Approach", "Outgoing", "Workload", "parse_approach"]


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
    """What an approach sends for a stream of events."""

    table: NDArray[np.void]
    """Rows of `paint.MESSAGE`, or of `paint.UNICAST` for an approach that writes to single subscriptions."""
    offsets: NDArray[np.int64]
    """Where each event's rows start; one more entry than there are events."""
    costs: NDArray[np.int64]
    """Calls of the server per event, shape (events, 3): first_k, min_y, snap."""


Answer = Callable[[Workload, EventStream, float | None], Outgoing]


@dataclass(frozen=True)
class Approach:
    """A way of notifying subscriptions, as registered under its name."""

    answer: Answer
    """Turns a stream of events into messages."""
    exact: bool
    """Whether only affected subscriptions are notified."""
    takes_epsilon: bool = False
    serverless: bool = False
    """Whether events enter the network where they arise instead of at the server."""
    unicast: bool = False
    """Whether rows name single subscriptions, sent straight to their gateways."""


def _served(algorithm: str, *, aware: bool = False) -> Answer:
    """Answer of a `paint.Server`, which knows the subscriptions if it is aware of them."""

    def answer(workload: Workload, events: EventStream, epsilon: float | None) -> Outgoing:
        known = np.column_stack((workload.l, workload.r)) if aware else None
        server = paint.Server(
            workload.x, workload.y, k=workload.k, algorithm=algorithm, epsilon=epsilon, subscriptions=known
        )
        messages = server.replay(events.object, events.y)
        assert messages.costs is not None  # a replayed stream has them
        return Outgoing(messages.table, messages.offsets, messages.costs[:, :3])

    return answer


APPROACHES: dict[str, Approach] = {
    "paint-dense": Approach(_served("dense"), exact=True, takes_epsilon=True),
    "paint-sparse": Approach(_served("sparse", aware=True), exact=True, takes_epsilon=True),
    "unicast": Approach(_served("unicast", aware=True), exact=True, unicast=True),
    "cn-relax": Approach(_served("relax"), exact=False, serverless=True),
}
"""Every approach by name; `APPROACHES["mine"] = Approach(...)` adds one."""


def parse_approach(name: str) -> tuple[Approach, float | None]:
    """Look an approach up by the name a scenario gives it.

    Returns
    -------
    approach, epsilon
        Epsilon is None where the name gives none. With one, the approach is no longer exact.

    Raises
    ------
    ValueError
        Unknown name, an ε for an approach that takes none, or an ε outside (0, 1].
    """
    match = re.fullmatch(r"([a-z0-9-]+)(?:\(([^()]*)\))?", name)
    approach = APPROACHES.get(match[1]) if match else None
    if match is None or approach is None:
        raise ValueError(f"the approach must be one of {', '.join(APPROACHES)}; choose one of them")
    if match[2] is None:
        return approach, None
    if not approach.takes_epsilon:
        raise ValueError(f"{match[1]} takes no ε; remove the parentheses")
    try:
        epsilon = float(match[2])
    except ValueError:
        epsilon = np.nan
    if not 0 < epsilon <= 1:
        raise ValueError(f"ε must be a number in (0, 1], as in {match[1]}(0.5); change what stands in parentheses")
    return Approach(approach.answer, exact=False, takes_epsilon=True), epsilon
