"""The paper's figures that Paint-Dense must meet: Table III and the bytes of Section V-B."""

import numpy as np
import pytest
from numpy.typing import NDArray

import paint

Stream = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]

OBJECTS = 10_000
EVENTS = 20_000
SEEDS = (1, 2, 3)
MESSAGE_BYTES = 24


def uniform(seed: int) -> Stream:
    """Draw objects and events as Section V does: up or down with equal chance, uniform in what remains there."""
    rng = np.random.default_rng(seed)
    x, y = rng.random(OBJECTS), rng.random(OBJECTS)
    ids = rng.integers(0, OBJECTS, EVENTS)
    new = np.empty(EVENTS)
    now = y.copy()
    for event, (i, up, share) in enumerate(zip(ids, rng.random(EVENTS) < 0.5, rng.random(EVENTS), strict=True)):
        now[i] = new[event] = now[i] + share * (1 - now[i]) if up else now[i] * share
    return x, y, ids, new


@pytest.fixture(scope="module")
def streams() -> list[Stream]:
    return [uniform(seed) for seed in SEEDS]


@pytest.mark.parametrize(("k", "calls"), [(1, 1.12), (2, 1.73), (5, 3.57), (10, 6.60), (15, 9.63), (20, 12.63)])
def test_table_3_min_y_calls(streams: list[Stream], k: int, calls: float) -> None:
    totals = []
    for x, y, ids, new in streams:
        server = paint.Server(x, y, k=k)
        server.replay(ids, new)
        assert server.costs["first_k"] == 2 * EVENTS
        totals.append(server.costs["min_y"] / EVENTS)
    assert np.mean(totals) == pytest.approx(calls, rel=0.03)


def test_bytes_per_event(streams: list[Stream]) -> None:
    sizes = [len(paint.Server(x, y, k=20).replay(ids, new)) * MESSAGE_BYTES / EVENTS for x, y, ids, new in streams]
    assert np.mean(sizes) == pytest.approx(3501, rel=0.03)
