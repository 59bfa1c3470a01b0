"""Loads of brokers and links, path stretch and staleness, against hops walked one by one."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from simulator.approaches.registry import APPROACHES
from simulator.engine.journeys import journeys_of, sources_of
from simulator.engine.ledger import Ledger
from simulator.results.loads import Bottleneck, Loads, kept_objects
from simulator.runs.answer import records_of
from simulator.scenario.scenario import Scenario
from simulator.workload.windows import chunks_of
from simulator.workload.workload import Workload
from tests.simulator.small import random_scenario, small_ingredients


def scenario(kind: str, engine: str) -> Scenario:
    return random_scenario(
        6,
        engine=engine,
        verify="none",
        network={"kind": kind, "brokers": 9, "unicast": "overlay"},
        objects={"count": 30},
        subscriptions={"count": 80},
        events={"count": 30, "rate": "5000/s"},
    )


@pytest.mark.parametrize("engine", ["tally", "des"])
@pytest.mark.parametrize("kind", ["can", "tree"])
@pytest.mark.parametrize("name", ["paint-dense", "unicast", "cn-relax"])
def test_loads_are_those_of_the_hops(name: str, kind: str, engine: str) -> None:
    chosen = scenario(kind, engine)
    ingredients, approach = small_ingredients(chosen), APPROACHES[name]
    loads, ledger = Loads(len(ingredients.network)), Ledger()
    tables = [records_of(chosen, ingredients, name, loads, ledger=ledger)]
    session = approach.open(ingredients.workload, approach)
    crossed: Counter[tuple[int, int]] = Counter()
    links: Counter[tuple[int, int]] = Counter()
    path, direct = 0, 0
    size = 16 if name == "unicast" else 24
    for chunk in chunks_of(ingredients.events):
        outgoing = session.answer(chunk)
        sources = sources_of(ingredients, approach, chunk, outgoing)
        hops = journeys_of(ingredients, approach, outgoing, sources)
        for message, source in enumerate(sources.tolist()):
            far = {source: 0}
            for row in range(hops.offsets[message], hops.offsets[message + 1]):
                a, b = int(hops.senders[row]), int(hops.receivers[row])
                far[b] = far[a] + int(ingredients.routes.hops[a, b])
                crossed[a, b] += 1
                for pair in pairwise(ingredients.routes.path(a, b)):
                    links[min(pair), max(pair)] += size
                if hops.delivers[row]:
                    path += far[b]
                    direct += int(ingredients.routes.hops[source, b])
    brokers = loads.broker_table(name, size).to_pylist()
    for row in brokers:
        assert row["messages_out"] == sum(times for (a, _), times in crossed.items() if a == row["broker"])
        assert row["messages_in"] == sum(times for (_, b), times in crossed.items() if b == row["broker"])
        assert row["bytes_out"] == row["messages_out"] * size
        assert (row["busy_s"] is None) == (engine == "tally")

    def total(column: str) -> int:
        return int(sum(table[column].to_numpy().sum() for table in tables))

    assert sum(row["deliveries"] for row in brokers) == total("zones_reached")
    received = total("received_update") + total("received_exposed")
    assert sum(row["notifications"] for row in brokers) == received
    told = loads.link_table(name, size, ingredients.routes).to_pylist()
    assert {(row["from"], row["to"]): row["bytes"] for row in told} == links
    assert (total("path_hops"), total("direct_hops")) == (path, direct)
    if engine == "tally":
        assert loads.bottleneck(ledger) is None
        assert all(table["stale"].null_count == len(table) for table in tables)
    else:
        bottleneck = loads.bottleneck(ledger)
        assert bottleneck is not None
        assert 0 < bottleneck.utilisation <= 1
        served = sum(row["busy_s"] for row in brokers) / chosen.costs.broker_s
        assert served == pytest.approx(sum(crossed.values()) + total("messages"))
        stale = np.concatenate([table["stale"].to_numpy() for table in tables])
        latest = np.concatenate([table["latency_max"].to_numpy() for table in tables])
        assert np.nanmax(stale - latest) <= 1e-9  # all are followed: a last message is no later than the very last


def test_the_busiest_is_named() -> None:
    assert str(Bottleneck("uplink of broker 3", 0.4567)) == "uplink of broker 3, busy 45.7% of the time"


def test_a_list_holds_k_but_cn_relax_keeps_all_in_range() -> None:
    load = Workload(2, np.array([0.1, 0.2, 0.3, 0.4]), np.zeros(4), np.array([0.0, 0.2]), np.array([0.2, 0.9]))
    chosen = {name: APPROACHES[name] for name in ("paint-dense", "cn-relax")}
    assert kept_objects(chosen, load) == {"paint-dense": 2.0, "cn-relax": 2.5}
