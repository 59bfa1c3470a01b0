"""Journey: one event of a run followed message by message and hop by hop, as text and as a drawing.

The run's scenario is simulated again until the messages of the event have arrived, which gives what the run gave,
since a scenario decides everything; the records of the run are compared with it.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import pipeline
from simulator.engine.fault_log import FaultRow
from simulator.inputs.ingredients import gather
from simulator.results.errors import RunError
from simulator.results.finished_run import FinishedRun
from simulator.runs.event_journey import EventJourney, follow_event
from simulator.views.journey_figure import draw_journey
from simulator.views.labels import apart, object_name
from simulator.views.output import PICTURES, check_out, write_picture
from simulator.workload.events import KINDS

__all__ = ["journey_lines", "tell_journey"]

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
    depart: float | None
    arrive: float | None
    wait: float | None
    notes: tuple[str, ...] = ()
    """What else there is to say of it."""


def tell_journey(
    directory: Path,
    event: int,
    approach: str | None = None,
    out: Path | None = None,
    *,
    everything: bool = False,
    master: str = "local[*]",
) -> list[str]:
    """Follow one event of a finished run: lines of text, and a drawing in `out` if that is given.

    Parameters
    ----------
    approach : str, optional
        One of the run's; the first by default.
    everything : bool
        Whether to tell all messages and hops, however many there are.

    Raises
    ------
    RunError
        No finished run, no such event or approach in it, or records that are not those of its scenario.
    OutputError
        `out` cannot be written.
    """
    run = FinishedRun(directory)
    if out is not None:
        check_out(out, PICTURES)
    scenario = run.scenario
    name = scenario.approaches[0] if approach is None else approach
    if name not in scenario.approaches:
        raise RunError(f"--approach {name}: the run has {', '.join(scenario.approaches)}; choose one of them")
    records = run.table("events", ["event", "events", "overlay_hops"], name)
    last = int(pc.sum(records["events"]).as_py() or 0) - 1
    if not 0 <= event <= last:
        raise RunError(f"--event {event}: must be between 0 and {last}, the last event of the run")
    followed = follow_event(scenario, gather(scenario, pipeline.spark_source(master)), name, event)
    _compare(directory, records, followed)
    if out is not None:
        write_picture(draw_journey(followed), out)
    return list(journey_lines(followed, everything=everything))


def _compare(directory: Path, records: pa.Table, followed: EventJourney) -> None:
    row = records.filter(pc.field("event") == followed.first)
    recorded = row["overlay_hops"].to_pylist()
    if recorded != [len(followed.hops)]:
        raise RunError(
            f"{directory}: event {followed.first} of {followed.name} takes {len(followed.hops)} hops now, its record "
            f"says {', '.join(map(str, recorded)) or 'nothing'}; run the scenario again with this version"
        )


def journey_lines(followed: EventJourney, *, everything: bool = False) -> Iterator[str]:
    """Tell what happened: the event, then every message as a tree of hops."""
    yield from _heading(followed)
    shown = len(followed.messages) if everything else _MESSAGES
    of_message, deliveries = _by_message(followed)
    size = followed.scenario.sizes.of(followed.approach)
    for number, message in enumerate(followed.messages[:shown]):
        yield ""
        yield f"message {number}: {_content(followed, message)}"
        source = int(followed.carried.sources[message])
        lines = [*_started_anew(followed, message), *_tree(of_message[message], source, deliveries[message], size)]
        kept = len(lines) if everything else _HOPS
        yield from lines[:kept]
        if lines[kept:]:
            yield f"  ... {len(lines) - kept:,} more lines; --all shows them"
    if followed.messages[shown:]:
        yield ""
        yield f"... {len(followed.messages) - shown:,} more messages; --all shows them"


def _heading(followed: EventJourney) -> Iterator[str]:
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
    size, hops = scenario.sizes.of(approach), len(followed.hops)
    received = int(followed.carried.received[followed.deliveries].sum())
    yield (
        f"messages: {len(followed.messages):,} of {size} bytes; hops: {hops:,}, {hops * size:,} bytes; "
        f"deliveries: {len(followed.deliveries):,}; notifications: {received:,}"
    )
    if scenario.engine == "des":
        since = f"event {followed.first}" if number > 1 else "the event"
        yield f"times in ms since {since}; waited: at the sender, for the broker and its uplink"
        yield from _outages(followed)


def _outages(followed: EventJourney) -> Iterator[str]:
    """Brokers that were down or apart from others meanwhile."""
    for told, begins, ends in (("down", "crash", "return"), ("apart from the rest", "partition", "heal")):
        spans = [
            f"broker {span.broker} from {(span.start_s - followed.arose_s) * 1e3:.3f}"
            + ("" if span.end_s == np.inf else f" to {(span.end_s - followed.arose_s) * 1e3:.3f}")
            for span in sorted(followed.spans(begins, ends))
        ]
        if spans:
            yield f"{told}: {', '.join(spans)}"


def _started_anew(followed: EventJourney, message: int) -> Iterator[str]:
    for row in followed.faults:
        if row.what == "anew" and (row.event, row.message) == (followed.first, message - followed.messages.start):
            yield f"  started anew at {(row.time_s - followed.arose_s) * 1e3:.3f} from broker {row.broker}"


def _content(followed: EventJourney, message: int) -> str:
    row = followed.carried.outgoing.table[message]
    if "subscription" in (row.dtype.names or ()):
        return f"to subscription {row['subscription']}"
    cause = ("update", "exposed")[row["cause"]]
    left = "l in ({}, {}]".format(*apart(row["l_out"], row["l_in"]))
    right = "r in [{}, {})".format(*apart(row["r_in"], row["r_out"]))
    return f"{cause}, {object_name(int(row['object']), followed.names)} with y = {row['y']:.4g}, {left}, {right}"


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
    sender, receiver = int(sent.sender[row]), int(sent.receiver[row])
    if sent.depart_s is None or sent.arrive_s is None or sent.wait_s is None:
        return _Hop(sender, receiver, None, None, None)
    arrive = None if np.isnan(sent.arrive_s[row]) else (sent.arrive_s[row] - arose_s) * 1e3
    loss = (
        losses.get((int(sent.message[row]), sender, receiver, float(sent.depart_s[row]))) if arrive is None else None
    )
    notes = [] if loss is None else [_LOST[loss.why or "link"]]
    notes += ["sent again"] if sent.again[row] else []
    depart = (sent.depart_s[row] - arose_s) * 1e3
    return _Hop(sender, receiver, depart, arrive, sent.wait_s[row] * 1e3, tuple(notes))


def _tree(hops: list[_Hop], source: int, deliveries: dict[int, str], size: int) -> Iterator[str]:
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
            yield "  " * depth + _line(hop, size, deliveries.get(hop.receiver) if new else None)
            if new:
                told.add(hop.receiver)
                waiting.extend((following, depth + 1) for following in reversed(sends.pop(hop.receiver, ())))


def _line(hop: _Hop, size: int, delivers: str | None) -> str:
    parts = [f"{hop.sender} -> {hop.receiver}  {size} bytes"]
    if hop.depart is not None:
        arrives = "never arrives" if hop.arrive is None else f"arrives {hop.arrive:.3f}"
        parts += [f"departs {hop.depart:.3f}", arrives, f"waited {hop.wait:.3f}"]
    return "  ".join([*parts, *hop.notes, *([delivers] if delivers else [])])
