"""Paint-Batch, Coalesce and Online on one batch of 50,000 events (Fig. 16); `python -m benchmarks.paint_batch`.

Received messages are counted over a sample of uniform subscriptions. Every variant starts from the same objects; the
time is that of the best of a few runs, checks of the events included.
"""

import time

import numpy as np
from numpy.typing import NDArray

import paint
from benchmarks.record import uniform_workload, write_rows
from paint.batch import VARIANTS

SEED = 1
OBJECTS, EVENTS, SUBSCRIPTIONS, RUNS = 10_000, 50_000, 1_000, 3
LENGTHS = (1, 5, 20)


def count_received(table: NDArray[np.void], ends: NDArray[np.float64]) -> int:
    """Count the pairs of a message and a subscription it reaches, by sums over the ranks of either end."""
    left, right = np.sort(ends[:, 0]), np.sort(ends[:, 1])
    below = np.zeros((len(ends) + 1, len(ends) + 1), np.int64)
    below[np.searchsorted(left, ends[:, 0]) + 1, np.searchsorted(right, ends[:, 1]) + 1] = 1
    below = below.cumsum(axis=0).cumsum(axis=1)
    west, east = (np.searchsorted(left, table[name], side="right") for name in ("l_out", "l_in"))
    south, north = (np.searchsorted(right, table[name], side="left") for name in ("r_in", "r_out"))
    return int((below[east, north] - below[west, north] - below[east, south] + below[west, south]).sum())


def measure(k: int) -> list[dict[str, object]]:
    """One row per variant: seconds, messages, received messages per subscription and index calls."""
    x, y, stream = uniform_workload(OBJECTS, EVENTS, SEED)
    events = list(zip(stream.object.tolist(), stream.y.tolist(), strict=True))
    rng = np.random.default_rng(SEED)
    ends = np.sort(rng.random((SUBSCRIPTIONS, 2)), axis=1)
    rows: list[dict[str, object]] = []
    for variant in VARIANTS:
        paint.Server(x, y, k=k).batch(events[:10], variant)
        seconds = np.inf
        for _ in range(RUNS):
            server = paint.Server(x, y, k=k)
            begin = time.process_time()
            table = server.batch(events, variant).table
            seconds = min(seconds, time.process_time() - begin)
        received = count_received(table, ends) / SUBSCRIPTIONS
        costs = {name: server.costs[name] for name in ("first_k", "min_y")}
        rows.append(
            {"k": k, "variant": variant, "seconds": seconds, "messages": len(table), "received": received, **costs}
        )
    return rows


def main() -> None:
    """Print the table and write it, with machine, commit and seed, to benchmarks/results/paint_batch.csv."""
    print(f"one batch of {EVENTS:,} events on {OBJECTS:,} objects; received: per subscription")
    print("  k   variant  seconds x online    messages  received   first_k     min_y")
    rows = []
    for k in LENGTHS:
        group = measure(k)
        online = group[-1]["seconds"]
        for row in group:
            row["ratio"] = row["seconds"] / online  # type: ignore[operator]
            print(
                f"{row['k']:>3}{row['variant']:>10}{row['seconds']:>9.3f}{row['ratio']:>9.2f}{row['messages']:>12,}"
                f"{row['received']:>10.1f}{row['first_k']:>10,}{row['min_y']:>10,}",
                flush=True,
            )
        rows += group
    write_rows("paint_batch", rows, SEED)


if __name__ == "__main__":
    main()
