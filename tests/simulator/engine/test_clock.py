"""The clock under faults against one written down step by step, from the faults that happened."""

import math
from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from pipeline import FAULTS, HOPS
from simulator.approaches.approach import Approach
from simulator.approaches.registry import parse_approach
from simulator.approaches.session import ask
from simulator.engine.fault_log import FaultLog
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import Ingredients, generator, with_fresh_network
from simulator.results.collectors import HopRecords
from simulator.results.fault_records import FaultRecords
from simulator.results.loads import Loads
from simulator.runs.answer import records_of
from simulator.scenario.scenario import Scenario
from simulator.workload.units import DURATION
from simulator.workload.windows import chunks_of
from tests.oracles.clock import Chance, Clock, Place, Way, Window, link_faults
from tests.simulator.small import random_scenario, small_ingredients

NAMES = ("paint-dense", "paint-batch(20ms)", "unicast", "cn-relax")

CONTROL = 8


class Overlay:
    """The network of a scenario, asked broker by broker."""

    def __init__(self, scenario: Scenario, ingredients: Ingredients, approach: Approach) -> None:
        self.ingredients, self.unicast = with_fresh_network(scenario, ingredients), approach.unicast
        self.zones = generator(scenario, "zones")

    def way(self, message: Any, source: int) -> tuple[bool, list[Way]]:
        network = self.ingredients.network
        if self.unicast:
            gateway = int(self.ingredients.gateways.home[message["subscription"]])
            direct = [source] if gateway == source else [source, gateway]
            path = direct if self.ingredients.unicast_over_ip else network.path(source, gateway)
            return len(path) == 1, [Way(a, i - 1, b, i == len(path) - 2) for i, (a, b) in enumerate(pairwise(path))]
        region = [float(message[side]) for side in ("l_in", "r_in", "l_out", "r_out")]
        at_source, onward = network.next_hops(source, -1, *region)
        waiting, ways = [(source, -1, other) for other in onward], list[Way]()
        for sender, before, receiver in waiting:
            delivers, onward = network.next_hops(receiver, sender, *region)
            waiting += [(receiver, len(ways), other) for other in onward]
            ways.append(Way(sender, before, receiver, delivers))
        return at_source, ways

    def told(self, message: Any, broker: int) -> int:
        if self.unicast:
            return 1
        workload, home = self.ingredients.workload, self.ingredients.gateways.home
        return sum(
            home[s] == broker and message["l_out"] < l <= message["l_in"] and message["r_in"] <= r < message["r_out"]
            for s, (l, r) in enumerate(zip(workload.l.tolist(), workload.r.tolist(), strict=True))
        )

    def leave(self, broker: int) -> None:
        self.ingredients.gateways.rehome(self.ingredients.network.leave(broker))

    def join(self, broker: int) -> None:
        self.ingredients.gateways.rehome(self.ingredients.network.join(broker, self.zones))


class Told(NamedTuple):
    """What a run leaves in its files."""

    events: list[dict[str, Any]]
    hops: list[dict[str, Any]]
    brokers: list[dict[str, Any]]
    faults: list[dict[str, Any]]


def told_by_the_engine(scenario: Scenario, ingredients: Ingredients, name: str) -> Told:
    hops, faults, log = list[pa.Table](), list[pa.Table](), FaultLog()
    loads = Loads(len(ingredients.network))
    collectors = HopRecords(scenario, name, hops.append), FaultRecords(name, log, faults.append), loads
    events = records_of(scenario, ingredients, name, *collectors, ledger=Ledger(faults=log))
    size = scenario.sizes.of(parse_approach(name))
    return Told(
        events.to_pylist(),
        pa.concat_tables([HOPS.empty_table(), *hops]).to_pylist(),
        loads.broker_table(name, (size, CONTROL)).to_pylist(),
        pa.concat_tables([FAULTS.empty_table(), *faults]).to_pylist(),
    )


def windows_of(scenario: Scenario, ingredients: Ingredients, approach: Approach) -> list[Window]:
    """What the approach answers, without any network."""
    session, costs = approach.open(ingredients.workload, approach), scenario.costs
    windows = []
    for chunk in chunks_of(ingredients.events, approach.window):
        outgoing = ask(session, chunk)
        for at in range(chunk.windows):
            events, (first, last) = chunk.window(at), outgoing.offsets[at : at + 2].tolist()
            calls = [int(calls) for calls in outgoing.costs[at]]
            prices = (costs.first_k_s, costs.min_y_s, costs.snap_s)
            service_s = sum(c * p for c, p in zip(calls, prices, strict=True)) + (last - first) * costs.send_s
            arisen = list(zip(events.time_s.tolist(), events.origin.tolist(), strict=True))
            number = int(chunk.first + chunk.starts[at])
            windows.append(
                Window(number, arisen, float(chunk.closes_s[at]), service_s, list(outgoing.table[first:last]))
            )
    return windows


