"""Quantities with units: read exactly, refused clearly, and written so that they read back equal."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.workload.units import BANDWIDTH, DURATION, RATE, SIZE, Dimension


@pytest.mark.parametrize(
    ("dimension", "text", "value"),
    [
        (DURATION, "10ms", 0.01),
        (DURATION, "20us", 2e-05),
        (DURATION, "1.5 ns", 1.5e-09),
        (DURATION, "0s", 0.0),
        (DURATION, "2min", 120.0),
        (DURATION, "0.5h", 1800.0),
        (RATE, "50/s", 50.0),
        (RATE, "30/min", 0.5),
        (RATE, "1/h", 1 / 3600),
        (SIZE, "24B", 24),
        (SIZE, "2kB", 2000),
        (SIZE, "0.002MB", 2000),
        (SIZE, "1GB", 10**9),
        (BANDWIDTH, "100Mbps", 100.0),
        (BANDWIDTH, "1Gbps", 1000.0),
        (BANDWIDTH, "56kbps", 0.056),
        (BANDWIDTH, "1bps", 1e-6),
    ],
)
def test_a_quantity_is_read_in_the_unit_of_the_program(dimension: Dimension, text: str, value: float) -> None:
    read = dimension.parse(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("value", [
    10, 0, 1.5, True, None, ["10ms"], "", "ms", "10", "10 MS", "10  ms", " 10ms", "10ms ", "10ms\n", "+1ms", "-1ms",
    "1e3ms", ".5ms", "5.ms", "1_000ms", "1,5ms", "infs", "nans", "10kB", "10/s", "10m", "10µs", "٣ms",
    "1" * 5000 + "s",
])  # fmt: skip
def test_what_is_no_duration_is_refused_with_the_units_that_fit(value: object) -> None:
    with pytest.raises(ValueError, match=r'a duration: .* one of ns, us, ms, s, min, h; write for example "10ms"$'):
        DURATION.parse(value)


@pytest.mark.parametrize(
    ("dimension", "text", "rule"),
    [
        (DURATION, "1001h", "at most 1000h; lower it"),
        (RATE, "0/s", "at least 0.000001/s; raise it"),
        (RATE, "9" * 400 + "/s", "at most 1000000000/s; lower it"),
        (SIZE, "0B", "at least 1B; raise it"),
        (SIZE, "1.5B", "a whole number of B; round it"),
        (SIZE, "1.0000001GB", "at most 1GB; lower it"),
        (BANDWIDTH, "0Mbps", "at least 1bps; raise it"),
    ],
)
def test_bounds(dimension: Dimension, text: str, rule: str) -> None:
    with pytest.raises(ValueError, match=f"must be {rule}"):
        dimension.parse(text)


@pytest.mark.parametrize(
    ("dimension", "value", "text"),
    [
        (DURATION, 2e-05, "20us"),
        (DURATION, 0.0, "0s"),
        (DURATION, 90.0, "90s"),
        (DURATION, 7200.0, "2h"),
        (DURATION, 0.1 + 0.2, "0.30000000000000004s"),
        (RATE, 100.0, "100/s"),
        (RATE, 0.5, "0.5/s"),
        (RATE, 0.05, "3/min"),
        (SIZE, 24, "24B"),
        (SIZE, 1500, "1500B"),
        (DURATION, 0.0005, "500us"),
        (SIZE, 1_000_000, "1MB"),
        (BANDWIDTH, 1000.0, "1Gbps"),
    ],
)
def test_a_quantity_is_written_in_the_unit_that_makes_it_shortest(
    dimension: Dimension, value: float, text: str
) -> None:
    assert dimension.format(value) == text


@given(st.floats(0, 3.6e6), st.floats(1e-6, 1e9), st.integers(1, 10**9))
@settings(deadline=None, max_examples=300)
def test_what_is_written_is_read_back(duration: float, other: float, size: int) -> None:
    assert DURATION.parse(DURATION.format(duration)) == duration
    assert RATE.parse(RATE.format(other)) == other
    assert BANDWIDTH.parse(BANDWIDTH.format(other)) == other
    assert SIZE.parse(SIZE.format(size)) == size


def test_even_the_smallest_float_is_read_back() -> None:
    assert DURATION.parse(DURATION.format(5e-324)) == 5e-324
