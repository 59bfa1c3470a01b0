"""The networks of a scenario drawn: the IP network under the overlay, zones of S, and the degrees of the nodes."""

from typing import NamedTuple

import matplotlib as mpl
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from cn import RoutingTree, ZoneNetwork
from simulator.inputs.ingredients import Ingredients, topology_seed
from simulator.scenario.scenario import Scenario
from simulator.views.figure_labels import fitted
from topologies import Routes, inet_degrees
from topologies.attributes import PLANE, PLANE_KM, placed_by_chance

__all__ = ["Backbone", "backbone_of", "degree_shares", "draw_topology", "draw_zones", "overlay_links"]

_MOST_LINKS = 800
"""IP links that are drawn at most."""
_IP, _BACKBONE, _OVERLAY = "0.78", "0.15", "#0072b2"
_TITLE = 11.0
_PLAIN = FuncFormatter(lambda value, _: f"{value:,g}")


class Backbone(NamedTuple):
    """IP links by their importance: how many of the ways between brokers take each."""

    order: NDArray[np.int64]
    """Rows of `Routes.links`, the most important first."""
    size: int
    """So many of the first carry half of all hops between brokers: the backbone."""
    load: NDArray[np.int64]
    """Ways between brokers that take each link, (links,)."""


def backbone_of(routes: Routes, bandwidths: NDArray[np.float64]) -> Backbone:
    """Rank the IP links by the ways between brokers that take them, the faster one first where that ties.

    O(E log E) for E links, besides `Routes.crossings`.
    """
    load = routes.crossings()
    order = np.lexsort((-bandwidths, -load))
    carried = np.cumsum(load[order])
    half = int(np.searchsorted(carried, carried[-1] / 2) + 1) if len(carried) and carried[-1] > 0 else 0
    return Backbone(order, half, load)


