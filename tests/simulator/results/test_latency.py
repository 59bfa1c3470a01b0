"""Accounting of deliveries per event."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.approaches.registry import parse_approach
from simulator.engine.carry import carry_events
from simulator.results.latency import waits_of, weighted_percentiles
from tests.simulator.small import random_scenario, small_ingredients

deliveries = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 4), st.floats(0, 10, allow_nan=False)), max_size=30
)  # fmt: skip


@settings(deadline=None)
@given(deliveries)
def test_percentiles_are_those_of_the_values_written_out(rows: list[tuple[int, int, float]]) -> None:
    ranks = np.array([0.5, 0.95, 0.99, 1.0])
    group = np.array([g for g, _, _ in rows], np.int64)
    weights = np.array([w for _, w, _ in rows], np.int64)
    values = np.array([v for _, _, v in rows], np.float64)
    comp = weighted_percentiles(values, weights, group, 4, ranks)
    for g in range(4):
        written_out = sorted(v for h, w, v in rows for _ in range(w) if h == g)
        for at, rank in enumerate(ranks):
            if written_out:
                # nearest rank: the smallest value with at least that share of values at or below it
                ref = next(v for v in written_out if sum(u <= v for u in written_out) >= rank * len(written_out))
                assert comp[g, at] == ref
            else:
                assert np.isnan(comp[g, at])


@pytest.mark.parametrize(
    ("seed", "name"), [(1, "paint-dense"), (4, "paint-batch(7)"), (5, "cn-relax"), (8, "paint-sparse")]
)
def test_every_subscription_counts_once_when_a_message_first_comes_to_it(seed: int, name: str) -> None:
    """Held against all notifications written out, while brokers crash and hand subscriptions over."""
    faults = {"crashes": 12, "detection": "10ms", "downtime": "30ms", "loss": 0.2, "joins": 10, "leaves": 10}
    scenario = random_scenario(
        seed, faults=faults, subscriptions={"count": 60}, events={"count": 80, "rate": "500/s"}
    )
    ingredients, approach = small_ingredients(scenario), parse_approach(name)
    every, again = np.arange(70), 0
    session = approach.open(ingredients.workload, approach)
    for carried in carry_events(scenario, ingredients, approach, session, every):
        assert carried.notified_s is not None
        told = sorted(
            zip(carried.notified_s, carried.notified.message, carried.notified.subscription, strict=True),
            reverse=True,
        )
        first = {(message, subscription): time_s for time_s, message, subscription in told}
        ref = sorted((message, time_s - carried.since_s[message]) for (message, _), time_s in first.items())
        waits = waits_of(ingredients, approach, carried, last_hop=False)
        assert waits is not None
        comp = sorted(
            zip(np.repeat(waits.message, waits.weight), np.repeat(waits.ms / 1e3, waits.weight), strict=True)
        )
        assert [message for message, _ in comp] == [message for message, _ in ref]
        assert np.allclose([wait_s for _, wait_s in comp], [wait_s for _, wait_s in ref])
        again += len(told) - len(first)
    assert again > 0
