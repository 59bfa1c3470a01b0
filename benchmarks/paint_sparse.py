"""Paint-Sparse: events per second and calls per event against the number of subscriptions and k.

Run it with `python -m benchmarks.paint_sparse`; rows go to standard output and benchmarks/results/paint_sparse.csv.
Targets on one core: 5,000 events/s at m = 2M and k = 20, at most 2.5 times slower at m = 10M. Paint-Dense on the same
events is the yardstick for the machine.
"""

from typing import Any

import numpy as np

import paint
from benchmarks.record import best_of, uniform_workload, write_rows
from matching import SubscriptionIndex

OBJECTS = 10_000
EVENTS = 5_000
SEED = 2024
CASES = ((200_000, 20), (2_000_000, 5), (2_000_000, 10), (2_000_000, 20), (10_000_000, 20))


def measure(m: int, k: int, **options: Any) -> dict[str, object]:
    x, y, stream = uniform_workload(OBJECTS, EVENTS, SEED)
    servers = [paint.Server(x, y, k=k, **options) for _ in range(5)]
    messages = servers.pop().replay(stream.object, stream.y)
    waiting = iter(servers)
    seconds = best_of(len(servers), lambda: next(waiting).replay(stream.object, stream.y))
    row: dict[str, object] = {
        "m": m,
        "k": k,
        "algorithm": options.get("algorithm", "dense"),
        "events_per_s": round(EVENTS / seconds),
        "messages": round(len(messages) / EVENTS, 2),
    }
    row |= {name: round(calls / EVENTS, 2) for name, calls in servers[0].costs.items()}
    print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    return row


def main() -> None:
    rng = np.random.default_rng(SEED)
    rows = [measure(0, k) for k in sorted({k for _, k in CASES})]
    speeds = {}
    index = SubscriptionIndex()
    for m, k in CASES:
        if len(index) != m:
            ends = np.sort(rng.random((m, 2)), axis=1)
            index = SubscriptionIndex(ends[:, 0], ends[:, 1])
        rows.append(measure(m, k, algorithm="sparse", subscriptions=index))
        speeds[m, k] = float(str(rows[-1]["events_per_s"]))
    print(f"m = 10M is {speeds[2_000_000, 20] / speeds[10_000_000, 20]:.2f} times slower than m = 2M at k = 20")
    write_rows("paint_sparse", rows, SEED)


if __name__ == "__main__":
    main()
