"""Objects from files."""

from pathlib import Path

import pytest

from pipeline import ObjectFacts, PipelineError, object_facts, read_own_objects
from tests.simulator.one_line import told_in_one_line


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "objects.csv").write_text(text, encoding="utf-8")
    return tmp_path / "objects.csv"


def test_objects_have_their_ids_from_the_rows(tmp_path: Path) -> None:
    path = written(tmp_path, "name,y,x\nb,2,0.5\na,-1.5,7\n17,3e5,7\n")
    facts = object_facts(path)
    assert facts == ObjectFacts(3, facts.sha256, ((0.5, 7.0),))
    x, y, names = read_own_objects(path, facts.sha256)
    assert (x.tolist(), y.tolist(), names) == ([0.5, 7.0, 7.0], [2.0, -1.5, 3e5], ["b", "a", "17"])
    assert read_own_objects(written(tmp_path, "x,y\n1,2\n")).names == []
    line = "changed since the scenario was read; start again"
    told_in_one_line(lambda: read_own_objects(path, facts.sha256), PipelineError, f"{path}: {line}", "")


def test_objects_with_several_attributes(tmp_path: Path) -> None:
    path = written(tmp_path, "name,x2,y,x1\nb,2,0.5,1\na,-1.5,7,4\n")
    facts = object_facts(path)
    assert facts == ObjectFacts(2, facts.sha256, ((1.0, 4.0), (-1.5, 2.0)))
    for dimensions in (1.5, 2):
        x, y, names = read_own_objects(path, facts.sha256, dimensions)
        assert (x.tolist(), y.tolist(), names) == ([[1.0, 2.0], [4.0, -1.5]], [0.5, 7.0], ["b", "a"])
    line = "objects have 2 attributes (x1, x2), and dimensions = 1 needs one attribute (x); bring another, or mend"
    told_in_one_line(lambda: read_own_objects(path), PipelineError, f"{path}: {line}", "")
    line = "objects have one attribute (x), and dimensions = 2.5 needs 3 attributes (x1, x2, x3)"
    flat = written(tmp_path, "x,y\n1,2\n")
    told_in_one_line(lambda: read_own_objects(flat, dimensions=2.5), PipelineError, f"{flat}: {line}", "")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x1,y\n1,2\n", "lacks the column x2; it has x1, y"),
        ("x1,x3,y\n1,2,3\n", "lacks the column x2; it has x1, x3, y"),
        ("x1,x2,y\n1,nan,2\n", "line 2: x2 = nan: must be a finite number"),
        ("x1,x2,y\n", "holds no objects; add rows with x1, x2 and y"),
        ("x,name\n1,a\n", "lacks the column y; it has x, name"),
        ("x,y\n", "holds no objects; add rows with x and y"),
        ("x,y\n1,2\n1,nan\n", "line 3: y = nan: must be a finite number"),
        ("x,y\n,2\n", "line 2: x is blank: must be a finite number"),
        ("x,y,name\n1,2,a\n1,2, \n", "line 3: name = ' ': must not be blank; name it, or remove the column"),
        ("x,y,name\n1,2,a\n1,2,b\n3,4,a\n", "line 4: name = 'a': another object has this name already"),
    ],
)
def test_what_cannot_be_is_told_with_its_line(text: str, line: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    told_in_one_line(lambda: read_own_objects(path), PipelineError, f"{path}: {line}", "")
