"""What a scenario is made of, as arrays: population, objects, topology, routes, brokers and events.

Every random choice has a generator of its own, seeded by (seed, purpose), so that changing one part of a scenario
leaves the others as they were.
"""

import hashlib
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import pipeline
import topologies
from cn import Can, Gateways, Network, RoutingTree, Zones
from floor.cache import cache_dir, cache_place
from floor.files import clear_leftovers
from simulator.inputs.event_stream import make_events
from simulator.inputs.room import check_room
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from simulator.scenario.tables import Topology
from simulator.workload.events import EventStream
from simulator.workload.traces import Trace, read_trace
from simulator.workload.workload import Workload
from topologies.errors import DisconnectedError

Floats = NDArray[np.float64]

__all__ = [
    "Ingredients",
    "all_cached",
    "assemble",
    "clear_cache",
    "gather",
    "generator",
    "lay_out",
    "make_graph",
    "make_zones",
    "network_notes",
    "objects_of",
    "place_brokers",
    "population_of",
    "trace_of",
    "with_fresh_network",
    "x_range_of",
]

_PURPOSES = (
    "topology",
    "brokers",
    "zones",
    "events",
    "sample",
    "mixture",
    "arrivals",
    "origins",
    "faults",
    "links",
)


class Ingredients(NamedTuple):
    """Everything the approaches of a run share."""

    workload: Workload
    events: EventStream
    graph: "nx.Graph[int]"
    routes: topologies.Routes
    network: Network
    gateways: Gateways
    server: int
    """Broker of the server; it stays there, whatever becomes of the zones."""
    nodes: NDArray[np.int64]
    """Node of each subscription."""
    unicast_over_ip: bool
    """Whether messages to single subscriptions take the IP path instead of the overlay."""
    x_range: tuple[float, float] = (0.0, 1.0)
    """Where subscriptions lie."""
    names: Sequence[str] = ()
    """Names of the objects by id, where the events come from a history."""


def generator(scenario: Scenario, purpose: str) -> np.random.Generator:
    """Random numbers for one purpose of a scenario."""
    return np.random.default_rng([scenario.seed, _PURPOSES.index(purpose)])


def clear_cache() -> None:
    """Remove what processes that were killed have left half-made in the cache."""
    for place in ("objects", "populations", "routes", "spark"):
        clear_leftovers(cache_dir() / place)


def all_cached(scenario: Scenario) -> bool:
    """Whether the subscriptions and objects of a scenario are in the cache, so that `gather` needs no Spark."""
    population = pipeline.population_path(_population_spec(scenario), cache_dir() / "populations")
    objects = pipeline.object_path(_object_spec(scenario), cache_dir() / "objects")
    return population.exists() and (scenario.events.file is not None or objects.exists())


def objects_of(scenario: Scenario, spark: pipeline.SparkSource) -> Path:
    """Path of the objects of a scenario: its trace, or an array as `pipeline.object_file` makes it."""
    if scenario.events.file is not None:
        return Path(scenario.events.file)
    return pipeline.object_file(spark, _object_spec(scenario), cache_place("objects")).absolute()


def population_of(scenario: Scenario, spark: pipeline.SparkSource) -> Path:
    """Path of the subscriptions of a scenario, made by Spark if they are not in the cache."""
    return pipeline.population(spark, _population_spec(scenario), cache_place("populations")).absolute()


def _object_spec(scenario: Scenario) -> pipeline.ObjectSpec:
    return pipeline.ObjectSpec(scenario.objects.distribution, scenario.objects.count, scenario.seed)


def _population_spec(scenario: Scenario) -> pipeline.PopulationSpec:
    return pipeline.PopulationSpec(scenario.subscriptions.distribution, scenario.subscriptions.count, scenario.seed)


def gather(scenario: Scenario, spark: pipeline.SparkSource, *, in_memory: bool = True) -> Ingredients:
    """Make, or find in the cache, all that a scenario needs.

    Populations, objects and routes are kept below `floor.cache.cache_dir()`, named by a hash of what they follow
    from.

    Parameters
    ----------
    in_memory : bool
        Whether to read the subscriptions; without, there are none in what is returned.

    Raises
    ------
    ScenarioError
        The scenario needs more memory or disk than there is.
    """
    check_room(scenario, in_memory=in_memory)
    graph, trace = make_graph(scenario), trace_of(scenario)  # first, since a file may be wrong
    kept = population_of(scenario, spark)
    l = r = location = np.empty(0)
    if in_memory:
        population = pipeline.read_population(kept)
        l, r, location = population.l, population.r, population.location
    x, y = pipeline.read_objects(objects_of(scenario, spark)) if trace is None else (trace.x, trace.y)
    workload = lay_out(scenario, (x, y), (l, r), trace)
    routes = cache_place("routes")
    return assemble(scenario, workload, location, routes_cache=routes, graph=graph, trace=trace)


def make_graph(scenario: Scenario) -> "nx.Graph[int]":
    """Make or read the IP network of a scenario; `graph.graph["reduced"]` says so if only a part of a file was kept.

    Raises
    ------
    TopologyError
        The file is broken, changed since the scenario was read, or holds several parts.
    ScenarioError
        There are fewer nodes in it than brokers.
    """
    about = scenario.topology
    seed = int(generator(scenario, "topology").integers(2**31))
    graph = topologies.MODELS[about.model](about.nodes, seed) if about.file is None else _read_graph(about, seed)
    if scenario.network.brokers > len(graph):
        raise ScenarioError(
            f"network.brokers = {scenario.network.brokers}: each broker needs a node and {about.file} "
            f"has {len(graph)}; lower it"
        )
    if about.bandwidth_mbps is not None:
        nx.set_edge_attributes(graph, dict.fromkeys(graph.edges, about.bandwidth_mbps), "bandwidth_mbps")
    return graph


