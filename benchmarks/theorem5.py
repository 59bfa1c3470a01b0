"""Theorem 5: how the time of Paint-Sparse grows with objects n and subscriptions m.

Run it with `python -m benchmarks.theorem5`; rows go to standard output and benchmarks/results/theorem5.csv. The
theorem says O(v(t(n) + k log m)) for an event that exposes v interesting objects, so what is told is the time per
event over its min_y calls, with t(n) = log n of the tournament index. If it holds, that grows by less than a small
power of n and m: the power between the first and the last size is printed, and its verdict against 0.25.
Logarithms alone are powers of 0.1; memory that no longer fits the caches is the rest.
"""

import math
from itertools import pairwise

import numpy as np

import paint
from benchmarks.record import best_of, uniform_workload, write_rows
from matching import SubscriptionIndex

EVENTS = 4_000
SEED = 2025
K = 20
BY_N = (1_000, 10_000, 100_000, 1_000_000)
BY_M = (10_000, 100_000, 1_000_000, 10_000_000)
MOST = 0.25


def measure(n: int, m: int) -> dict[str, object]:
    """Microseconds per event, and per min_y call as the paper counts them."""
    x, y, stream = uniform_workload(n, EVENTS, SEED)
    ends = np.sort(np.random.default_rng(SEED).random((m, 2)), axis=1)
    index = SubscriptionIndex(ends[:, 0], ends[:, 1])
    servers = [paint.Server(x, y, k=K, algorithm="sparse", subscriptions=index) for _ in range(4)]
    servers.pop().replay(stream.object, stream.y)
    waiting = iter(servers)
    seconds = best_of(len(servers), lambda: next(waiting).replay(stream.object, stream.y))
    calls = servers[0].paper_costs["min_y"]
    row: dict[str, object] = {
        "n": n,
        "m": m,
        "us_per_event": round(1e6 * seconds / EVENTS, 2),
        "min_y": round(calls / EVENTS, 3),
        "us_per_min_y": round(1e6 * seconds / calls, 3),
    }
    print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    return row


def verdict(rows: list[dict[str, object]], key: str) -> str:
    """The power of a key by which the time per min_y call grows, from end to end and from size to size."""
    sizes, times = ([float(str(row[name])) for row in rows] for name in (key, "us_per_min_y"))

    def power(at: int, to: int) -> float:
        return math.log(times[to] / times[at]) / math.log(sizes[to] / sizes[at])

    steps = ", ".join(f"{power(at, to):.2f}" for at, to in pairwise(range(len(rows))))
    whole = power(0, len(rows) - 1)
    return f"time per min_y call ~ {key}^{whole:.2f} ({steps}): {'holds' if whole <= MOST else 'differs'}"


def main() -> None:
    by_n = [measure(n, 1_000_000) for n in BY_N]
    by_m = [measure(10_000, m) for m in BY_M]
    print(verdict(by_n, "n"))
    print(verdict(by_m, "m"))
    write_rows("theorem5", [*by_n, *by_m], SEED)


if __name__ == "__main__":
    main()
