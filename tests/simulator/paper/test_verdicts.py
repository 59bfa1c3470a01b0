"""Claims judged by their rules, on values as if they had been measured."""

import math
from pathlib import Path

import pytest

from simulator.paper.exhibits import load_exhibit
from simulator.paper.verdicts import DERIVED, DIFFERS, HOLDS, NEEDS_PAPER, NOT_RUN, Measured, Verdict, judge
from simulator.scenario.grid import load_grid
from tests.simulator.paper.tiny import SQUARES, rows


def judged(directory: Path, claims: str, measured: dict[int, float], scale: str = "paper") -> list[Verdict]:
    """Verdicts on claims about `messages` of the tiny grid's four points, with two equal replications each."""
    (directory / "fig12.toml").write_text(
        f'title = "t"\nsweeps = ["tiny"]\naccount = "a"\n{claims}', encoding="utf-8"
    )
    grid = load_grid(directory / "grids" / "paper" / "tiny.toml")
    found = Measured(grid, {point: [rows(messages=value)] * 2 for point, value in measured.items()})
    return judge(load_exhibit("fig12", directory), {"tiny": found}, scale)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("paper", "rule", "verdict"),
    [
        (1.0, "tolerance = 0.0", HOLDS),
        (1.1, "tolerance = 0.1", HOLDS),
        (0.9, "tolerance = 0.1", DIFFERS),
        (0.0, "absolute = 1.0", HOLDS),
        (0.0, "absolute = 0.9", DIFFERS),
    ],
)
def test_printed_numbers(tiny: Path, paper: float, rule: str, verdict: str) -> None:
    claim = f"""
[[numbers]]
row = "r"
approach = "paint-dense"
metric = "messages"
along = "k"
at = [1]
where = {{ "subscriptions.count" = 100 }}
paper = [{paper}]
{rule}
"""
    (one,) = judged(tiny, claim, SQUARES)
    assert one.verdict == verdict
    assert one.ours == 1.0
    assert one.half_width == 0.0
    assert one.ratio == (1 / paper if paper else None)
    assert one.place == "k = 1"
    (small,) = judged(tiny, claim, SQUARES, "small")
    assert small == one._replace(verdict=NEEDS_PAPER, ratio=None, cause="")
    (unfinished,) = judged(tiny, claim, {3: 8.0})
    assert unfinished.verdict == NOT_RUN


@pytest.mark.parametrize(
    ("claim", "verdict", "ours", "highest"),
    [
        ('[[bounds]]\napproach = "unicast"\nover = "paint-dense"\nleast = 10\nmost = 10', HOLDS, 10, 10),
        ('[[bounds]]\napproach = "unicast"\nover = "paint-dense"\nleast = 10.1', DIFFERS, 10, 10),
        ('[[bounds]]\napproach = "paint-dense"\nmost = 8', HOLDS, 1, 8),
        ('[[bounds]]\napproach = "paint-dense"\nmost = 7.9', DIFFERS, 1, 8),
        ('[[bounds]]\napproach = "paint-dense"\nwhere = {k = 1}\nmost = 4', HOLDS, 1, 4),
        ('[[chains]]\nfalling = ["unicast", "paint-dense"]', HOLDS, 10, 10),
        ('[[chains]]\nfalling = ["paint-dense", "unicast"]', DIFFERS, 0.1, 0.1),
        ('[[rises]]\napproach = "unicast"\nalong = "k"', HOLDS, 2, 2),
        ('[[rises]]\napproach = "unicast"\nalong = "k"\nat = [2, 1]', DIFFERS, 0.5, 0.5),
        ('[[rises]]\napproach = "unicast"\nover = "paint-dense"\nalong = "k"', HOLDS, 1, 1),
        ('[[growths]]\napproach = "unicast"\nalong = "subscriptions.count"\nleast = 1\nmost = 1', HOLDS, 1, 1),
        ('[[growths]]\napproach = "unicast"\nalong = "subscriptions.count"\nleast = 0\nmost = 0.9', DIFFERS, 1, 1),
    ],
)
def test_claims_without_numbers(tiny: Path, claim: str, verdict: str, ours: float, highest: float) -> None:
    head, _, rest = claim.partition("\n")
    text = f'{head}\nclaim = "c"\nmetric = "messages"\n{rest}\n'
    (one,) = judged(tiny, text, SQUARES)
    assert one.verdict == verdict
    assert one.ours == pytest.approx(ours)
    assert one.highest == pytest.approx(highest)
    (part,) = judged(tiny, text, {0: 1.0, 1: 4.0})
    assert part.verdict == (HOLDS if "k = 1" in claim else NOT_RUN)
    assert judged(tiny, text, SQUARES, "small")[0].verdict == NEEDS_PAPER
    assert judged(tiny, f"{text}small = true\n", SQUARES, "small")[0].verdict == verdict


