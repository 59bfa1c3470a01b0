"""The JSON schema says what the loader says, and the documentation says what the schema says."""

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.schema import scenario_schema
from simulator.workload.units import BANDWIDTH, DURATION, RATE, SIZE

ROOT = Path(__file__).parents[3]
SCHEMA = scenario_schema()
SMALL: dict[str, Any] = {"name": "small", "approaches": ["unicast"]}


def accepts(values: dict[str, Any]) -> bool:
    return bool(jsonschema.Draft202012Validator(SCHEMA).is_valid(values))


def properties() -> dict[str, dict[str, Any]]:
    """Every key that holds a value, dotted, with what the schema says about it."""
    found: dict[str, dict[str, Any]] = {}
    for key, about in SCHEMA["properties"].items():
        if "$ref" in about:
            table = SCHEMA["$defs"][about["$ref"].removeprefix("#/$defs/")]
            found |= {f"{key}.{inner}": below for inner, below in table["properties"].items()}
        else:
            found[key] = about
    return found


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_key_has_a_meaning_and_every_optional_one_a_default() -> None:
    keys = properties()
    assert all(about["description"] for about in (*keys.values(), *SCHEMA["properties"].values()))
    without = {key for key, about in keys.items() if "default" not in about}
    optional = {f"topology.{key}" for key in ("bandwidth", "file", "format", "sha256")}
    assert without == {"name", "approaches", "extends", "events.file", "events.sha256"} | optional


def test_defaults_are_those_of_the_loader(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('name = "small"\napproaches = ["unicast"]\n', encoding="utf-8")
    filled = tomllib.loads(scenario_toml(load_scenario(path)))
    flat = {key: value for key, value in filled.items() if not isinstance(value, dict)}
    flat |= {f"{key}.{inner}": below for key, table in filled.items() if isinstance(table, dict)
             for inner, below in table.items()}  # fmt: skip
    defaults = {key: about["default"] for key, about in properties().items() if "default" in about}
    assert flat == {"name": "small", "approaches": ["unicast"]} | defaults
    assert accepts(filled)


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("*.toml")), ids=lambda path: path.name)
def test_our_scenarios_fit_the_schema(path: Path) -> None:
    load_scenario(path)
    assert accepts(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "change",
    [
        {"k": 0}, {"k": "3"}, {"kk": 3}, {"name": "../x"}, {"approaches": []}, {"verify": "sample:0"}, {"seed": -1},
        {"events": {"rate": 100}}, {"events": {"rate": "100"}}, {"events": {"rate": "1ms"}},
        {"events": {"kind": "zipf"}}, {"events": {"insert": 1.5}}, {"events": {"arrival": "never"}},
        {"costs": {"snap": "-1us"}},
        {"costs": {"broker_us": 1.0}}, {"topology": {"model": "zipf"}}, {"topology": {"bandwidth": None}},
        {"topology": {"file": 3}}, {"topology": {"format": "xml"}}, {"topology": {"sha256": "abc"}},
        {"network": {"balance": "zipf"}}, {"network": {"last_hop": 1}}, {"objects": 3}, {"extends": 3},
    ],
    ids=str,
)  # fmt: skip
def test_the_schema_refuses_what_the_loader_refuses(change: dict[str, Any]) -> None:
    assert accepts(SMALL)
    assert not accepts(SMALL | change)


def test_the_schema_takes_a_network_from_a_file() -> None:
    assert accepts(SMALL | {"topology": {"file": "net.dat", "format": "edges", "largest": True, "sha256": "0" * 64}})


def test_only_a_file_that_extends_another_may_lack_keys() -> None:
    assert accepts({"extends": "base.toml", "topology": {"bandwidth": "1.5 Gbps"}})
    assert not accepts({"name": "small"})


def kind(about: dict[str, Any]) -> str:
    if "enum" in about:
        return ", ".join(f'`"{choice}"`' for choice in about["enum"])
    named = {"integer": "whole number", "number": "number", "boolean": "true or false", "array": "list of text",
             "string": "text"}  # fmt: skip
    return str(about.get("title", named[about["type"]]))


def shown(about: dict[str, Any]) -> str:
    return f"`{json.dumps(about['default'])}`" if "default" in about else ""


def test_the_documentation_lists_every_key_as_the_schema_has_it() -> None:
    expected = [
        f"| `{key}` | {kind(about)} | {shown(about)} | {about['description']} |"
        for key, about in properties().items()
    ]
    lines = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("| key | value | default | meaning |") + 2
    table = lines[start : lines.index("", start)]
    assert table == expected


def test_the_documentation_lists_every_unit() -> None:
    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    for one in (DURATION, RATE, SIZE, BANDWIDTH):
        units = ", ".join(one.units)
        assert f'\n| {one.name} | {units} | {one.least} | {one.most} | `"{one.example}"` |\n' in text
