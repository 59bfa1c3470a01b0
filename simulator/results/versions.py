"""Versions of all that the numbers of a run depend on."""

import platform
from importlib.metadata import version

from floor.version import VERSION

__all__ = ["versions"]


_RECORDED = ("matplotlib", "networkx", "numba", "numpy", "pyarrow", "pydantic", "pyspark", "scipy", "simpy")


def versions() -> dict[str, str]:
    """Versions of Rangecast, Python and the libraries that numbers depend on."""
    return {"rangecast": VERSION, "python": platform.python_version()} | {name: version(name) for name in _RECORDED}
