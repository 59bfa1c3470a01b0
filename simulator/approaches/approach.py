"""An approach: a way of notifying subscriptions, and what the rest of the simulator must know of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from simulator.approaches.session import Session
from simulator.workload.windows import Window
from simulator.workload.workload import Workload

__all__ = ["Approach"]


@dataclass(frozen=True)
class Approach:
    """A way of notifying subscriptions, as registered under its name."""

    open: "Callable[[Workload, Approach], Session]"
    """Starts a session; the class of the session will do."""
    exact: bool
    """Whether only affected subscriptions are notified."""
    takes: Literal["epsilon", "window", "interval"] | None = None
    """What may stand in parentheses after the name."""
    serverless: bool = False
    """Whether events enter the network where they arise instead of at the server."""
    aware: bool = False
    """Whether its server knows the subscriptions."""
    unicast: bool = False
    """Whether rows name single subscriptions, sent straight to their gateways."""
    way: Literal["region", "everywhere", "rendezvous"] = "region"
    """How rows of `paint.MESSAGE` travel: the network's own way to the gateways that their region may concern, that
    to all gateways, or first to the broker where the object is at home and from there straight to each gateway with
    somebody to tell. Whom a gateway tells is the same."""
    asked: bool = False
    """Whether nobody is told unless it asks: every answer has `Outgoing.asked`, about events one by one."""
    updates_only: bool = False
    """Whether it has no answer to objects that are inserted or move."""
    line_only: bool = False
    """Whether it is for ranges over one attribute only."""
    boxes_only: bool = False
    """Whether it is for ranges, and not for halfspaces and disks."""
    epsilon: float | None = None
    cut: str | None = None
    """With an ε, how tiles are grouped, see `paint.Server`."""
    sketch: int | None = None
    """How many rectangles stand in for the subscriptions, where the server knows them."""
    window: Window | None = None
    """The window that the server answers at once; every event by itself without one."""
    interval_s: float | None = None
    """Time from one question of a subscription to its next."""
