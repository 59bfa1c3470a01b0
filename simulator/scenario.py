"""Scenarios: what a run is made of, read from TOML into models that know every key, its rule and its remedy.

A scenario never runs code and has no hidden parts: what `Scenario` holds is all that a run depends on.
"""

import difflib
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

import topologies
from pipeline import DISTRIBUTIONS, OBJECT_DISTRIBUTIONS
from rangecast import RangecastError
from topologies.inet import MIN_NODES

from .approaches import parse_approach

__all__ = ["Scenario", "ScenarioError", "Seed", "load_scenario", "make_scenario"]


class ScenarioError(RangecastError):
    """A scenario that cannot be run; the text names key, value, rule and remedy."""


class _Table(BaseModel):
    """A table of a scenario: unknown keys are refused, values are not coerced, nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _one_of(name: str, known: list[str]) -> Any:
    """Validate a name against those that exist, when the scenario is read."""

    def check(value: str) -> str:
        if value not in known:
            raise PydanticCustomError("unknown_name", "{rule}", {"rule": f"{name} must be one of {', '.join(known)}"})
        return value

    return check


class Topology(_Table):
    """The IP network under the brokers."""

    model: str = "inet"
    nodes: int = Field(default=3037, ge=2)

    _known = field_validator("model")(_one_of("the model", sorted(topologies.MODELS)))


class Network(_Table):
    """The content-driven network of brokers."""

    kind: Literal["can", "tree"] = "can"
    brokers: int = Field(default=64, ge=1)
    space: Literal["triangle", "square"] = "triangle"
    """Area that the zones of `can` cover."""
    summary_boxes: int = Field(default=16, ge=1)
    """Most boxes in a link's summary in `tree`."""
    unicast: Literal["direct", "overlay"] = "direct"
    """Whether messages to single subscriptions take the IP path or go from broker to broker."""
    last_hop: bool = False
    """Whether latency includes the way from the gateway to the subscription's node; never counted as traffic."""


class Subscriptions(_Table):
    """The population of subscriptions."""

    distribution: str = "uniform"
    count: int = Field(default=20_000, ge=1)

    _known = field_validator("distribution")(_one_of("the distribution", sorted(DISTRIBUTIONS)))


class Objects(_Table):
    """The objects at the start of the run."""

    distribution: str = "uniform"
    count: int = Field(default=1_000, ge=1)

    _known = field_validator("distribution")(_one_of("the distribution", sorted(OBJECT_DISTRIBUTIONS)))


class Events(_Table):
    """The stream of updates."""

    count: int = Field(default=200, ge=1)
    arrival: Literal["fixed", "poisson"] = "fixed"
    rate_per_s: float = Field(default=100.0, gt=0, allow_inf_nan=False)


class Sizes(_Table):
    """Bytes on the wire; the defaults are the paper's cost model of 4-byte values (Section II-A and V)."""

    message_bytes: int = Field(default=24, ge=1)
    unicast_bytes: int = Field(default=16, ge=1)
    event_bytes: int = Field(default=16, ge=1)


class Costs(_Table):
    """Service times in the `des` engine, in microseconds."""

    broker_us: float = Field(default=20.0, ge=0, allow_inf_nan=False)
    first_k_us: float = Field(default=5.0, ge=0, allow_inf_nan=False)
    min_y_us: float = Field(default=2.0, ge=0, allow_inf_nan=False)
    snap_us: float = Field(default=2.0, ge=0, allow_inf_nan=False)
    send_us: float = Field(default=1.0, ge=0, allow_inf_nan=False)


Seed = Annotated[int, Field(ge=0, lt=2**31)]


class Scenario(_Table):
    """Everything a run depends on."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    seed: Seed = 1
    k: int = Field(default=20, ge=1)
    approaches: list[str] = Field(min_length=1)
    engine: Literal["tally", "des"] = "tally"
    verify: str = "none"
    topology: Topology = Topology()
    network: Network = Network()
    objects: Objects = Objects()
    subscriptions: Subscriptions = Subscriptions()
    events: Events = Events()
    sizes: Sizes = Sizes()
    costs: Costs = Costs()

    @field_validator("approaches")
    @classmethod
    def _approaches_exist(cls, names: list[str]) -> list[str]:
        for name in names:
            try:
                parse_approach(name)
            except ValueError as error:
                raise PydanticCustomError("approach", "{rule}", {"rule": str(error), "value": name}) from error
        repeated = next((name for name in names if names.count(name) > 1), None)
        if repeated is not None:
            raise PydanticCustomError(
                "approach",
                "{rule}",
                {"rule": "an approach may be named once; remove the repetition", "value": repeated},
            )
        return names

    @field_validator("verify")
    @classmethod
    def _verify_is_known(cls, value: str) -> str:
        if not re.fullmatch(r"none|all|sample:[1-9][0-9]*", value):
            raise PydanticCustomError("verify", 'verify must be "none", "all" or "sample:N" with N at least 1')
        return value

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        def refuse(key: str, value: object, rule: str) -> None:
            raise PydanticCustomError("fit", "{rule}", {"rule": rule, "key": key, "value": value})

        if self.k > self.objects.count:
            refuse(
                "k", self.k, f"k must be at most objects.count, which is {self.objects.count}; lower k or add objects"
            )
        if self.network.brokers > self.topology.nodes:
            refuse(
                "network.brokers",
                self.network.brokers,
                f"each broker needs a node and topology.nodes is {self.topology.nodes}; lower it or add nodes",
            )
        if self.topology.model == "inet" and self.topology.nodes < MIN_NODES:
            refuse(
                "topology.nodes",
                self.topology.nodes,
                f"the model inet needs at least {MIN_NODES} nodes; raise it or take another model",
            )
        return self


def load_scenario(path: Path, overrides: tuple[str, ...] = ()) -> Scenario:
    """Read a scenario file.

    Parameters
    ----------
    path : Path
        A TOML file.
    overrides : tuple of str
        `key=value` pairs that replace values of the file, keys dotted (`objects.count=500`), values in TOML.

    Raises
    ------
    ScenarioError
        One line: file, key, value, rule and remedy.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ScenarioError(f"{path}: cannot be read: {reason}; give the path of a scenario file in TOML") from error
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{path}: not valid TOML: {error}; mend that line") from error
    return make_scenario(values, overrides, path=path, text=text)


