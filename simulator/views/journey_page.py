"""A moving map as a page: messages on the IP network, zones of S beside it, one clock for all approaches.

Everything that a moment shows follows from the moment alone. What stays once it has happened (links taken, zones
reached, losses) is drawn here and says from when it is to be seen; what moves is placed by `templates/journey.js`
from the times and ways in the page. Without a script the end is seen; on paper, the moment chosen.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from simulator.approaches.colours import colour_of
from simulator.runs.arrangements import Phase
from simulator.views.journey_map import DrawnFlights, JourneyMap, Overlay, Trip
from simulator.views.journey_tree import tree_places
from simulator.views.labels import object_name
from simulator.views.page import render
from simulator.views.svg import Axis, Box, Frame, Spot
from simulator.workload.events import KINDS

__all__ = ["journey_page"]

WIDTH, HEIGHT, MARGIN = 520, 498, 32
"""Of a drawing: as a `Frame` whose area is a square."""
_HALF = 105
"""Half of the longest name on the map, in the widest bold letters."""
_MOMENTS, _POINTS = 240, 160
"""Moments to step to, and points of a curve, at most."""


def journey_page(shown: JourneyMap) -> str:
    """One event as an HTML page that stands alone, with a panel for each approach."""
    labels = [trip.followed.name for trip in shown.trips]
    title = _title(shown)
    return render(
        "journey.html",
        title=title,
        about=_about(shown),
        timed=shown.timed,
        zoned=shown.zones is not None,
        network=shown.ground,
        colours=[colour_of(name) for name in labels],
        backbone=list(_backbone(shown)),
        places=[_spot(shown.ground.of_broker(broker)) for broker in range(len(shown.ground.brokers))],
        size=(WIDTH, HEIGHT),
        radius=_radius(shown),
        chart=_chart(shown),
        panels=[_panel(shown, at) for at in range(len(shown.trips))],
        faulty=any(trip.followed.faults for trip in shown.trips),
        table=_table(shown),
        data=_data(shown),
    )


def _title(shown: JourneyMap) -> str:
    followed = shown.trips[0].followed
    return f"Event {followed.event} of {followed.scenario.name} on its way"


def _about(shown: JourneyMap) -> str:
    """What the event is, in a sentence."""
    followed = shown.trips[0].followed
    chunk, at = followed.carried.chunk, followed.event - followed.carried.chunk.first
    name = object_name(int(chunk.events.object[at]), followed.names)
    deed = f"{KINDS[chunk.events.kind[at]]} of {name}"
    return f"{deed[0].upper()}{deed[1:]}, which arose at broker {chunk.events.origin[at]}"


def _spot(place: tuple[float, float]) -> Spot:
    """A place of the map, whose ends are 0 and 1, in its drawing."""
    side = min(WIDTH, HEIGHT) - 2 * MARGIN
    x, y = ((size - side) / 2 + share * side for size, share in zip((WIDTH, HEIGHT), place, strict=True))
    return Spot(round(x, 1), round(y, 1))


def _radius(shown: JourneyMap) -> float:
    """Of a broker that nothing has happened to."""
    return 4.5 if len(shown.ground.brokers) <= 200 else 2.5


def _backbone(shown: JourneyMap) -> Iterator[dict[str, Any]]:
    """Links in three strengths, by how many routes cross them."""
    ground = shown.ground
    strength = np.digitize(ground.weight, (0.05, 0.3))
    for level, width in enumerate((0.6, 1.2, 2.6)):
        links = ground.backbone[strength == level].tolist()
        ends = [(_spot(tuple(ground.places[a])), _spot(tuple(ground.places[b]))) for a, b in links]
        yield {"width": width, "path": "".join(f"M{a.x} {a.y}L{b.x} {b.y}" for a, b in ends)}


def _panel(shown: JourneyMap, at: int) -> dict[str, Any]:
    trip = shown.trips[at]
    followed = trip.followed
    events = len(followed.carried.chunk.window(followed.window).object)
    last = followed.first + events - 1
    marks, labels = _labels(shown, trip)
    return {
        "name": followed.name,
        "window": f"answers events {followed.first} to {last} in one window" if events > 1 else None,
        "links": list(_links(shown, trip)),
        "brokers": [
            {"spot": _spot(shown.ground.of_broker(broker)), "broker": broker, "reached": broker in trip.reached}
            for broker in sorted({*trip.reached, *(one.broker for one in trip.outages)})
        ],
        "crosses": list(_crosses(shown, trip)),
        "marks": marks,
        "labels": labels,
        "beside": _zones(shown, trip) if shown.zones is not None else _tree(shown, trip),
    }


def _links(shown: JourneyMap, trip: Trip) -> Iterator[dict[str, Any]]:
    places = shown.ground.places
    for (a, b), (moment, times) in trip.crossed.items():
        ends = (_spot(tuple(places[a])), _spot(tuple(places[b])))
        yield {"ends": ends, "at": round(moment, 3), "width": round(min(1.2 + 0.6 * np.log2(times), 4.5), 1)}


def _crosses(shown: JourneyMap, trip: Trip) -> Iterator[dict[str, Any]]:
    """Where and when messages were lost; those of the same place and moment as one."""
    flights, ways, places = trip.flights, shown.ways, shown.ground.places
    for at in np.flatnonzero(flights.lost).tolist():
        spot = _spot(ways[int(flights.way[at])].at(float(flights.share[at]), places))
        size = round(4 + min(float(np.log2(flights.weight[at])), 5.0), 1)
        yield {"spot": spot, "at": round(float(flights.ends[at, 1]), 3), "size": size}


def _labels(shown: JourneyMap, trip: Trip) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The server and the place of the event: marks, and their names, which keep out of each other's way."""
    followed = trip.followed
    origin = int(followed.carried.chunk.events.origin[followed.event - followed.carried.chunk.first])
    named = [] if followed.approach.serverless else [("server", followed.server)]
    named.append(("event", origin))
    marks = [{"what": what, "spot": _spot(shown.ground.of_broker(broker))} for what, broker in named]
    if len(named) == 2 and named[0][1] == origin:
        named = [("server and event", origin)]
    spots = [_spot(shown.ground.of_broker(broker)) for _, broker in named]
    highest = min(range(len(spots)), key=lambda at: spots[at].y)
    labels = [
        {
            "name": name,
            "x": spots[at].x,
            "y": spots[at].y + (-13 if at == highest else 25),
            "anchor": "start" if spots[at].x < _HALF else "end" if spots[at].x > WIDTH - _HALF else "middle",
        }
        for at, (name, _) in enumerate(named)
    ]
    return marks, labels


