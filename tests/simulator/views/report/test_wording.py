"""Words for ratios: they say what the numbers say, in their digits, and no more."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.approaches.registry import APPROACHES
from simulator.results.ratios import Ratio
from simulator.views.report.wording import BYTES, TIME, compared, compared_in_part, in_a_row, in_prose, share, written


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        (Ratio(1 / 31, 1 / 33, 1 / 29), "31 times fewer bytes than B (29 to 33)"),
        (Ratio(2.9, 2.6, 3.2), "2.9 times as many bytes as B (2.6 to 3.2)"),
        (Ratio(2.9), "2.9 times as many bytes as B"),
        (Ratio(1.35, 1.2, 1.52), "35% more bytes than B (20% to 52%)"),
        (Ratio(0.82, 0.79, 0.85), "18% fewer bytes than B (15% to 21%)"),
        (Ratio(1.01, 0.95, 1.07), "about as many bytes as B (0.95 to 1.07 times)"),
        (Ratio(1.0, 0.96, 1 / 0.96), "exactly as many bytes as B"),
        (Ratio(10, 9.7, 10.3), "10 times as many bytes as B (9.7 to 10.3)"),
        (Ratio(1 / 100, 1 / 104, 1 / 96), "100 times fewer bytes than B (96 to 104)"),
        (Ratio(0.5, 0.243, 1.03), "0.50 times as many bytes as B (0.24 to 1.03, so that may be chance)"),
        (Ratio(4.0, 1.002, 16), "4.0 times as many bytes as B (1.002 to 16)"),
        (Ratio(20, 9.7, 41), "20 times as many bytes as B (9.7 to 41)"),
        (Ratio(0.5, 0.25, 1.1), "0.50 times as many bytes as B (0.25 to 1.1, so that may be chance)"),
        (Ratio(1.0, 1.0, 1.0), "exactly as many bytes as B"),
        (Ratio(1.0), "exactly as many bytes as B"),
        (Ratio(0.99), "about as many bytes as B"),
        (Ratio(3.0, 3.0, 3.0), "3.0 times as many bytes as B"),
        (Ratio(1234.4, 1200, 1270), "1,234 times as many bytes as B (1,200 to 1,270)"),
        (Ratio(1e9), "1,000,000,000 times as many bytes as B"),
        (Ratio(2.0, 1.999, 2.001), "2.0 times as many bytes as B (1.999 to 2.001)"),
    ],
)
def test_ratios_in_words(ratio: Ratio, told: str) -> None:
    assert compared(ratio, BYTES).against("B") == told


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        (Ratio(0.4, 0.2, 1.03), "2.5 times fewer bytes than B (0.97 to 5.0, which may be chance here)"),
        (Ratio(2.5, 0.97, 5), "2.5 times as many bytes as B (0.97 to 5.0, which may be chance here)"),
        (Ratio(1.3, 0.9, 2.2), "30% more bytes than B (0.90 to 2.2 times, which may be chance here)"),
        (Ratio(0.8, 0.5, 1.2), "20% fewer bytes than B (0.50 to 1.2 times, which may be chance here)"),
        (Ratio(1.1, 0.97, 1.3), "about as many bytes as B (0.97 to 1.30 times)"),
    ],
)
def test_the_ends_of_what_is_chance_in_part_are_put_as_the_words_are(ratio: Ratio, told: str) -> None:
    assert compared_in_part(ratio, BYTES, "here").against("B") == told


def test_times_are_long_not_many() -> None:
    assert compared(Ratio(2.9), TIME).alone() == "2.9 times as long"
    assert compared(Ratio(0.8), TIME).alone() == "20% less time"


def numbers(text: str) -> list[float]:
    return [float(found.replace(",", "")) for found in re.findall(r"[\d,]*\.?\d+", text)]


@given(st.floats(1e-4, 1e4), st.floats(1.0005, 3))
def test_the_words_give_the_number_back(value: float, reach: float) -> None:
    """What stands there is the ratio and its interval within their rounding, whichever way they are put."""
    ratio = Ratio(value, value / reach, value * reach)
    told = compared(ratio, BYTES).against("B")

    def read(shown: float) -> float:
        change = 1 + shown / 100 if "more" in told else 1 - shown / 100
        return change if "%" in told else 1 / shown if "fewer" in told else shown

    found = [read(one) for one in numbers(told)]
    if told.startswith("about"):
        assert 1 / 1.5 < ratio.value < 1.5
        found.insert(0, value)
    assert found[0] == pytest.approx(value, rel=0.06)
    ends = sorted(found[1:])
    if ends:
        assert ends == pytest.approx([value / reach, value * reach], rel=0.06)
        assert told.count("%") in (0, 3)
    assert ("chance" in told or "about" in told) == (value / reach <= 1 <= value * reach)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0, 3, "0"), (9.96, 2, "10"), (2, 2, "2.0"), (0.0123, 2, "0.012"), (98765.4, 3, "98,765"), (999.96, 3, "1,000")],
)
def test_numbers_have_their_digits(value: float, digits: int, text: str) -> None:
    assert written(value, digits) == text


def test_a_name_of_others_is_the_same_whether_it_is_known_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(APPROACHES, "my-own", APPROACHES["paint-dense"])
    assert in_prose("my-own(0.5)") == "my-own(0.5)"


def test_shares_rows_and_names() -> None:
    assert [share(value) for value in (0, 0.0004, 0.181, 0.999, 1)] == ["0%", "0.040%", "18%", "99.9%", "100%"]
    assert [in_a_row(parts) for parts in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    names = ["paint-dense", "paint-batch(50ms)", "cn-relax", "my-own(3)", "<b>"]
    assert [in_prose(name) for name in names] == ["Paint-Dense", "Paint-Batch(50ms)", "CN-Relax", "my-own(3)", "<b>"]
