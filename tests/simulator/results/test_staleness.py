"""How long lists are stale and wrong, by hand: three brokers in a row, 10 ms and 30 ms apart, and no other delay.

There is one object, whose y falls at every event, and each node has a subscription to everything: every event changes
every list, and a list is right while it has the last event that arose.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest

from simulator.inputs.ingredients import Ingredients, assemble, place_brokers
from simulator.results.collectors import EventRecords
from simulator.results.lists import Lists
from simulator.results.needed import needed_of
from simulator.runs.answer import answer, verified_records
from simulator.scenario.scenario import Scenario
from simulator.workload.events import LOWER, EventStream
from simulator.workload.workload import Workload

MS = [[0.0, 10.0, 40.0], [10.0, 0.0, 30.0], [40.0, 30.0, 0.0]]
"""From node to node."""
AT_MS = [0.0, 5.0, 100.0, 103.0, 300.0]
FROM_NODE = [2, 0, 1, 2, 0]
CLOSES_MS = 300.0 + 300.0 / 4
"""When the next event would arise: four pauses are 300 ms."""


class Row(NamedTuple):
    scenario: Scenario
    ingredients: Ingredients
    server: int
    """Its node."""


def row(approach: str, order: str, at_ms: Sequence[float] = AT_MS, from_node: Sequence[int] = FROM_NODE) -> Row:
    scenario = Scenario.model_validate(
        {
            "name": "row",
            "k": 1,
            "approaches": [approach],
            "engine": "des",
            "verify": "all",
            "topology": {"model": "barabasi-albert", "nodes": 3},
            "network": {"kind": "tree", "brokers": 3, "order": order},
            "objects": {"count": 1},
            "subscriptions": {"count": 3},
            "events": {"count": len(at_ms)},
            "costs": dict.fromkeys(("broker", "first_k", "min_y", "snap", "send"), "0s"),
        }
    )
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from((node, {"x": float(node), "y": 0.0}) for node in range(3))
    graph.add_edge(0, 1, delay_ms=MS[0][1], bandwidth_mbps=1e12)
    graph.add_edge(1, 2, delay_ms=MS[1][2], bandwidth_mbps=1e12)
    workload = Workload(1, np.array([0.5]), np.array([1.0]), np.zeros(3), np.ones(3))
    ingredients = assemble(scenario, workload, np.array([0.1, 0.5, 0.9]), graph=graph)
    node_of = place_brokers(scenario, graph).tolist()
    count = len(at_ms)
    events = EventStream(
        np.zeros(count, np.int64),
        np.full(count, 0.5),
        np.linspace(0.9, 0.1, count),
        np.full(count, LOWER, np.int8),
        np.array(at_ms) / 1e3,
        np.array([node_of.index(node) for node in from_node]),
    )
    return Row(scenario, ingredients._replace(events=events), node_of[ingredients.server])


def wrong_ms(taken_ms: list[float]) -> float:
    """How long a list is wrong while events arise, if it takes them in at these times."""
    nexts = pairwise([*AT_MS, CLOSES_MS])
    spans = [(at, min(taken, after)) for (at, after), taken in zip(nexts, taken_ms, strict=True)]
    return sum(end - start for start, end in spans)


@pytest.mark.parametrize("order", ["place", "none", "hold"])
@pytest.mark.parametrize("approach", ["paint-dense", "unicast"])
def test_lists_are_stale_for_the_way_to_the_server_and_back(approach: str, order: str) -> None:
    scenario, ingredients, server = row(approach, order)
    table, mismatch = verified_records(scenario, ingredients, approach)
    assert mismatch is None
    answered, known = 0.0, 0.0
    taken: list[list[float]] = []
    for at, node in zip(AT_MS, FROM_NODE, strict=True):
        answered = max(answered, at + MS[node][server])  # the server answers in order
        known = max(known, answered + 2 * max(MS[server]))  # the last gateway has acknowledged it
        taken.append([(known if order == "hold" else answered) + MS[server][node] for node in range(3)])
    stale = [sum(times) / 3 - at for at, times in zip(AT_MS, taken, strict=True)]
    assert table["stale"].to_pylist() == pytest.approx(stale, abs=1e-6)
    wrong = sum(wrong_ms([times[node] for times in taken]) for node in range(3))
    assert sum(table["wrong_s"].to_pylist()) == pytest.approx(wrong / 1e3, abs=1e-9)
    assert sum(table["counted_s"].to_pylist()) == pytest.approx(3 * CLOSES_MS / 1e3, abs=1e-9)


@pytest.mark.parametrize("order", ["place", "none"])
def test_without_a_server_a_near_event_overtakes_a_far_one(order: str) -> None:
    scenario, ingredients, _ = row("cn-relax", order)
    table, mismatch = verified_records(scenario, ingredients, "cn-relax")
    assert mismatch is None
    come = [[at + MS[node][there] for there in range(3)] for at, node in zip(AT_MS, FROM_NODE, strict=True)]
    stale = [sum(times) / 3 - at for at, times in zip(AT_MS, come, strict=True)]
    assert table["stale"].to_pylist() == pytest.approx(stale, abs=1e-6)
    right = 0.0
    for there in range(3):
        times = sorted({*AT_MS, *(times[there] for times in come)})
        for at, after in pairwise(times):
            arisen = max(event for event, time in enumerate(AT_MS) if time <= at)
            had = [event for event, times in enumerate(come) if times[there] <= at]
            last = max(had, key=lambda event: event if order == "place" else come[event][there], default=-1)
            right += (last == arisen) * (after - at)
        right += CLOSES_MS - times[-1]  # in the end
    wrong = 3 * CLOSES_MS - right
    assert sum(table["wrong_s"].to_pylist()) == pytest.approx(wrong / 1e3, abs=1e-9)


@pytest.mark.parametrize(("order", "wrong"), [("place", 0.0), ("none", 2 / 3), ("hold", 0.0)])
def test_lists_end_wrong_where_the_last_event_is_overtaken(order: str, wrong: float) -> None:
    """An event at node 2 comes to nodes 0 and 1 after the next one, at node 0."""
    scenario, ingredients, _ = row("cn-relax", order)
    ingredients = ingredients._replace(events=ingredients.events.part(0, 2))
    lists, needed = Lists(scenario, ingredients, "cn-relax"), needed_of(scenario, ingredients)
    answer(
        scenario,
        ingredients,
        "cn-relax",
        [EventRecords(scenario, ingredients, "cn-relax", needed, lists, lambda _: None)],
    )
    assert lists.ends_wrong == pytest.approx(wrong)
    assert lists.mismatch is None


def test_who_polls_is_stale_until_it_asks_and_has_the_answer() -> None:
    """Every event and list by hand; the server waits for an event that had arisen before the question was put."""
    scenario, ingredients, server = row("poll(60ms)", "place")
    phases = (np.random.default_rng(ingredients.workload.seed).random(3) * 60.0).tolist()
    table, mismatch = verified_records(scenario, ingredients, "poll(60ms)")
    assert mismatch is None
    known = np.maximum.accumulate([at + MS[node][server] for at, node in zip(AT_MS, FROM_NODE, strict=True)]).tolist()
    stale: list[list[float]] = [[] for _ in AT_MS]
    wrong = 0.0
    for node, phase in enumerate(phases):
        had, takes = -1, list[tuple[float, int]]()
        for turn in range(100):
            asks = phase + turn * 60.0
            arisen = sum(at <= asks for at in AT_MS) - 1
            there = max(asks + MS[node][server], known[arisen]) + MS[server][node]
            stale[arisen] += [there - at for at in AT_MS[had + 1 : arisen + 1]]
            takes.append((there, arisen))
            had = arisen
            if asks >= AT_MS[-1]:
                break
        for at, after in pairwise(sorted({*AT_MS, *(there for there, _ in takes)})):
            knows = max((event for there, event in takes if there <= at), default=-1)
            wrong += max(min(after, CLOSES_MS) - at, 0.0) * (knows < sum(one <= at for one in AT_MS) - 1)
    wanted = [sum(times) / len(times) if times else None for times in stale]
    assert table["stale"].to_pylist() == [one if one is None else pytest.approx(one, abs=1e-6) for one in wanted]
    assert sum(table["wrong_s"].to_pylist()) == pytest.approx(wrong / 1e3, abs=1e-9)
    assert sum(table["counted_s"].to_pylist()) == pytest.approx(3 * CLOSES_MS / 1e3, abs=1e-9)


def test_polling_is_half_an_interval_and_a_round_trip_stale() -> None:
    """Events that arise evenly, at the server: each list waits half an interval on average, and for its answer."""
    at_ms = [float(at) for at in range(1000)]
    server = row("poll(100ms)", "place").server
    scenario, ingredients, _ = row("poll(100ms)", "place", at_ms, [server] * 1000)
    table, mismatch = verified_records(scenario, ingredients, "poll(100ms)")
    assert mismatch is None
    rows = table["stale"].drop_null().to_pylist()
    assert 30 <= len(rows) <= 33  # each of the three asks every 100 ms
    round_trip = 2 * sum(MS[server]) / 3
    assert sum(rows[3:27]) / 24 == pytest.approx(50 + round_trip, abs=0.6)
    latency = table["latency_p50"].drop_null().to_pylist()[3:27]
    assert sum(latency) / 24 == pytest.approx(100 + round_trip, abs=1.1)  # from the first event since the last answer
