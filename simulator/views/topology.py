"""The networks of a scenario described in a few lines and drawn: brokers on the map, zones of S, both by load."""

from pathlib import Path

import matplotlib as mpl
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

import pipeline
from cn import Can, RoutingTree, fewest_hops
from simulator.approaches.registry import parse_approach
from simulator.engine.audience import Audience
from simulator.engine.tally import tally
from simulator.inputs.ingredients import Ingredients, gather, network_notes
from simulator.scenario.scenario import Scenario
from simulator.views.output import PICTURES, check_out, write_picture
from simulator.workload.windows import chunks_of

__all__ = ["describe_topology", "draw_zones"]


def describe_topology(scenario: Scenario, out: Path, *, master: str) -> list[str]:
    """Draw the networks of a scenario to a file; the facts worth printing.

    Raises
    ------
    OutputError
        When the picture cannot be written; as far as can be told, before anything else is done.
    PipelineError
        `master` is no Spark master.
    """
    check_out(out, PICTURES)
    spark = pipeline.spark_source(master)
    ingredients = gather(scenario, spark)
    load, hops = _carry(ingredients, scenario.approaches[0])
    title = f"{scenario.name}: messages delivered to each broker, {scenario.approaches[0]}"
    write_picture(_draw(ingredients, load, title), out)
    graph, routes, network = ingredients.graph, ingredients.routes, ingredients.network
    degrees = [degree for _, degree in graph.degree]
    apart = routes.hops[np.triu_indices(len(routes.brokers), 1)]
    held = np.bincount(ingredients.gateways.home, minlength=len(network))
    left_out = [f"                    {line}" for line in network_notes(graph)]
    return [
        f"IP network          {len(graph):,} nodes, {graph.size():,} links, largest degree {max(degrees):,}",
        *left_out,
        f"brokers             {len(network):,}, {_spread(apart)} IP hops apart, server is broker {network.server}",
        f"overlay             {scenario.network.kind}, {len(_overlay_links(ingredients)):,} links",
        f"subscriptions       {_spread(held)} per broker",
        f"messages delivered  {_spread(load)} per broker, {scenario.approaches[0]}, {scenario.events.extent}",
        f"overlay hops        {hops}",
    ]


def _carry(ingredients: Ingredients, name: str) -> tuple[NDArray[np.int64], str]:
    """Messages of an approach delivered to each broker over all events, (brokers,) int64; and the hops they took."""
    approach = parse_approach(name)
    session = approach.open(ingredients.workload, approach)
    network, load = ingredients.network, np.zeros(len(ingredients.network), np.int64)
    hops, fewest = [], 0
    nobody = Audience(ingredients, approach, np.empty(0, np.int64))
    chunks = chunks_of(ingredients.events, approach.window)
    for carried in tally(ingredients, approach, session, nobody, chunks, record_hops=True):
        outgoing, traffic = carried.outgoing, carried.traffic
        load += np.bincount(traffic.broker, minlength=len(load))
        hops.append(traffic.overlay_hops)
        if isinstance(network, Can) and not approach.unicast and len(outgoing.table):
            offsets = np.searchsorted(traffic.message, np.arange(len(outgoing.table) + 1))
            fewest += int(fewest_hops(network.zones, offsets, traffic.broker, carried.sources).sum())
    taken = np.concatenate(hops)
    told = f"{_spread(taken)} per message"
    return load, f"{told}, {taken.sum() / fewest:.2f} times the fewest that a minimum tree takes" if fewest else told


def _spread(values: NDArray[np.integer]) -> str:
    return f"{values.mean():,.1f} (at most {values.max():,})" if values.size else "no"


def _overlay_links(ingredients: Ingredients) -> NDArray[np.int64]:
    """Pairs of brokers that are neighbours in the overlay, (links, 2)."""
    network = ingredients.network
    if isinstance(network, RoutingTree):
        return network.links
    if not isinstance(network, Can):
        return np.empty((0, 2), np.int64)
    table = network.zones.table
    owners = np.repeat(np.arange(len(table.sides)), table.sides[:, 4] - table.sides[:, 0])
    pairs = np.column_stack((owners, table.neighbours))
    return pairs[pairs[:, 0] < pairs[:, 1]]


def _draw(ingredients: Ingredients, load: NDArray[np.int64], title: str) -> Figure:
    colours = ScalarMappable(LogNorm(1, max(int(load.max()), 2)), "viridis_r")
    zoned = isinstance(ingredients.network, Can)
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(11 if zoned else 6, 5), layout="constrained")
        axes = figure.subplots(1, 2 if zoned else 1, squeeze=False)[0]
        figure.suptitle(title)
        _draw_map(axes[0], ingredients, load, colours)
        if isinstance(ingredients.network, Can):
            draw_zones(axes[1], ingredients.network, load, colours)
        figure.colorbar(colours, ax=list(axes), label="messages delivered (white: none)")
    return figure


def _colour(load: int, colours: ScalarMappable) -> tuple[float, float, float, float]:
    red, green, blue, _ = colours.to_rgba(np.array([load]))[0].tolist() if load else (1.0, 1.0, 1.0, 1.0)
    return red, green, blue, 1.0


def _draw_map(axes: Axes, ingredients: Ingredients, load: NDArray[np.int64], colours: ScalarMappable) -> None:
    places = _places(ingredients.graph)[ingredients.routes.brokers]
    links = _overlay_links(ingredients)
    axes.add_collection(LineCollection(list(places[links]), colors="0.8", linewidths=0.5, zorder=1))
    shades = [_colour(int(value), colours) for value in load]
    axes.scatter(places[:, 0], places[:, 1], c=shades, s=22, edgecolors="black", linewidths=0.5, zorder=2)
    server = places[ingredients.network.server]
    axes.scatter(
        server[0], server[1], s=130, facecolors="none", edgecolors="red", linewidths=1.5, zorder=3, label="server"
    )
    axes.set(
        xlabel="x of the node", ylabel="y of the node", title="brokers and overlay links on the map", aspect="equal"
    )
    axes.legend(loc="upper right")


def _places(graph: "nx.Graph[int]") -> NDArray[np.float64]:
    return np.array([(graph.nodes[node]["x"], graph.nodes[node]["y"]) for node in range(len(graph))], float)


def draw_zones(axes: Axes, network: Can, load: NDArray[np.int64], colours: ScalarMappable) -> None:
    """Draw the zones of a network in S, coloured by load; white for none, a red rim for the server's."""
    lo, hi = network.zones.domain
    for broker, extent in enumerate(np.clip(network.zones.table.extents, lo, hi)):
        l_lo, l_hi, r_lo, r_hi = extent.tolist()
        edge = (
            {"edgecolor": "red", "linewidth": 1.8, "zorder": 3} if broker == network.server else {"edgecolor": "0.3"}
        )
        face = _colour(int(load[broker]), colours)
        axes.add_patch(Rectangle((l_lo, r_lo), l_hi - l_lo, r_hi - r_lo, facecolor=face, **edge))
    if network.zones.space == "triangle":
        axes.fill([lo, hi, hi], [lo, hi, lo], color="white", zorder=2)
    axes.plot([lo, hi], [lo, hi], color="black", linewidth=1, zorder=4)
    axes.set(
        xlim=(lo, hi), ylim=(lo, hi), xlabel="l", ylabel="r", title="zones of the subscription space", aspect="equal"
    )
