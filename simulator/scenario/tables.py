"""The tables of a scenario: every key with its meaning, default and rule.

Attributes carry their unit in their name (`rate_per_s`); where a scenario writes the unit in the value, the key does
without (`rate = "100/s"`). What `Scenario` holds is all that a run depends on.
"""

import math
from collections import ChainMap
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

import topologies
from pipeline import DISTRIBUTIONS, OBJECT_DISTRIBUTIONS, SIDE_DISTRIBUTIONS, SIDE_OBJECT_DISTRIBUTIONS
from simulator.approaches.approach import Approach
from simulator.scenario.file_values import Intervals, Nodes
from simulator.scenario.idle_keys import idle_keys
from simulator.scenario.server_values import BrokerOrCentre
from simulator.scenario.table import OneOf, Table, refuse, refuse_beside_file
from simulator.workload.arrivals import ARRIVALS
from simulator.workload.event_kinds import EVENT_KINDS
from simulator.workload.origins import ORIGINS
from simulator.workload.units import BANDWIDTH, DURATION, RATE, SIZE, Quantity
from topologies.files import READERS, format_of
from topologies.inet import MIN_NODES

__all__ = [
    "Costs",
    "Events",
    "Network",
    "Objects",
    "Server",
    "Sizes",
    "Subscriptions",
    "Topology",
]


