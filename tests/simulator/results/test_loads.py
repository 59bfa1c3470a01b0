"""Loads of brokers and links, path stretch and staleness, against hops walked one by one."""

from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

import paint
from cn import RoutingTree, ZoneNetwork
from simulator.approaches.registry import APPROACHES
from simulator.engine.ledger import Ledger
from simulator.inputs.ingredients import Ingredients
from simulator.results.loads import Bottleneck, Loads, kept_objects, link_table
from simulator.runs.answer import records_of
from simulator.scenario.scenario import Scenario
from simulator.workload.workload import Workload
from tests.cn.walking import follow
from tests.oracles.network import holds
from tests.oracles.routes import best_path, path_bandwidth
from tests.oracles.routing_tree import nearest
from tests.oracles.topk import affected_and_containing, reaches
from tests.simulator.small import random_scenario, small_ingredients


def scenario(kind: str, engine: str) -> Scenario:
    return random_scenario(
        6,
        engine=engine,
        verify="none",
        network={"kind": kind, "brokers": 9, "unicast": "overlay"} | ({"base": 2} if kind == "prefix" else {}),
        objects={"count": 30},
        subscriptions={"count": 80},
        events={"count": 30, "rate": "5000/s"},
    )


class Walked:
    """What an approach sends through a network, message by message and hop by hop, over paths found by networkx."""

    def __init__(self, chosen: Scenario, ingredients: Ingredients) -> None:
        self.ingredients, self.workload = ingredients, ingredients.workload
        self.graph, self.network, self.k = ingredients.graph, ingredients.network, chosen.k
        self.places = dict(enumerate(ingredients.routes.brokers.tolist()))
        self.home = [self._home(s) for s in range(len(self.workload.l))]
        self.crossed: Counter[tuple[int, int]] = Counter()
        self.started: Counter[int] = Counter()
        self.deliveries: Counter[int] = Counter()
        self.notifications: Counter[int] = Counter()
        self.path_hops = self.direct_hops = 0

    def _home(self, subscription: int) -> int:
        if isinstance(self.network, ZoneNetwork):
            ends = float(self.workload.l[subscription]), float(self.workload.r[subscription])
            (home,) = (b for b, extent in enumerate(self.network.zones.table.extents) if holds(extent, *ends))
            return home
        return nearest(self.graph, self.places, int(self.ingredients.nodes[subscription]))

    @cache  # noqa: B019 - it lives as long as the test
    def ip_path(self, a: int, b: int) -> list[int]:
        return best_path(self.graph, self.places[a], self.places[b])

    def _deliver(self, broker: int, source: int, walked: int, notified: int) -> None:
        self.deliveries[broker] += 1
        self.notifications[broker] += notified
        self.path_hops += walked
        self.direct_hops += len(self.ip_path(source, broker)) - 1

    def multicast(self, source: int, row: Any) -> None:
        """Send a message to a region."""
        self.started[source] += 1
        reached = reaches(row, self.workload.l, self.workload.r).tolist()
        met = Counter(home for home, told in zip(self.home, reached, strict=True) if told)
        delivered, hops = follow(self.network, source, row)
        assert set(met) <= set(delivered)
        far = {source: 0}
        for a, b in hops:
            far[b] = far[a] + len(self.ip_path(a, b)) - 1
        self.crossed.update(hops)
        for broker in delivered:
            self._deliver(broker, source, far[broker], met[broker])

    def unicast(self, subscription: int) -> None:
        """Send a message to one subscription, from broker to broker."""
        source, home = self.ingredients.server, self.home[subscription]
        self.started[source] += 1
        if isinstance(self.network, RoutingTree):
            way = nx.shortest_path(nx.Graph(self.network.links.tolist()), source, home)
        else:
            way = self.network.path(source, home)
        self.crossed.update(pairwise(way))
        self._deliver(home, source, sum(len(self.ip_path(a, b)) - 1 for a, b in pairwise(way)), 1)

    def send(self, name: str) -> None:
        """Send what an approach sends for all events, found by sorting, or by a server of its own."""
        workload, events = self.workload, self.ingredients.events
        stream = list(zip(events.object.tolist(), events.y.tolist(), strict=True))
        if name == "paint-dense":
            for row in paint.Server(workload.x, workload.y, k=self.k).replay(events.object, events.y).table:
                self.multicast(self.ingredients.server, row)
        elif name == "cn-relax":
            for origin, (i, _) in zip(events.origin.tolist(), stream, strict=True):
                x = float(workload.x[i])
                self.multicast(origin, {"l_in": x, "r_in": x, "l_out": -np.inf, "r_out": np.inf})
        else:
            objects = dict(enumerate(zip(workload.x.tolist(), workload.y.tolist(), strict=True)))
            ranges = list(zip(workload.l.tolist(), workload.r.tolist(), strict=True))
            for affected, _ in affected_and_containing(objects, stream, ranges, self.k):
                for subscription in affected:
                    self.unicast(subscription)

    def links(self, size: int) -> Counter[tuple[int, int]]:
        """Bytes over every IP link that is used, by its ends."""
        found: Counter[tuple[int, int]] = Counter()
        for (a, b), times in self.crossed.items():
            for link in pairwise(self.ip_path(a, b)):
                found[min(link), max(link)] += times * size
        return found

    def busy_s(self, chosen: Scenario, told: pa.Table, size: int) -> dict[str, float]:
        """Seconds of work: the server's by what it counted for every event, and what all others did with messages."""
        costs, busy = chosen.costs, defaultdict[str, float](float)
        each_s = {"first_k": costs.first_k_s, "min_y": costs.min_y_s, "snap": costs.snap_s, "messages": costs.send_s}
        if not APPROACHES[told["approach"][0].as_py()].serverless:
            busy["server"] = sum(sum(told[name].to_pylist()) * seconds for name, seconds in each_s.items())
        for broker, messages in self.started.items():
            busy[f"broker {broker}"] += messages * costs.broker_s
        for (a, b), times in self.crossed.items():
            busy[f"broker {b}"] += times * costs.broker_s
            byte_s = 8e-6 / path_bandwidth(self.graph, self.ip_path(a, b))
            busy[f"uplink of broker {a}"] += times * size * byte_s
        return dict(busy)


