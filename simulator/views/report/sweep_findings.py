"""What a sweep shows, in sentences made from its means, their intervals and the ratios on the same seeds.

Three kinds: who has the least at how many points, each approach against the reference over all points, and
how a metric changes with each key that is a number. Times of what was not steady are not compared.
"""

import math
from collections.abc import Sequence

from simulator.results.ratios import Ratio
from simulator.runs.statistics import quotient
from simulator.views.report.findings import Finding
from simulator.views.report.runs import needs_no_server
from simulator.views.report.side_by_side import BY_THE_CLOCK
from simulator.views.report.sweep_rows import Measured, Place, SweepRows
from simulator.views.report.wording import (
    BYTES,
    TIME,
    Compared,
    Words,
    compared,
    compared_in_part,
    in_a_row,
    in_prose,
    sentence,
)
from simulator.views.sweep_axes import places_of, told

__all__ = ["sweep_findings"]

_LEAST = {
    "bytes_out": "the fewest bytes out of the server",
    "overlay_bytes": "the fewest bytes in the overlay",
    "stale": "the freshest lists",
}
_AGAINST: tuple[tuple[str, str, str, Words], ...] = (
    ("bytes_out", "sends", " out of the server", BYTES),
    ("overlay_bytes", "sends", " in the overlay", BYTES),
    ("wrong_share", "its lists are wrong", "", TIME),
)
_TREND: dict[str, tuple[str, Words, str]] = {
    "bytes_out": ("the server sends", BYTES, "bytes out of the server"),
    "overlay_bytes": ("the overlay carries", BYTES, "bytes in the overlay"),
    "stale": ("lists are stale", TIME, "how long lists are stale"),
    "wrong_share": ("lists are wrong", TIME, "how long lists are wrong"),
}
_ALIKE = 1.25
"""Ratios at several points of which the largest is so many times the smallest are told as one."""


def sweep_findings(rows: SweepRows, failures: Sequence[str] = ()) -> list[Finding]:
    """All that is worth a sentence, in order."""
    colours = {name: at for at, name in enumerate(rows.approaches)}
    found = [Finding(text) for text in _least(rows)]
    for name in rows.approaches:
        if name != rows.reference:
            found.append(Finding(_against(rows, name), colour=colours[name]))
    found += [_trends(rows, axis) for axis in rows.axes]
    unsteady = [(place, name) for place in rows.places for name in rows.approaches if rows.unsteady(place, name)]
    for name in dict.fromkeys(name for _, name in unsteady):
        where = [place for place, one in unsteady if one == name]
        text = f"{in_prose(name)} is not steady at {_count(len(where), len(rows.places))}"
        named = f" ({_listed(rows, where)})" if any(where) else ""
        told_why = "its times there depend on the length of the run and are not compared"
        found.append(Finding(f"{text}{named}: {told_why}.", "caution", colours[name]))
    found += [Finding(f"Failed: {line}", "bad") for line in failures]
    return [one for one in found if one.text]


def _count(some: int, every: int) -> str:
    if some == every:
        return "every point" if every > 1 else "the point"
    return f"{some} of {every} points"


def _listed(rows: SweepRows, places: Sequence[Place]) -> str:
    named = [rows.named(place) for place in places[:3]]
    return "; ".join([*named, *([f"and {len(places) - 3} more"] if len(places) > 3 else [])])


def _least(rows: SweepRows) -> list[str]:
    """Who has the least of what, and at how many points."""
    least_of: dict[tuple[tuple[str, ...], int], list[str]] = {}
    for metric, what in _LEAST.items():
        wins: dict[str, int] = {}
        for place in rows.places:
            judged = rows.competing(metric, place)
            least = min((one.mean for one in judged), default=0.0)
            best = [one.approach for one in judged if one.mean == least]
            if len(best) < len(judged):
                for name in best:
                    wins[name] = wins.get(name, 0) + 1
        if wins:
            most = max(wins.values())
            names = tuple(in_prose(name) for name, count in wins.items() if count == most)
            least_of.setdefault((names, most), []).append(what)
    clauses = []
    for (names, most), least_at in least_of.items():
        verb = "has" if len(names) == 1 else "have"
        clauses.append(f"{in_a_row(names)} {verb} {in_a_row(least_at)} at {_count(most, len(rows.places))}")
    return [sentence(clauses)] if clauses else []


def _against(rows: SweepRows, name: str) -> str:
    """An approach against the reference, over all points."""
    other, clauses = in_prose(rows.reference), list[str]()
    for metric, verb, of, words in _AGAINST:
        clear = [place for place in rows.places if metric not in BY_THE_CLOCK or _steady(rows, place, name)]
        found = [one for place in clear if (one := rows.at(metric, place, name)) is not None]
        ratios = [(one.place, one.ratio) for one in found if one.ratio is not None]
        if len(ratios) > 1 and all(_chance(ratio) for _, ratio in ratios):
            what = "how long its lists are wrong" if metric == "wrong_share" else f"bytes{of}"
            start = "" if clauses else f"{in_prose(name)} against {other}: "
            where = "any point" if len(ratios) == len(rows.places) else _count(len(ratios), len(rows.places))
            clauses.append(f"{start}no clear difference in {what} at {where}")
        elif ratios:
            start = verb if metric == "wrong_share" or clauses else f"{in_prose(name)} {verb}"
            clauses.append(f"{start} {_ranged(rows, ratios, ('' if clauses else other, of), words)}")
    if needs_no_server(name) and not needs_no_server(rows.reference):
        clauses = [f"{in_prose(name)} needs no server", *(one.removeprefix(f"{in_prose(name)} ") for one in clauses)]
    return sentence([one if at == 0 else one.replace("sends", "it sends", 1) for at, one in enumerate(clauses)])


