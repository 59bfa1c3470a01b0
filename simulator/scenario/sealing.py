"""Seals: of every file that a scenario names, its content is noted when the scenario is read.

Paths are made absolute, counts are taken from what the files hold, and digests are noted, so that the scenario says
all that a run depends on: whoever reads it later finds the same files, or is told in one line. Nodes of brokers are
few, and taken over themselves.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

import pipeline
from paint.sides import DIMENSIONS
from pipeline import PipelineError
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario

__all__ = ["place_files", "seal_files", "seal_topology"]

_FILES = (*((table, "file") for table in ("topology", "events", "objects", "subscriptions")), ("network", "nodes"))
Facts = TypeVar("Facts")
Where = Callable[[str, str], str]
"""Where the key of a table was given its value: file and line."""


def place_files(values: dict[str, Any], directory: Path) -> None:
    """Make the paths of files that a scenario names, seen from a directory, absolute and without detours."""
    for table, key in _FILES:
        keys = values.get(table)
        if isinstance(keys, dict) and isinstance(keys.get(key), str) and keys[key]:
            # A path that leads nowhere stays, and is told when the file is read.
            with suppress(OSError, RuntimeError, ValueError):
                keys[key] = str((directory / keys[key]).resolve())


def seal_files(values: dict[str, Any], where: Where) -> None:
    """Note in the values of a scenario what the files hold that they name, but for that of the topology.

    Raises
    ------
    ScenarioError
        One line: where, key, value, rule and remedy.
    """
    for table, key in _FILES:
        keys = values.get(table)
        if isinstance(keys, dict) and keys.get(key) == "":
            rule = "cannot be read: it names no file; write a path or remove the key"
            raise ScenarioError(f"{where(table, key)}: {table}.{key} = '': {rule}")
    _seal_objects(values, where)
    _seal_events(values, where)
    file = _file_of(values, "subscriptions")
    if file is not None:
        named = f"{where('subscriptions', 'file')}: subscriptions.file = {file!r}"
        facts = _look(pipeline.subscription_facts, file, named)
        asked = _dimensions(values)
        if asked not in (None, facts.form.dimensions):
            wanted = pipeline.Form(asked, facts.form.shape if asked in pipeline.SHAPES[facts.form.shape] else "boxes")
            raise _refusal(pipeline.other_form(Path(file), facts.form, wanted), file, named)
        _note_shape(values["subscriptions"], facts.form, named)
        _note(values["subscriptions"], "subscriptions", facts.sha256, facts.rows, named)
    _take_nodes(values, where)


def _file_of(values: dict[str, Any], table: str) -> str | None:
    """The file of a table, if it is well-formed and has one."""
    keys = values.get(table)
    file = keys.get("file") if isinstance(keys, dict) else None
    return file if isinstance(file, str) else None


def _look(look: Callable[[Path], Facts], file: str, named: str) -> Facts:
    try:
        return look(Path(file))
    except (PipelineError, ValueError) as error:  # a NUL in the path is a ValueError
        raise _refusal(error, file, named) from error


def _refusal(error: Exception, file: str, named: str) -> ScenarioError:
    return ScenarioError(f"{named}: {str(error).removeprefix(f'{file}: ')}")


def _dimensions(values: dict[str, Any]) -> float | None:
    """Those of a scenario; None if they cannot be, which is told elsewhere."""
    value = values.get("dimensions", 1)
    return value if not isinstance(value, bool) and value in DIMENSIONS else None


def _check_attributes(values: dict[str, Any], found: int, file: str, named: str) -> None:
    """Refuse objects with more or fewer attributes than the dimensions of a scenario have."""
    asked = _dimensions(values)
    if asked is not None and found != pipeline.attributes_of(asked):
        raise _refusal(pipeline.other_attributes(Path(file), found, asked), file, named)


def _note(keys: dict[str, Any], table: str, sha256: str, count: int, named: str) -> None:
    """Note digest and count of a file, if the scenario does not say otherwise."""
    _check_digest(keys.setdefault("sha256", sha256), sha256, f"{named}: the file", f"{table}.sha256")
    given = keys.setdefault("count", count)
    if given != count:
        raise ScenarioError(f"{named}: holds {count} rows, but {table}.count = {given}; remove {table}.count")


def _note_shape(keys: dict[str, Any], form: pipeline.Form, named: str) -> None:
    """Note what a file of subscriptions holds, if it is not ranges and the scenario does not say otherwise."""
    given = keys.setdefault("shape", form.shape) if form.shape != "boxes" else keys.get("shape", "boxes")
    if given != form.shape:
        raise ScenarioError(f"{named}: holds {form}, but subscriptions.shape = {given!r}; remove subscriptions.shape")


def _check_digest(expected: object, sha256: str, told: str, key: str) -> None:
    if expected != sha256:
        raise ScenarioError(f"{told} is not the one that {key} stands for; bring that back, or remove {key}")


def _seal_objects(values: dict[str, Any], where: Where) -> None:
    file = _file_of(values, "objects")
    if file is None:
        return
    named = f"{where('objects', 'file')}: objects.file = {file!r}"
    facts = _look(pipeline.object_facts, file, named)
    _check_attributes(values, len(facts.ranges), file, named)
    _note(values["objects"], "objects", facts.sha256, facts.rows, named)
    if "range" in values["objects"] or _file_of(values, "subscriptions") is not None:
        return
    for name, (low, high) in zip(pipeline.x_names(len(facts.ranges)), facts.ranges, strict=True):
        if low == high:
            raise ScenarioError(
                f"{named}: every {name} is {low}, so that subscriptions have no range to lie in; set objects.range"
            )


def _seal_events(values: dict[str, Any], where: Where) -> None:
    """Note how many events a trace or list holds, and its digest; of the events, fewer may be asked for."""
    file, events = _file_of(values, "events"), values.get("events")
    if file is None or not isinstance(events, dict) or events.get("kind") != "trace":
        return
    named = f"{where('events', 'file')}: events.file = {file!r}"
    is_list = _look(pipeline.is_event_list, file, named)
    what = "list" if is_list else "trace"
    if is_list:
        listed = _look(pipeline.event_facts, file, named)
        count, sha256 = listed.rows, listed.sha256
    else:
        facts = _look(pipeline.trace_facts, file, named)
        _check_attributes(values, len(facts.ranges), file, named)
        count, sha256 = facts.events, facts.sha256
    if not count:
        raise ScenarioError(f"{named}: the trace holds no events; take a longer history")
    _check_digest(events.setdefault("sha256", sha256), sha256, f"{named}: the {what}", "events.sha256")
    wanted = events.get("count") if "duration" in events else events.setdefault("count", count)
    if isinstance(wanted, int) and wanted > count:
        raise ScenarioError(
            f"{named}: the {what} holds {count} events, but events.count = {wanted}; remove events.count"
        )
    if not is_list:
        _take_objects(values, facts.initial, named, where)


def _take_objects(values: dict[str, Any], initial: int, named: str, where: Where) -> None:
    """Take over the number of a trace's objects."""
    objects = values.setdefault("objects", {})
    if not isinstance(objects, dict):
        return
    for key in ("distribution", "file"):
        if objects.get(key, "uniform") != "uniform":
            raise ScenarioError(
                f"{where('objects', key)}: objects.{key} = {objects[key]!r}: a trace has objects of its own; "
                "remove this key"
            )
    about = values.get("subscriptions")
    chosen = about.get("distribution") if isinstance(about, dict) and "file" not in about else None
    if isinstance(chosen, str) and pipeline.objects_covered(chosen):
        raise ScenarioError(
            f"{where('subscriptions', 'distribution')}: subscriptions.distribution = {chosen!r}: covers objects that "
            "are made, and a trace has its own; take another distribution"
        )
    given = objects.setdefault("count", initial)
    if given != initial:
        raise ScenarioError(
            f"{named}: the trace begins with {initial} objects, but objects.count = {given}; remove objects.count"
        )


