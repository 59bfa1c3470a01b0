"""The clock under faults against one written down step by step, from the faults that happened."""

import math
from collections import Counter, defaultdict
from itertools import pairwise, product
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
from tests.oracles.clock import Clock
from tests.oracles.clock_inputs import Chance, Place, Way, Window
from tests.oracles.packets import Hop, size_of, together
from tests.oracles.topk import reaches
from tests.simulator.small import random_scenario, small_ingredients
from tests.some_cases import some

NAMES = ("paint-dense", "paint-batch(20ms)", "unicast", "cn-relax")

CONTROL = 8


class Overlay:
    """The network of a scenario, asked broker by broker."""

    def __init__(self, scenario: Scenario, ingredients: Ingredients, approach: Approach) -> None:
        self.ingredients, self.unicast = with_fresh_network(scenario, ingredients), approach.unicast
        self.zones, sizes = generator(scenario, "zones"), scenario.sizes
        self.header = sizes.header_bytes or 0
        self.message = sizes.unicast_bytes if approach.unicast else sizes.message_bytes

    def way(self, messages: list[Any], source: int) -> tuple[list[int], list[Way]]:
        found = [self.alone(message, source) for message in messages]
        packets = [
            Way(*packet, self.size([messages[one] for one in packet.members]))
            for packet in together([hops for _, hops in found])
        ]
        return [place for place, (delivers, _) in enumerate(found) if delivers], packets

    def size(self, messages: list[Any]) -> int:
        return size_of(messages, self.header, self.message)

    def alone(self, message: Any, source: int) -> tuple[bool, list[Hop]]:
        """Whether the source delivers a message, and all its hops."""
        network = self.ingredients.network
        if self.unicast:
            gateway = int(self.ingredients.gateways.home[message["subscription"]])
            direct = [source] if gateway == source else [source, gateway]
            path = direct if self.ingredients.unicast_over_ip else network.path(source, gateway)
            return len(path) == 1, [Hop(a, i - 1, b, i == len(path) - 2) for i, (a, b) in enumerate(pairwise(path))]
        region = [float(message[side]) for side in ("l_in", "r_in", "l_out", "r_out")]
        at_source, onward = network.next_hops(source, -1, *region)
        waiting, ways = [(source, -1, other) for other in onward], list[Hop]()
        for sender, before, receiver in waiting:
            delivers, onward = network.next_hops(receiver, sender, *region)
            waiting += [(receiver, len(ways), other) for other in onward]
            ways.append(Hop(sender, before, receiver, delivers))
        return at_source, ways

    def told(self, message: Any, broker: int) -> list[int]:
        if self.unicast:
            return [int(message["subscription"])]
        workload, home = self.ingredients.workload, self.ingredients.gateways.home
        return np.flatnonzero((home == broker) & reaches(message, workload.l, workload.r)).tolist()

    def leave(self, broker: int) -> None:
        self.ingredients.gateways.rehome(self.ingredients.network.leave(broker))

    def join(self, broker: int) -> None:
        self.ingredients.gateways.rehome(self.ingredients.network.join(broker, self.zones))


def link_faults(rows: list[dict[str, Any]]) -> dict[tuple[int, int, int, int], list[tuple[float, str, float]]]:
    """What chance did to transmissions, out of the rows of `faults.parquet`."""
    found = defaultdict(list)
    for row in rows:
        if row["why"] in ("link", "random") and row["from"] is not None:
            key = (row["event"], row["message"], row["from"], row["to"])
            found[key].append((row["time"], row["what"], row["seconds"]))
    return dict(found)


class Told(NamedTuple):
    """What a run leaves in its files."""

    events: list[dict[str, Any]]
    hops: list[dict[str, Any]]
    brokers: list[dict[str, Any]]
    faults: list[dict[str, Any]]


