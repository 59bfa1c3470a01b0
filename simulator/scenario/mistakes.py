"""Mistakes in a scenario, each told in one line: where it stands, key, value, rule and remedy."""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from floor.errors import RangecastError
from simulator.scenario.scenario import Scenario
from simulator.scenario.table import Table

__all__ = ["KeyPath", "ScenarioError", "key_lines", "mistakes_in"]

KeyPath = tuple[str, ...]
"""A dotted key, cut at its dots; below a list of tables the place in it is a part too, from "0"."""


class ScenarioError(RangecastError):
    """A scenario that cannot be run; the text is one line, `mistakes` has a line for each mistake."""

    def __init__(self, *mistakes: str) -> None:
        self.mistakes = mistakes
        more = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
        super().__init__(mistakes[0] + more)


def mistakes_in(error: ValidationError, origins: Mapping[KeyPath, str], file: str) -> list[str]:
    """Say what is wrong with a scenario.

    Parameters
    ----------
    error : ValidationError
        What `Scenario` found.
    origins : mapping of KeyPath to str
        Where each key was given its value.
    file : str
        Where to look for a key that was given none.
    """
    lines = []
    for detail in error.errors(include_url=False):
        context = detail.get("ctx", {})
        named = context["key"].split(".") if "key" in context else detail["loc"]
        path = _key_path(named)
        value = context.get("value", detail["input"])
        shown = (
            "" if detail["type"] == "missing" or value is None or isinstance(value, dict) else f" = {_shown(value)}"
        )
        lines.append(f"{_origin(path, origins, file)}: {_dotted(path)}{shown}: {_rule(detail, path)}")
    return lines


def _key_path(named: Sequence[str | int]) -> KeyPath:
    """A key as it is written, with the place in a list of tables; places in other lists are left out."""
    return tuple(
        str(part)
        for part, after in zip(named, [*named[1:], None], strict=True)
        if isinstance(part, str) or isinstance(after, str)
    )


def _dotted(path: KeyPath) -> str:
    """A key for people: `faults.at[0].time`."""
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", ".".join(path))


def key_lines(text: str) -> dict[KeyPath, int]:
    """Line on which each key and table of a valid TOML text begins.

    tomllib tells no lines. A statement is the fewest lines that are TOML by themselves, so reading statement by
    statement finds the beginning of each. Time linear in the text, save for values of many lines.
    """
    found: dict[KeyPath, int] = {}
    table: KeyPath = ()
    statement, begun = "", 1
    for number, line in enumerate(text.split("\n"), start=1):
        statement += line + "\n"
        try:
            values = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        header = statement.lstrip().startswith("[")
        paths = list(_paths(values, () if header else table))
        if header:
            table = paths[-1]
        if statement.lstrip().startswith("[["):
            table = (*table, str(sum(path[:-1] == table for path in found if path[-1].isdigit())))
            paths.append(table)
        for path in paths:
            found.setdefault(path, begun)
        statement, begun = "", number + 1
    return found


def _paths(values: Mapping[str, Any], above: KeyPath) -> Iterator[KeyPath]:
    for key, value in values.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from _paths(value, (*above, key))


def _origin(path: KeyPath, origins: Mapping[KeyPath, str], file: str) -> str:
    """Where a key, or else the nearest table around it, was written."""
    if path in origins:
        return origins[path]
    return _origin(path[:-1], origins, file) if path else file


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _rule(error: ErrorDetails, path: KeyPath) -> str:
    context = error.get("ctx", {})
    if "rule" in context:
        return str(context["rule"])
    match error["type"]:
        case "extra_forbidden":
            return _unknown_key(path)
        case "missing":
            return "this key is needed; add it to the scenario"
        case "greater_than_equal":
            return f"must be at least {context['ge']}; raise it"
        case "greater_than":
            return f"must be above {context['gt']}; raise it"
        case "less_than":
            return f"must be below {context['lt']}; lower it"
        case "less_than_equal":
            return f"must be at most {context['le']}; lower it"
        case "literal_error":
            return f"must be one of {context['expected']}; choose one of them"
        case "float_type":
            return "must be a number; write it without quotes"
        case "finite_number":
            return "must be a finite number; choose one"
        case "int_type":
            return "must be a whole number; write it without quotes or decimals"
        case "bool_type":
            return "must be true or false; write it without quotes"
        case "string_type":
            return "must be text; write it in quotes"
        case "list_type":
            return "must be a list; write it in brackets"
        case "string_pattern_mismatch":
            return "must be letters, digits, '.', '_' or '-', beginning with a letter or digit; rename it"
        case "string_too_long":
            return f"must have at most {context['max_length']} letters; shorten it"
        case "too_short":
            return "must name at least one approach; add one, for example 'paint-dense'"
        case "model_type":
            header = "[faults.at]" if path == ("faults", "at") else ".".join(path)
            return f"must be a table; write [{header}] and its keys below it"
        case _:
            return f"{error['msg']}; change it"


def _unknown_key(path: KeyPath) -> str:
    table: type[Table] = Scenario
    *parents, last = path
    for parent in parents:
        table = table if parent.isdigit() else (table.tables() | table.lists())[parent]
    known = sorted(table.key_fields())
    close = difflib.get_close_matches(last, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else "remove it;"
    return f"no such key; {hint} the keys here are {', '.join(known)}"
