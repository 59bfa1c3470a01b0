"""`docs/reproduction.md`: every number and figure of the paper beside ours, from sweeps that have really been run."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from floor.files import write_whole
from simulator.paper.exhibits import BEYOND, EXTRAS, NAMES, VIEWS, Exhibit, Scale, load_exhibit
from simulator.paper.figures import draw_exhibit
from simulator.paper.make import measured_in
from simulator.paper.trials import Trial
from simulator.paper.verdicts import DIFFERS, HOLDS, NEEDS_PAPER, NOT_RUN, Measured, Verdict, judge
from simulator.views.labels import short

__all__ = ["Text", "judged", "write_page", "write_reproduction"]

_SCALES: tuple[Scale, ...] = ("small", "paper")

_HEAD = """\
# The paper, reproduced

{verdict}

Written by `rangecast paper all --scale SCALE --reproduction docs/reproduction.md` from sweeps that were run; do not
edit. What the paper claims, and by which rule we judge it, stands in `scenarios/paper/*.toml` and was fixed before
the sweeps. [Errata](errata.md) lists what is wrong in the paper itself, [Stocks](stocks.md) what traces change.

## What differs

{differing}

## What is not reproduced

* **Figure 20**: a distributed database of objects.
* **Figure 26**: its axes have no numbers that we can read; relations of approaches are judged.
* **The stocks of Yahoo! Finance**: the trace was not published. A stand-in of its shape is judged in its place.
* **Largest event of Paint-Sparse (Figure 13)** and **Paint-Sparse as dense as Paint-Dense (Figure 15)**: what we
  tried is told there.
* **Absolute traffic in the broker network (Figures 14 and 17)**: the axes have no numbers that we can read;
  relations of approaches are judged.
* **Running times**: the paper has none. `python -m benchmarks.theorem5` measures how Paint-Sparse's grow with n and
  m, and judges Theorem 5 by it.

## How it is judged

    rangecast paper all                  # small sizes: trends only
    rangecast paper all --scale paper    # the paper's sizes
    rangecast paper table3 --scale paper # one table or figure

Outcomes go to `paper/NAME-SCALE/` (`--out` names another directory than `paper`): `verdicts.csv` has every claim
with its rule and outcome, `NAME.csv` the table or the points of the curves, `NAME.png` and `NAME.svg` the figure,
and `results.csv` what was measured (of several sweeps, `results-SWEEP.csv`). The sweeps themselves are in
`paper/sweeps-SCALE/`; what is finished there is not run again.
On two cores it took 27 to 35 minutes at the paper's sizes (47 to 66 of processor time: machines differ), and two at
small ones.

A claim that is not about the paper's sizes is judged at both scales. One that is, such as a printed number or an
order of magnitude, is judged at the paper's only. Figures are drawn at the paper's sizes. There are ten seeds where
only the server is asked, but three in sweeps over the number of subscriptions (Table IV, Figures 11, 13(a) and 15(a),
sketches), whose populations take the time, and three where messages go through a network of 1,000 brokers; 95%
confidence intervals are over seeds.

What the rules say:

* **±20%**, **±0.03**: ours is no further from the printed number than that. **Or interval**: or than half of the
  interval shown, where that is wider; elsewhere the interval does not soften a rule.
* **1 to 1.4**, **at least 10**, **at most 2**: every value that the claim is about lies there; `ours` gives the
  lowest and the highest. Where a claim compares two approaches, the value is the quotient of the two. Leading by an
  order of magnitude is *at least*, from half an order below on.
* Claims that compare the redundancy of approaches do so by messages received, and those over an exact approach's are
  1 + redundancy: less than 0.4 is **1 to 1.4**. Printed redundancies, and CN-Relax's **10 to 1000**, are plain ones.
* **each over the next at least 1**: approaches in the order of the claim; of two neighbours the first is not below
  the second. **Each over the one before** is the same of points, in the order of the key that grows.
* **power 0.9 to 1.1**: growth from the first to the last point as a power of the key; 1 is proportional, 0 is none.
* **derived**: follows from other numbers of the paper, so it is shown and not counted.

