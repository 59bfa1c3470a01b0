"""The tournament index against sorting, under insertions and deletions that hit free slots, windows and rebuilds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paint.tournament_index import TournamentIndex
from tests.oracles.objects import Objects
from tests.strategies import events, worlds


@settings(deadline=None, max_examples=80)
@given(worlds(max_objects=12), events(max_events=12), st.integers(0, 1000))
def test_queries_equal_sorting(world: dict[str, Any], stream: Any, pick: int) -> None:
    oracle = Objects(world["x"], world["y"])
    index = TournamentIndex(np.array(world["x"]), np.array(world["y"]))
    index._check()
    fresh = len(oracle.at)
    for kind, which, value, other in stream:
        i = sorted(oracle.at)[which % len(oracle.at)] if oracle.at else -1
        if kind == "insert":
            for each in (index, oracle):
                each.insert(fresh, value, other)
            fresh += 1
        elif i >= 0:
            _, y = oracle.at[i]
            for each in (index, oracle):
                if kind == "update":
                    each.update(i, value)
                else:
                    each.delete(i)
                    if kind == "move":
                        each.insert(i, value, y)
        index._check()
        if oracle.at:
            i = sorted(oracle.at)[pick % len(oracle.at)]
            y = oracle.at[i][1]
            for west in (True, False):
                assert index.first_k(i, y, west, world["k"]).tolist() == oracle.first_k(i, y, west, world["k"])
            for left, right in ((-np.inf, np.inf), (value, other), (min(value, other), np.inf)):
                assert index.min_y(left, right, y, i) == oracle.min_y(left, right, y, i)


@pytest.mark.parametrize("pattern", ["same place", "rising", "falling", "random", "ties"])
def test_many_insertions_and_deletions(pattern: str) -> None:
    rng = np.random.default_rng(1)
    index = TournamentIndex(rng.random(100), rng.random(100))
    oracle = Objects(index.arrays.x.tolist(), index.arrays.y.tolist())
    places = {
        "same place": 0.5 + np.arange(1500) * 1e-9,
        "rising": 1.0 + np.arange(1500),
        "falling": -1.0 * np.arange(1500),
        "random": rng.random(1500),
        "ties": np.arange(1500) % 3.0,
    }[pattern]
    for step in range(1500):
        y = rng.random()
        for each in (index, oracle):
            each.insert(100 + step, float(places[step]), y)
        if step % 100 == 0:
            index._check()
    for count, i in enumerate(rng.permutation(list(oracle.at))[:1590].tolist()):
        for each in (index, oracle):
            each.delete(i)
        if count % 100 == 0:
            index._check()
    index._check()
    assert len(index.arrays.slot_x) < 200
    for i, (_, y) in oracle.at.items():
        assert index.first_k(i, y, True, 3).tolist() == oracle.first_k(i, y, True, 3)
        assert index.min_y(0.0, 1.0, y, i) == oracle.min_y(0.0, 1.0, y, i)
