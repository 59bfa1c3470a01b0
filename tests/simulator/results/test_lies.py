"""Lies, planted in what an approach sends or a network delivers: each is found at its event, if anybody suffers."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.approaches.registry import parse_approach
from simulator.engine.audience import Audience, Notified
from simulator.engine.carried import Carried
from simulator.engine.carry import carry_events
from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.ingredients import Ingredients
from simulator.inputs.watched import watched_of
from simulator.results.lists import lists_of
from simulator.results.verify import Mismatch, first_mismatch, verifier_of
from simulator.scenario.scenario import Scenario
from tests.oracles.timeline import Ranked
from tests.oracles.verdict import Window, first_wrong
from tests.simulator.small import APPROACHES, SHAPE_APPROACHES, random_scenario, small_ingredients, told_ends

Rng = np.random.Generator
Lie = Callable[[Carried, Rng], Carried]


def kept(carried: Carried, chosen: NDArray[np.bool_]) -> Carried:
    return carried._replace(notified=carried.notified.rows(chosen))


def some_notice(carried: Carried, rng: Rng) -> tuple[int, int]:
    """Message and subscription of one of the notifications."""
    at = int(rng.integers(len(carried.notified.message)))
    return int(carried.notified.message[at]), int(carried.notified.subscription[at])


def dropped(carried: Carried, rng: Rng) -> Carried:
    message, s = some_notice(carried, rng)
    return kept(carried, (carried.notified.message != message) | (carried.notified.subscription != s))


def too_few(carried: Carried, rng: Rng) -> Carried:
    message, _ = some_notice(carried, rng)
    lost = (carried.notified.message == message) & (rng.random(len(carried.notified.message)) < 0.5)
    return kept(carried, ~lost)


def none_of_a_message(carried: Carried, rng: Rng) -> Carried:
    message, _ = some_notice(carried, rng)
    return kept(carried, carried.notified.message != message)


def none_of_an_event(carried: Carried, rng: Rng) -> Carried:
    window = carried.window_of[carried.notified.message]
    return kept(carried, window != window[rng.integers(len(window))])


def inserted(carried: Carried, window: int, row: NDArray[np.void], subscriptions: NDArray[np.int64]) -> Carried:
    """One more message of a window, after its others, and whom it reaches."""
    table, offsets, _, asked, _ = carried.outgoing
    at, notified = int(offsets[window + 1]), carried.notified
    if asked is not None:  # as if it were of the last answer
        asked = asked._replace(
            starts=asked.starts + (np.arange(len(asked.starts)) > np.flatnonzero(asked.window <= window)[-1])
        )
    grown = np.concatenate((table[:at], row.reshape(1), table[at:]))
    count = len(subscriptions)
    message = np.where(notified.message >= at, notified.message + 1, notified.message)
    order = np.argsort(np.append(message, np.full(count, at)), kind="stable")
    columns = (
        np.append(message, np.full(count, at)),
        np.append(notified.subscription, subscriptions),
        np.append(notified.delivery, np.full(count, notified.delivery[0])),
    )
    later = np.arange(len(offsets)) > window
    return carried._replace(
        outgoing=carried.outgoing._replace(table=grown, offsets=offsets + later, asked=asked),
        notified=Notified._make(column[order] for column in columns),
    )


def twice(carried: Carried, rng: Rng) -> Carried:
    message, _ = some_notice(carried, rng)
    row, window = carried.outgoing.table[message], int(carried.window_of[message])
    receivers = np.unique(carried.notified.subscription[carried.notified.message == message])
    return inserted(carried, window, row, receivers)


def too_many(carried: Carried, rng: Rng) -> Carried:
    """A message comes to everybody, but once."""
    message, _ = some_notice(carried, rng)
    row, window = carried.outgoing.table[message], int(carried.window_of[message])
    receivers = carried.notified.subscription[carried.notified.message == message]
    everybody = np.arange(int(carried.notified.subscription.max()) + 1)
    return inserted(carried, window, row, np.setdiff1d(everybody, receivers))


def spare_object(carried: Carried, rng: Rng) -> Carried:
    """Somebody who is told of one object is told of another, too, as it was said at another event."""
    message, s = some_notice(carried, rng)
    other = int(rng.integers(len(carried.outgoing.table)))
    return inserted(carried, int(carried.window_of[message]), carried.outgoing.table[other], np.array([s]))


def swapped(carried: Carried, rng: Rng) -> Carried:
    """Two messages of an event carry each other's content."""
    message, _ = some_notice(carried, rng)
    window = int(carried.window_of[message])
    start, end = carried.outgoing.offsets[window : window + 2].tolist()
    other = int(rng.integers(start, end))
    table = carried.outgoing.table.copy()
    for name in set(table.dtype.names or ()) & {"object", "x", "y", "dropped"}:
        table[name][[message, other]] = table[name][[other, message]]
    return carried._replace(outgoing=carried.outgoing._replace(table=table))