def _during(phases: list[Phase[Overlay]]) -> Iterator[tuple[float, float | None, Overlay]]:
    """From when to when each arrangement holds; None for ever."""
    for at, phase in enumerate(phases):
        last = phases[at + 1].start_s if at + 1 < len(phases) else None
        yield max(phase.start_s, -1e9), last, phase.seen


def _zones(shown: JourneyMap, trip: Trip) -> dict[str, Any]:
    """The zones of S, and those that messages have reached."""
    assert shown.zones is not None
    lo, hi = np.asarray(shown.zones.domain).tolist()
    title = f"Zones of the subscription space that {trip.followed.name} reaches"
    frame = Frame(Axis("l", lo, hi), Axis("r", lo, hi), title, width=WIDTH, height=HEIGHT)
    triangle = shown.zones.space == "triangle"
    return {
        "template": "journey/zones.svg",
        "frame": frame,
        "lit": [
            {"box": frame.box(one.extent), "at": round(one.moment, 3), "broker": one.broker} for one in trip.areas
        ],
        "phases": [
            {"first": first, "last": last, **_borders(frame, overlay)}
            for first, last, overlay in _during(trip.phases)
        ],
        "below": frame.path([(lo, lo), (hi, hi), (hi, lo)]) if triangle else None,
        "diagonal": (frame.spot(lo, lo), frame.spot(hi, hi)),
    }


def _borders(frame: Frame, overlay: Overlay) -> dict[str, Any]:
    """Outlines of all zones as one path, and the numbers of brokers whose zone has room for it."""
    assert overlay.extents is not None
    path, names = [], []
    for broker, extent in enumerate(overlay.extents.tolist()):
        box = frame.box(extent)
        if box.width <= 0 or box.height <= 0:
            continue
        path.append(f"M{box.x} {box.y}h{box.width}v{box.height}h-{box.width}z")
        name = str(broker)
        if _room(frame, box, name):
            names.append({"name": name, "x": round(box.x + box.width / 2, 1), "y": round(box.y + box.height / 2, 1)})
    return {"path": "".join(path), "names": names}


def _room(frame: Frame, box: Box, name: str) -> bool:
    """Whether a name can be written into the middle of a zone, and is not below the diagonal there."""
    along = (box.x + box.width / 2 - frame.left) / (frame.right - frame.left)
    up = (frame.bottom - box.y - box.height / 2) / (frame.bottom - frame.top)
    return box.width >= 9.6 * len(name) + 4 and box.height >= 17 and up > along + 0.04


def _tree(shown: JourneyMap, trip: Trip) -> dict[str, Any]:
    """The links between brokers as a tree that begins at the server, and those that messages have taken."""
    first = trip.phases[0].seen
    places = tree_places(len(shown.ground.brokers), first.links, trip.followed.server)
    spots = [_spot((x, y)) for x, y in places.tolist()]
    return {
        "template": "journey/tree.svg",
        "title": f"Links between brokers that {trip.followed.name} takes",
        "phases": [
            {
                "first": start,
                "last": last,
                "path": "".join(
                    f"M{spots[a].x} {spots[a].y}L{spots[b].x} {spots[b].y}" for a, b in overlay.links.tolist()
                ),
            }
            for start, last, overlay in _during(trip.phases)
        ],
        "taken": [{"ends": (spots[a], spots[b]), "at": round(at, 3)} for (a, b), at in trip.taken.items()],
        "spots": spots,
        "lit": [{"spot": spots[b], "at": round(at, 3), "broker": b} for b, at in trip.reached.items()],
        "server": spots[trip.followed.server],
    }


