"""Ranked range indexes: what seed 000 measures, and the k best against finding all and sorting.

Run it with `python -m benchmarks.ranked [n]`; rows go to standard output and to benchmarks/results/ranked.csv.
Targets at 1M ranges: a SOPT-R-tree built in 5 s and 24 bytes per range; its top-20 at 2,000 hits 10 x as fast as the
fastest stab followed by a partial sort, and at most twice as slow as at 20 hits.

The figures of the seed are those of its Section 4: table 2 (bytes), 6 (time against getnext calls), 7 and 8
(dimensions), 9 (skew of lengths). With several dimensions a tenth of the ranges is taken, `fig7` to `fig9`.
"""

import sys
from time import process_time
from typing import Any

import numpy as np

from benchmarks.record import best_of, write_rows
from matching.intervals import Windows
from matching.ranked import (
    EndSortedIntervalTree,
    IRTree,
    RelaxedMatching,
    ScoredIntervalTree,
    ScoredRTree,
    ScoredSegmentTree,
    SOPTRTree,
)
from simulator.workload.zipf_boxes import ZipfBoxes, make_zipf_boxes

SEED = 2008
K = 20
KINDS: dict[str, Any] = {
    "interval": ScoredIntervalTree,
    "R": ScoredRTree,
    "segment": ScoredSegmentTree,
    "IR": IRTree,
    "SOPT-R": SOPTRTree,
}
PAPER_MB = {"interval": (0.92, 1.7, 4.2, 8.3), "R": (1.2, 2.4, 6, 12), "segment": (40, 89, 214, 429)}
PAPER_MB["IR"] = (1.76, 3.43, 8.35, 16.5)
Rows = list[dict[str, object]]


def note(rows: Rows, figure: str, at: object, index: str, value: float, unit: str) -> None:
    rows.append({"figure": figure, "at": at, "index": index, "value": round(value, 3), "unit": unit})
    print(f"{figure:<8} {at!s:>10}  {index:<28} {value:12.3f} {unit}", flush=True)


def table_two(rows: Rows, n: int) -> None:
    """Bytes of the indexes against the number of ranges."""
    for place, share in enumerate((0.1, 0.2, 0.5, 1.0)):
        size = int(n * share)
        l, r, score, _ = make_zipf_boxes(ZipfBoxes(size), 1, SEED)
        for name, paper in PAPER_MB.items():
            index = KINDS[name](l[:, 0], r[:, 0], score[:, 0])
            note(rows, "table2", size, name, index.nbytes / 1e6, f"MB (paper, 1M = {paper[3]}: {paper[place]})")


