"""Scenarios: read from TOML files, with the files they extend and the changes of the command line, and written again.

A scenario file is data: nothing in it is run, and `extends` reads other scenario files only.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import tomli_w
from pydantic import ValidationError

from scenarios import located
from simulator.scenario.idle_keys import idle_beside
from simulator.scenario.mistakes import KeyPath, ScenarioError, key_lines, mistakes_in
from simulator.scenario.scenario import Scenario
from simulator.scenario.sealing import place_files, seal_files, seal_topology

__all__ = ["Scenario", "ScenarioError", "load_scenario", "make_scenario", "read_toml_text", "scenario_toml"]


_REMEDY = (
    "give the path of a scenario file in TOML, or the name of one that comes with Rangecast; "
    "`rangecast scenario list` shows them, `rangecast scenario new` copies one"
)
_LONGEST = 10_000_000
"""Bytes of a file that somebody has written by hand."""


class _Layer(NamedTuple):
    """One file of a chain of files that extend each other."""

    path: Path
    values: dict[str, Any]
    text: str

    def places(self) -> dict[KeyPath, str]:
        """File and line in which each key is given a value."""
        return {key: f"{self.path}:{line}" for key, line in key_lines(self.text).items()}


def load_scenario(path: Path, overrides: tuple[str, ...] = (), *, beside: Path = Path()) -> Scenario:
    """Read a scenario file.

    A file may begin with `extends = "base.toml"`, the path of another one as seen from its own directory: tables are
    merged key by key, anything else replaces what the base says. Chains are allowed. Files that a scenario names are
    taken as seen from the scenario file that names them, and say how many events, objects or subscriptions there are.

    Parameters
    ----------
    path : Path
        A TOML file; where there is none, the name of a scenario that comes with Rangecast.
    overrides : tuple of str
        `key=value` pairs that replace values of the files, keys dotted (`objects.count=500`), values in TOML.
    beside : Path
        Directory from which files that overrides name are seen.

    Raises
    ------
    ScenarioError
        One line: file, key, value, rule and remedy.
    """
    path = located(path)
    layers = _layers(path)
    values: dict[str, Any] = {}
    for layer in layers:
        place_files(layer.values, layer.path.parent)
        _give_way(values, layer.values)
        _merge(values, layer.values)
    return _make(values, overrides, layers, path, beside)


def make_scenario(values: dict[str, Any], overrides: tuple[str, ...], *, path: Path) -> Scenario:
    """Make a scenario of a table's values, which the overrides change in place; `path` is the file to blame.

    Raises
    ------
    ScenarioError
        One line: file, key, value, rule and remedy.
    """
    place_files(values, path.parent)
    return _make(values, overrides, [], path, path.parent)


def _make(
    values: dict[str, Any], overrides: tuple[str, ...], layers: list[_Layer], path: Path, beside: Path
) -> Scenario:
    replaced = [_override(values, override) for override in overrides]
    place_files(values, beside)
    origins = _origins(layers, replaced)

    def where(table: str, key: str) -> str:
        return origins.get((table, key), origins.get((table,), str(path)))

    seal_files(values, where)
    try:
        scenario = Scenario.model_validate(values)
    except ValidationError as error:
        raise ScenarioError(*mistakes_in(error, origins, str(path))) from error
    return seal_topology(scenario, where("topology", "file"))


def scenario_toml(scenario: Scenario) -> str:
    """Write a scenario as one TOML file, all defaults filled in; `load_scenario` reads it back equal."""
    return tomli_w.dumps(scenario.model_dump(exclude_none=True))


def read_toml_text(path: Path) -> str:
    """Read a file that a user writes, with or without a byte order mark, line ends as Python has them.

    Raises
    ------
    OSError
        It cannot be read.
    ValueError
        It is no text, or there is no end to it.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(_LONGEST + 1)
    except ValueError as error:
        raise ValueError("there is a NUL in the path") from error
    if len(content) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST // 10**6} MB, which no such file is")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError("it is not UTF-8 text") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _layers(path: Path) -> list[_Layer]:
    """The file after the one it extends, after the one which that extends, and so on."""
    layers = [_read(path, str(path), _REMEDY)]
    while "extends" in layers[0].values:
        base = layers[0].values.pop("extends")
        named = f"{layers[0].places()['extends',]}: extends = {base!r}"
        if not isinstance(base, str) or not base:
            raise ScenarioError(f"{named}: must be the path of a scenario file; write it in quotes")
        below = _read(layers[0].path.parent / base, named, "mend the path")
        if any(below.path.samefile(layer.path) for layer in layers):
            raise ScenarioError(f"{named}: these files extend each other in a circle; remove one of the links")
        layers.insert(0, below)
    return layers