def right(scenario: Scenario, ingredients: Ingredients, name: str, faults: list[dict[str, Any]]) -> Clock:
    """The same run, step by step."""
    approach, about, routes = parse_approach(name), scenario.faults, ingredients.routes
    size, server = scenario.sizes.of(approach), ingredients.server
    bits_s = (8 / (routes.bandwidth_mbps[:] * 1e6)).tolist()
    place = Place(
        brokers=len(ingredients.network),
        server=None if approach.serverless else server,
        delay_s=(routes.delay_ms / 1e3).tolist(),
        transmit_s=[[size * one for one in row] for row in bits_s],
        event_transmit_s=[scenario.sizes.event_bytes * row[server] for row in bits_s],
        broker_s=scenario.costs.broker_s,
        detection_s=about.detection_s,
        downtime_s=about.downtime_s,
        timeout_s=about.timeout_s,
        server_downtime_s=about.server_downtime_s,
        replay_s=about.replay_s,
    )
    planned = sorted(about.at, key=lambda fault: fault.time_s)
    at_random = [row for row in faults if row["why"] == "random"]
    heals = [(fault.time_s, set(fault.brokers)) for fault in planned if fault.what == "heal"]
    crashes = [(row["time"], row["broker"], False) for row in at_random if row["what"] == "crash"]
    crashes += [
        (fault.time_s, broker, True) for fault in planned if fault.what == "crash" for broker in fault.brokers
    ]
    chance = Chance(
        crashes=crashes,
        restores=[(f.time_s, broker) for f in planned if f.what == "restore" for broker in f.brokers],
        server_crashes=[row["time"] for row in at_random if row["what"] == "server crash"]
        + [fault.time_s for fault in planned if fault.whom == "server"],
        partitions=[
            (f.time_s, min(t for t, who in heals if who == set(f.brokers) and t >= f.time_s), set(f.brokers))
            for f in planned
            if f.what == "partition"
        ],
        delays=[(f.time_s, set(f.brokers), DURATION.parse(f.value)) for f in planned if f.what == "delay"],
        links=link_faults(faults),
    )
    clock = Clock(
        place, Overlay(scenario, ingredients, approach), chance, windows_of(scenario, ingredients, approach)
    )
    clock.run()
    return clock


def compare_hops(told: Told, clock: Clock) -> None:
    """Every transmission with its departure and arrival."""
    keys = ("event", "message", "from", "to")
    messages = [row for row in told.hops if row["kind"] in ("message", "resent")]
    got = sorted((*(row[key] for key in keys), row["depart"], math.inf if row["arrive"] is None else row["arrive"])
                 for row in messages)  # fmt: skip
    expected = sorted((*row[:4], row.depart_s * 1e3, math.inf if math.isnan(row.arrive_s) else row.arrive_s * 1e3)
                      for row in clock.sent)  # fmt: skip
    assert [row[:4] for row in got] == [row[:4] for row in expected]
    assert np.allclose([row[4:] for row in got], [row[4:] for row in expected], rtol=0, atol=1e-6)


def compare_acknowledgements(told: Told, clock: Clock, lossy: bool) -> None:
    """One for every transmission that came, sent back at once."""
    keys = ("event", "message", "from", "to")
    got = sorted(
        (*(row[key] for key in keys), row["depart"]) for row in told.hops if row["kind"] == "acknowledgement"
    )
    came = [row for row in clock.sent if lossy and not math.isnan(row.arrive_s)]
    expected = sorted((row.event, row.message, row.receiver, row.sender, row.arrive_s * 1e3) for row in came)
    assert [row[:4] for row in got] == [row[:4] for row in expected]
    assert np.allclose([row[4] for row in got], [row[4] for row in expected], rtol=0, atol=1e-6)


