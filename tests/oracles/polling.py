"""Polling, the slow way: every list made anew at every question, and compared with what the subscription held."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tests.oracles.inside import Place
from tests.oracles.timeline import Objects
from tests.oracles.topk import top_k

Held = dict[int, tuple[Place, float]]
"""x and y of the objects of a list."""


class Answer(NamedTuple):
    """What a question comes to."""

    subscription: int
    time: float
    event: int
    """The last that had arisen."""
    new: Held
    """Objects that came, or have another x or y."""
    gone: set[int]
    length: int
    """Of the list."""
    since: float | None
    """When the first event arose that changed the list since the last question."""

    @property
    def rows(self) -> int:
        """One object dropped and one put in, or the same one put right, take one."""
        return max(len(self.new), len(self.gone) + self.kept)

    @property
    def kept(self) -> int:
        """Objects that stay, with another x or y."""
        return len(self.new) - self.came

    came: int = 0
    """Objects that were not there."""


def turns(phase: float, interval: float, first: float, last: float) -> list[float]:
    """Times at which one asks: from the first event on, until it has asked after the last one."""
    times, turn = list[float](), 0
    while not times or times[-1] < last:
        if phase + turn * interval >= first:
            times.append(phase + turn * interval)
        turn += 1
    return times


def answers(
    objects: Objects,
    events: Sequence[tuple[float, int, float, float]],
    subscriptions: Mapping[int, tuple[float, float]],
    k: int,
    phases: Mapping[int, float],
    interval: float,
) -> list[Answer]:
    """All questions and answers, in the order of time; events are time, object, x and y."""
    found = []
    for s, ends in subscriptions.items():
        held = top_k(objects, ends, k)
        before = float("-inf")
        for time in turns(phases[s], interval, events[0][0], events[-1][0]):
            here, since, was = dict(objects), None, top_k(objects, ends, k)
            for at, i, x, y in events:
                if at > time:
                    break
                here[i] = (x, y)
                now = top_k(here, ends, k)
                if at > before and now != was and since is None:
                    since = at
                was = now
            new = {i: place for i, place in was.items() if held.get(i) != place}
            came, gone = sum(i not in held for i in new), set(held) - set(was)
            event = sum(at <= time for at, *_ in events) - 1
            found.append(Answer(s, time, event, new, gone, len(was), since, came))
            held, before = was, time
    return sorted(found, key=lambda one: (one.time, one.subscription))