def last_s(told: pa.Table) -> float:
    """When the last message was delivered."""
    rows = zip(told["time"].to_pylist(), told["latency_max"].to_pylist(), strict=True)
    return max(float(time_s + latency_ms / 1e3) for time_s, latency_ms in rows if latency_ms is not None)


@pytest.mark.parametrize("engine", ["tally", "des"])
@pytest.mark.parametrize("kind", ["can", "prefix", "tree"])
@pytest.mark.parametrize("name", ["paint-dense", "unicast", "cn-relax"])
def test_loads_are_those_of_the_hops(name: str, kind: str, engine: str) -> None:
    chosen = scenario(kind, engine)
    ingredients = small_ingredients(chosen)
    loads, ledger = Loads(len(ingredients.network)), Ledger()
    tables = [records_of(chosen, ingredients, name, loads, ledger=ledger)]
    walked = Walked(chosen, ingredients)
    walked.send(name)
    size = 16 if name == "unicast" else 24
    brokers = loads.broker_table(name, 8).to_pylist()
    for broker, row in enumerate(brokers):
        out = sum(times for (a, _), times in walked.crossed.items() if a == broker)
        into = sum(times for (_, b), times in walked.crossed.items() if b == broker)
        assert (row["broker"], row["messages_out"], row["messages_in"]) == (broker, out, into)
        assert row["bytes_out"] == out * size
        assert (row["deliveries"], row["notifications"]) == (walked.deliveries[broker], walked.notifications[broker])
        if engine == "tally":
            assert row["busy_s"] is None
        else:
            assert row["busy_s"] == pytest.approx((into + walked.started[broker]) * chosen.costs.broker_s)

    def total(column: str) -> int:
        return int(sum(table[column].to_numpy().sum() for table in tables))

    assert total("messages") == walked.started.total() > 0
    assert total("zones_reached") == walked.deliveries.total()
    assert total("received_update") + total("received_exposed") == walked.notifications.total() > 0
    told = link_table({name: loads.sent(8)}, ingredients.routes).to_pylist()
    assert {(row["from"], row["to"]): row["bytes"] for row in told} == walked.links(size)
    assert (total("path_hops"), total("direct_hops")) == (walked.path_hops, walked.direct_hops)
    if engine == "tally":
        assert loads.bottleneck(ledger) is None
        assert all(table["stale"].null_count == len(table) for table in tables)
    else:
        bottleneck = loads.bottleneck(ledger)
        assert bottleneck is not None
        busy = walked.busy_s(chosen, tables[0], size)
        waited_s = max(row["longest_wait_s"] for row in brokers)
        # The clock stops when the last message arrives; the records say when it has been served.
        assert -1e-12 <= last_s(tables[0]) - ledger.end_s <= waited_s + chosen.costs.broker_s + 1e-12
        assert bottleneck.utilisation == pytest.approx(max(busy.values()) / ledger.end_s)
        assert busy[bottleneck.what] == pytest.approx(max(busy.values()))
        stale = np.concatenate([table["stale"].to_numpy() for table in tables])
        latest = np.concatenate([table["latency_max"].to_numpy() for table in tables])
        assert np.nanmax(stale - latest) <= 1e-9  # all are followed: a last message is no later than the very last


def test_the_busiest_is_named() -> None:
    assert str(Bottleneck("uplink of broker 3", 0.4567)) == "uplink of broker 3, busy 45.7% of the time"


def test_a_list_holds_k_but_cn_relax_keeps_all_in_range() -> None:
    workload = Workload(2, np.array([0.1, 0.2, 0.3, 0.4]), np.zeros(4), np.array([0.0, 0.2]), np.array([0.2, 0.9]))
    chosen = {name: APPROACHES[name] for name in ("paint-dense", "cn-relax")}
    assert kept_objects(chosen, workload) == {"paint-dense": 2.0, "cn-relax": 2.5}
