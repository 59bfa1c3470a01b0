"""Deliveries at scale: how many subscriptions of a population on disk each message reaches.

The population may be larger than any memory. Messages are broadcast; every task takes row groups of the population's
files one after the other, reads their ends with pyarrow, indexes them with `matching` and counts. Rows follow a curve
through S, so a row group is compact and most messages miss it at the root of its index. Rows never pass through the
JVM and no more than one row group per core is in memory at a time. Over several attributes all boxes are boxes of
sides, lo <= u < hi (`paint.sides`), kept as the closed boxes up to the float before hi.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from pyspark import RDD, Broadcast
from pyspark.sql import SparkSession

from floor.kernels import njit
from matching import SubscriptionIndex, Tree, side_queries
from matching.kdtree_queries import count
from matching.side_index import SideIndex
from matching.side_tree import SideTree
from paint.messages import MESSAGE, message_of
from paint.shapes import count_held
from paint.sides import boxes_of, points_of
from pipeline.attributes import UNIT, Form, XRange
from pipeline.errors import spark_errors
from pipeline.populations import open_population

__all__ = ["PARTITION_COST", "DeliveryCounts", "add_up", "count_deliveries", "count_kept"]

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
    x_range: XRange = UNIT,
) -> DeliveryCounts:
    """
    Count who receives the messages of a stream of events, with the numbers of the in-memory way.

    A row group of s subscriptions takes O(s log s) time to index, O(s^(1 - 1/D)) at worst per message and 60 s bytes
    for the D = 2 sides of one attribute, some 70 s for four; the driver and every task hold 8 bytes per message, and
    each executor one copy of the messages, 16 D bytes each.

    Parameters
    ----------
    population
        Directory written by `write_population`, on a file system that all machines share.
    messages : (messages,) array of `paint.MESSAGE`
        Over several attributes, of `paint.messages.message_of` as many; of halfspaces and disks their ranges are
        vectors of as many numbers as a subscription has columns.
    offsets : (events + 1,) int64 array
        The messages of event e are `messages[offsets[e]:offsets[e + 1]]`.
    zones : (zones, 4) float64 array, optional
        Sides l_lo, l_hi, r_lo, r_hi of each zone, which holds l_lo < l <= l_hi and r_lo <= r < r_hi; disjoint. Over
        several attributes (zones, 2, D), lo and hi of each zone, which holds lo <= u < hi.
    x_range
        Range over which the population is laid, of all attributes alike or a pair for each.

    Raises
    ------
    TypeError, ValueError
        If messages, offsets or zones are not of these forms.
    PipelineError
        If `population` is not a whole population, or Spark fails.
    """
    units, form = _units(population)
    starts = _checked_offsets(messages, offsets, form)
    boxes, sides = _message_boxes(messages, form), _zone_boxes(zones, form)
    with spark_errors(f"count deliveries to {population}"):
        shared = spark.sparkContext.broadcast((boxes, sides))
        try:
            spread = _spread_out(spark, units)
            sums = spread.mapPartitions(lambda part: _count_units(part, shared, form, x_range)).treeReduce(_add)
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
    x_range: XRange = UNIT,
) -> list[int]:
    """
    Objects in the range of each subscription, but at most a limit of them, added up over all: a sum for each limit.

    O(log n) per subscription for n objects, O(n^(1 - 1/d)) at worst over several attributes, O(n) for a halfspace or
    disk.

    Parameters
    ----------
    x : (n,) or (n, d) float64 array
        Places of the objects.

    Raises
    ------
    ValueError
        If objects have more or fewer attributes than subscriptions.
    PipelineError
        If `population` is not a whole population, or Spark fails.
    """
    units, form = _units(population)
    places = np.asarray(x, np.float64)
    if (places.shape[1] if places.ndim == 2 else 1) != form.attributes:
        raise ValueError(f"x must have a column for each of {form.attributes} attributes, got {places.shape}")
    places = np.sort(places) if form.dimensions == 1 else places
    with spark_errors(f"count the objects in the ranges of {population}"):
        shared = spark.sparkContext.broadcast(places)
        try:
            spread = _spread_out(spark, units)
            counted = spread.mapPartitions(lambda part: _keep_units(part, shared, limits, form, x_range))
            sums = counted.treeReduce(lambda one, other: [a + b for a, b in zip(one, other, strict=True)])
        finally:
            shared.destroy()
    return list(sums)


def add_up(
    spark: SparkSession, population: Path, count: Callable[[Floats, Floats], Ints], x_range: XRange = UNIT
) -> Ints:
    """
    Add up what is counted among some subscriptions at a time, over all of a population.

    Parameters
    ----------
    count : function
        Gives counts, an array, from the ends l and r of one row group; it is pickled and sent to every executor once.

    Raises
    ------
    PipelineError
        If `population` is not a whole population, or Spark fails.
    """
    units, form = _units(population)
    with spark_errors(f"count among {population}"):
        shared = spark.sparkContext.broadcast(count)
        try:
            sums = _spread_out(spark, units).map(lambda unit: shared.value(*_read_ends(*unit, form, x_range)))
            total: Ints = sums.treeReduce(np.add)
        finally:
            shared.destroy()
    return total


def _units(population: Path) -> tuple[list[Unit], Form]:
    """Row groups of a population, and what its subscriptions are."""
    opened = open_population(population)
    units = [
        (str(file.absolute()), group)
        for file, rows in zip(opened.files, opened.row_groups, strict=True)
        for group in range(len(rows))
    ]
    return units, opened.spec.form


def _spread_out(spark: SparkSession, units: list[Unit]) -> "RDD[Unit]":
    context = spark.sparkContext
    return context.parallelize(units, min(len(units), _TASKS_PER_CORE * context.defaultParallelism))


def _keep_units(
    units: Iterable[Unit], shared: "Broadcast[Floats]", limits: tuple[int, ...], form: Form, x_range: XRange
) -> Iterator[list[int]]:
    """Sums over the row groups of one task; runs on the executors."""
    places, sums = shared.value, [0] * len(limits)
    index = None if form.dimensions == 1 or form.shape != "boxes" else SideIndex(places)
    for unit in units:
        l, r = _read_ends(*unit, form, x_range)
        if form.shape != "boxes":
            inside = count_held(form.shape, r, places)
        elif index is None:
            inside = np.searchsorted(places, r, side="right") - np.searchsorted(places, l)
        else:
            inside = index.counts(np.stack((l, r), axis=1))
        sums = [so_far + int(np.minimum(inside, limit).sum()) for so_far, limit in zip(sums, limits, strict=True)]
    yield sums


def _checked_offsets(messages: npt.NDArray[np.void], offsets: npt.ArrayLike, form: Form) -> Ints:
    dtype = getattr(messages, "dtype", None)
    wide = 1 if form.dimensions == 1 else form.attributes if form.shape == "boxes" else len(form.columns)
    if form.shape == "boxes":
        right = dtype == message_of(wide)
    else:
        right = dtype is not None and dtype.names == MESSAGE.names and dtype["l_in"].shape == (wide,)
    if not right:
        wanted = "paint.MESSAGE" if wide == 1 else f"messages with ranges of {wide} numbers, for {form}"
        raise TypeError(f"messages must be an array of {wanted}, got {dtype or type(messages).__name__}")
    starts = np.asarray(offsets)
    if starts.dtype.kind not in "iu":
        raise TypeError(f"offsets must be integers, got {starts.dtype}")
    ends_right = starts.ndim == 1 and len(starts) and starts[0] == 0 and starts[-1] == len(messages)
    if not ends_right or (np.diff(starts) < 0).any():
        raise ValueError(f"offsets must ascend from 0 to {len(messages)}, the number of messages, got {starts}")
    return starts.astype(np.int64)


def _message_boxes(messages: npt.NDArray[np.void], form: Form) -> Floats:
    """Closed boxes, (messages, 4) or (messages, 2, D), of the subscriptions that messages reach."""
    if form.dimensions != 1:
        return _closed_sides(np.stack(boxes_of(form.sides, messages), axis=1))
    sides = [np.asarray(messages[name], np.float64) for name in ("l_out", "l_in", "r_in", "r_out")]
    return _closed(np.column_stack(sides).reshape(-1, 4))


def _zone_boxes(zones: npt.ArrayLike | None, form: Form) -> Floats:
    shape = (4,) if form.dimensions == 1 else (2, len(form.sides.sign))
    sides = np.empty((0, *shape)) if zones is None else np.asarray(zones, np.float64)
    if sides.shape[1:] != shape or not sides.ndim:
        told = "4), l_lo, l_hi, r_lo, r_hi" if form.dimensions == 1 else f"2, {shape[-1]}), lo and hi of every side"
        raise ValueError(f"zones must have the shape (zones, {told}, got {sides.shape}")
    return _closed(sides) if form.dimensions == 1 else _closed_sides(sides)


def _closed(half_open: Floats) -> Floats:
    """Closed boxes of the points with lo < l <= hi and lo <= r < hi."""
    boxes = half_open.copy()
    boxes[:, 0] = np.nextafter(half_open[:, 0], np.inf)
    boxes[:, 3] = np.nextafter(half_open[:, 3], -np.inf)
    return boxes


def _closed_sides(half_open: Floats) -> Floats:
    """Closed boxes of the points with lo <= u < hi."""
    boxes = half_open.copy()
    boxes[:, 1] = np.nextafter(half_open[:, 1], -np.inf)
    return boxes


def _count_units(
    units: Iterable[Unit],
    shared: "Broadcast[tuple[Floats, Floats]]",
    form: Form,
    x_range: XRange,
) -> Iterator[_Sums]:
    """Sums over the row groups of one task; runs on the executors."""
    boxes, zones = shared.value
    per_message, per_zone = np.zeros(len(boxes), np.int64), np.zeros(len(zones), np.int64)
    costs = []
    for file, group in units:
        start = time.perf_counter()
        l, r = _read_ends(file, group, form, x_range)
        read = time.perf_counter()
        points = None if form.dimensions == 1 else points_of(form.sides, l, r)
        index = SubscriptionIndex(l, r) if points is None else SideIndex(points)
        indexed = time.perf_counter()
        near = np.flatnonzero(_meet(zones, l, r) if points is None else _meet_sides(zones, points))
        handed = np.zeros(len(near), np.int64)
        if isinstance(index, SideIndex):
            _count_side_boxes(index.arrays, boxes, zones[near], per_message, handed)
        else:
            _count_boxes(index.arrays, boxes, zones[near], per_message, handed)
        per_zone[near] += handed
        counted = time.perf_counter()
        costs.append((len(l), read - start, indexed - read, counted - indexed, index.nbytes))
    yield _Sums(per_message, per_zone, np.array(costs, PARTITION_COST))


def _read_ends(file: str, group: int, form: Form, x_range: XRange) -> tuple[Floats, Floats]:
    table = pq.ParquetFile(file).read_row_group(group, columns=list(form.columns), use_threads=False)
    return form.laid({name: table[name].to_numpy() for name in form.columns}, x_range)


def _meet(zones: Floats, l: Floats, r: Floats) -> npt.NDArray[np.bool_]:
    """Which zones meet the smallest box around the subscriptions."""
    apart_l = (zones[:, 0] > l.max()) | (zones[:, 1] < l.min())
    apart_r = (zones[:, 2] > r.max()) | (zones[:, 3] < r.min())
    meet: npt.NDArray[np.bool_] = ~(apart_l | apart_r)
    return meet


def _meet_sides(zones: Floats, points: Floats) -> npt.NDArray[np.bool_]:
    """Which zones of several sides meet the smallest box around the subscriptions."""
    meet: npt.NDArray[np.bool_] = ((zones[:, 0] <= points.max(axis=0)) & (zones[:, 1] >= points.min(axis=0))).all(
        axis=1
    )
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


@njit
def _count_side_boxes(tree: SideTree, boxes: Floats, zones: Floats, per_message: Ints, per_zone: Ints) -> None:
    """Do the same over boxes of several sides."""
    sides = boxes.shape[2]
    lo, hi = np.empty(sides), np.empty(sides)
    for message in range(len(boxes)):
        found = side_queries.count(tree, boxes[message, 0], boxes[message, 1])
        per_message[message] += found
        zone = 0
        while found > 0 and zone < len(zones):
            shared = True
            for side in range(sides):
                lo[side] = max(boxes[message, 0, side], zones[zone, 0, side])
                hi[side] = min(boxes[message, 1, side], zones[zone, 1, side])
                shared = shared and lo[side] <= hi[side]
            if shared:
                inside = side_queries.count(tree, lo, hi)
                per_zone[zone] += inside
                found -= inside
            zone += 1


def _add(one: _Sums, other: _Sums) -> _Sums:
    return _Sums(
        one.per_message + other.per_message,
        one.per_zone + other.per_zone,
        np.concatenate((one.costs, other.costs)),
    )
