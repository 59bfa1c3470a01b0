"""A journey as text: one event of a run followed message by message and hop by hop."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pipeline import Form
from simulator.engine.fault_log import FaultRow
from simulator.runs.event_journey import EventJourney
from simulator.views.labels import apart, object_name
from simulator.workload.events import KINDS

__all__ = ["heading_lines", "journey_lines"]

_MESSAGES, _HOPS = 10, 40
"""Messages, and hops of each, that are told unless all are wanted."""
_LOST = {
    "link": "lost on the way",
    "partition": "lost in a partition",
    "crash": "lost to a crash",
    "anew": "in vain: the message was started anew",
}
"""What is said of a loss, by why it was one."""


class _Hop(NamedTuple):
    """One transmission, in milliseconds since the event; None where there is no clock or it never arrived."""

    sender: int
    receiver: int
    size: int
    """Bytes, in a packet those that the message adds to it."""
    depart: float | None
    arrive: float | None
    wait: float | None
    notes: tuple[str, ...] = ()
    """What else there is to say of it."""


def journey_lines(followed: EventJourney, *, everything: bool = False) -> Iterator[str]:
    """Tell what happened: the event, then every message as a tree of hops."""
    yield from heading_lines(followed)
    shown = len(followed.messages) if everything else _MESSAGES
    of_message, deliveries = _by_message(followed)
    for number, message in enumerate(followed.messages[:shown]):
        yield ""
        yield f"message {number}: {_content(followed, message)}"
        source = int(followed.carried.sources[message])
        lines = [*_started_anew(followed, message), *_tree(of_message[message], source, deliveries[message])]
        kept = len(lines) if everything else _HOPS
        yield from lines[:kept]
        if lines[kept:]:
            yield f"  ... {len(lines) - kept:,} more lines; --all shows them"
    if followed.messages[shown:]:
        yield ""
        yield f"... {len(followed.messages) - shown:,} more messages; --all shows them"


def heading_lines(followed: EventJourney) -> Iterator[str]:
    """Tell what there was: the event, how much was sent for it, and what was wrong meanwhile."""
    scenario, events = followed.scenario, followed.carried.chunk.window(followed.window)
    number, approach = len(events.object), followed.approach
    here = followed.event - followed.first
    yield f"event {followed.event} of {scenario.name}, {followed.name}, {scenario.engine}"
    kind, time_s = KINDS[events.kind[here]], events.time_s[here]
    name = object_name(int(events.object[here]), followed.names)
    yield f"{kind} of {name}, arose at broker {events.origin[here]} at {time_s:.6f} s"
    if number > 1:
        yield f"answered with events {followed.first} to {followed.first + number - 1} in one window"
    if not approach.serverless:
        yield f"told to the server at broker {followed.server} in {scenario.sizes.event_bytes} bytes"
    asked = followed.carried.outgoing.asked
    if asked is not None:
        mine, size = asked.window == followed.window, scenario.sizes.control_bytes
        quiet = np.count_nonzero(mine & (np.diff(asked.starts) == 0))
        yield f"asked before the next event: {mine.sum():,} questions of {size} bytes, {quiet:,} without news to tell"
    received, hops = int(followed.carried.received[followed.deliveries].sum()), len(followed.hops)
    together = ", in packets" if scenario.network.bundle else f" of {scenario.sizes.of(approach)} bytes"
    yield (
        f"messages: {len(followed.messages):,}{together}; hops: {hops:,}, {followed.hop_bytes:,} bytes; "
        f"deliveries: {len(followed.deliveries):,}; notifications: {received:,}"
    )
    if scenario.engine == "des":
        since = f"event {followed.first}" if number > 1 else "the event"
        yield f"times in ms since {since}; waited: at the sender, for the broker and its uplink"
        yield from _outages(followed)


def _outages(followed: EventJourney) -> Iterator[str]:
    """Brokers that were down or apart from others meanwhile."""
    for told, spans in (
        ("down: broker", followed.spans("crash", "return")),
        ("apart from the rest: broker", followed.spans("partition", "heal")),
        ("server down: at broker", followed.server_spans()),
    ):
        what, _, who = told.partition(": ")
        times = [
            f"{who} {span.broker} from {(span.start_s - followed.arose_s) * 1e3:.3f}"
            + ("" if span.end_s == np.inf else f" to {(span.end_s - followed.arose_s) * 1e3:.3f}")
            for span in sorted(spans)
        ]
        if times:
            yield f"{what}: {', '.join(times)}"


def _started_anew(followed: EventJourney, message: int) -> Iterator[str]:
    for row in followed.faults:
        if row.what == "anew" and (row.event, row.message) == (followed.first, message - followed.messages.start):
            yield f"  started anew at {(row.time_s - followed.arose_s) * 1e3:.3f} from broker {row.broker}"


def _content(followed: EventJourney, message: int) -> str:
    row = followed.carried.outgoing.table[message]
    if "subscription" in (row.dtype.names or ()):
        return f"to subscription {row['subscription']}"
    cause = ("update", "exposed")[row["cause"]]
    told = f"{cause}, {object_name(int(row['object']), followed.names)} with y = {row['y']:.4g}"
    return ", ".join((told, *_sides(row, followed.scenario.form)))


def _sides(row: np.void, form: Form) -> Iterator[str]:
    """Which subscriptions a message is for: between which ends, in every side of S."""
    left, right = ((row["l_out"], row["l_in"]), (row["r_in"], row["r_out"]))
    for name, attribute, sign in zip(form.side_names, *form.sides[:2], strict=True):
        ends = [float(np.atleast_1d(end)[attribute]) for end in (left if sign < 0 else right)]
        low, high = apart(*ends)
        yield f"{name} in ({low}, {high}]" if sign < 0 else f"{name} in [{low}, {high})"


def _by_message(followed: EventJourney) -> tuple[dict[int, list[_Hop]], dict[int, dict[int, str]]]:
    """Transmissions, and what gateways do, of each message of the window."""
    hops: dict[int, list[_Hop]] = defaultdict(list)
    losses = followed.losses
    for row in followed.hops.tolist():
        hops[int(followed.sent.message[row])].append(_hop(followed, row, losses))
    deliveries: dict[int, dict[int, str]] = defaultdict(dict)
    traffic, received = followed.carried.traffic, followed.carried.received
    for row in followed.deliveries.tolist():
        gateways, broker = deliveries[int(traffic.message[row])], int(traffic.broker[row])
        told = f"delivers to {received[row]:,} subscription{'' if received[row] == 1 else 's'}"
        if traffic.time_s is not None:
            told += f" at {(traffic.time_s[row] - followed.arose_s) * 1e3:.3f}"
        gateways[broker] = f"{gateways[broker]}, {told}" if broker in gateways else told
    return hops, deliveries


def _hop(followed: EventJourney, row: int, losses: dict[tuple[int, int, int, float], FaultRow]) -> _Hop:
    sent, arose_s = followed.sent, followed.arose_s
    sender, receiver, size = int(sent.sender[row]), int(sent.receiver[row]), int(sent.size[row])
    if sent.depart_s is None or sent.arrive_s is None or sent.wait_s is None:
        return _Hop(sender, receiver, size, None, None, None)
    arrive = None if np.isnan(sent.arrive_s[row]) else (sent.arrive_s[row] - arose_s) * 1e3
    loss = (
        losses.get((int(sent.message[row]), sender, receiver, float(sent.depart_s[row]))) if arrive is None else None
    )
    notes = [] if loss is None else [_LOST[loss.why or "link"]]
    notes += ["sent again"] if sent.again[row] else []
    depart = (sent.depart_s[row] - arose_s) * 1e3
    return _Hop(sender, receiver, size, depart, arrive, sent.wait_s[row] * 1e3, tuple(notes))


def _tree(hops: list[_Hop], source: int, deliveries: dict[int, str]) -> Iterator[str]:
    """Lines of a message: what each broker sends below the hop by which it got the message first."""
    sends: dict[int, list[_Hop]] = defaultdict(list)
    for hop in hops:
        sends[hop.sender].append(hop)
    yield f"  from broker {source}" + (f": {deliveries[source]}" if source in deliveries else "")
    told = {source}
    # Where brokers crash, others may stand in for the source: what they send comes last.
    for root in (source, *sends):
        waiting = [(hop, 2) for hop in reversed(sends.pop(root, ()))]
        while waiting:
            hop, depth = waiting.pop()
            new = hop.receiver not in told and (hop.depart is None or hop.arrive is not None)
            yield "  " * depth + _line(hop, deliveries.get(hop.receiver) if new else None)
            if new:
                told.add(hop.receiver)
                waiting.extend((following, depth + 1) for following in reversed(sends.pop(hop.receiver, ())))


def _line(hop: _Hop, delivers: str | None) -> str:
    parts = [f"{hop.sender} -> {hop.receiver}  {hop.size} bytes"]
    if hop.depart is not None:
        arrives = "never arrives" if hop.arrive is None else f"arrives {hop.arrive:.3f}"
        parts += [f"departs {hop.depart:.3f}", arrives, f"waited {hop.wait:.3f}"]
    return "  ".join([*parts, *hop.notes, *([delivers] if delivers else [])])
