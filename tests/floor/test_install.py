"""The installation: three pips at once, and whichever fails fails it."""

import subprocess
import sys
import time

import pytest

from floor import install


@pytest.mark.parametrize("broken", ["pyspark", "numpy", "--editable", ""])
def test_a_pip_that_fails_fails_the_installation(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def pip(*arguments: str) -> "subprocess.Popen[bytes]":
        calls.append(arguments)
        failed = broken and any(one.startswith(broken) for one in arguments)
        return subprocess.Popen([sys.executable, "-c", f"raise SystemExit({7 if failed else 0})"])

    monkeypatch.setattr(install, "_pip", pip)
    assert install.main() == (7 if broken else 0)
    others, editable, slow = calls
    assert not any(one.startswith("pyspark") for one in others)
    assert editable == ("--no-deps", "--editable", ".")
    assert slow[0] == install.UNCOMPRESSED
    assert [one.startswith("pyspark") for one in slow[1:]] == [True]


def test_the_slow_pip_does_not_outlive_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def pip(*arguments: str) -> "subprocess.Popen[bytes]":
        slow = arguments[-1].startswith("pyspark")
        code = "import time; print(flush=True); time.sleep(600)" if slow else "raise SystemExit(1)"
        command = [sys.executable, "-c", code]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        if slow:
            assert started[-1].stdout is not None
            started[-1].stdout.readline()
        return started[-1]

    monkeypatch.setattr(install, "_pip", pip)
    begun = time.monotonic()
    assert install.main() == 1
    assert started[-1].poll() is not None
    assert time.monotonic() - begun < 60