def _chart(shown: JourneyMap) -> dict[str, Any]:
    """How many of the notifications have been delivered, over time."""
    label = "ms since the event" if shown.timed else "overlay hops from the source"
    axes = Axis(label, shown.start, shown.end), Axis("told, %", 0.0, 100.0)
    frame = Frame(*axes, "Share of the notifications delivered, over time", height=190)
    lines = []
    for trip in shown.trips:
        moment, total = trip.told.moment, max(int(trip.told.received.sum()), 1)
        share = np.cumsum(trip.told.received) * 100 / total
        points = [(shown.start, 0.0)]
        for at in np.unique(np.linspace(0, len(moment) - 1, _POINTS).astype(int)).tolist() if len(moment) else []:
            points += [(float(moment[at]), points[-1][1]), (float(moment[at]), float(share[at]))]
        lines.append(frame.path([*points, (shown.end, points[-1][1])]))
    outages = {(one.start, one.end) for trip in shown.trips for one in trip.outages}
    return {
        "frame": frame,
        "lines": lines,
        "outages": [frame.box((start, end, 0.0, 100.0)) for start, end in sorted(outages)],
    }


def _table(shown: JourneyMap) -> dict[str, Any]:
    """All approaches at the end."""
    where = "zones reached" if shown.zones is not None else "brokers reached"
    unit = "ms" if shown.timed else "hops"
    head = [
        "approach",
        "messages",
        "hops",
        "bytes",
        "lost",
        "sent again",
        where,
        "notifications",
        f"last told, {unit}",
    ]
    rows = []
    for trip in shown.trips:
        followed, flights = trip.followed, trip.flights
        told = trip.told.moment[trip.told.received > 0]
        last = f"{told.max():,.1f}" if len(told) else "-"
        numbers = [
            len(followed.messages),
            len(followed.hops),
            followed.hop_bytes,
            int(flights.weight[flights.lost].sum()),
            int(flights.weight[flights.again].sum()),
            len(trip.reached),
            int(trip.told.received.sum()),
        ]
        rows.append([followed.name, *(f"{number:,}" for number in numbers), last])
    return {"label": "what became of the event", "head": head, "rows": rows}


def _data(shown: JourneyMap) -> dict[str, Any]:
    """What the script needs to place whatever moves, as columns."""
    spots = [_spot((x, y)) for x, y in shown.ground.places.tolist()]
    return {
        "start": round(shown.start, 3),
        "end": round(shown.end, 3),
        "timed": shown.timed,
        "zoned": shown.zones is not None,
        "radius": _radius(shown),
        "moments": _moments(shown),
        "ways": [
            [[*spots[node], round(share, 4)] for node, share in zip(way.nodes, way.shares, strict=True)]
            for way in shown.ways
        ],
        "trips": [
            {
                "name": trip.followed.name,
                "flights": _columns(trip.flights),
                "events": _columns(trip.events),
                "told": {
                    "gateway": trip.told.gateway.tolist(),
                    "at": np.round(trip.told.moment, 3).tolist(),
                    "count": trip.told.received.tolist(),
                },
                "reached": list(trip.reached),
                "reachedAt": [round(moment, 3) for moment in trip.reached.values()],
                "outages": [[one.what, one.broker, round(one.start, 3), round(one.end, 3)] for one in trip.outages],
            }
            for trip in shown.trips
        ],
    }


def _columns(flights: DrawnFlights) -> dict[str, Any]:
    return {
        "way": flights.way.tolist(),
        "from": np.round(flights.ends[:, 0], 3).tolist(),
        "to": np.round(flights.ends[:, 1], 3).tolist(),
        "weight": flights.weight.tolist(),
        "lost": [[at, float(flights.share[at])] for at in np.flatnonzero(flights.lost).tolist()],
        "again": np.flatnonzero(flights.again).tolist(),
    }


def _moments(shown: JourneyMap) -> list[float]:
    """Moments to step to: when something happened, the last of what happens at about the same time."""
    times = [np.array([shown.start, shown.end])]
    for trip in shown.trips:
        times += [trip.flights.ends.ravel(), trip.events.ends.ravel(), trip.told.moment]
        times += [np.array([one.start, one.end]) for one in trip.outages]
    moments = np.unique(np.concatenate(times))
    slot = np.floor((moments - shown.start) / (shown.end - shown.start) * _MOMENTS)
    last = np.append(np.flatnonzero(np.diff(slot)), len(moments) - 1)
    kept: list[float] = np.round(np.unique(np.append(moments[last], shown.start)), 3).tolist()
    return kept
