"""Theorem 5: how the time of Paint-Sparse grows with objects n and subscriptions m.

Run it with `python -m benchmarks.theorem5`; rows go to standard output, benchmarks/results/theorem5.csv and
theorem5_growth.csv. The theorem has O(t(n) + k log m) for an event that raises the rank and O(v (t(n) + k log m)) for
one that lowers it, where v exposed objects are interesting: somebody must be told of them. t(n) is log n with the
tournament index. How many are interesting depends on n and m itself, so what is judged is the time per object told
of: that of all events over the updated object of each and all interesting ones.

**The rule.** If the theorem holds, that time grows no faster than t(n) + k log m, whose own powers of n and m are
printed, at most 0.1 over these sizes. The power from the first size to the last may be 0.25: memory that no longer
fits the caches is the rest. The power of every step is beside it.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

import paint
from benchmarks.record import best_of, uniform_workload, write_rows
from matching import SubscriptionIndex

EVENTS = 4_000
SEED = 2025
K = 20
BY_N = tuple((n, 1_000_000) for n in (1_000, 10_000, 100_000, 1_000_000))
BY_M = tuple((10_000, m) for m in (10_000, 100_000, 1_000_000, 10_000_000))
MOST = 0.25


class Measured(NamedTuple):
    """Microseconds per event, and per object that it tells of; `interesting`: exposed ones told of, per event."""

    n: int
    m: int
    us_per_event: float
    min_y: float
    interesting: float
    us_per_object: float


def interesting_of(sent: paint.Messages) -> int:
    """Exposed objects that somebody is told of; messages about one follow each other."""
    event = np.repeat(np.arange(len(sent.offsets) - 1), np.diff(sent.offsets))
    told = sent.table["cause"] == paint.EXPOSED
    return len(np.unique(np.column_stack((event, sent.table["object"]))[told], axis=0))


def measure(n: int, m: int) -> Measured:
    """Time the same events on fresh servers."""
    x, y, stream = uniform_workload(n, EVENTS, SEED)
    ends = np.sort(np.random.default_rng(SEED).random((m, 2)), axis=1)
    index = SubscriptionIndex(ends[:, 0], ends[:, 1])
    servers = [paint.Server(x, y, k=K, algorithm="sparse", subscriptions=index) for _ in range(4)]
    interesting = interesting_of(servers.pop().replay(stream.object, stream.y))
    waiting = iter(servers)
    seconds = best_of(len(servers), lambda: next(waiting).replay(stream.object, stream.y))
    row = Measured(
        n,
        m,
        1e6 * seconds / EVENTS,
        servers[0].paper_costs["min_y"] / EVENTS,
        interesting / EVENTS,
        1e6 * seconds / (EVENTS + interesting),
    )
    print("  ".join(f"{name} {value:,.6g}" for name, value in row._asdict().items()), flush=True)
    return row


def verdict(key: str, rows: list[Measured]) -> dict[str, object]:
    """The power of a key by which the time per object grows, from end to end and from size to size."""
    sizes, times = [getattr(row, key) for row in rows], [row.us_per_object for row in rows]
    terms = [math.log2(row.n) + K * math.log2(row.m) for row in rows]

    def power(values: list[float], at: int, to: int) -> float:
        return math.log(values[to] / values[at]) / math.log(sizes[to] / sizes[at])

    last = len(rows) - 1
    whole, logarithms = power(times, 0, last), power(terms, 0, last)
    steps = [power(times, at, to) for at, to in pairwise(range(len(rows)))]
    told = ", ".join(f"{step:.2f}" for step in steps)
    print(
        f"time per object ~ {key}^{whole:.3f} ({told}); log n + k log m ~ {key}^{logarithms:.3f}; at most {MOST}: "
        f"{'holds' if whole <= MOST else 'DOES NOT HOLD'}"
    )
    return {
        "key": key,
        "power": whole,
        "steps": told,
        "of_logarithms": logarithms,
        "most": MOST,
        "holds": whole <= MOST,
    }


def main() -> None:
    by_n, by_m = [measure(*sizes) for sizes in BY_N], [measure(*sizes) for sizes in BY_M]
    write_rows("theorem5", [row._asdict() for row in (*by_n, *by_m)], SEED)
    write_rows("theorem5_growth", [verdict("n", by_n), verdict("m", by_m)], SEED)


if __name__ == "__main__":
    main()
