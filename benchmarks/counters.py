"""What it costs to count first_k, min_y and snap calls: `replay` with the counting lines against a copy without them.

Two copies of the rooms paint and matching are made, one with every counting line replaced by `pass`. A process loads
both, and the counting one a second time for a control, and lets the three kernels take turns on the same arrays in
the same state, slice by slice of the stream; a kernel counts with its best time of each slice, in processor time.
What differs is then the code alone. Where code happens to lie in memory changes its speed too: each process has its
kernels compiled with another alignment of loops, and the table gives the median of the processes and their range,
for the kernel against the one without counting and against its double.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite.binding
import numpy as np

from benchmarks.record import uniform_workload, write_rows

SEED = 1
OBJECTS, K = 10_000, 20
EVENTS = {"dense": 20_000, "sparse": 4_000}
SUBSCRIPTIONS = 200_000
SLICES = 10
ROUNDS = 21
ALIGNMENTS = (0, 4, 5, 6)
ROOMS = ("rangecast", "paint", "matching")
COPIES = ("with", "without", "again")
COUNTING = re.compile(rb"^( *)((plan\.)?costs\[[A-Z_]+\] \+= .*|marks\[event, 1 \+ at\] = .*)$", re.MULTILINE)

Modules = dict[str, ModuleType]


def copy_rooms(target: Path, *, counting: bool) -> None:
    """Copy what `replay` runs on, and take the counting lines out if asked."""
    root = Path(__file__).parents[1]
    target.mkdir()
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


def compare(folder: Path, algorithm: str) -> None:
    """Print the seconds of each copy; runs in a process of its own."""
    given = np.load(folder / "workload.npz")
    options = {} if algorithm == "dense" else {"algorithm": algorithm, "subscriptions": given["subscriptions"]}
    ids, ys = given["ids"], given["ys"]
    out = np.empty((1 << 20, 8))
    kernels, states = {}, {}
    for name in COPIES:
        modules = load(folder / name.replace("again", "with"))
        server = modules["paint"].Server(given["x"], given["y"], k=K, **options)
        kernels[name] = modules[f"paint.{algorithm}"].replay
        if not states:
            machine = server._algorithm
            states[name] = (
                machine._state() if algorithm == "sparse" else (machine._index.arrays, machine._sweep, machine._plan)
            )
        else:
            states[name] = tuple(translated(part, modules) for part in states["with"])
        kernels[name](*states[name], ids[:0], ys[:0], out)  # compiles; later the other copies have the names
    objects, plan = states["with"][0], states["with"][-1]
    seconds = dict.fromkeys(COPIES, 0.0)
    counted = dict.fromkeys(COPIES, 0)
    for some, values in zip(np.split(ids, SLICES), np.split(ys, SLICES), strict=True):
        start = [part.copy() for part in objects]
        best = dict.fromkeys(COPIES, np.inf)
        for turn in range(ROUNDS * len(COPIES)):
            name = COPIES[(turn + turn // len(COPIES)) % len(COPIES)]
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
    """Compare the copies in a process per alignment; events per second, and the ratios."""
    x, y, events = uniform_workload(OBJECTS, EVENTS[algorithm], SEED)
    ends = np.sort(np.random.default_rng(SEED).random((SUBSCRIPTIONS, 2)), axis=1)
    np.savez(folder / "workload.npz", x=x, y=y, ids=events.object, ys=events.y, subscriptions=ends)
    times = []
    for alignment in ALIGNMENTS:
        command = [sys.executable, "-m", "benchmarks.counters", str(folder), algorithm, str(alignment)]
        environment = {**os.environ, "RANGECAST_CACHE": str(folder / f"cache-{alignment}")}
        told = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
        times.append([float(value) for value in told.split()])
        print(algorithm, alignment, times[-1], file=sys.stderr)
    costs = [with_ / without for with_, without, _ in times]
    controls = [again / with_ for with_, _, again in times]
    return {
        "algorithm": algorithm,
        "with_per_s": EVENTS[algorithm] / statistics.median(time[0] for time in times),
        "without_per_s": EVENTS[algorithm] / statistics.median(time[1] for time in times),
        "ratio": statistics.median(costs),
        "least": min(costs),
        "most": max(costs),
        "control": statistics.median(controls),
        "control_least": min(controls),
        "control_most": max(controls),
    }


def main() -> None:
    """Print the table and write it to benchmarks/results/counters.csv."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_rooms(folder / "with", counting=True)
        copy_rooms(folder / "without", counting=False)
        for algorithm in EVENTS:
            row = measure(folder, algorithm)
            print(row, flush=True)
            rows.append(row)
    write_rows("counters", rows, SEED)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        if sys.argv[3] != "0":
            llvmlite.binding.set_option("", f"--align-all-nofallthru-blocks={sys.argv[3]}")
        compare(Path(sys.argv[1]), sys.argv[2])
    else:
        main()
