"""The subscription index: time and bytes to build it, and microseconds per snap, insertion and deletion, against m.

Run it with `python -m benchmarks.subscriptions [m ...]`; rows go to standard output and to
benchmarks/results/subscriptions.csv. Targets: 2 s and 15 s to build 2M and 10M, 64 bytes per subscription, 20 µs per
single insertion or deletion at 2M.
"""

import sys
from time import process_time

import numpy as np
import numpy.typing as npt

from benchmarks.record import write_rows
from floor.kernels import njit
from matching import SubscriptionIndex
from matching.kdtree_queries import Part, is_empty, snap, whole

SIZES = (200_000, 2_000_000, 10_000_000)
SIDES = (0.0003, 0.001, 0.003)
"""Sides of the rectangles; the tiles of a sweep at n = 10,000 and k = 20 are about 0.001 wide and high."""
QUERIES = 20_000
CHANGES, ROUNDS = 5_000, 4
SEED = 2024


@njit
def _snaps(part: Part, boxes: npt.NDArray[np.float64]) -> int:
    found = 0
    for i in range(len(boxes)):
        found += snap(part, boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3])[0]
    return found


@njit
def _empties(part: Part, boxes: npt.NDArray[np.float64]) -> int:
    empty = 0
    for i in range(len(boxes)):
        empty += is_empty(part, boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3])
    return empty


def ranges(rng: np.random.Generator, m: int) -> npt.NDArray[np.float64]:
    return np.sort(rng.random((m, 2)), axis=1)


def sweep_boxes(rng: np.random.Generator, side: float) -> npt.NDArray[np.float64]:
    """Rectangles in groups of ten neighbours, as the tiles of one event are."""
    corner = np.repeat(ranges(rng, QUERIES // 10), 10, axis=0) + side * rng.standard_normal((QUERIES, 2))
    width = side * rng.random((QUERIES, 2))
    return np.column_stack((corner[:, 0] - width[:, 0], corner[:, 0], corner[:, 1], corner[:, 1] + width[:, 1]))


def measure(m: int, rng: np.random.Generator) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []

    def note(what: str, value: float, unit: str) -> None:
        rows.append({"m": m, "measure": what, "value": round(value, 3), "unit": unit})
        print(f"m = {m:>10,}  {what:<32} {value:10.3f} {unit}", flush=True)

    left, right = ranges(rng, m).T.copy()
    best = np.inf
    for _ in range(2):
        start = process_time()
        index = SubscriptionIndex(left, right)
        best = min(best, process_time() - start)
    note("build", best, "s")
    note("space", index.nbytes / m, "bytes per subscription")
    for side in SIDES:
        boxes = sweep_boxes(rng, side)
        for name, kernel in (("snap", _snaps), ("is_empty", _empties)):
            best = np.inf
            for _ in range(3):
                start = process_time()
                kernel(whole(index.arrays), boxes)
                best = min(best, process_time() - start)
            note(f"{name}, side {side}", best / QUERIES * 1e6, "us")
    insertion, deletion = 0.0, 0.0  # of the whole stream: some insertions build parts of the index anew
    for _ in range(ROUNDS):
        singles = ranges(rng, CHANGES).tolist()
        start = process_time()
        ids = [index.insert(a, b) for a, b in singles]
        middle = process_time()
        for one in ids:
            index.delete(one)
        insertion, deletion = insertion + middle - start, deletion + process_time() - middle
    note("insert, one call each", insertion / (ROUNDS * CHANGES) * 1e6, "us")
    note("delete, one call each", deletion / (ROUNDS * CHANGES) * 1e6, "us")
    many = ranges(rng, m // 4)
    start = process_time()
    added = index.insert(many[:, 0], many[:, 1])
    note("insert, one array of m/4", (process_time() - start) / len(many) * 1e6, "us")
    start = process_time()
    index.delete(added)
    note("delete, one array of m/4", (process_time() - start) / len(many) * 1e6, "us")
    return rows


def main(sizes: tuple[int, ...] = SIZES) -> None:
    rng = np.random.default_rng(SEED)
    warm = SubscriptionIndex([0.0, 0.5], [1.0, 1.0])
    warm.delete(warm.insert(0.1, 0.2))
    warm.delete(warm.insert([0.1], [0.2]))
    for kernel in (_snaps, _empties):
        kernel(whole(warm.arrays), np.zeros((1, 4)))
    rows = [row for m in sizes for row in measure(m, rng)]
    write_rows("subscriptions", rows, SEED)


if __name__ == "__main__":
    main(tuple(int(size) for size in sys.argv[1:]) or SIZES)
