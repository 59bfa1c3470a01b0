"""The door: cheap to open, typed, and every name in it leads where it says."""

import subprocess
import sys
from pathlib import Path

import pytest

import rangecast
from floor.version import VERSION

ROOT = Path(__file__).parents[2]
ROOMS = ("cn", "floor", "matching", "paint", "pipeline", "rangecast", "scenarios", "simulator", "topologies")


def test_importing_it_loads_nothing_heavy() -> None:
    code = (
        "import sys, rangecast; dir(rangecast); "
        "print([name for name in ('pyspark', 'numba', 'numpy', 'matplotlib', 'pandas', 'pyarrow', 'simulator') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_pandas_is_loaded_only_when_used() -> None:
    code = "import sys; from rangecast import *; print('simulator' in sys.modules, 'pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "True False"


def test_all_is_the_namespace() -> None:
    assert dir(rangecast) == rangecast.__all__ == sorted(rangecast.__all__)
    for name in set(rangecast.__all__) - {"__version__"}:
        value = getattr(rangecast, name)
        assert value.__name__ == name
        assert value.__doc__
    modules = {path.stem for path in (ROOT / "rangecast").glob("[!_]*.py")}
    assert not modules & set(rangecast.__all__)  # once imported, a module of a package hides what has its name
    assert rangecast.__version__ == VERSION


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'rangecast' has no attribute 'nothing'"):
        _ = rangecast.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_typed(room: str) -> None:
    assert (ROOT / room / "py.typed").is_file()