SEEDS = {0: (1.0, 3.0), 1: (4.0, 4.0), 2: (2.0, 2.0), 3: (8.0, 8.0)}
AT_100 = """[[numbers]]
row = "r"
approach = "paint-dense"
along = "k"
at = [1]
where = { "subscriptions.count" = 100 }"""


@pytest.mark.parametrize(
    ("paper", "more", "verdict"),
    [
        (10.0, "tolerance = 0.2\ninterval = true", HOLDS),
        (10.0, "tolerance = 0.2", DIFFERS),
        (16.0, "tolerance = 0.2\ninterval = true", DIFFERS),
        (2.3, "tolerance = 0.2", HOLDS),
        (10.0, "tolerance = 0.2\nderived = true", DERIVED),
    ],
)
def test_an_interval_may_widen_a_tolerance_and_what_is_derived_is_not_judged(
    tiny: Path, paper: float, more: str, verdict: str
) -> None:
    """Two seeds of 1 and 3: a mean of 2, and half an interval of 12.7."""
    text = f"""
title = "t"
sweeps = ["tiny"]
account = "a"
[[numbers]]
row = "r"
approach = "paint-dense"
metric = "messages"
along = "k"
at = [1]
where = {{ "subscriptions.count" = 100 }}
paper = [{paper}]
{more}
[[numbers.beside]]
title = "with more"
metric = "messages"
approach = "unicast"
where = {{ "subscriptions.count" = 400 }}
"""
    (tiny / "fig12.toml").write_text(text, encoding="utf-8")
    grid = load_grid(tiny / "grids" / "paper" / "tiny.toml")
    found = {point: [rows(messages=one) for one in both] for point, both in SEEDS.items()}
    (one,) = judge(load_exhibit("fig12", tiny), {"tiny": Measured(grid, found)}, "paper")
    assert one.verdict == verdict
    assert one.beside == (("with more", 40.0),)
    assert one.cause == ("open: not explained" if verdict == DIFFERS else "")


@pytest.mark.parametrize(
    ("claim", "verdict", "mean_only"),
    [
        ('[[bounds]]\napproach = "paint-dense"\nwhere = {k = 1}\nleast = 1.9', HOLDS, True),
        ('[[bounds]]\napproach = "paint-dense"\nwhere = {k = 1}\nmost = 4.0', HOLDS, True),
        ('[[bounds]]\napproach = "paint-dense"\nwhere = {k = 1}\nleast = -10.8\nmost = 14.8', HOLDS, False),
        ('[[bounds]]\napproach = "paint-dense"\nwhere = {k = 2}\nleast = 2.0\nmost = 8.0', HOLDS, False),
        ('[[bounds]]\napproach = "paint-dense"\nwhere = {k = 1}\nleast = 2.1', DIFFERS, False),
        ('[[chains]]\nfalling = ["unicast", "paint-dense"]', HOLDS, False),
        (f"{AT_100}\npaper = [2]\ntolerance = 0.2", HOLDS, True),
        (f"{AT_100}\npaper = [2]\nabsolute = 12.8", HOLDS, False),
        (f"{AT_100}\npaper = [2]\ntolerance = 0.2\nderived = true", DERIVED, False),
    ],
)
def test_what_holds_in_the_mean_only_is_told(tiny: Path, claim: str, verdict: str, mean_only: bool) -> None:
    """At k = 1 and m = 100 two seeds have 1 and 3, and half an interval is 12.7; elsewhere they agree."""
    head, _, rest = claim.partition("\n")
    text = f'title = "t"\nsweeps = ["tiny"]\naccount = "a"\n{head}\nclaim = "c"\nmetric = "messages"\n{rest}\n'
    (tiny / "fig12.toml").write_text(text, encoding="utf-8")
    grid = load_grid(tiny / "grids" / "paper" / "tiny.toml")
    found = {point: [rows(messages=one) for one in both] for point, both in SEEDS.items()}
    (one,) = judge(load_exhibit("fig12", tiny), {"tiny": Measured(grid, found)}, "paper")
    assert (one.verdict, one.mean_only) == (verdict, mean_only)


def test_a_quotient_by_nothing_does_not_hold(tiny: Path) -> None:
    text = '[[bounds]]\nclaim = "c"\nmetric = "messages"\napproach = "unicast"\nover = "paint-dense"\nleast = 1\n'
    (one,) = judged(tiny, text, dict.fromkeys(SQUARES, 0.0))
    assert one.verdict == DIFFERS
    assert math.isnan(one.ours or 0)
