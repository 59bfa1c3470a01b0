"""Pictures of explanations by the boxes of their rendered text: nothing collides or runs out, legends are outside."""

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.views.explain_figure import draw_explanation, draw_side_by_side, draw_steps
from simulator.views.figure_labels import fitted, measured
from simulator.views.output import write_picture
from simulator.views.window_explanation import WindowExplanation
from tests.simulator.views.explanations import CASES, LONG, crowded
from tests.simulator.views.text_boxes import boxes_of, meet, misplaced
from tests.some_cases import some


@cache
def picture(case: str) -> Figure:
    """The picture of a case, drawn once for all tests."""
    return draw_side_by_side(crowded(case))


@pytest.mark.parametrize(
    "case", some(CASES, lambda case: case in ("k = 20", "ties", "side by side", "window and event"))
)
def test_no_word_covers_another_or_runs_out_of_the_picture(case: str) -> None:
    figure = picture(case)
    assert misplaced(figure, 110) == []  # as files have it; the layout was made at another resolution


@pytest.mark.parametrize("case", ["few", "side by side", "window"])
def test_legends_stand_outside_of_all_axes(case: str) -> None:
    figure = picture(case)
    boxes_of(figure, 110)
    areas = [axes.get_window_extent() for axes in figure.axes]
    legends = [legend for axes in figure.axes if (legend := axes.get_legend()) is not None] + figure.legends
    assert len(legends) >= 3
    for legend in legends:
        assert not any(meet(legend.get_window_extent(), area) for area in areas)


def labels(axes: Axes) -> set[str]:
    return {text.get_text() for text in axes.texts}


def test_every_exposed_object_and_message_that_has_room_is_named() -> None:
    (shown,) = crowded("few")
    figure = picture("few")
    events, levels, messages = figure.axes
    assert labels(events) - {""} == {"A", "B", "C", "D", "E", "F"}
    assert labels(levels) <= {"1", "2", "3"}
    assert labels(messages) == {f"{at}{shown.letter(step)}" for at, step in enumerate(shown.step_of.tolist())}, (
        "eleven messages have room for their numbers, inside or beside"
    )


def test_messages_of_all_approaches_are_drawn_in_the_same_part_of_s() -> None:
    figure = picture("side by side")
    assert [axes.get_title() for axes in figure.axes] == [
        "Event space",
        "S: influence region by level",
        "S: 11 messages of paint-dense",
        "S: 6 messages of paint-sparse",
    ]
    dense, sparse = figure.axes[2:]
    assert dense.get_xlim() == sparse.get_xlim()
    assert dense.get_ylim() == sparse.get_ylim()
    assert dense.get_position().width == pytest.approx(sparse.get_position().width)
    assert dense.title.get_color() != sparse.title.get_color()


def test_the_picture_of_a_window_has_its_first_objects_and_the_one_asked_for() -> None:
    (shown,) = crowded("window")
    assert isinstance(shown, WindowExplanation)
    assert shown.asked is not None
    titles = [axes.get_title() for axes in picture("window").axes]
    assert titles[:2] == [
        "Event space: the outcome of the window",
        f"S: {len(shown.messages)} messages of paint-batch(20)",
    ]
    assert len(titles) == 2 + 8
    steps = [0, 1, 2, 3, 4, 5, 6, shown.asked]  # the last would be H, but for the one asked for
    assert shown.asked > 7
    assert [title.partition(":")[0] for title in titles[2:]] == [shown.letter(step) for step in steps]
    verb = {"lower": "falls", "raise": "rises"}[shown.outcomes[shown.asked].kind]
    assert titles[-1] == f"{shown.letter(shown.asked)}: object {shown.about[shown.asked]} {verb}, event 27"
    numbered = {int(number) for axes in picture("window").axes[2:] for number in labels(axes)}
    assert {0, 1, 2, 3, 4} <= numbered <= set(range(len(shown.messages)))


def test_a_long_name_is_cut_and_the_numbers_stay() -> None:
    (shown,) = crowded("names")
    figure = draw_explanation(shown, ("messages",))
    first, second = figure._suptitle.get_text().split("\n")  # type: ignore[attr-defined]
    assert first.startswith("Event 0: object 39 ($x_{39} A rather")
    assert first.endswith("…) falls in rank")
    assert second == "x = 0.9497, y = 0.2005 → 0.7, k = 3"
    assert LONG % 39 in shown.title
    assert fitted(figure, lambda letters: "m" * letters, 9, 1) == "m", "one letter is the least"
    longest = fitted(figure, lambda letters: "m" * letters, 9, 200)
    assert measured(figure, longest, 9)[0] <= 0.93 * 200 < measured(figure, longest + "m", 9)[0]


def test_the_same_explanations_are_the_same_file(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        write_picture(draw_side_by_side(crowded("side by side")), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    ElementTree.parse(tmp_path / "one.svg")


def test_the_steps_of_a_window_are_its_objects() -> None:
    (shown,) = crowded("window")
    assert len(draw_steps(shown).axes) == 8
