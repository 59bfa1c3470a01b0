"""Ingredients follow from the scenario, without Spark where arrays are given."""

import numpy as np

from simulator.approaches import Workload
from simulator.ingredients import assemble
from simulator.scenario import Scenario


def test_bandwidth_is_that_of_every_link_when_given() -> None:
    rng = np.random.default_rng(0)
    l, r = np.sort(rng.random((2, 30)), axis=0)
    workload = Workload(2, rng.random(10), rng.random(10), l, r)
    values = {"name": "x", "k": 2, "approaches": ["unicast"], "objects": {"count": 10}, "network": {"brokers": 5}}
    topology = {"model": "barabasi-albert", "nodes": 60}
    made = {}
    for bandwidth in ({}, {"bandwidth": "2.5Gbps"}):
        scenario = Scenario.model_validate(values | {"topology": topology | bandwidth})
        routes = assemble(scenario, workload, rng.random(30)).routes
        made[bool(bandwidth)] = routes.bandwidth_mbps[~np.eye(5, dtype=bool)]
    assert set(made[True]) == {2500.0}
    assert set(made[False]) <= {100.0, 1_000.0, 10_000.0}
