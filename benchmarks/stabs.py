"""All ranges that hold a point: indexes of `matching` beside libraries that people use, in one process on one core.

Run it with `python -m benchmarks.stabs [n [index ...]]`, by default 1,000,000 and all of ours that can hold as many;
rows go to standard output and to benchmarks/results/stabs.csv. Ranges start evenly over the line and have lengths by
the exponential distribution, so that a point is in 20 or in 2,000 of them; then the same with one range in a hundred
100 times as long. Every index returns the caller's own ids, and is held against brute force before it is timed.
Memory is how much the resident memory of a process that only builds the index, and asks it once, grows by.

Targets for `windows` at 1M ranges, against the fastest library: single stabs level at 20 hits, 3 times as fast at
2,000; batches 1.5 and 3 times as fast; at most 48 bytes per range. With longer ranges the same is told, but asked of
nobody: only the first two populations make the benchmark fail. Libraries that are not installed are left out:
`pip install .[peers]` gets them.
"""

import ctypes
import gc
import multiprocessing
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.range_peers import PEERS, Peer, find_peers
from benchmarks.record import write_rows
from matching.intervals import Windows
from matching.registry import RANGE_INDEXES

SEED = 1986
N = 1_000_000
HITS = (20, 2000)
LINE = 2**28
"""Ranges start below; a hundred times the longest of them still ends below 2^30."""
ROUNDS = 7
CHECKED = 40
LONG = 0.01
"""Share of ranges that are 100 times as long."""
OURS = "windows"
TARGETS = {("single", 20): 1.0, ("single", 2000): 3.0, ("batch", 20): 1.5, ("batch", 2000): 3.0}
MOST_BYTES = 48
QUADRATIC = ("cluster-index", "interval-index", "hybrid-index")
Ints = npt.NDArray[np.int64]


class Ranges(NamedTuple):
    """A population, and points to ask for."""

    l: Ints
    r: Ints
    xs: Ints


def make_ranges(n: int, hits: int, long: float) -> Ranges:
    rng = np.random.default_rng((SEED, hits, int(long * 100)))
    length = rng.exponential(hits / n * LINE, n) * np.where(rng.random(n) < long, 100, 1)
    l = rng.integers(0, LINE, n)
    return Ranges(l, l + length.round().astype(np.int64), rng.integers(0, LINE, 200_000))


def own(name: str) -> Peer:
    """An index of the registry, asked like a library."""
    return Peer(
        "matching.registry",
        lambda _, l, r: RANGE_INDEXES[name].kind(l, r),
        lambda _, index: index.stab,
        lambda _, index: index.stabs,
        batch_ids=lambda found: found[1],
        points=float,
    )


def found_indexes(names: tuple[str, ...]) -> dict[str, tuple[Peer, Any]]:
    """Some of ours, and those of others that are installed, with their modules."""
    return {**{name: (own(name), None) for name in names}, **find_peers()}


def resident_bytes() -> int:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def grown_bytes(name: str, n: int, hits: int, long: float) -> float:
    """Bytes per range that an index adds to the resident memory of this process."""
    peer, module = (own(name), None) if name in RANGE_INDEXES else find_peers()[name]
    few = make_ranges(1000, 20, 0.0)
    ask(peer, module, peer.build(module, few.l, few.r), few.xs[:10])
    ranges = make_ranges(min(n, peer.largest), hits, long)
    before = resident_bytes()
    index = peer.build(module, ranges.l, ranges.r)
    ask(peer, module, index, ranges.xs[:10])
    return (resident_bytes() - before) / len(ranges.l)


def ask(peer: Peer, module: Any, index: Any, xs: Ints) -> None:
    """Ask once in every way: some indexes are completed by the first question."""
    peer.one(module, index)(peer.points(xs[0]))
    if peer.many is not None:
        peer.many(module, index)(xs)


def check(name: str, peer: Peer, module: Any, index: Any, ranges: Ranges) -> None:
    """Hold answers against brute force."""
    xs = ranges.xs[:CHECKED]
    right = [np.flatnonzero((ranges.l <= x) & (x <= ranges.r)) for x in xs]
    one = peer.one(module, index)
    single = [np.sort(peer.ids(one(peer.points(x)))) for x in xs]
    good = all(np.array_equal(a, b) for a, b in zip(single, right, strict=True))
    if peer.many is not None:
        batch = np.sort(peer.batch_ids(peer.many(module, index)(xs)))
        good &= np.array_equal(batch, np.sort(np.concatenate(right)))
    if not good:
        raise SystemExit(f"{name} disagrees with brute force")


