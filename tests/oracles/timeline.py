"""What lists are at every moment, the slow way: after everything that happens, all is made anew from the start."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from tests.oracles.inside import Place, inside
from tests.oracles.topk import hear, listed, top_k

INF = float("inf")


class Message(NamedTuple):
    """A message at a subscription: `key` orders it among all; without a place x it is one of Unicast."""

    time: float
    subscription: int
    key: int
    object: int
    x: Place | None
    y: float
    dropped: int = -1


class Event(NamedTuple):
    """An event: where an object is from then on; those of one window are answered at once."""

    time: float
    object: int
    x: Place
    y: float
    window: int


Objects = Mapping[int, tuple[Place, float]]
Ranked = list[tuple[float, int]]


def top(objects: Objects, l: Place, r: Place, k: int) -> Ranked:
    """The right list."""
    return listed(top_k(objects, (l, r), k))


def held_after(start: Objects, messages: Sequence[Message], l: Place, r: Place, k: int, *, relaxed: bool) -> Ranked:
    """What one holds that keeps only its list; or that keeps every object in its range, when `relaxed`."""
    most = len(start) + len(messages) if relaxed else k
    entries = top_k(start, (l, r), most)
    for message in messages:
        entries.pop(message.dropped, None)
        if message.object >= 0:
            within = message.x is None or inside(message.x, l, r)
            hear(entries, message.object, message.x, message.y, most, inside=within)
    return listed(entries)[:k]


class Story(NamedTuple):
    """What happens to one subscription."""

    wrong: list[tuple[float, float]]
    """Spans of time in which its list is not the right one."""
    at_rest: list[float]
    """Times at which it was wrong although nothing was under way to it."""
    ends_wrong: bool


def story(
    objects: Objects,
    events: Sequence[Event],
    messages: Sequence[Message],
    s: tuple[float, float],
    k: int,
    *,
    in_place: bool,
    relaxed: bool,
    until: float,
) -> Story:
    """Follow one subscription [l, r], whose messages these are; each of window w answers `key // 1000 == w`."""
    l, r = s
    moments = sorted({*(event.time for event in events), *(message.time for message in messages)})
    spans, at_rest, wrong = [], [], False
    for at, moment in enumerate(moments):
        here = dict(objects)
        for event in events:
            if event.time <= moment:
                here[event.object] = (event.x, event.y)
        right = top(here, l, r, k)
        come = [message for message in messages if message.time <= moment]
        if in_place:
            come = list({message.key: message for message in sorted(come, key=lambda m: -m.time)}.values())
            come.sort(key=lambda message: message.key)
        else:
            come.sort(key=lambda message: (message.time, message.key))
        wrong = held_after(objects, come, l, r, k, relaxed=relaxed) != right
        end = moments[at + 1] if at + 1 < len(moments) else until
        if wrong:
            spans.append((moment, end))
        begun = {event.window for event in events if event.time <= moment}
        complete = all(event.time <= moment for event in events if event.window in begun)
        waits = any(message.key // 1000 in begun and message.time > moment for message in messages)
        if wrong and complete and not waits:
            at_rest.append(moment)
    return Story(spans, at_rest, wrong)


def closing(times: Sequence[float]) -> float:
    """When one more event would arise, if it took as long as it did between those before on average."""
    different = sorted(set(times))
    pauses = [after - before for before, after in pairwise(different)]
    return different[-1] + (sum(pauses) / len(pauses) if pauses else 0.0)


def staleness(
    objects: Objects,
    events: Sequence[Event],
    messages: Sequence[Message],
    subscriptions: Sequence[tuple[float, float]],
    k: int,
) -> dict[int, float]:
    """By window, how long the lists that it changed took to take it in, on average, of those that it told."""
    here, means = dict(objects), {}
    for window in sorted({event.window for event in events}):
        mine = [event for event in events if event.window == window]
        before = dict(here)
        for event in mine:
            here[event.object] = (event.x, event.y)
        waits = []
        for s, (l, r) in enumerate(subscriptions):
            old, new = top(before, l, r, k), top(here, l, r, k)
            moved = any(before[i][0] != here[i][0] for _, i in new)
            told = [one.time for one in messages if one.subscription == s and one.key // 1000 == window]
            if (old != new or moved) and told:
                waits.append(max(told) - mine[0].time)
        if waits:
            means[window] = sum(waits) / len(waits)
    return means
