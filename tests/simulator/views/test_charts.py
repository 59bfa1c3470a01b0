"""Charts of pages, read back from the drawing: places, lengths and labels, by numbers that are written here."""

import itertools
import math
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cn import Zones
from simulator.views.page import environment, render
from simulator.views.report_charts import Bars, Empty, Lines, LoadMap, bars, cumulative, exceedance, map_of, shades
from simulator.views.svg import Axis, number

SAMPLES = st.lists(st.floats(0.01, 1e6), min_size=1, max_size=400)


def drawn(chart: Bars | Lines | LoadMap | Empty | None) -> ElementTree.Element:
    """A chart as the page has it."""
    assert chart is not None
    return ElementTree.fromstring(render(chart.template, chart=chart))


def lines(drawing: ElementTree.Element) -> list[list[tuple[float, float]]]:
    """Points of every line, in places of the drawing."""
    found = [line.attrib["points"].split() for line in drawing.iter("polyline")]
    return [[(float(x), float(y)) for x, y in (point.split(",") for point in line)] for line in found]


def box(element: ElementTree.Element) -> tuple[float, ...]:
    """Where a rectangle is: left, top, width, height."""
    return tuple(float(element.attrib[name]) for name in ("x", "y", "width", "height"))


def words(drawing: ElementTree.Element, **places: float) -> list[tuple[float, str | None]]:
    """Text that stands at a given x or y, with the other coordinate."""
    ((name, place),) = places.items()
    other = {"x": "y", "y": "x"}[name]
    return [(float(t.attrib[other]), t.text) for t in drawing.iter("text") if float(t.attrib[name]) == place]


def caption(drawing: ElementTree.Element) -> str:
    return str(drawing.findtext("figcaption"))


def grows(values: list[float]) -> bool:
    return all(a <= b + 0.02 for a, b in itertools.pairwise(values))


@settings(deadline=None, max_examples=40)
@given(SAMPLES, SAMPLES)
def test_distributions_climb_from_end_to_end(one: list[float], other: list[float]) -> None:
    samples = [np.array(one), np.array(other)]
    for chart, falls in (
        (cumulative("t", "ms", samples, "events"), True),
        (exceedance("t", "b", samples, "e"), False),
    ):
        both = lines(drawn(chart))
        assert len(both) == 2
        for line in both:
            # Down the drawing is smaller: shares at or below climb with the value, those at or above fall.
            ordered = line if falls else line[::-1]
            assert grows([x for x, _ in ordered])
            assert grows([-y for _, y in ordered] if falls else [y for _, y in ordered])
            assert min(y for _, y in line) == pytest.approx(12)  # the top: a share of 1


def test_a_distribution_tells_the_right_shares() -> None:
    drawing = drawn(cumulative("t", "ms", [np.array([10.0, 20.0, 20.0, 40.0])], "events"))
    # The area is 436 wide from 62 and 282 high from 12; its right end is 41.6, the largest value and 4% of it.
    assert [box(rim) for rim in drawing.iter("rect")] == [(62, 12, 436, 282)]
    climbs = [(166.81, 294), (166.81, 223.5), (271.62, 153), (271.62, 82.5), (481.23, 12), (498, 12)]
    assert lines(drawing) == [climbs]
    assert words(drawing, y=311) == [(62, "0"), (166.81, "10"), (271.62, "20"), (376.42, "30"), (481.23, "40")]
    fifths = [(298, "0"), (241.6, "0.2"), (185.2, "0.4"), (128.8, "0.6"), (72.4, "0.8"), (16, "1")]
    assert words(drawing, x=56) == fifths
    assert words(drawing, y=334) == [(280, "ms")]
    assert words(drawing, x=16) == [(153, "share of events at or below")]
    grid = [tuple(float(line.attrib[name]) for name in ("x1", "y1", "x2", "y2")) for line in drawing.iter("line")]
    assert grid[1] == (166.81, 12, 166.81, 294)
    assert grid[5] == (62, 294, 498, 294)
    assert len(grid) == 11
    (svg,) = drawing.iter("svg")
    assert svg.attrib == {
        "viewBox": "0 0 520 340",
        "role": "img",
        "aria-label": "t: share of events at or below each value",
    }
    assert caption(drawing) == "t (linear values)"


def test_axes_are_logarithmic_where_the_tail_is_heavy_and_zeros_count_in_the_share() -> None:
    heavy = np.array([0.0, 0.0, 1.0, 1.0, 1000.0])
    drawing = drawn(exceedance("t", "b", [heavy], "events"))
    assert caption(drawing) == "t (both axes logarithmic, the tail is heavy)"
    # Four powers of ten in 436; shares from 0.18, nine tenths of one in five, to 1 in 282:
    # 294 - 282 * log(0.2 / 0.18) / log(1 / 0.18) = 276.67, and likewise for shares of 0.4 and 0.6.
    assert lines(drawing) == [[(389, 294), (389, 276.67), (62, 162.68), (62, 96.01), (62, 96.01)]]
    assert words(drawing, y=311) == [(62, "1"), (171, "10"), (280, "100"), (389, "1k"), (498, "10k")]
    assert words(drawing, x=56) == [(16, "1")]


