"""Installing what Rangecast runs on, in half the time of one pip.

`make` runs this file as a script, with the Python of `.venv` and before anything is installed: standard library only.
PySpark comes as a source distribution of 450 MB, which pip unpacks, packs into a wheel and unpacks again on one core;
nearly all of it is compressed already, so the wheel is not. Meanwhile other pips install Rangecast and all else. None
compiles to bytecode what may never be imported.
"""

import signal
import subprocess
import sys
import tomllib
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).parent.parent
SLOW = "pyspark"
UNCOMPRESSED = "--config-settings=--build-option=--compression=stored"


def _pip(*arguments: str) -> "subprocess.Popen[bytes]":
    # Each would warn that what the others install is missing.
    options = ("--quiet", "--disable-pip-version-check", "--no-warn-conflicts", "--no-compile")
    return subprocess.Popen(
        [sys.executable, "-m", "pip", "install", *options, "--constraint", "constraints.txt", *arguments], cwd=ROOT
    )


def _stop(pip: "subprocess.Popen[bytes]") -> None:
    """Interrupt a pip, which then removes what it has unpacked; end it if it ignores that, as in the background."""
    pip.send_signal(signal.SIGINT)
    try:
        pip.wait(timeout=10)
    except subprocess.TimeoutExpired:
        pip.terminate()
        pip.wait()


def main() -> int:
    """Install Rangecast and its dependencies; the exit code of the first pip that fails, which says why itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    slow = [one for one in project["dependencies"] if one.startswith(SLOW)]
    others = [one for one in project["dependencies"] if one not in slow]
    pips = [_pip(*others), _pip("--no-deps", "--editable", "."), _pip(UNCOMPRESSED, *slow)]
    try:
        return next((failed for pip in pips if (failed := pip.wait())), 0)
    except KeyboardInterrupt:
        return 130
    finally:
        for pip in pips:
            _stop(pip)


if __name__ == "__main__":
    sys.exit(main())
