"""The scenario: its tables together, and the rules that concern several of them."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

import pipeline
from paint.arguments import LONGEST_LIST
from simulator.approaches.registry import parse_approach
from simulator.scenario.dimension_values import Dimensions, form_in, message_bytes, message_values, shape_of
from simulator.scenario.fault_tables import Faults
from simulator.scenario.file_values import pairs_of
from simulator.scenario.planned_faults import misfits_of
from simulator.scenario.table import Table, refuse
from simulator.scenario.tables import (
    Costs,
    Events,
    Network,
    Objects,
    Seed,
    Server,
    Sizes,
    Subscriptions,
    Topology,
)
from simulator.workload.units import SIZE
from topologies.inet import MIN_NODES

__all__ = ["Scenario"]


_LEAST_NODES = {"barabasi-albert": 3, "inet": MIN_NODES, "transit-stub": 128}


_VERIFY = "none|all|sample:[1-9][0-9]*"


def _existing_approach(name: str) -> str:
    try:
        parse_approach(name)
    except ValueError as error:
        raise PydanticCustomError("approach", "{rule}", {"rule": str(error), "value": name}) from error
    return name


class Scenario(Table):
    """Everything a run depends on."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        max_length=100,
        description="names the run directory, `runs/NAME`; at most 100 letters",
    )
    seed: Seed = Field(default=1, description="same seed, same results")
    k: int = Field(default=20, ge=1, le=LONGEST_LIST, description="length of every subscription's list")
    dimensions: Dimensions = Field(
        default=1,
        description="attributes that ranges are over, see Dimensions below; `.5` is one with an upper bound only",
    )
    approaches: list[Annotated[str, AfterValidator(_existing_approach)]] = Field(
        min_length=1, description="what to compare, see Approaches below"
    )
    engine: Literal["tally", "des"] = Field(
        default="tally", description="`tally` counts; `des` also has a clock, queues and latencies"
    )
    verify: str = Field(
        default="none",
        description='lists compared with brute force after every event: `"all"`, `"sample:N"` or `"none"`',
        json_schema_extra={"pattern": f"^({_VERIFY})$"},
    )
    record: list[Literal["hops"]] = Field(
        default=[], description='what is written beside the events: `["hops"]` for `hops.parquet`, one row per hop'
    )
    topology: Topology = Field(default=Topology(), description="the IP network under the brokers")
    network: Network = Field(default=Network(), description="the content-driven network of brokers")
    server: Server = Field(default=Server(), description="the server, which keeps the objects")
    objects: Objects = Field(default=Objects(), description="the objects at the start of the run")
    subscriptions: Subscriptions = Field(default=Subscriptions(), description="the population of subscriptions")
    events: Events = Field(default=Events(), description="the stream of updates")
    sizes: Sizes = Field(default=Sizes(), description="bytes on the wire; the defaults are the paper's")
    costs: Costs = Field(default=Costs(), description="service times in the engine `des`")
    faults: Faults = Field(default=Faults(), description="what goes wrong, and who comes and goes; needs `des`")

    @model_validator(mode="before")
    @classmethod
    def _message_fits_dimensions(cls, values: Any) -> Any:
        """Fill in the size of a message over several attributes, unless the scenario gives it one."""
        form = form_in(values) if isinstance(values, dict) else None
        if form is None or form.dimensions == 1:
            return values
        sizes = values.get("sizes", {})
        if isinstance(sizes, dict):
            sizes = {"message": SIZE.format(message_bytes(form)), **sizes}
        return {**values, "sizes": sizes}

    @property
    def form(self) -> pipeline.Form:
        """What the subscriptions are: ranges, halfspaces or disks, and over how many attributes."""
        about = self.subscriptions
        return pipeline.Form(self.dimensions, shape_of(about.file, about.shape, about.distribution))

    @field_validator("approaches")
    @classmethod
    def _approaches_differ(cls, names: list[str]) -> list[str]:
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
        if self.k > self.objects.count:
            refuse(
                "k", self.k, f"k must be at most objects.count, which is {self.objects.count}; lower k or add objects"
            )
        mixed = self.events.insert > 0 or self.events.move > 0 or self.events.kind == "trace"
        for name in self.approaches:
            if mixed and parse_approach(name).updates_only:
                rule = f"{name} has no answer to insertions and moves; take paint-batch, or leave these events out"
                refuse("approaches", name, rule)
        self._dimensions_fit()
        if self.faults.any and self.engine != "des":
            refuse("engine", self.engine, 'faults need a clock; set engine = "des" or remove the faults')
        if self.faults.any and self.network.last_hop:
            refuse("network.last_hop", True, "the last hop is not followed under faults; set it to false")
        if self.faults.crashes and self.network.brokers < 3:
            refuse("network.brokers", self.network.brokers, "crashes need at least 3 brokers; add some")
        if self.faults.leaves >= self.subscriptions.count:
            refuse(
                "faults.leaves",
                self.faults.leaves,
                "somebody must stay: it must be below subscriptions.count; lower it",
            )
        for key, value, rule in self.events.misfits():
            refuse(f"events.{key}", value, rule)
        values = message_values(self.form)
        for key, value, rule in self.sizes.misfits_of_packets(values) if self.network.bundle else ():
            refuse(key, value, rule)
        at, brokers = self.server.at, self.network.brokers
        for key, value, rule in misfits_of(self.faults.at, brokers, at if isinstance(at, int) else None):
            refuse(f"faults.at.{key}", value, rule)
        if isinstance(at, int) and at >= brokers:
            rule = f"there is no broker {at}: they are 0 to {brokers - 1} (network.brokers is {brokers})"
            refuse("server.at", at, f"{rule}; choose one of these")
        nodes = self.network.nodes
        if nodes is not None and len(nodes) < self.network.brokers:
            rule = f"are {len(nodes)} nodes for {self.network.brokers} brokers; add nodes or lower network.brokers"
            refuse("network.nodes", None, rule)
        if self.topology.file is not None:
            return self
        least = _LEAST_NODES.get(self.topology.model, 2)
        if self.topology.nodes < least:
            refuse(
                "topology.nodes",
                self.topology.nodes,
                f"the model {self.topology.model} needs at least {least} nodes; raise it or take another model",
            )
        if self.network.brokers > self.topology.nodes:
            refuse(
                "network.brokers",
                self.network.brokers,
                f"each broker needs a node and topology.nodes is {self.topology.nodes}; lower it or add nodes",
            )
        beyond = next((one for one in nodes or () if isinstance(one, str) or one >= self.topology.nodes), None)
        if beyond is not None:
            refuse("network.nodes", beyond, f"the nodes of the network are 0 to {self.topology.nodes - 1}; mend it")
        return self

    def _dimensions_fit(self) -> None:
        """Refuse what there is not in the dimensions of the scenario."""
        dimensions = self.dimensions
        where = f"in {dimensions:g} dimension{'' if dimensions == 1 else 's'}"
        for key, table, offered in (
            ("objects", self.objects, list(pipeline.object_distributions_of(dimensions))),
            ("subscriptions", self.subscriptions, list(pipeline.distributions_of(dimensions))),
        ):
            if table.file is None and table.distribution not in offered:
                rule = f"{where} the distribution must be one of {', '.join(sorted(offered))}; choose one of them"
                refuse(f"{key}.distribution", table.distribution, rule)
        self._objects_are_covered()
        given, attributes = self.objects.range, pipeline.attributes_of(dimensions)
        if given is not None and len(pairs_of(given, attributes)) != attributes:
            rule = f"must be a pair for each attribute, {attributes} {where}, or one for all; mend it"
            refuse("objects.range", [list(pair) for pair in pairs_of(given, attributes)], rule)
        for name in self.approaches if dimensions != 1 else ():
            self._approach_fits(name, where)

    def _objects_are_covered(self) -> None:
        """Refuse subscriptions that follow from the objects, if these are others, or too few."""
        about, objects = self.subscriptions, self.objects
        covered = pipeline.objects_covered(about.distribution) if about.file is None else 0
        if not covered:
            return
        if objects.file is not None or objects.distribution != "uniform":
            rule = "covers objects that are made, uniform ones; let objects be these, or take another distribution"
            refuse("subscriptions.distribution", about.distribution, rule)
        if objects.count < covered:
            rule = f"{about.distribution} covers {covered} of them; add some, or take another distribution"
            refuse("objects.count", objects.count, rule)

    def _approach_fits(self, name: str, where: str) -> None:
        """Refuse an approach that there is not over several attributes, or not for halfspaces and disks."""
        approach, shape = parse_approach(name), self.form.shape
        if approach.line_only:
            refuse("approaches", name, f"is for one dimension, and not {where}; take paint-batch instead")
        if approach.cut == "strips":
            refuse("approaches", name, f"strips are for one dimension, and not {where}; take levels or tiles instead")
        if shape == "boxes":
            return
        if approach.boxes_only:
            aware = "paint-sparse" if approach.window is None else "paint-batch-sparse"
            rule = f"is for ranges: the region of an object among {shape} cannot be cut into boxes"
            refuse("approaches", name, f"{rule}; take {aware} instead, whose server knows the subscriptions")
        if approach.epsilon is not None:
            refuse("approaches", name, f"an ε groups boxes of a region, and {shape} have none; remove the ε")
        if approach.sketch is not None:
            refuse("approaches", name, f"a sketch is asked about boxes of a region, and {shape} have none; remove it")