def _take_nodes(values: dict[str, Any], where: Where) -> None:
    """Put the nodes of brokers in the place of the file that has them; without a count, each has a broker."""
    network = values.get("network")
    if not isinstance(network, dict):
        return
    file = network.get("nodes")
    if isinstance(file, str):
        named = f"{where('network', 'nodes')}: network.nodes = {file!r}"
        network["nodes"] = _look(_read_nodes, file, named)
    if isinstance(network.get("nodes"), list) and network["nodes"]:
        network.setdefault("brokers", len(network["nodes"]))


def _read_nodes(path: Path) -> list[int | str]:
    table = pipeline.open_table(path)
    name = "name" if "name" in table.names and "node" not in table.names else "node"
    table.require((name,))
    kind = pa.int64() if name == "node" else pa.string()
    nodes: list[int | str] = []
    for first, columns in table.batches({name: kind}):
        rule = "must not be blank; write a node or remove the row"
        table.refuse_any(first, name, columns[name], columns[name].is_null().to_numpy(zero_copy_only=False), rule)
        nodes += columns[name].to_pylist()
    if not nodes:
        raise PipelineError(f"{path}: holds no nodes; add rows")
    return nodes


def seal_topology(scenario: Scenario, named: str) -> Scenario:
    """Note the digest of a topology's file, if there is one; `named` is where it was.

    Raises
    ------
    ScenarioError
        It cannot be read, or is another one than the scenario says.
    """
    file, expected = scenario.topology.file, scenario.topology.sha256
    if file is None:
        return scenario
    named = f"{named}: topology.file = {file!r}"
    try:
        if Path(file).exists() and not Path(file).is_file():
            kind = "a directory" if Path(file).is_dir() else "a device or pipe"
            raise ScenarioError(f"{named}: must be a file, and is {kind}; mend the path")
        digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "there is a NUL in the path"
        raise ScenarioError(f"{named}: cannot be read: {reason}; mend the path") from error
    if expected is not None:
        _check_digest(expected, digest, f"{named}: the file", "topology.sha256")
    topology = scenario.topology.model_copy(update={"sha256": digest})
    return scenario.model_copy(update={"topology": topology})
