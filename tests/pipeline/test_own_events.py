"""Lists of events over several attributes; those of one are run in `tests/simulator/workload/test_event_list.py`."""

from pathlib import Path

import numpy as np
import pytest

from pipeline import PipelineError, event_facts, read_own_events
from tests.simulator.one_line import told_in_one_line


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "events.csv").write_text(text, encoding="utf-8")
    return tmp_path / "events.csv"


def test_a_list_has_a_column_for_each_attribute(tmp_path: Path) -> None:
    path = written(tmp_path, "time,object,x2,x1,y\n0,3,,1.5,\n1,3,7,,\n2,3,,,4\n")
    assert (event_facts(path).rows, event_facts(path).attributes) == (3, 2)
    for dimensions, wide in ((1.5, 2), (2, 2), (3, 3)):
        rows = read_own_events(path, None, named=False, dimensions=dimensions)
        expected = np.array([[1.5, np.nan, np.nan], [np.nan, 7.0, np.nan], [np.nan] * 3])[:, :wide]
        np.testing.assert_array_equal(rows.x, expected)
        np.testing.assert_array_equal(rows.y, [np.nan, np.nan, 4.0])


def test_a_list_without_any_x_goes_with_all_dimensions(tmp_path: Path) -> None:
    path = written(tmp_path, "time,object,y\n0,3,1\n1,4,2\n")
    assert event_facts(path).attributes is None
    assert read_own_events(path, None, named=False).x.shape == (2,)
    assert read_own_events(path, 1, named=False, dimensions=2.5).x.shape == (1, 3)


@pytest.mark.parametrize(
    ("columns", "dimensions", "line"),
    [
        ("x1,x2", 1, "objects have 2 attributes (x1, x2), and dimensions = 1 needs one attribute (x); bring another"),
        ("x", 2, "objects have one attribute (x), and dimensions = 2 needs 2 attributes (x1, x2); bring another"),
        ("x1,x3", 2, "objects have 3 attributes (x1, x2, x3), and dimensions = 2 needs 2 attributes (x1, x2)"),
    ],
)
def test_a_list_of_other_dimensions_is_told_in_one_line(
    columns: str, dimensions: float, line: str, tmp_path: Path
) -> None:
    path = written(tmp_path, f"time,object,{columns}\n0,3,{'1,2' if ',' in columns else '1'}\n")
    told_in_one_line(
        lambda: read_own_events(path, None, named=False, dimensions=dimensions), PipelineError, f"{path}: {line}", ""
    )


def test_a_value_that_cannot_be_is_told_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "time,object,x1,x2\n0,3,1,2\n1,3,1,inf\n")
    line = f"{path}: line 3: x2 = inf: must be a finite number, or blank; mend it"
    told_in_one_line(lambda: read_own_events(path, None, named=False, dimensions=2), PipelineError, line, "")
