"""The networks of a scenario described in a few lines and drawn (`topology_figure`)."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import pipeline
from cn import ZoneNetwork, fewest_hops
from simulator.approaches.registry import parse_approach
from simulator.engine.audience import Audience
from simulator.engine.packets import Packing
from simulator.engine.tally import tally
from simulator.inputs.ingredients import Ingredients, gather, network_notes
from simulator.scenario.scenario import Scenario
from simulator.views.output import PICTURES, check_out, write_picture
from simulator.views.topology_figure import backbone_of, draw_topology, draw_zones, overlay_links
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
    graph, routes, network, server = ingredients.graph, ingredients.routes, ingredients.network, ingredients.server
    backbone = backbone_of(routes, routes.table.bandwidth_mbps)
    write_picture(draw_topology(scenario, ingredients, load, backbone), out)
    degrees = [degree for _, degree in graph.degree]
    apart = routes.hops[np.tri(len(routes.brokers), k=-1, dtype=np.bool_)]
    held = np.bincount(ingredients.gateways.home, minlength=len(network))
    left_out = [f"                    {line}" for line in network_notes(graph)]
    return [
        f"IP network          {len(graph):,} nodes, {graph.size():,} links, largest degree {max(degrees):,}",
        *left_out,
        f"backbone            {backbone.size:,} links carry half of the hops between brokers",
        f"brokers             {len(network):,}, {_spread(apart)} IP hops apart, server is broker {server}",
        f"overlay             {scenario.network.kind}, {len(overlay_links(ingredients)):,} links",
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
    packing = Packing(size=1, header=0, bundles=False)  # bytes are not looked at
    for carried in tally(ingredients, approach, session, nobody, chunks, packing, record_hops=True):
        outgoing, traffic = carried.outgoing, carried.traffic
        load += np.bincount(traffic.broker, minlength=len(load))
        hops.append(traffic.overlay_hops)
        straight = approach.unicast or approach.way == "rendezvous"
        if isinstance(network, ZoneNetwork) and not straight and len(outgoing.table):
            offsets = np.searchsorted(traffic.message, np.arange(len(outgoing.table) + 1))
            fewest += int(fewest_hops(network, offsets, traffic.broker, carried.sources).sum())
    taken = np.concatenate(hops)
    told = f"{_spread(taken)} per message"
    return load, f"{told}, {taken.sum() / fewest:.2f} times the fewest that a minimum tree takes" if fewest else told


def _spread(values: NDArray[np.integer]) -> str:
    return f"{values.mean():,.1f} (at most {values.max():,})" if values.size else "no"
