"""What a scenario is made of, as arrays: population, objects, topology, routes, brokers and events.

Every random choice has a generator of its own, seeded by (seed, purpose), so that changing one part of a scenario
leaves the others as they were.
"""

from typing import NamedTuple

import numpy as np
from pyspark.sql import SparkSession

import pipeline
import topologies
from cn import Can, Gateways, Network, Zones
from rangecast import cache_dir

from .approaches import Workload
from .events import EventStream, uniform_events
from .scenario import Scenario

__all__ = ["Ingredients", "gather", "generator"]

_PURPOSES = ("topology", "brokers", "zones", "events", "sample")


class Ingredients(NamedTuple):
    """Everything the approaches of a run share."""

    workload: Workload
    events: EventStream
    routes: topologies.Routes
    network: Network
    gateways: Gateways


def generator(scenario: Scenario, purpose: str) -> np.random.Generator:
    """Random numbers for one purpose of a scenario."""
    return np.random.default_rng([scenario.seed, _PURPOSES.index(purpose)])


def gather(scenario: Scenario, spark: SparkSession) -> Ingredients:
    """Make or find in the cache all that a scenario needs.

    Populations and routes are kept below `rangecast.cache_dir()`, named by a hash of what they follow from.
    """
    population_spec = pipeline.PopulationSpec(
        scenario.subscriptions.distribution, scenario.subscriptions.count, scenario.seed
    )
    kept = pipeline.population(spark, population_spec, cache_dir() / "populations")
    population = pipeline.read_population(kept)
    object_spec = pipeline.ObjectSpec(scenario.objects.distribution, scenario.objects.count, scenario.seed)
    x, y = pipeline.objects(spark, object_spec)

    model = topologies.MODELS[scenario.topology.model]
    graph = model(scenario.topology.nodes, int(generator(scenario, "topology").integers(2**31)))
    brokers = generator(scenario, "brokers").choice(len(graph), scenario.network.brokers, replace=False)
    routes = topologies.Routes.build(graph, brokers, cache_dir() / "routes")
    network = Can(Zones(len(brokers), seed=generator(scenario, "zones"), space=scenario.network.space))

    events = uniform_events(
        y,
        count=scenario.events.count,
        brokers=len(brokers),
        rate_per_s=scenario.events.rate_per_s,
        arrival=scenario.events.arrival,
        rng=generator(scenario, "events"),
    )
    workload = Workload(scenario.k, x, y, population.l, population.r)
    return Ingredients(workload, events, routes, network, Gateways(network, population.l, population.r))
