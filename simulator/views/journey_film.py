"""A moving map as a film, a GIF of what the page shows, or one moment of it as a picture: for slides and print."""

import io
from collections.abc import Iterator
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from numpy.typing import NDArray
from PIL import Image

from simulator.approaches.colours import colour_of
from simulator.views.journey_map import JourneyMap, Overlay, Trip
from simulator.views.journey_tree import tree_places

__all__ = ["journey_film", "journey_still"]

_LETTERS: Any = {"font.size": 9}
_FRAMES, _FRAME_MS, _LAST_MS = 72, 100, 2500
_DPI = 96
_WRONG = "#b3261e"
"""Colour of what is lost, down or cut off."""
_MARKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("message under way", {"marker": "o", "color": "0.35"}),
    ("sent again", {"marker": "o", "color": "white", "markeredgecolor": "0.35", "markeredgewidth": 2.0}),
    ("lost", {"marker": "x", "color": _WRONG, "markeredgecolor": _WRONG}),
    ("down or cut off", {"marker": "o", "color": "none", "markeredgecolor": _WRONG, "markersize": 8}),
    ("broker", {"marker": "o", "color": "white", "markeredgecolor": "0.35", "markersize": 4.5}),
    ("broker that has told subscriptions", {"marker": "o", "color": "0.6", "markersize": 8}),
    ("event", {"marker": "D", "color": "white"}),
    ("server", {"marker": "s", "color": "none", "markersize": 8}),
)


class _View(NamedTuple):
    """What is drawn of an approach: the IP network above, zones or links between brokers below."""

    trip: Trip
    colour: str
    above: Axes
    below: Axes


def journey_film(shown: JourneyMap) -> bytes:
    """One event as a GIF, a column for each approach; the same map gives the same bytes.

    What never changes is drawn once, and every moment on top of it.
    """
    with mpl.rc_context(_LETTERS):
        figure, views = _ground(shown)
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
        empty = canvas.copy_from_bbox(figure.bbox)
        pictures = []
        for moment in np.linspace(shown.start, shown.end, _FRAMES).tolist():
            canvas.restore_region(empty)
            for axes, artist in _drawn_at(figure, views, shown, moment):
                if axes is None:
                    artist.draw(canvas.get_renderer())
                else:
                    axes.draw_artist(artist)
                artist.remove()
            pictures.append(Image.fromarray(np.asarray(canvas.buffer_rgba()).copy()).convert("RGB"))
    palette = _palette(pictures, [view.colour for view in views])
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    stream, lengths = io.BytesIO(), [_FRAME_MS] * (_FRAMES - 1) + [_LAST_MS]
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:], duration=lengths, loop=0)
    return stream.getvalue()


def journey_still(shown: JourneyMap, moment: float) -> Figure:
    """One moment of the same, between `shown.start` and `shown.end`."""
    with mpl.rc_context(_LETTERS):
        figure, views = _ground(shown)
        list(_drawn_at(figure, views, shown, moment))
    return figure


def _ground(shown: JourneyMap) -> tuple[Figure, list[_View]]:
    """A figure with what never changes, and its columns."""
    count = len(shown.trips)
    across = max(3.2 * count, 4.8)
    figure = Figure(figsize=(across, 7.2), dpi=_DPI)
    grid = figure.subplots(2, count, squeeze=False)
    figure.subplots_adjust(left=0.04, right=0.98, top=0.89, bottom=0.14, wspace=0.16, hspace=0.1)
    views = [
        _View(trip, colour_of(trip.followed.name).light, grid[0, at], grid[1, at])
        for at, trip in enumerate(shown.trips)
    ]
    for view in views:
        _draw_ground(view, shown)
    look: dict[str, Any] = {"linestyle": "none", "markersize": 5, "markeredgecolor": "black"}
    handles = [Line2D([], [], label=label, **(look | own)) for label, own in _MARKS]
    figure.legend(handles=handles, loc="lower center", ncols=2 if across < 6 else 4, fontsize=8, frameon=False)
    return figure, views


