"""The timeline against everything made anew at every moment: lists and knowledge, in place and as they come."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from paint import MESSAGE, UNICAST
from simulator.approaches.registry import parse_approach
from simulator.approaches.session import Outgoing
from simulator.engine.audience import Notified
from simulator.engine.carried import Carried, Traffic, Volume
from simulator.inputs.fault_plan import Churn
from simulator.results.timeline import Timeline
from simulator.workload.events import EventStream
from simulator.workload.windows import Chunk
from simulator.workload.workload import Workload
from tests.oracles.timeline import Event, Message, closing, staleness, story

NONE = np.iinfo(np.int64).max


class Instance(NamedTuple):
    workload: Workload
    events: EventStream
    carried: list[Carried]
    told: list[Event]
    messages: list[Message]


GRID = 6


def some_events(rng: np.random.Generator, workload: Workload, count: int) -> EventStream:
    """Random events at different times; objects move, and go for a while."""
    now = dict(enumerate(workload.x.tolist()))
    columns: list[tuple[int, float, float]] = []
    for _ in range(count):
        i = int(rng.integers(len(now)))
        now[i] = now[i] if rng.random() < 0.7 else float(rng.integers(GRID) / GRID)
        columns.append((i, now[i], float(rng.integers(GRID) / GRID) if rng.random() < 0.85 else np.inf))
    objects, xs, ys = (np.array(column) for column in zip(*columns, strict=True))
    times = np.sort(rng.choice(40, count, replace=False)).astype(float)
    return EventStream(objects.astype(np.int64), xs, ys, np.zeros(count, np.int8), times, np.zeros(count, np.int64))


def instance(seed: int, *, unicast: bool, batches: bool) -> Instance:
    """Random events and random messages about them, right or not, that arrive in any order, some twice."""
    rng = np.random.default_rng(seed)
    n, m, k, count = (int(rng.integers(1, most)) for most in (8, 6, 4, 14))
    x, y = rng.integers(0, GRID, (2, n)) / GRID
    l, r = np.sort(rng.integers(0, GRID, (2, m)) / GRID, axis=0)
    workload = Workload(k, x, y, l.copy(), r.copy())
    events = some_events(rng, workload, count)
    starts = np.append(np.arange(0, count, int(rng.integers(1, 5)) if batches else 1), count)
    told = [
        Event(*(float(events.time_s[e]), int(events.object[e]), float(events.x[e]), float(events.y[e])), number)
        for number, (a, b) in enumerate(pairwise(starts.tolist()))
        for e in range(a, b)
    ]
    messages: list[Message] = []
    per_chunk, windows = int(rng.integers(1, 4)), len(starts) - 1
    carried = [
        chunk_of(rng, workload, events, starts[first : min(first + per_chunk, windows) + 1], first, unicast, messages)
        for first in range(0, windows, per_chunk)
    ]
    return Instance(workload, events, carried, told, messages)


def chunk_of(
    rng: np.random.Generator,
    workload: Workload,
    events: EventStream,
    starts: NDArray[np.int64],
    first: int,
    unicast: bool,
    messages: list[Message],
) -> Carried:
    """A chunk of some windows, the first of them `first`, with its messages, which are added to those before."""
    rows: list[NDArray[np.void]] = []
    notices: list[tuple[int, int, float]] = []
    offsets = [0]
    for window, (start, end) in enumerate(pairwise(starts.tolist()), first):
        for position in range(int(rng.integers(0, 4))):
            e = int(rng.integers(start, end))
            i, x = int(events.object[e]), None if unicast else float(events.x[e])
            y = float(rng.integers(GRID) / GRID) if rng.random() < 0.15 else float(events.y[e])
            dropped = int(rng.integers(-1, len(workload.x))) if unicast else -1
            row = np.zeros((), UNICAST if unicast else MESSAGE)
            for name, value in {"object": i, "y": y, **({"dropped": dropped} if unicast else {"x": x})}.items():
                row[name] = value
            for s in np.flatnonzero(rng.random(len(workload.l)) < 0.7).tolist():
                for _ in range(1 + (rng.random() < 0.2)):
                    at = float(events.time_s[start] + rng.integers(0, 25) + 0.5 * (rng.random() < 0.5))
                    notices.append((len(rows), s, at))
                    messages.append(Message(at, s, 1000 * window + position, i, x, y, dropped))
            rows.append(row)
        offsets.append(len(rows))
    message, subscription, time_s = np.array(notices, np.float64).reshape(-1, 3).T
    each = np.arange(len(time_s))
    notified = Notified(message.astype(np.int64), subscription.astype(np.int64), each)
    part = events.part(int(starts[0]), int(starts[-1]))
    chunk = Chunk(int(starts[0]), part, starts - starts[0], events.time_s[starts[1:] - 1])
    nothing = np.empty(0, np.int64)
    volume, crossed = Volume(nothing, nothing, nothing), np.empty((0, 4), np.int64)
    traffic = Traffic(nothing, nothing, volume, nothing, nothing, nothing, crossed, time_s.copy())
    table = np.array(rows, UNICAST if unicast else MESSAGE)
    outgoing = Outgoing(table, np.array(offsets), np.zeros((len(starts) - 1, 3), np.int64))
    return Carried(chunk, outgoing, np.zeros(len(rows), np.int64), traffic, nothing, notified)


def check(seed: int, name: str, *, in_place: bool) -> None:
    approach = parse_approach(name)
    workload, events, carrieds, told, messages = instance(
        seed, unicast=approach.unicast, batches=approach.window is not None
    )
    m = len(workload.l)
    nobody = np.empty(0, np.int64)
    churn = Churn(nobody, np.empty(0), np.empty(0), nobody, np.full(m, -1), np.full(m, NONE))
    timeline = Timeline(approach, workload, np.arange(m), np.ones(m, np.bool_), events, churn, in_place=in_place)
    times = [carried.notified_s for carried in carrieds]
    parts = [timeline.take(carried, at) for carried, at in zip(carrieds, times, strict=True) if at is not None]
    end = max([float(events.time_s[-1]), *(message.time for message in messages)]) + 100.0
    objects = {i: (float(workload.x[i]), float(workload.y[i])) for i in range(len(workload.x))}
    stories = [
        story(
            objects,
            told,
            [message for message in messages if message.subscription == s],
            (float(workload.l[s]), float(workload.r[s])),
            workload.k,
            in_place=in_place,
            relaxed=approach.serverless,
            until=end,
        )
        for s in range(m)
    ]
    closes = closing(events.time_s.tolist())
    wrong_s = sum(max(min(b, closes) - a, 0.0) for one in stories for a, b in one.wrong)
    assert sum(part.wrong_s.sum() for part in parts) == pytest.approx(wrong_s, abs=1e-9)
    assert sum(part.counted_s.sum() for part in parts) == pytest.approx(m * (closes - events.time_s[0]), abs=1e-9)
    ends = list(zip(workload.l.tolist(), workload.r.tolist(), strict=True))
    means = [
        mean / lists if lists else None
        for part in parts
        for mean, lists in zip(part.stale_s.tolist(), part.lists.tolist(), strict=True)
    ]
    stale = staleness(objects, told, messages, ends, workload.k)
    assert means == [pytest.approx(stale[at], abs=1e-9) if at in stale else None for at in range(len(means))]
    assert timeline.wrong.tolist() == [one.ends_wrong for one in stories]
    assert (timeline.mismatch is not None) == any(one.at_rest for one in stories)


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("name", ["paint-dense", "paint-batch(3)", "unicast", "cn-relax"])
def test_lists_through_time_are_those_made_anew_at_every_moment(name: str, in_place: bool) -> None:
    for seed in range(150):
        check(seed, name, in_place=in_place)
