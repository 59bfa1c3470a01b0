"""What was found, in sentences made from the tables of runs and nothing else.

Every number of a sentence is one of `summary.csv`, a ratio of two of them, or a mean over rows of `series.parquet`.
Ratios have the intervals of `simulator.results.ratios`. Where a value is 0 or missing there is no ratio, and where a
run was not steady its times are compared with nobody's.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from simulator.results.ratios import Ratio, batch_mean, ratio_of
from simulator.views.report.fault_spans import fault_spans, within
from simulator.views.report.runs import Side, known
from simulator.views.report.wording import BYTES, TIME, Words, compared, in_a_row, in_prose, sentence, share, written

__all__ = ["Finding", "findings_between", "findings_of", "reference_of"]

_EXACT = 0.005
"""Redundancy that is not worth a word."""


class Finding(NamedTuple):
    """A sentence, how to take it, and the colour of the approach that it is about."""

    text: str
    tone: str = "plain"
    """`plain`, `good`, `caution` or `bad`."""
    colour: int | None = None
    details: tuple[str, ...] = ()
    """Sentences that belong below it."""


def findings_of(sides: Sequence[Side]) -> list[Finding]:
    """What the approaches of one run show: who is best, each against the reference, and what to be careful about."""
    reference = reference_of(sides)
    found = _best(sides) if len(sides) > 1 else []
    if len(sides) == 1:
        found.append(Finding(_alone(sides[0]), colour=sides[0].colour))
    found += [Finding(_against(side, reference), colour=side.colour) for side in sides if side is not reference]
    return [one for one in (*found, *_verified(sides), *_unsteady(sides), *_faults(sides)) if one.text]


def reference_of(sides: Sequence[Side]) -> Side:
    """What others are compared with: Unicast, else the first with a server, else the first."""
    plain = [side for side in sides if side.name == "unicast"]
    served = [side for side in sides if not side.serverless]
    return (plain or served or list(sides))[0]


def findings_between(sides: Sequence[Side]) -> list[Finding]:
    """What changed from the first run that has an approach to the others that have it too."""
    found, first = [], dict[str, Side]()
    for side in sides:
        base = first.setdefault(side.name, side)
        if base is not side:
            found.append(Finding(_between(side, base), colour=side.colour))
    return found


def _best(sides: Sequence[Side]) -> list[Finding]:
    """Who has the least of what matters most."""
    served = [side for side in sides if not side.serverless]
    steady = [side for side in sides if side.unsteady is None]
    wanted: tuple[tuple[str, str, Sequence[Side], Callable[[float], str]], ...] = (
        ("fewest bytes out of the server", "bytes_out", served, lambda value: f"{written(value)} per event"),
        ("fewest bytes in the overlay", "overlay_bytes", sides, lambda value: f"{written(value)} per event"),
        ("freshest lists", "stale", steady, lambda value: f"{written(value)} ms after an event"),
    )
    clauses = []
    for what, column, judged, show in wanted:
        values = [(side, value) for side in judged if (value := side.value(column)) is not None]
        least = min((value for _, value in values), default=0.0)
        best = [side for side, value in values if value == least]
        if len(values) > 1 and len(best) < len(values):
            clauses.append(f"{what}: {in_a_row([in_prose(side.name) for side in best])}, {show(least)}")
    if not clauses:
        return []
    return [Finding(f"{clauses[0][0].upper()}{sentence(clauses)[1:]}")]


def _alone(side: Side) -> str:
    """What is said of the only approach of a run."""
    out, overlay, stale = side.value("bytes_out"), side.value("overlay_bytes"), side.value("stale")
    clauses = [
        f"{in_prose(side.name)} sends {written(out or 0)} bytes per event out of the server and "
        f"{written(overlay or 0)} in the overlay"
    ]
    if stale is not None and side.unsteady is None:
        clauses.append(f"its lists have taken an event in {written(stale)} ms after it, {_wrong_alone(side)}")
    return sentence([*clauses, _received(side)])


def _wrong_alone(side: Side) -> str:
    wrong = side.value("wrong_share")
    return "in the mean" if wrong is None else f"in the mean, and are wrong {share(wrong)} of the time"


def _against(side: Side, reference: Side) -> str:
    """An approach against the reference: bytes, how long lists are wrong, what subscribers receive."""
    named = in_prose(reference.name)
    sends = [*_bytes_out(side, reference, named), *_overlay(side, reference, named)]
    if len(sends) > 1 and _ratio(side, reference, "bytes_out") is not None:
        ratio = _ratio(side, reference, "overlay_bytes")
        sends[1] = compared(ratio, BYTES).alone(" in the overlay") if ratio else sends[1]
    first = f"{in_prose(side.name)} {' and '.join(sends).removesuffix(',')}" if sends else ""
    rest = [_wrong(side, reference, named), _received(side)]
    return sentence([first, *rest]) if first or any(rest) else ""


def _bytes_out(side: Side, reference: Side, named: str) -> list[str]:
    """What an approach sends out of the server; nothing where neither sends any."""
    own, other = side.value("bytes_out") or 0.0, reference.value("bytes_out") or 0.0
    if side.serverless:
        return [] if reference.serverless else ["needs no server"]
    if not own and not other:
        return []
    if not own:
        return [f"sends no bytes out of the server, where {named} sends {written(other)} per event,"]
    if not other:
        why = "needs no server" if reference.serverless else "sends none"
        return [f"sends {written(own)} bytes per event out of the server, where {named} {why},"]
    ratio = _ratio(side, reference, "bytes_out")
    return [f"sends {compared(ratio, BYTES).against(named, ' out of the server')}"] if ratio else []


def _overlay(side: Side, reference: Side, named: str) -> list[str]:
    """What an approach sends in the overlay; nothing where one of both sends none, as on a single broker."""
    ratio = _ratio(side, reference, "overlay_bytes")
    return [f"sends {compared(ratio, BYTES).against(named, ' in the overlay')}"] if ratio else []


def _wrong(side: Side, reference: Side, named: str) -> str:
    """How long lists are wrong; nothing without a clock."""
    own, other = side.value("wrong_share"), reference.value("wrong_share")
    if own is None or other is None:
        return ""
    if side.unsteady or reference.unsteady:  # which has a sentence of its own
        return "" if side.unsteady else f"its lists are wrong {share(own)} of the time"
    if not own or not other:
        told = "never" if not own else f"{share(own)} of the time"
        others = "never" if not other else f"{share(other)} of the time"
        return f"its lists are {told} wrong, those of {named} {others}" if own or other else "no list is ever wrong"
    ratio = _ratio(side, reference, "wrong_share")
    return "" if ratio is None else f"its lists are wrong {_lasting(ratio)}"


def _lasting(ratio: Ratio) -> str:
    told = compared(ratio, TIME)
    return f"{'for ' if told.joint == 'than' else ''}{told.alone()}"


def _received(side: Side) -> str:
    """What subscribers are told beyond need; nothing where that is nothing, or not known."""
    redundancy = side.value("redundancy")
    if redundancy is None or abs(redundancy) < _EXACT:
        return ""
    if redundancy < 0:
        return f"its subscribers receive {share(-redundancy)} fewer notifications of updates than there are changes"
    if redundancy < 1:
        return f"its subscribers receive {share(redundancy)} more notifications of updates than they need"
    return f"its subscribers receive {written(1 + redundancy, 2)} times the notifications of updates that they need"


def _between(side: Side, base: Side) -> str:
    """An approach in one run against the same in another."""
    clauses = list[str]()
    wanted: tuple[tuple[str, str, Words], ...] = (
        ("bytes_out", " out of the server", BYTES),
        ("overlay_bytes", " in the overlay", BYTES),
    )
    for column, of, words in wanted:
        ratio = _ratio(side, base, column)
        if ratio is not None:
            told = compared(ratio, words)
            clauses.append(told.alone(of) if clauses else told.against(f"in {base.run.name}", of))
    first = f"{in_prose(side.name)} in {side.run.name} sends {' and '.join(clauses)}" if clauses else ""
    rest = _wrong(side, base, base.run.name)
    return sentence([first, rest]) if first or rest else ""


def _ratio(side: Side, other: Side, column: str) -> Ratio | None:
    """A mean of one side over that of another; events of one run are the same for both."""
    means = [batch_mean(one.events, column, one.run.warm_up) for one in (side, other)]
    return ratio_of(*means, paired=side.run is other.run)


def _verified(sides: Sequence[Side]) -> list[Finding]:
    """Whose lists were right, wrong, or not looked at."""
    verdicts = [(side, known(side.run.manifest, "verified", side.name)) for side in sides]
    right = [in_prose(side.name) for side, verdict in verdicts if verdict == "right"]
    unknown = [in_prose(side.name) for side, verdict in verdicts if verdict is None]
    found = [
        Finding(f"{in_prose(side.name)} is WRONG: {verdict}", "bad", side.colour)
        for side, verdict in verdicts
        if verdict is not None and verdict != "right"
    ]
    extent = str(known(sides[0].run.manifest, "scenario", "verify"))
    if right:
        whose = "every approach" if len(right) == len(sides) > 1 else in_a_row(right)
        lists = "All lists" if extent == "all" else f"The lists looked at (verify = {extent})"
        timed = known(sides[0].run.manifest, "scenario", "engine") == "des"
        when = "whenever nothing was under way to them" if timed else "after every event"
        found.append(Finding(f"{lists} of {whose} were right {when}: compared with brute force.", "good"))
    if unknown:
        whose = "Nothing" if len(unknown) == len(sides) else in_a_row(unknown)
        verb = "was" if len(unknown) in (1, len(sides)) else "were"
        how = 'set verify = "all" in the scenario'
        found.append(Finding(f"{whose} {verb} {'' if whose == 'Nothing' else 'not '}verified; {how}.", "caution"))
    return found


def _unsteady(sides: Sequence[Side]) -> list[Finding]:
    return [
        Finding(
            f"{in_prose(side.name)} is {side.unsteady}. Its times are therefore not compared.", "caution", side.colour
        )
        for side in sides
        if side.unsteady
    ]


def _faults(sides: Sequence[Side]) -> list[Finding]:
    """How lists fared while something was down, and what was sent again."""
    clauses, again = list[str](), list[str]()
    for side in sides:
        spans = fault_spans(side.faults, float("inf"))
        kept = side.series.filter(pc.field("wrong_lists").is_valid())
        during = within(spans, kept["time"].to_numpy(), kept["seconds"].to_numpy())
        wrong = kept["wrong_lists"].to_numpy()
        if during.any() and not during.all():
            means = [share(float(np.mean(wrong[chosen]))) for chosen in (during, ~during)]
            clauses.append(f"{means[0]} against {means[1]} with {in_prose(side.name)}")
        resent, sent = side.value("resent_bytes"), side.value("overlay_bytes")
        if resent and sent:
            again.append(f"{share(resent / sent)} with {in_prose(side.name)}")
    found = []
    if clauses:
        found.append(
            Finding(
                "Share of lists that are wrong while the server or a broker is down or cut off, and at other times: "
                f"{in_a_row(clauses)}."
            )
        )
    if again:
        found.append(Finding(f"Of the bytes in the overlay, sent again after losses and crashes: {in_a_row(again)}."))
    return found
