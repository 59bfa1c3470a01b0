"""Collectors: what a run keeps of all that is carried, each for its own purpose, chunk by chunk.

`Loads` and `Verifier` are collectors too.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, Self

import pyarrow as pa

from simulator.approaches.registry import parse_approach
from simulator.engine.carried import Carried
from simulator.inputs.ingredients import Ingredients
from simulator.results.accounting import event_records, traffic_columns
from simulator.results.hop_records import hop_table
from simulator.results.latency import waits_of
from simulator.results.lists import Lists
from simulator.results.needed import Needed
from simulator.scenario.scenario import Scenario

__all__ = ["Beside", "Collector", "EventRecords", "HopRecords"]


class Collector(Protocol):
    """Takes in the chunks of one approach, in their order."""

    def take(self, carried: Carried) -> None:
        """Take in a chunk."""


class EventRecords:
    """Hands on the rows of `events.parquet`."""

    def __init__(
        self,
        scenario: Scenario,
        ingredients: Ingredients,
        name: str,
        needed: Needed,
        lists: Lists | None,
        write: Callable[[pa.Table], None],
    ) -> None:
        self._scenario, self._ingredients, self._name, self._write = scenario, ingredients, name, write
        self._approach, self._needed, self._lists = parse_approach(name), needed, lists

    def take(self, carried: Carried) -> None:
        """Account for a chunk."""
        ingredients, network = self._ingredients, self._scenario.network
        waits = waits_of(ingredients, self._approach, carried, last_hop=network.last_hop)
        times = None if self._lists is None else self._lists.take(carried)
        traffic = traffic_columns(carried, self._approach, ingredients, self._scenario.sizes)
        self._write(event_records(self._name, self._approach, carried, traffic, waits, times, self._needed))


class HopRecords:
    """Hands on the rows of `hops.parquet`."""

    def __init__(self, scenario: Scenario, name: str, write: Callable[[pa.Table], None]) -> None:
        self._control_bytes, self._name, self._write = scenario.sizes.control_bytes, name, write

    def take(self, carried: Carried) -> None:
        """Tell every transmission of a chunk."""
        self._write(hop_table(self._name, carried, self._control_bytes))


class Beside:
    """Lets a collector take in each chunk while the others take it in and the next one is carried.

    It is one chunk behind at most; its kernels leave the interpreter to the rest.
    """

    def __init__(self, collector: Collector) -> None:
        self._collector, self._thread = collector, ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()
        self._wait()

    def take(self, carried: Carried) -> None:
        """Have a chunk taken in when the one before is."""
        self._wait()
        self._last = self._thread.submit(self._collector.take, carried)

    def _wait(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            last.result()
