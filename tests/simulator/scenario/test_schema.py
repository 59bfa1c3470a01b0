"""The JSON schema says what the loader says, and the documentation says what the schema says."""

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
import tomli_w
from pydantic import ValidationError

from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from simulator.scenario.schema import scenario_schema
from simulator.workload.units import BANDWIDTH, DURATION, RATE, SIZE

ROOT = Path(__file__).parents[3]
SCHEMA = scenario_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SMALL: dict[str, Any] = {"name": "small", "approaches": ["unicast"]}


def accepts(values: dict[str, Any]) -> bool:
    return bool(VALIDATOR.is_valid(values))


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
    tables = ("topology", "objects", "subscriptions", "events")
    optional = {f"{table}.{key}" for table in tables for key in ("file", "sha256")}
    optional |= {"topology.bandwidth", "topology.format", "network.nodes", "objects.range", "events.duration"}
    optional |= {"network.base", "network.contacts", "sizes.header", "subscriptions.shape"}
    assert without == {"name", "approaches", "extends"} | optional


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


#: Of every kind that TOML has, at and around the bounds there are, texts of every pattern and near misses. JSON has
#: no infinity, and does not tell 1.0 from 1: such floats are left out.
NUMBERS = [-1, 0, 1, 2, 3, 1000, 2**31 - 1, 2**31, 2**40 - 1, 2**40, -0.5, 0.5, 0.9, 0.91, 1.5]
TEXTS = ["", "x", "../x", "a b", "a.b-c_d", "-a", "3", "none", "all", "sample:0", "sample:03", "sample:3", "sample:",
         "unicast", "net.dat", "0" * 64, "0" * 63, "g" * 64,
         "1ms", "10 ms", "10  ms", "-1us", "1e3s", "0ns", "1.5h", "1001h", ".5s", "5.s",
         "100/s", "3 /min", "0/s", "2000000000/s", "24B", "1.5kB", "0.5B", "0B", "2GB",
         "100Mbps", "0bps", "1MBPS"]  # fmt: skip
LISTS = [
    [],
    ["unicast"],
    ["unicast", "cn-relax"],
    ["unicast", "unicast"],
    ["nobody"],
    ["hops"],
    [3],
    [["hops"]],
    [0, 10],
    [0, 1, 2],
    [-1],
    [True],
    [0.5],
]
VALUES: list[Any] = [*NUMBERS, *TEXTS, *LISTS, True, False, {}, {"x": 1}]
#: What the schema leaves to the loader, by the kind of the mistake: rules over several keys, and names of approaches.
LEFT_TO_THE_LOADER = {"fit", "approach"}
BOUNDS = ("must be at least", "must be at most", "must be a whole number of")


def with_value(key: str, value: Any) -> dict[str, Any]:
    table, _, inner = key.rpartition(".")
    return SMALL | ({table: {inner: value}} if table else {key: value})


def refusal(values: dict[str, Any], path: Path) -> list[str]:
    """Why the loader refuses a file with these values: every mistake that is for the schema to find."""
    path.write_text(tomli_w.dumps(values), encoding="utf-8")
    try:
        load_scenario(path)
    except ScenarioError as error:
        if not isinstance(error.__cause__, ValidationError):
            return [] if "cannot be read" in str(error) else [str(error)]
        mistakes = error.__cause__.errors()
        quantities = [m for m in mistakes if m["type"] == "quantity" and m["msg"].startswith(BOUNDS)]
        return [m["msg"] for m in mistakes if m["type"] not in LEFT_TO_THE_LOADER and m not in quantities]
    return []


@pytest.mark.parametrize("key", [*properties(), *Scenario.tables()])
def test_the_schema_refuses_what_the_loader_refuses_and_nothing_else(key: str, tmp_path: Path) -> None:
    """Key by key, but for rules over several keys, names of approaches and bounds of quantities."""
    about, values = properties().get(key, {}), list(VALUES)
    values += [*about.get("enum", ()), *([about["default"]] if "default" in about else ())]
    taken = refused = 0
    for value in values:
        changed = with_value(key, value)
        reasons = refusal(changed, tmp_path / "changed.toml")
        assert accepts(changed) == (not reasons), (value, reasons)
        taken, refused = taken + (not reasons), refused + bool(reasons)
    assert taken > 0
    assert refused > len(values) // 3


