"""Paint-Dense over the tournament index, the kd-tree and the range tree; `python -m benchmarks.object_indexes`.

All three run the same stream in turns, piece by piece, and send the same messages; each figure is that of the best
piece, so that other work on the machine disturbs the ratios least.
"""

import csv
import platform
import subprocess
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import paint

SEED = 1
SIZES = (1_000, 10_000, 100_000, 1_000_000)
LENGTHS = (1, 5, 20)
NAMES = ("tournament", "kd", "range")
EVENTS, PIECES = 500, 8
RESULTS = Path(__file__).parent / "results" / "object_indexes.csv"


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


def measure(n: int, k: int) -> dict[str, float]:
    """Microseconds per event over each index, by replay."""
    x, y, ids, new = stream(n, EVENTS * PIECES)
    servers = {name: paint.Server(x, y, k=k, index=name) for name in NAMES}
    best = dict.fromkeys(NAMES, np.inf)
    for name, server in servers.items():
        server.replay([0], [y[0]])
        best[name] = np.inf
    for start in range(0, len(ids), EVENTS):
        piece = slice(start, start + EVENTS)
        sent = set()
        for name, server in servers.items():
            begin = time.perf_counter()
            messages = server.replay(ids[piece], new[piece])
            best[name] = min(best[name], time.perf_counter() - begin)
            sent.add(messages.table.tobytes())
        if len(sent) > 1:
            raise RuntimeError(f"the indexes disagree in the piece from event {start}, n = {n}, k = {k}")
    return {name: 1e6 * value / EVENTS for name, value in best.items()}


def commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def main() -> None:
    """Print the table and write it, with machine, commit and seed, to benchmarks/results/object_indexes.csv."""
    print("microseconds per event of Paint-Dense, and how many times that of the tournament index")
    print(f"{'n':>10}{'k':>4}" + "".join(f"{name:>12}" for name in NAMES) + f"{'kd/t':>8}{'range/t':>9}")
    rows = []
    for n in SIZES:
        for k in LENGTHS:
            figures = measure(n, k)
            least = figures["tournament"]
            kd, tree = figures["kd"] / least, figures["range"] / least
            print(
                f"{n:>10}{k:>4}" + "".join(f"{figures[name]:>12.2f}" for name in NAMES) + f"{kd:>8.1f}{tree:>9.1f}",
                flush=True,
            )
            rows.append({"n": n, "k": k, **figures, "kd_ratio": kd, "range_ratio": tree})
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "seed", "commit", "machine"])
        writer.writeheader()
        writer.writerows({**row, "seed": SEED, "commit": commit(), "machine": platform.platform()} for row in rows)


if __name__ == "__main__":
    main()
