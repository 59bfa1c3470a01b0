"""What a scenario is made of, as arrays: population, objects, topology, routes, brokers and events.

Every random choice has a generator of its own, seeded by (seed, purpose), so that changing one part of a scenario
leaves the others as they were.
"""

from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from pyspark.sql import SparkSession

import pipeline
import topologies
from cn import Can, Gateways, Network, RoutingTree, Zones
from rangecast import cache_dir

from .approaches import Workload
from .events import EventStream, uniform_events
from .scenario import Scenario

__all__ = ["Ingredients", "assemble", "gather", "generator"]

_PURPOSES = ("topology", "brokers", "zones", "events", "sample")


class Ingredients(NamedTuple):
    """Everything the approaches of a run share."""

    workload: Workload
    events: EventStream
    graph: "nx.Graph[int]"
    routes: topologies.Routes
    network: Network
    gateways: Gateways
    nodes: NDArray[np.int64]
    """Node of each subscription."""
    unicast_over_ip: bool
    """Whether messages to single subscriptions take the IP path instead of the overlay."""


def generator(scenario: Scenario, purpose: str) -> np.random.Generator:
    """Random numbers for one purpose of a scenario."""
    return np.random.default_rng([scenario.seed, _PURPOSES.index(purpose)])


def gather(scenario: Scenario, spark: SparkSession) -> Ingredients:
    """Make, or find in the cache, all that a scenario needs.

    Populations and routes are kept below `rangecast.cache_dir()`, named by a hash of what they follow from.
    """
    population_spec = pipeline.PopulationSpec(
        scenario.subscriptions.distribution, scenario.subscriptions.count, scenario.seed
    )
    kept = pipeline.population(spark, population_spec, cache_dir() / "populations")
    population = pipeline.read_population(kept)
    object_spec = pipeline.ObjectSpec(scenario.objects.distribution, scenario.objects.count, scenario.seed)
    x, y = pipeline.objects(spark, object_spec)
    workload = Workload(scenario.k, x, y, population.l, population.r)
    return assemble(scenario, workload, population.location, routes_cache=cache_dir() / "routes")


def assemble(
    scenario: Scenario, workload: Workload, location: NDArray[np.float64], *, routes_cache: Path | None = None
) -> Ingredients:
    """Put brokers, routes, network and events around objects and subscriptions that are given.

    Parameters
    ----------
    location : (m,) float64 array
        Place of each subscription in [0, 1), a share of the nodes.
    routes_cache : Path, optional
        Directory that keeps routes.
    """
    # Arrow's arrays are read-only, which is another type to Numba: it would compile every kernel a second time.
    arrays = (np.require(values, requirements="W") for values in workload[1:])
    workload = Workload(workload.k, *arrays)
    model = topologies.MODELS[scenario.topology.model]
    graph = model(scenario.topology.nodes, int(generator(scenario, "topology").integers(2**31)))
    if scenario.topology.bandwidth_mbps is not None:
        same = dict.fromkeys(graph.edges, scenario.topology.bandwidth_mbps)
        nx.set_edge_attributes(graph, same, "bandwidth_mbps")
    brokers = generator(scenario, "brokers").choice(len(graph), scenario.network.brokers, replace=False)
    routes = topologies.Routes.build(graph, brokers, routes_cache)
    events = uniform_events(
        workload.y,
        count=scenario.events.count,
        brokers=len(brokers),
        rate_per_s=scenario.events.rate_per_s,
        arrival=scenario.events.arrival,
        rng=generator(scenario, "events"),
    )
    network = _network(scenario, routes)
    nodes = (location * len(graph)).astype(np.int64)
    gateways = Gateways(network, workload.l, workload.r, nodes=nodes)
    over_ip = scenario.network.unicast == "direct"
    return Ingredients(workload, events, graph, routes, network, gateways, nodes, over_ip)


def _network(scenario: Scenario, routes: topologies.Routes) -> Network:
    if scenario.network.kind == "tree":
        return RoutingTree(routes, limit=scenario.network.summary_boxes)
    seed = generator(scenario, "zones")
    return Can(Zones(len(routes.brokers), seed=seed, space=scenario.network.space))
