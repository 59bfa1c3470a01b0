"""Scenarios from Python: out of files, out of mappings, and with changes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rangecast.arguments import AnyPath, as_mapping, as_path, in_python_words, plain
from simulator.inputs import plugins
from simulator.scenario import loading
from simulator.scenario.grid import overrides_of
from simulator.scenario.scenario import Scenario

__all__ = ["AnyScenario", "load_plugins", "load_scenario", "overrides"]

AnyScenario = Scenario | Mapping[str, Any] | AnyPath
"""A scenario, what its file would hold, or the path of its file."""

_BLAMED = Path("scenario")
"""The file to blame where there is none; files that it names are seen from the current directory."""


@in_python_words()
def load_scenario(source: AnyScenario, changes: Mapping[str, Any] | None = None) -> Scenario:
    """Make a scenario, and check it as the command line does.

    Parameters
    ----------
    source : path, mapping or Scenario
        A scenario file in TOML, or the name of one that comes with Rangecast; or what it would hold, as a
        dictionary; or a scenario to change.
    changes : mapping, optional
        Values instead of the source's. Keys are dotted, or tables in tables: `{"network.brokers": 16}` and
        `{"network": {"brokers": 16}}` are the same, and leave the other keys of `network` as they are.

    Returns
    -------
    Scenario
        Frozen; its tables and keys are attributes, such as `scenario.network.brokers`.

    Raises
    ------
    RangecastError
        One line: where, key, value, rule and remedy.
    TypeError
        A source or a value of a kind that cannot be.

    Examples
    --------
    >>> scenario = load_scenario({"name": "small", "approaches": ["unicast"], "network": {"brokers": 16}})
    >>> load_scenario(scenario, {"k": 3}).k
    3
    """
    changed = overrides(changes)
    if isinstance(source, Scenario):
        if not changed:
            return source
        return loading.make_scenario(source.model_dump(exclude_unset=True, exclude_none=True), changed, path=_BLAMED)
    if isinstance(source, Mapping):
        return loading.make_scenario(plain(source, ""), changed, path=_BLAMED)
    kinds = "a Scenario, a mapping or the path of a scenario file"
    return loading.load_scenario(as_path(source, "scenario", kinds), changed)


@in_python_words()
def load_plugins(*paths: AnyPath) -> None:
    """Run Python files of your own that register approaches or kinds of events, each once in a process.

    What a script or a notebook registers itself needs no file, save for `sweep`, whose simulations run in other
    processes: these load the same files.

    Raises
    ------
    RangecastError
        A file that cannot be read, or that fails.
    """
    plugins.load_plugins([as_path(path, "path") for path in paths])


def overrides(changes: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Changes as the command line's `--set` has them."""
    return overrides_of(dict(_dotted(plain(as_mapping(changes, "changes"), ""))))


def _dotted(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _dotted(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
