"""Polling against lists that are made anew at every question: who asks when, what is answered, what that costs."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pipeline import HOPS
from simulator.approaches.registry import parse_approach
from simulator.approaches.session import Outgoing, ask
from simulator.engine.carry import carry_events
from simulator.inputs.ingredients import Ingredients
from simulator.results.collectors import HopRecords
from simulator.results.loads import Loads, link_table
from simulator.runs.answer import verified_records
from simulator.scenario.scenario import Scenario
from simulator.views.explain import ExplainError, explain
from simulator.workload.windows import Chunk, chunks_of
from tests.oracles.polling import Answer, answers, turns
from tests.simulator.small import random_scenario, small_ingredients


def polled(seed: int, **changes: Any) -> tuple[Scenario, Ingredients]:
    about: dict[str, Any] = {
        "k": 3,
        "objects": {"count": 15},
        "subscriptions": {"count": 30},
        "events": {"count": 60, "rate": "200/s", "arrival": "poisson", "insert": 0.1, "delete": 0.1, "move": 0.2},
        "network": {"brokers": 6},
        "faults": {},
    }
    scenario = random_scenario(seed, **(about | changes))
    return scenario, small_ingredients(scenario)


def sent(ingredients: Ingredients, name: str, cuts: list[int]) -> list[tuple[Chunk, Outgoing]]:
    approach = parse_approach(name)
    session = approach.open(ingredients.workload, approach)
    return [(chunk, ask(session, chunk)) for chunk in chunks_of(ingredients.events, None, np.array(cuts, np.int64))]


def right(ingredients: Ingredients, phases: dict[int, float], interval: float) -> list[Answer]:
    load, events = ingredients.workload, ingredients.events
    objects = dict(enumerate(zip(load.x.tolist(), load.y.tolist(), strict=True)))
    ends = dict(enumerate(zip(load.l.tolist(), load.r.tolist(), strict=True)))
    columns = (events.time_s, events.object, events.x, events.y)
    stream = list(zip(*(column.tolist() for column in columns), strict=True))
    return answers(objects, stream, ends, load.k, phases, interval)


def phases_of(ingredients: Ingredients, interval: float) -> dict[int, float]:
    """As the seed decides."""
    load = ingredients.workload
    return dict(enumerate((np.random.default_rng(load.seed).random(len(load.l)) * interval).tolist()))


@pytest.mark.parametrize("cuts", [[], [1, 17, 18, 40]])
@pytest.mark.parametrize(("seed", "interval"), [(1, 0.02), (2, 0.1), (3, 0.0011), (4, 7.0)])
def test_questions_and_answers_are_those_of_lists_made_anew(seed: int, interval: float, cuts: list[int]) -> None:
    _, ingredients = polled(seed)
    wanted = right(ingredients, phases_of(ingredients, interval), interval)
    found = list[tuple[int, float, int]]()
    held: list[Answer] = list(wanted)
    for chunk, outgoing in sent(ingredients, f"poll({interval}s)", cuts):
        asked = outgoing.asked
        assert asked is not None
        for q, (s, time) in enumerate(zip(asked.subscription.tolist(), asked.time_s.tolist(), strict=True)):
            answer = held.pop(0)
            found.append((s, time, chunk.first + int(asked.window[q])))
            rows = outgoing.table[asked.starts[q] : asked.starts[q + 1]]
            assert len(rows) == answer.rows
            told = {int(row["object"]): float(row["y"]) for row in rows if row["object"] >= 0}
            assert told == {i: y for i, (_, y) in answer.new.items()}
            dropped = {int(row["dropped"]) for row in rows if row["dropped"] not in (-1, row["object"])}
            assert dropped == answer.gone
            if len(rows):
                assert asked.since_s[q] == answer.since
            else:
                assert np.isnan(asked.since_s[q])
            assert asked.costs[q].tolist() == [0, min(answer.length + 1, 3), 0]
        sums = np.zeros((chunk.windows, 3), np.int64)
        np.add.at(sums, asked.window, asked.costs)
        assert (sums == outgoing.costs).all()
    assert found == [(one.subscription, one.time, one.event) for one in wanted]
    assert sum(one.rows for one in wanted) > 0


@pytest.mark.parametrize(("engine", "kind"), [("tally", "can"), ("des", "can"), ("des", "tree")])
def test_bytes_are_those_of_questions_and_answers(engine: str, kind: str) -> None:
    network = {"brokers": 6, "kind": kind, "unicast": "direct", "order": "hold"}
    scenario, ingredients = polled(5, engine=engine, network=network, record=["hops"])
    hops, loads = list[pa.Table](), Loads(6)
    collectors = (loads, HopRecords(scenario, "poll(40ms)", hops.append))
    table, mismatch = verified_records(scenario, ingredients, "poll(40ms)", *collectors)
    assert mismatch is None
    server, home = ingredients.server, ingredients.gateways.home.tolist()
    ip_hops = ingredients.routes.hops.astype(int)
    rows = table.to_pylist()
    wanted = right(ingredients, phases_of(ingredients, 0.04), 0.04)
    assert kind == "tree" or any(home[one.subscription] == server for one in wanted)
    kinds = dict.fromkeys(("message", "question", "no-news"), 0)
    for event, row in enumerate(rows):
        mine = [one for one in wanted if one.event == event]
        away = [one for one in mine if home[one.subscription] != server]
        messages, quiet = sum(one.rows for one in mine), [one for one in mine if not one.rows]
        assert row["messages"] == row["received_update"] == messages
        assert row["bytes_in"] == 16 + 8 * len(mine)
        assert row["bytes_out"] == 16 * messages + 8 * len(quiet)
        control = [home[one.subscription] for one in away] + [home[one.subscription] for one in away if not one.rows]
        assert row["control_bytes"] == 8 * len(control)
        assert row["overlay_bytes"] == row["control_bytes"] + 16 * sum(one.rows for one in away)
        far = [ip_hops[server, home[one.subscription]] * one.rows for one in away]
        assert row["ip_bytes"] == 8 * sum(ip_hops[server, one] for one in control) + 16 * sum(far)
        assert row["min_y"] == sum(min(one.length + 1, 3) for one in mine)
        kinds["message"] += 16 * sum(one.rows for one in away)
        kinds["question"] += 8 * len(away)
        kinds["no-news"] += 8 * (len(control) - len(away))
    told = pa.concat_tables([HOPS.empty_table(), *hops]).to_pylist()
    assert {kind: sum(row["bytes"] for row in told if row["kind"] == kind) for kind in kinds} == kinds
    assert min(kinds.values()) > 0
    everything = sum(kinds.values())
    assert sum(row["bytes"] for row in told) == everything == sum(row["overlay_bytes"] for row in rows)
    assert sum(loads.broker_table("poll", 8)["bytes_out"].to_pylist()) == everything
    sums = link_table({"poll": loads.sent(8)}, ingredients.routes)["bytes"].to_pylist()
    assert sum(sums) == sum(row["ip_bytes"] for row in rows)


def test_phases_differ_by_subscription_and_seed() -> None:
    first, second = (phases_of(polled(seed)[1], 1.0) for seed in (1, 2))
    assert len(set(first.values())) == len(first)
    assert first != second
    assert turns(0.25, 0.5, 1.0, 2.0) == [1.25, 1.75, 2.25]


def test_events_at_once_are_answered_once() -> None:
    scenario, ingredients = polled(6, events={"count": 200, "arrival": "at-once"})
    table, mismatch = verified_records(scenario, ingredients, "poll(50ms)")
    assert mismatch is None
    questions = (table["bytes_in"].to_numpy() - 16) // 8
    assert questions.tolist() == [0] * 199 + [30]


@pytest.mark.parametrize("text", ["0s", "", "-1s", "1001h", "100", "soon", "1s, 2s"])
def test_a_wrong_interval_is_told(text: str) -> None:
    with pytest.raises(ValueError, match=r"an interval is a time above 0 and at most 1000h, as in poll\(500ms\)"):
        parse_approach(f"poll({text})")
    assert parse_approach("poll").interval_s == 1.0
    assert parse_approach("poll(250ms)").interval_s == 0.25


def test_an_event_is_not_explained() -> None:
    _, ingredients = polled(1)
    with pytest.raises(ExplainError, match=r"--approach poll: it only answers those who ask"):
        explain(ingredients.workload, ingredients.events, 3, "poll")


def test_the_server_answers_first_come_first_served() -> None:
    """Each question takes its calls and rows; one that overtakes an event that had arisen waits for it."""
    costs = {"min_y": "2ms", "send": "3ms", "first_k": "0s", "snap": "0s"}
    scenario, ingredients = polled(8, engine="des", costs=costs, network={"brokers": 6, "kind": "tree"})
    approach, routes, server = parse_approach("poll(1s)"), ingredients.routes, ingredients.server
    session = approach.open(ingredients.workload, approach)
    (carried,) = carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64))
    events, asked, replies = carried.chunk.events, carried.outgoing.asked, carried.replies
    assert asked is not None
    assert replies is not None
    assert replies.ready_s is not None
    way_s = routes.delay_ms[:, server] / 1e3
    bits_s = 16 * 8 / (routes.bandwidth_mbps[:, server] * 1e6)
    reach_s = np.maximum.accumulate(events.time_s + way_s[events.origin] + bits_s[events.origin])
    comes_s = asked.time_s + way_s[ingredients.gateways.home[asked.subscription]]
    waits = comes_s < reach_s[asked.window]
    assert waits.any()
    assert not waits.all()
    service_s = 0.002 * asked.costs[:, 1] + 0.003 * np.diff(asked.starts)
    free, wanted = 0.0, np.zeros(len(service_s))
    steps = [(float(time), -1, event) for event, time in enumerate(reach_s)]
    steps += [(float(time), 1, q) for q, time in enumerate(comes_s) if not waits[q]]
    while steps:  # an event takes no service, but its turn; questions that wait for it are next
        steps.sort()
        at, what, number = steps.pop(0)
        free = max(free, at) + (service_s[number] if what > 0 else 0.0)
        if what > 0:
            wanted[number] = free
            continue
        early = [q for q in np.argsort(comes_s, kind="stable").tolist() if waits[q] and asked.window[q] == number]
        steps += [(free, 1, q) for q in early]
    assert replies.ready_s == pytest.approx(wanted, abs=1e-9)
    assert free > float(asked.time_s.max()) - float(asked.time_s.min())
