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
from simulator.engine.carried import Carried, Traffic
from simulator.inputs.fault_plan import Churn
from simulator.results.timeline import Timeline
from simulator.workload.events import EventStream
from simulator.workload.windows import Chunk
from simulator.workload.workload import Workload
from tests.oracles.timeline import Event, Message, story

NONE = np.iinfo(np.int64).max


class Instance(NamedTuple):
    workload: Workload
    events: EventStream
    carried: list[Carried]
    told: list[Event]
    messages: list[Message]


def instance(seed: int, *, unicast: bool, batches: bool) -> Instance:
    """Random events and random messages about them, right or not, that arrive in any order, some twice."""
    rng = np.random.default_rng(seed)
    n, m, k, count = (int(rng.integers(1, most)) for most in (8, 6, 4, 14))
    grid = 6
    x, y = rng.integers(0, grid, (2, n)) / grid
    l, r = np.sort(rng.integers(0, grid, (2, m)) / grid, axis=0)
    workload = Workload(k, x, y, l.copy(), r.copy())
    now = {i: (float(x[i]), float(y[i])) for i in range(n)}
    times = np.sort(rng.choice(40, count, replace=False)).astype(float)
    columns: list[tuple[int, float, float]] = []
    for _ in range(count):
        i = int(rng.integers(n))
        new_x = now[i][0] if rng.random() < 0.7 else float(rng.integers(grid) / grid)
        new_y = float(rng.integers(grid) / grid) if rng.random() < 0.85 else np.inf
        now[i] = (new_x, new_y)
        columns.append((i, new_x, new_y))
    objects, xs, ys = (np.array(column) for column in zip(*columns, strict=True))
    events = EventStream(objects.astype(np.int64), xs, ys, np.zeros(count, np.int8), times, np.zeros(count, np.int64))
    size = int(rng.integers(1, 5)) if batches else 1
    starts = np.append(np.arange(0, count, size), count)
    told: list[Event] = []
    messages: list[Message] = []
    carrieds: list[Carried] = []
    for number, (a, b) in enumerate(pairwise(starts.tolist())):
        told += [Event(float(times[e]), *columns[e], number) for e in range(a, b)]
    per_chunk = int(rng.integers(1, 4))
    windows = len(starts) - 1
    for first in range(0, windows, per_chunk):
        last = min(first + per_chunk, windows)
        rows: list[NDArray[np.void]] = []
        notices: list[tuple[int, int, float]] = []
        offsets = [0]
        for window in range(first, last):
            for position in range(int(rng.integers(0, 4))):
                e = int(rng.integers(starts[window], starts[window + 1]))
                i, new_x, new_y = columns[e]
                if rng.random() < 0.15:
                    new_y = float(rng.integers(grid) / grid)
                row = np.zeros((), UNICAST if unicast else MESSAGE)
                row["object"], row["y"] = i, new_y
                dropped = int(rng.integers(-1, n)) if unicast else -1
                if unicast:
                    row["dropped"] = dropped
                else:
                    row["x"] = new_x
                for s in np.flatnonzero(rng.random(m) < 0.7).tolist():
                    for _ in range(1 + (rng.random() < 0.2)):
                        at = float(times[starts[window]] + rng.integers(0, 25) + 0.5 * (rng.random() < 0.5))
                        notices.append((len(rows), s, at))
                        messages.append(
                            Message(at, s, 1000 * window + position, i, None if unicast else new_x, new_y, dropped)
                        )
                rows.append(row)
            offsets.append(len(rows))
        table = np.array(rows, UNICAST if unicast else MESSAGE)
        chunk = Chunk(
            int(starts[first]),
            events.part(int(starts[first]), int(starts[last])),
            starts[first : last + 1] - starts[first],
            times[starts[first + 1 : last + 1] - 1],
        )
        columns_of = np.array(notices, np.float64).reshape(-1, 3).T
        notified = Notified(columns_of[0].astype(np.int64), columns_of[1].astype(np.int64), columns_of[2].copy())
        empty = np.empty(0, np.int64)
        traffic = Traffic(empty, empty, empty, empty, empty, np.empty((0, 3), np.int64))
        outgoing = Outgoing(table, np.array(offsets), np.zeros((last - first, 3), np.int64))
        carrieds.append(Carried(chunk, outgoing, np.zeros(len(rows), np.int64), traffic, empty, notified))
    return Instance(workload, events, carrieds, told, messages)


def check(seed: int, name: str, *, in_place: bool) -> None:
    approach = parse_approach(name)
    workload, events, carrieds, told, messages = instance(
        seed, unicast=approach.unicast, batches=approach.window is not None
    )
    m = len(workload.l)
    nobody = np.empty(0, np.int64)
    churn = Churn(nobody, np.empty(0), np.empty(0), nobody, np.full(m, -1), np.full(m, NONE))
    timeline = Timeline(approach, workload, np.arange(m), np.ones(m, np.bool_), events, churn, in_place=in_place)
    times = [carried.notified.time_s for carried in carrieds]
    parts = [timeline.take(carried, at) for carried, at in zip(carrieds, times, strict=True) if at is not None]
    end = max([float(events.time_s[-1]), *(message.time for message in messages)])
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
    wrong_s = sum(b - a for one in stories for a, b in one.wrong)
    assert sum(part.wrong_s.sum() for part in parts) == pytest.approx(wrong_s, abs=1e-9)
    assert sum(part.counted_s.sum() for part in parts) == pytest.approx(m * (end - events.time_s[0]), abs=1e-9)
    assert timeline.wrong.tolist() == [one.ends_wrong for one in stories]
    assert (timeline.mismatch is not None) == any(one.at_rest for one in stories)


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("name", ["paint-dense", "paint-batch(3)", "unicast", "cn-relax"])
def test_lists_through_time_are_those_made_anew_at_every_moment(name: str, in_place: bool) -> None:
    for seed in range(150):
        check(seed, name, in_place=in_place)