def changed(name: str, change: Callable[[Any, Rng], Any]) -> Lie:
    """A message that somebody gets carries something else."""

    def lie(carried: Carried, rng: Rng) -> Carried:
        table = carried.outgoing.table.copy()
        message, _ = some_notice(carried, rng)
        if name in (table.dtype.names or ()):
            table[name][message] = change(table[name][message], rng)
        return carried._replace(outgoing=carried.outgoing._replace(table=table))

    return lie


LIES: dict[str, Lie] = {
    "dropped": dropped,
    "too few": too_few,
    "none of a message": none_of_a_message,
    "none of an event": none_of_an_event,
    "twice": twice,
    "too many": too_many,
    "spare object": spare_object,
    "order swapped": swapped,
    "wrong y": changed("y", lambda y, _: y + 0.37),
    "y one ulp up": changed("y", lambda y, _: np.nextafter(y, np.inf)),
    "y one ulp down": changed("y", lambda y, _: np.nextafter(y, -np.inf)),
    "infinite y": changed("y", lambda *_: np.inf),
    "y below all": changed("y", lambda *_: -np.inf),
    "y no number": changed("y", lambda *_: np.nan),
    "wrong x": changed("x", lambda x, rng: x + rng.normal()),
    "x no number": changed("x", lambda *_: np.nan),
    "wrong object": changed("object", lambda i, rng: i + rng.choice([-1, 1, 1000])),
    "wrong drop": changed("dropped", lambda i, _: i + 1),
}


def runs(
    name: str, engine: str, kind: str, faults: bool, count: int = 3, dimensions: float = 1, shape: str = "boxes"
) -> Iterator[tuple[Scenario, Ingredients, list[Carried]]]:
    """All that was carried in some small scenarios."""
    done, seed = 0, 0
    while done < count:
        seed += 1
        chosen = random_scenario(seed, shape=shape, dimensions=dimensions)
        chosen_base = 2 if kind == "prefix" else None
        network = chosen.network.model_copy(update={"kind": kind, "base": chosen_base, "contacts": None})
        if (seed % 3 == 0) == faults or chosen.events.count < 10 or chosen.subscriptions.count < 10:
            continue
        scenario = chosen.model_copy(update={"approaches": [name], "engine": engine, "network": network})
        ingredients, approach = small_ingredients(scenario), parse_approach(name)
        session = approach.open(ingredients.workload, approach)
        ids = watched_of(scenario, ingredients).ids
        carrieds = list(carry_events(scenario, ingredients, approach, session, ids))
        if any(len(carried.notified.message) for carried in carrieds):
            done += 1
            yield scenario, ingredients, carrieds


def verified(scenario: Scenario, ingredients: Ingredients, name: str, carrieds: list[Carried]) -> Mismatch | None:
    verifier, lists = verifier_of(scenario, ingredients, name), lists_of(scenario, ingredients, name)
    assert verifier is not None
    for carried in carrieds:
        verifier.take(carried)
        if lists is not None:
            lists.take(carried)
    if verifier.mismatch is None:
        assert first_mismatch(verifier, lists) is None  # what is sent is right, and so are the lists by the clock
    return verifier.mismatch


