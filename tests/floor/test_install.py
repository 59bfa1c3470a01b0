"""The installation: pip, three pips at once, what needs no Spark beside the slow one; whichever fails fails it."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from floor import install

Calls = list[tuple[str, ...]]


def _begin(calls: Calls, broken: str) -> "install.Process":
    """Start a process that notes what it is for, and fails if that names what is broken."""
    failed = broken and any(one.startswith(broken) for one in calls[-1])
    return subprocess.Popen([sys.executable, "-c", f"raise SystemExit({7 if failed else 0})"])


@pytest.mark.parametrize("broken", ["--no-index", "pyspark", "numpy", "--editable", "kernels", "classes", ""])
def test_what_fails_fails_the_installation(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Calls = []

    def python(*arguments: str, path: str = "") -> "install.Process":
        calls.append(arguments)
        return _begin(calls, broken)

    monkeypatch.setattr(install, "_python", python)
    assert install.main() == (7 if broken else 0)
    pip, *calls = calls
    assert re.fullmatch(r"pip-[\d.]+-py3-none-any\.whl", Path(pip[-1]).name)
    if broken == "--no-index":
        assert not calls
        return
    others, editable, slow, *steps = calls
    assert not any(one.startswith("pyspark") for one in others)
    assert editable[-3:] == ("--no-deps", "--editable", ".")
    assert slow[-2] == install.UNCOMPRESSED
    assert slow[-1].startswith("pyspark")
    begun = {"numpy": [], "--editable": [], "pyspark": ["kernels"]}.get(broken, ["kernels", "classes"])
    assert [step[-1] for step in steps] == begun


@pytest.mark.parametrize("broken", ["numpy", "kernels"])
def test_what_is_slow_does_not_outlive_a_failure(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sleeping = "pyspark" if broken == "numpy" else "classes"
    started = []

    def python(*arguments: str, path: str = "") -> "install.Process":
        slow = arguments[-1].startswith(sleeping)
        failed = any(one.startswith(broken) for one in arguments)
        code = "import time; print(flush=True); time.sleep(600)" if slow else f"raise SystemExit({int(failed)})"
        command = [sys.executable, "-c", code]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        if slow:
            assert started[-1].stdout is not None
            started[-1].stdout.readline()
        return started[-1]

    monkeypatch.setattr(install, "_python", python)
    begun = time.monotonic()
    assert install.main() == 1
    assert started[-1].poll() is not None
    assert time.monotonic() - begun < 60