def compare_events(told: Told, clock: Clock, routes: Any, size: int, lossy: bool) -> None:
    """Bytes, deliveries and the latest delivery of every event."""
    hops, resent, links = Counter[int](), Counter[int](), Counter[int]()
    control, control_links = Counter[int](), Counter[int]()
    for sent in clock.sent:
        if lossy and not math.isnan(sent.arrive_s):
            control[sent.event] += CONTROL
            control_links[sent.event] += CONTROL * int(routes.hops[sent.receiver, sent.sender])
        hops[sent.event] += 1
        resent[sent.event] += sent.again
        links[sent.event] += int(routes.hops[sent.sender, sent.receiver])
    reached, told_to, latest = Counter[int](), Counter[int](), dict[int, float]()
    seen = set[tuple[int, int, int]]()
    for one in clock.deliveries:
        reached[one.event] += 1
        told_to[one.event] += one.subscriptions
        if one.subscriptions and one[:3] not in seen:  # what comes to a gateway again has no latency
            latest[one.event] = max(latest.get(one.event, 0.0), one.time_s)
        seen.add(one[:3])
    for row in told.events:
        event = row["event"]
        assert row["control_bytes"] == control[event], event
        assert (row["overlay_hops"], row["overlay_bytes"]) == (hops[event], hops[event] * size + control[event]), (
            event
        )
        assert (row["ip_hops"], row["ip_bytes"]) == (links[event], links[event] * size + control_links[event]), event
        assert row["resent_bytes"] == resent[event] * size, event
        assert row["zones_reached"] == reached[event], event
        assert row["received_update"] + row["received_exposed"] == told_to[event], event
        wait = None if event not in latest else (latest[event] - row["time"]) * 1e3
        assert (row["latency_max"] is None) == (wait is None), event
        assert wait is None or abs(row["latency_max"] - wait) < 1e-6, event


def compare_brokers(told: Told, clock: Clock, size: int) -> None:
    """Queues, and what every broker sent, got and delivered."""
    for row in told.brokers:
        broker = row["broker"]
        services = [service[1:] for service in clock.services if service[0] == broker]
        waits = [begins - came for came, begins, _ in services]
        out = sum(one.sender == broker for one in clock.sent)
        assert row["messages_in"] == sum(one.receiver == broker for one in clock.sent), broker
        assert (row["messages_out"], row["bytes_out"] - row["control_bytes"]) == (out, out * size), broker
        assert row["deliveries"] == sum(one.broker == broker for one in clock.deliveries), broker
        notified = sum(one.subscriptions for one in clock.deliveries if one.broker == broker)
        assert row["notifications"] == notified, broker
        assert abs(row["busy_s"] - sum(done - begins for _, begins, done in services)) < 1e-8, broker
        assert abs(row["waited_s"] - sum(waits)) < 1e-8, broker
        assert abs(row["longest_wait_s"] - max(waits, default=0.0)) < 1e-8, broker
        assert abs(row["uplink_busy_s"] - clock.uplink_busy_s[broker]) < 1e-8, broker


def compare_faults(told: Told, clock: Clock) -> None:
    """Everything that went wrong, before the last message was there."""
    fields = {
        "crash": ("time", "broker"),
        "return": ("time", "broker"),
        "takeover": ("time", "broker"),
        "server crash": ("time",),
        "anew": ("time", "broker", "event", "message"),
        "resend": ("time", "event", "message", "from", "to"),
        "loss": ("time", "why", "event", "message", "from", "to"),
        "delay": ("time", "why", "event", "message", "from", "to"),
        "duplicate": ("time", "why", "event", "message", "from", "to"),
    }

    def sorted_by_place(rows: list[tuple[Any, ...]]) -> tuple[list[tuple[Any, ...]], list[float]]:
        rows = [row for row in rows if row[0] not in ("takeover", "return") or row[1] <= clock.end_s]
        rows = sorted(rows, key=lambda row: (row[0], *row[2:], row[1]))
        return [(row[0], *row[2:]) for row in rows], [row[1] for row in rows]

    got = [(row["what"], *(row[field] for field in fields.get(row["what"], ()))) for row in told.faults]
    places, times = sorted_by_place([row for row in got if row[0] in fields])
    right_places, right_times = sorted_by_place(clock.faults)
    assert places == right_places
    assert np.allclose(times, right_times, rtol=0, atol=1e-8)
    assert not any(clock.chance.links.values())


