"""The tables of a scenario: every key with its meaning, default and rule.

Attributes carry their unit in their name (`rate_per_s`); where a scenario writes the unit in the value, the key does
without (`rate = "100/s"`). What `Scenario` holds is all that a run depends on.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

import topologies
from pipeline import DISTRIBUTIONS, OBJECT_DISTRIBUTIONS
from topologies.inet import MIN_NODES

from .approaches import parse_approach
from .units import BANDWIDTH, DURATION, RATE, SIZE, Quantity

__all__ = ["Costs", "Events", "Network", "Objects", "Scenario", "Sizes", "Subscriptions", "Table", "Topology"]

_VERIFY = "none|all|sample:[1-9][0-9]*"


class Table(BaseModel):
    """A table of a scenario: unknown keys are refused, values are not coerced, nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, serialize_by_alias=True)

    @classmethod
    def key_fields(cls) -> dict[str, FieldInfo]:
        """Fields by the keys that a scenario writes."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}

    @classmethod
    def tables(cls) -> "dict[str, type[Table]]":
        """The keys that are tables themselves."""
        kinds = {key: field.annotation for key, field in cls.key_fields().items()}
        return {key: kind for key, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, Table)}


@dataclass(frozen=True)
class _OneOf:
    """Validates a name against those that exist, when the scenario is read."""

    name: str
    known: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.known)}

    def _check(self, value: str) -> str:
        if value not in self.known:
            rule = f"the {self.name} must be one of {', '.join(self.known)}; choose one of them"
            raise PydanticCustomError("unknown_name", "{rule}", {"rule": rule})
        return value


Seconds = Annotated[float, Quantity(DURATION)]
PerSecond = Annotated[float, Quantity(RATE)]
Bytes = Annotated[int, Quantity(SIZE)]
Mbps = Annotated[float, Quantity(BANDWIDTH)]
Seed = Annotated[int, Field(ge=0, lt=2**31)]
ModelName = Annotated[str, _OneOf("model", tuple(sorted(topologies.MODELS)))]
SubscriptionDistribution = Annotated[str, _OneOf("distribution", tuple(sorted(DISTRIBUTIONS)))]
ObjectDistribution = Annotated[str, _OneOf("distribution", tuple(sorted(OBJECT_DISTRIBUTIONS)))]


class Topology(Table):
    """The IP network under the brokers."""

    model: ModelName = Field(default="inet", description="how the network is made")
    nodes: int = Field(default=3037, ge=2, description=f"nodes of the network; `inet` needs at least {MIN_NODES}")
    bandwidth_mbps: Mbps | None = Field(
        default=None,
        alias="bandwidth",
        description="bandwidth of every link; left out, it follows from the number of links at its ends",
    )


class Network(Table):
    """The content-driven network of brokers."""

    kind: Literal["can", "tree"] = Field(
        default="can", description="zones of a content-addressable network, or a spanning tree with summaries"
    )
    brokers: int = Field(default=64, ge=1, description="brokers, each on a node of its own")
    space: Literal["triangle", "square"] = Field(
        default="triangle", description="area that the zones of `can` cover: l <= r only, or all as in the paper"
    )
    summary_boxes: int = Field(default=16, ge=1, description="most boxes in a link's summary in `tree`")
    unicast: Literal["direct", "overlay"] = Field(
        default="direct", description="whether messages to single subscriptions take the IP path or go by brokers"
    )
    last_hop: bool = Field(
        default=False,
        description="whether latency includes the way from gateway to subscription; it is never counted as traffic",
    )


class Objects(Table):
    """The objects at the start of the run."""

    distribution: ObjectDistribution = Field(default="uniform", description="how x and y are spread")
    count: int = Field(default=1_000, ge=1, description="objects; at least `k`")


class Subscriptions(Table):
    """The population of subscriptions."""

    distribution: SubscriptionDistribution = Field(default="uniform", description="how the ranges are spread")
    count: int = Field(default=20_000, ge=1, description="subscriptions")


class Events(Table):
    """The stream of updates."""

    count: int = Field(default=200, ge=1, description="events")
    arrival: Literal["fixed", "poisson"] = Field(default="fixed", description="equal or exponential times between")
    rate_per_s: PerSecond = Field(default=100.0, alias="rate", description="mean rate at which events arise")


class Sizes(Table):
    """Bytes on the wire; the defaults are the paper's cost model of 4-byte values (Section II-A and V)."""

    message_bytes: Bytes = Field(default=24, alias="message", description="a message to a region")
    unicast_bytes: Bytes = Field(default=16, alias="unicast", description="a message to one subscription")
    event_bytes: Bytes = Field(default=16, alias="event", description="an event on its way to the server")


class Costs(Table):
    """Service times in the engine `des`; `tally` has no clock."""

    broker_s: Seconds = Field(default=20e-6, alias="broker", description="a broker, for each message")
    first_k_s: Seconds = Field(default=5e-6, alias="first_k", description="the server, for each call of first_k")
    min_y_s: Seconds = Field(default=2e-6, alias="min_y", description="the server, for each call of min_y")
    snap_s: Seconds = Field(default=2e-6, alias="snap", description="the server, for each call of snap")
    send_s: Seconds = Field(default=1e-6, alias="send", description="the server, for each message it sends")


class Scenario(Table):
    """Everything a run depends on."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="names the run directory, `runs/NAME`")
    seed: Seed = Field(default=1, description="same seed, same results")
    k: int = Field(default=20, ge=1, description="length of every subscription's list")
    approaches: list[str] = Field(
        min_length=1, description='what to compare, each as `"paint-dense"` or with its ε as `"paint-dense(0.5)"`'
    )
    engine: Literal["tally", "des"] = Field(
        default="tally", description="`tally` counts; `des` also has a clock, queues and latencies"
    )
    verify: str = Field(
        default="none",
        description='lists compared with brute force after every event: `"all"`, `"sample:N"` or `"none"`',
        json_schema_extra={"pattern": f"^({_VERIFY})$"},
    )
    topology: Topology = Field(default=Topology(), description="the IP network under the brokers")
    network: Network = Field(default=Network(), description="the content-driven network of brokers")
    objects: Objects = Field(default=Objects(), description="the objects at the start of the run")
    subscriptions: Subscriptions = Field(default=Subscriptions(), description="the population of subscriptions")
    events: Events = Field(default=Events(), description="the stream of updates")
    sizes: Sizes = Field(default=Sizes(), description="bytes on the wire; the defaults are the paper's")
    costs: Costs = Field(default=Costs(), description="service times in the engine `des`")

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
        if not re.fullmatch(_VERIFY, value):
            raise PydanticCustomError("verify", 'must be "none", "all" or "sample:N" with N at least 1')
        return value

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        def refuse(key: str, value: object, rule: str) -> None:
            raise PydanticCustomError("fit", "{rule}", {"rule": rule, "key": key, "value": value})

        if self.k > self.objects.count:
            refuse(
                "k", self.k, f"k must be at most objects.count, which is {self.objects.count}; lower k or add objects"
            )
        if self.topology.model == "inet" and self.topology.nodes < MIN_NODES:
            refuse(
                "topology.nodes",
                self.topology.nodes,
                f"the model inet needs at least {MIN_NODES} nodes; raise it or take another model",
            )
        if self.network.brokers > self.topology.nodes:
            refuse(
                "network.brokers",
                self.network.brokers,
                f"each broker needs a node and topology.nodes is {self.topology.nodes}; lower it or add nodes",
            )
        return self
