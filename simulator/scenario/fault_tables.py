"""The table of faults in a scenario: what goes wrong at random, and what at times that the scenario names."""

from typing import Literal

from pydantic import Field

from simulator.scenario.fault_values import LossOrDelay, Whom
from simulator.scenario.table import Table
from simulator.scenario.tables import Seconds, Share

__all__ = ["Faults", "PlannedFault"]


class PlannedFault(Table):
    """One fault at a time that the scenario names; `simulator.scenario.planned_faults` has the rules."""

    time_s: Seconds = Field(alias="time", description="when, since the start of the run")
    what: Literal["crash", "restore", "partition", "heal", "loss", "delay"] = Field(
        description="what happens then, see Faults below"
    )
    whom: Whom = Field(description='numbers of brokers, two of them for a link, or `"server"`, which may crash')
    value: LossOrDelay | None = Field(
        default=None,
        description="of `loss`: the share that is lost from then on; of `delay`: the time that is added",
    )

    @property
    def brokers(self) -> tuple[int, ...]:
        """Whom it concerns; nobody if that is the server."""
        return self.whom if isinstance(self.whom, tuple) else ()


class Faults(Table):
    """What goes wrong, and who comes and goes: at random moments that follow from the seed, but for those in `at`."""

    crashes: int = Field(default=0, ge=0, description="crashes of brokers, the server's excepted")
    detection_s: Seconds = Field(
        default=0.1, alias="detection", description="time until neighbours take over from a broker that crashed"
    )
    downtime_s: Seconds = Field(default=1.0, alias="downtime", description="time until it returns after that")
    loss: float = Field(
        default=0.0,
        ge=0,
        le=0.9,
        allow_inf_nan=False,
        description="share of transmissions between brokers that are lost, at most 0.9",
    )
    timeout_s: Seconds = Field(
        default=0.2, alias="timeout", description="time until the sender of a lost message sends it again"
    )
    duplication: Share = Field(default=0.0, description="share of transmissions that arrive twice")
    delayed: Share = Field(default=0.0, description="share of transmissions that are held up")
    delay_s: Seconds = Field(
        default=0.1, alias="delay", description="how long that lasts at most; the second of two arrivals likewise"
    )
    server_crashes: int = Field(default=0, ge=0, description="crashes of the server, which then loses its memory")
    server_downtime_s: Seconds = Field(default=1.0, alias="server_downtime", description="time until it starts again")
    replay_s: Seconds = Field(
        default=10e-6, alias="replay", description="the server, for each event that it reads from its journal then"
    )
    joins: int = Field(default=0, ge=0, description="subscriptions that come while events run")
    leaves: int = Field(default=0, ge=0, description="subscriptions that go meanwhile; not all of them")
    at: list[PlannedFault] = Field(default=[], description="faults at times of your own, see Faults below")

    @property
    def lossy(self) -> bool:
        """Whether messages may get lost between brokers, so that they must be acknowledged."""
        return bool(self.crashes or self.loss or self.at)

    @property
    def any(self) -> bool:
        """Whether anything goes wrong at all."""
        counts = (
            self.crashes,
            self.loss,
            self.duplication,
            self.delayed,
            self.server_crashes,
            self.joins,
            self.leaves,
            self.at,
        )
        return any(counts)
