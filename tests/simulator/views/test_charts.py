"""Charts of pages: what their lines and bars say, read back from the drawing."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.views.report_charts import bars, cumulative, exceedance, legend, shades
from simulator.views.svg import Axis, Frame, number

SAMPLES = st.lists(st.floats(0.01, 1e6), min_size=1, max_size=400)


def lines(drawing: str) -> list[list[tuple[float, float]]]:
    """Points of every line, in places of the drawing."""
    found = re.findall(r'<polyline points="([^"]*)"', drawing)
    return [[(float(x), float(y)) for x, y in (point.split(",") for point in line.split())] for line in found]


def grows(values: list[float]) -> bool:
    return all(a <= b + 0.02 for a, b in itertools.pairwise(values))


@settings(deadline=None, max_examples=40)
@given(SAMPLES, SAMPLES)
def test_distributions_climb_from_end_to_end(one: list[float], other: list[float]) -> None:
    samples = [np.array(one), np.array(other)]
    for drawing, falls in (
        (cumulative("t", "ms", samples, "events"), True),
        (exceedance("t", "b", samples, "e"), False),
    ):
        both = lines(drawing)
        assert len(both) == 2
        for line in both:
            # Down the drawing is smaller: shares at or below climb with the value, those at or above fall.
            ordered = line if falls else line[::-1]
            assert grows([x for x, _ in ordered])
            assert grows([-y for _, y in ordered] if falls else [y for _, y in ordered])
            assert min(y for _, y in line) == pytest.approx(12)  # the top: a share of 1


def test_a_distribution_tells_the_right_shares() -> None:
    drawing = cumulative("t", "ms", [np.array([10.0, 20.0, 20.0, 40.0])], "events")
    x, y = Axis("", 0.0, 40 * 1.04), Axis("", 0.0, 1.0)
    frame = Frame(x, y, "")
    wanted = [(10.0, 0.0), (10.0, 0.25), (20.0, 0.5), (20.0, 0.75), (40.0, 1.0), (x.high, 1.0)]
    assert lines(drawing) == [[(frame.x(value), frame.y(share)) for value, share in wanted]]
    assert "linear values" in drawing


def test_axes_are_logarithmic_where_the_tail_is_heavy_and_zeros_count_in_the_share() -> None:
    heavy = np.array([0.0, 0.0, 1.0, 1.0, 1000.0])
    drawing = exceedance("t", "b", [heavy], "events")
    assert "both axes logarithmic" in drawing
    frame = Frame(Axis("", 1.0, 10000.0, True), Axis("", 0.9 / 5, 1.0, True), "")
    assert lines(drawing)[0][1] == (frame.x(1000.0), frame.y(0.2))
    assert lines(drawing)[0][-1][1] == frame.y(0.6)
    assert "nothing above 0" in exceedance("t", "b", [np.zeros(3)], "events")
    assert cumulative("t", "ms", [np.empty(0)], "events") == ""


def test_bars_are_as_long_as_their_values() -> None:
    drawing = bars("traffic", {"out": [10.0, 5.0, 0.0]}, ["a", "b", "<c>"])
    lengths = [float(width) for width in re.findall(r'<rect [^>]*width="([^"]*)"', drawing)]
    assert lengths == [520.0, 260.0, 0.0]
    assert "linear scale" in drawing
    assert "&lt;c&gt;" in drawing
    assert "logarithmic" in bars("traffic", {"out": [10.0, 5000.0]}, ["a", "b"])
    assert "0" in bars("nothing", {"out": [0.0]}, ["a"])
    long = f"{'run' * 20}: paint-dense"
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", bars("traffic", {"out": [1.0]}, [long]))
    assert shown[1].startswith("runrun")
    assert shown[1].endswith("run: paint-dense")
    assert "…" in shown[1]


def test_fourteen_series_differ_and_show_where_their_lines_coincide() -> None:
    samples = [np.arange(1.0, 9.0)] * 14
    drawn = cumulative("t", "ms", samples, "events")
    strokes = [stroke_of(line) for line in re.findall(r"<polyline[^>]*>", drawn)]
    named = [stroke_of(line) for line in re.findall(r"<line[^>]*>", legend([f"run {at}" for at in range(14)]))]
    assert named == strokes
    assert len({(colour, dashes) for colour, dashes, _ in strokes}) == 14
    for below, above in itertools.combinations(strokes, 2):
        assert (inked(*below[1:]) & ~inked(*above[1:])).mean() > 0.1, (below, above)


def stroke_of(element: str) -> tuple[str, str, float]:
    """Colour, dashes, and where in them the stroke begins."""
    found = dict(re.findall(r'([\w-]+)="([^"]*)"', element))
    return found["stroke"], found.get("stroke-dasharray", ""), float(found.get("stroke-dashoffset", 0))


def inked(dashes: str, offset: float) -> NDArray[np.bool_]:
    """Where a long stroke leaves ink, in steps of a tenth."""
    if not dashes:
        return np.ones(20_000, np.bool_)
    ends = np.cumsum([float(part) for part in dashes.split()])
    along = (np.arange(20_000) / 10 + 0.05 + offset) % ends[-1]
    ink: NDArray[np.bool_] = np.searchsorted(ends, along, side="right") % 2 == 0
    return ink


@settings(deadline=None, max_examples=60)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.booleans())
def test_ticks_are_round_and_inside(low: float, length: float, log: bool) -> None:
    axis = Axis("", abs(low) + 1e-3, abs(low) + 1e-3 + length, True) if log else Axis("", low, low + length)
    ticks = axis.ticks()
    assert len(ticks) <= 8
    assert log or len(ticks) >= 2
    for tick in ticks:
        assert -1e-6 <= axis.share(tick) <= 1 + 1e-6
        assert axis.low - 1e-6 * length <= tick <= axis.high + 1e-6 * length or log
        if log:
            assert math.log10(tick) == pytest.approx(round(math.log10(tick)))


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.25, "0.25"), (999.0, "999"), (1234.0, "1.23k"), (3e7, "30M"), (-2e9, "-2G")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


def test_the_scale_of_a_map_goes_from_none_to_the_most_in_powers_of_ten() -> None:
    for most, wanted in ((0, ["0"]), (1, ["0", "1"]), (4321, ["0", "1", "10", "100", "1,000", "4,321"])):
        drawn = shades(most)
        assert re.findall(r"</svg> ([\d,]+)<", drawn) == wanted
        strength = [float(value) for value in re.findall(r'fill-opacity="([\d.]+)"', drawn)]
        assert strength == sorted(set(strength))