def afforded(task: Callable[[int], object], most: int) -> int:
    """How many questions take about a tenth of a second."""
    count = 8
    while count < most:
        start = process_time()
        task(count)
        if process_time() - start > 0.03:
            return min(most, count * 3)
        count *= 2
    return most


def tasks_of(peer: Peer, module: Any, index: Any, xs: Ints) -> dict[str, Callable[[int], object]]:
    """For each way to ask, a function that asks for the first so many points."""
    points, one = [peer.points(x) for x in xs], peer.one(module, index)

    def single(count: int) -> None:
        for x in points[:count]:
            one(x)

    tasks: dict[str, Callable[[int], object]] = {"single": single}
    if peer.many is not None:
        many = peer.many(module, index)
        tasks["batch"] = lambda count: many(xs[:count])
    return tasks


def measure(n: int, names: tuple[str, ...], hits: int, long: float) -> list[dict[str, object]]:
    """Rows of all indexes for one population; they are timed in turns, so that all see the same machine."""
    rows: dict[str, dict[str, object]] = {}
    tasks: dict[tuple[str, str], Callable[[int], object]] = {}
    for name, (peer, module) in found_indexes(names).items():
        ranges = make_ranges(min(n, peer.largest), hits, long)
        start = process_time()
        index = peer.build(module, ranges.l, ranges.r)
        built = process_time() - start
        check(name, peer, module, index, ranges)
        tasks |= {(name, way): task for way, task in tasks_of(peer, module, index, ranges.xs).items()}
        rows[name] = {"hits": hits, "long": long, "index": name, "ranges": len(ranges.l), "build_s": round(built, 2)}
    counts = {at: afforded(task, 100_000) for at, task in tasks.items()}
    best = dict.fromkeys(tasks, np.inf)
    for _ in range(ROUNDS):
        for at, task in tasks.items():
            start = process_time()
            task(counts[at])
            best[at] = min(best[at], (process_time() - start) / counts[at])
    for name, row in rows.items():
        for way in ("single", "batch"):
            row[way] = round(1 / best[name, way]) if (name, way) in best else None
    return list(rows.values())


def show(rows: list[dict[str, object]], hits: int, long: float) -> None:
    print(f"\n{hits} hits" + (f", {long:.0%} of the ranges 100 times as long" if long else ""))
    print(f"{'':<38} {'ranges':>9} {'build s':>8} {'single/s':>10} {'batch/s':>10} {'bytes/range':>12}")
    for row in rows:
        speeds = " ".join(f"{row[way]:>10,}" if row[way] else f"{'':>10}" for way in ("single", "batch"))
        print(f"{row['index']:<38} {row['ranges']:>9,} {row['build_s']:>8} {speeds} {row['bytes']:>12}", flush=True)


def verdicts(rows: list[dict[str, Any]], hits: int, long: float) -> list[str]:
    """What the targets say of the rows of one population; with longer ranges they are no targets."""
    missed = "below" if long else "MISSED"
    ours = next(row for row in rows if row["index"] == OURS)
    others = [row for row in rows if row["index"] not in RANGE_INDEXES]
    if len(others) < len(PEERS):
        return ["not judged: libraries are left out"]
    told = []
    for way in ("single", "batch"):
        fastest = max((row for row in others if row[way]), key=lambda row: float(row[way]))
        ratio, least = ours[way] / fastest[way], TARGETS[way, hits]
        word = "reached" if ratio >= least else missed
        told.append(f"{word}: {way} stabs {ratio:.2f} x {fastest['index']} (at least {least})")
    word = "reached" if ours["bytes"] <= MOST_BYTES else missed
    return [*told, f"{word}: {ours['bytes']} bytes per range (at most {MOST_BYTES})"]


def main(n: int = N, *names: str) -> int:
    ours = names or tuple(name for name in RANGE_INDEXES if n <= 10_000 or name not in QUADRATIC)
    rows: list[dict[str, object]] = []
    told: list[str] = []
    Windows([0.0], [1.0]).stab(0.0)
    for long in (0.0, LONG):
        for hits in HITS:
            here = measure(n, ours, hits, long)
            for row in here:
                with multiprocessing.get_context("spawn").Pool(1) as alone:
                    row["bytes"] = round(alone.apply(partial(grown_bytes, str(row["index"]), n, hits, long)), 1)
            show(here, hits, long)
            rows += here
            place = f"{hits} hits" + (", some longer" if long else "")
            told += [f"{place}: {one}" for one in verdicts(here, hits, long)]
    print("\n" + "\n".join(told))
    write_rows("stabs", rows, SEED)
    return any("MISSED" in one for one in told)


if __name__ == "__main__":
    sys.exit(main(int((sys.argv[1:] or [str(N)])[0]), *sys.argv[2:]))
