"""The command in this very process: a process of its own takes a second to import what it needs."""

import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from simulator.cli.entry import main

Command = Callable[..., "CompletedProcess[str]"]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """`rangecast` in the test's own directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str) -> "CompletedProcess[str]":
        monkeypatch.setattr(sys, "argv", ["rangecast", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return CompletedProcess(arguments, int(ended.value.code or 0), told.out, told.err)

    return run