Seconds = Annotated[float, Quantity(DURATION)]
PerSecond = Annotated[float, Quantity(RATE)]
Bytes = Annotated[int, Quantity(SIZE)]
Mbps = Annotated[float, Quantity(BANDWIDTH)]
Seed = Annotated[int, Field(ge=0, lt=2**31)]
ModelName = Annotated[str, OneOf("model", topologies.MODELS, open=True)]
FileFormat = Annotated[str, OneOf("format", READERS)]
# Which of them there are in a scenario's dimensions is checked in `Scenario`.
SubscriptionDistribution = Annotated[
    str, OneOf("distribution", ChainMap(DISTRIBUTIONS, SIDE_DISTRIBUTIONS), open=True)
]
ObjectDistribution = Annotated[
    str, OneOf("distribution", ChainMap(OBJECT_DISTRIBUTIONS, SIDE_OBJECT_DISTRIBUTIONS), open=True)
]
EventKind = Annotated[str, OneOf("kind", EVENT_KINDS, ("trace",))]
Arrival = Annotated[str, OneOf("arrival", ARRIVALS, ("trace",))]
Origin = Annotated[str, OneOf("origin", ORIGINS)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Topology(Table):
    """The IP network under the brokers, made by a model or read from a file."""

    model: ModelName = Field(default="inet", description="how the network is made")
    nodes: int = Field(default=3037, ge=2, description=f"nodes of the network; `inet` needs at least {MIN_NODES}")
    bandwidth_mbps: Mbps | None = Field(
        default=None,
        alias="bandwidth",
        description="bandwidth of every link; left out, it follows from the number of links at its ends",
    )
    file: str | None = Field(
        default=None, description="file to read the network from, as seen from this one, instead of making it"
    )
    format: FileFormat | None = Field(
        default=None, description="format of the file; left out, it follows from the file's name"
    )
    largest: bool = Field(
        default=False, description="whether to go on with the largest part of a file's network in several parts"
    )
    sha256: Digest | None = Field(
        default=None,
        description="digest of the file, filled in when the scenario is read; a file with another one is refused",
    )

    @model_validator(mode="after")
    def _file_or_model(self) -> Self:
        refuse_beside_file(self, "topology", ("model", "nodes"), ("format", "largest", "sha256"))
        if self.file is not None and self.format is None and format_of(self.file) is None:
            rule = "the format does not follow from the file's name; set topology.format to one of"
            refuse("topology.file", self.file, f"{rule} {', '.join(sorted(READERS))}")
        return self

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the model where there is a file, so that what is written can be read."""
        unused = () if self.file is None else ("model", "nodes")
        return {key: value for key, value in write(self).items() if key not in unused}


class Network(Table):
    """The content-driven network of brokers."""

    kind: Literal["can", "prefix", "tree"] = Field(
        default="can",
        description="zones of a content-addressable network, the same zones with short ways by contacts, or a "
        "spanning tree with summaries",
    )
    brokers: int = Field(default=64, ge=1, description="brokers, each on a node of its own")
    nodes: Nodes | None = Field(
        default=None,
        description="nodes of the brokers, in order: a list, or a file as seen from this one; left out, random ones",
    )
    space: Literal["triangle", "square"] = Field(
        default="triangle",
        description="area that the zones of `can` and `prefix` cover: l <= r only, or all as in the paper",
    )
    zones: Literal["even", "balanced"] = Field(
        default="even",
        description="where zones of `can` and `prefix` are split: at points spread evenly, or at subscriptions, for "
        "equal shares",
    )
    base: Literal[2, 4, 8, 16] | None = Field(
        default=None,
        description="of `prefix`: into how many parts S is cut at a time, for each a contact; left out, 16",
    )
    contacts: Literal["near", "random"] | None = Field(
        default=None,
        description="of `prefix`: whether a contact is the nearest broker of its part by delay, or any; left out, "
        "`near`",
    )
    placement: Literal["random", "near"] = Field(
        default="random",
        description="which broker gets which zone of `can` and `prefix`: any, or so that ways between neighbours in "
        "S are short",
    )
    summary_boxes: int = Field(default=16, ge=1, description="most boxes in a link's summary in `tree`")
    unicast: Literal["direct", "overlay"] = Field(
        default="direct",
        description="whether messages to one subscription or rendezvous take the IP path or go by brokers",
    )
    order: Literal["place", "hold", "none"] = Field(
        default="place",
        description="what subscribers do about messages that overtake each other: put a late one in its place, hold "
        "all back until nothing is missing, or act on them as they come",
    )
    bundle: bool = Field(
        default=False,
        description="whether messages that go to the same next broker together are one packet, see Packets below",
    )
    last_hop: bool = Field(
        default=False,
        description="whether latency includes the way from gateway to subscription; it is never counted as traffic",
    )

    @model_validator(mode="after")
    def _contacts_of_prefix(self) -> Self:
        for key, value, rule in idle_keys("network", self):
            refuse(f"network.{key}", value, rule)
        return self


class Server(Table):
    """The server, which keeps the objects."""

    at: BrokerOrCentre = Field(
        default="centre", description="number of the broker at which it is, or the one in the centre of the network"
    )


class Objects(Table):
    """The objects at the start of the run."""

    distribution: ObjectDistribution = Field(default="uniform", description="how x and y are spread")
    count: int = Field(
        default=1_000, ge=1, lt=2**40, description="objects; at least `k`; a trace or a file says itself how many"
    )
    file: str | None = Field(
        default=None, description="file to read the objects from, as seen from this one, instead of making them"
    )
    range: Intervals | None = Field(
        default=None, description="of a file: where populations lie; left out, from the lowest to the highest x in it"
    )
    sha256: Digest | None = Field(
        default=None,
        description="digest of the file, filled in when the scenario is read; a file with another one is refused",
    )

    @model_validator(mode="after")
    def _file_or_distribution(self) -> Self:
        refuse_beside_file(self, "objects", ("distribution",), ("range", "sha256"))
        return self

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the distribution where there is a file, so that what is written can be read."""
        return {key: value for key, value in write(self).items() if key != "distribution" or self.file is None}


class Subscriptions(Table):
    """The population of subscriptions."""

    distribution: SubscriptionDistribution = Field(default="uniform", description="how the ranges are spread")
    count: int = Field(default=20_000, ge=1, lt=2**40, description="subscriptions; a file says itself how many")
    file: str | None = Field(
        default=None,
        description="file, or directory of `rangecast population`, as seen from this one, to read them from "
        "instead of making them",
    )
    sha256: Digest | None = Field(
        default=None,
        description="digest of the file, filled in when the scenario is read; a file with another one is refused",
    )
    shape: Literal["boxes", "halfspaces", "disks"] | None = Field(
        default=None,
        description="what the file holds, if not ranges, filled in when the scenario is read; a distribution says it "
        "by its name",
    )

    @model_validator(mode="after")
    def _file_or_distribution(self) -> Self:
        refuse_beside_file(self, "subscriptions", ("distribution",), ("sha256", "shape"))
        return self

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the distribution where there is a file, so that what is written can be read; and no shape."""
        unused = {"distribution": self.file is not None, "shape": self.shape is None}
        return {key: value for key, value in write(self).items() if not unused.get(key)}


class Events(Table):
    """The stream of updates."""

    count: int = Field(default=200, ge=1, description="events; of a trace the first so many, all if left out")
    duration_s: Seconds | None = Field(
        default=None, alias="duration", description="instead of `count`: all events that arise up to this time"
    )
    warm_up: int = Field(
        default=0,
        ge=0,
        description="events at the start that means leave out; windows of batches begin anew after them",
    )
    kind: EventKind = Field(default="uniform", description="how y changes, or `trace` for events from a file")
    volatility: Positive = Field(
        default=1.0, description="of `gaussian`: the c of the paper's Fig. 15(b), steps of y have deviation c/8"
    )
    pick: Literal["random", "turn"] = Field(
        default="random", description="which object is updated: any alike, or all in turn, again and again"
    )
    insert: Share = Field(default=0.0, description="share of the events that insert an object")
    delete: Share = Field(default=0.0, description="share of the events that delete one; `k` are always left")
    move: Share = Field(default=0.0, description="share of the events that move one to another x")
    arrival: Arrival = Field(
        default="fixed", description="all at time 0, in bursts, at equal or exponential times, or when the trace says"
    )
    rate_per_s: PerSecond = Field(
        default=100.0, alias="rate", description="of `fixed` and `poisson`: mean rate at which events arise"
    )
    burst: int = Field(default=10, ge=1, lt=2**40, description="of `bursts`: events that arise together")
    gap_s: Seconds = Field(default=0.1, alias="gap", description="of `bursts`: time from one to the next")
    file: str | None = Field(
        default=None,
        description="of `trace`: a directory of `rangecast events`, or a list of events, as seen from this file",
    )
    sha256: Digest | None = Field(
        default=None,
        description="digest of the trace, filled in when the scenario is read; a trace with another one is refused",
    )
    speed: Positive = Field(default=1.0, description="of arrival `trace`: how much faster than the file says")
    origin: Origin = Field(
        default="uniform", description="where events arise: at any broker alike, at some more often, or near a home"
    )
    skew: float = Field(
        default=1.0,
        gt=0,
        le=10,
        allow_inf_nan=False,
        description="of `skewed`: exponent s, above 0 and at most 10; the n-th busiest broker has a share as 1/n^s",
    )
    spread_s: Seconds = Field(
        default=0.01, alias="spread", description="of `regional`: delay from home at which a share falls to 1/e"
    )

    @property
    def extent(self) -> str:
        """How many events there are, in words: their number, or the time in which they arise."""
        return (
            f"{self.count:,} events" if self.duration_s is None else f"{DURATION.format(self.duration_s)} of events"
        )

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the count where there is a duration, so that what is written can be read."""
        return {key: value for key, value in write(self).items() if key != "count" or self.duration_s is None}

    def misfits(self) -> Iterator[tuple[str, object, str]]:
        """Keys that do not go together: key, value, and rule with remedy."""
        yield from self._misfits_of_length()
        yield from idle_keys("events", self)
        shares = {"insert": self.insert, "delete": self.delete, "move": self.move}
        if math.fsum(shares.values()) > 1:
            yield "insert", self.insert, "insert, delete and move must add up to at most 1; lower one of them"
        if self.pick == "turn" and (self.kind == "trace" or any(shares.values())):
            yield "pick", self.pick, "only updates of y can go in turn; remove this key, or insert, delete and move"
        if self.kind == "trace":
            for key, share in shares.items():
                if share:
                    yield key, share, "a trace says itself what happens; remove this key"
            if self.file is None:
                yield "file", None, 'kind = "trace" reads the events from a directory or a file; name it'
        elif self.file is not None or self.sha256 is not None:
            key = "sha256" if self.file is None else "file"
            yield key, getattr(self, key), 'only kind = "trace" reads a trace; set it or remove this key'
        elif self.arrival == "trace":
            yield "arrival", self.arrival, 'only kind = "trace" has times of its own; choose another arrival'

    def _misfits_of_length(self) -> Iterator[tuple[str, object, str]]:
        if self.duration_s is None:
            if self.warm_up >= self.count:
                rule = f"must be below events.count, which is {self.count}; lower it or add events"
                yield "warm_up", self.warm_up, rule
            return
        if "count" in self.model_fields_set:
            yield "count", self.count, "a count and events.duration exclude each other; remove one of them"
        duration = DURATION.format(self.duration_s)
        if self.duration_s <= 0:
            yield "duration", duration, "must be above 0; raise it"
        if self.arrival == "at-once":
            yield "duration", duration, "events that all arise at once have no duration; set events.count instead"


class Sizes(Table):
    """Bytes on the wire; the defaults are the paper's cost model of 4-byte values (Section II-A and V)."""

    message_bytes: Bytes = Field(
        default=24,
        alias="message",
        description="a message to a region; over several attributes 4 B for each value, see Dimensions below",
    )
    unicast_bytes: Bytes = Field(default=16, alias="unicast", description="a message to one subscription")
    event_bytes: Bytes = Field(default=16, alias="event", description="an event on its way to the server")
    header_bytes: Bytes | None = Field(
        default=None,
        alias="header",
        description="the header of each message or, with `network.bundle`, packet; left out, there is none",
    )
    control_bytes: Bytes = Field(
        default=8, alias="control", description="an acknowledgement, watermark, question, or answer without news"
    )

    def of(self, approach: Approach) -> int:
        """Bytes of one message of an approach by itself, with its header."""
        return (self.header_bytes or 0) + (self.unicast_bytes if approach.unicast else self.message_bytes)

    def misfits_of_packets(self, values_of_message: int) -> Iterator[tuple[str, object, str]]:
        """What is wrong for packets of messages, those to regions of so many values: key, value, rule with remedy."""
        if self.header_bytes is None:
            rule = 'a packet has a header, whose size is missing; set sizes.header, for example to "20B"'
            yield "network.bundle", True, rule
        sizes = (("message", self.message_bytes, values_of_message), ("unicast", self.unicast_bytes, 4))
        for key, size, values in sizes:
            if size % values:
                rule = f"with network.bundle it is {values} values of equal size; make it a multiple of {values} B"
                yield f"sizes.{key}", SIZE.format(size), rule


class Costs(Table):
    """Service times in the engine `des`; `tally` has no clock."""

    broker_s: Seconds = Field(default=20e-6, alias="broker", description="a broker, for each message")
    first_k_s: Seconds = Field(default=5e-6, alias="first_k", description="the server, for each call of first_k")
    min_y_s: Seconds = Field(default=2e-6, alias="min_y", description="the server, for each call of min_y")
    snap_s: Seconds = Field(default=2e-6, alias="snap", description="the server, for each call of snap")
    send_s: Seconds = Field(default=1e-6, alias="send", description="the server, for each message it sends")
