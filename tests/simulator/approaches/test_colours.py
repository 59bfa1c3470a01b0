"""Colours: one per approach, told apart, the same whatever stands beside it."""

import re
from itertools import combinations, pairwise

import pytest

from simulator.approaches.colours import colour_of
from simulator.approaches.registry import APPROACHES


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_two_approaches_look_the_same(theme: str) -> None:
    names = [*APPROACHES, "paint-dense(0.25)", "paint-dense(1)", "paint-batch(20)", "paint-batch(50ms)", "mine"]
    for one, other in combinations(names, 2):
        assert getattr(colour_of(one), theme) != getattr(colour_of(other), theme), (one, other)


def test_a_larger_epsilon_is_paler_on_white_and_darker_on_black() -> None:
    def brightness(colour: str) -> int:
        return sum(int(part, 16) for part in re.findall("..", colour[1:]))

    colours = [colour_of(name) for name in ("paint-sparse", "paint-sparse(0.25)", "paint-sparse(1)")]
    light, dark = ([brightness(getattr(colour, theme)) for colour in colours] for theme in ("light", "dark"))
    # So far apart that it is seen beside each other, in small squares and thin lines.
    assert min(more - less for less, more in pairwise(light)) >= 60
    assert min(less - more for less, more in pairwise(dark)) >= 60


def test_what_nobody_knows_has_a_colour_of_its_own() -> None:
    assert re.fullmatch("#[0-9a-f]{6}", colour_of("nobody's(3)").light)
    assert colour_of("mine") == colour_of("mine")
    assert colour_of("mine").light not in {colour_of(name).light for name in APPROACHES}


@pytest.mark.parametrize(("theme", "paper"), [("light", "#ffffff"), ("dark", "#16181a")])
def test_every_approach_stands_out_from_the_paper(theme: str, paper: str) -> None:
    arguments = {"epsilon": ("(0.01)", "(1)"), "window": ("(1)", "(100000)", "(1h)"), "interval": ("(1ms)", "(1h)")}
    names = [f"{name}{end}" for name, one in APPROACHES.items() for end in ("", *arguments.get(str(one.takes), ()))]
    for name in names:
        low, high = sorted((luminance(getattr(colour_of(name), theme)), luminance(paper)))
        assert (high + 0.05) / (low + 0.05) >= 3, name  # WCAG's contrast of graphical objects


def luminance(colour: str) -> float:
    parts = [int(part, 16) / 255 for part in re.findall("..", colour[1:])]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
