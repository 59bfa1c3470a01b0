"""Speed of Paint-Dense: events per second by `replay` and by single `update` calls, against n and k.

Uniform objects and events as in Section V. A stream is run in pieces, no event twice, and each figure is that of the
best piece, so that other work on the machine disturbs it least; ratios compare sizes within one run of the benchmark.
"""

import csv
import platform
import subprocess
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import paint
from paint.index import INDEXES

SEED = 1
SIZES = (10_000, 100_000, 1_000_000)
LENGTHS = (1, 5, 20)
EVENTS = 2_000
PIECES = 10
RESULTS = Path(__file__).parent / "results" / "paint_dense.csv"


def stream(
    n: int, events: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Draw n objects and events on them: up or down with equal chance, uniform in what remains on that side."""
    rng = np.random.default_rng(SEED)
    x, y = rng.random(n), rng.random(n)
    ids = rng.integers(0, n, events)
    up, share = rng.random(events) < 0.5, rng.random(events)
    now, new = y.copy(), np.empty(events)
    for event, i in enumerate(ids):
        now[i] = new[event] = now[i] + share[event] * (1 - now[i]) if up[event] else now[i] * share[event]
    return x, y, ids, new


def measure(n: int, k: int, index: str) -> dict[str, float]:
    """Time replay and single updates; events per second, and messages and min_y calls per event."""
    x, y, ids, new = stream(n, 2 * PIECES * EVENTS)
    server = paint.Server(x, y, k=k, index=index)
    server.update(0, y[0])
    server.replay([0], [y[0]])
    replay_s = single_s = np.inf
    messages = 0
    for start in range(0, len(ids), 2 * EVENTS):
        first, second = slice(start, start + EVENTS), slice(start + EVENTS, start + 2 * EVENTS)
        begin = time.perf_counter()
        messages += len(server.replay(ids[first], new[first]))
        replay_s = min(replay_s, time.perf_counter() - begin)
        pairs = list(zip(ids[second].tolist(), new[second].tolist(), strict=True))
        begin = time.perf_counter()
        for i, value in pairs:
            server.update(i, value)
        single_s = min(single_s, time.perf_counter() - begin)
    return {
        "replay_per_s": EVENTS / replay_s,
        "update_per_s": EVENTS / single_s,
        "messages": messages / (PIECES * EVENTS),
        "min_y": server.costs["min_y"] / len(ids),
    }


def _commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def main() -> None:
    """Print the table and write it, with machine, commit and seed, to benchmarks/results/paint_dense.csv."""
    print(f"{'index':>12}{'n':>10}{'k':>4}{'replay/s':>12}{'update/s':>12}{'x slower than least n':>24}")
    rows = []
    for index in sorted(INDEXES, reverse=True):
        for k in LENGTHS:
            least = 0.0
            for n in SIZES:
                figures = measure(n, k, index)
                least = least or figures["replay_per_s"]
                ratio = least / figures["replay_per_s"]
                print(
                    f"{index:>12}{n:>10}{k:>4}{figures['replay_per_s']:>12,.0f}{figures['update_per_s']:>12,.0f}"
                    f"{ratio:>24.2f}",
                    flush=True,
                )
                rows.append({"index": index, "n": n, "k": k, **figures, "ratio": ratio})
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "seed", "commit", "machine"])
        writer.writeheader()
        writer.writerows({**row, "seed": SEED, "commit": _commit(), "machine": platform.platform()} for row in rows)


if __name__ == "__main__":
    main()
