"""Grids: which scenarios a sweep is made of, read from TOML, every point checked before anything is run.

scenario = "demo.toml"          # relative to the grid file; or a table [scenario]
replications = 5
seed = 1
warm_up = 0                     # events left out of the means: events.warm_up of every point

[grid]                          # every combination is a point
k = [5, 10]
network.brokers = [16, 64]
"""

import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from floor.errors import RangecastError
from scenarios import located
from simulator.scenario.grid_columns import cells_of, columns_of
from simulator.scenario.loading import load_scenario, make_scenario, read_toml_text
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from simulator.scenario.tables import Seed

__all__ = ["Grid", "GridError", "Point", "load_grid", "make_grid", "overrides_of", "replication_seeds"]

_RULES = {
    "scenario": "must be the path of a scenario file, or a table [scenario]",
    "grid": "must be a table [grid] of scenario keys, each with a list of values",
    "replications": "must be a whole number of at least 1",
    "seed": "must be a whole number from 0 to 2^31 - 1",
    "warm_up": "must be a whole number of events, at least 0",
}


_MOST_TASKS = 100_000


class GridError(RangecastError):
    """A grid that cannot be run; the text is one line for the user."""


class Point(NamedTuple):
    """One combination of the grid's values."""

    values: tuple[str, ...]
    """Text for each of the grid's columns."""
    label: str
    """Keys and values, for people."""
    scenario: Scenario

    def settings(self) -> dict[str, Any]:
        """Tables of keys and values of the scenario, as a scenario file has them, without the seed."""
        return self.scenario.model_dump(mode="json", by_alias=True, exclude={"seed"})


class Grid(NamedTuple):
    """All that a sweep depends on."""

    path: Path
    text: str
    keys: tuple[str, ...]
    """Dotted scenario keys that have a list in the file; some may be tables of keys that change together."""
    columns: tuple[str, ...]
    """Single keys that the points differ in: those tables spread out."""
    points: tuple[Point, ...]
    seeds: tuple[int, ...]
    """Scenario seed of each replication, the same for every point: points and approaches share their events."""

    @property
    def extent(self) -> str:
        """How much its scenarios ask, such as "50,000 events", or "6,000 events or 20,000 events"."""
        return " or ".join(dict.fromkeys(point.scenario.events.extent for point in self.points))


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    scenario: str | dict[str, Any]
    grid: dict[str, Any] = Field(default_factory=dict)
    replications: int = Field(default=5, ge=1)
    seed: Seed = 1
    warm_up: int | None = Field(default=None, ge=0)


def load_grid(path: Path) -> Grid:
    """Read a grid file and make the scenario of every point.

    The path may be the name of a grid that comes with Rangecast. Points are in the order of the file, the last key
    changing fastest. O(points).

    Raises
    ------
    GridError
        One line: file, key or point, value, rule and remedy.
    """
    path = located(path)
    return _parse(_read(path), path)


def make_grid(values: Mapping[str, Any], *, path: Path) -> Grid:
    """Make a grid of what its file would hold; `path` is the file to blame, and files are seen from its directory.

    Raises
    ------
    GridError
        One line: file, key or point, value, rule and remedy.
    """
    return _parse(tomli_w.dumps(values), path)


def _parse(text: str, path: Path) -> Grid:
    try:
        file = _File.model_validate(tomllib.loads(text))
    except ValidationError as error:
        raise GridError(f"{path}: {_mistake(error)}") from error
    except ValueError as error:  # of TOML, or of a number that is too long for Python
        raise GridError(f"{path}: not valid TOML: {error}; mend that line") from error
    except RecursionError as error:
        raise GridError(f"{path}: not valid TOML: brackets are nested too deeply; remove some") from error
    axes = dict(_axes(path, file.grid))
    tasks = prod([file.replications, *map(len, axes.values())])
    if tasks > _MOST_TASKS:
        raise GridError(
            f"{path}: replications = {file.replications}: with {tasks // file.replications:,} points that makes "
            f"{tasks:,} simulations, and a sweep has at most {_MOST_TASKS:,}; lower it or shorten the lists of [grid]"
        )
    if file.warm_up is not None and "events.warm_up" in axes:
        shown = f"{path}: warm_up = {file.warm_up}"
        raise GridError(f"{shown}: grid.events.warm_up sets the same key; keep one of them")
    columns = columns_of(axes)
    points = tuple(
        _point(path, file, dict(zip(axes, values, strict=True)), columns) for values in product(*axes.values())
    )
    return Grid(path, text, tuple(axes), columns, points, replication_seeds(file.seed, file.replications))


