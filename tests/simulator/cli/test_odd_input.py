"""Input that nobody meant: one line and exit code 2, never a traceback."""

import errno
import sys
from pathlib import Path

import pytest

from simulator.cli.entry import main

LONG = "n" * 300


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("compare", LONG), "File name too long"),
        (("report", "good.toml", "--out", f"{LONG}.html"), "File name too long"),
        (("run", f"{LONG}.toml"), "File name too long"),
        (("run", "good.toml", "--set", f"name={LONG}"), "must have at most 100 letters"),
        (("explain", LONG), "File name too long"),
        (("run", "good.toml", "--with", f"{LONG}.py"), "File name too long"),
        (("scenario", "new", f"{LONG}.toml"), "File name too long"),
        (("events", "--stocks", "--out", LONG), "File name too long"),
        (("population", LONG), "File name too long"),
        (("population", "--out", LONG), "File name too long"),
        (("sweep", "grid.toml", "--out", LONG), "File name too long"),
    ],
)
def test_a_name_that_is_too_long(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    reason: str,
) -> None:
    (tmp_path / "good.toml").write_text('name = "good"\napproaches = ["unicast"]\nevents.count = 10\n')
    (tmp_path / "grid.toml").write_text('scenario = "good.toml"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["rangecast", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (2, "")
    assert told.err.startswith("rangecast: ")
    assert reason in told.err
    assert told.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.toml", "grid.toml"]


@pytest.mark.parametrize(
    ("raised", "line"),
    [
        (
            OSError(errno.ENOSPC, "a story", "there"),
            "rangecast: there: cannot be read or written: No space left on device; mend that and start again\n",
        ),
        (MemoryError("Unable to allocate 3 TiB"), "rangecast: there is not enough memory (Unable to allocate 3 TiB)"),
        (SystemExit(4), "rangecast: a file given by --with ended the program by sys.exit(4); mend that file\n"),
    ],
)
def test_what_the_machine_refuses_is_one_line_too(
    raised: BaseException, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def app(**_: object) -> None:
        raise raised

    monkeypatch.setattr(sys, "argv", ["rangecast", "compare"])
    monkeypatch.setattr("simulator.cli.entry.app", app)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(line)
