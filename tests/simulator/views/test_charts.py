"""Charts of pages, read back from the drawing: places, lengths and labels, by numbers that are written here."""

import itertools
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cn import Zones
from simulator.views.page import environment, render
from simulator.views.report.charts import Bars, Lines, LoadMap, Pen, bars, cumulative, exceedance, map_of, shades
from simulator.views.svg import Axis, number

PENS = [Pen(0, 0), Pen(1, 1)]
SAMPLES = st.lists(st.floats(0.01, 1e6), min_size=1, max_size=400)


def drawn(chart: Bars | Lines | LoadMap | None) -> ElementTree.Element:
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
    found = drawing.find("figcaption")
    assert found is not None
    return " ".join("".join(found.itertext()).split())


def grows(values: list[float]) -> bool:
    return all(a <= b + 0.02 for a, b in itertools.pairwise(values))


@settings(deadline=None, max_examples=40)
@given(SAMPLES, SAMPLES)
def test_distributions_climb_from_end_to_end(one: list[float], other: list[float]) -> None:
    samples = [np.array(one), np.array(other)]
    for chart, falls in (
        (cumulative("t", "ms", samples, PENS, "events"), True),
        (exceedance("t", "b", samples, PENS, "e"), False),
    ):
        both = lines(drawn(chart))
        assert len(both) == 2
        for line in both:
            # Down the drawing is smaller: shares at or below climb with the value, those at or above fall.
            ordered = line if falls else line[::-1]
            assert grows([x for x, _ in ordered])
            assert grows([-y for _, y in ordered] if falls else [y for _, y in ordered])
            assert min(y for _, y in line) == pytest.approx(10)  # the top: a share of 1


def test_a_distribution_tells_the_right_shares() -> None:
    drawing = drawn(cumulative("t", "ms", [np.array([10.0, 20.0, 20.0, 40.0])], PENS[:1], "events"))
    # The area is 325 wide from 58 and 221 high from 10; its right end is 41.6, the largest value and 4% of it.
    assert [box(rim) for rim in drawing.iter("rect")] == [(58, 10, 325, 221)]
    climbs = [(136.12, 231), (136.12, 175.75), (214.25, 120.5), (214.25, 65.25), (370.5, 10), (383, 10)]
    assert lines(drawing) == [climbs]
    # Feet of values are 1.4 times their size of 13 below the area, names 0.3 times it from the rim.
    assert words(drawing, y=249) == [(58, "0"), (136.12, "10"), (214.25, "20"), (292.38, "30"), (370.5, "40")]
    fifths = [(231, "0"), (186.8, "0.2"), (142.6, "0.4"), (98.4, "0.6"), (54.2, "0.8"), (10, "1")]
    assert words(drawing, x=53) == fifths
    assert words(drawing, y=266) == [(220.5, "ms")]
    assert words(drawing, x=14) == [(120.5, "share of events at or below")]
    grid = [tuple(float(line.attrib[name]) for name in ("x1", "y1", "x2", "y2")) for line in drawing.iter("line")]
    assert grid[1] == (136.12, 10, 136.12, 231)
    assert grid[5] == (58, 231, 383, 231)
    assert len(grid) == 11
    (svg,) = drawing.iter("svg")
    assert svg.attrib == {
        "viewBox": "0 0 400 270",
        "role": "img",
        "aria-label": "t: share of events at or below each value",
    }
    assert caption(drawing) == "t (linear values)"


def test_axes_are_logarithmic_where_the_tail_is_heavy_and_zeros_count_in_the_share() -> None:
    heavy = np.array([0.0, 0.0, 1.0, 1.0, 1000.0])
    drawing = drawn(exceedance("t", "b", [heavy], PENS[:1], "events"))
    assert caption(drawing) == "t (logarithmic axes)"
    # Four powers of ten in 325; shares from 0.18, nine tenths of one in five, to 1 in 221:
    # 231 - 221 * log(0.2 / 0.18) / log(1 / 0.18) = 217.42, and likewise for shares of 0.4 and 0.6.
    assert lines(drawing) == [[(301.75, 231), (301.75, 217.42), (58, 128.09), (58, 75.83), (58, 75.83)]]
    assert words(drawing, y=249) == [(58, "1"), (139.25, "10"), (220.5, "100"), (301.75, "1k"), (383, "10k")]
    assert words(drawing, x=53) == [(10, "1")]


def test_a_light_tail_has_linear_axes() -> None:
    drawing = drawn(exceedance("t", "b", [np.array([1.0, 2.0]), np.array([4.0])], PENS, "events"))
    assert caption(drawing) == "t (linear axes)"
    # The right end is 4.16.
    assert lines(drawing) == [
        [(214.25, 231), (214.25, 120.5), (136.12, 10), (58, 10)],
        [(370.5, 231), (370.5, 10), (58, 10)],
    ]


