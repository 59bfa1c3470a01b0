"""Files for `--out`: whole or not at all, the same picture the same file."""

from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from simulator.views.output import PICTURES, OutputError, check_out, write_out, write_picture


def drawn() -> Figure:
    figure = Figure()
    figure.subplots().plot([1, 2])
    return figure


@pytest.mark.parametrize("ending", [*PICTURES, ".PNG"])
def test_the_same_picture_is_the_same_file(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(mpl.rcParams, "svg.hashsalt", "x")
    first, second = tmp_path / f"first{ending}", tmp_path / f"second{ending}"
    write_picture(drawn(), first)
    write_picture(drawn(), second)
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes()) > 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == [first.name, second.name]


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "taken.html").mkdir()
    with pytest.raises(OutputError, match=r"--out .*taken.html: cannot be written: .*; choose another path"):
        write_out(b"page", tmp_path / "taken.html")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.html"]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("page.txt", "must end in .html"),
        ("page", "must end in .html"),
        ("taken.html", "is a directory"),
        ("none/page.html", "there is no directory"),
    ],
)
def test_a_path_is_refused_beforehand(tmp_path: Path, name: str, rule: str) -> None:
    (tmp_path / "taken.html").mkdir()
    with pytest.raises(OutputError, match=rule):
        check_out(tmp_path / name, (".html",))
    check_out(tmp_path / "page.HTML", (".html",))