def network_notes(graph: "nx.Graph[int]") -> list[str]:
    """What was left out of the file that a network was read from, a line each."""
    return [str(graph.graph[key]) for key in ("reduced", "passed_over") if key in graph.graph]


def _read_graph(about: Topology, seed: int) -> "nx.Graph[int]":
    path = Path(str(about.file))
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "kept the largest")  # told as a note, here and below
            warnings.filterwarnings("ignore", "passed over")
            graph = topologies.read_network(path, about.format, about.largest, seed)
    except DisconnectedError as error:
        raise DisconnectedError(f"{error}: set topology.largest = true") from None
    if about.sha256 not in (None, hashlib.sha256(path.read_bytes()).hexdigest()):
        raise topologies.TopologyError(f"{path}: changed since the scenario was read; start again")
    return graph


def trace_of(scenario: Scenario) -> Trace | None:
    """Read the trace of a scenario, if it has one.

    Raises
    ------
    TraceError, PipelineError
        It cannot be run, or changed since the scenario was read.
    """
    events = scenario.events
    count = events.count if events.duration_s is None else None
    return None if events.file is None else read_trace(Path(events.file), count, events.sha256)


def lay_out(
    scenario: Scenario, objects: tuple[Floats, Floats], ends: tuple[Floats, Floats], trace: Trace | None
) -> Workload:
    """Workload of objects (x, y) and of subscriptions with ends (l, r) in [0, 1], laid over the range of a trace."""
    l, r = (pipeline.spread_ends(end, x_range_of(trace)) for end in ends)
    return Workload(scenario.k, *objects, l, r)


def x_range_of(trace: Trace | None) -> tuple[float, float]:
    """Lowest and highest x that subscriptions may have: those of a trace, or else 0 and 1."""
    return (0.0, 1.0) if trace is None else trace.x_range


def assemble(
    scenario: Scenario,
    workload: Workload,
    location: NDArray[np.float64],
    *,
    routes_cache: Path | None = None,
    graph: "nx.Graph[int] | None" = None,
    trace: Trace | None = None,
) -> Ingredients:
    """Put brokers, routes, network and events around objects and subscriptions that are given.

    Parameters
    ----------
    location : (m,) float64 array
        Place of each subscription in [0, 1), a share of the nodes.
    routes_cache : Path, optional
        Directory that keeps routes.
    graph : networkx.Graph, optional
        The IP network, if `make_graph` has made it already.
    trace : Trace, optional
        That of the scenario, if it was read already; the workload is laid over its range.
    """
    # Arrow's arrays are read-only, which is another type to Numba: it would compile every kernel a second time.
    arrays = (np.require(values, requirements="W") for values in workload[1:])
    workload = Workload(workload.k, *arrays)
    graph = make_graph(scenario) if graph is None else graph
    trace = trace_of(scenario) if trace is None else trace
    brokers = place_brokers(scenario, graph)
    routes = topologies.Routes.build(graph, brokers, routes_cache)
    purposes, updates = partial(generator, scenario), None if trace is None else trace.updates
    events = make_events(scenario.events, workload.x, workload.y, workload.k, len(brokers), purposes, updates)
    x_range = x_range_of(trace)
    network = _network(scenario, routes, workload, x_range)
    nodes = (location * len(graph)).astype(np.int64)
    gateways = Gateways(network, workload.l, workload.r, nodes=nodes)
    over_ip = scenario.network.unicast == "direct"
    names = () if trace is None else trace.names
    shared = (workload, events, graph, routes, network, gateways, network.server, nodes, over_ip)
    return Ingredients(*shared, x_range, names)


def place_brokers(scenario: Scenario, graph: "nx.Graph[int]") -> NDArray[np.int64]:
    """Node of each broker of a scenario on its IP network."""
    nodes: NDArray[np.int64] = generator(scenario, "brokers").choice(
        len(graph), scenario.network.brokers, replace=False
    )
    return nodes


def with_fresh_network(scenario: Scenario, ingredients: Ingredients) -> Ingredients:
    """Ingredients with brokers and gateways as at the start, for an approach that will see them change."""
    workload = ingredients.workload
    network = _network(scenario, ingredients.routes, workload, ingredients.x_range)
    return ingredients._replace(
        network=network, gateways=Gateways(network, workload.l, workload.r, nodes=ingredients.nodes)
    )


def _network(
    scenario: Scenario, routes: topologies.Routes, workload: Workload, x_range: tuple[float, float]
) -> Network:
    if scenario.network.kind == "tree":
        return RoutingTree(routes, limit=scenario.network.summary_boxes)
    population = (workload.l, workload.r) if scenario.network.balance == "population" else None
    return Can(make_zones(scenario, population, x_range))


def make_zones(scenario: Scenario, population: tuple[Floats, Floats] | None, x_range: tuple[float, float]) -> Zones:
    """Cut S, over a range of x, into the zones of a scenario; `population` are subscriptions to balance them by."""
    seed, about = generator(scenario, "zones"), scenario.network
    return Zones(about.brokers, seed=seed, space=about.space, domain=x_range, population=population)
