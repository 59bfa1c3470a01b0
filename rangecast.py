"""What every room shares: the version, the root of the error tree, and the way kernels are compiled.

Numba's own cache notices a changed module, but not a changed kernel that the module calls. `njit` therefore
keys the cache directory of each room by a hash of the kernel sources of that room and of the rooms it may import.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import numba

__all__ = ["RangecastError", "__version__", "cache_dir", "njit"]

try:
    __version__ = version("rangecast")
except PackageNotFoundError:  # a checkout on the path that was never installed
    __version__ = "0"

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_IMPORTS = {
    "matching": ("matching",),
    "topologies": ("topologies",),
    "paint": ("paint", "matching"),
    "cn": ("cn", "paint", "topologies", "matching"),
    "pipeline": ("pipeline", "paint", "matching"),
    "simulator": ("simulator", "cn", "pipeline", "paint", "topologies", "matching"),
}


class RangecastError(Exception):
    """Root of the errors that are not about an argument's type or value; its text is one line for the user."""


def cache_dir() -> Path:
    """Directory of everything that can be made again: `$RANGECAST_CACHE`, or `rangecast` in the user's cache."""
    chosen = os.environ.get("RANGECAST_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rangecast"


@cache
def _kernel_cache(room: str) -> Path:
    """Cache directory of a room's kernels; says so, once, when they are about to be compiled."""
    root = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for name in _IMPORTS[room]:
        for source in sorted((root / name).glob("*.py")):
            text = source.read_bytes()
            if b"njit" in text:
                digest.update(text)
    directory = cache_dir() / "kernels" / f"{room}-{digest.hexdigest()[:16]}"
    if not directory.is_dir() and not numba.config.DISABLE_JIT:
        print(f"rangecast: compiling the kernels of {room} as they are first used; later starts reuse them",
              file=sys.stderr)  # fmt: skip
    return directory


def njit(kernel: Kernel) -> Kernel:
    """Compile a function over flat arrays with Numba, cached on disk across processes and source changes."""
    room = kernel.__module__.partition(".")[0]
    if room in _IMPORTS:
        numba.config.CACHE_DIR = str(_kernel_cache(room))
        return numba.njit(cache=True)(kernel)  # type: ignore[no-any-return]
    return numba.njit(kernel)  # type: ignore[no-any-return]