def degree_shares(degrees: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Distinct degrees, ascending, and the share of nodes that have at least so many links."""
    distinct, counts = np.unique(degrees, return_counts=True)
    return distinct, counts[::-1].cumsum()[::-1] / len(degrees)


def overlay_links(ingredients: Ingredients) -> NDArray[np.int64]:
    """Pairs of brokers of which one, or each, may hand messages to the other, (links, 2)."""
    network = ingredients.network
    if isinstance(network, RoutingTree):
        return network.links
    if not isinstance(network, ZoneNetwork):
        return np.empty((0, 2), np.int64)
    return np.unique(np.sort(network.links, axis=1), axis=0)


def draw_topology(
    scenario: Scenario, ingredients: Ingredients, load: NDArray[np.int64], backbone: Backbone
) -> Figure:
    """Draw the networks of a scenario, brokers and zones coloured by the messages delivered to them.

    Left, the map: the most important IP links and the backbone, overlay links and brokers over them. Middle, for a
    network of zones over one attribute, S. Right, the degrees of the nodes on logarithmic axes.
    """
    colours = ScalarMappable(LogNorm(1, max(int(load.max()), 2)), "viridis_r")
    network = ingredients.network
    zones = network if isinstance(network, ZoneNetwork) and network.zones.sides is None else None
    zoned = zones is not None
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(16 if zoned else 11, 5.9), layout="constrained")
        # A row of its own for legends: axes of equal scales shrink after the layout, and one below them would be cut.
        axes, below = figure.subplots(2, 3 if zoned else 2, height_ratios=(1, 0.16))
        title = f": messages delivered to each broker, {scenario.approaches[0]}"
        width = (figure.get_figwidth() - 0.2) * figure.dpi
        told = fitted(figure, lambda letters: _cut(scenario.name, letters) + title, _TITLE, width)
        figure.suptitle(told, fontsize=_TITLE)
        places, unit = _places(scenario, ingredients.graph)
        _legend(below[0], _draw_map(axes[0], ingredients, backbone, places))
        _draw_brokers(axes[0], ingredients, places, load, colours)
        axes[0].set(xlabel=f"x {unit}", ylabel=f"y {unit}", title="IP network and overlay", aspect="equal")
        if zones is not None:
            draw_zones(axes[1], zones, load, colours, ingredients.server)
        label = "messages delivered (white: none)"
        figure.colorbar(colours, ax=list(axes[:-1]), label=label, shrink=0.85, format=_PLAIN)
        _legend(below[-1], _draw_degrees(axes[-1], scenario, ingredients.graph))
        for unused in below[1:-1]:
            unused.set_axis_off()
    return figure


def draw_zones(
    axes: Axes, network: ZoneNetwork, load: NDArray[np.int64], colours: ScalarMappable, server: int
) -> None:
    """Draw the zones of a network in S, coloured by load; white for none, a red rim for the server's."""
    lo, hi = network.zones.domain
    for broker, extent in enumerate(np.clip(network.zones.table.extents, lo, hi)):
        l_lo, l_hi, r_lo, r_hi = extent.tolist()
        edge = {"edgecolor": "red", "linewidth": 1.8, "zorder": 3} if broker == server else {"edgecolor": "0.3"}
        face = _colour(int(load[broker]), colours)
        axes.add_patch(Rectangle((l_lo, r_lo), l_hi - l_lo, r_hi - r_lo, facecolor=face, **edge))
    if network.zones.space == "triangle":
        axes.fill([lo, hi, hi], [lo, hi, lo], color="white", zorder=2)
    axes.plot([lo, hi], [lo, hi], color="black", linewidth=1, zorder=4)
    axes.set(
        xlim=(lo, hi), ylim=(lo, hi), xlabel="l", ylabel="r", title="zones of the subscription space", aspect="equal"
    )


def _cut(name: str, letters: int) -> str:
    return name if len(name) <= letters else f"{name[:letters]}…"


def _colour(load: int, colours: ScalarMappable) -> tuple[float, float, float, float]:
    red, green, blue, _ = colours.to_rgba(np.array([load]))[0].tolist() if load else (1.0, 1.0, 1.0, 1.0)
    return red, green, blue, 1.0


def _places(scenario: Scenario, graph: "nx.Graph[int]") -> tuple[NDArray[np.float64], str]:
    """Where nodes stand, in km but for places of a file, and what the axes are to say of that."""
    places = np.array([(graph.nodes[node]["x"], graph.nodes[node]["y"]) for node in range(len(graph))], float)
    if scenario.topology.file is None:
        return places * (PLANE_KM / PLANE), "(km)"
    drawn = placed_by_chance(graph, topology_seed(scenario))
    if drawn.all():
        return places * (PLANE_KM / PLANE), "(km; the file has no places, these are drawn)"
    return places, "(units of the file)"


def _draw_map(axes: Axes, ingredients: Ingredients, backbone: Backbone, places: NDArray[np.float64]) -> list[Line2D]:
    """The IP network: links that brokers use, the backbone thick, and the nodes where the backbone meets."""
    routes = ingredients.routes
    chosen = backbone.order[:_MOST_LINKS]
    thick, thin = chosen[: backbone.size], chosen[backbone.size :]
    axes.add_collection(LineCollection(list(places[routes.links[thin]]), colors=_IP, linewidths=0.35, zorder=1))
    strength = backbone.load[thick] / max(float(backbone.load.max(initial=0.0)), 1.0)
    widths = (0.8 + 2.2 * strength).tolist()
    axes.add_collection(
        LineCollection(list(places[routes.links[thick]]), colors=_BACKBONE, linewidths=widths, alpha=0.7, zorder=2)
    )
    nodes, meeting = np.unique(routes.links[thick], return_counts=True)
    hubs = nodes[meeting > 1]
    axes.scatter(places[hubs, 0], places[hubs, 1], s=16, marker="s", color=_BACKBONE, zorder=2.2)
    over, at = overlay_links(ingredients), places[routes.brokers]
    axes.add_collection(
        LineCollection(
            list(at[over]), colors=_OVERLAY, linewidths=0.6, alpha=min(0.6, 60 / max(len(over), 1)), zorder=3
        )
    )
    drawn = (
        f"the {len(chosen):,} most used of {len(routes.links):,}"
        if len(chosen) < len(routes.links)
        else f"all {len(chosen):,}"
    )
    axes.autoscale_view()
    return [
        Line2D([], [], color=_IP, linewidth=1, label=f"IP links: {drawn}"),
        Line2D([], [], color=_BACKBONE, linewidth=2.2, label=f"backbone: {backbone.size:,} links, half of all hops"),
        Line2D([], [], color=_OVERLAY, linewidth=1, label=f"overlay links: {len(over):,}"),
        Line2D([], [], ls="", marker="s", ms=4, color=_BACKBONE, label="where the backbone meets"),
        Line2D([], [], ls="", marker="o", ms=5, mfc="white", mec="black", label="broker"),
        Line2D([], [], ls="", marker="o", ms=10, mfc="none", mec="red", mew=1.5, label="server"),
    ]


def _draw_brokers(
    axes: Axes,
    ingredients: Ingredients,
    places: NDArray[np.float64],
    load: NDArray[np.int64],
    colours: ScalarMappable,
) -> None:
    at = places[ingredients.routes.brokers]
    shades = [_colour(int(value), colours) for value in load]
    axes.scatter(at[:, 0], at[:, 1], c=shades, s=24, edgecolors="black", linewidths=0.5, zorder=4)
    server = at[ingredients.server]
    axes.scatter(server[0], server[1], s=130, facecolors="none", edgecolors="red", linewidths=1.5, zorder=5)


def _draw_degrees(axes: Axes, scenario: Scenario, graph: "nx.Graph[int]") -> list[Line2D]:
    """Share of nodes with at least so many links, beside what the model asks for if it asks for any."""
    degrees, shares = degree_shares(np.array([degree for _, degree in graph.degree]))
    marks = axes.plot(degrees, shares, "o", ms=3.5, color="black", label=f"the {len(graph):,} nodes")
    if scenario.topology.file is None and scenario.topology.model == "inet":
        asked = degree_shares(inet_degrees(len(graph)))
        marks += axes.plot(*asked, color="#d55e00", linewidth=1.2, label="asked for by INET-3.0", zorder=1)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="degree (links of a node)",
        ylabel="share of nodes with at least so many links",
        title="degrees of the IP network",
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if axis is axes.xaxis else (1,)))
        axis.set_major_formatter(_PLAIN)
        axis.set_minor_formatter(NullFormatter())
    axes.grid(alpha=0.3)
    return marks


def _legend(axes: Axes, marks: list[Line2D]) -> None:
    """What marks mean, in axes of its own."""
    axes.set_axis_off()
    axes.legend(handles=marks, loc="upper center", ncols=2, fontsize=8, frameon=False)
