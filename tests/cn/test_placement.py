"""Which broker gets which zone: always each one, neighbours near each other, and the zones as they were."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Can, Zones, near_brokers
from cn.placement import _nearest
from tests.cn.drawing import draw_rectangles, seeds, spaces
from tests.oracles.network import neighbour_graph
from tests.oracles.placement import best_change, least_sum, sum_of_delays

Floats = npt.NDArray[np.float64]
KINDS = ["plane", "any", "equal", "none", "few"]


def delays(kind: str, brokers: int, rng: np.random.Generator) -> Floats:
    """Between brokers in a plane, drawn each by itself, all equal, none, or with many ties."""
    if kind == "plane":
        x, y = rng.random((2, brokers))
        straight: Floats = np.hypot(x[:, None] - x, y[:, None] - y)
        return straight
    drawn = {
        "any": rng.random((brokers, brokers)),
        "equal": np.ones((brokers, brokers)),
        "none": np.zeros((brokers, brokers)),
        "few": rng.integers(1, 4, (brokers, brokers)).astype(float),
    }[kind]
    both: Floats = np.triu(drawn, 1) + np.triu(drawn, 1).T
    return both


def graph_of(zones: Zones) -> Any:
    return neighbour_graph(zones.table.extents, triangle=zones.space == "triangle")


@settings(deadline=None, max_examples=40)
@given(brokers=st.integers(1, 24), seed=seeds, space=spaces, kind=st.sampled_from(KINDS))
def test_everyone_gets_a_zone_and_no_change_of_two_is_better(brokers: int, seed: int, space: str, kind: str) -> None:
    zones = Zones(brokers, seed=seed, space=space)  # type: ignore[arg-type]
    delay_ms, graph = delays(kind, brokers, np.random.default_rng(seed)), graph_of(zones)
    chosen = near_brokers(zones, delay_ms)
    assert sorted(chosen.tolist()) == list(range(brokers))
    reached = sum_of_delays(graph, chosen.tolist(), delay_ms)
    assert best_change(graph, chosen.tolist(), delay_ms) >= reached * (1 - 1e-6)
    assert np.array_equal(chosen, near_brokers(zones, delay_ms))


@pytest.mark.parametrize("kind", ["plane", "any", "few"])
def test_of_few_zones_the_sum_is_about_the_least(kind: str) -> None:
    reached, least, at_random = 0.0, 0.0, 0.0
    for seed in range(8):
        zones, rng = Zones(7, seed=seed), np.random.default_rng(seed)
        delay_ms, graph = delays(kind, 7, rng), graph_of(zones)
        one = sum_of_delays(graph, near_brokers(zones, delay_ms).tolist(), delay_ms)
        best = least_sum(graph, 7, delay_ms)
        assert one >= best * (1 - 1e-12)
        reached, least = reached + one, least + best
        at_random += sum_of_delays(graph, rng.permutation(7).tolist(), delay_ms)
    assert reached < 1.15 * least
    assert 1.15 * least < at_random


@pytest.mark.parametrize("space", ["triangle", "square"])
def test_in_a_plane_neighbours_are_several_times_as_near(space: str) -> None:
    zones, rng = Zones(300, seed=4, space=space), np.random.default_rng(4)  # type: ignore[arg-type]
    delay_ms, graph = delays("plane", 300, rng), graph_of(zones)
    at_random = sum_of_delays(graph, rng.permutation(300).tolist(), delay_ms)
    assert sum_of_delays(graph, near_brokers(zones, delay_ms).tolist(), delay_ms) < at_random / 5


@given(brokers=st.integers(1, 20), seed=seeds, kind=st.sampled_from(KINDS), count=st.integers(0, 25))
@settings(deadline=None, max_examples=40)
def test_the_nearest_are_those_of_a_sort(brokers: int, seed: int, kind: str, count: int) -> None:
    delay_ms, count = delays(kind, brokers, np.random.default_rng(seed)), min(count, brokers - 1)
    found = _nearest(delay_ms, count).tolist()
    for broker in range(brokers):
        others = sorted((delay_ms[broker, other], other) for other in range(brokers) if other != broker)
        assert found[broker] == [other for _, other in others[:count]]


@settings(deadline=None, max_examples=20)
@given(brokers=st.integers(1, 25), seed=seeds, space=spaces)
def test_the_same_zones_are_in_other_hands(brokers: int, seed: int, space: str) -> None:
    before, after = (Zones(brokers, seed=seed, space=space) for _ in range(2))  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    given_to = rng.permutation(brokers)
    after.assign(given_to)
    after._check()
    assert np.array_equal(after.table.extents[given_to], before.table.extents)
    assert after.centre == given_to[before.centre]
    l, r = np.sort(rng.random((2, 30)), axis=0)
    assert np.array_equal(after.home(l, r), given_to[before.home(l, r)])
    table = draw_rectangles(before, rng, 20)
    one, other = Can(before).multicast(table, before.centre), Can(after).multicast(table, after.centre)
    assert np.array_equal(one.overlay_hops, other.overlay_hops)
    assert [set(part.tolist()) for part in np.split(given_to[one.zones], one.offsets[1:-1])] == [
        set(part.tolist()) for part in np.split(other.zones, other.offsets[1:-1])
    ]
    if brokers > 1:
        gone = int(rng.integers(brokers))
        after.leave(gone)
        after._check()
        after.join(gone, 3)
        after._check()


def test_mistakes_are_told() -> None:
    zones = Zones(3)
    for wrong in ([0, 1], [0, 1, 1], [1, 2, 3]):
        with pytest.raises(ValueError, match="brokers must be all 3, each once and present, got"):
            zones.assign(wrong)
    with pytest.raises(ValueError, match=r"delay_ms must be square with a row per broker \(3\), got \(2, 2\)"):
        near_brokers(zones, np.zeros((2, 2)))
    zones.leave(1)
    with pytest.raises(ValueError, match="each once and present"):
        zones.assign([0, 1, 2])
