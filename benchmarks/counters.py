"""What it costs to count first_k, min_y and snap calls: `replay` with the counting lines against a copy without them.

Two copies of the rooms paint and matching are made, one with every counting line replaced by `pass`. A process loads
both, and the counting one a second time for a control, and lets the three kernels take turns on the same arrays in
the same state, slice by slice of the stream; a kernel counts with its best time of each slice, in processor time.
What differs is then the code, and where it lies in memory: what is loaded first runs some percent faster. So there
is a process for each order of loading, and a time is a product of three factors, of the process, of the place in the
order and of counting. The last is fitted, with its 95% confidence interval: counting costs something measurable if
the interval lies above 1. The control is the geometric mean of one counting kernel over the other.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.record import uniform_workload, write_rows

SEED = 1
OBJECTS, K = 10_000, 20
EVENTS = {"dense": 20_000, "sparse": 4_000}
SUBSCRIPTIONS = 200_000
SLICES = 10
ROUNDS = 21
ROOMS = ("floor", "paint", "matching")
COPIES = ("with", "again", "without")
COUNTING = re.compile(rb"^( *)((plan\.)?costs\[[A-Z_]+\] \+= .*|marks\[event, 1 \+ at\] = .*)$", re.MULTILINE)

Modules = dict[str, ModuleType]


def copy_rooms(target: Path, *, counting: bool) -> None:
    """Copy what `replay` runs on, and take the counting lines out if asked."""
    root = Path(__file__).parents[1]
    target.mkdir()
    lines = 0
    for room in ROOMS:
        shutil.copytree(root / room, target / room, ignore=shutil.ignore_patterns("__pycache__"))
        for source in (target / room).glob("*.py"):
            text, found = COUNTING.subn(rb"\1pass", source.read_bytes())
            lines += found
            if not counting:
                source.write_bytes(text)
    if not lines:
        raise RuntimeError("no counting line was found in paint; mend the pattern of this benchmark")


def load(copy: Path) -> Modules:
    """Import the rooms of a copy beside those imported before."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ROOMS]:
        del sys.modules[name]
    sys.path.insert(0, str(copy))
    __import__("paint")
    sys.path.pop(0)
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] in ROOMS}


def translated(value: Any, modules: Modules) -> Any:
    """The same arrays in the classes of another copy."""
    if not isinstance(value, tuple):
        return value
    kind = getattr(modules[type(value).__module__], type(value).__name__)
    return kind(*(translated(part, modules) for part in value))


def compare(folder: Path, algorithm: str, order: list[str]) -> None:
    """Print the seconds of each copy in the order of `COPIES`; runs in a process of its own."""
    given = np.load(folder / f"{algorithm}.npz")
    options = {} if algorithm == "dense" else {"algorithm": algorithm, "subscriptions": given["subscriptions"]}
    ids, ys = given["ids"], given["ys"]
    out = np.empty((1 << 20, 8))
    kernels: dict[str, Any] = {}
    states: dict[str, Any] = {}
    for name in order:
        modules = load(folder / name.replace("again", "with"))
        if not states:
            server = modules["paint"].Server(given["x"], given["y"], k=K, **options)
            shared = server._algorithm._parts()
        kernels[name] = getattr(modules[f"paint.{algorithm}"], algorithm.title()).kernels.replay
        states[name] = tuple(translated(part, modules) for part in shared)
        kernels[name](*states[name], ids[:0], ys[:0], out)  # loads it, while the modules are found by their names
    objects, plan = shared[:2]
    seconds = dict.fromkeys(COPIES, 0.0)
    counted = dict.fromkeys(COPIES, 0)
    for some, values in zip(np.split(ids, SLICES), np.split(ys, SLICES), strict=True):
        start = [part.copy() for part in objects]
        best = dict.fromkeys(COPIES, np.inf)
        for turn in range(ROUNDS * len(order)):
            name = order[(turn + turn // len(order)) % len(order)]
            for part, before in zip(objects, start, strict=True):
                part[:] = before
            plan.costs[:] = 0
            begin = time.process_time()
            kernels[name](*states[name], some, values, out)
            best[name] = min(best[name], time.process_time() - begin)
            counted[name] = plan.costs.sum()
        for name in COPIES:
            seconds[name] += best[name]
    if not counted["with"] or counted["without"]:
        raise RuntimeError(f"the copies should count some and no calls, but counted {counted}")
    print(*(seconds[name] for name in COPIES))


def measure(folder: Path, algorithm: str) -> dict[str, float | str]:
    """Compare the copies; events per second, and the ratios."""
    x, y, events = uniform_workload(OBJECTS, EVENTS[algorithm], SEED)
    ends = np.sort(np.random.default_rng(SEED).random((SUBSCRIPTIONS, 2)), axis=1)
    np.savez(folder / f"{algorithm}.npz", x=x, y=y, ids=events.object, ys=events.y, subscriptions=ends)
    environment = {**os.environ, "RANGECAST_CACHE": str(folder / "cache")}
    times = []
    # The first process compiles, which is no loading: once more for all orders.
    for at, order in enumerate([COPIES, *itertools.permutations(COPIES)]):
        command = [sys.executable, "-m", "benchmarks.counters", str(folder), algorithm, *order]
        told = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
        if at:
            times.append([float(value) for value in told.split()])
    logs = np.log(times)
    ratio, low, high = fit(logs)
    counting, again, without = np.exp(logs.mean(axis=0)).tolist()
    return {
        "algorithm": algorithm,
        "with_per_s": EVENTS[algorithm] / np.sqrt(counting * again),
        "without_per_s": EVENTS[algorithm] / without,
        "ratio": ratio,
        "low": low,
        "high": high,
        "control": counting / again,
    }


def fit(logs: NDArray[np.float64]) -> tuple[float, float, float]:
    """Time with counting over time without, and the ends of its interval, from log seconds by order and copy."""
    rows, values = [], []
    for process, order in enumerate(itertools.permutations(COPIES)):
        for copy, name in enumerate(COPIES):
            place = order.index(name)
            rows.append([name != "without", place == 1, place == 2, *(process == one for one in range(len(logs)))])
            values.append(logs[process, copy])
    design = np.array(rows, np.float64)
    found, squares, rank, _ = np.linalg.lstsq(design, np.array(values))
    free = len(values) - int(rank)
    error = np.sqrt(squares[0] / free * np.linalg.inv(design.T @ design)[0, 0])
    width = stats.t.ppf(0.975, free) * error
    return float(np.exp(found[0])), float(np.exp(found[0] - width)), float(np.exp(found[0] + width))


def main() -> None:
    """Print the table and write it to benchmarks/results/counters.csv."""
    head = f"{'time with : without':>22}{'95% interval':>17}{'with : with':>14}"
    print(f"{'algorithm':>10}{'with/s':>12}{'without/s':>12}{head}")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_rooms(folder / "with", counting=True)
        copy_rooms(folder / "without", counting=False)
        for algorithm in EVENTS:
            row = measure(folder, algorithm)
            speeds = f"{row['with_per_s']:>12,.0f}{row['without_per_s']:>12,.0f}"
            interval = f"{row['low']:>8.3f} to {row['high']:.3f}"
            print(f"{row['algorithm']:>10}{speeds}{row['ratio']:>22.3f}{interval}{row['control']:>14.3f}", flush=True)
            rows.append(row)
    write_rows("counters", rows, SEED)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compare(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
    else:
        main()
