"""An event over several attributes explained: the worked example, and drawings held against what they stand for."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PathCollection

from simulator.views.explain_files import explain_events, write_explanation
from simulator.views.explain_state import ExplainError
from simulator.views.side_explanation import SideExplanation, explain_over_sides, slices_of
from simulator.views.side_figure import draw_sides
from simulator.views.side_page import side_page
from simulator.workload.events import INSERT, LOWER, MOVE, EventStream
from simulator.workload.workload import Workload
from tests.oracles.topk import reaches

LOWEST = -np.finfo(np.float64).max


def stream(object_id: int, x: tuple[float, ...], y: float, kind: int = LOWER) -> EventStream:
    nothing = np.zeros(1)
    return EventStream(
        np.array([object_id]), np.array([x]), np.array([y]), np.array([kind], np.int8), nothing, nothing.astype(int)
    )


@pytest.fixture(scope="module")
def example() -> Workload:
    """Six objects over an attribute with both ends and one with an upper end only, and lists of two."""
    x = np.array([(5, 2), (2, 1), (7, 4), (4, 3), (8, 1), (6, 5)], float)
    rng = np.random.default_rng(1)
    first = np.sort(rng.uniform(0, 9, (50, 2)), axis=1)
    l = np.column_stack((first[:, 0], np.full(50, LOWEST)))
    r = np.column_stack((first[:, 1], rng.uniform(0, 7, 50)))
    return Workload(2, x, np.array([3.0, 1, 2, 5, 6, 7]), l, r, dimensions=1.5)


@pytest.fixture(scope="module")
def explained(example: Workload) -> SideExplanation:
    return explain_over_sides(example, stream(0, (5, 2), 10.0), 0, "paint-dense")


def test_the_worked_example_has_its_messages_kept_and_exposed_objects(explained: SideExplanation) -> None:
    assert len(explained.messages) == 11
    assert explained.exposed == [3, 4, 5]
    assert [explained.letter(i) for i in (0, 3, 5)] == ["", "A", "C"]
    # Seen from object 0 at (5, 2): object 1 is (2, 1), object 2 is (7, 4); corners are (-l1, r1, r2).
    assert sorted(explained.kept.tolist()) == [[-5, 7, 4], [-2, 5, 2]]
    assert "object 0 at (5, 2) falls, y = 3 → 10" in explained.title
    assert explained.facts[1] == "kept objects: 2; exposed objects, in order: A 3, B 4, C 5"


def test_the_polygon_holds_the_places_with_fewer_than_k_kept_objects_in_the_way(explained: SideExplanation) -> None:
    cells = np.array(explained.polygon())
    (x_lo, x_hi), (y_lo, y_hi) = explained.near()
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(400):
        x1, x2 = rng.uniform(x_lo, x_hi), rng.uniform(y_lo, y_hi)
        # An object of the pair is in the way if every range that holds (5, 2) and the place holds it too.
        west, east, top = min(5, x1), max(5, x1), max(2, x2)
        in_the_way = sum(west <= a <= east and b <= top for a, b in ((2, 1), (7, 4)))
        drawn = ((cells[:, 0] < x1) & (x1 < cells[:, 1]) & (cells[:, 2] < x2) & (x2 < cells[:, 3])).sum()
        assert drawn == (in_the_way < 2)
        inside += drawn
    assert 0 < inside <= 400


def test_slices_show_who_gets_each_message(explained: SideExplanation) -> None:
    slices = slices_of([explained])
    spans = slices.spans(explained)
    assert (spans[:, 0] >= 0).all()  # with three sides every message is in some slice
    lo, hi = explained.boxes
    for slab in range(len(slices.edges) - 1):
        last = min(slices.edges[slab + 1], 99.0) / 2 + slices.edges[slab] / 2
        seen = (spans[:, 0] <= slab) & (slab <= spans[:, 1])
        assert seen.tolist() == ((lo[:, 2] <= last) & (last < hi[:, 2])).tolist()


def test_two_attributes_with_both_ends_are_cut_where_most_messages_are() -> None:
    rng = np.random.default_rng(4)
    ends = np.sort(rng.uniform(0, 1, (200, 2, 2)), axis=2)
    x, y = rng.uniform(0, 1, (30, 2)), rng.uniform(0, 1, 30)
    i = int(y.argsort()[4])
    workload = Workload(3, x, y, ends[:, :, 0].copy(), ends[:, :, 1].copy(), dimensions=2)
    both = [
        explain_over_sides(workload, stream(i, tuple(x[i]), 0.9), 0, name) for name in ("paint-dense", "paint-sparse")
    ]
    slices = slices_of(both)
    for one in both:
        lo, hi = one.boxes
        shown = slices.spans(one)[:, 0] >= 0
        assert shown.tolist() == ((lo[:, 2] <= slices.fixed[2]) & (slices.fixed[2] < hi[:, 2])).tolist()
    assert (slices.spans(both[0])[:, 0] >= 0).any()
    page = side_page(both)
    assert "Slice of S" in page
    assert "l2 = " in page


def test_told_subscriptions_are_those_in_a_box(explained: SideExplanation, example: Workload) -> None:
    chosen = explained.sample()
    told = explained.told(chosen)
    reached = np.zeros(50, bool)
    for row in explained.messages:
        reached |= reaches(row, example.l, example.r)
    assert told.tolist() == reached[chosen].tolist()
    assert reached.any()
    assert sum(explained.reach(at) for at in range(11)) >= reached.sum()


def test_an_object_that_comes_is_drawn_where_it_comes_to_be(example: Workload) -> None:
    explained = explain_over_sides(example, stream(6, (6.5, 1.5), 0.5, INSERT), 0, "paint-sparse")
    assert explained.own.x == (6.5, 1.5)
    assert "is inserted" in explained.title
    assert explained.exposed == []


@pytest.mark.parametrize(
    ("approach", "rule"),
    [
        ("paint-batch(2)", "windows are drawn over one attribute only; choose one"),
        ("paint-batch-printed", "windows are drawn over one attribute only; choose one"),
        ("paint-dense(0.5, strips)", "strips are for one dimension; take levels or tiles"),
    ],
)
def test_what_is_not_drawn_over_several_attributes_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, approach: str, rule: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExplainError, match=rule):
        explain_events(Path("restaurants"), approaches=[approach])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("approach", ["paint-dense", "unicast", "cn-relax"])
def test_pictures_and_pages_are_written(example: Workload, tmp_path: Path, approach: str) -> None:
    explained = explain_over_sides(example, stream(0, (5, 2), 10.0), 0, approach)
    for name in ("event.png", "event.html"):
        write_explanation([explained], tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5_000


def test_the_legend_names_what_letters_stand_for(explained: SideExplanation) -> None:
    (legend,) = draw_sides([explained, explained]).legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts[0] == "updated: object 0"
    assert texts[-3:] == ["A: exposed, object 3", "B: exposed, object 4", "C: exposed, object 5"]


def test_the_kept_objects_of_the_worked_example_are_ringed(explained: SideExplanation) -> None:
    assert explained.kept_objects.tolist() == [1, 2]
    page = side_page([explained])
    assert page.count('class="kept"') == 2
    assert [f"object {i}: " in line for i in (1, 2) for line in page.splitlines() if ", kept<" in line] == [
        True, False, False, True
    ]  # fmt: skip
    figure = draw_sides([explained])
    drawn = [one for one in figure.axes[0].collections if isinstance(one, PathCollection)]
    (ring,) = [one for one in drawn if one.get_sizes().tolist() == [70]]
    assert sorted(np.asarray(ring.get_offsets()).tolist()) == [[2, 1], [7, 4]]
    assert "Ringed" in page
    assert any("kept: " in text.get_text() for text in figure.legends[0].get_texts())


@pytest.mark.parametrize("dimensions", [1.5, 2, 2.5])
@pytest.mark.parametrize("values", [5, 1000])
def test_kept_objects_are_those_that_fewer_than_k_are_in_the_way_of(dimensions: float, values: int) -> None:
    rng = np.random.default_rng(values)
    d = int(np.ceil(dimensions))
    for _ in range(8):
        x, y = rng.integers(0, values, (25, d)).astype(float), rng.integers(0, values, 25).astype(float)
        ends = np.zeros((1, d))
        i, k = int(rng.integers(25)), int(rng.integers(1, 5))
        kind, place = (LOWER, tuple(x[i])) if rng.random() < 0.5 else (MOVE, tuple(x[(i + 1) % 25]))
        events = stream(i, place, float(y[i] - 3 if kind == MOVE else values), kind)
        explained = explain_over_sides(Workload(k, x, y, ends, ends, dimensions=dimensions), events, 0, "paint-dense")
        better = [h for h in sorted(range(25), key=lambda h: (y[h], h)) if (y[h], h) < (y[i], i)]
        kept = []
        for rank, h in enumerate(better):
            # g is in the way of h if every range that holds i and h holds g too; of two alike, the better one is.
            ways = [g for g in better if g != h and between(x[g], x[h], x[i], dimensions)]
            alike = [g for g in better[rank:] if g in ways and between(x[h], x[g], x[i], dimensions)]
            if len(ways) - len(alike) < k:
                kept.append(h)
        assert explained.kept_objects.tolist() == kept
        (x_lo, x_hi), (y_lo, y_hi) = explained.near()
        assert all(x_lo < x[h, 0] < x_hi and y_lo < x[h, 1] < y_hi for h in [*kept, i])


def between(middle: np.ndarray, one: np.ndarray, other: np.ndarray, dimensions: float) -> bool:
    within = [bool(min(a, b) <= m <= max(a, b)) for m, a, b in zip(middle, one, other, strict=True)]
    if dimensions != len(one):
        within[-1] = bool(middle[-1] <= max(one[-1], other[-1]))
    return all(within)