def told_by_the_engine(scenario: Scenario, ingredients: Ingredients, name: str) -> Told:
    hops, faults, log = list[pa.Table](), list[pa.Table](), FaultLog()
    loads, ledger = Loads(len(ingredients.network)), Ledger(faults=log)
    records = FaultRecords(name, log, ledger.happened, faults.append)
    collectors = HopRecords(scenario, name, hops.append), records, loads
    events = records_of(scenario, ingredients, name, *collectors, ledger=ledger)
    return Told(
        events.to_pylist(),
        pa.concat_tables([HOPS.empty_table(), *hops]).to_pylist(),
        loads.broker_table(name, CONTROL).to_pylist(),
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
            rows = list(outgoing.table[first:last])
            messages = [rows] * bool(rows) if scenario.network.bundle else [[row] for row in rows]
            windows.append(Window(number, arisen, float(chunk.closes_s[at]), service_s, messages))
    return windows


def right(scenario: Scenario, ingredients: Ingredients, name: str, faults: list[dict[str, Any]]) -> Clock:
    """The same run, step by step."""
    approach, about, routes = parse_approach(name), scenario.faults, ingredients.routes
    server = ingredients.server
    bits_s = (8 / (routes.bandwidth_mbps[:] * 1e6)).tolist()
    place = Place(
        brokers=len(ingredients.network),
        server=None if approach.serverless else server,
        delay_s=(routes.delay_ms / 1e3).tolist(),
        byte_s=bits_s,
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


def compare_hops(told: Told, clock: Clock, bundle: bool) -> None:
    """Every transmission with its messages and bytes, its departure and arrival."""
    packets = defaultdict[tuple[Any, ...], list[dict[str, Any]]](list)
    met = Counter[tuple[Any, ...]]()
    for number, row in enumerate(told.hops):
        if row["kind"] in ("message", "resent"):
            arrive = math.inf if row["arrive"] is None else row["arrive"]
            key = (row["event"], row["from"], row["to"], row["depart"], arrive, row["kind"])
            met[*key, row["message"]] += 1  # a packet and its copy may both be lost
            packets[*key, met[*key, row["message"]] if bundle else number].append(row)
    got = sorted(
        (event, tuple(row["message"] for row in rows), *ends, sum(row["bytes"] for row in rows), depart, arrive)
        for (event, *ends, depart, arrive, _, _), rows in packets.items()
    )
    expected = sorted(
        (*row[:4], row.size, row.depart_s * 1e3, math.inf if math.isnan(row.arrive_s) else row.arrive_s * 1e3)
        for row in clock.sent
    )
    assert [row[:5] for row in got] == [row[:5] for row in expected]
    assert np.allclose([row[5:] for row in got], [row[5:] for row in expected], rtol=0, atol=1e-6)


def compare_acknowledgements(told: Told, clock: Clock, lossy: bool) -> None:
    """One for every transmission that came, sent back at once."""
    keys = ("event", "message", "from", "to")
    got = sorted(
        (*(row[key] for key in keys), row["depart"]) for row in told.hops if row["kind"] == "acknowledgement"
    )
    came = [row for row in clock.sent if lossy and not math.isnan(row.arrive_s)]
    expected = sorted((row.event, row.messages[0], row.receiver, row.sender, row.arrive_s * 1e3) for row in came)
    assert [row[:4] for row in got] == [row[:4] for row in expected]
    assert np.allclose([row[4] for row in got], [row[4] for row in expected], rtol=0, atol=1e-6)


def compare_events(told: Told, clock: Clock, routes: Any, lossy: bool) -> None:
    """Bytes, deliveries and the latest delivery of every event."""
    hops, links, size, link_size, resent = (Counter[int]() for _ in range(5))
    control, control_links = Counter[int](), Counter[int]()
    came = [sent for sent in clock.sent if lossy and not math.isnan(sent.arrive_s)]
    for sent in came:
        control[sent.event] += CONTROL
        control_links[sent.event] += CONTROL * int(routes.hops[sent.receiver, sent.sender])
    for sent in clock.sent:
        far = int(routes.hops[sent.sender, sent.receiver])
        hops[sent.event] += len(sent.messages)
        links[sent.event] += len(sent.messages) * far
        size[sent.event] += sent.size
        link_size[sent.event] += sent.size * far
        resent[sent.event] += sent.size * sent.again
    reached, told_to, latest = Counter[int](), Counter[int](), dict[int, float]()
    seen = set[tuple[int, int, int]]()
    for one in clock.deliveries:
        reached[one.event] += 1
        told_to[one.event] += len(one.subscriptions)
        news = {(one.event, one.message, s) for s in one.subscriptions} - seen  # what comes again has no latency
        if news:
            latest[one.event] = max(latest.get(one.event, 0.0), one.time_s)
        seen |= news
    for row in told.events:
        event, server = row["event"], clock.place.server
        assert row["control_bytes"] == control[event], event
        acknowledged = sum(CONTROL for one in came if (one.event, one.receiver) == (event, server))
        assert row["bytes_out"] == (0 if server is None else clock.out[event] + acknowledged), event
        assert (row["overlay_hops"], row["overlay_bytes"]) == (hops[event], size[event] + control[event]), event
        assert (row["ip_hops"], row["ip_bytes"]) == (links[event], link_size[event] + control_links[event]), event
        assert row["resent_bytes"] == resent[event], event
        assert row["zones_reached"] == reached[event], event
        assert row["received_update"] + row["received_exposed"] == told_to[event], event
        wait = None if event not in latest else (latest[event] - row["time"]) * 1e3
        assert (row["latency_max"] is None) == (wait is None), event
        assert wait is None or abs(row["latency_max"] - wait) < 1e-6, event


def compare_brokers(told: Told, clock: Clock) -> None:
    """Queues, and what every broker sent, got and delivered."""
    for row in told.brokers:
        broker = row["broker"]
        services = [service[1:] for service in clock.services if service[0] == broker]
        waits = [begins - came for came, begins, *_ in services]
        went = [one for one in clock.sent if one.sender == broker]
        assert row["messages_in"] == sum(len(one.messages) for one in clock.sent if one.receiver == broker), broker
        assert row["messages_out"] == sum(len(one.messages) for one in went), broker
        assert row["bytes_out"] - row["control_bytes"] == sum(one.size for one in went), broker
        assert row["deliveries"] == sum(one.broker == broker for one in clock.deliveries), broker
        notified = sum(len(one.subscriptions) for one in clock.deliveries if one.broker == broker)
        assert row["notifications"] == notified, broker
        assert abs(row["busy_s"] - sum(done - begins for _, begins, done, _ in services)) < 1e-8, broker
        waited = sum(count * (begins - came) for came, begins, _, count in services)
        assert abs(row["waited_s"] - waited) < 1e-8, broker
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
    compare_hops(told, clock, scenario.network.bundle)
    compare_faults(told, clock)
    compare_acknowledgements(told, clock, scenario.faults.lossy)
    compare_events(told, clock, ingredients.routes, scenario.faults.lossy)
    compare_brokers(told, clock)
    return told


def faulty_scenario(seed: int, *, bundle: bool = False) -> Scenario:
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
    content["network"] |= {"brokers": brokers, "order": "place", "bundle": bundle}
    content["sizes"] |= {"header": "13B"} if bundle else {}
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


EVERY = [*product(NAMES, [False]), *product(NAMES[:3], [True])]


@pytest.mark.parametrize(("name", "bundle"), some(EVERY, lambda one: EVERY.index(one) in (1, 3, 4, 6)))
def test_every_time_queue_resend_and_byte_follows_from_the_faults(name: str, bundle: bool) -> None:
    happened, compared, saved = Counter[tuple[str, str | None]](), 0, 0
    kinds = Counter[str]()
    for seed in SEEDS:
        scenario = faulty_scenario(seed, bundle=bundle)
        told = check(scenario, small_ingredients(scenario), name)
        if told is not None:
            compared += 1
            kinds[scenario.network.kind] += 1
            happened.update((row["what"], row["why"]) for row in told.faults)
            size = scenario.sizes.of(parse_approach(name))
            saved += sum(size - row["bytes"] for row in told.hops if row["kind"] in ("message", "resent"))
    assert (saved > 1000) == bundle
    assert compared > len(SEEDS) / 2
    assert min(kinds["can"], kinds["prefix"], kinds["tree"]) > 4
    wanted: set[tuple[str, str | None]] = {("loss", why) for why in ("link", "partition", "crash", "anew")}
    wanted |= {("delay", "planned"), ("delay", "random"), ("duplicate", "random"), ("resend", None), ("anew", None)}
    wanted |= {(what, why) for what in ("crash", "return") for why in ("random", "planned")} | {("takeover", None)}
    wanted |= {("server crash", why) for why in ("random", "planned") if name != "cn-relax"}
    assert wanted <= set(happened)
