"""One approach answers all events of a scenario, and collectors take in what becomes of that."""

from collections.abc import Iterable

import pyarrow as pa

from simulator.approaches.registry import parse_approach
from simulator.engine.carried import Carried
from simulator.engine.carry import carry_events
from simulator.engine.ledger import Ledger
from simulator.engine.spark_deliveries import SparkDeliveries
from simulator.inputs.ingredients import Ingredients
from simulator.inputs.watched import watched_of
from simulator.results.collectors import Collector, EventRecords
from simulator.results.lists import lists_of
from simulator.results.needed import Needed, needed_of
from simulator.results.stopwatch import Stopwatch
from simulator.results.verify import Mismatch, first_mismatch, verifier_of
from simulator.scenario.scenario import Scenario

__all__ = ["Timed", "answer", "records_of", "verified_records"]


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
    watched = watched_of(scenario, ingredients).ids
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
    """Rows of `events.parquet` of one approach, in memory; `more` collectors take in the same."""
    return verified_records(scenario, ingredients, name, *more, ledger=ledger, needed=needed)[0]


def verified_records(
    scenario: Scenario,
    ingredients: Ingredients,
    name: str,
    *more: Collector,
    ledger: Ledger | None = None,
    needed: Needed | None = None,
) -> tuple[pa.Table, Mismatch | None]:
    """Rows of `events.parquet` of one approach, in memory, and the first thing that was wrong, if it is verified.

    What the events need is counted if it is not given.
    """
    tables: list[pa.Table] = []
    lists, verifier = lists_of(scenario, ingredients, name), verifier_of(scenario, ingredients, name)
    counted = needed_of(scenario, ingredients) if needed is None else needed
    collectors = [EventRecords(scenario, ingredients, name, counted, lists, tables.append), *more]
    if verifier is not None:
        collectors.append(verifier)
    answer(scenario, ingredients, name, collectors, ledger=ledger)
    return pa.concat_tables(tables), first_mismatch(verifier, lists)


class Timed:
    """A collector whose time is added to a step."""

    def __init__(self, collector: Collector, watch: Stopwatch, step: str) -> None:
        self._collector, self._watch, self._step = collector, watch, step

    def take(self, carried: Carried) -> None:
        """Let the collector take in a chunk."""
        with self._watch(self._step):
            self._collector.take(carried)
