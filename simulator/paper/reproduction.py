"""`docs/reproduction.md`: every number and figure of the paper beside ours, from sweeps that have really been run."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from simulator.paper.exhibits import NAMES, VIEWS, Exhibit, Scale, grid_path, load_exhibit
from simulator.paper.figures import draw_exhibit
from simulator.paper.make import measured_in
from simulator.paper.verdicts import DIFFERS, HOLDS, NEEDS_PAPER, NOT_RUN, Measured, Verdict, judge
from simulator.views.labels import short

__all__ = ["write_reproduction"]

_SCALES: tuple[Scale, ...] = ("small", "paper")

_HEAD = """\
# The paper, reproduced

Written by `rangecast paper NAME --reproduction docs/reproduction.md` from sweeps that were run; do not edit. What the
paper claims, and by which tolerance we judge it, stands in `scenarios/paper/*.toml` and was fixed before the sweeps.
`holds` and `differs` are the outcome of that rule alone: the 95% confidence interval, over seeds, is shown beside it
and does not soften it.

    rangecast paper all                  # small sizes: trends only
    rangecast paper all --scale paper    # the paper's sizes
    rangecast paper table3 --scale paper # one table or figure

Outcomes go to `paper/NAME-SCALE/` (`--out` names another directory than `paper`): `verdicts.csv` has every claim with
its rule and outcome, `NAME.csv` the table or the points of the curves, `NAME.png` and `NAME.svg` the figure, and
`results.csv` what was measured (of several sweeps, `results-SWEEP.csv`). The sweeps themselves are in
`paper/sweeps-SCALE/`; what is finished there is not run again.

A claim that is not about the paper's sizes is judged at both scales. One that is, such as a printed number or an
order of magnitude, is judged at the paper's only. Figures are drawn at the paper's sizes, with the same intervals.
All of it takes 19 minutes on two cores at the paper's sizes (31 of processor time) and a minute and a half at small
ones.

What the rules say:

* **±20%**, **±0.03**: ours is no further from the printed number than that.
* **1 to 1.4**, **at least 10**, **at most 2**: every value that the claim is about lies there; `ours` gives the
  lowest and the highest. Where a claim compares two approaches, the value is the quotient of the two.
* Claims that compare the redundancy of approaches do so by messages received, and those over an exact approach's are
  1 + redundancy: less than 0.4 is **1 to 1.4**. Printed redundancies, and CN-Relax's **10 to 1000**, are plain ones.
* **each over the next at least 1**: approaches in the order of the claim; of two neighbours the first is not below
  the second. **Each over the one before** is the same of points, in the order of the key that grows.
* **power 0.9 to 1.1**: growth from the first to the last point as a power of the key; 1 is proportional, 0 is none.

The paper's real data was not published. [Stocks](stocks.md) has a synthetic trace of its shape and a real one of
another year beside the uniform workload.
"""


def write_reproduction(out: Path, path: Path, directory: Path = VIEWS) -> None:
    """Write what the sweeps below `out` say about every table and figure, at both scales.

    Points that have not been run, or not with all seeds, are told as such. Figures go to a directory beside `path`.
    """
    lines = [_HEAD]
    views = [load_exhibit(name, directory) for name in NAMES]
    found = {(view.name, scale): _judged(out, view, scale, directory) for view in views for scale in _SCALES}
    lines += ["## How many claims hold", "", "| | scale | holds | differs | not run |", "|---|---|---|---|---|"]
    for (name, scale), (_, verdicts) in found.items():
        counts = Counter(one.verdict for one in verdicts if one.verdict != NEEDS_PAPER)
        lines.append(f"| {name} | {scale} | {counts[HOLDS]} | {counts[DIFFERS]} | {counts[NOT_RUN]} |")
    lines.append("")
    for view in views:
        lines += _section(view, *found[view.name, "paper"], found[view.name, "small"][1], directory)
        measured = found[view.name, "paper"][0]
        if view.panels and all(one.replications for one in measured.values()):
            figure = path.with_suffix("") / f"{view.name}.png"
            figure.parent.mkdir(exist_ok=True)
            draw_exhibit(view, measured, "paper", [figure])
            lines += [f"![{view.title}]({path.stem}/{figure.name})", ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def _judged(out: Path, view: Exhibit, scale: Scale, directory: Path) -> tuple[dict[str, Measured], list[Verdict]]:
    measured = measured_in(out, view, scale, directory)
    return measured, judge(view, measured, scale)


def _section(
    view: Exhibit,
    measured: dict[str, Measured],
    verdicts: Sequence[Verdict],
    small: Sequence[Verdict],
    directory: Path,
) -> Iterator[str]:
    yield f"## {view.title}"
    yield ""
    for sweep, found in measured.items():
        yield _ran(sweep, found, grid_path(sweep, "paper", directory))
    yield view.account.strip()
    yield ""
    printed = [one for one in verdicts if one.paper is not None]
    if printed:
        yield "| | at | paper | ours | ratio | tolerance | verdict |"
        yield "|---|---|---|---|---|---|---|"
        for one in printed:
            ratio = "" if one.ratio is None else f"{one.ratio:.2f}"
            yield (
                f"| {one.claim} | {one.place} | {short(one.paper)} | {one.outcome} | {ratio} "
                f"| {one.rule} | {_word(one)} |"
            )
        yield ""
    judged = {one.claim: one for one in small}
    claims = [one for one in verdicts if one.paper is None]
    if claims:
        yield "| claim | rule | ours | verdict | at small scale |"
        yield "|---|---|---|---|---|"
        for one in claims:
            yield f"| {one.claim} | {one.rule} | {one.outcome} | {_word(one)} | {_word(judged[one.claim])} |"
        yield ""


def _ran(sweep: str, found: Measured, path: Path) -> str:
    done, points = len(found.replications), len(found.grid.points)
    scenario = found.grid.points[0].scenario
    how = f"{len(found.grid.seeds)} seeds of {scenario.events.extent} each"
    if done == 0:
        return f"**Not run at the paper's sizes**: the sweep `{sweep}` ({path.name}, {how}).\n"
    part = "" if done == points else f", of which **{done} have been run**"
    return f"Sweep `{sweep}`: {points} points{part}, {how}.\n"


def _word(one: Verdict) -> str:
    return f"**{one.verdict}**" if one.verdict == DIFFERS else one.verdict
