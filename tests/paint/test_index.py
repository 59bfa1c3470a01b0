"""The sweep made of first_k and min_y, which indexes without their own get, against the tournament's."""

import numpy as np
import pytest

from paint import index
from paint.sweep import expose, influence_interval, make_sweep
from paint.tournament_index import TournamentIndex


@pytest.mark.parametrize("distinct", [5, 20, 10**6])
def test_the_sweep_of_first_k_and_min_y_equals_the_tournaments_own(distinct: int) -> None:
    rng = np.random.default_rng(distinct)
    for _ in range(30):
        n, k = int(rng.integers(1, 40)), int(rng.integers(1, 5))
        x, y = rng.integers(0, distinct, (2, n)).astype(np.float64)
        arrays = TournamentIndex(x, y).arrays
        i = int(rng.integers(n))
        end = float(arrays.y[i] + rng.integers(0, distinct))
        own, made = make_sweep(k), make_sweep(k)
        index.open_sweep(arrays, own, i, end, k)
        index._open_sweep(arrays, made, i, end, k)
        h = i
        while h >= 0:
            for side in (0, 1):
                assert own.counts[side] == made.counts[side]
                assert own.ids[side, : own.counts[side]].tolist() == made.ids[side, : own.counts[side]].tolist()
                assert own.xs[side, : own.counts[side]].tolist() == made.xs[side, : own.counts[side]].tolist()
            left, right = influence_interval(own, k)
            h = index.next_exposed(arrays, own, left, right)
            assert h == index._next_exposed(arrays, made, left, right)
            if h >= 0:
                assert (own.ys == made.ys).all()
                for sweep in (own, made):
                    expose(sweep, h, arrays.x[h], arrays.x[i], k)
