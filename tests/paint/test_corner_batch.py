"""Paint-Batch over several attributes against brute force: windows of events of every kind."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

import paint
from tests.paint.test_sides import DIMENSIONS, Run
from tests.uncompiled import run_uncompiled

OPTIONS: list[dict[str, Any]] = [
    {},
    {"algorithm": "sparse"},
    {"epsilon": 0.5},
    {"descending": True},
    {"epsilon": 1, "cut": "tiles", "descending": True},
    {"algorithm": "sparse", "descending": True},
    {"algorithm": "sparse", "epsilon": 0.5},
    {"algorithm": "sparse", "epsilon": 0.25, "cut": "tiles", "descending": True},
    {"algorithm": "sparse-tiles"},
    {"algorithm": "sparse", "sketch": 5},
]


def run_some() -> None:
    sent: Counter[str] = Counter()
    for seed, (options, dimensions) in enumerate(product(OPTIONS, DIMENSIONS)):
        run = Run(seed, dimensions, events=12, most=60, m=40, **options)
        run.run_windows(3, 6)
        sent[str(options)] += run.sent
    assert min(sent.values()) > 10, sent
    Run(4, 2, events=12, most=60, n=60, distinct=30).run_windows(2, 20)


def test_windows_are_exact_without_compilation() -> None:
    run_uncompiled("from tests.paint.test_corner_batch import run_some; run_some()")


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_windows_are_exact(dimensions: float, options: dict[str, Any]) -> None:
    for seed in range(30):
        Run(seed, dimensions, events=12, most=500, **options).run_windows(5, 6)


@pytest.mark.slow
def test_a_batch_is_a_window_of_updates() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.random((20, 2)), rng.random(20)
    one, other = (paint.Server(x, y, k=3, dimensions=1.5) for _ in range(2))
    batch = [(3, 0.9), (4, 0.1), (5, np.inf), (3, 0.5)]
    places = [tuple(x[i].tolist()) for i, _ in batch]
    window = [(i, place, value) for (i, value), place in zip(batch, places, strict=True)]
    assert one.batch(batch).table.tobytes() == other.window(window).table.tobytes()
    with pytest.raises(ValueError, match="'printed' is for one dimension"):
        one.batch([(3, 0.1)], variant="printed")
