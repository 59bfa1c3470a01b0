"""What a sweep's tables say of a point: a column for every single key that the grid changes, and plain text in it.

A grid may change several keys together (`topology = [{model = "inet", nodes = 3037}, ...]`); each of them gets a
column of its own, `topology.model` and `topology.nodes`. What a value of the grid leaves out stands there as the
point's scenario has it.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.scenario.scenario import Scenario

__all__ = ["cells_of", "columns_of", "value_at"]


def columns_of(axes: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Single keys that the grid's lists change, dotted, in the order in which they are first met."""
    return tuple(
        dict.fromkeys(key for name, values in axes.items() for value in values for key in _leaves(name, value))
    )


def cells_of(columns: Sequence[str], chosen: Mapping[str, Any], scenario: Scenario) -> tuple[str, ...]:
    """Text for each column of the point that was made of these values."""
    given = {key: value for name, whole in chosen.items() for key, value in _leaves(name, whole).items()}
    every = scenario.model_dump(mode="json")
    return tuple(_text(given[column]) if column in given else value_at(every, column) for column in columns)


def _leaves(key: str, value: Any) -> dict[str, Any]:
    """Single keys below this one, dotted, with their values."""
    if not isinstance(value, dict):
        return {key: value}
    return {leaf: found for name, inner in value.items() for leaf, found in _leaves(f"{key}.{name}", inner).items()}


def value_at(scenario: Any, key: str) -> str:
    """Text for a dotted key of a scenario that was written as JSON; none if it does not have it."""
    for part in key.split("."):
        scenario = scenario.get(part) if isinstance(scenario, dict) else None
    return _text(scenario)


def _text(value: Any, between: str = "; ") -> str:
    """A value as people write it; the parts of a list after one another, of a list in a list between commas."""
    match value:
        case None:
            return ""
        case str():
            return value
        case list():
            return between.join(_text(inner, ",") for inner in value) or "none"
        case dict():
            return " ".join(f"{name}={_text(inner, ',')}" for name, inner in value.items())
    return json.dumps(value)
