"""The paper's figures for approaches that know the subscriptions: Tables I to IV on uniform data."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import paint
from matching import SubscriptionIndex
from tests.oracles.sweep import min_y_calls, region_tiles
from tests.paint.test_paper import EVENTS, uniform

TABLE_3 = {1: (0.72744, 1.2284), 2: (1.08988, 2.95254), 5: (2.59596, 12.06538), 10: (5.5568, 40.69192),
           15: (8.57692, 84.65234), 20: (11.58048, 143.20416)}  # fmt: skip
"""k: min_y and snap calls per event of Paint-Sparse at m = 2M."""
TABLE_4 = {
    200_000: (3.52, 29.87),
    800_000: (4.784, 37.34),
    4_000_000: (5.94188, 42.0509),
    10_000_000: (6.26988, 42.86982),
}
"""m: min_y and snap calls per event of Paint-Sparse at k = 10."""
TABLE_2 = {0.125: 0.034, 0.25: 0.080, 0.5: 0.17, 1.0: 0.34}
"""epsilon: redundancy at k = 20."""
COUNTED = {1: (0.700, 1.201), 2: (1.031, 2.858), 5: (2.447, 11.59), 10: (5.325, 39.48), 15: (8.47, 84.2),
           20: (11.52, 143.3)}  # fmt: skip
"""k: min_y and snap calls per event at m = 2M, counted as the paper does by an implementation of somebody else's."""


OURS = {1: (0.2451, 1.2529), 2: (0.6367, 2.8312), 5: (2.2636, 9.3922), 10: (5.3429, 27.9596),
        15: (8.4102, 57.8666), 20: (11.4473, 99.8793)}  # fmt: skip
"""k: min_y and snap calls per event at m = 2M as ours counts them, means over three seeds: no more, and no fewer."""
OURS_200_000 = {1: (0.0815, 1.0775), 10: (3.0028, 16.1355)}
"""k: the same at m = 200k, over the first 4000 events of a seed."""
OURS_TABLE_4 = {
    200_000: (2.984, 16.278),
    800_000: (4.469, 22.263),
    4_000_000: (5.726, 32.278),
    10_000_000: (6.077, 37.549),
}
"""m: the same at k = 10, of one seed."""


@cache
def uniform_index(m: int, seed: int = 11) -> SubscriptionIndex:
    return SubscriptionIndex(*uniform_ranges(m, seed).T)


def uniform_ranges(m: int, seed: int = 11) -> NDArray[np.float64]:
    return np.sort(np.random.default_rng(seed).random((m, 2)), axis=1)


def calls(m: int, k: int, events: int, seed: int = 1, counted: int = 30) -> tuple[float, float]:
    """Calls of min_y and snap per event; those of the last `counted` events are counted at the subscriptions too.

    How many snaps an object takes that goes down depends on how its boxes are cut: one for each tile of its region,
    and no more than two for each of Paint-Dense.
    """
    x, y, ids, new = uniform(seed)
    server = paint.Server(x, y, k=k, algorithm="sparse", subscriptions=uniform_index(m))
    messages = server.replay(ids[:events], new[:events])
    assert messages.costs is not None
    assert messages.costs.sum(axis=0).tolist() == list(server.costs.values())
    ranges, first = uniform_ranges(m), events - counted
    np.put(y, ids[:first], new[:first])
    for event in range(first, events):
        i, value = int(ids[event]), float(new[event])
        first_k, min_y, snap = messages.costs[event, :3].tolist()
        tiles = region_tiles(x, y, k, i, min(value, y[i]))
        assert first_k == 2
        assert min_y == (min_y_calls(x, y, ranges, k, i, value) if value > y[i] else 0)
        assert tiles <= snap <= (tiles if value < y[i] else 2 * len(paint.Server(x, y, k=k).update(i, value)))
        y[i] = value
    return server.costs["min_y"] / events, server.costs["snap"] / events


def received(messages: paint.Messages, index: SubscriptionIndex) -> int:
    """Messages that carry the updated object, counted at the subscriptions."""
    table = messages.table[messages.table["cause"] == paint.UPDATE]
    sides = np.nextafter(table["l_out"], np.inf), table["l_in"], table["r_in"], np.nextafter(table["r_out"], -np.inf)
    return int(index.counts(np.column_stack(sides)).sum())


def check_redundancy(index: SubscriptionIndex, events: int) -> None:
    x, y, ids, new = uniform(1)
    totals = {}
    for epsilon in (None, *TABLE_2):
        server = paint.Server(x, y, k=20, algorithm="sparse", subscriptions=index, epsilon=epsilon)
        totals[epsilon] = received(server.replay(ids[:events], new[:events]), index)
    for epsilon, redundancy in TABLE_2.items():
        assert totals[epsilon] / totals[None] - 1 == pytest.approx(redundancy, abs=0.03)


