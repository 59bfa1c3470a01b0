"""Event indexes on the population of seed 004's Table 1: time per event against a compiled scan, bytes, builds.

Run it with `python -m benchmarks.conjunctions [subscriptions ...]`; rows go to standard output and to
benchmarks/results/conjunctions.csv. 16 attributes, 8 values each, which an event matches 0.013% of; with 40 values,
0.0009%; and for the first size without equalities, over 1,000 values. Targets at 1,200,000 subscriptions: the UB-tree
with coordinates and grid tables 8 times as fast as the scan, the fastest index 25 times; 10 times at 100,000; at most
200 bytes per subscription for both.
"""

import sys

from benchmarks.record import write_rows
from matching.registry import EVENT_INDEXES
from simulator.runs.conjunction_measures import EventCost, event_costs
from simulator.workload.conjunctions import Conjunctive, make_conjunctions, make_point_events

SIZES = (100_000, 1_200_000)
VALUES = (8, 40)
EVENTS = 200
SEED = 2004
OPTIMISED = "ub-tree-coordinates-grids"
MOST_BYTES = 200


def line(cost: EventCost) -> str:
    work = f"  {cost.leaves:6.0f} leaves, {cost.points:9.0f} points, {cost.tested:7.0f} tested" if cost.leaves else ""
    return (
        f"{cost.name:<27} {cost.build_s:7.2f} s {cost.batch_us:10.1f} us {cost.single_us:10.1f} us "
        f"{cost.over_scan:7.1f} x {cost.bytes:7.1f} bytes {cost.evaluations:11.0f} evaluations{work}"
    )


def measure(spec: Conjunctive) -> list[EventCost]:
    seed = SEED + spec.values
    costs = event_costs(make_conjunctions(spec, seed), make_point_events(spec, EVENTS, seed + 1), list(EVENT_INDEXES))
    print(
        f"\n{spec.subscriptions:,} subscriptions, {spec.values} values, {spec.equality:.0%} equalities, "
        f"{costs[0].hits / spec.subscriptions:.4%} matched"
    )
    for cost in costs:
        print(line(cost), flush=True)
    return costs


def verdicts(subscriptions: int, costs: list[EventCost]) -> list[str]:
    """What the targets say of one population."""
    optimised = next(cost for cost in costs if cost.name == OPTIMISED)
    fastest = min(costs, key=lambda cost: cost.batch_us)
    wanted = 25 if subscriptions >= 1_000_000 else 10
    bounds = [(fastest, wanted)] + ([(optimised, 8)] if subscriptions >= 1_000_000 else [])
    told = []
    for cost, least in bounds:
        word = "reached" if cost.over_scan >= least and cost.bytes <= MOST_BYTES else "MISSED"
        told.append(
            f"{word}: {cost.name} {cost.over_scan:.1f} times the scan (at least {least}), "
            f"{cost.bytes:.0f} bytes per subscription (at most {MOST_BYTES})"
        )
    return told


def main(sizes: tuple[int, ...] = SIZES) -> int:
    rows, told = [], []
    event_costs(
        make_conjunctions(Conjunctive(1000), SEED), make_point_events(Conjunctive(), 5, SEED), list(EVENT_INDEXES)
    )
    specs = [Conjunctive(size, values=values) for size in sizes for values in VALUES]
    for spec in (*specs, Conjunctive(sizes[0], equality=0.0, values=1000)):
        costs = measure(spec)
        facts = {"subscriptions": spec.subscriptions, "values": spec.values, "equality": spec.equality}
        rows += [{**facts, **cost._asdict()} for cost in costs]
        if spec.values == VALUES[0]:
            told += [f"{spec.subscriptions:,}: {one}" for one in verdicts(spec.subscriptions, costs)]
    print("\n" + "\n".join(told))
    write_rows("conjunctions", rows, SEED)
    return any("MISSED" in one for one in told)


if __name__ == "__main__":
    sys.exit(main(tuple(int(size) for size in sys.argv[1:]) or SIZES))