def replication_seeds(seed: int, replications: int) -> tuple[int, ...]:
    """Scenario seeds of the replications: all different, and a longer list begins with every shorter one.

    The rule: for i = 0, 1, 2, ... the upper 31 of the 32 bits of `numpy.random.SeedSequence([seed, i])`, leaving out
    what occurred before. Other seeds give unrelated lists, which `seed + i` would not.
    """
    chosen: dict[int, None] = {}
    number = 0
    while len(chosen) < replications:
        chosen[int(np.random.SeedSequence([seed, number]).generate_state(1)[0]) >> 1] = None
        number += 1
    return tuple(chosen)


def _read(path: Path) -> str:
    try:
        return read_toml_text(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise GridError(
            f"{path}: cannot be read: {reason}; give the path of a grid file in TOML, or the name of one "
            "that comes with Rangecast; `rangecast scenario list` shows them, `rangecast scenario new` copies one"
        ) from error


def _mistake(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    key = str(first["loc"][0])
    if first["type"] == "missing":
        return f"{key}: this key is needed; it {_RULES[key]}"
    if key not in _RULES:
        return f"{key}: no such key; the keys here are {', '.join(_RULES)}. Scenario keys belong below [grid]"
    return f"{key} = {_toml(first['input'])}: {_RULES[key]}"


def _axes(path: Path, table: dict[str, Any], above: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Dotted keys and their lists; `a.b = [1]`, `"a.b" = [1]` and `[grid.a]` are the same."""
    seen: list[str] = []
    for name, value in table.items():
        key = f"{above}{name}"
        found = list(_axes(path, value, f"{key}.")) if isinstance(value, dict) else [(key, value)]
        for dotted, values in found:
            _check_axis(path, dotted, values, seen)
            seen.append(dotted)
            yield dotted, values


def _check_axis(path: Path, key: str, values: object, seen: list[str]) -> None:
    shown = f"{path}: grid.{key} = {_toml(values)}"
    if not isinstance(values, list):
        raise GridError(f"{shown}: must be a list of values; write [{_toml(values)}]")
    if not values:
        raise GridError(f"{shown}: must hold at least one value; add one or remove the key")
    texts = [_toml(value) for value in values]
    repeated = next((text for text in texts if texts.count(text) > 1), None)
    if repeated is not None:
        raise GridError(f"{shown}: a value may be given once; remove the repetition of {repeated}")
    if key == "seed":
        raise GridError(f"{shown}: seeds follow from the grid's own seed; set replications instead")
    for other in seen:
        if key == other or key.startswith(f"{other}.") or other.startswith(f"{key}."):
            raise GridError(f"{shown}: {other} sets the same key; keep one of them")


def _point(path: Path, file: _File, chosen: dict[str, Any], columns: tuple[str, ...]) -> Point:
    label = ", ".join(f"{key}={_toml(value)}" for key, value in chosen.items()) or "of the scenario as it is"
    overrides = overrides_of(chosen if file.warm_up is None else chosen | {"events.warm_up": file.warm_up})
    try:
        if isinstance(file.scenario, str):
            scenario = load_scenario(path.parent / file.scenario, overrides, beside=path.parent)
        else:
            scenario = make_scenario(deepcopy(file.scenario), overrides, path=path)
    except ScenarioError as error:
        raise GridError(f"{path}: at the point {label}: {str(error).removeprefix('command line: ')}") from error
    return Point(cells_of(columns, chosen, scenario), label, scenario)


def overrides_of(changes: Mapping[str, Any]) -> tuple[str, ...]:
    """Changes of dotted keys as `load_scenario` takes them: `key=value`, the value in TOML."""
    return tuple(f"{key}={_toml(value)}" for key, value in changes.items())


def _toml(value: object) -> str:
    """A value as TOML on one line, where tomli_w would give lists a line for each value."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(inner) for inner in value) + "]"
    # A tab may stand in a string as it is, but would be unseen in a message.
    return tomli_w.dumps({"value": value}).removeprefix("value = ").rstrip("\n").replace("\t", "\\t")
