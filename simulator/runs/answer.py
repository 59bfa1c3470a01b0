"""One approach answers all events of a scenario, and collectors take in what becomes of that."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simulator.approaches.registry import parse_approach
from simulator.engine.carried import Carried
from simulator.engine.carry import carry_events
from simulator.engine.ledger import Ledger
from simulator.engine.spark_deliveries import SparkDeliveries
from simulator.inputs.ingredients import Ingredients
from simulator.inputs.watched import watched_of
from simulator.results.collectors import Collector, EventRecords
from simulator.results.needed import Needed, needed_of
from simulator.results.stopwatch import Stopwatch
from simulator.scenario.scenario import Scenario

__all__ = ["Timed", "answer", "records_of"]


def answer(
    scenario: Scenario,
    ingredients: Ingredients,
    name: str,
    collectors: Iterable[Collector],
    *,
    ledger: Ledger | None = None,
    deliveries: SparkDeliveries | None = None,
    watch: Stopwatch | None = None,
) -> None:
    """Let one approach answer all events; every collector takes in each chunk as soon as it has arrived.

    Parameters
    ----------
    ledger : Ledger, optional
        Where an engine with a clock notes what else happens.
    deliveries : SparkDeliveries, optional
        Counts deliveries to a population on disk.
    watch : Stopwatch, optional
        Times the server and the network.
    """
    approach, watch = parse_approach(name), watch or Stopwatch()
    with watch(f"server {name}"):
        session = approach.open(ingredients.workload, approach)
    watched: NDArray[np.int64] = watched_of(scenario, ingredients)
    carrying = carry_events(scenario, ingredients, approach, session, watched, ledger)
    if deliveries is not None:
        carrying = deliveries.recount(ingredients.network, carrying)
    told = list(collectors)
    for carried in watch.each(f"network {name}", carrying):
        for collector in told:
            collector.take(carried)


def records_of(
    scenario: Scenario,
    ingredients: Ingredients,
    name: str,
    *more: Collector,
    ledger: Ledger | None = None,
    needed: Needed | None = None,
) -> pa.Table:
    """Rows of `events.parquet` of one approach, in memory; `more` collectors take in the same.

    What the events need is counted if it is not given.
    """
    tables: list[pa.Table] = []
    counted = needed_of(scenario, ingredients) if needed is None else needed
    records = EventRecords(scenario, ingredients, name, counted, tables.append)
    answer(scenario, ingredients, name, [records, *more], ledger=ledger)
    return pa.concat_tables(tables)


class Timed:
    """A collector whose time is added to a step."""

    def __init__(self, collector: Collector, watch: Stopwatch, step: str) -> None:
        self._collector, self._watch, self._step = collector, watch, step

    def take(self, carried: Carried) -> None:
        """Let the collector take in a chunk."""
        with self._watch(self._step):
            self._collector.take(carried)
