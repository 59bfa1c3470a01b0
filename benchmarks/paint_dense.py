"""Speed of Paint-Dense: events per second by `replay` and by single `update` calls, against n and k.

Uniform objects and events as in Section V. What an event costs is heavy-tailed, so each figure is the mean of a whole
stream; replay and single updates take turns with its pieces. Ratios compare sizes within one run of the benchmark.
"""

import time

import paint
from benchmarks.record import uniform_workload, write_rows

SEED = 1
SIZES = (10_000, 100_000, 1_000_000)
LENGTHS = (1, 5, 20)
EVENTS = 2_000
PIECES = 10


def measure(n: int, k: int) -> dict[str, float]:
    """Time replay and single updates; events per second, and messages and min_y calls per event."""
    x, y, events = uniform_workload(n, 2 * PIECES * EVENTS, SEED)
    ids, new = events.object, events.y
    server = paint.Server(x, y, k=k)
    server.update(0, y[0])
    server.replay([0], [y[0]])
    replay_s = single_s = 0.0
    messages = 0
    for start in range(0, len(ids), 2 * EVENTS):
        first, second = slice(start, start + EVENTS), slice(start + EVENTS, start + 2 * EVENTS)
        begin = time.process_time()
        messages += len(server.replay(ids[first], new[first]))
        replay_s += time.process_time() - begin
        pairs = list(zip(ids[second].tolist(), new[second].tolist(), strict=True))
        begin = time.process_time()
        for i, value in pairs:
            server.update(i, value)
        single_s += time.process_time() - begin
    return {
        "replay_per_s": PIECES * EVENTS / replay_s,
        "update_per_s": PIECES * EVENTS / single_s,
        "messages": messages / (PIECES * EVENTS),
        "min_y": server.costs["min_y"] / len(ids),
    }


def main() -> None:
    """Print the table and write it, with machine, commit and seed, to benchmarks/results/paint_dense.csv."""
    print("Paint-Dense over the tournament index")
    print(f"{'n':>10}{'k':>4}{'replay/s':>12}{'update/s':>12}{'x slower than least n':>24}")
    rows = []
    for k in LENGTHS:
        least = 0.0
        for n in SIZES:
            figures = measure(n, k)
            least = least or figures["replay_per_s"]
            ratio = least / figures["replay_per_s"]
            speeds = f"{figures['replay_per_s']:>12,.0f}{figures['update_per_s']:>12,.0f}"
            print(f"{n:>10}{k:>4}{speeds}{ratio:>24.2f}", flush=True)
            rows.append({"n": n, "k": k, **figures, "ratio": ratio})
    write_rows("paint_dense", rows, SEED)


if __name__ == "__main__":
    main()