def _chance(ratio: Ratio) -> bool:
    """Whether a ratio may be 1."""
    return ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high


def _steady(rows: SweepRows, place: Place, name: str) -> bool:
    return not any(rows.unsteady(place, each) for each in (name, rows.reference))


def _ranged(rows: SweepRows, ratios: Sequence[tuple[Place, Ratio]], named: tuple[str, str], words: Words) -> str:
    """A comparison over points: one for all where they are alike, else the least and the most and where they are."""
    other, of = named
    low, high = (extreme(ratios, key=lambda one: one[1].value) for extreme in (min, max))
    if high[1].value <= _ALIKE * low[1].value:
        middle = Ratio(math.sqrt(low[1].value * high[1].value), *_hull([ratio for _, ratio in ratios]))
        unclear = sum(_chance(ratio) for _, ratio in ratios)
        some = f"at {_count(unclear, len(ratios))}"
        partly = 0 < unclear < len(ratios)
        pieces = compared_in_part(middle, words, some) if partly else compared(middle, words)
        told_where = f" at {_count(len(ratios), len(rows.places))}" if len(rows.places) > 1 else ""
        return f"{_for(pieces, words)}{pieces.against(other, of) if other else pieces.alone(of)}{told_where}"
    keys = [key for at, key in enumerate(rows.keys) if low[0][at] != high[0][at]]
    first, last = (compared(ratio, words) for _, ratio in (low, high))
    start = f"{_for(first, words)}{first.against(other, of) if other else first.alone(of)}"
    end = f"{_for(last, words)}{last.alone()}"
    at, then = rows.named(low[0], keys), rows.named(high[0], keys)
    if len(ratios) == 2:
        return f"{start} at {at} and {end} at {then}"
    return f"{start} at {at}, {end} at {then}, and between these elsewhere"


def _hull(ratios: Sequence[Ratio]) -> tuple[float | None, float | None]:
    """An interval around those of all."""
    lows, highs = [one.low for one in ratios if one.low], [one.high for one in ratios if one.high]
    return (min(lows), max(highs)) if len(lows) == len(highs) == len(ratios) else (None, None)


def _for(pieces: Compared, words: Words) -> str:
    return "for " if words is TIME and pieces.joint == "than" else ""


def _trends(rows: SweepRows, axis: tuple[str, ...]) -> Finding:
    """How metrics change from the least to the most of a key that is a number, others at the first of theirs."""
    places = rows.places
    spots = places_of([dict(zip(rows.keys, place, strict=True)) for place in places], axis)
    if len(axis) != 1 or not spots.counted or len(spots.at) < 2:
        return Finding("")
    at = rows.keys.index(axis[0])
    first, last = (extreme(spots.at, key=lambda value: spots.at[value])[0] for extreme in (min, max))
    start = next(place for place in places if place[at] == first)
    end = (*start[:at], last, *start[at + 1 :])
    others = rows.named(start, [key for key in rows.keys if key != axis[0]])
    context = f"As {axis[0]} goes from {told((first,))} to {told((last,))}{f' ({others})' if others else ''}:"
    texts = [_trend(rows, metric, (start, end)) for metric in _TREND]
    details = tuple(f"{text[0].upper()}{text[1:]}." for text in texts if text)
    return Finding(context if details else "", details=details)


def _trend(rows: SweepRows, metric: str, places: tuple[Place, Place]) -> str:
    """How a metric changes from one point to another, on the same seeds, with every approach that has a ratio."""
    verb, words, what = _TREND[metric]
    changed, same = list[str](), list[str]()
    for name in rows.approaches:
        before, after = (rows.at(metric, place, name) for place in places)
        if before is None or after is None:
            continue
        if metric in BY_THE_CLOCK and any(rows.unsteady(place, name) for place in places):
            continue
        ratio = _change(after, before)
        if ratio is not None:
            pieces = compared(ratio, words)
            clear = not _chance(ratio)
            text = f"{_for(pieces, words)}{pieces.much} with {in_prose(name)}{pieces.interval}"
            (changed if clear else same).append(text if clear else in_prose(name))
    if not changed:
        return f"there is no clear change in {what} with {in_a_row(same)}" if same else ""
    return f"{verb} {in_a_row(changed)}{f'; no clear change with {in_a_row(same)}' if same else ''}"


def _change(after: Measured, before: Measured) -> Ratio | None:
    """Ratio of values on the same seeds."""
    both = zip(after.values, before.values, strict=True)
    pairs = [(one, other) for one, other in both if one is not None and other is not None]
    if not pairs:
        return None
    found = quotient(*zip(*pairs, strict=True))
    return None if found.ratio is None else Ratio(found.ratio, found.ratio_low, found.ratio_high)