def check(scenario: Scenario, ingredients: Ingredients, name: str) -> Told | None:
    """Compare a run with the same one step by step; None if no rule says which of two things at one time is first."""
    told = told_by_the_engine(scenario, ingredients, name)
    clock = right(scenario, ingredients, name, told.faults)
    if clock.ties:
        return None
    size = scenario.sizes.of(parse_approach(name))
    compare_hops(told, clock)
    compare_faults(told, clock)
    compare_acknowledgements(told, clock, scenario.faults.lossy)
    compare_events(told, clock, ingredients.routes, size, scenario.faults.lossy)
    compare_brokers(told, clock, size)
    return told


def faulty_scenario(seed: int) -> Scenario:
    """A scenario with faults of every kind, at random and planned, and long queues; nobody comes or goes."""
    rng = np.random.default_rng([seed, 9])
    content = random_scenario(3 * seed + 1, record=["hops"], verify="none").model_dump()
    brokers, rate = int(rng.integers(3, 9)), int(rng.integers(30, 300))
    content["topology"] = {
        "model": "barabasi-albert",
        "nodes": 40,
        "bandwidth": str(rng.choice(["300kbps", "2Mbps"])),
    }
    content["costs"] = {
        "broker": f"{int(rng.choice([20, 300, 4000]) * rng.uniform(1, 2))}us",
        "first_k": "300us",
        "send": "100us",
    }
    content["network"] |= {"brokers": brokers, "order": "place"}
    content["events"] |= {"count": int(rng.integers(5, 40)), "rate": f"{rate}/s", "arrival": "poisson"}
    content["faults"] |= {
        "crashes": int(rng.integers(0, 5)),
        "delayed": float(rng.choice([0.0, 0.2])),
        "delay": "30ms",
        "downtime": f"{int(rng.integers(0, 30))}ms",
        "joins": 0,
        "leaves": 0,
    }
    if seed % 2:
        content["faults"]["at"] = planned(rng, brokers, small_ingredients(Scenario.model_validate(content)))
    return Scenario.model_validate(content)


def planned(rng: np.random.Generator, brokers: int, ingredients: Ingredients) -> list[dict[str, Any]]:
    """A partition, a crash with or without a restore, a link that is bad for a while, and a crash of the server."""
    end_ms = 1e3 * float(ingredients.events.time_s[-1])
    others = [broker for broker in range(brokers) if broker != ingredients.server]

    def moments(count: int) -> list[str]:
        return [f"{one:.6f}ms" for one in np.sort(rng.random(count)) * end_ms]

    (cut, healed), (crash, restore), (slow, quick), (server,) = moments(2), moments(2), moments(2), moments(1)
    apart = rng.choice(brokers, int(rng.integers(1, brokers)), replace=False).tolist()
    whom, pair = int(rng.choice(others)), rng.choice(brokers, 2, replace=False).tolist()
    faults: list[dict[str, Any]] = [
        {"time": healed, "what": "heal", "whom": apart[::-1]},
        {"time": cut, "what": "partition", "whom": apart},
        {"time": crash, "what": "crash", "whom": [whom]},
        {"time": slow, "what": "delay", "whom": pair, "value": "7ms"},
        {"time": quick, "what": "delay", "whom": pair, "value": "0s"},
        {"time": slow, "what": "loss", "whom": pair, "value": 0.6},
        {"time": server, "what": "crash", "whom": "server"},
    ]
    return faults + [{"time": restore, "what": "restore", "whom": [whom]}] * int(rng.integers(2))


SEEDS = range(30)


@pytest.mark.parametrize("name", NAMES)
def test_every_time_queue_resend_and_byte_follows_from_the_faults(name: str) -> None:
    happened, compared = Counter[tuple[str, str | None]](), 0
    kinds = Counter[str]()
    for seed in SEEDS:
        scenario = faulty_scenario(seed)
        told = check(scenario, small_ingredients(scenario), name)
        if told is not None:
            compared += 1
            kinds[scenario.network.kind] += 1
            happened.update((row["what"], row["why"]) for row in told.faults)
    assert compared > len(SEEDS) / 2
    assert min(kinds["can"], kinds["prefix"], kinds["tree"]) > 4
    wanted: set[tuple[str, str | None]] = {("loss", why) for why in ("link", "partition", "crash", "anew")}
    wanted |= {("delay", "planned"), ("delay", "random"), ("duplicate", "random"), ("resend", None), ("anew", None)}
    wanted |= {(what, why) for what in ("crash", "return") for why in ("random", "planned")} | {("takeover", None)}
    wanted |= {("server crash", why) for why in ("random", "planned") if name != "cn-relax"}
    assert wanted <= set(happened)