def _read(path: Path, named: str, remedy: str) -> _Layer:
    try:
        text = read_toml_text(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ScenarioError(f"{named}: cannot be read: {reason}; {remedy}") from error
    try:
        return _Layer(path, tomllib.loads(text), text)
    except ValueError as error:
        raise ScenarioError(f"{_with_line(path, error)}; mend that line") from error
    except RecursionError as error:
        raise ScenarioError(f"{path}: not valid TOML: brackets are nested too deeply; remove some") from error


def _origins(layers: list[_Layer], replaced: list[KeyPath]) -> dict[KeyPath, str]:
    """Where each key got the value that counts: the last file, or else the command line, that gives it one."""
    origins = {key: place for layer in layers for key, place in layer.places().items()}
    for path in replaced:
        origins = {key: place for key, place in origins.items() if key[: len(path)] != path}
        origins[path] = "command line"
        for length in range(1, len(path)):  # tables that no file has
            origins.setdefault(path[:length], "command line")
    return origins


def _with_line(path: Path, error: ValueError) -> str:
    """File, line and complaint; tomllib gives the line within its text only."""
    match = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
    if match is None:
        return f"{path}: not valid TOML: {error}"
    return f"{path}:{match[2]}: not valid TOML: {match[1]} in column {match[3]}"


def _merge(values: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, change in changes.items():
        if isinstance(change, dict) and isinstance(values.get(key), dict):
            _merge(values[key], change)
        else:
            values[key] = change


_GIVE_WAY: dict[str, dict[str, tuple[str, ...]]] = {
    "events": {"count": ("duration",), "duration": ("count",), "file": ("sha256",)},
    "objects": {"file": ("distribution", "count", "sha256"), "distribution": ("file", "range", "sha256")},
    "subscriptions": {
        "file": ("distribution", "count", "sha256", "shape"),
        "distribution": ("file", "sha256", "shape"),
    },
    "topology": {"file": ("sha256",)},
}
"""Keys of each table that a key which comes later takes the place of."""


def _give_way(values: dict[str, Any], changes: dict[str, Any]) -> None:
    """Let keys give way to one that comes later and excludes them: a count of events to a duration, say."""
    for table in changes:
        keys = _GIVE_WAY.get(table, {})
        above, below = changes.get(table), values.get(table)
        if isinstance(above, dict) and isinstance(below, dict):
            for key, others in keys.items():
                for other in others if key in above else ():
                    if other not in above:
                        below.pop(other, None)
            for key in idle_beside(table, above):
                if key not in above:
                    below.pop(key, None)


def _override(values: dict[str, Any], override: str) -> KeyPath:
    """Set a key as `--set` says; the key."""
    key, equals, value = override.partition("=")
    if not equals or not key.strip():
        raise ScenarioError(f"--set {override}: must be key=value, for example --set objects.count=500")
    if key.strip() == "extends":
        raise ScenarioError(f"--set {override}: only a scenario file can extend another; write it there")
    if "\n" in override:
        raise ScenarioError(f"--set {override!r}: must be one key=value on one line; give --set several times")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        parsed = value.strip()  # a bare word is a string: --set engine=des, --set events.rate=50/s
    path = tuple(key.strip().split("."))
    *tables, last = path
    if len(tables) == 1:
        _give_way(values, {tables[0]: {last: parsed}})
    for table in tables:
        values = values.setdefault(table, {})
        if not isinstance(values, dict):
            raise ScenarioError(f"--set {override}: {table} is a value, not a table; remove what follows the dot")
    values[last] = parsed
    return path