def figure_six(rows: Rows, n: int) -> None:
    """Time of a walk against the number of ranges that it is asked for."""
    l, r, score, points = make_zipf_boxes(ZipfBoxes(n), 300, SEED)
    for name, kind in {**KINDS, "end-sorted interval": EndSortedIntervalTree}.items():
        index = kind(l[:, 0], r[:, 0], score[:, 0])
        for calls in (1, 10, 100, 1000, 10_000, 100_000):
            some = points[: max(10, min(300, 300_000 // calls)), 0].tolist()
            seconds = best_of(2, lambda: [index.ranked(x).take(calls) for x in some])  # noqa: B023
            note(rows, "fig6", calls, name, seconds / len(some) * 1e6, "us per walk")


def relaxed(rows: Rows, figure: str, at: object, spec: ZipfBoxes) -> None:
    """Time of the k best by the Threshold Algorithm over each kind of index."""
    l, r, weight, points = make_zipf_boxes(spec, 60, SEED)
    for name, kind in KINDS.items():
        matching = RelaxedMatching(l, r, weight, kind)
        matching.tops(points[:10], K)
        seconds = best_of(2, lambda: matching.tops(points[10:], K))  # noqa: B023
        note(rows, figure, at, name, seconds / 50 * 1e6, "us per event")
        if figure == "fig7":
            note(rows, "bytes", at, name, matching.nbytes / spec.subscriptions, "bytes per subscription")


def top_against_sort(rows: Rows, n: int) -> None:
    """The k best against a stab and a partial sort, one call from Python each."""
    rng = np.random.default_rng(SEED)
    points = rng.random(2000).tolist()
    took = {}
    for hits in (20, 2000):
        l = rng.random(n)
        r, score = l + rng.exponential(hits / n, n), rng.random(n)
        start = process_time()
        index = SOPTRTree(l, r, score)
        note(rows, "sopt", hits, "built", process_time() - start, "s (target 5)")
        note(rows, "sopt", hits, "space", index.nbytes / n, "bytes per range (target 24)")
        windows = Windows(l, r)

        def sort(x: float) -> Any:
            ids = windows.stab(x)  # noqa: B023
            held = score[ids]  # noqa: B023
            return ids[np.argpartition(-held, K)[:K] if ids.size > K else slice(None)]

        for name, ask in (("top-20", lambda x: index.top(x, K)), ("windows and partial sort", sort)):  # noqa: B023
            took[name, hits] = best_of(3, lambda: [ask(x) for x in points]) / len(points) * 1e6  # noqa: B023
            note(rows, "sopt", hits, name, took[name, hits], "us")
    ratio = took["windows and partial sort", 2000] / took["top-20", 2000]
    note(rows, "sopt", 2000, "sort / top-20", ratio, "x (target 10)")
    note(rows, "sopt", 2000, "top-20 against 20 hits", took["top-20", 2000] / took["top-20", 20], "x (target 2)")


def claims(rows: Rows) -> None:
    """Print each ordering that the seed claims, whether it holds, and what was measured."""
    value = {(row["figure"], row["at"], row["index"]): float(str(row["value"])) for row in rows}

    def curve(figure: str, index: str) -> list[float]:
        return [found for (f, _, name), found in value.items() if (f, name) == (figure, index)]

    def say(figure: str, claim: str, holds: bool, measured: object) -> None:
        print(f"{figure:<8} {'holds' if holds else 'does not hold':<14} {claim}: {measured}")

    small, r, ir, segment = (np.array(curve("table2", name)) for name in ("interval", "R", "IR", "segment"))
    say(
        "table2",
        "segment 10 x all others",
        bool((segment > 10 * np.maximum(small, ir)).all()),
        (segment / ir).round(1),
    )
    say("table2", "IR at most 2 x interval", bool((ir <= 2 * small).all()), (ir / small).round(2))
    say("table2", "interval below R below IR", bool(((small < r) & (r < ir)).all()), (small / r).round(2))
    six = {name: np.array(curve("fig6", name)) for name in KINDS}
    others = np.min([six[name] for name in KINDS if name != "SOPT-R"], axis=0)
    say("fig6", "SOPT-R always first", bool((six["SOPT-R"] <= others).all()), (others / six["SOPT-R"]).round(2))
    slowest = np.max([six[name] for name in KINDS if name != "interval"], axis=0)
    say("fig6", "interval slowest", bool((six["interval"] >= slowest).all()), (six["interval"] / slowest).round(2))
    near = six["segment"] / six["IR"]
    say("fig6", "segment within 1.5 x of IR", bool((np.maximum(near, 1 / near) <= 1.5).all()), near.round(2))
    seven = {name: np.array(curve("fig7", name)) for name in KINDS}
    spread = np.max(list(seven.values()), axis=0) / np.min(list(seven.values()), axis=0)
    say("fig7", "all converge with d", bool(spread[-1] < spread[0] / 2), spread.round(2))
    first = seven["SOPT-R"] / np.min([seven[name] for name in KINDS], axis=0)
    say("fig8", "SOPT-R first for d = 1 to 4", bool((first[:4] == 1).all()), first.round(2))
    falling = {name: curve("fig9", name)[-1] / curve("fig9", name)[0] for name in KINDS}
    right = all((ratio < 1) == (name != "R") for name, ratio in falling.items())
    say(
        "fig9", "skew of lengths: all but R faster", right, {name: round(ratio, 2) for name, ratio in falling.items()}
    )


def main(names: list[str]) -> None:
    n = int(names[0]) if names else 1_000_000
    rows: Rows = []
    top_against_sort(rows, n)
    table_two(rows, n)
    figure_six(rows, n)
    for d in (1, 2, 3, 4, 6, 8):
        relaxed(rows, "fig7", d, ZipfBoxes(n // 10, d))
    for skew in (0.0, 0.5, 0.75, 1.0, 1.5, 2.0):
        relaxed(rows, "fig9", skew, ZipfBoxes(n // 10, 4, skew))
    write_rows("ranked", rows, SEED)
    claims(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
