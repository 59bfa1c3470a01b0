"""The wheel as its users meet it: in an environment of its own, with no checkout in sight.

The new environment borrows the packages that Rangecast needs from this one, which saves minutes of installing them.
It cannot borrow Rangecast: files `.pth` of a directory that a file `.pth` adds are not read, so an editable
installation in this environment is not seen from there; and the new environment's own packages come first.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from floor.cache import cache_place
from pipeline.class_archive import archive_path
from pipeline.java import require_java
from simulator.paper.exhibits import BEYOND, EXTRAS, NAMES

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(path.parent for path in ROOT.glob("*/__init__.py"))
SHIPPED = [package for package in PACKAGES if package.name not in ("benchmarks", "tests")]


def ended_well(*command: str | Path, cwd: Path, cache: Path | None = None, most_s: float = 1800) -> str:
    """What a command prints; it must succeed, and sees nothing of this process's environment or checkout."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment |= {"COLUMNS": "100"} | ({"RANGECAST_CACHE": str(cache)} if cache else {})
    told = list(map(str, command))
    ended = subprocess.run(
        told, cwd=cwd, env=environment, capture_output=True, text=True, timeout=most_s, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def files_of(packages: list[Path]) -> Iterator[str]:
    for package in packages:
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that the checkout stays clean and nothing left of an older build gets in."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for package in PACKAGES:
        shutil.copytree(package, source / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", built)
    ended_well(sys.executable, "-m", "pip", "wheel", *options, source, cwd=built)
    (made,) = built.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of a new virtual environment with the wheel in it."""
    place = tmp_path_factory.mktemp("environment")
    ended_well(sys.executable, "-m", "venv", "--without-pip", place, cwd=place)
    pip = (sys.executable, "-m", "pip", "--python", place / "bin" / "python")
    ended_well(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=place)
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site,) = place.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text("\n".join(sorted(borrowed)), encoding="utf-8")
    return place / "bin"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the kernels of this checkout: they are found by the sources, which are the same in the wheel.

    The archive of Spark's classes is that of the Spark that is borrowed, too, where there is one.
    """
    place = tmp_path_factory.mktemp("cache")
    (place / "kernels").symlink_to(cache_place("kernels"))
    archive = archive_path(require_java())
    if archive.exists():
        (place / "spark").mkdir(mode=0o700)
        shutil.copy2(archive, place / "spark")
    return place


def test_the_wheel_holds_all_files_of_the_packages_and_no_others(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == set(files_of(SHIPPED))
    assert {"scenarios/demo.toml", "scenarios/paper/table1.toml", "simulator/cli/entry.py"} <= held
    assert not {name.partition("/")[0] for name in held} & {"benchmarks", "tests", "docs", "notebooks"}


def test_what_is_imported_is_the_wheel(environment: Path, tmp_path: Path) -> None:
    names = [package.name for package in SHIPPED]
    code = f"import sys, {', '.join(names)}; print(*(sys.modules[name].__file__ for name in {names}), sep='\\n')"
    found = ended_well(environment / "python", "-c", code, cwd=tmp_path).splitlines()
    assert len(found) == len(names) > 8
    assert all(Path(path).is_relative_to(environment.parent) for path in found)


def test_scenarios_are_listed_shown_copied_and_checked(environment: Path, tmp_path: Path) -> None:
    rangecast = environment / "rangecast"
    assert ended_well(rangecast, "--version", cwd=tmp_path).startswith("rangecast ")
    listed = [line.split()[0] for line in ended_well(rangecast, "scenario", "list", cwd=tmp_path).splitlines()]
    assert {"demo", "starter", "grids/epsilon", "paper/grids/small/stocks"} <= set(listed)
    shown = ended_well(rangecast, "scenario", "show", "demo", cwd=tmp_path)
    assert shown == (ROOT / "scenarios" / "demo.toml").read_text(encoding="utf-8")
    ended_well(rangecast, "scenario", "new", "mine.toml", cwd=tmp_path)
    assert ended_well(rangecast, "scenario", "check", "mine.toml", cwd=tmp_path) == "mine.toml: ok\n"


def test_the_demo_runs(environment: Path, tmp_path: Path, cache: Path) -> None:
    told = ended_well(environment / "rangecast", "demo", cwd=tmp_path, cache=cache)
    assert "verified paint-dense: every subscription, 200 events, all right\n" in told
    assert "figure   runs/demo/comparison.png\nresults  runs/demo\nnext     rangecast explain runs/demo " in told
    assert (tmp_path / "runs" / "demo" / "comparison.png").stat().st_size > 10_000
    assert "WARNING" not in told
    # Had the wheel looked for the archive under another name, it would have left a second one.
    assert [path.name for path in (cache / "spark").iterdir()] == [archive_path(require_java()).name]


@pytest.mark.slow
def test_a_table_of_the_paper_is_made(environment: Path, tmp_path: Path, cache: Path) -> None:
    told = ended_well(environment / "rangecast", "paper", "table4", cwd=tmp_path, cache=cache)
    assert "results  paper/table4-small: every claim" in told
    assert (tmp_path / "paper" / "table4-small" / "verdicts.csv").is_file()


@pytest.mark.slow
def test_the_whole_paper_is_made_and_a_new_scenario_run(environment: Path, tmp_path: Path) -> None:
    rangecast, own = environment / "rangecast", tmp_path / "cache"  # empty: all kernels are compiled
    ended_well(rangecast, "scenario", "new", cwd=tmp_path)
    assert "all right" in ended_well(rangecast, "run", "starter.toml", cwd=tmp_path, cache=own)
    assert [path.name for path in (own / "spark").iterdir()] == [archive_path(require_java()).name]
    told = ended_well(rangecast, "paper", "all", cwd=tmp_path, cache=own, most_s=4 * 3600)
    made = re.findall(r"^results  paper/(\S+)-small: every claim", told, re.MULTILINE)
    assert made == [*NAMES, *BEYOND, *EXTRAS]
    assert all((tmp_path / "paper" / f"{name}-small" / "verdicts.csv").is_file() for name in made)
