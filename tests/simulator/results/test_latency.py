"""Accounting of deliveries per event."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.results.latency import weighted_percentiles

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
