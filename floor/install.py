"""Installing what Rangecast runs on, and making what the first demo needs, on all cores at once.

`make` runs this file as a script, with the Python of `.venv` and before anything is installed, pip neither: standard
library only. The pip that comes with Python is installed first, without what `ensurepip` does beside.
PySpark comes as a source distribution of 450 MB, which pip unpacks, packs into a wheel and unpacks again on one core;
nearly all of it is compressed already, so the wheel is not. Meanwhile other pips install Rangecast and all else, and
when they are done the kernels are compiled, which do without Spark. The archive of Spark's classes comes last. No pip
compiles to bytecode what may never be imported.
"""

import ensurepip
import os
import signal
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).parent.parent
SLOW = "pyspark"
UNCOMPRESSED = "--config-settings=--build-option=--compression=stored"


FIRST_START = ("-m", "simulator.cli.first_start")

Process = subprocess.Popen[bytes]


def _python(*arguments: str, path: str = "") -> Process:
    """Start Python, with a path that it imports from first."""
    environment = os.environ | ({"PYTHONPATH": path} if path else {})
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=environment)


def _install_pip() -> int:
    """Install the wheel of pip that comes with Python, by itself; the exit code."""
    places = (sysconfig.get_config_var("WHEEL_PKG_DIR"), Path(ensurepip.__file__).parent / "_bundled")
    name = f"pip-{ensurepip.version()}-py3-none-any.whl"
    wheel = next((path for place in places if place and (path := Path(place) / name).is_file()), None)
    if wheel is None:
        return _python("-m", "ensurepip", "--default-pip").wait()
    options = ("--quiet", "--disable-pip-version-check", "--no-compile", "--no-index", "--no-deps")
    return _python("-m", "pip", "install", *options, str(wheel), path=str(wheel)).wait()


def _pip(*arguments: str) -> Process:
    # Each would warn that what the others install is missing.
    options = ("--quiet", "--disable-pip-version-check", "--no-warn-conflicts", "--no-compile")
    return _python("-m", "pip", "install", *options, "--constraint", "constraints.txt", *arguments)


def _stop(process: Process) -> None:
    """Interrupt a process, which then removes what it has begun; end it if it ignores that, as in the background."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()


def _install(started: list[Process]) -> int:
    """Start everything as early as it can be, and note it; the exit code of what fails first, or 0."""
    if failed := _install_pip():
        return failed
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    slow = [one for one in project["dependencies"] if one.startswith(SLOW)]
    others = [one for one in project["dependencies"] if one not in slow]
    started += [_pip(*others), _pip("--no-deps", "--editable", "."), _pip(UNCOMPRESSED, *slow)]
    *quick, spark = started
    if failed := _failed(quick):
        return failed
    started.append(_python(*FIRST_START, "kernels"))
    if failed := _failed([spark]):
        return failed
    started.append(_python(*FIRST_START, "classes"))
    return _failed(started)


def _failed(processes: list[Process]) -> int:
    """Wait for processes; the exit code of the first that fails, which says why itself, or 0."""
    return next((code for one in processes if (code := one.wait())), 0)


def main() -> int:
    """Install Rangecast and its dependencies, compile kernels, archive classes; the exit code of what fails first."""
    started: list[Process] = []
    try:
        return _install(started)
    except KeyboardInterrupt:
        return 130
    finally:
        for process in started:
            _stop(process)


if __name__ == "__main__":
    sys.exit(main())
