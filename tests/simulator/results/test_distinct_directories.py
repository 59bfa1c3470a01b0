"""Directories beside each other: names that tell them apart, and none given twice."""

from pathlib import Path

import pytest

from simulator.results.distinct_directories import distinct_names, refuse_twice
from simulator.results.errors import RunError


@pytest.mark.parametrize(
    ("directories", "names"),
    [
        (["/a/run"], ["run"]),
        (["/a/one", "/a/two"], ["one", "two"]),
        (["/a/run", "/b/run", "/b/two"], ["a/run", "b/run", "two"]),
        (["/a/x/run", "/b/x/run", "/b/y/run"], ["a/x/run", "b/x/run", "y/run"]),
        (["/x/run", "/a/x/run", "/run"], ["/x/run", "a/x/run", "/run"]),
        (["/"], ["/"]),
    ],
)
def test_names_are_as_short_as_tells_them_apart(directories: list[str], names: list[str]) -> None:
    assert distinct_names(list(map(Path, directories))) == names


def test_a_directory_is_given_once_whatever_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    refuse_twice([Path("run"), Path("other")], "run", RunError)
    for other in (Path("run"), Path("link"), tmp_path / "x" / ".." / "run"):
        with pytest.raises(RunError, match=r"run: given twice; name each run once$"):
            refuse_twice([Path("run"), other], "run", RunError)
