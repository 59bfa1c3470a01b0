"""Verification: what every list comes to, event by event, against brute force; every notification against need.

Messages are taken in as if nothing took time: those of a window right after its last event, in their order, each
once. Everybody acts on its own messages alone, by what they carry (`receiving`), and what is right is found by brute
force (`truth`). The time of the `timeline` is the number of the event. What becomes of lists by the clock is another
matter (`lists`). Where subscriptions ask, a list is compared as soon as its subscription has asked and been answered,
and not from an event that changes it until then.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.approaches.approach import Approach
from simulator.approaches.registry import parse_approach
from simulator.engine.audience import Notified
from simulator.engine.carried import Carried
from simulator.inputs.fault_plan import Churn, plan_faults
from simulator.inputs.ingredients import Ingredients
from simulator.inputs.watched import Watched, watched_of
from simulator.results.lists import Lists
from simulator.results.timeline import Timeline
from simulator.scenario.scenario import Scenario
from simulator.workload.events import EventStream
from simulator.workload.workload import Workload

__all__ = ["Mismatch", "Verifier", "first_mismatch", "verifier_of"]

Ints = NDArray[np.int64]


class Mismatch(NamedTuple):
    """A list or a notification that is wrong."""

    event: int
    subscription: int
    what: str

    def __str__(self) -> str:
        return f"event {self.event}: subscription {self.subscription} {self.what}"


class Verifier:
    """Follows the lists of some subscriptions from event to event, under one approach.

    Parameters
    ----------
    workload : Workload
        With all subscriptions.
    watched : Watched
        Says whom to verify.
    events : EventStream
        The whole stream, whose insertions tell how many objects there will be.
    churn : Churn
        Who comes and goes.

    Attributes
    ----------
    mismatch : Mismatch or None
        The first thing that was wrong; nothing is verified after it.
    verified : int64 array
        Ids of those that are verified.
    """

    def __init__(
        self, approach: Approach, workload: Workload, watched: Watched, events: EventStream, churn: Churn
    ) -> None:
        self.mismatch: Mismatch | None = None
        self.verified = watched.ids[watched.verified]
        self._place = np.cumsum(watched.verified) - 1
        self._chosen, self._exact = watched.verified, approach.exact
        self._joined, self._left = churn.joined[self.verified], churn.left[self.verified]
        numbered = events._replace(time_s=np.arange(len(events.object), dtype=np.float64))
        nobody = np.zeros(len(self.verified), np.bool_)  # numbers of events are no times to count
        self._timeline = Timeline(approach, workload, self.verified, nobody, numbered, churn, in_place=True)

    def take(self, carried: Carried) -> None:
        """Verify the windows of a chunk."""
        if self.mismatch is not None:
            return
        chunk, notified = carried.chunk, self._once(carried)
        numbers = chunk.first + np.arange(len(chunk.events.object), dtype=np.float64)
        window = carried.window_of[notified.message]
        taken_s = (chunk.first + chunk.starts[1:][window]).astype(np.float64) - 0.5
        at_once = carried._replace(
            chunk=chunk._replace(events=chunk.events._replace(time_s=numbers)), notified=notified
        )
        asked, put_s = carried.outgoing.asked, None
        if asked is not None:
            put_s = (chunk.first + chunk.starts[1:][asked.window]).astype(np.float64) - 0.75
        questions_s = None if put_s is None else (put_s, put_s)
        told = self._timeline.take(at_once, taken_s, questions_s=questions_s, against_need=self._exact)
        found = [_twice(window, notified, carried.outgoing.table)]
        if told.missed[0] >= 0:
            found.append((*told.missed.tolist(), "was not notified although its list changed"))
        if told.spare.any():
            first = int(np.argmax(told.spare))
            what = "was notified of an object that did not change its list"
            found.append((int(window[first]), int(notified.subscription[first]), what))
        mismatches = [
            Mismatch(chunk.first + int(chunk.starts[one[0]]), int(self.verified[one[1]]), one[2])
            for one in found
            if one is not None
        ]
        wrong = self._timeline.mismatch
        if wrong is not None:
            at = int(np.searchsorted(chunk.starts, wrong.event - chunk.first, side="right")) - 1
            mismatches.append(Mismatch(chunk.first + int(chunk.starts[at]), wrong.subscription, str(wrong)))
        self.mismatch = min(mismatches, default=None, key=lambda one: one.event)

    def _once(self, carried: Carried) -> Notified:
        """Notifications of those that are verified and present, each once, in the order of messages."""
        first, named = carried.chunk.first, carried.notified
        named = named.rows(self._chosen[named.subscription])
        place = self._place[named.subscription]
        named = named._replace(subscription=place).rows((self._joined[place] <= first) & (first < self._left[place]))
        pairs = named.message * len(self.verified) + named.subscription
        if (np.diff(pairs) > 0).all():
            return named
        return named.rows(np.unique(pairs, return_index=True)[1])


def _twice(window: Ints, notified: Notified, table: NDArray[np.void]) -> tuple[int, int, str] | None:
    """The first that was told of the same object by two messages, or twice to drop it and no more."""
    named = table["object"]
    if "dropped" in (table.dtype.names or ()):
        named = np.where(named >= 0, named, table["dropped"])
    if (np.diff(window)[np.diff(notified.message) > 0] > 0).all():
        return None  # each message is of another window
    objects = named[notified.message]
    order = np.lexsort((objects, notified.subscription, window))
    again = np.ones(max(len(order) - 1, 0), np.bool_)
    for column in (window, notified.subscription, objects):
        again &= np.diff(column[order]) == 0
    if not again.any():
        return None
    first = order[np.argmax(again)]
    return int(window[first]), int(notified.subscription[first]), "was told of the same object twice"


def verifier_of(scenario: Scenario, ingredients: Ingredients, name: str) -> Verifier | None:
    """Follows the lists that the scenario wants verified under an approach; None if it wants none."""
    if scenario.verify == "none":
        return None
    churn, watched = plan_faults(scenario, ingredients).churn, watched_of(scenario, ingredients)
    return Verifier(parse_approach(name), ingredients.workload, watched, ingredients.events, churn)


def first_mismatch(verifier: Verifier | None, lists: Lists | None) -> Mismatch | None:
    """What was found wrong in what was sent or else, by the clock, in what lists came to."""
    if verifier is not None and verifier.mismatch is not None:
        return verifier.mismatch
    wrong = None if lists is None else lists.mismatch
    return None if wrong is None else Mismatch(wrong.event, wrong.subscription, f"{wrong}, with nothing under way")
