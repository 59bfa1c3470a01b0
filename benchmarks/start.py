"""What a newcomer waits for: seconds from a fresh clone to the picture, of a second demo, and of `rangecast --help`.

Run it with `python -m benchmarks.start`. HEAD is cloned into a temporary directory, with a home of its own that holds
nothing, so that all is installed, compiled and generated as it is the first time; only pip's configuration is that of
the machine. The bounds are for two cores with nothing else to do: beside the seconds on the wall stand those of the
processor, which other work disturbs less, and those that a virtual machine's host kept its cores for others, of all
cores together.
"""

import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.record import best_of, write_rows

ROOT = Path(__file__).parent.parent
BOUNDS = {"first demo": 150.0, "second demo": 15.0, "help": 0.5}
# What `make` shows when it comes to a step of the first demo.
STEPS = {"floor/install.py": "installation, kernels", "rangecast demo": "demo"}
UNSET = ("RANGECAST_CACHE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PYTHONPATH", "VIRTUAL_ENV", "MAKEFLAGS")


def newcomer(home: Path) -> dict[str, str]:
    """Environment of somebody who never ran Rangecast, and who installs from where this machine does."""
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    for place in (".config/pip/pip.conf", ".pip/pip.conf"):
        if (Path.home() / place).exists():
            kept.setdefault("PIP_CONFIG_FILE", str(Path.home() / place))
    return kept | {"HOME": str(home)}


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stolen_seconds() -> float:
    """Seconds that the host of a virtual machine has kept its cores for others, where the system tells (Linux)."""
    stat = Path("/proc/stat")
    return int(stat.read_text().split()[8]) / os.sysconf("SC_CLK_TCK") if stat.exists() else 0.0


def make_demo(clone: Path, environment: dict[str, str]) -> tuple[dict[str, float], float, float]:
    """Wall seconds of each step of `make demo` and of all; of all, processor seconds and stolen ones."""
    used, stolen, begun = processor_seconds(), stolen_seconds(), time.perf_counter()
    seconds, step, since = {}, "virtual environment", begun
    make = subprocess.Popen(["make", "demo"], cwd=clone, env=environment, stdout=subprocess.PIPE, text=True)
    assert make.stdout is not None
    for line in make.stdout:
        following = next((name for told, name in STEPS.items() if told in line), None)
        if following is not None:
            seconds[step], step, since = time.perf_counter() - since, following, time.perf_counter()
    if make.wait():
        raise SystemExit(f"make demo failed with exit code {make.returncode}")
    seconds[step] = time.perf_counter() - since
    seconds["all"] = time.perf_counter() - begun
    return seconds, processor_seconds() - used, stolen_seconds() - stolen


def main() -> None:
    """Print the steps and write them, with machine and commit, to benchmarks/results/start.csv."""
    rows = []

    def note(step: str, wall: float, used: float | None = None, stolen: float | None = None) -> None:
        bound = BOUNDS.get(step)
        told = "" if bound is None else f" (bound {bound:g} s: {'kept' if wall <= bound else 'NOT KEPT'})"
        work = "" if used is None else f", processor {used:.1f} s"
        work += "" if stolen is None else f", stolen {stolen:.1f} s"
        print(f"{step:22} {wall:7.2f} s{work}{told}", flush=True)
        rows.append({"step": step, "wall_s": wall, "processor_s": used, "stolen_s": stolen, "bound_s": bound})

    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="rangecast-start-") as place:
        clone, environment = Path(place) / "rangecast", newcomer(Path(place) / "home")
        (Path(place) / "home").mkdir()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        for name in ("first demo", "second demo"):
            steps, used, stolen = make_demo(clone, environment)
            whole = steps.pop("all")
            for step, seconds in steps.items():
                if name == "first demo":
                    note(f"  {step}", seconds)
            note(name, whole, used, stolen)
        command = [str(clone / ".venv" / "bin" / "rangecast"), "--help"]
        show = lambda: subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)  # noqa: E731
        note("help", best_of(3, show, time.perf_counter), best_of(3, show, processor_seconds))
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    write_rows("start", rows, seed=1)


if __name__ == "__main__":
    main()
