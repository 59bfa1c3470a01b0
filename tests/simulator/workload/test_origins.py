"""Where events arise."""

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.workload.origins import ORIGINS, Where

OBJECTS = np.random.default_rng(0).integers(50, size=200_000)


def origins(
    name: str, delay_ms: NDArray[np.float64], *, skew: float = 1.0, spread_s: float = 0.01
) -> NDArray[np.int64]:
    return ORIGINS[name](OBJECTS, Where(skew, spread_s, delay_ms), np.random.default_rng(7))


@pytest.mark.parametrize("skew", [0.5, 1.0, 2.0])
def test_shares_of_skewed_origins_follow_zipf(skew: float) -> None:
    found = np.sort(np.bincount(origins("skewed", np.zeros((6, 6)), skew=skew), minlength=6))[::-1] / len(OBJECTS)
    weights = [1 / rank**skew for rank in range(1, 7)]
    assert found == pytest.approx([weight / sum(weights) for weight in weights], abs=0.005)


def test_the_busiest_broker_is_not_always_the_same() -> None:
    where = Where(3.0, 0.0, np.zeros((20, 20)))
    busiest = {
        int(np.bincount(ORIGINS["skewed"](OBJECTS[:50], where, np.random.default_rng(seed))).argmax())
        for seed in range(20)
    }
    assert len(busiest) > 5


def test_regional_origins_are_near_the_home_of_their_object() -> None:
    places_ms = np.array([0.0, 5.0, 20.0, 200.0])
    delay_ms = np.abs(places_ms[:, None] - places_ms)
    found = origins("regional", delay_ms)
    homes = origins("regional", delay_ms, spread_s=0.0)
    assert len(set(zip(OBJECTS.tolist(), homes.tolist(), strict=True))) == len(set(OBJECTS.tolist()))
    assert set(homes.tolist()) == {0, 1, 2, 3}
    for home in range(4):
        shares = np.bincount(found[homes == home], minlength=4) / (homes == home).sum()
        weights = np.exp(-delay_ms[home] / 10)
        assert shares == pytest.approx(weights / weights.sum(), abs=0.01)


@pytest.mark.parametrize("name", sorted(ORIGINS))
def test_one_broker_and_no_events(name: str) -> None:
    where = Where(1.0, 0.01, np.zeros((1, 1)))
    assert ORIGINS[name](np.arange(5), where, np.random.default_rng(1)).tolist() == [0] * 5
    assert ORIGINS[name](np.empty(0, np.int64), where, np.random.default_rng(1)).tolist() == []