def windows(scenario: Scenario, ingredients: Ingredients, carrieds: list[Carried]) -> Iterator[Window]:
    """The same for the oracle; everybody is watched, so that places are ids."""
    churn, m = plan_faults(scenario, ingredients).churn, len(ingredients.workload.l)
    for carried in carrieds:
        chunk, names = carried.chunk, carried.outgoing.table.dtype.names or ()
        message, subscription, _ = (column.tolist() for column in carried.notified)
        notices = sorted(set(zip(message, subscription, strict=True)))
        joining, leaving = churn.joining(chunk.first).tolist(), churn.leaving(chunk.first).tolist()
        for at, (start, end) in enumerate(pairwise(chunk.starts.tolist())):
            events = [
                (int(chunk.events.object[e]), chunk.events.x[e].tolist(), float(chunk.events.y[e]))
                for e in range(start, end)
            ]
            rows = range(*carried.outgoing.offsets[at : at + 2].tolist())
            told = [
                (s, {name: carried.outgoing.table[row][name].tolist() for name in names})
                for row, s in notices
                if row in rows
            ]
            came = dict(enumerate(told_ends(ingredients.workload, churn.l, churn.r), m))
            joined = {s: came[s] for s in joining} if at == 0 else {}
            asked = carried.outgoing.asked
            who = None if asked is None else set(asked.subscription[asked.window == at].tolist())
            yield Window(chunk.first + start, events, told, joined, leaving if at == 0 else (), who)


Rights = dict[tuple[int, int], Ranked]


def expected(
    scenario: Scenario, ingredients: Ingredients, name: str, carrieds: list[Carried], rights: Rights
) -> int | None:
    workload, approach = ingredients.workload, parse_approach(name)
    objects = dict(enumerate(zip(workload.x.tolist(), workload.y.tolist(), strict=True)))
    ends = dict(enumerate(told_ends(workload, workload.l, workload.r)))
    told = windows(scenario, ingredients, carrieds)
    return first_wrong(objects, ends, workload.k, told, rights, exact=approach.exact, relaxed=approach.serverless)


SETTINGS = [("tally", False), ("des", False), ("des", True)]
CASES = [
    (name, engine, faults, kind)
    for name in APPROACHES
    for engine, faults in SETTINGS
    for kind in ("can", "prefix", "tree")
    if name not in ("flood", "rendezvous") or (faults and kind == {"flood": "can"}.get(name, "tree"))
    if kind != "prefix" or faults
]
"""Flood and rendezvous tell the same as CN-Relax, and `prefix` without faults the same as `can`: once is enough."""


def chosen(case: tuple[str, str, bool, str]) -> bool:
    """Whether a case is tried always: every approach in every setting, on networks of every kind by turns."""
    name, engine, faults, kind = case
    kinds = [other for *about, other in CASES if about == [name, engine, faults]]
    return kind == kinds[(APPROACHES.index(name) + SETTINGS.index((engine, faults))) % len(kinds)]


@pytest.mark.parametrize(
    ("name", "engine", "faults", "kind", "count"),
    [
        *((*case, 1) for case in CASES if chosen(case)),
        *(pytest.param(*case, 5, marks=pytest.mark.slow) for case in CASES),
    ],
)
def test_lies_are_found_at_their_event_and_the_truth_passes(
    name: str, engine: str, faults: bool, kind: str, count: int
) -> None:
    assert lies_found(runs(name, engine, kind, faults, count), name) > count


