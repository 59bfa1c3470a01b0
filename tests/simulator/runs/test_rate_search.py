"""The search for a rate closes in on any limit, by few tests, and ends where nothing fails or everything does."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.results.loads import Bottleneck
from simulator.runs.rate_search import Limits, Probe, find_rate

WIDE = Limits(1e-3, 1e7)


def stepwise(passing: Callable[[float], bool]) -> tuple[Callable[[float], Probe], list[float]]:
    asked: list[float] = []

    def test(rate_per_s: float) -> Probe:
        asked.append(rate_per_s)
        return Probe(rate_per_s, 1.0 if passing(rate_per_s) else 1e3, None)

    return test, asked


@pytest.mark.parametrize("limit", [0.01, 3.0, 99.9, 100.1, 12_345.0])
def test_the_search_closes_in_on_any_limit(limit: float) -> None:
    test, asked = stepwise(lambda rate: rate <= limit)
    answer = find_rate(test, 100.0, 10.0, WIDE)
    assert answer.highest is not None
    assert answer.failing is not None
    assert answer.highest.rate_per_s <= limit < answer.failing.rate_per_s <= 1.02 * answer.highest.rate_per_s
    assert len(asked) < 30


@pytest.mark.parametrize("start", [1.0, 100.0, 5000.0, 2e5])
@pytest.mark.parametrize("seed", range(5))
def test_where_work_is_the_limit_few_tests_find_it(start: float, seed: int) -> None:
    """Work is measured with an error that is larger at low rates, which have fewer events."""
    rng, asked = np.random.default_rng(seed), []

    def test(rate_per_s: float) -> Probe:
        asked.append(rate_per_s)
        noise = 1 + 0.1 * rng.standard_normal() / np.sqrt(max(rate_per_s, 10.0))
        return Probe(rate_per_s, 1.0, Bottleneck("server", rate_per_s / 4000 * noise))

    answer = find_rate(test, start, 10.0, WIDE)
    assert answer.highest is not None
    assert answer.failing is not None
    assert answer.highest.rate_per_s == pytest.approx(4000, rel=0.02)
    assert answer.failing.rate_per_s <= 1.02 * answer.highest.rate_per_s
    assert len(asked) <= 6


@pytest.mark.parametrize("limit", [700.0, 3900.0])
def test_where_latency_is_the_limit_before_work_is_it_is_found_as_well(limit: float) -> None:
    def test(rate_per_s: float) -> Probe:
        return Probe(rate_per_s, 1.0 if rate_per_s <= limit else 99.0, Bottleneck("server", rate_per_s / 4000))

    answer = find_rate(test, 100.0, 10.0, WIDE)
    assert answer.highest is not None
    assert answer.failing is not None
    assert answer.highest.rate_per_s <= limit < answer.failing.rate_per_s <= 1.02 * answer.highest.rate_per_s


@pytest.mark.parametrize("limit", [100.5, 98.0, 109.0, 92.0])
def test_a_good_guess_saves_tests(limit: float) -> None:
    test, asked = stepwise(lambda rate: rate <= limit)
    answer = find_rate(test, 100.0, 10.0, WIDE, ratio=1.1)
    assert answer.highest is not None
    assert answer.failing is not None
    assert answer.highest.rate_per_s <= limit < answer.failing.rate_per_s <= 1.02 * answer.highest.rate_per_s
    assert len(asked) <= 6


@given(
    start=st.floats(1e-4, 1e8),
    low=st.floats(1e-4, 1e7),
    width=st.floats(1.0, 1e6),
    ratio=st.sampled_from([1.1, 2.0]),
    batches=st.booleans(),
)
def test_the_answer_is_next_to_each_other_in_the_list_of_rates_tried(
    start: float, low: float, width: float, ratio: float, batches: bool
) -> None:
    """In time between `low` and `width` times that, for windows, or from 0 on."""

    def in_time(rate: float) -> bool:
        return (not batches or rate >= low) and rate < low * width

    test, asked = stepwise(in_time)
    answer = find_rate(test, start, 10.0, WIDE, ratio=ratio, batches=batches)
    tried = sorted(set(asked))
    assert tried[0] >= WIDE.lowest_per_s
    assert tried[-1] <= WIDE.highest_per_s
    assert len(tried) == len(asked)
    passing = [rate for rate in tried if in_time(rate)]
    if answer.highest is None:
        assert passing == []
        assert answer.failing is not None
        assert tried[0] == WIDE.lowest_per_s
        return
    above = tried[tried.index(passing[-1]) + 1 :]
    assert answer.highest.rate_per_s == passing[-1]
    assert (answer.failing and answer.failing.rate_per_s) == (above[0] if above else None)
    assert above[0] <= 1.02 * passing[-1] if above else passing[-1] == WIDE.highest_per_s


def test_the_search_ends_where_nothing_fails_and_where_everything_does() -> None:
    always, asked = stepwise(lambda _: True)
    answer = find_rate(always, 100.0, 10.0, WIDE)
    assert answer.failing is None
    assert answer.highest is not None
    assert answer.highest.rate_per_s == max(asked) == WIDE.highest_per_s
    never, asked = stepwise(lambda _: False)
    assert find_rate(never, 100.0, 10.0, Limits(10.0, 1e4)).highest is None
    assert asked == [100.0, 50.0, 25.0, 12.5, 10.0]
    assert find_rate(never, 100.0, 10.0, WIDE, batches=True).highest is None


def test_windows_that_fill_slowly_are_late_at_low_rates_only() -> None:
    test, _ = stepwise(lambda rate: 700 < rate < 5000)
    answer = find_rate(test, 100.0, 10.0, WIDE, batches=True)
    assert answer.highest is not None
    assert answer.highest.rate_per_s == pytest.approx(5000, rel=0.02)
