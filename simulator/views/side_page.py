"""The page about one event over several attributes: a map of objects, and slices of S under a slider."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from simulator.approaches.colours import colour_of
from simulator.views.explain_marks import Named, frame_of, named_marks
from simulator.views.labels import apart, interval
from simulator.views.page import render
from simulator.views.side_explanation import SideExplanation, Slices, slices_of, told
from simulator.views.svg import Axis, Frame

__all__ = ["side_page", "slice_view"]

_MOST_LABELS = 60


def side_page(explanations: Sequence[SideExplanation]) -> str:
    """One event over several attributes as an HTML page that stands alone, with a slider over the last side of S.

    Several explanations are those of several approaches to the event, and stand side by side.
    """
    first, slices = explanations[0], slices_of(explanations)
    title = first.title
    if len(explanations) > 1:
        names = ", ".join(one.approach for one in explanations)
        title = title.replace(f"({first.approach}, k = ", f"({names}, k = ")
    view = slice_view(explanations)
    counts = [_in_slabs(one, slices) for one in explanations]
    part = {
        "kind": "sides",
        "title": title,
        "captions": [*_captions(explanations, slices, counts)],
        "start": int(np.argmax(sum(counts))),
        "map": _map(first),
        "spaces": [_slice(one, slices, view) for one in explanations],
        "approaches": [_approach(one, slices) for one in explanations],
        "fixed": slices.fixed_names(first),
        "last": first.side_names[-1],
    }
    return render("explain.html", title=title, parts=[part])


def slice_view(explanations: Sequence[SideExplanation]) -> tuple[float, float, float, float]:
    """What of l1 and r1 the slices show: all that messages end at, and the updated object."""
    own = explanations[0].own.x[0]
    spans = []
    for side, sign in ((0, -1.0), (1, 1.0)):
        ends = np.concatenate([np.ravel(ends[:, side]) for one in explanations for ends in one.boxes]) * sign
        ends = np.append(ends[np.isfinite(ends)], own)
        low, high = float(ends.min()), float(ends.max())
        margin = 0.1 * (high - low) or 0.5
        spans += [low - margin, high + margin]
    return spans[0], spans[1], spans[2], spans[3]


def _in_slabs(explained: SideExplanation, slices: Slices) -> Any:
    """How many messages each slab has."""
    spans = slices.spans(explained)
    slabs = np.arange(len(slices.edges) - 1)[:, None]
    return ((spans[:, 0] <= slabs) & (slabs <= spans[:, 1]) & (spans[:, 0] >= 0)).sum(axis=1)


def _captions(explanations: Sequence[SideExplanation], slices: Slices, counts: Sequence[Any]) -> Iterator[str]:
    """What each position of the slider shows."""
    last = explanations[0].side_names[-1]
    for slab in range(len(slices.edges) - 1):
        low, high = apart(*slices.edges[slab : slab + 2])
        told = [f"{int(count[slab])} message{'' if count[slab] == 1 else 's'}" for count in counts]
        if len(explanations) > 1:
            told = [f"{one.approach} {words}" for one, words in zip(explanations, told, strict=True)]
        yield f"subscriptions with {low} <= {last} < {high}: {', '.join(told)}."


def _map(explained: SideExplanation) -> dict[str, Any]:
    """Objects over the first two attributes, and the influence polygon."""
    (x_lo, x_hi), (y_lo, y_hi) = explained.near()
    frame = frame_of(Axis("x1", x_lo, x_hi), Axis("x2", y_lo, y_hi), f"Objects; {explained.deed}")
    x, exposed = explained.x, explained.exposed
    seen = np.isfinite(explained.y) & (x[:, 0] >= x_lo) & (x[:, 0] <= x_hi) & (x[:, 1] >= y_lo) & (x[:, 1] <= y_hi)
    seen[[explained.object, *exposed]] = False
    above, kept = explained.above, explained.kept_objects.tolist()
    met = [(frame.spot(*x[h, :2]), series, h) for series, h in enumerate(exposed)]
    names = [
        Named(explained.letter(h), (*[float(x[h, 0])] * 2, *[float(x[h, 1])] * 2), 0, series=series)
        for series, h in enumerate(exposed[:_MOST_LABELS])
    ]
    places = [explained.own.x[:2], *([explained.after.x[:2]] if explained.kind == "move" else [])]
    return {
        "frame": frame,
        "polygon": [frame.box(cell) for cell in explained.polygon()],
        "objects": [
            {
                "spot": frame.spot(*x[i, :2]),
                "above": above[i],
                "kept": i in kept,
                "tip": f"{explained.called(i)}: x = ({told(x[i])}), y = {explained.y[i]:.4g}{', kept' * (i in kept)}",
            }
            for i in np.flatnonzero(seen).tolist()
        ],
        "exposed": [{"spot": spot, "series": series, "tip": explained.called(h)} for spot, series, h in met],
        "updated": [frame.spot(*place) for place in places],
        "names": named_marks(frame, names, [*(spot for spot, *_ in met), *(frame.spot(*x[h, :2]) for h in kept)]),
    }


def _slice(explained: SideExplanation, slices: Slices, view: tuple[float, float, float, float]) -> dict[str, Any]:
    """Messages and subscriptions over l1 and r1, each seen in the slabs that it is in."""
    l_lo, l_hi, r_lo, r_hi = view
    frame = frame_of(
        Axis("l1", l_lo, l_hi), Axis("r1", r_lo, r_hi), f"Messages of {explained.approach} in slices of S"
    )
    low, high = max(l_lo, r_lo), min(l_hi, r_hi)
    return {
        "frame": frame,
        "diagonal": (frame.spot(low, low), frame.spot(high, high)) if low < high else None,
        "messages": [*_boxes(explained, slices, frame, view)],
        "subscriptions": [*_dots(explained, slices, frame, view)],
    }


def _boxes(
    explained: SideExplanation, slices: Slices, frame: Frame, view: tuple[float, float, float, float]
) -> Iterator[dict[str, Any]]:
    l_lo, l_hi, r_lo, r_hi = view
    lo, hi = explained.boxes
    order = {h: series for series, h in enumerate(explained.exposed)}
    for at, (first, last) in enumerate(slices.spans(explained).tolist()):
        if first < 0:
            continue
        l, r = np.clip([-hi[at, 0], -lo[at, 0]], l_lo, l_hi), np.clip([lo[at, 1], hi[at, 1]], r_lo, r_hi)
        i = int(explained.messages[at]["object"])
        yield {
            "box": frame.box((*l, *r)),
            "first": first,
            "last": last,
            "series": order.get(i),
            "tip": f"message {at} about {explained.called(i)} {explained.letter(i)}",
        }


def _dots(
    explained: SideExplanation, slices: Slices, frame: Frame, view: tuple[float, float, float, float]
) -> Iterator[dict[str, Any]]:
    """Subscriptions in the slab of their last side, whatever their other sides are."""
    l_lo, l_hi, r_lo, r_hi = view
    chosen = explained.sample()
    points, told = explained.points[chosen], explained.told(chosen)
    l, r = -points[:, 0], points[:, 1]
    slab = np.searchsorted(slices.edges, points[:, -1], side="right") - 1
    seen = (l >= l_lo) & (l <= l_hi) & (r >= r_lo) & (r <= r_hi) & (slab >= 0) & (slab < len(slices.edges) - 1)
    for at in np.flatnonzero(seen).tolist():
        yield {
            "spot": frame.spot(float(l[at]), float(r[at])),
            "slab": int(slab[at]),
            "told": bool(told[at]),
            "tip": f"subscription {chosen[at]}",
        }


def _approach(explained: SideExplanation, slices: Slices) -> dict[str, Any]:
    count = len(explained.messages)
    return {
        "name": explained.approach,
        "colour": colour_of(explained.approach),
        "heads": _heads(explained),
        "messages": [*_rows(explained, slices)],
        "count": f"{count:,} message{'' if count == 1 else 's'}",
    }


def _heads(explained: SideExplanation) -> list[str]:
    if explained.unicast:
        return ["message", "subscription", "takes out", "puts in"]
    return ["message", "object", "y", *explained.side_names, "subscriptions"]


def _rows(explained: SideExplanation, slices: Slices) -> Iterator[dict[str, Any]]:
    """Rows of the table of messages, numbered from 0 as in `hops.parquet`."""
    if explained.unicast:
        for at, row in enumerate(explained.messages):
            names = ["-" if row[key] < 0 else int(row[key]) for key in ("dropped", "object")]
            yield {"step": 0, "cells": [at, int(row["subscription"]), *names]}
        return
    lo, hi = explained.boxes
    spans = slices.spans(explained)
    for at, row in enumerate(explained.messages):
        ends = []
        for side, sign in enumerate(explained.sides.sign):
            low, high = float(lo[at, side]), float(hi[at, side])
            ends.append(interval(-high, -low, "(]") if sign < 0 else interval(low, high, "[)"))
        i = int(row["object"])
        name = explained.called(i).removeprefix("object ")
        cells = [at, f"{name} {explained.letter(i)}", f"{row['y']:.4g}", *ends, f"{explained.reach(at):,}"]
        yield {"step": int(max(spans[at, 0], 0)), "cells": cells}
