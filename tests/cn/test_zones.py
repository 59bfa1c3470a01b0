"""Zones tile the space, know their neighbours and find every subscription's home, whatever joins and leaves."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Zones, ZonesError
from tests.cn.drawing import LARGEST, edge_values, seeds, spaces
from tests.oracles.network import holds, neighbour_graph


def tables_match_oracle(zones: Zones) -> bool:
    extents, sides, neighbours = zones.table[:3]
    graph = neighbour_graph(extents, triangle=zones.space == "triangle")
    return all(
        sorted(neighbours[sides[b, 0] : sides[b, 4]].tolist())
        == sorted(nx.neighbors(graph, b) if zones.present[b] else [])
        for b in range(len(zones))
    )


@settings(deadline=None, max_examples=30)
@given(brokers=st.integers(1, 40), seed=seeds, space=spaces)
def test_zones_tile_and_tables_are_right(brokers: int, seed: int, space: str) -> None:
    zones = Zones(brokers, seed=seed, space=space)  # type: ignore[arg-type]
    zones._check()
    assert tables_match_oracle(zones)
    assert zones.present.all()


@settings(deadline=None, max_examples=30)
@given(brokers=st.integers(1, 40), seed=seeds, space=spaces)
def test_home_is_the_zone_that_holds_the_subscription(brokers: int, seed: int, space: str) -> None:
    zones = Zones(brokers, seed=seed, space=space)  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    l, r = np.sort(edge_values(zones, rng, 60).reshape(2, 30), axis=0)
    l, r = np.append(l, [-LARGEST, LARGEST, -LARGEST]), np.append(r, [LARGEST, LARGEST, -LARGEST])
    for home, left, right in zip(zones.home(l, r), l, r, strict=True):
        assert [b for b in range(brokers) if holds(zones.table.extents[b], left, right)] == [home]


@settings(deadline=None, max_examples=20)
@given(brokers=st.integers(1, 25), seed=seeds, space=spaces)
def test_invariants_hold_after_every_departure_and_join(brokers: int, seed: int, space: str) -> None:
    zones = Zones(brokers, seed=seed, space=space)  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    for _ in range(20):
        present = np.flatnonzero(zones.present)
        if len(present) > 1 and rng.random() < 0.6:
            before = zones.table.extents.copy()
            gone, heir, merged = zones.leave(int(rng.choice(present)))
            changed = np.flatnonzero((before != zones.table.extents).any(axis=1)).tolist()
            assert sorted(changed) == sorted({gone, heir, merged} - {-1})
            assert not zones.present[gone]
        else:
            left = np.flatnonzero(~zones.present)
            returns = len(left) > 0 and rng.random() < 0.7
            before, size = zones.table.extents.copy(), len(zones)
            broker, keeper = zones.join(int(rng.choice(left)), seed=rng) if returns else zones.join()
            assert (broker in left, len(zones)) == (returns, size + (not returns))
            changed = np.flatnonzero((before != zones.table.extents[:size]).any(axis=1)).tolist()
            assert sorted(changed) == sorted({broker, keeper} & set(range(size)))
        zones._check()
        assert tables_match_oracle(zones)


def test_the_seed_decides_where_a_broker_returns() -> None:
    def extents(seed: int | np.random.Generator) -> str:
        zones = Zones(40, seed=3)
        zones.leave(5)
        zones.join(5, seed)
        return str(zones.table.extents.tolist())

    assert extents(1) == extents(1) == extents(np.random.default_rng(1))
    assert len({extents(seed) for seed in range(10)}) > 5


def test_a_population_balances_the_zones() -> None:
    rng = np.random.default_rng(5)
    middle, width = rng.normal(0.5, 0.02, 20_000), rng.exponential(0.01, 20_000)
    l, r = middle - width, middle + width
    balanced = np.bincount(Zones(64, seed=1, population=(l, r)).home(l, r), minlength=64)
    uniform = np.bincount(Zones(64, seed=1).home(l, r), minlength=64)
    assert (balanced**2).sum() < (uniform**2).sum() / 4


def test_equal_members_do_not_stop_the_splitting() -> None:
    zones = Zones(300, seed=1, population=([0.5] * 10, [0.5] * 10))
    zones._check()


def test_triangle_uses_every_broker_and_square_about_half() -> None:
    l, r = np.sort(np.random.default_rng(0).random((2, 100_000)), axis=0)
    assert len(np.unique(Zones(100, seed=2).home(l, r))) == 100
    assert 40 < len(np.unique(Zones(100, seed=2, space="square").home(l, r))) < 70


@pytest.mark.parametrize(("space", "centre"), [("triangle", (1 / 3, 2 / 3)), ("square", (0.5, 0.5))])
def test_a_broker_covers_the_centre(space: str, centre: tuple[float, float]) -> None:
    zones = Zones(50, seed=4, space=space)  # type: ignore[arg-type]
    assert holds(zones.table.extents[zones.centre], *centre)


def test_same_seed_same_zones() -> None:
    assert np.array_equal(Zones(50, seed=9).table.extents, Zones(50, seed=9).table.extents)
    assert not np.array_equal(Zones(50, seed=9).table.extents, Zones(50, seed=8).table.extents)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"brokers": "3"}, "brokers must be an integer, got '3'"),
        ({"brokers": 2.5}, "brokers must be an integer, got 2.5"),
        ({"domain": 5}, "domain must be two finite values in ascending order, got 5"),
        ({"domain": (0.0, "a")}, "domain must be two finite values"),
        ({"seed": "one"}, "seed must be an integer of at least 0 or a numpy Generator, got 'one'"),
    ],
)
def test_arguments_of_the_wrong_kind(options: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        Zones(**{"brokers": 2, **options})


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"seed must be an integer of at least 0 .* got -1"):
        Zones(2, seed=-1)
    with pytest.raises(ValueError, match="brokers must be at least 1, got 0"):
        Zones(0)
    with pytest.raises(ValueError, match="domain must be two finite values"):
        Zones(2, domain=(1.0, 1.0))
    with pytest.raises(ValueError, match="space must be"):
        Zones(2, space="disc")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one subscription"):
        Zones(2, population=([], []))
    with pytest.raises(ValueError, match=r"l <= r, got \[2.0, 1.0\] at row 1"):
        Zones(2).home([0.0, 2.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="at row 0"):
        Zones(2).home([np.nan], [1.0])
    with pytest.raises(ZonesError, match="too narrow"):
        Zones(50, domain=(0.0, 1e-323))
    with pytest.raises(ZonesError, match="last one"):
        Zones(1).leave(0)
    zones = Zones(3)
    with pytest.raises(ValueError, match="broker must be one of the 3 present, got 7"):
        zones.leave(7)
    zones.leave(1)
    for broker in (0, 3, -2):
        with pytest.raises(ValueError, match=f"broker must be one of the 1 that left, got {broker}"):
            zones.join(broker)
