"""Dimensions of a scenario: what a message is then, and one line for all that does not fit them."""

from pathlib import Path
from typing import Any

import pytest

from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from tests.simulator.journeys import OBJECTS, write_trace_files
from tests.simulator.one_line import told_in_one_line

SMALL: dict[str, Any] = {"name": "small", "approaches": ["paint-dense"]}


@pytest.mark.parametrize(("dimensions", "size"), [(1, 24), (1.5, 36), (2, 44), (2.0, 44), (2.5, 56), (3, 64)])
def test_a_message_has_four_bytes_for_each_value(dimensions: float, size: int) -> None:
    """Two values for each side, every x, and y: 4 x (2 x sides + d + 1)."""
    scenario = Scenario.model_validate(SMALL | {"dimensions": dimensions})
    assert scenario.sizes.message_bytes == size
    given = Scenario.model_validate(SMALL | {"dimensions": dimensions, "sizes": {"message": "30B", "event": "8B"}})
    assert (given.sizes.message_bytes, given.sizes.event_bytes) == (30, 8)


def test_dimensions_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('name = "small"\napproaches = ["paint-dense"]\ndimensions = 2.5\n', encoding="utf-8")
    scenario = load_scenario(path)
    path.write_text(scenario_toml(scenario), encoding="utf-8")
    assert load_scenario(path) == scenario
    assert "dimensions = 2.5" in path.read_text(encoding="utf-8")
    flat = load_scenario(path, ("dimensions=2", "sizes.message=44B"))
    assert (flat.dimensions, type(flat.dimensions)) == (2, int)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "dimensions = 4",
            "small.toml:3: dimensions = 4: must be one of 1, 1.5, 2, 2.5, 3; .5 is one more attribute",
        ),
        ("dimensions = true", "dimensions = true: must be one of 1, 1.5"),
        ("dimensions = '2'", "dimensions = '2': must be one of 1, 1.5"),
        ("dimensions = 0", "dimensions = 0: must be one of 1, 1.5"),
        (
            "dimensions = 2\n[subscriptions]\ndistribution = 'clustered'",
            "small.toml:5: subscriptions.distribution = 'clustered': in 2 dimensions the distribution must be one of "
            "disks, halfspaces, squares, uniform; choose one of them",
        ),
        (
            "[subscriptions]\ndistribution = 'squares'",
            "in 1 dimension the distribution must be one of anti-correlated",
        ),
        ("dimensions = 3\n[subscriptions]\ndistribution = 'disks'", "must be one of halfspaces, squares, uniform"),
        (
            "dimensions = 2\n[subscriptions]\ndistribution = 'disks'",
            "small.toml:2: approaches = 'paint-dense': is for ranges: the region of an object among disks cannot be "
            "cut into boxes; take paint-sparse instead, whose server knows the subscriptions",
        ),
        (
            "dimensions = 2\n[subscriptions]\nfile = 'disks.csv'",
            "approaches = 'paint-dense': is for ranges: the region of an object among disks cannot be cut into boxes",
        ),
        (
            "dimensions = 2\n[subscriptions]\nfile = 'disks.csv'\nshape = 'halfspaces'",
            "holds disks in 2 dimensions (x1, x2, radius), but subscriptions.shape = 'halfspaces'; remove "
            "subscriptions.shape",
        ),
        (
            "dimensions = 2\n[subscriptions]\nshape = 'disks'",
            "subscriptions.shape = 'disks': is about subscriptions.file; add that, or remove this",
        ),
        (
            "dimensions = 2\n[subscriptions]\nfile = 'negative.csv'",
            "radius = -1.0: must be at least 0; mend or remove the row",
        ),
        (
            "dimensions = 1.5\n[subscriptions]\ndistribution = 'dataset-2'\n[objects]\ncount = 999",
            "toml:7: objects.count = 999: dataset-2 covers 1000 of them; add some, or take another distribution",
        ),
        (
            "dimensions = 1.5\n[subscriptions]\ndistribution = 'dataset-3'\n[objects]\ndistribution = 'clustered'",
            "small.toml:5: subscriptions.distribution = 'dataset-3': covers objects that are made, uniform ones; let "
            "objects be these, or take another distribution",
        ),
        (
            "dimensions = 1.5\n[subscriptions]\ndistribution = 'dataset-3'\n[objects]\nfile = 'two.csv'",
            "'dataset-3': covers objects that are made, uniform ones; let objects be these",
        ),
        (
            "dimensions = 1.5\n[subscriptions]\ndistribution = 'dataset-3'\n[events]\nkind = 'trace'\nfile = 'flat'",
            "small.toml:5: subscriptions.distribution = 'dataset-3': covers objects that are made, and a trace has",
        ),
        ("dimensions = 3\n[objects]\ndistribution = 'stocks'", "must be one of clustered, uniform; choose one"),
        (
            "dimensions = 2\n[objects]\nfile = 'objects.csv'",
            "objects.file = '{}/objects.csv': objects have one attribute (x), and dimensions = 2 needs 2 attributes "
            "(x1, x2); bring another, or mend dimensions",
        ),
        (
            "dimensions = 1.5\n[subscriptions]\nfile = 'subscriptions.csv'",
            "subscriptions.file = '{}/subscriptions.csv': holds boxes in 1 dimension (l, r), and the scenario asks "
            "for boxes in 1.5 dimensions (l1, r1, r2); bring another, or set dimensions = 1",
        ),
        (
            "dimensions = 3\n[subscriptions]\nfile = 'disks.csv'",
            "holds disks in 2 dimensions (x1, x2, radius), and the scenario asks for boxes in 3 dimensions",
        ),
        (
            "dimensions = 3\n[events]\nkind = 'trace'\nfile = 'trace'",
            "objects have one attribute (x), and dimensions = 3 needs 3 attributes",
        ),
        (
            "dimensions = 3\n[objects]\nfile = 'three.csv'\nrange = [[0, 1], [0, 5]]",
            "objects.range = [[0.0, 1.0], [0.0, 5.0]]: must be a pair for each attribute, 3 in 3 dimensions, or one "
            "for all; mend it",
        ),
        ("[objects]\nfile = 'objects.csv'\nrange = [[0, 1], [5, 0]]", "or such a pair for each attribute; write for"),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(tmp_path: Path, text: str, rule: str) -> None:
    (tmp_path / "objects.csv").write_text("x,y\n1,2\n3,4\n", encoding="utf-8")
    (tmp_path / "two.csv").write_text("x1,x2,y\n" + "1,2,0\n3,4,1\n" * 60, encoding="utf-8")
    (tmp_path / "three.csv").write_text("x1,x2,x3,y\n1,2,0,1\n3,4,1,2\n", encoding="utf-8")
    (tmp_path / "subscriptions.csv").write_text("l,r\n1,2\n", encoding="utf-8")
    (tmp_path / "disks.csv").write_text("x1,x2,radius\n1,2,3\n", encoding="utf-8")
    (tmp_path / "negative.csv").write_text("x1,x2,radius\n1,2,3\n1,2,-1\n", encoding="utf-8")
    write_trace_files(tmp_path / "trace")
    flat = [(i, name, x, 0.5, y, 0.0) for i, name, x, y, _ in OBJECTS]
    events = [(0, 100.0, "raise", 1.0, 0.5, 4.0)]
    write_trace_files(tmp_path / "flat", events, flat, x_range=[[1.0, 3.0], [0.0, 1.0]])
    path = tmp_path / "small.toml"
    path.write_text(f'name = "small"\napproaches = ["paint-dense"]\n{text}\n', encoding="utf-8")
    told_in_one_line(lambda: load_scenario(path, ("k=1",)), ScenarioError, str(tmp_path), rule.format(tmp_path))


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("paint-batch-printed", "is for one dimension, and not in 2 dimensions; take paint-batch instead"),
        ("paint-dense(0.5, strips)", "strips are for one dimension, and not in 2 dimensions; take levels or tiles"),
    ],
)
def test_approaches_for_one_dimension_are_refused_in_others(name: str, rule: str) -> None:
    Scenario.model_validate(SMALL | {"approaches": [name]})
    with pytest.raises(ValueError, match=rule.split("; ")[1]) as caught:
        Scenario.model_validate(SMALL | {"approaches": [name], "dimensions": 2})
    assert rule in str(caught.value)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        (
            "paint-batch(10)",
            "is for ranges: the region of an object among halfspaces cannot be cut into boxes; take ",
        ),
        ("coalesce", "take paint-batch-sparse instead, whose server knows the subscriptions"),
        ("paint-sparse(0.5)", "an ε groups boxes of a region, and halfspaces have none; remove the ε"),
        ("paint-batch-sparse(10, 0.5)", "an ε groups boxes of a region, and halfspaces have none; remove the ε"),
        ("paint-sparse(sketch=10)", "a sketch is asked about boxes of a region, and halfspaces have none; remove it"),
    ],
)
def test_approaches_that_cut_regions_into_boxes_are_refused_for_shapes(name: str, rule: str) -> None:
    several = {"approaches": [name], "dimensions": 2}
    Scenario.model_validate(SMALL | several)
    with pytest.raises(ValueError, match="1 validation error") as caught:
        Scenario.model_validate(SMALL | several | {"subscriptions": {"distribution": "halfspaces"}})
    assert rule in str(caught.value)


