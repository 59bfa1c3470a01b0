"""The way kernels are compiled.

Numba's own cache notices a changed module, but not a changed kernel that the module calls. `njit` therefore
keys the cache directory of each room by a hash of the kernel sources of that room and of the rooms it may import.
"""

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from floor.cache import cache_dir

__all__ = ["njit"]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_config: Any = numba.config  # Numba sets its attributes at run time

_IMPORTS = {
    "matching": ("matching",),
    "topologies": ("topologies",),
    "paint": ("paint", "matching"),
    "cn": ("cn", "paint", "topologies", "matching"),
    "pipeline": ("pipeline", "paint", "matching"),
    "simulator": ("simulator", "cn", "pipeline", "paint", "topologies", "matching"),
}


@cache
def _kernel_cache(room: str) -> Path:
    """Cache directory of a room's kernels."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for name in _IMPORTS[room]:
        for source in sorted((root / name).rglob("*.py")):
            text = source.read_bytes()
            if b"njit" in text:
                digest.update(text)
    return cache_dir() / "kernels" / f"{room}-{digest.hexdigest()[:16]}"


class _CompilationNotice(event.Listener):
    """Says, once in a process, why the first start takes longer."""

    said = False

    def on_start(self, _: event.Event) -> None:
        if not self.said:
            self.said = True
            print("rangecast: compiling kernels; this happens once, later starts find them compiled", file=sys.stderr)

    def on_end(self, _: event.Event) -> None:
        """Needs nothing: the notice stands."""


_register: Any = event.register
_register("numba:compile", _CompilationNotice())


def njit(kernel: Kernel) -> Kernel:
    """Compile a function over flat arrays with Numba.

    Kernels of the rooms are cached on disk across processes and source changes; those of others are not.
    """
    room = kernel.__module__.partition(".")[0]
    if room in _IMPORTS:
        _config.CACHE_DIR = str(_kernel_cache(room))
    compile_kernel: Any = numba.njit(cache=room in _IMPORTS)
    return cast("Kernel", compile_kernel(kernel))