@pytest.mark.parametrize(
    "key", ["kk", "events.kk", "costs.broker_us", "events.rate_per_s", "topology.bandwidth_mbps"]
)
def test_neither_takes_a_key_that_there_is_not(key: str, tmp_path: Path) -> None:
    assert refusal(with_value(key, 1), tmp_path / "changed.toml")
    assert not accepts(with_value(key, 1))


@pytest.mark.parametrize("lacking", sorted(SMALL))
def test_neither_does_without_a_key_that_must_be_there(lacking: str, tmp_path: Path) -> None:
    less = {key: value for key, value in SMALL.items() if key != lacking}
    assert refusal(SMALL, tmp_path / "whole.toml") == []
    assert accepts(SMALL)
    assert refusal(less, tmp_path / "less.toml")
    assert not accepts(less)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"k": 1001}, "k must be at most objects.count"),
        ({"approaches": ["nobody"]}, "nobody"),
        ({"approaches": ["unicast", "unicast"]}, "an approach may be named once"),
        ({"topology": {"sha256": "0" * 64}}, "is about topology.file"),
        ({"events": {"insert": 0.6, "move": 0.6}}, "must add up to at most 1"),
        ({"events": {"gap": "1001h"}}, "must be at most 1000h"),
        ({"sizes": {"message": "0.5B"}}, "must be at least 1B"),
        ({"sizes": {"message": "1.5B"}}, "must be a whole number of B"),
    ],
    ids=str,
)
def test_the_rules_left_to_the_loader_are_those(change: dict[str, Any], rule: str) -> None:
    assert accepts(SMALL | change)
    with pytest.raises(ValidationError, match=rule):
        Scenario.model_validate(SMALL | change)


def test_the_schema_takes_a_network_from_a_file() -> None:
    assert accepts(SMALL | {"topology": {"file": "net.dat", "format": "edges", "largest": True, "sha256": "0" * 64}})


def test_only_a_file_that_extends_another_may_lack_keys() -> None:
    assert accepts({"extends": "base.toml", "topology": {"bandwidth": "1.5 Gbps"}})
    assert not accepts({"name": "small"})


def kind(about: dict[str, Any]) -> str:
    if "enum" in about:
        return ", ".join(f"`{json.dumps(choice)}`" for choice in about["enum"])
    if "anyOf" in about:
        return " or ".join(kind(option) for option in about["anyOf"])
    if "const" in about:
        return f'`"{about["const"]}"`'
    if "$ref" in about.get("items", {}):
        return "list of tables"
    if "title" in about:
        return str(about["title"])
    named = {"integer": "whole number", "number": "number", "boolean": "true or false", "string": "text"}
    if about["type"] == "array":
        return "list of whole numbers" if about["items"]["type"] == "integer" else "list of text"
    return named[about["type"]]


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


def test_the_documentation_lists_every_key_of_a_planned_fault() -> None:
    lines = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("| key of `[[faults.at]]` | value | meaning |") + 2
    told = SCHEMA["$defs"]["PlannedFault"]["properties"]
    expected = [f"| `{key}` | {kind(about)} | {about['description']} |" for key, about in told.items()]
    assert lines[start : lines.index("", start)] == expected


PLANNED = {"time": "3s", "what": "delay", "whom": [1, 2], "value": "5ms"}


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("time", ["3s", "3 s", "0s", 3, "three", None]),
        ("what", ["crash", "restore", "partition", "heal", "loss", "delay", "explode", 1, None]),
        ("whom", [[1], [0, 2, 1], 3, "server", [], [1, 1], [-1], -1, ["1"], "1", [[1]], None]),
        ("value", [0.0, 0.3, 0.9, 0, 0.91, -0.1, 1, "5ms", "5", "x", [0.3], True, None]),
    ],
)
def test_the_schema_of_a_planned_fault_is_that_of_the_loader(key: str, values: list[Any], tmp_path: Path) -> None:
    taken = []
    for value in values:
        planned = {one: what for one, what in (PLANNED | {key: value}).items() if what is not None}
        scenario = SMALL | {"engine": "des", "faults": {"at": [planned]}}
        reasons = refusal(scenario, tmp_path / "planned.toml")
        assert accepts(scenario) == (not reasons), (planned, reasons)
        taken.append(not reasons)
    assert 0 < sum(taken) < len(taken)


def test_the_documentation_lists_every_unit() -> None:
    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    for one in (DURATION, RATE, SIZE, BANDWIDTH):
        units = ", ".join(one.units)
        assert f'\n| {one.name} | {units} | {one.least} | {one.most} | `"{one.example}"` |\n' in text