## How many claims hold
"""

_VERDICT = """\
**{holds} of the {judged} numbers and claims that are judged at the paper's sizes hold, {differ} {differs}.** The
system does what the paper says: who is told, how often, at what cost to the server, and in which order the
approaches rank. Reading its numbers took finding out three things that it does not say: its averages are over
50,000 events, its approximate versions cut the k levels of a region into 1/ε equal groups, and Paint-Sparse's
calls are counted per tile of Paint-Dense. Algorithms 5 and 11 and Paint-Batch are wrong as printed and are put
right ([errata](errata.md)). What still differs is listed below with its cause."""


def write_reproduction(out: Path, path: Path, directory: Path = VIEWS) -> None:
    """Write what the sweeps below `out` say about every table and figure, at both scales; see `write_page`."""
    write_page(out, path, directory, (*NAMES, *BEYOND, *EXTRAS), Text(_HEAD, _VERDICT, EXTRAS))


class Text(NamedTuple):
    """What stands on a page of its own accord."""

    head: str
    """With {verdict} and {differing}."""
    verdict: str
    """With {holds}, {judged}, {differ} and {differs}."""
    uncounted: Collection[str] = ()
    """Exhibits whose claims are not counted in the verdict."""


def write_page(out: Path, path: Path, directory: Path | None, names: Sequence[str], text: Text) -> None:
    """Write what was measured below `out` about tables and figures, at both scales.

    Points that have not been run, or not with all seeds, are told as such. Figures go to a directory beside `path`.
    """
    views = [load_exhibit(name, directory) for name in names]
    found = {(view.name, scale): judged(out, view, scale, directory) for view in views for scale in _SCALES}
    outcomes = [one for view in views for one in found[view.name, "paper"][1]]
    verdict = _verdict(text.verdict, [one for one in outcomes if one.name not in text.uncounted])
    lines = [text.head.format(verdict=verdict, differing="\n".join(_differing(outcomes)))]
    lines += ["| | scale | holds | differs | not run |", "|---|---|---|---|---|"]
    for (name, scale), (_, verdicts) in found.items():
        counts = Counter(one.verdict for one in verdicts if one.verdict != NEEDS_PAPER)
        lines.append(f"| {name} | {scale} | {counts[HOLDS]} | {counts[DIFFERS]} | {counts[NOT_RUN]} |")
    lines.append("")
    for view in views:
        measured, verdicts = found[view.name, "paper"]
        lines += _section(view, measured, verdicts, found[view.name, "small"][1])
        if view.panels and all(one.replications for one in measured.values()):
            figure = path.with_suffix("") / f"{view.name}.png"
            draw_exhibit(view, measured, "paper", [figure])
            lines += [f"![{view.title}]({path.stem}/{figure.name})", ""]
    write_whole(path, "\n".join(lines))


def _verdict(text: str, outcomes: Sequence[Verdict]) -> str:
    counts = Counter(one.verdict for one in outcomes)
    left = f" {counts[NOT_RUN]} have not been run." if counts[NOT_RUN] else ""
    holds, differ = counts[HOLDS], counts[DIFFERS]
    differs = "differs" if differ == 1 else "differ"
    return text.format(holds=holds, judged=holds + differ, differ=differ, differs=differs) + left


def _differing(outcomes: Sequence[Verdict]) -> Iterator[str]:
    """Lines of a table of all that differs, with its cause."""
    found = [one for one in outcomes if one.verdict == DIFFERS]
    if not found:
        yield "Nothing that has been run."
        return
    yield "| | claim | paper | ours | rule | whose, and why |"
    yield "|---|---|---|---|---|---|"
    for one in found:
        claim = f"{one.claim}, {one.place}" if one.place else one.claim
        yield f"| {one.name} | {claim} | {short(one.paper)} | {one.outcome} | {one.rule} | {one.cause} |"


def judged(
    out: Path, view: Exhibit, scale: Scale, directory: Path | None = None
) -> tuple[dict[str, Measured], list[Verdict]]:
    """What is finished of a table or figure at a scale, and the verdicts on it."""
    measured = measured_in(out, view, scale, directory)
    return measured, judge(view, measured, scale)


def _section(
    view: Exhibit,
    measured: dict[str, Measured],
    verdicts: Sequence[Verdict],
    small: Sequence[Verdict],
) -> Iterator[str]:
    """Lines on one table or figure: what was run, what must be known, and every claim beside ours."""
    yield f"## {view.title}"
    yield ""
    for sweep, found in measured.items():
        yield _ran(sweep, found)
    yield view.account.strip()
    yield ""
    printed = [one for one in verdicts if one.paper is not None]
    if printed:
        yield from _numbers(printed, max(([one.title for one in row.beside] for row in view.numbers), key=len))
    at_small = {one.claim: one for one in small}
    claims = [one for one in verdicts if one.paper is None]
    if claims:
        yield "| claim | rule | ours | verdict | at small scale |"
        yield "|---|---|---|---|---|"
        for one in claims:
            yield f"| {one.claim} | {one.rule} | {one.outcome} | {_word(one)} | {_word(at_small[one.claim])} |"
        yield ""


def _numbers(printed: Sequence[Verdict], beside: Sequence[str]) -> Iterator[str]:
    """A table of printed numbers, with a column for each value that is shown beside them."""
    yield "| | at | paper | ours | ratio | tolerance | verdict |" + "".join(f" {title} |" for title in beside)
    yield "|---|---|---|---|---|---|---|" + "---|" * len(beside)
    for one in printed:
        ratio = "" if one.ratio is None else f"{one.ratio:.2f}"
        other = "".join(f" {short(value)} |" for value in (*one.beside, *[None] * (len(beside) - len(one.beside))))
        yield (
            f"| {one.claim} | {one.place} | {short(one.paper)} | {one.outcome} | {ratio} "
            f"| {one.rule} | {_word(one)} |{other}"
        )
    yield ""


def _ran(sweep: str, found: Measured) -> str:
    done, points = len(found.replications), len(found.grid.points)
    seeds = len(found.grid.seeds)
    how = f"{seeds} seeds of {found.grid.extent} each" if seeds > 1 else f"one seed of {found.grid.extent}"
    kind = "Trial" if isinstance(found.grid, Trial) else "Sweep"
    if done == 0:
        return f"**Not run at the paper's sizes**: the {kind.lower()} `{sweep}` ({how}).\n"
    part = "" if done == points else f", of which **{done} have been run**"
    return f"{kind} `{sweep}`: {points} points{part}, {how}.\n"


def _word(one: Verdict) -> str:
    return f"**{one.verdict}**" if one.verdict == DIFFERS else one.verdict
