"""Approaches: how events become messages, and who sends them. All of them are registered here, in one table.

A scenario names an approach as `paint-dense`, with its ε as `paint-dense(0.5)`, with its window as `paint-batch(100)`
for 100 events and `paint-batch(50ms)` for 50 milliseconds, or with its interval as `poll(1s)`. After an ε may stand
`tiles` or `strips`, which cut otherwise, as in `paint-dense(0.25, tiles)`; after a window an ε, as in
`paint-batch(100, 0.5)`; and with Paint-Sparse the size of a sketch, as in `paint-sparse(sketch=1000)`.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from paint.arguments import CUTS
from simulator.approaches.approach import Approach
from simulator.approaches.polling import Polling
from simulator.approaches.server_session import ServerSession
from simulator.approaches.session import Session
from simulator.workload.units import DURATION
from simulator.workload.windows import Window
from simulator.workload.workload import Workload

__all__ = ["APPROACHES", "SHIPPED", "parse_approach"]


def _served(algorithm: str, *, variant: str | None = None) -> "Callable[[Workload, Approach], Session]":
    return partial(ServerSession, algorithm=algorithm, variant=variant)


_HUNDRED = Window(events=100)

APPROACHES: dict[str, Approach] = {
    "paint-dense": Approach(_served("dense"), exact=True, takes="epsilon", boxes_only=True),
    "paint-sparse": Approach(_served("sparse"), exact=True, takes="epsilon", aware=True),
    "paint-batch": Approach(_served("dense"), exact=True, takes="window", boxes_only=True, window=_HUNDRED),
    "paint-batch-sparse": Approach(_served("sparse"), exact=True, takes="window", aware=True, window=_HUNDRED),
    "paint-batch-printed": Approach(
        _served("dense", variant="printed"),
        exact=False,
        takes="window",
        updates_only=True,
        line_only=True,
        window=_HUNDRED,
    ),
    "coalesce": Approach(
        _served("dense", variant="coalesce"),
        exact=False,
        takes="window",
        updates_only=True,
        boxes_only=True,
        window=_HUNDRED,
    ),
    "unicast": Approach(_served("unicast"), exact=True, aware=True, unicast=True),
    "cn-relax": Approach(_served("relax"), exact=False, serverless=True),
    "flood": Approach(_served("relax"), exact=False, serverless=True, way="everywhere"),
    "rendezvous": Approach(_served("relax"), exact=False, serverless=True, way="rendezvous"),
    "poll": Approach(Polling, exact=False, takes="interval", aware=True, unicast=True, asked=True, interval_s=1.0),
}
"""Every approach by name; `APPROACHES["mine"] = Approach(...)` adds one."""

SHIPPED = frozenset(APPROACHES)
"""Names of those that come with Rangecast."""


def parse_approach(name: str) -> Approach:
    """Look an approach up by the name a scenario gives it.

    Returns
    -------
    Approach
        With the ε, window or interval of the name. With an ε, it is no longer exact.

    Raises
    ------
    ValueError
        Unknown name, something in parentheses for an approach that takes nothing, or a wrong ε, window or interval.
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
    if approach.takes == "interval":
        return replace(approach, interval_s=_interval(match[1], match[2]))
    return _parted(match[1], approach, [part.strip() for part in match[2].split(",")])


def _parted(name: str, approach: Approach, parts: list[str]) -> Approach:
    """An approach with what stands in parentheses after its name: a window, an ε and its cut, a sketch."""
    for part in [part for part in parts if part.startswith("sketch=")]:
        approach = _sketched(name, approach, part)
        parts.remove(part)
    if approach.takes == "window" and (parts or approach.sketch is None):
        approach = replace(approach, window=_window(name, parts.pop(0) if parts else ""))
    elif parts or approach.sketch is None:
        approach = replace(approach, exact=False, epsilon=_epsilon(f"{name}(", parts.pop(0) if parts else ""))
    if approach.takes == "window" and parts:
        approach = replace(approach, exact=False, epsilon=_epsilon(f"{name}(100, ", parts.pop(0)))
    if parts and parts[0] in CUTS and not (parts[0] == "strips" and approach.takes == "window"):
        approach = replace(approach, cut=parts.pop(0))
    if parts:
        raise ValueError(f"{name} cannot take {parts[0]!r}; remove it from the parentheses")
    return approach


def _sketched(name: str, approach: Approach, part: str) -> Approach:
    if approach.takes != "epsilon" or not approach.aware:
        raise ValueError(f"{name} takes no sketch; remove it, or choose paint-sparse")
    size = part.removeprefix("sketch=")
    if not re.fullmatch(r"[1-9][0-9]{0,8}", size):
        raise ValueError(
            f"a sketch is a number of rectangles from 1 to 999999999, as in {name}(sketch=1000); "
            "change what stands in parentheses"
        )
    return replace(approach, sketch=int(size))


def _epsilon(before: str, text: str) -> float:
    try:
        epsilon = float(text)
    except ValueError:
        epsilon = np.nan
    if not 0 < epsilon <= 1:
        raise ValueError(f"ε must be a number in (0, 1], as in {before}0.5); change what stands in parentheses")
    return epsilon


def _interval(name: str, text: str) -> float:
    seconds = _seconds(text)
    if seconds <= 0:
        raise ValueError(
            f"an interval is a time above 0 and at most 1000h, as in {name}(500ms); change what stands in parentheses"
        )
    return seconds


def _seconds(text: str) -> float:
    """A time as seconds; 0 if it is none."""
    try:
        return DURATION.parse(text)
    except ValueError:
        return 0.0


def _window(name: str, text: str) -> Window:
    if re.fullmatch(r"[1-9][0-9]{0,11}", text):
        return Window(events=int(text))
    seconds = _seconds(text)
    if seconds <= 0:
        raise ValueError(
            f"a window is a number of events (of at most 12 digits) or a time above 0, as in {name}(100) and "
            f"{name}(50ms); change what stands in parentheses"
        )
    return Window(seconds=seconds)
