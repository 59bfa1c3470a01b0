"""Deliveries to a population on disk, counted on Spark, where it is too large for the memory of one machine.

Every delivery of a message to a gateway asks for the subscriptions in the common part of the message's rectangle and
the gateway's zone. Both are open and closed on the same sides, so that part is a message again, and the counts are
those of the gateways' own indexes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import SparkSession

import pipeline
from cn import Network, ZoneNetwork, Zones
from floor.errors import RangecastError
from paint.sides import Sides, boxes_of
from simulator.approaches.registry import parse_approach
from simulator.engine.carried import Carried
from simulator.inputs.start import XRange
from simulator.scenario.scenario import Scenario
from simulator.workload.workload import Workload

__all__ = ["HELD", "DeliveriesError", "SparkDeliveries", "check_spark_deliveries"]

HELD = 1_000_000
"""Deliveries that one Spark job counts: each job reads the population once, a delivery takes some 300 bytes."""


class DeliveriesError(RangecastError):
    """A scenario that needs its subscriptions in memory; the text is one line for the user."""


def check_spark_deliveries(scenario: Scenario) -> None:
    """Refuse a scenario of which something looks at single subscriptions.

    Raises
    ------
    DeliveriesError
        One line: what needs them, and the remedy.
    """
    for wanted, what, remedy in _reasons(scenario):
        if wanted:
            raise DeliveriesError(
                f"--deliveries spark: {what}, which needs the subscriptions in memory; {remedy}, or leave "
                "--deliveries out"
            )


def _reasons(scenario: Scenario) -> Iterator[tuple[bool, str, str]]:
    yield scenario.verify != "none", f'verify = "{scenario.verify}" follows single lists', 'set verify = "none"'
    yield scenario.engine == "des", 'engine = "des" follows when lists are right again', 'set engine = "tally"'
    yield scenario.network.kind == "tree", 'network.kind = "tree" summarises them', 'set it to "can" or "prefix"'
    yield (
        scenario.network.zones == "balanced",
        'network.zones = "balanced" splits zones at them',
        'set it to "even"',
    )
    for name in scenario.approaches:
        approach = parse_approach(name)
        yield approach.aware or approach.unicast, f"the server of {name} knows every one of them", "remove it"
        yield approach.way != "region", f"{name} does not go by their zones", "remove it"


class SparkDeliveries(NamedTuple):
    """A population that stays where it is."""

    spark: SparkSession
    population: Path
    x_range: XRange
    """Over which it is laid."""

    def recount(self, network: Network, carrying: Iterable[Carried]) -> Iterator[Carried]:
        """Fill in what each delivery reaches, for several chunks at a time.

        Raises
        ------
        PipelineError
            Spark fails.
        """
        if not isinstance(network, ZoneNetwork):
            raise TypeError(f"network must be one whose brokers have zones, got {type(network).__name__}")
        held: list[Carried] = []
        for carried in carrying:
            held.append(carried)
            if sum(len(each.received) for each in held) >= HELD:
                yield from self._counted(network.zones, held)
                held = []
        yield from self._counted(network.zones, held)

    def reach(self, table: NDArray[np.void]) -> NDArray[np.int64]:
        """Subscriptions that each row of messages is about, wherever they are; one Spark job.

        Raises
        ------
        PipelineError
            Spark fails.
        """
        offsets = np.array((0, len(table)))
        return pipeline.count_deliveries(
            self.spark, self.population, table, offsets, x_range=self.x_range
        ).per_message

    def among(
        self, count: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """What is counted among the ends (l, r) of some subscriptions at a time, added up; one Spark job.

        Raises
        ------
        PipelineError
            Spark fails.
        """
        return pipeline.add_up(self.spark, self.population, count, self.x_range)

    def kept_objects(self, workload: Workload, approaches: Sequence[str]) -> dict[str, float]:
        """Objects that a subscription must keep, as `loads.kept_objects` has them."""
        limits = [len(workload.x) if parse_approach(name).serverless else workload.k for name in approaches]
        sums = pipeline.count_kept(self.spark, self.population, workload.x, tuple(limits), self.x_range)
        subscriptions = pipeline.population_spec(self.population).count
        return {name: total / subscriptions for name, total in zip(approaches, sums, strict=True)}

    def _counted(self, zones: Zones, held: Sequence[Carried]) -> Iterator[Carried]:
        if not held:
            return
        parts = np.concatenate([_parts(carried, zones) for carried in held])
        ends = np.cumsum([len(carried.received) for carried in held])
        for carried, received in zip(held, np.split(self.reach(parts), ends[:-1]), strict=True):
            yield carried._replace(received=received)


def _parts(carried: Carried, zones: Zones) -> NDArray[np.void]:
    """Rows of messages: what of its message each delivery is about."""
    rows = carried.outgoing.table[carried.traffic.message]
    extents = zones.table.extents[carried.traffic.broker]
    if zones.sides is not None:
        lo, hi = boxes_of(zones.sides, rows)
        _narrow(rows, zones.sides, np.maximum(lo, extents[:, 0]), np.minimum(hi, extents[:, 1]))
        return rows
    l_lo, l_hi, r_lo, r_hi = extents.T
    rows["l_out"] = np.maximum(rows["l_out"], l_lo)
    rows["l_in"] = np.minimum(rows["l_in"], l_hi)
    rows["r_in"] = np.maximum(rows["r_in"], r_lo)
    rows["r_out"] = np.minimum(rows["r_out"], r_hi)
    return rows


def _narrow(rows: NDArray[np.void], sides: Sides, lo: NDArray[np.float64], hi: NDArray[np.float64]) -> None:
    """Give messages other boxes, (messages, D) each."""
    for side, (attribute, sign) in enumerate(zip(*sides[:2], strict=True)):
        low, high = ("l_in", "l_out") if sign < 0 else ("r_in", "r_out")
        rows[low][:, attribute], rows[high][:, attribute] = sign * lo[:, side], sign * hi[:, side]