@pytest.mark.parametrize(
    ("name", "engine", "faults", "kind", "dimensions"),
    [
        ("paint-dense", "tally", False, "can", 2),
        ("cn-relax", "des", True, "tree", 1.5),
        ("unicast", "des", True, "can", 2.5),
        ("paint-batch(7)", "des", False, "prefix", 3),
        *(
            pytest.param(*case, dimensions, marks=pytest.mark.slow)
            for dimensions in (1.5, 2, 2.5, 3)
            for case in CASES
            if chosen(case)
        ),
    ],
)
def test_lies_are_found_over_several_attributes(
    name: str, engine: str, faults: bool, kind: str, dimensions: float
) -> None:
    assert lies_found(runs(name, engine, kind, faults, 1, dimensions), name) > 1


@pytest.mark.parametrize(
    ("name", "engine", "faults", "kind", "shape", "dimensions"),
    [
        ("paint-sparse", "tally", False, "can", "disks", 2),
        ("unicast", "des", True, "tree", "disks", 2),
        ("cn-relax", "des", True, "can", "halfspaces", 3),
        ("paint-batch-sparse(5)", "des", False, "prefix", "halfspaces", 2),
        *(
            pytest.param(name, engine, faults, kind, shape, dimensions, marks=pytest.mark.slow)
            for shape, dimensions in (("halfspaces", 2), ("halfspaces", 3), ("disks", 2))
            for name in SHAPE_APPROACHES
            for engine, faults in SETTINGS
            for kind in ("can", "tree")
        ),
    ],
)
def test_lies_are_found_among_halfspaces_and_disks(
    name: str, engine: str, faults: bool, kind: str, shape: str, dimensions: float
) -> None:
    assert lies_found(runs(name, engine, kind, faults, 1, dimensions, shape), name) > 1


def lies_found(told: Iterator[tuple[Scenario, Ingredients, list[Carried]]], name: str) -> int:
    """Tell every lie in every run; how many somebody suffers from."""
    found = 0
    for scenario, ingredients, carrieds in told:
        rights: Rights = {}
        assert expected(scenario, ingredients, name, carrieds, rights) is None
        assert verified(scenario, ingredients, name, carrieds) is None
        for number, (what, lie) in enumerate(LIES.items()):
            rng = np.random.default_rng([scenario.seed, number])
            telling = [at for at, carried in enumerate(carrieds) if len(carried.notified.message)]
            at = int(rng.choice(telling))
            lied = [*carrieds[:at], lie(carrieds[at], rng), *carrieds[at + 1 :]]
            event = expected(scenario, ingredients, name, lied, rights)
            mismatch = verified(scenario, ingredients, name, lied)
            assert (None if mismatch is None else mismatch.event) == event, (what, scenario.seed, str(mismatch))
            found += event is not None
    return found


@pytest.mark.parametrize("faults", [False, True])
@pytest.mark.parametrize("name", ["paint-dense", "unicast", "cn-relax"])
def test_what_comes_to_a_wrong_broker_is_missed(name: str, faults: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one delivery in ten, the gateway is another."""
    right = Audience.name

    def astray(self: Audience, table: Any, message: NDArray[np.int64], broker: NDArray[np.int64]) -> Notified:
        lost = np.arange(len(broker)) % 10 == 0
        return right(self, table, message, np.where(lost, (broker + 1) % 3, broker))

    monkeypatch.setattr(Audience, "name", astray)
    suffering = 0
    for scenario, ingredients, carrieds in runs(name, "des", "can", faults):
        event = expected(scenario, ingredients, name, carrieds, {})
        mismatch = verified(scenario, ingredients, name, carrieds)
        assert (None if mismatch is None else mismatch.event) == event
        suffering += event is not None
    assert suffering


def test_a_wrong_y_is_told_by_its_value() -> None:
    for scenario, ingredients, carrieds in runs("paint-dense", "tally", "can", False):
        rng = np.random.default_rng(scenario.seed)
        telling = next(at for at, carried in enumerate(carrieds) if len(carried.notified.message))
        carrieds[telling] = LIES["y one ulp down"](carrieds[telling], rng)
        mismatch = verified(scenario, ingredients, "paint-dense", carrieds)
        if mismatch is not None:
            assert "with y = " in str(mismatch)
            return
    raise AssertionError("no list suffered")