def make_scenario(values: dict[str, Any], overrides: tuple[str, ...], *, path: Path, text: str = "") -> Scenario:
    """Make a scenario of a table's values, which the overrides change in place; path and text are for the error.

    Raises
    ------
    ScenarioError
        One line: file, key, value, rule and remedy.
    """
    for override in overrides:
        _override(values, override)
    try:
        return Scenario.model_validate(values)
    except ValidationError as error:
        raise ScenarioError(_one_line(path, text, error)) from error


def _override(values: dict[str, Any], override: str) -> None:
    key, equals, value = override.partition("=")
    if not equals or not key.strip():
        raise ScenarioError(f"--set {override}: must be key=value, for example --set objects.count=500")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value.strip()  # a bare word is a string: --set engine=des
    *tables, last = key.strip().split(".")
    for table in tables:
        values = values.setdefault(table, {})
        if not isinstance(values, dict):
            raise ScenarioError(f"--set {override}: {table} is a value, not a table; remove what follows the dot")
    values[last] = parsed


def _one_line(path: Path, text: str, error: ValidationError) -> str:
    """First error of a scenario as file, line, key, value, rule and remedy."""
    details = error.errors(include_url=False)
    first = details[0]
    context = first.get("ctx", {})
    key = context.get("key") or ".".join(str(part) for part in first["loc"])
    value = context.get("value", first["input"])
    shown = "" if first["type"] == "missing" or isinstance(value, dict) else f" = {_toml(value)}"
    line = _line_of(text, key)
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return f"{path}{f':{line}' if line else ''}: {key}{shown}: {_rule(first, key)}{more}"


def _toml(value: object) -> str:
    return {True: "true", False: "false"}.get(value, repr(value)) if isinstance(value, bool) else repr(value)


def _rule(error: ErrorDetails, key: str) -> str:
    context = error.get("ctx", {})
    if "rule" in context:
        return str(context["rule"])
    match error["type"]:
        case "extra_forbidden":
            return _unknown_key(key)
        case "missing":
            return "this key is needed; add it to the scenario"
        case "greater_than_equal":
            return f"must be at least {context['ge']}; raise it"
        case "greater_than":
            return f"must be above {context['gt']}; raise it"
        case "less_than":
            return f"must be below {context['lt']}; lower it"
        case "literal_error":
            return f"must be one of {context['expected']}; choose one of them"
        case "int_type":
            return "must be a whole number; write it without quotes or decimals"
        case "float_type" | "finite_number":
            return "must be a finite number; write it without quotes"
        case "string_pattern_mismatch":
            return "must be letters, digits, '.', '_' or '-', beginning with a letter or digit; rename it"
        case "too_short":
            return "must name at least one approach; add one, for example 'paint-dense'"
        case "model_type" | "model_attributes_type":
            return f"must be a table; write [{key}] and its keys below it"
        case _:
            return f"{error['msg']}; change it"


def _unknown_key(key: str) -> str:
    table: type[BaseModel] = Scenario
    *parents, last = key.split(".")
    for parent in parents:
        inner = table.model_fields[parent].annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            table = inner
    known = sorted(table.model_fields)
    close = difflib.get_close_matches(last, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else "remove it"
    return f"no such key; {hint} The keys here are {', '.join(known)}"


def _line_of(text: str, key: str) -> int | None:
    """Line on which a dotted key is given a value, found by its last part below its table's header."""
    *tables, last = re.sub(r"\.\d+$", "", key).split(".")
    header = ".".join(tables)
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if match := re.match(r"\s*\[([^\[\]]+)\]", line):
            current = match[1].strip()
            if key == current:
                return number
        elif current == header and re.match(rf"\s*{re.escape(last)}\s*=", line):
            return number
    return None
