"""Journeys of one event by several approaches as a moving map: what is where, from when, on one clock for all.

Pages and films draw from this, each in its way. The clock is that of `journey_hops`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cn import Network, Zones
from simulator.engine.journeys import reach_server_s
from simulator.inputs.ingredients import Ingredients
from simulator.runs.arrangements import Phase, arrangements
from simulator.runs.event_journey import EventJourney, Span
from simulator.views.journey_ground import Ground, Way, Ways, survey
from simulator.views.journey_hops import Told, Travels, deliveries_of, hops_of

__all__ = ["Area", "DrawnFlights", "JourneyMap", "Outage", "Overlay", "Trip", "map_journeys"]

_STEPS = 1000
"""Steps of the clock between which the eye sees no difference."""
_FLIGHTS, _EVENTS = 2500, 200
"""Flights of an approach, and events on their way to the server, at most."""

Pairs = NDArray[np.int64]


@runtime_checkable
class _Zoned(Protocol):
    """A network whose brokers hold zones of S."""

    zones: Zones


@runtime_checkable
class _Linked(Protocol):
    """A network whose brokers have links, (links, 2)."""

    links: Pairs


def _flat_zones(network: Network) -> Zones | None:
    """Zones of a network that can be drawn: those over one attribute; over several, links stand for them."""
    return network.zones if isinstance(network, _Zoned) and network.zones.sides is None else None


class Overlay(NamedTuple):
    """How brokers share the subscriptions: by zones of S, or by links between them."""

    extents: NDArray[np.float64] | None
    """(brokers, 4) l_lo, l_hi, r_lo, r_hi of each zone within the domain, none of brokers that left; None without."""
    links: Pairs
    """(links, 2) where there are no zones."""


class DrawnFlights(NamedTuple):
    """Messages between two brokers, those that travel at the same time as one; columns of equal length."""

    way: NDArray[np.int64]
    """Number of the way."""
    ends: NDArray[np.float64]
    """(flights, 2)"""
    share: NDArray[np.float64]
    lost: NDArray[np.bool_]
    again: NDArray[np.bool_]
    weight: NDArray[np.int64]
    """Messages that each stands for."""


class Area(NamedTuple):
    """A zone as it was when its broker first delivered something there."""

    broker: int
    extent: tuple[float, float, float, float]
    moment: float


class Outage(NamedTuple):
    """A time in which something was wrong with a broker: `down`, `apart` or, of the server alone, `server`."""

    what: str
    broker: int
    start: float
    end: float


class Trip(NamedTuple):
    """What an approach did about the event."""

    followed: EventJourney
    flights: DrawnFlights
    events: DrawnFlights
    """The events of the window on their way to the server."""
    told: Told
    """Deliveries, those of a gateway at the same time as one, by time."""
    reached: dict[int, float]
    """Gateways that delivered something, and when each first did, by time."""
    areas: list[Area]
    """The same as zones of S; a zone that changed hands in between counts as another."""
    crossed: dict[tuple[int, int], tuple[float, int]]
    """IP links by their nodes: when a message first went that way, and how many did."""
    taken: dict[tuple[int, int], float]
    """Pairs of brokers: when the first sent something to the second for the first time."""
    phases: list[Phase[Overlay]]
    outages: list[Outage]


class JourneyMap(NamedTuple):
    """One event, by several approaches."""

    trips: list[Trip]
    ground: Ground
    ways: list[Way]
    zones: Zones | None
    """Those that the scenario begins with, if the network has zones and these can be drawn."""
    start: float
    end: float
    timed: bool


def map_journeys(journeys: Sequence[EventJourney], ingredients: Ingredients) -> JourneyMap:
    """Put journeys of the same event, with the ingredients of their scenario, on one map and one clock."""
    travels = [hops_of(followed) for followed in journeys]
    told = [_told(followed, hops) for followed, hops in zip(journeys, travels, strict=True)]
    coming = [_coming(followed, ingredients) for followed in journeys]
    moments = [hops.ends for hops in (*travels, *coming)] + [one.moment for one in told]
    start = min(0.0, *(float(one.min(initial=0.0)) for one in moments))
    end = max(float(one.max(initial=0.0)) for one in moments)
    end = end if end > start else start + 1.0
    step, ways = (end - start) / _STEPS, Ways(ingredients)
    trips, outages = [], _outages(journeys, (start, end))
    for followed, hops, one, events, wrong in zip(journeys, travels, told, coming, outages, strict=True):
        flights, phases = _flights(hops, ways, step), _phases(followed, ingredients)
        trips.append(
            Trip(
                followed,
                flights,
                _flights(events, ways, step),
                _together(one, step),
                _reached(one),
                list(_areas(one, phases)),
                _crossed(flights, ways.found),
                _taken(flights, ways.found),
                phases,
                wrong,
            )
        )
    network = ingredients.network
    zones = _flat_zones(network)
    return JourneyMap(trips, survey(ingredients, ways.found), ways.found, zones, start, end, journeys[0].timed)


def _told(followed: EventJourney, hops: Travels) -> Told:
    told = deliveries_of(followed, hops)
    order = np.argsort(told.moment, kind="stable")
    return Told(told.gateway[order], told.moment[order], told.received[order])


def _coming(followed: EventJourney, ingredients: Ingredients) -> Travels:
    """The events of the window, as they come to the server."""
    events = followed.carried.chunk.window(followed.window)
    size = followed.scenario.sizes.event_bytes
    comes = followed.timed and not followed.approach.serverless
    number = min(len(events.object), _EVENTS) if comes else 0
    ends_s = np.column_stack((events.time_s, reach_server_s(ingredients, events, size)))[:number]
    brokers = np.column_stack((events.origin, np.full(len(events.origin), ingredients.server)))[:number]
    never = np.zeros(number, np.bool_)
    return Travels(np.arange(number), brokers, (ends_s - followed.event_s) * 1e3, np.ones(number), never, never)


def _flights(hops: Travels, ways: Ways, step: float) -> DrawnFlights:
    """Let hops fly together that take the same way within a step of the clock, or as many as it takes to have few."""
    number = np.array([ways.number(*pair) for pair in hops.brokers.tolist()], np.int64)
    while True:
        times = np.round(hops.ends / step).astype(np.int64)
        key = np.column_stack((number, times, 2 * hops.share, hops.lost, hops.again)).astype(np.int64)
        _, first, weight = np.unique(key, axis=0, return_index=True, return_counts=True)
        if len(first) <= _FLIGHTS or step > np.ptp(hops.ends):
            break
        step *= 2
    order = np.argsort(hops.ends[first, 0], kind="stable")
    rows = first[order]
    return DrawnFlights(
        number[rows], hops.ends[rows], hops.share[rows], hops.lost[rows], hops.again[rows], weight[order]
    )


def _together(told: Told, step: float) -> Told:
    """Count what a gateway delivers within a step of the clock as one."""
    key = np.column_stack((np.round(told.moment / step).astype(np.int64), told.gateway))
    _, first, group = np.unique(key, axis=0, return_index=True, return_inverse=True)
    received = np.bincount(group.ravel(), told.received, len(first)).astype(np.int64)
    return Told(told.gateway[first], told.moment[first], received)


def _reached(told: Told) -> dict[int, float]:
    reached: dict[int, float] = {}
    for gateway, moment in zip(told.gateway.tolist(), told.moment.tolist(), strict=True):
        reached.setdefault(gateway, moment)
    return reached


def _areas(told: Told, phases: list[Phase[Overlay]]) -> Iterator[Area]:
    """Zones as they are when something is first delivered there. Phases are on the clock of `told`."""
    starts, seen = [phase.start_s for phase in phases], set[tuple[int, tuple[float, ...]]]()
    for gateway, moment in zip(told.gateway.tolist(), told.moment.tolist(), strict=True):
        phase = phases[max(int(np.searchsorted(starts, moment, side="left")) - 1, 0)]
        if phase.seen.extents is None:
            return
        l_lo, l_hi, r_lo, r_hi = phase.seen.extents[gateway].tolist()
        extent = (l_lo, l_hi, r_lo, r_hi)
        if (gateway, extent) not in seen and l_lo < l_hi and r_lo < r_hi:
            seen.add((gateway, extent))
            yield Area(gateway, extent, moment)


def _crossed(flights: DrawnFlights, ways: list[Way]) -> dict[tuple[int, int], tuple[float, int]]:
    """When messages first set out on each IP link, and how many did."""
    crossed: dict[tuple[int, int], tuple[float, int]] = {}
    columns = zip(
        *(column.tolist() for column in (flights.way, flights.ends, flights.share, flights.weight)), strict=True
    )
    for number, (start, end), share, weight in columns:
        way = ways[number]
        for at, (one, other) in enumerate(zip(way.nodes, way.nodes[1:], strict=False)):
            if way.shares[at] >= share:
                break
            link = (min(one, other), max(one, other))
            moment = start + (end - start) * way.shares[at] / share
            first, times = crossed.get(link, (moment, 0))
            crossed[link] = (min(first, moment), times + weight)
    return crossed


def _taken(flights: DrawnFlights, ways: list[Way]) -> dict[tuple[int, int], float]:
    taken: dict[tuple[int, int], float] = {}
    for number, start in zip(flights.way.tolist(), flights.ends[:, 0].tolist(), strict=True):
        taken.setdefault(ways[number].brokers, start)  # flights are in the order of their start
    return taken


def _phases(followed: EventJourney, ingredients: Ingredients) -> list[Phase[Overlay]]:
    """How brokers share the subscriptions while the messages are under way; the first of them as it was before."""
    found = arrangements(followed.scenario, ingredients, followed.faults, _overlay)
    met = [phase for phase in found if phase.start_s <= followed.end_s]
    first = sum(phase.start_s <= followed.arose_s for phase in met) - 1
    moved = [Phase((phase.start_s - followed.event_s) * 1e3, phase.seen) for phase in met[first:]]
    return [moved[0]._replace(start_s=-np.inf), *moved[1:]]


def _overlay(network: Network) -> Overlay:
    """Take from a network what a map shows of it, by what it offers."""
    zones = _flat_zones(network)
    if zones is not None:
        return Overlay(np.clip(zones.table.extents, *zones.domain), np.empty((0, 2), np.int64))
    return Overlay(None, network.links.copy() if isinstance(network, _Linked) else np.empty((0, 2), np.int64))


def _outages(journeys: Sequence[EventJourney], clock: tuple[float, float]) -> list[list[Outage]]:
    """What was wrong meanwhile, per journey, within the time that the map shows.

    Brokers crash and are cut off by the same plan whatever the approach, so that the journey which took longest knows
    for all when they came back; the server's crashes are its own.
    """
    common: dict[tuple[str, int, float], float] = {}
    for followed in journeys:
        for what, begins, ends in (("down", "crash", "return"), ("apart", "partition", "heal")):
            for span in followed.spans(begins, ends):
                key = (what, span.broker, span.start_s)
                common[key] = min(common.get(key, np.inf), span.end_s)
    found = []
    for followed in journeys:
        spans = [(what, Span(broker, start_s, end_s)) for (what, broker, start_s), end_s in common.items()]
        spans += [("server", span) for span in followed.server_spans()]
        times = [np.clip((np.array(span[1:]) - followed.event_s) * 1e3, *clock).tolist() for _, span in spans]
        both = zip(spans, times, strict=True)
        found.append([Outage(what, span.broker, *ends) for (what, span), ends in both if ends[0] < ends[1]])
    return found
