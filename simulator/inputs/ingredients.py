"""What a scenario is made of, as arrays: population, objects, topology, routes, brokers and events.

Every random choice has a generator of its own, seeded by (seed, purpose), so that changing one part of a scenario
leaves the others as they were.
"""

import hashlib
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import pipeline
import topologies
from cn import Can, Gateways, Network, PrefixNetwork, RoutingTree, Zones, near_brokers
from floor.cache import cache_dir
from floor.files import clear_leftovers
from floor.steps import Steps, unheard
from simulator.inputs.event_stream import make_events
from simulator.inputs.room import check_room
from simulator.inputs.start import Ranges, Start, XRange, objects_of, population_of, start_of, workload_of
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from simulator.scenario.tables import Topology
from simulator.workload.events import EventStream
from simulator.workload.traces import Updates
from simulator.workload.workload import Workload
from topologies.errors import DisconnectedError

Floats = NDArray[np.float64]

__all__ = [
    "Ingredients",
    "assemble",
    "clear_cache",
    "gather",
    "generator",
    "make_graph",
    "make_zones",
    "network_notes",
    "place_brokers",
    "place_server",
    "topology_seed",
    "with_fresh_network",
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
    "approaches",
    "contacts",
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
    ranges: Ranges = Ranges()
    """Where subscriptions lie."""
    names: Sequence[str] = ()
    """Names of objects by id, where they have any."""
    brought: Updates | None = None
    """Events that are not drawn but come from a trace or list."""
    last_hop_ms: NDArray[np.float32] = np.empty(0, np.float32)
    """Delay from its gateway to each subscription, where the scenario wants that."""

    @property
    def x_range(self) -> XRange:
        """Lowest and highest x to expect of subscriptions; over several attributes of each, or of all alike.

        Of halfspaces and disks, of each side of S.
        """
        return self.ranges.x


def generator(scenario: Scenario, purpose: str) -> np.random.Generator:
    """Random numbers for one purpose of a scenario."""
    return np.random.default_rng([scenario.seed, _PURPOSES.index(purpose)])


def clear_cache() -> None:
    """Remove what processes that were killed have left half-made in the cache."""
    for place in ("objects", "populations", "spark"):
        clear_leftovers(cache_dir() / place)


def gather(
    scenario: Scenario, spark: pipeline.SparkSource, *, in_memory: bool = True, steps: Steps = unheard
) -> Ingredients:
    """Make, or find in the cache, all that a scenario needs.

    Populations and objects are kept below `floor.cache.cache_dir()`, named by a hash of what they follow from.

    Parameters
    ----------
    in_memory : bool
        Whether to read the subscriptions; without, there are none in what is returned.
    steps : Steps
        Told what goes on.

    Raises
    ------
    ScenarioError
        The scenario needs more memory or disk than there is.
    """
    check_room(scenario, in_memory=in_memory)
    steps("making the IP network")
    graph = make_graph(scenario)
    place_brokers(scenario, graph)  # first, since a file may be wrong
    steps("making objects and subscriptions, unless they are kept from before")
    start = start_of(scenario, lambda: pipeline.read_objects(objects_of(scenario, spark)))
    kept = population_of(scenario, spark)
    if in_memory:
        steps("reading the subscriptions")
    workload, location = workload_of(scenario, start, kept if in_memory else None)
    return assemble(scenario, workload, location, graph=graph, start=start, steps=steps)


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
    seed = topology_seed(scenario)
    graph = topologies.MODELS[about.model](about.nodes, seed) if about.file is None else _read_graph(about, seed)
    if scenario.network.brokers > len(graph):
        raise ScenarioError(
            f"network.brokers = {scenario.network.brokers}: each broker needs a node and {about.file} "
            f"has {len(graph)}; lower it"
        )
    if about.bandwidth_mbps is not None:
        nx.set_edge_attributes(graph, dict.fromkeys(graph.edges, about.bandwidth_mbps), "bandwidth_mbps")
    return graph


def topology_seed(scenario: Scenario) -> int:
    """What decides the network of a model, and where nodes of a file stand that have no place there."""
    return int(generator(scenario, "topology").integers(2**31))


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


def assemble(
    scenario: Scenario,
    workload: Workload,
    location: NDArray[np.float64],
    *,
    graph: "nx.Graph[int] | None" = None,
    start: Start | None = None,
    steps: Steps = unheard,
) -> Ingredients:
    """Put brokers, routes, network and events around objects and subscriptions that are given.

    Parameters
    ----------
    location : (m,) float64 array
        Place of each subscription in [0, 1), a share of the nodes.
    graph : networkx.Graph, optional
        The IP network, if `make_graph` has made it already.
    start : Start, optional
        That of the scenario, if it was read already; the workload is made of it.
    steps : Steps
        Told what goes on.
    """
    # Arrow's arrays are read-only, which is another type to Numba: it would compile every kernel a second time.
    x, y, l, r = (np.require(values, requirements="W") for values in workload[1:5])
    seed = int(generator(scenario, "approaches").integers(2**62))
    workload = workload._replace(x=x, y=y, l=l, r=r, seed=seed, **scenario.form._asdict())
    graph = make_graph(scenario) if graph is None else graph
    start = start_of(scenario, lambda: (workload.x, workload.y)) if start is None else start
    found = steps("finding the routes between brokers", scenario.network.brokers)
    routes = topologies.Routes.build(graph, place_brokers(scenario, graph), found)
    steps("making the events and the overlay network")
    purposes, delay_ms = partial(generator, scenario), routes.delay_ms
    events = make_events(scenario.events, workload.x, workload.y, workload.k, delay_ms, purposes, start.brought)
    network = _network(scenario, routes, workload, start.ranges.x)
    steps("giving the subscriptions to their gateways")
    nodes = (location * len(graph)).astype(np.int64)
    gateways = Gateways(network, workload.l, workload.r, nodes=nodes)
    over_ip, server = scenario.network.unicast == "direct", place_server(scenario, network)
    shared = (workload, events, graph, routes, network, gateways, server, nodes, over_ip)
    ingredients = Ingredients(*shared, start.ranges, start.names, start.brought)
    if not scenario.network.last_hop:
        return ingredients
    return ingredients._replace(last_hop_ms=routes.node_delays(gateways.home, nodes))


def place_brokers(scenario: Scenario, graph: "nx.Graph[int]") -> NDArray[np.int64]:
    """Node of each broker of a scenario on its IP network: those it names, or random ones.

    Raises
    ------
    ScenarioError
        It names a node that is not there, or one by its number and by its name.
    """
    count, named = scenario.network.brokers, scenario.network.nodes
    if named is None:
        drawn: NDArray[np.int64] = generator(scenario, "brokers").choice(len(graph), count, replace=False)
        return drawn
    numbers: dict[int | str, int] = {node: node for node in graph}
    numbers |= {str(about.get("name", node)): node for node, about in graph.nodes(data=True)}
    for node in named[:count]:
        if node not in numbers:
            what = f"0 to {len(graph) - 1}" if isinstance(node, int) else "those named in topology.file"
            raise ScenarioError(f"network.nodes = {node!r}: the nodes of the network are {what}; mend or remove it")
    nodes = np.array([numbers[node] for node in named[:count]], np.int64)
    twice = np.flatnonzero(np.bincount(nodes) > 1)
    if len(twice):
        raise ScenarioError(f"network.nodes = {int(twice[0])}: is there by number and by name; remove one of them")
    return nodes


def place_server(scenario: Scenario, network: Network) -> int:
    """Broker of the server: the one that a scenario names, or that in the centre of its network."""
    at = scenario.server.at
    return network.centre if at == "centre" else int(at)


def with_fresh_network(scenario: Scenario, ingredients: Ingredients) -> Ingredients:
    """Ingredients with brokers and gateways as at the start, for an approach that will see them change."""
    workload = ingredients.workload
    network = _network(scenario, ingredients.routes, workload, ingredients.x_range)
    return ingredients._replace(
        network=network, gateways=Gateways(network, workload.l, workload.r, nodes=ingredients.nodes)
    )


def _network(scenario: Scenario, routes: topologies.Routes, workload: Workload, x_range: XRange) -> Network:
    if scenario.network.kind == "tree":
        return RoutingTree(routes, limit=scenario.network.summary_boxes, sides=workload.sides)
    zones, about = make_zones(scenario, (workload.l, workload.r), x_range, lambda: routes), scenario.network
    if about.kind == "can":
        return Can(zones)
    seed = int(generator(scenario, "contacts").integers(2**31))
    base, contacts = about.base or 16, about.contacts or "near"
    return PrefixNetwork(zones, routes.delay_ms, base=base, contacts=contacts, seed=seed)


def make_zones(
    scenario: Scenario,
    ends: tuple[Floats, Floats],
    x_range: XRange,
    routes: Callable[[], topologies.Routes],
) -> Zones:
    """Cut S, over a range of x or one for each attribute, into the zones of a scenario, and give each to a broker.

    Parameters
    ----------
    ends : pair of float64 arrays
        Subscriptions (l, r), by which zones are split if the scenario wants that.
    routes : callable
        Gives the routes of the brokers, if the scenario wants neighbours near each other.

    Raises
    ------
    ScenarioError
        Zones are to be balanced, and there are no subscriptions.
    """
    seed, about = generator(scenario, "zones"), scenario.network
    population = ends if about.zones == "balanced" else None
    if population is not None and not len(population[0]):
        raise ScenarioError(
            'network.zones = "balanced": zones are split at subscriptions, and there are none in memory; '
            'add some, or set it to "even"'
        )
    sides = None if scenario.dimensions == 1 else scenario.form.sides
    zones = Zones(about.brokers, seed=seed, space=about.space, domain=x_range, population=population, sides=sides)
    if about.placement == "near":
        zones.assign(near_brokers(zones, routes().delay_ms))
    return zones