def test_every_snap_is_counted() -> None:
    """Three of them, by hand: around the region, around what the exposed object gains, around what is left."""
    server = paint.Server([0.0, 1.0], [1.0, 2.0], k=1, algorithm="sparse", subscriptions=[(-1.0, 0.5), (-2.0, 2.0)])
    assert len(server.update(0, 3.0)) == 2
    assert server.costs == {"first_k": 2, "min_y": 2, "snap": 3, "empty": 0}
    assert len(server.update(0, 1.5)) == 1
    assert server.costs == {"first_k": 4, "min_y": 2, "snap": 4, "empty": 0}


@pytest.mark.parametrize("k", [1, 10])
def test_calls_at_200_000(k: int) -> None:
    """No more calls than the paper has at ten times the subscriptions, nor at k = 10 than Table IV."""
    min_y, snap = calls(200_000, k, 4000)
    limits = TABLE_4[200_000] if k == 10 else TABLE_3[k]
    assert min_y <= 1.1 * limits[0]
    assert snap <= 1.1 * limits[1]
    assert (min_y, snap) == pytest.approx(OURS_200_000[k], rel=0.01)


def test_redundancy_by_the_updated_object() -> None:
    check_redundancy(uniform_index(200_000), EVENTS)


def test_unicast_counts() -> None:
    """Tables I and III: Unicast tells those that any exact algorithm tells, a share of its candidates."""
    x, y, ids, new = uniform(1)
    index = uniform_index(200_000)
    exact = paint.Server(x, y, k=10, algorithm="sparse", subscriptions=index).replay(ids, new)
    server = paint.Server(x, y, k=10, algorithm="unicast", subscriptions=index)
    messages = received(server.regions(ids, new), index)
    assert messages == received(exact, index)
    assert server.costs["min_y"] / messages == pytest.approx(5453.64 / 4190.21, rel=0.05)


@pytest.mark.parametrize("k", [2, 10])
def test_calls_as_the_paper_counts_them(k: int) -> None:
    """A snap for each tile of Paint-Dense of every object asked about, and a last min_y for every lowered object."""
    x, y, ids, new = uniform(1)
    events, index = 3000, uniform_index(200_000)
    server = paint.Server(x, y, k=k, algorithm="sparse", subscriptions=index)
    messages = server.replay(ids[:events], new[:events])
    tiles = paint.Server(x, y, k=k).replay(ids[:events], new[:events])
    assert messages.paper_costs is not None
    assert messages.paper_costs.sum(axis=0).tolist() == list(server.paper_costs.values())
    now = y.copy()
    for event in range(events):
        first_k, min_y, snap = messages.paper_costs[event].tolist()
        rows = tiles.table[tiles.offsets[event] : tiles.offsets[event + 1]]
        updated = rows["cause"] == paint.UPDATE
        told = messages.table["object"][messages.offsets[event] : messages.offsets[event + 1]]
        lowered = new[event] > now[ids[event]]
        assert first_k == 2
        assert min_y >= lowered * (1 + len(set(told.tolist()) - {int(ids[event])}))
        assert min_y <= lowered * (1 + len(set(rows["object"][~updated].tolist())))
        assert updated.sum() + np.isin(rows["object"][~updated], told).sum() <= snap <= len(rows)
        now[ids[event]] = new[event]
    if k == 10:
        counted = [server.paper_costs[name] / events for name in ("min_y", "snap")]
        assert counted == pytest.approx(TABLE_4[200_000], rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("k", sorted(COUNTED))
def test_table_3_as_the_paper_counts(k: int) -> None:
    x, y, ids, new = uniform(1)
    server = paint.Server(x, y, k=k, algorithm="sparse", subscriptions=uniform_index(2_000_000))
    server.replay(ids, new)
    counted = [server.paper_costs[name] / len(ids) for name in ("min_y", "snap")]
    assert counted == pytest.approx(COUNTED[k], rel=0.04)
    assert counted == pytest.approx(TABLE_3[k], rel=0.08)


@pytest.mark.slow
@pytest.mark.parametrize("k", sorted(TABLE_3))
def test_table_3(k: int) -> None:
    for seed in (1, 2, 3):
        min_y, snap = calls(2_000_000, k, EVENTS, seed, counted=8)
        assert min_y <= 1.1 * TABLE_3[k][0]
        assert snap <= 1.1 * TABLE_3[k][1]
        assert (min_y, snap) == pytest.approx(OURS[k], rel=0.02)


@pytest.mark.slow
def test_table_2() -> None:
    check_redundancy(uniform_index(2_000_000), EVENTS)


@pytest.mark.slow
def test_table_4_grows_with_m() -> None:
    """The paper seems to count a min_y call also for a lowered object that nobody holds: ours start lower."""
    measured = {m: calls(m, 10, EVENTS, counted=4) for m in TABLE_4}
    for m, (min_y, snap) in measured.items():
        assert 0.8 * TABLE_4[m][0] <= min_y <= 1.1 * TABLE_4[m][0]
        assert snap <= 1.1 * TABLE_4[m][1]
        assert (min_y, snap) == pytest.approx(OURS_TABLE_4[m], rel=0.01)
    rising = [min_y for min_y, _ in measured.values()]
    assert rising == sorted(rising)
    assert rising[-1] == pytest.approx(TABLE_4[10_000_000][0], rel=0.05)