def test_what_has_nothing_to_draw_is_left_out() -> None:
    assert exceedance("t", "b", [np.zeros(3)], PENS[:1], "events") is None
    assert cumulative("t", "ms", [np.empty(0)], PENS[:1], "events") is None
    assert bars("t", [("a", 0, 0.0, "0"), ("b", 1, None, "no value")]) is None


def test_bars_are_linear_from_0_whatever_their_values() -> None:
    rows = [("a", 0, 5000.0, "5,000"), ("<b>", 1, 50.0, "50"), ("c", 0, None, "no value"), ("d", 2, 0.0, "0")]
    drawing = drawn(bars("out of the server", rows))
    told = [["".join(part.itertext()) for part in item] for item in drawing.iter("li")]
    assert told == [["a", "5,000", ""], ["<b>", "50", ""], ["c", "no value", ""], ["d", "0", ""]]
    styles = [bar.attrib["style"] for bar in drawing.iter() if bar.attrib.get("class") == "bar"]
    assert styles == [
        f"width: {percent}%; background: var(--a{colour})"
        for percent, colour in ((100.0, 0), (1.0, 1), (0.0, 0), (0.0, 2))
    ]
    assert caption(drawing) == "out of the server"


def test_fourteen_series_differ_and_show_where_their_lines_coincide() -> None:
    pens = [Pen(at % 7, at) for at in range(14)]  # seven approaches in two runs
    drawing = drawn(cumulative("t", "ms", [np.arange(1.0, 9.0)] * 14, pens, "events"))
    strokes = [stroke_of(line) for line in drawing.iter("polyline")]
    source = environment().from_string('{% import "parts.html" as parts %}{{ parts.legend(lines) }}')
    legend = ElementTree.fromstring(source.render(lines=[(f"run {at}", pen) for at, pen in enumerate(pens)]))
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
        (0.08, 1.07, False, [0.2, 0.4, 0.6, 0.8, 1]),
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
    ("value", "text"),
    [
        (0.0, "0"),
        (0.25, "0.25"),
        (999.0, "999"),
        (1234.0, "1.23k"),
        (3e7, "30M"),
        (-2e9, "-2G"),
        (2e-4, "2e-4"),
        (1.23e-5, "1.2e-5"),
    ],
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
    drawing = drawn(map_of(places, load, ["a", "b", "c"], 99, ("paint-dense", 3)))
    dots = [
        tuple(float(dot.attrib[name]) for name in ("cx", "cy", "r", "fill-opacity")) for dot in drawing.iter("circle")
    ]
    # An area of 325 by 325 from -0.5 to 10.5; the strongest is 0.94, the weakest has no colour and a radius of 4.
    assert dots == [(72.77, 320.23, 4, 0), (368.23, 24.77, 7.9, 0.49), (220.5, 320.23, 11.5, 0.94)]
    assert {dot.attrib["fill"] for dot in drawing.iter("circle")} == {"var(--a3)"}
    assert [tip.text for tip in drawing.iter("title")] == ["a", "b", "c"]
    assert drawing.attrib == {"class": "map"}
    assert caption(drawing) == "paint-dense"
    assert drawing[1].attrib["aria-label"] == "Load on the brokers under paint-dense"


def test_zones_fill_the_map() -> None:
    drawing = drawn(map_of(Zones(1, seed=1), np.array([5]), ["all"], 5, ("x", 0)))
    zone, rim = drawing.iter("rect")
    assert box(zone) == box(rim) == (58, 10, 325, 325)
    assert zone.attrib["fill-opacity"] == "0.94"
    assert [below.attrib["points"] for below in drawing.iter("polygon")] == ["58.0,335.0 383.0,10.0 383.0,335.0"]
    square = drawn(map_of(Zones(7, seed=1, space="square"), np.zeros(7, np.int64), ["-"] * 7, 0, ("x", 0)))
    *zones, _ = (box(rect) for rect in square.iter("rect"))
    assert len(zones) == 7
    assert sum(width * height for _, _, width, height in zones) == pytest.approx(325 * 325, rel=1e-3)
    assert list(square.iter("polygon")) == []


def test_many_zones_are_drawn_together_by_their_load() -> None:
    load = np.arange(400) % 3
    drawing = drawn(map_of(Zones(400, seed=1, space="square"), load, ["-"] * 400, 2, ("x", 0)))
    paths = [path.attrib for path in drawing.iter("path")]
    assert [path["d"].count("z") for path in paths] == [134, 133, 133]
    shapes = [re.findall(r"h([\d.]+)v([\d.]+)", path["d"]) for path in paths]
    area = sum(float(width) * float(height) for own in shapes for width, height in own)
    assert area == pytest.approx(325 * 325, rel=0.01)
    assert [path["fill-opacity"] for path in paths] == ["0.0", "0.625", "0.9375"]
    assert not list(drawing.iter("title"))
