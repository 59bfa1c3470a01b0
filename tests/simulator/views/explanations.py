"""Explanations to draw, of all that may crowd a picture: k of 1 and of 20, ties, long names, windows, approaches."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from simulator.views.explain import explain, single_update
from simulator.views.explanation import Explanation
from simulator.workload.events import LOWER, RAISE, EventStream
from simulator.workload.workload import Workload

LONG = "$x_{%d} A rather long company name, Incorporated & Sons of the Northern Isles Holding plc, preferred"


def workload_of(n: int, k: int, m: int, seed: int, *, ties: bool = False) -> Workload:
    rng = np.random.default_rng(seed)
    l, r = np.sort(rng.random((2, m)), axis=0)
    x, y = rng.random((2, n))
    if ties:
        x, y, l, r = (np.floor(values * 8) / 8 for values in (x, y, l, r))
    return Workload(k, x, y, l.copy(), r.copy())


def fall(workload: Workload, rank: int, y: float) -> EventStream:
    return single_update(workload, int(np.argsort(workload.y)[rank]), y)


def random_updates(workload: Workload, count: int, seed: int) -> EventStream:
    rng = np.random.default_rng(seed)
    now, ids, ys, kinds = workload.y.copy(), rng.integers(len(workload.y), size=count), rng.random(count), []
    for i, y in zip(ids.tolist(), ys.tolist(), strict=True):
        kinds.append(RAISE if y < now[i] else LOWER)
        now[i] = y
    kind, nowhere = np.array(kinds, np.int8), np.zeros(count, np.int64)
    return EventStream(ids, workload.x[ids], ys, kind, np.arange(count) / 100, nowhere)


@cache
def crowded(case: str) -> Sequence[Explanation]:
    """The explanations of one picture, by its name in `CASES`."""
    small, many = workload_of(40, 3, 500, 11), workload_of(300, 20, 1000, 4)
    tied, one = workload_of(40, 3, 300, 5, ties=True), workload_of(30, 1, 300, 3)
    stream = random_updates(small, 60, 1)
    names = [LONG % i for i in range(len(small.x))]
    if case == "names":
        return [explain(small, fall(small, 8, 0.7), names=names)]
    if case == "side by side":
        return [explain(small, fall(small, 8, 0.7), 0, name) for name in ("paint-dense", "paint-sparse")]
    if case == "window":
        return [explain(small, stream, 27, "paint-batch(20)", names=names)]
    if case == "window and event":
        return [explain(small, stream, 7, name) for name in ("paint-batch(5)", "paint-batch-sparse(5)", "unicast")]
    single = {
        "few": (small, 8, 0.7),
        "rise": (small, 30, 0.05),
        "k = 1": (one, 2, 0.9),
        "k = 20": (many, 25, 0.4),
        "ties": (tied, 5, 0.8),
    }
    workload, rank, y = single[case]
    return [explain(workload, fall(workload, rank, y))]


CASES = ("few", "rise", "k = 1", "k = 20", "ties", "names", "side by side", "window", "window and event")