def test_a_light_tail_has_linear_axes() -> None:
    drawing = drawn(exceedance("t", "b", [np.array([1.0, 2.0]), np.array([4.0])], "events"))
    assert caption(drawing) == "t (linear axes)"
    # The right end is 4.16.
    assert lines(drawing) == [
        [(271.62, 294), (271.62, 153), (166.81, 12), (62, 12)],
        [(481.23, 294), (481.23, 12), (62, 12)],
    ]


def test_nothing_to_draw_is_told() -> None:
    told = drawn(exceedance("a <b>", "b", [np.zeros(3)], "events"))
    assert (told.tag, told.text, len(told)) == ("p", "a <b>: nothing above 0.", 0)
    assert cumulative("t", "ms", [np.empty(0)], "events") is None


def test_bars_of_like_values_are_linear() -> None:
    drawing = drawn(bars("traffic", {"out": [10.0, 5.0, 0.0], "in": [2.5, 4.0, 1.25]}, ["a", "b", "<c>"]))
    assert [box(bar) for bar in drawing.iter("rect")] == [
        (0, 47, 520, 8),
        (0, 82, 260, 8),
        (0, 117, 0, 8),
        (0, 180, 130, 8),
        (0, 215, 208, 8),
        (0, 250, 65, 8),
    ]
    assert words(drawing, x=520) == [(43, "10"), (78, "5"), (113, "0"), (176, "2.5"), (211, "4"), (246, "1.25")]
    assert words(drawing, x=0)[:5] == [(22, "out"), (43, "a"), (78, "b"), (113, "<c>"), (155, "in")]
    assert [tip.text for tip in drawing.iter("title")][:3] == ["a: 10", "b: 5", "<c>: 0"]
    assert [bar.attrib["fill"] for bar in drawing.iter("rect")] == ["var(--c0)", "var(--c1)", "var(--c2)"] * 2
    # 8 above, and of each group a name of 20, three bars of 35 and 8 below.
    assert drawing[0].attrib == {"viewBox": "0 0 520 274", "role": "img", "aria-label": "traffic"}
    assert caption(drawing) == "traffic (linear scale)"


def test_bars_of_unlike_values_are_logarithmic() -> None:
    drawing = drawn(bars("traffic", {"out": [10.0, 5000.0, 0.0]}, ["a", "b", "c"]))
    # From 1, the power of ten below the least: 520 * log(10) / log(5000) = 140.6.
    assert [box(bar)[2] for bar in drawing.iter("rect")] == [140.6, 520, 0]
    assert caption(drawing) == "traffic (logarithmic scale)"
    nothing = drawn(bars("nothing", {"out": [0.0]}, ["a"]))
    assert [box(bar)[2] for bar in nothing.iter("rect")] == [0]


def test_long_names_of_bars_keep_both_ends() -> None:
    long = f"{'run' * 20}: paint-dense"
    drawing = drawn(bars("traffic", {"out": [1.0]}, [long]))
    assert words(drawing, y=43) == [(0, "runrunrunrunrunr…nrunrunrun: paint-dense"), (520, "1")]
    assert drawing.findtext(".//title") == f"{long}: 1"


def test_fourteen_series_differ_and_show_where_their_lines_coincide() -> None:
    drawing = drawn(cumulative("t", "ms", [np.arange(1.0, 9.0)] * 14, "events"))
    strokes = [stroke_of(line) for line in drawing.iter("polyline")]
    source = environment().from_string('{% import "parts.html" as parts %}{{ parts.legend(labels) }}')
    legend = ElementTree.fromstring(source.render(labels=[f"run {at}" for at in range(14)]))
    assert [stroke_of(line) for line in legend.iter("line")] == strokes
    assert [str(item[0].tail).strip() for item in legend] == [f"run {at}" for at in range(14)]
    assert len({(colour, dashes) for colour, dashes, _ in strokes}) == 14
    for below, above in itertools.combinations(strokes, 2):
        assert (inked(*below[1:]) & ~inked(*above[1:])).mean() > 0.1, (below, above)


def stroke_of(element: ElementTree.Element) -> tuple[str, str, float]:
    """Colour, dashes, and where in them the stroke begins."""
    found = element.attrib
    return found["stroke"], found.get("stroke-dasharray", ""), float(found.get("stroke-dashoffset", 0))


def inked(dashes: str, offset: float) -> NDArray[np.bool_]:
    """Where a long stroke leaves ink, in steps of a tenth."""
    if not dashes:
        return np.ones(20_000, np.bool_)
    ends = np.cumsum([float(part) for part in dashes.split()])
    along = (np.arange(20_000) / 10 + 0.05 + offset) % ends[-1]
    ink: NDArray[np.bool_] = np.searchsorted(ends, along, side="right") % 2 == 0
    return ink


