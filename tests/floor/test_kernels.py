"""The key of compiled kernels: it changes with all that a module rests on, and with nothing else."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.typing import NDArray

import floor.kernels
from floor.kernels import ROOMS, module_sources, njit, njit_inner, njit_within

ROOT = Path(floor.kernels.__file__).parent.parent

KERNELS = {
    "paint/steps.py": "STEP = 1\n",
    "paint/lower.py": """
from floor.kernels import njit
from paint.steps import (
    STEP,  # taken into the kernel (when it is compiled)
)

@njit
def raised(x: int) -> int:
    return x + STEP
""",
    "cn/upper.py": """
from floor.kernels import njit
from paint import lower

@njit
def twice(x: int) -> int:
    return lower.raised(lower.raised(x))
""",
    "cn/aside.py": """
from floor.kernels import njit

@njit
def same(x: int) -> int:
    return x
""",
}


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "floor", tmp_path / "floor", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in KERNELS.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
    return tmp_path


def called(rooms: Path, module: str, kernel: str, cache: Path | None = None) -> tuple[int, bool]:
    """What a kernel makes of 5 in a fresh process, and whether anything was compiled for it."""
    done = subprocess.run(
        [sys.executable, "-c", f"from {module} import {kernel}; print({kernel}(5))"],
        cwd=rooms,
        env=os.environ | {"RANGECAST_CACHE": str(cache or rooms / "cache"), "PYTHONPATH": str(rooms)},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout), "compiling" in done.stderr


def test_a_change_is_noticed_by_what_rests_on_it_and_by_nothing_else(rooms: Path) -> None:
    assert called(rooms, "cn.upper", "twice") == (7, True)
    assert called(rooms, "cn.aside", "same") == (5, True)
    assert called(rooms, "cn.upper", "twice") == (7, False)
    (rooms / "paint" / "steps.py").write_text("STEP = 3\n", encoding="utf-8")
    assert called(rooms, "cn.upper", "twice") == (11, True)
    assert called(rooms, "cn.aside", "same") == (5, False)


def test_checkouts_of_the_same_sources_share_their_kernels_wherever_they_lie(rooms: Path, tmp_path: Path) -> None:
    other, cache = tmp_path / "other", tmp_path / "shared"
    shutil.copytree(rooms, other, ignore=shutil.ignore_patterns("other"))
    for path in other.rglob("*.py"):
        os.utime(path, (0, 0))
    assert called(rooms, "cn.upper", "twice", cache) == (7, True)
    assert called(other, "cn.upper", "twice", cache) == (7, False)
    (other / "paint" / "steps.py").write_text("STEP = 3\n", encoding="utf-8")
    assert called(other, "cn.upper", "twice", cache) == (11, True)
    assert called(rooms, "cn.upper", "twice", cache) == (7, False)


def test_a_module_rests_on_what_it_imports_and_on_what_that_imports(rooms: Path) -> None:
    assert set(module_sources("cn.upper", rooms)) == {
        *("cn.upper", "paint", "paint.lower", "paint.steps", "floor.kernels", "floor.cache")
    }
    assert set(module_sources("cn.aside", rooms)) == {"cn.aside", "floor.kernels", "floor.cache"}
    assert module_sources("numpy", rooms) == {}


def test_a_file_is_looked_for_once_however_many_modules_rest_on_it(
    rooms: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Path] = []
    read = floor.kernels._read

    def counted(path: Path) -> object:
        looked.append(path)
        return read(path)

    monkeypatch.setattr(floor.kernels, "_read", counted)
    for module in ("cn.upper", "cn.aside", "paint.lower", "cn.upper"):
        assert module in module_sources(module, rooms)
    assert rooms / "floor" / "kernels.py" in looked
    assert len(looked) == len(set(looked))


def test_the_rooms_are_those_that_are_installed() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert [f"{room}*" for room in ROOMS] == told["tool"]["setuptools"]["packages"]["find"]["include"]


def test_an_inner_kernel_returns_numbers_and_makes_no_arrays() -> None:
    @njit_inner
    def first(values: NDArray[np.float64]) -> float:
        return float(values[1:][0])

    assert first(np.arange(3.0)) == 1.0

    @njit_inner
    def made(count: int) -> float:
        return float(np.zeros(count)[0])

    with pytest.raises(TypingError, match="array"):
        made(3)

    def rest(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[1:]

    with pytest.raises(TypeError, match="rest must return numbers to count no references"):
        njit_inner(rest)


def test_a_kernel_within_another_is_compiled_into_it() -> None:
    @njit_within
    def twice(values: NDArray[np.float64], at: int) -> float:
        return 2 * float(values[at])

    @njit
    def whole(values: NDArray[np.float64]) -> float:
        total = 0.0
        for at in range(len(values)):
            total += twice(values, at)
        return total

    assert whole(np.arange(4.0)) == 12.0
    # One that is not told whether it is would take over what holds for its first caller.
    kernels: list[Any] = [twice, whole]
    assert [kernel.targetoptions["forceinline"] for kernel in kernels] == [True, False]


def test_a_kernel_that_an_inner_one_calls_first_still_counts_references() -> None:
    @njit
    def rest(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[1:]

    @njit_inner
    def second(values: NDArray[np.float64]) -> float:
        return float(rest(values)[0])

    values = np.arange(3.0)
    assert second(values) == 1.0
    before = sys.getrefcount(values)
    view = rest(values)
    del view
    assert sys.getrefcount(values) == before
