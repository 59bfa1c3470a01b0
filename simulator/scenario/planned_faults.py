"""Faults at times that a scenario names: what goes together, checked in the order in which they will happen."""

from collections.abc import Callable, Iterator, Sequence

from simulator.scenario.fault_tables import PlannedFault

__all__ = ["in_order", "misfits_of"]

Misfit = tuple[str, object, str]
"""Key, value, and rule with remedy."""


def in_order(planned: Sequence[PlannedFault]) -> list[PlannedFault]:
    """Faults as they happen: by time, those of one moment as they are written."""
    return sorted(planned, key=lambda fault: fault.time_s)


def misfits_of(planned: Sequence[PlannedFault], brokers: int, server: int | None = None) -> Iterator[Misfit]:
    """What is wrong with planned faults, for so many brokers and the server at one of them, where that is known.

    Keys begin with the place in the list.
    """
    state = _State()
    places = sorted(range(len(planned)), key=lambda place: planned[place].time_s)
    for place in places:
        fault = planned[place]
        for key, value, rule in _misfits(fault, brokers, state):
            yield f"{place}.{key}", value, rule
        if fault.what == "crash" and server in fault.brokers:
            rule = f'the server is at broker {server}, which cannot crash; leave it out, or let whom = "server" crash'
            yield f"{place}.whom", list(fault.brokers), rule
    for place in places:
        fault = planned[place]
        if fault.what == "partition" and frozenset(fault.brokers) in state.apart:
            rule = 'would never end, and what is sent across be repeated for ever; add a "heal" of the same brokers'
            yield f"{place}.whom", list(fault.brokers), rule


class _State:
    """What the faults so far have led to."""

    def __init__(self) -> None:
        self.down: set[int] = set()
        self.apart: set[frozenset[int]] = set()


def _misfits(fault: PlannedFault, brokers: int, state: _State) -> Iterator[Misfit]:
    whom = fault.whom if fault.whom == "server" else list(fault.brokers)
    unknown = [broker for broker in fault.brokers if broker >= brokers]
    if unknown:
        rule = f"there is no broker {unknown[0]}: they are 0 to {brokers - 1} (network.brokers is {brokers}); "
        yield "whom", whom, rule + "choose one of these"
    elif fault.whom == "server" and fault.what != "crash":
        rule = "the server can only crash, and returns by itself after faults.server_downtime; "
        yield "whom", whom, rule + "name brokers by their numbers, or remove this"
    else:
        valued = fault.what in ("loss", "delay")
        if not valued and fault.value is not None:
            yield "value", fault.value, f"only a loss or a delay has a value, not a {fault.what}; remove this key"
        yield from _RULES[fault.what](fault, brokers, state)


def _crash(fault: PlannedFault, brokers: int, state: _State) -> Iterator[Misfit]:
    again = sorted(state.down.intersection(fault.brokers))
    if again:
        yield "whom", list(fault.brokers), f"broker {again[0]} is down already; restore it before, or remove this"
    state.down.update(fault.brokers)
    if len(state.down) >= brokers:
        yield "whom", list(fault.brokers), "no broker would be left; restore one before, or remove one from the list"


def _restore(fault: PlannedFault, _: int, state: _State) -> Iterator[Misfit]:
    up = sorted(set(fault.brokers) - state.down)
    if up:
        rule = f"broker {up[0]} is up then: no crash that is planned precedes; add one, or remove this"
        yield "whom", list(fault.brokers), rule
    state.down.difference_update(fault.brokers)


def _partition(fault: PlannedFault, brokers: int, state: _State) -> Iterator[Misfit]:
    if len(fault.brokers) >= brokers:
        yield "whom", list(fault.brokers), "all brokers cannot be apart from the rest; name some of them only"
    if frozenset(fault.brokers) in state.apart:
        yield "whom", list(fault.brokers), "these are apart from the rest already; heal that before, or remove this"
    state.apart.add(frozenset(fault.brokers))


def _heal(fault: PlannedFault, _: int, state: _State) -> Iterator[Misfit]:
    if frozenset(fault.brokers) not in state.apart:
        rule = "no partition of exactly these brokers precedes; name those of a partition, or remove this"
        yield "whom", list(fault.brokers), rule
    state.apart.discard(frozenset(fault.brokers))


def _link(fault: PlannedFault, _: int, __: _State) -> Iterator[Misfit]:
    if len(fault.brokers) != 2:
        yield "whom", list(fault.brokers), f"a {fault.what} is of a link; name the two brokers at its ends"
    if fault.what == "loss" and not isinstance(fault.value, float):
        yield "value", fault.value, "a loss needs a share of the transmissions; write for example value = 0.3"
    if fault.what == "delay" and not isinstance(fault.value, str):
        yield "value", fault.value, 'a delay needs a duration; write for example value = "50ms"'


_RULES: dict[str, Callable[[PlannedFault, int, _State], Iterator[Misfit]]] = {
    "crash": _crash,
    "restore": _restore,
    "partition": _partition,
    "heal": _heal,
    "loss": _link,
    "delay": _link,
}
