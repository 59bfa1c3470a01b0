"""What may stand in parentheses after the name of an approach, and what is said of anything else."""

import re
from dataclasses import asdict

import pytest

from simulator.approaches.registry import parse_approach
from simulator.workload.windows import Window


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("paint-dense", {"exact": True, "epsilon": None, "cut": None, "sketch": None}),
        ("paint-dense(0.25)", {"exact": False, "epsilon": 0.25, "cut": None}),
        ("paint-dense(0.25, tiles)", {"exact": False, "epsilon": 0.25, "cut": "tiles"}),
        ("paint-dense(0.25,levels)", {"epsilon": 0.25, "cut": "levels"}),
        ("paint-sparse(sketch=1000)", {"exact": True, "epsilon": None, "sketch": 1000}),
        ("paint-sparse(1, tiles, sketch=7)", {"exact": False, "epsilon": 1.0, "cut": "tiles", "sketch": 7}),
        ("paint-batch(100, 0.5)", {"exact": False, "epsilon": 0.5, "window": Window(events=100)}),
        ("paint-batch-sparse(50ms)", {"exact": True, "epsilon": None, "window": Window(seconds=0.05)}),
    ],
)
def test_arguments(name: str, wanted: dict[str, object]) -> None:
    found = {key: value for key, value in vars(parse_approach(name)).items() if key in wanted}
    assert found == wanted
    assert set(asdict(parse_approach("unicast"))) >= set(wanted)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("paint-dense()", "ε must be a number in (0, 1], as in paint-dense(0.5)"),
        ("paint-dense(tiles)", "ε must be a number in (0, 1]"),
        ("paint-dense(0.5, thirds)", "paint-dense cannot take 'thirds'; remove it from the parentheses"),
        ("paint-dense(sketch=5)", "paint-dense takes no sketch; remove it, or choose paint-sparse"),
        ("paint-sparse(sketch=0)", "a sketch is a number of rectangles from 1 to 999999999"),
        ("paint-sparse(sketch=many)", "as in paint-sparse(sketch=1000); change what stands in parentheses"),
        ("paint-batch(100, 2)", "ε must be a number in (0, 1], as in paint-batch(100, 0.5)"),
        ("paint-batch(0.5)", "a window is a number of events"),
        ("paint-batch(100, 0.5, 3)", "paint-batch cannot take '3'"),
        ("paint-batch(100, 0.5, strips)", "paint-batch cannot take 'strips'; remove it from the parentheses"),
        ("unicast(0.5)", "takes no ε"),
    ],
)
def test_mistakes_are_told(name: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        parse_approach(name)
