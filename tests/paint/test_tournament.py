"""The tournament index against sorting, under insertions and deletions that hit free slots, windows and rebuilds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paint.tournament_index import TournamentIndex
from tests.oracles.topk import Objects
from tests.strategies import events, worlds


def expected_first_k(objects: Objects, i: int, y: float, west: bool, k: int) -> list[int]:
    place = (objects[i][0], i)
    below = [h for h, (_, y_h) in objects.items() if (y_h, h) < (y, i)]
    if west:
        side = sorted(
            (h for h in below if (objects[h][0], h) < place), key=lambda h: (objects[h][0], h), reverse=True
        )
    else:
        side = sorted((h for h in below if (objects[h][0], h) > place), key=lambda h: (objects[h][0], h))
    return side[:k]


def expected_min_y(objects: Objects, left: float, right: float, y: float, i: int) -> int:
    return min(
        ((y_h, h) for h, (x, y_h) in objects.items() if left < x < right and (y_h, h) > (y, i)), default=(0.0, -1)
    )[1]


@settings(deadline=None, max_examples=80)
@given(worlds(max_objects=12), events(max_events=12), st.integers(0, 1000))
def test_queries_equal_sorting(world: dict[str, Any], stream: Any, pick: int) -> None:
    objects: Objects = dict(enumerate(zip(world["x"], world["y"], strict=True)))
    index = TournamentIndex(np.array(world["x"]), np.array(world["y"]))
    index._check()
    fresh = len(objects)
    for kind, which, value, other in stream:
        i = sorted(objects)[which % len(objects)] if objects else -1
        if kind == "insert":
            index.insert(fresh, value, other)
            objects[fresh] = (value, other)
            fresh += 1
        elif i >= 0:
            x, y = objects.pop(i)
            if kind == "update":
                index.update(i, value)
                objects[i] = (x, value)
            else:
                index.delete(i)
                if kind == "move":
                    index.insert(i, value, y)
                    objects[i] = (value, y)
        index._check()
        if objects:
            i = sorted(objects)[pick % len(objects)]
            y = objects[i][1]
            for west in (True, False):
                found = index.first_k(i, y, west, world["k"]).tolist()
                assert found == expected_first_k(objects, i, y, west, world["k"])
            for left, right in ((-np.inf, np.inf), (value, other), (min(value, other), np.inf)):
                assert index.min_y(left, right, y, i) == expected_min_y(objects, left, right, y, i)


@pytest.mark.parametrize("pattern", ["same place", "rising", "falling", "random", "ties"])
def test_many_insertions_and_deletions(pattern: str) -> None:
    rng = np.random.default_rng(1)
    index = TournamentIndex(rng.random(100), rng.random(100))
    objects = dict(enumerate(zip(index.arrays.x.tolist(), index.arrays.y.tolist(), strict=True)))
    places = {
        "same place": 0.5 + np.arange(1500) * 1e-9,
        "rising": 1.0 + np.arange(1500),
        "falling": -1.0 * np.arange(1500),
        "random": rng.random(1500),
        "ties": np.arange(1500) % 3.0,
    }[pattern]
    for step in range(1500):
        objects[100 + step] = (float(places[step]), rng.random())
        index.insert(100 + step, *objects[100 + step])
        if step % 100 == 0:
            index._check()
    for count, i in enumerate(rng.permutation(list(objects))[:1590].tolist()):
        index.delete(i)
        del objects[i]
        if count % 100 == 0:
            index._check()
    index._check()
    assert len(index.arrays.slot_x) < 200
    for i in objects:
        y = objects[i][1]
        assert index.first_k(i, y, True, 3).tolist() == expected_first_k(objects, i, y, True, 3)
        assert index.min_y(0.0, 1.0, y, i) == expected_min_y(objects, 0.0, 1.0, y, i)
