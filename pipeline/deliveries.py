"""Deliveries at scale: how many subscriptions of a population on disk each message reaches.

The population may be larger than any memory. Messages are broadcast; every task takes row groups of the population's
files one after the other, reads their ends with pyarrow, indexes them with `matching` and counts. Rows follow a curve
through S, so a row group is compact and most messages miss it at the root of its index. Rows never pass through the
JVM and no more than one row group per core is in memory at a time.
"""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from pyspark import RDD, Broadcast
from pyspark.sql import SparkSession

from floor.kernels import njit
from matching import SubscriptionIndex, Tree
from matching.kdtree_queries import count
from paint import MESSAGE
from pipeline.errors import spark_errors
from pipeline.population_files import open_files
from pipeline.populations import population_layout, spread_ends

__all__ = ["PARTITION_COST", "DeliveryCounts", "count_deliveries", "count_kept"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Unit = tuple[str, int]
"""A row group: file and number."""

PARTITION_COST = np.dtype(
    [("rows", "i8"), ("read_s", "f8"), ("index_s", "f8"), ("count_s", "f8"), ("index_bytes", "i8")]
)
"""What one row group cost the core that worked on it."""

_TASKS_PER_CORE = 4


class DeliveryCounts(NamedTuple):
    """Notifications that subscriptions receive."""

    per_message: Ints
    """(messages,)"""
    per_event: Ints
    """(events,)"""
    per_zone: Ints
    """(zones,): over all messages, handed out by the gateway of each zone; empty when no zones were given."""
    costs: npt.NDArray[np.void]
    """(row groups,) of PARTITION_COST, in no order."""


class _Sums(NamedTuple):
    per_message: Ints
    per_zone: Ints
    costs: npt.NDArray[np.void]


def count_deliveries(
    spark: SparkSession,
    population: Path,
    messages: npt.NDArray[np.void],
    offsets: npt.ArrayLike,
    zones: npt.ArrayLike | None = None,
    x_range: tuple[float, float] = (0.0, 1.0),
) -> DeliveryCounts:
    """
    Count who receives the messages of a stream of events, with the numbers of the in-memory way.

    A row group of s subscriptions takes O(s log s) time to index, O(sqrt(s)) at worst per message and 60 s bytes;
    the driver and every task hold 8 bytes per message, and each executor one copy of the messages, 32 bytes each.

    Parameters
    ----------
    population
        Directory written by `write_population`, on a file system that all machines share.
    messages : (messages,) array of `paint.MESSAGE`
    offsets : (events + 1,) int64 array
        The messages of event e are `messages[offsets[e]:offsets[e + 1]]`.
    zones : (zones, 4) float64 array, optional
        Sides l_lo, l_hi, r_lo, r_hi of each zone, which holds l_lo < l <= l_hi and r_lo <= r < r_hi; disjoint.
    x_range
        Range over which the ends of the population, in [0, 1], are laid.

    Raises
    ------
    TypeError, ValueError
        If messages, offsets or zones are not of these forms.
    PipelineError
        If `population` is not a whole population, or Spark fails.
    """
    starts = _checked_offsets(messages, offsets)
    boxes, sides = _message_boxes(messages), _zone_boxes(zones)
    units = _units(population)
    with spark_errors(f"count deliveries to {population}"):
        shared = spark.sparkContext.broadcast((boxes, sides))
        try:
            counted = _spread_out(spark, units).mapPartitions(lambda part: _count_units(part, shared, x_range))
            sums = counted.treeReduce(_add)
        finally:
            shared.destroy()
    # Sums of events by differences: `reduceat` would give an event without messages its neighbour's first.
    before = np.concatenate(([0], np.cumsum(sums.per_message)))
    return DeliveryCounts(sums.per_message, np.diff(before[starts]), sums.per_zone, sums.costs)


def count_kept(
    spark: SparkSession,
    population: Path,
    x: npt.ArrayLike,
    limits: tuple[int, ...],
    x_range: tuple[float, float] = (0.0, 1.0),
) -> list[int]:
    """
    Objects in the range of each subscription, but at most a limit of them, added up over all: a sum for each limit.

    O(log n) per subscription for n objects.

    Parameters
    ----------
    x : (n,) float64 array
        Places of the objects.

    Raises
    ------
    PipelineError
        If `population` is not a whole population, or Spark fails.
    """
    units, places = _units(population), np.sort(np.asarray(x, np.float64))
    with spark_errors(f"count the objects in the ranges of {population}"):
        shared = spark.sparkContext.broadcast(places)
        try:
            counted = _spread_out(spark, units).mapPartitions(lambda part: _keep_units(part, shared, limits, x_range))
            sums = counted.treeReduce(lambda one, other: [a + b for a, b in zip(one, other, strict=True)])
        finally:
            shared.destroy()
    return list(sums)


def _units(population: Path) -> list[Unit]:
    opened = open_files(population, population_layout())
    return [
        (str(file.absolute()), group)
        for file, rows in zip(opened.files, opened.row_groups, strict=True)
        for group in range(len(rows))
    ]


def _spread_out(spark: SparkSession, units: list[Unit]) -> "RDD[Unit]":
    context = spark.sparkContext
    return context.parallelize(units, min(len(units), _TASKS_PER_CORE * context.defaultParallelism))


def _keep_units(
    units: Iterable[Unit], shared: "Broadcast[Floats]", limits: tuple[int, ...], x_range: tuple[float, float]
) -> Iterator[list[int]]:
    """Sums over the row groups of one task; runs on the executors."""
    places, sums = shared.value, [0] * len(limits)
    for unit in units:
        l, r = _read_ends(*unit, x_range)
        inside = np.searchsorted(places, r, side="right") - np.searchsorted(places, l)
        sums = [so_far + int(np.minimum(inside, limit).sum()) for so_far, limit in zip(sums, limits, strict=True)]
    yield sums


def _checked_offsets(messages: npt.NDArray[np.void], offsets: npt.ArrayLike) -> Ints:
    if getattr(messages, "dtype", None) != MESSAGE:
        raise TypeError(
            f"messages must be an array of paint.MESSAGE, got {getattr(messages, 'dtype', type(messages).__name__)}"
        )
    starts = np.asarray(offsets)
    if starts.dtype.kind not in "iu":
        raise TypeError(f"offsets must be integers, got {starts.dtype}")
    ends_right = starts.ndim == 1 and len(starts) and starts[0] == 0 and starts[-1] == len(messages)
    if not ends_right or (np.diff(starts) < 0).any():
        raise ValueError(f"offsets must ascend from 0 to {len(messages)}, the number of messages, got {starts}")
    return starts.astype(np.int64)


def _message_boxes(messages: npt.NDArray[np.void]) -> Floats:
    """Closed boxes (messages, 4) of the subscriptions that messages reach."""
    sides = [np.asarray(messages[name], np.float64) for name in ("l_out", "l_in", "r_in", "r_out")]
    return _closed(np.column_stack(sides).reshape(-1, 4))


def _zone_boxes(zones: npt.ArrayLike | None) -> Floats:
    sides = np.empty((0, 4)) if zones is None else np.asarray(zones, np.float64)
    if sides.ndim != 2 or sides.shape[1] != 4:
        raise ValueError(f"zones must have the shape (zones, 4), l_lo, l_hi, r_lo, r_hi, got {sides.shape}")
    return _closed(sides)


def _closed(half_open: Floats) -> Floats:
    """Closed boxes of the points with lo < l <= hi and lo <= r < hi."""
    boxes = half_open.copy()
    boxes[:, 0] = np.nextafter(half_open[:, 0], np.inf)
    boxes[:, 3] = np.nextafter(half_open[:, 3], -np.inf)
    return boxes


def _count_units(
    units: Iterable[Unit], shared: "Broadcast[tuple[Floats, Floats]]", x_range: tuple[float, float] = (0.0, 1.0)
) -> Iterator[_Sums]:
    """Sums over the row groups of one task; runs on the executors."""
    boxes, zones = shared.value
    per_message, per_zone = np.zeros(len(boxes), np.int64), np.zeros(len(zones), np.int64)
    costs = []
    for file, group in units:
        start = time.perf_counter()
        l, r = _read_ends(file, group, x_range)
        read = time.perf_counter()
        index = SubscriptionIndex(l, r)
        indexed = time.perf_counter()
        near = np.flatnonzero(_meet(zones, l, r))
        handed = np.zeros(len(near), np.int64)
        _count_boxes(index.arrays, boxes, zones[near], per_message, handed)
        per_zone[near] += handed
        counted = time.perf_counter()
        costs.append((len(l), read - start, indexed - read, counted - indexed, index.nbytes))
    yield _Sums(per_message, per_zone, np.array(costs, PARTITION_COST))


def _read_ends(file: str, group: int, x_range: tuple[float, float]) -> tuple[Floats, Floats]:
    table = pq.ParquetFile(file).read_row_group(group, columns=["l", "r"], use_threads=False)
    return spread_ends(table["l"].to_numpy(), x_range), spread_ends(table["r"].to_numpy(), x_range)


def _meet(zones: Floats, l: Floats, r: Floats) -> npt.NDArray[np.bool_]:
    """Which zones meet the smallest box around the subscriptions."""
    apart_l = (zones[:, 0] > l.max()) | (zones[:, 1] < l.min())
    apart_r = (zones[:, 2] > r.max()) | (zones[:, 3] < r.min())
    meet: npt.NDArray[np.bool_] = ~(apart_l | apart_r)
    return meet


@njit
def _count_boxes(tree: Tree, boxes: Floats, zones: Floats, per_message: Ints, per_zone: Ints) -> None:
    """Add the subscriptions in each box to its message, and those that are in a zone as well to the zone."""
    for message in range(len(boxes)):
        l_lo, l_hi, r_lo, r_hi = boxes[message]
        found = count(tree, l_lo, l_hi, r_lo, r_hi)
        per_message[message] += found
        zone = 0
        while found > 0 and zone < len(zones):
            low, high = max(l_lo, zones[zone, 0]), min(l_hi, zones[zone, 1])
            below, above = max(r_lo, zones[zone, 2]), min(r_hi, zones[zone, 3])
            if low <= high and below <= above:
                inside = count(tree, low, high, below, above)
                per_zone[zone] += inside
                found -= inside
            zone += 1


def _add(one: _Sums, other: _Sums) -> _Sums:
    return _Sums(
        one.per_message + other.per_message,
        one.per_zone + other.per_zone,
        np.concatenate((one.costs, other.costs)),
    )
