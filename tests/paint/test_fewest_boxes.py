"""Paint-Dense sends the fewest boxes there can be, of every object and kind of event; Paint-Sparse is near it."""

from itertools import product

import numpy as np
import pytest

from tests.oracles.boxes import fewest_boxes, maximal_corners
from tests.paint.one_event import KINDS, OneEvent, sparse_and_fewest


@pytest.mark.parametrize(("dimensions", "n", "seeds"), [(1.5, 6, 4), (2, 4, 3)])
@pytest.mark.parametrize("kind", KINDS)
def test_paint_dense_sends_the_fewest(kind: str, dimensions: float, n: int, seeds: int) -> None:
    for seed, k in product(range(seeds), (1, 2, 3)):
        event = OneEvent(seed, dimensions, n, k, kind)
        for h in range(n):
            region = event.region(h)
            boxes, reached = event.told(h)
            assert reached == region
            assert boxes == fewest_boxes(region, set(event.cells))


@pytest.mark.parametrize(("dimensions", "n"), [(1.5, 9), (2, 6), (2.5, 5), (3, 4)])
@pytest.mark.parametrize("kind", KINDS)
def test_paint_dense_sends_a_box_for_every_maximal_corner(kind: str, dimensions: float, n: int) -> None:
    for seed, k in product(range(3), (1, 2, 3)):
        event = OneEvent(seed, dimensions, n, k, kind)
        for h in range(n):
            region = event.region(h)
            assert event.told(h) == (maximal_corners(region), region)


@pytest.mark.parametrize(("dimensions", "n", "share", "most"), [(1.5, 8, 0.3, 1.25), (2, 6, 0.2, 1.4)])
def test_paint_sparse_is_near_the_fewest(dimensions: float, n: int, share: float, most: float) -> None:
    pairs = [pair for k in (1, 2, 3, 5) for pair in sparse_and_fewest(dimensions, n, k, share, 3)]
    sent, fewest = np.array(pairs).T
    assert (sent >= fewest).all()
    assert fewest.mean() > 1.5
    assert 1 < (sent / fewest).mean() < most
    assert (sent / fewest).max() <= 3
