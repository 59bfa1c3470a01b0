"""Place indexes: what seed 001 measures in its Figures 5 to 11, and bytes per subscription.

Run it with `python -m benchmarks.places [n]`, n subscriptions instead of the paper's 2M (200,000 if not given); rows
go to standard output and to benchmarks/results/places.csv. Every figure is measured for attributes chosen evenly and
by Zipf; the last column tells how many times longer than the R^I-tree an index takes.
"""

import sys
from typing import Any

from benchmarks.record import best_of, write_rows
from matching.registry import PLACE_INDEXES
from simulator.workload.placed_predicates import PlacedPredicates, make_placed, make_placed_events

SEED = 2015
EVENTS = 40
K = 5
DIAGONAL = 2**0.5
Rows = list[dict[str, object]]

ALPHAS = {"N(.1,.05)": (0.1, 0.05), "N(.5,.05)": (0.5, 0.05), "N(.9,.05)": (0.9, 0.05), "U(0,1)": None}


def measure(rows: Rows, figure: str, at: object, spec: PlacedPredicates, k: int = K) -> None:
    """Microseconds per event of each index."""
    population, (events, places) = make_placed(spec, SEED), make_placed_events(spec, EVENTS, SEED)
    choice = "Zipf" if spec.skew else "even"
    best, answers = 0.0, None
    for name in ("ri-tree", "rt-tree", "threshold-places", "place-scan"):
        kind: Any = PLACE_INDEXES[name].kind
        index = kind(*population, max_distance=DIAGONAL)
        ids = index.tops(events, places, k)[1].tolist()
        if answers is not None and ids != answers:
            raise SystemExit(f"{name} disagrees with the R^I-tree")
        answers = ids
        made = index.evaluations / EVENTS
        took = best_of(3, lambda: index.tops(events, places, k)) / EVENTS * 1e6  # noqa: B023
        best = best or took
        rows.append(
            {
                "figure": figure,
                "at": at,
                "choice": choice,
                "index": name,
                "us": round(took, 1),
                "bytes": round(index.nbytes / spec.subscriptions, 1),
                "evaluations": round(made, 1),
                "times": round(took / best, 2),
            }
        )
        figures = f"{took:12.1f} us {took / best:8.2f} x {made:12.0f} tests"
        print(f"{figure:<6} {at!s:>10} {choice} {name:<17} {figures}", flush=True)


PAPER = {"fig5": (4.8, 4.3), "fig6": (3.7, 4.4), "fig7": (4.8, 4.2), "fig8": (4.3, 4.6), "fig9": (4, 4.4)}
PAPER["fig10"], PAPER["fig11"] = (3, 4), (21, 133)


def claims(rows: Rows) -> None:
    """Print how many times faster than the next best the R^I-tree is in each figure, beside what the seed claims."""
    for figure, paper in PAPER.items():
        for choice, claimed in zip(("even", "Zipf"), paper, strict=True):
            here = [row for row in rows if (row["figure"], row["choice"]) == (figure, choice)]
            last = {"fig10": 9, "fig11": "N(.5,.05)"}.get(figure)
            places = [last] if last is not None else list(dict.fromkeys(row["at"] for row in here))
            next_best = [
                min(float(str(row["times"])) for row in here if row["at"] == at and row["index"] != "ri-tree")
                for at in places
            ]
            mean = sum(next_best) / len(next_best)
            found = f"{mean:.2f} x the next best (paper {claimed}), lowest {min(next_best):.2f}"
            print(f"{figure:<6} {choice} R^I-tree {found}")


def main(arguments: list[str]) -> None:
    n = int(arguments[0]) if arguments else 200_000
    rows: Rows = []
    for skew in (0.0, 1.0):
        base = PlacedPredicates(n, skew=skew)
        for part in (0.5, 1.0, 1.5, 2.0, 2.5):
            measure(rows, "fig5", int(n * part), base._replace(subscriptions=int(n * part)))
        for d in (50, 100, 400, 600, 800):
            measure(rows, "fig6", d, base._replace(attributes=d))
        for values in (10, 50, 100, 250, 500):
            measure(rows, "fig7", values, base._replace(values=values))
        for length in (2, 3, 4, 5, 6):
            measure(rows, "fig8", length, base._replace(subscription_length=length))
        for length in (6, 8, 10, 12, 14):
            measure(rows, "fig9", length, base._replace(event_length=length))
        for k in (1, 3, 5, 7, 9):
            measure(rows, "fig10", k, base, k)
        for name, alpha in ALPHAS.items():
            measure(rows, "fig11", name, base._replace(alpha=alpha))
    write_rows("places", rows, SEED)
    claims(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