@pytest.mark.parametrize(
    ("low", "high", "log", "ticks"),
    [
        (0, 1, False, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 41.6, False, [0, 10, 20, 30, 40]),
        (-3, 4, False, [-2, 0, 2, 4]),
        (0.13, 0.14, False, [0.13, 0.132, 0.134, 0.136, 0.138, 0.14]),
        (1, 1000, True, [1, 10, 100, 1000]),
        (0.18, 1, True, [1]),
        (1e-3, 1e9, True, [1e-3, 1e0, 1e3, 1e6, 1e9]),
        (2, 9, True, []),
    ],
)
def test_ticks_are_round_values(low: float, high: float, log: bool, ticks: list[float]) -> None:
    assert Axis("", low, high, log).ticks() == pytest.approx(ticks)


@settings(deadline=None, max_examples=60)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.booleans())
def test_ticks_are_few_and_inside(low: float, length: float, log: bool) -> None:
    low = abs(low) + 1e-3 if log else low
    ticks = Axis("", low, low + length, log).ticks()
    assert len(ticks) <= 8
    assert log or len(ticks) >= 2
    room = 1e-6 * (low + length if log else length)
    assert all(low - room <= tick <= low + length + room for tick in ticks)
    # Powers of ten on log axes; multiples of 1, 2 or 5 times a power of ten on others.
    steps = ticks if log else [after - before for before, after in itertools.pairwise(ticks)]
    for step in steps:
        leading = step / 10 ** math.floor(math.log10(step * (1 + 1e-6)))
        assert min(abs(leading - round_one) for round_one in ((1,) if log else (1, 2, 5))) < 1e-3


@pytest.mark.parametrize(
    ("low", "high", "log", "value", "share"),
    [
        (0, 4, False, 1, 0.25),
        (-4, 4, False, -2, 0.25),
        (0, 4, False, 9, 1),
        (0, 4, False, -9, 0),
        (1, 10_000, True, 10, 0.25),
        (1, 10_000, True, 0, 0),
    ],
)
def test_values_lie_between_the_ends(low: float, high: float, log: bool, value: float, share: float) -> None:
    assert Axis("", low, high, log).share(value) == pytest.approx(share)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.25, "0.25"), (999.0, "999"), (1234.0, "1.23k"), (3e7, "30M"), (-2e9, "-2G")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


def test_the_scale_of_a_map_goes_from_none_to_the_most_in_powers_of_ten() -> None:
    assert [label for label, _ in shades(0)] == ["0"]
    assert shades(1) == [("0", 0), ("1", 0.94)]
    # 0.04 + 0.9 * log(1 + 10) / log(1 + 99) = 0.509 and, for 1, 0.175.
    assert shades(99) == [("0", 0), ("1", 0.175), ("10", 0.509), ("99", 0.94)]
    assert [label for label, _ in shades(4321)] == ["0", "1", "10", "100", "1,000", "4,321"]


def test_a_map_of_brokers_is_as_they_stand() -> None:
    places, load = np.array([[0.0, 0.0], [10.0, 10.0], [5.0, 0.0]]), np.array([0, 9, 99])
    drawing = drawn(map_of(places, load, ["a", "b", "c"], 99, "paint-dense"))
    dots = [
        tuple(float(dot.attrib[name]) for name in ("cx", "cy", "r", "fill-opacity")) for dot in drawing.iter("circle")
    ]
    # An area of 336 by 362 from -0.5 to 10.5; the strongest is 0.94, the weakest has no colour and a radius of 4.
    assert dots == [(77.27, 357.55, 4, 0), (382.73, 28.45, 7.9, 0.49), (230, 357.55, 11.5, 0.94)]
    assert [tip.text for tip in drawing.iter("title")] == ["a", "b", "c"]
    assert drawing.attrib == {"class": "map"}
    assert caption(drawing) == "paint-dense"
    assert drawing[0].attrib["aria-label"] == "Load on the brokers under paint-dense"


def test_zones_fill_the_map() -> None:
    drawing = drawn(map_of(Zones(1, seed=1), np.array([5]), ["all"], 5, "x"))
    zone, rim = drawing.iter("rect")
    assert box(zone) == box(rim) == (62, 12, 336, 362)
    assert zone.attrib["fill-opacity"] == "0.94"
    assert [below.attrib["points"] for below in drawing.iter("polygon")] == ["62.0,374.0 398.0,12.0 398.0,374.0"]
    square = drawn(map_of(Zones(7, seed=1, space="square"), np.zeros(7, np.int64), ["-"] * 7, 0, "x"))
    *zones, _ = (box(rect) for rect in square.iter("rect"))
    assert len(zones) == 7
    assert sum(width * height for _, _, width, height in zones) == pytest.approx(336 * 362, rel=1e-3)
    assert list(square.iter("polygon")) == []