def _palette(pictures: list[Image.Image], colours: list[str]) -> Image.Image:
    """One palette for all frames, in which no colour is left out for being rare."""
    width, height = pictures[0].size
    sheet = Image.new("RGB", (width, 4 * height), "white")
    for at, picture in enumerate((pictures[len(pictures) // 2], pictures[-1])):
        sheet.paste(picture, (0, at * height))
    kept = [_WRONG, "#000000", *colours]
    for at, colour in enumerate(kept):
        sheet.paste(colour, (at * width // len(kept), 2 * height, (at + 1) * width // len(kept), 3 * height))
    return sheet.quantize(128)


def _draw_ground(view: _View, shown: JourneyMap) -> None:
    """Draw what never changes: backbone, brokers, server, axes."""
    ground, followed, above, below = shown.ground, view.trip.followed, view.above, view.below
    widths = 0.4 + 2.0 * ground.weight
    above.add_collection(LineCollection(list(ground.places[ground.backbone]), colors="0.8", linewidths=widths))
    spots = ground.places[ground.brokers]
    _dots(above, spots, 14, facecolor="white", edgecolor="0.35", linewidths=0.8, zorder=2)
    if not followed.approach.serverless:
        _dots(above, spots[[followed.server]], 70, marker="s", facecolor="none", edgecolor="black", zorder=4)
    above.set(xlim=(-0.06, 1.06), ylim=(1.06, -0.06), aspect="equal", xticks=[], yticks=[])
    above.set_title(followed.name, color=view.colour, fontweight="bold", parse_math=False)
    if shown.zones is None:
        below.set(xlim=(-0.06, 1.06), ylim=(1.06, -0.06), xticks=[], yticks=[])
        return
    lo, hi = shown.zones.domain
    if len(view.trip.phases) == 1:
        below.add_collection(_borders(view.trip.phases[0].seen))
    below.set(xlim=(lo, hi), ylim=(lo, hi), aspect="equal", xlabel="l", ylabel="r", xticks=[], yticks=[])


def _drawn_at(
    figure: Figure, views: list[_View], shown: JourneyMap, moment: float
) -> Iterator[tuple[Axes | None, Artist]]:
    """Add what a moment shows, on top of the rest: everything with the axes that it is in, the title in none."""
    unit = "ms after the event" if shown.timed else "overlay hops from the source"
    event = views[0].trip.followed.event
    words = f"event {event} of {views[0].trip.followed.scenario.name}: {moment:,.1f} {unit}"
    yield None, figure.text(0.5, 0.965, words, ha="center", fontsize=11, parse_math=False)
    for view in views:
        below = (
            _zones_at(view, shown, moment)
            if shown.zones is not None
            else _tree_at(view, len(shown.ground.brokers), moment)
        )
        for axes, artists in ((view.above, _map_at(view, shown, moment)), (view.below, below)):
            for at, artist in enumerate(artists):
                artist.set_zorder(5 + at)  # above what never changes, in this order
                yield axes, artist


def _map_at(view: _View, shown: JourneyMap, moment: float) -> list[Artist]:
    trip, axes, places = view.trip, view.above, shown.ground.places
    spots = places[shown.ground.brokers]
    taken = [places[list(link)] for link, (at, _) in trip.crossed.items() if at <= moment]
    widths = [0.8 + 0.4 * np.log2(times) for at, times in trip.crossed.values() if at <= moment]
    links = LineCollection(taken, colors=view.colour, linewidths=widths, alpha=0.6)
    artists: list[Artist] = [axes.add_collection(links)]
    sums = np.bincount(trip.told.gateway, trip.told.received * (trip.told.moment <= moment), len(spots))
    here = [broker for broker, at in trip.reached.items() if at <= moment]
    area = 14 + 70 * sums[here] / max(float(sums.max(initial=0.0)), 1.0)
    artists.append(_dots(axes, spots[here], area, color=view.colour, edgecolor="black", linewidths=0.7))
    wrong = [one.broker for one in trip.outages if one.start <= moment < one.end]
    artists.append(_dots(axes, spots[wrong], 60, facecolor="none", edgecolor=_WRONG, linewidths=1.6))
    flights = trip.flights
    lost = np.flatnonzero(flights.lost & (flights.ends[:, 1] <= moment)).tolist()
    crosses = [shown.ways[flights.way[at]].at(float(flights.share[at]), places) for at in lost]
    if crosses:
        artists.append(_dots(axes, np.array(crosses), 22, marker="x", color=_WRONG, linewidths=1.1))
    for some, marker, face in ((trip.events, "D", "white"), (flights, "o", view.colour)):
        away = np.flatnonzero((some.ends[:, 0] <= moment) & (moment < some.ends[:, 1])).tolist()
        part = [(moment - some.ends[at, 0]) / (some.ends[at, 1] - some.ends[at, 0]) * some.share[at] for at in away]
        dots = [shown.ways[some.way[at]].at(float(far), places) for at, far in zip(away, part, strict=True)]
        if dots:
            faces = ["white" if some.again[at] else face for at in away]
            edge = view.colour if marker == "o" else "black"
            artists.append(
                _dots(axes, np.array(dots), 20, marker=marker, color=faces, edgecolor=edge, linewidths=1.2)
            )
    return artists


def _dots(axes: Axes, spots: NDArray[np.float64], size: float | NDArray[np.float64], **look: Any) -> Artist:
    """Dots at spots, (dots, 2)."""
    return axes.scatter(spots[:, 0], spots[:, 1], size, **look)


def _zones_at(view: _View, shown: JourneyMap, moment: float) -> list[Artist]:
    assert shown.zones is not None
    (lo, hi), axes = shown.zones.domain, view.below
    lit = np.array([area.extent for area in view.trip.areas if area.moment <= moment]).reshape(-1, 4)
    overlay = next(phase.seen for phase in reversed(view.trip.phases) if phase.start_s <= moment)
    artists: list[Artist] = [
        axes.add_collection(PolyCollection(list(_corners(lit)), facecolor=view.colour, alpha=0.6))
    ]
    if len(view.trip.phases) > 1:
        artists.append(axes.add_collection(_borders(overlay)))
    if shown.zones.space == "triangle":
        artists.append(axes.add_patch(Polygon([(lo, lo), (hi, hi), (hi, lo)], color="white")))
    return [*artists, *axes.plot((lo, hi), (lo, hi), color="black", linewidth=0.8)]


def _borders(overlay: Overlay) -> PolyCollection:
    """Outlines of all zones."""
    assert overlay.extents is not None
    zones = overlay.extents[overlay.extents[:, 0] < overlay.extents[:, 1]]
    return PolyCollection(list(_corners(zones)), facecolor="none", edgecolor="0.45", linewidths=0.6)


def _corners(extents: NDArray[np.float64]) -> NDArray[np.float64]:
    """Corners of zones, (zones, 4, 2)."""
    return extents[:, [[0, 2], [1, 2], [1, 3], [0, 3]]]


def _tree_at(view: _View, brokers: int, moment: float) -> list[Artist]:
    trip, axes = view.trip, view.below
    links = next(phase.seen for phase in reversed(trip.phases) if phase.start_s <= moment).links
    places = tree_places(brokers, trip.phases[0].seen.links, trip.followed.server)
    here = [broker for broker, at in trip.reached.items() if at <= moment]
    taken = [places[list(pair)] for pair, at in trip.taken.items() if at <= moment]
    return [
        axes.add_collection(LineCollection(list(places[links]), colors="0.8", linewidths=0.8)),
        axes.add_collection(LineCollection(taken, colors=view.colour, linewidths=1.6)),
        _dots(axes, places, 8, facecolor="white", edgecolor="0.35", linewidths=0.7),
        _dots(axes, places[here], 16, color=view.colour, edgecolor="black", linewidths=0.6),
    ]