@pytest.mark.parametrize(
    ("shape", "dimensions", "size"), [("halfspaces", 2, 28), ("halfspaces", 3, 40), ("disks", 2, 36)]
)
def test_a_message_to_shapes_has_as_many_values(shape: str, dimensions: int, size: int) -> None:
    about = {"approaches": ["paint-sparse"], "dimensions": dimensions, "subscriptions": {"distribution": shape}}
    assert Scenario.model_validate(SMALL | about).sizes.message_bytes == size


def test_the_shape_of_a_file_is_noted_and_read_again(tmp_path: Path) -> None:
    (tmp_path / "disks.csv").write_text("x1,x2,radius\n1,2,3\n", encoding="utf-8")
    path = tmp_path / "small.toml"
    about = 'name = "small"\napproaches = ["unicast"]\ndimensions = 2\n[subscriptions]\nfile = "disks.csv"\n'
    path.write_text(about, encoding="utf-8")
    scenario = load_scenario(path)
    assert (scenario.subscriptions.shape, str(scenario.form)) == ("disks", "disks in 2 dimensions (x1, x2, radius)")
    path.write_text(scenario_toml(scenario), encoding="utf-8")
    assert load_scenario(path) == scenario
    ranges = load_scenario(path, ("subscriptions.distribution=squares", "sizes.message=44B"))
    assert ranges.form.shape == "boxes"
    assert "shape" not in scenario_toml(ranges)


def test_packets_want_a_size_of_as_many_values_as_a_message_has() -> None:
    packets = {"network": {"bundle": True}, "dimensions": 2}
    Scenario.model_validate(SMALL | packets | {"sizes": {"header": "20B"}})
    with pytest.raises(ValueError, match="it is 11 values of equal size; make it a multiple of 11 B"):
        Scenario.model_validate(SMALL | packets | {"sizes": {"header": "20B", "message": "24B"}})
