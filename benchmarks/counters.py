"""What it costs to count first_k, min_y and snap calls: `replay` with the counting lines against a copy without them.

Two copies of the rooms paint and matching are made, one with every counting line replaced by `pass`. Several
processes run each copy, for where a kernel happens to lie in memory changes its speed by some percent, and take
turns. A process counts with the best time it had for each slice of the stream, in processor time; a copy with the
median of its processes. The spread among processes of the same copy says what a ratio can tell.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.record import uniform_workload, write_rows

SEED = 1
OBJECTS, K, SUBSCRIPTIONS = 10_000, 20, 200_000
EVENTS = {"dense": 20_000, "sparse": 4_000}
SLICES = 10
PROCESSES = 3
ROUNDS = 9
COUNTING = re.compile(rb"^( *)(plan\.)?costs\[[A-Z_]+\] \+= .*$", re.MULTILINE)

# Runs in a process of its own with a copy on its path; for each line it reads it replays the stream, slice by slice.
REPLAY = """
import sys, time, numpy as np, paint
given, algorithm, k, slices = np.load(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
options = {} if algorithm == "dense" else {"algorithm": algorithm, "subscriptions": given["subscriptions"]}
paint.Server(given["x"], given["y"], k=k, **options).replay(given["ids"][:9], given["ys"][:9])
print("ready", flush=True)
for line in sys.stdin:
    server = paint.Server(given["x"], given["y"], k=k, **options)
    times = []
    for ids, ys in zip(np.split(given["ids"], slices), np.split(given["ys"], slices)):
        begin = time.process_time()
        server.replay(ids, ys)
        times.append(time.process_time() - begin)
    print(*times, server.costs["min_y"], flush=True)
"""


def copy_rooms(target: Path, *, counting: bool) -> None:
    """Copy what `replay` runs on, and take the counting lines out if asked."""
    root = Path(__file__).parents[1]
    shutil.copy(root / "rangecast.py", target)
    lines = 0
    for room in ("paint", "matching"):
        shutil.copytree(root / room, target / room, ignore=shutil.ignore_patterns("__pycache__"))
        for source in (target / room).glob("*.py"):
            text, found = COUNTING.subn(rb"\1pass", source.read_bytes())
            lines += found
            if not counting:
                source.write_bytes(text)
    if not lines:
        raise RuntimeError("no counting line was found in paint; mend the pattern of this benchmark")


def start(copy: Path, workload: Path, algorithm: str) -> subprocess.Popen[str]:
    """Start a process that replays the workload with a copy, and wait until its kernels are compiled."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "RANGECAST_CACHE": str(copy / "cache")}
    command = [sys.executable, "-c", REPLAY, str(workload), algorithm, str(K), str(SLICES)]
    process = subprocess.Popen(
        command, cwd=copy, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    if process.stdout is None or process.stdout.readline() != "ready\n":
        raise RuntimeError(f"the copy in {copy} does not run; see its error above")
    return process


def replay(process: subprocess.Popen[str]) -> list[float]:
    """Let a process replay the stream once; seconds of each slice, and the min_y calls it counted."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the process has no pipes")
    print(file=process.stdin, flush=True)
    return [float(value) for value in process.stdout.readline().split()]


def measure(copies: dict[str, Path], algorithm: str, folder: Path) -> dict[str, float | str]:
    """Compare the copies; events per second of each, the ratio, and the spread among processes of one copy."""
    x, y, events = uniform_workload(OBJECTS, EVENTS[algorithm], SEED)
    ends = np.sort(np.random.default_rng(SEED).random((SUBSCRIPTIONS, 2)), axis=1)
    workload = folder / f"{algorithm}.npz"
    np.savez(workload, x=x, y=y, ids=events.object, ys=events.y, subscriptions=ends)
    running = [(name, start(copy, workload, algorithm)) for _ in range(PROCESSES) for name, copy in copies.items()]
    replays = np.array([[replay(process) for _, process in running] for _ in range(ROUNDS)])
    for _, process in running:
        process.communicate()
    seconds = replays[:, :, :SLICES].min(axis=0).sum(axis=1)
    counted = {name: replays[0, at, SLICES] for at, (name, _) in enumerate(running)}
    if not counted["with"] or counted["without"]:
        raise RuntimeError(f"the copies should count some and no min_y calls, but counted {counted}")
    each = {name: [seconds[at] for at, (own, _) in enumerate(running) if own == name] for name in copies}
    middle = {name: statistics.median(times) for name, times in each.items()}
    return {
        "algorithm": algorithm,
        "with_per_s": EVENTS[algorithm] / middle["with"],
        "without_per_s": EVENTS[algorithm] / middle["without"],
        "ratio": middle["with"] / middle["without"],
        "spread": max(max(times) / min(times) for times in each.values()),
    }


def main() -> None:
    """Print the table and write it to benchmarks/results/counters.csv."""
    print(f"{'algorithm':>10}{'with/s':>12}{'without/s':>12}{'time with : without':>22}{'same copy':>12}")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copies = {"with": folder / "with", "without": folder / "without"}
        for kind, copy in copies.items():
            copy.mkdir()
            copy_rooms(copy, counting=kind == "with")
        for algorithm in EVENTS:
            row = measure(copies, algorithm, folder)
            speeds = f"{row['with_per_s']:>12,.0f}{row['without_per_s']:>12,.0f}"
            print(f"{row['algorithm']:>10}{speeds}{row['ratio']:>22.3f}{row['spread']:>12.3f}", flush=True)
            rows.append(row)
    write_rows("counters", rows, SEED)


if __name__ == "__main__":
    main()
