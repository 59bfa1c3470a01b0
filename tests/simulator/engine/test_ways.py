"""Ways of messages beside the network's own: every hop, delivery and byte of `flood` and `rendezvous`, one by one."""

from typing import Any

import numpy as np
import pytest

from simulator.approaches.registry import APPROACHES, parse_approach
from simulator.engine.audience import Audience
from simulator.engine.carried import Carried
from simulator.engine.carry import carry_events
from simulator.inputs.ingredients import Ingredients
from simulator.runs.answer import verified_records
from simulator.scenario.scenario import Scenario
from tests.oracles.topk import reaches
from tests.oracles.ways import Walk, flooded, met
from tests.simulator.small import random_scenario, run_hops, small_ingredients

EVERYBODY = (np.inf, -np.inf, -np.inf, np.inf)


def small(seed: int, **network: Any) -> tuple[Scenario, Ingredients]:
    about = {"brokers": 9, **network}
    events = {"count": 25, "rate": "300/s", "insert": 0.1, "delete": 0.1, "move": 0.2}
    many = {"objects": {"count": 12}, "subscriptions": {"count": 40}, "events": events, "faults": {}}
    scenario = random_scenario(seed, network=about, k=2, **many)
    return scenario, small_ingredients(scenario)


def walk_of(ingredients: Ingredients, name: str, row: np.void, source: int) -> Walk:
    network, workload = ingredients.network, ingredients.workload
    if name == "flood":
        return flooded(source, lambda broker, came_from: network.next_hops(broker, came_from, *EVERYBODY))
    node = int(ingredients.routes.brokers[int(row["object"]) % len(network)])
    (meeting,) = network.home([row["x"]], [row["x"]], [node]).tolist()
    gateways = set(ingredients.gateways.home[reaches(row, workload.l, workload.r)].tolist())

    def path(a: int, b: int) -> list[int]:
        if not ingredients.unicast_over_ip:
            return network.path(a, b)
        return [a] if a == b else [a, b]

    return met(source, meeting, gateways, path)


def check(carried: Carried, ingredients: Ingredients, name: str) -> int:
    """Every message of a chunk; how many hops they took."""
    traffic, crossed = carried.traffic, np.zeros((9, 9), np.int64)
    ip_hops = ingredients.routes.hops
    for message, (row, source) in enumerate(zip(carried.outgoing.table, carried.sources.tolist(), strict=True)):
        walk = walk_of(ingredients, name, row, source)
        assert traffic.overlay_hops[message] == len(walk.hops)
        assert traffic.ip_hops[message] == sum(ip_hops[hop] for hop in walk.hops)
        mine = traffic.message == message
        far = {gateway: sum(int(ip_hops[hop]) for hop in way) for gateway, way in walk.delivered.items()}
        assert dict(zip(traffic.broker[mine].tolist(), traffic.travelled[mine].tolist(), strict=True)) == far
        assert mine.sum() == len(far)
        for hop in walk.hops:
            crossed[hop] += 1
    told = np.zeros_like(crossed)
    np.add.at(told, tuple(traffic.crossed[:, :2].T), traffic.crossed[:, 2])
    assert (told == crossed).all()
    return int(crossed.sum())


NETWORKS: list[dict[str, Any]] = [
    {"kind": "can", "space": "triangle", "unicast": "direct"},
    {"kind": "can", "space": "square", "unicast": "overlay"},
    {"kind": "prefix", "space": "triangle", "unicast": "overlay", "base": 2},
    {"kind": "prefix", "space": "square", "unicast": "direct", "base": 16},
    {"kind": "tree", "unicast": "overlay"},
    {"kind": "tree", "unicast": "direct", "summary_boxes": 1},
]


@pytest.mark.parametrize("engine", ["tally", "des"])
@pytest.mark.parametrize("network", NETWORKS, ids=lambda about: "-".join(map(str, about.values())))
@pytest.mark.parametrize("name", ["flood", "rendezvous"])
def test_every_hop_and_delivery_is_that_of_a_walk(name: str, network: dict[str, Any], engine: str) -> None:
    scenario, ingredients = small(5, **network)
    scenario, approach = scenario.model_copy(update={"engine": engine}), parse_approach(name)
    session = approach.open(ingredients.workload, approach)
    carrying = carry_events(scenario, ingredients, approach, session, np.empty(0, np.int64))
    assert sum(check(carried, ingredients, name) for carried in carrying) > 0


@pytest.mark.parametrize("name", ["flood", "rendezvous"])
def test_the_same_are_told_as_by_cn_relax(name: str) -> None:
    scenario, ingredients = small(7)
    records = {one: verified_records(scenario, ingredients, one) for one in (name, "cn-relax")}
    assert all(mismatch is None for _, mismatch in records.values())
    tables = [table for table, _ in records.values()]
    for column in ("messages", "received_update", "received_exposed", "bytes_in", "bytes_out"):
        assert tables[0][column].equals(tables[1][column])
    assert not tables[0]["overlay_hops"].equals(tables[1]["overlay_hops"])


@pytest.mark.parametrize("kind", ["can", "prefix"])
def test_a_flood_takes_a_hop_to_every_other_broker(kind: str) -> None:
    scenario, ingredients = small(4, kind=kind, space="triangle")
    table, hops = run_hops(scenario.model_copy(update={"record": ["hops"]}), ingredients, "flood")
    sent = table["messages"].to_numpy()
    assert sent.sum() > 20
    assert (table["overlay_hops"].to_numpy() == 8 * sent).all()
    assert (table["zones_reached"].to_numpy() == 9 * sent).all()
    assert (table["overlay_bytes"].to_numpy() == 24 * 8 * sent).all()
    reached = {(row["event"], row["message"], row["to"]) for row in hops.to_pylist()}
    assert len(reached) == len(hops) == 8 * sent.sum()


@pytest.mark.parametrize("kind", ["can", "prefix", "tree"])
def test_objects_meet_at_several_brokers(kind: str) -> None:
    """Load is spread: more than one broker sends to gateways."""
    scenario, ingredients = small(4, kind=kind, unicast="direct")
    _, hops = run_hops(scenario.model_copy(update={"record": ["hops"]}), ingredients, "rendezvous")
    rows = hops.to_pylist()
    onward = {row["from"] for row in rows if any(b["to"] == row["from"] and b["event"] == row["event"] for b in rows)}
    assert len(onward) > 1


def test_a_message_that_passes_a_gateway_by_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verification sees it when the rendezvous forgets a gateway."""
    scenario, ingredients = small(7)
    right = Audience.name

    def forgetful(self: Audience, table: Any, message: Any, broker: Any) -> Any:
        kept = np.arange(len(message)) % 7 != 3
        named = right(self, table, message[kept], broker[kept])
        return named._replace(delivery=np.flatnonzero(kept)[named.delivery])

    monkeypatch.setattr(Audience, "name", forgetful)
    for name in ("flood", "rendezvous"):
        assert "not notified although" in str(verified_records(scenario, ingredients, name)[1])


def test_they_are_registered_without_anything_in_parentheses() -> None:
    for name in ("flood", "rendezvous"):
        assert APPROACHES[name].takes is None
        with pytest.raises(ValueError, match=f"{name} takes no"):
            parse_approach(f"{name}(0.5)")
