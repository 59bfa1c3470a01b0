"""What the links between brokers do to transmissions, by chance and by plan."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from simulator.engine.flights import Fault
from simulator.inputs.link_plan import LinkPlan
from simulator.scenario.fault_tables import Faults

__all__ = ["Fate", "fates"]


class Fate(NamedTuple):
    """What becomes of a transmission that a link does something to."""

    lost: str | None = None
    """Why it is lost."""
    held: tuple[Fault, ...] = ()
    """What holds it up."""
    copied_s: float | None = None
    """How much later a copy of it comes."""


def fates(
    faults: Faults, plan: LinkPlan, rng: np.random.Generator
) -> Callable[[int, int, float], Fate | None] | None:
    """What decides on each transmission, told its sender, its receiver and when it is on the wire.

    It says None for one that nothing happens to, and is None itself if that is all of them.
    """
    loss, delayed, duplication, delay_s = faults.loss, faults.delayed, faults.duplication, faults.delay_s
    planned, chance = bool(plan), _draws(rng).__next__
    if not (planned or loss or delayed or duplication):
        return None

    def fate(sender: int, receiver: int, departed_s: float) -> Fate | None:
        share = loss
        held: tuple[Fault, ...] = ()
        if planned:
            if plan.apart(sender, receiver, departed_s):
                return Fate("partition")
            share = plan.loss(sender, receiver, departed_s, loss)
            if longer_s := plan.delay_s(sender, receiver, departed_s):
                held = (("delay", "planned", longer_s),)
        if share and chance() < share:
            return Fate("link")
        if delayed and chance() < delayed:
            held = (*held, ("delay", "random", chance() * delay_s))
        if duplication and chance() < duplication:
            return Fate(None, held, chance() * delay_s)
        return Fate(None, held) if held else None

    return fate


def _draws(rng: np.random.Generator) -> Iterator[float]:
    """What the generator would draw one by one, for less."""
    while True:
        yield from rng.random(4096).tolist()
