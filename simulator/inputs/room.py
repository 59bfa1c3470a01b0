"""Room: what memory and disk a scenario takes at the least, told before anything is made.

The estimates are low on purpose: they count arrays that are there whatever the approaches do, so that what is refused
could not have ended well. What is not refused may still be too much.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pipeline
from floor.cache import cache_dir
from floor.machine import free_bytes, memory_bytes, size_text
from simulator.approaches.registry import parse_approach
from simulator.inputs.event_stream import about_how_many
from simulator.inputs.start import population_place, trace_file
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from simulator.scenario.tables import Objects, Subscriptions
from simulator.workload.units import DURATION

__all__ = ["check_room", "population_disk_bytes"]

_SUBSCRIPTION, _KNOWN, _SUBSCRIPTION_ON_DISK = 145, 15, 24
"""Bytes of each: ends, place, gateway and its index, and the index that counts who is concerned; what a server that
knows it has beyond that; rows of random numbers hardly compress."""
_OBJECT, _OBJECT_ON_DISK = 64, 16
"""x, y and the server's index."""
_SIDE, _ATTRIBUTE = 40, 8
"""Of each subscription and each column of an object or event: what every side or attribute beyond those of one
dimension adds."""
_EVENT, _EVENT_ON_DISK = 41, 4
"""Columns of the stream; its rows of `events.parquet`, which compress well."""
_NODE, _PAIR = 2_000, 10
"""A node of the graph with its links; the route between two brokers."""
_LIST_ENTRY = 56
"""Of a list that is followed: what it holds and what is right."""
_FAULT = 16


class _Part(NamedTuple):
    """What one key of a scenario takes."""

    key: str
    value: object
    size: int


def population_disk_bytes(count: int, columns: int = 2) -> int:
    """Room on disk that so many subscriptions take at the least, with as many columns beside their place."""
    return count * _SUBSCRIPTION_ON_DISK * (columns + 1) // 3


def check_room(scenario: Scenario, *, in_memory: bool = True, out: Path | None = None) -> None:
    """Refuse a scenario that needs more memory or disk than there is.

    Parameters
    ----------
    in_memory : bool
        Whether the subscriptions are read, or stay on disk.
    out : Path, optional
        Where results are written; by default below the current directory.

    Raises
    ------
    ScenarioError
        One line: the key that takes most, its value, what is needed and what there is.
    """
    remedy = "lower it" if not in_memory else "lower it, or leave subscriptions on disk by --deliveries spark"
    smaller = "bring a smaller file"
    remedies = {
        "subscriptions.count": remedy,
        "subscriptions.file": remedy.replace("lower it", smaller),
        "verify": 'verify fewer, as by "sample:1000"',
        "objects.file": smaller,
    }
    _compare(list(_memory(scenario, in_memory)), memory_bytes(), "memory, and this machine has", remedies)
    cache, records = free_bytes(cache_dir()), free_bytes(out or Path())
    room = f"disk, and where the cache is ({cache_dir()}) are free"
    _compare(list(_cached(scenario)), cache, room, {"subscriptions.file": smaller})
    _compare([_events(scenario, _EVENT_ON_DISK)], records, "disk, and where the results go are free", {})


def _compare(parts: list[_Part], there: int | None, what: str, remedies: dict[str, str]) -> None:
    total = sum(part.size for part in parts)
    if there is None or total <= there:
        return
    key, value, _ = max(parts, key=lambda part: part.size)
    remedy = remedies.get(key, "lower it")
    raise ScenarioError(f"{key} = {value}: needs at least {size_text(total)} of {what} {size_text(there)}; {remedy}")


def _memory(scenario: Scenario, in_memory: bool) -> Iterator[_Part]:
    nodes, brokers, faults = _nodes(scenario), scenario.network.brokers, scenario.faults
    if in_memory:
        aware = any(parse_approach(name).aware for name in scenario.approaches)
        each = _SUBSCRIPTION + (_KNOWN if aware else 0) + _SIDE * (_sides(scenario) - 2)
        yield _counted("subscriptions", scenario.subscriptions, each)
        followed = _followed(scenario) * len(scenario.approaches)
        yield _Part("verify", f'"{scenario.verify}"', followed * scenario.k * _LIST_ENTRY)
    more = _ATTRIBUTE * (pipeline.attributes_of(scenario.dimensions) - 1)
    yield _counted("objects", scenario.objects, _OBJECT + 2 * more)
    yield _events(scenario, _EVENT + more)
    yield _Part("topology.nodes", nodes, nodes * _NODE)
    yield _Part("network.brokers", brokers, brokers * brokers * _PAIR)
    for key in ("crashes", "server_crashes", "joins", "leaves"):
        yield _Part(f"faults.{key}", getattr(faults, key), getattr(faults, key) * _FAULT)


def _cached(scenario: Scenario) -> Iterator[_Part]:
    """What has yet to be put into the cache."""
    about = scenario.subscriptions
    if not population_place(scenario).exists():
        # Rows of a file are numbered on disk before they are put in their order.
        each = population_disk_bytes(1, _sides(scenario))
        yield _counted("subscriptions", about, each * (1 if about.file is None else 2))
    if scenario.objects.file is None and trace_file(scenario) is None:
        each = _OBJECT_ON_DISK + _ATTRIBUTE * (pipeline.attributes_of(scenario.dimensions) - 1)
        yield _Part("objects.count", scenario.objects.count, scenario.objects.count * each)


def _sides(scenario: Scenario) -> int:
    return len(scenario.form.sides.sign)


def _followed(scenario: Scenario) -> int:
    """Subscriptions whose lists each approach is verified by."""
    if scenario.verify == "none":
        return 0
    sample = scenario.verify.partition(":")[2]
    return min(scenario.subscriptions.count, int(sample)) if sample else scenario.subscriptions.count


def _counted(table: str, about: Objects | Subscriptions, size: int) -> _Part:
    """What so many of something take, by the key that says how many there are."""
    key, value = ("count", about.count) if about.file is None else ("file", repr(about.file))
    return _Part(f"{table}.{key}", value, about.count * size)


def _events(scenario: Scenario, size: int) -> _Part:
    """What the events take, by the key that says how many there are."""
    about, many = scenario.events, about_how_many(scenario.events)
    if about.duration_s is None:
        return _Part("events.count", about.count, about.count * size)
    return _Part("events.duration", DURATION.format(about.duration_s), int(min(many, 1e18)) * size)


def _nodes(scenario: Scenario) -> int:
    """Nodes of the IP network that are sure; of a file those that the brokers need."""
    return scenario.network.brokers if scenario.topology.file is not None else scenario.topology.nodes
