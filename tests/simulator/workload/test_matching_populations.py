"""Populations of seeds 000 and 001: what their parameters say is so, and the same seed gives the same."""

import numpy as np
import pytest

from matching.places import PlaceScan
from simulator.workload.placed_predicates import PlacedPredicates, make_placed, make_placed_events
from simulator.workload.zipf_boxes import ZipfBoxes, make_zipf_boxes


@pytest.mark.parametrize(("skew", "share"), [(0.0, 0.65), (0.75, 0.40), (2.0, 0.08)])
def test_skew_of_lengths_sets_how_many_ranges_hold_a_point(skew: float, share: float) -> None:
    l, r, score, points = make_zipf_boxes(ZipfBoxes(4000, 1, skew), 200, 3)
    held = ((l[:, 0] <= points) & (points <= r[:, 0])).mean()
    assert held == pytest.approx(share, abs=0.06)
    assert ((score >= 0) & (score < 1)).all()
    assert score == pytest.approx(1 - (r - l) / 2)


def test_points_of_boxes_lie_in_few_regions() -> None:
    spec = ZipfBoxes(1000, 2)
    l, r, _, points = make_zipf_boxes(spec, 2000, 5)
    assert l.shape == r.shape == (1000, 2)
    assert ((points >= 0) & (points < 1)).all()
    cells = np.unique((points * spec.cells).astype(int), axis=0)
    assert len(cells) < spec.regions * spec.volume * spec.cells**2
    assert np.array_equal(make_zipf_boxes(spec, 5, 5)[0], l)
    assert not np.array_equal(make_zipf_boxes(spec, 5, 6)[0], l)


@pytest.mark.parametrize("skew", [0.0, 1.0])
def test_placed_subscriptions_are_fit_for_an_index(skew: float) -> None:
    spec = PlacedPredicates(800, attributes=50, subscription_length=4, skew=skew, alpha=(0.5, 0.05))
    predicates, places, alpha = make_placed(spec, 7)
    index = PlaceScan(predicates, places, alpha, max_distance=2**0.5)
    assert len(index) == 800
    assert 0.4 < alpha.mean() < 0.6
    assert alpha.std() < 0.1
    assert 3 < len(predicates) / 800 <= 4.2
    share = np.bincount(predicates.attribute, minlength=50) / len(predicates)
    assert share[0] > 0.1 if skew else share.max() < 0.05
    assert np.bincount(predicates.subscription, predicates.weight) == pytest.approx(np.ones(800))
    events, where = make_placed_events(spec, 40, 7)
    assert events.shape == (40, 50)
    present = (~np.isnan(events)).sum(axis=1)
    assert present.min() >= 1
    assert present.max() <= 11
    assert ((where >= 0) & (where <= 1)).all()
    assert np.array_equal(make_placed(spec, 7)[2], alpha)
