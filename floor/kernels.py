"""The way kernels are compiled.

Numba's own cache notices a changed module, but not a changed kernel that the module calls, nor a changed constant
that it takes from another; and it keys what it keeps by the place of the source, so that every checkout compiles
anew. `njit` therefore keys the cache directory of each module by a hash of its source and of the sources of all
modules of the rooms that it imports, directly or not, and by nothing else: a change has itself and what rests on it
compiled anew, and checkouts and installations of the same sources share their kernels.
"""

import hashlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast, get_args

import numba
from numba.core import event
from numba.core.caching import UserProvidedCacheLocator

from floor.cache import cache_place

__all__ = [
    "ROOMS",
    "WITHOUT_REFERENCES",
    "ByContent",
    "compile_silently",
    "module_sources",
    "njit",
    "njit_brief",
    "njit_inner",
    "njit_within",
]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

ROOMS = ("cn", "floor", "matching", "paint", "pipeline", "rangecast", "scenarios", "simulator", "topologies")

WITHOUT_REFERENCES: Any = {"_nrt": False}  # Numba does not tell of it
"""Options of Numba for what is chosen at compilation among kernels that are `njit_inner`."""

_NUMBERS = (None, bool, int, float)

_config: Any = numba.config  # Numba sets its attributes at run time

_ROOT = Path(__file__).parent.parent

# What looks like an import in a text or a comment costs a file more in the hash, and takes none away.
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", flags=re.MULTILINE
)


class _Source(NamedTuple):
    text: str
    digest: bytes
    imports: tuple[str, ...]
    """Modules that it may import: `from a import b` may mean a module a, or a.b."""


def _read(path: Path) -> _Source | None:
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    imports: list[str] = []
    for origin, names, modules in _IMPORT.findall(re.sub(r"#[^\n]*", "", text)):
        listed = [name.split()[0] for name in (names or modules).strip("()").split(",") if name.strip()]
        imports += [origin, *(f"{origin}.{name}" for name in listed)] if origin else listed
    return _Source(text, hashlib.sha256(text.encode()).digest(), tuple(dict.fromkeys(imports)))


@cache  # every module that holds kernels asks for all that it rests on, when it is imported
def _source(module: str, root: Path) -> _Source | None:
    """Source of a module of the rooms; None of a name that is no such module."""
    if module.partition(".")[0] not in ROOMS:
        return None
    place = root.joinpath(*module.split("."))
    return _read(place.with_suffix(".py")) or _read(place / "__init__.py")


@cache
def _imported(module: str, root: Path) -> tuple[str, ...]:
    """Modules of the rooms that a module imports."""
    source = _source(module, root)
    return () if source is None else tuple(name for name in source.imports if _source(name, root) is not None)


def _rested_on(module: str, root: Path) -> dict[str, _Source]:
    """All that a module of the rooms rests on, by name: itself and, on and on, what it imports."""
    found: dict[str, _Source] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        source = None if name in found else _source(name, root)
        if source is not None:
            found[name] = source
            waiting += _imported(name, root)
    return found


def module_sources(module: str, root: Path = _ROOT) -> dict[str, str]:
    """Sources, by module, of all that a module of the rooms rests on: its own and, on and on, those it imports."""
    return {name: source.text for name, source in _rested_on(module, root).items()}


@cache
def _kernel_cache(module: str) -> Path:
    """Cache directory of a module's kernels."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for name, source in sorted(_rested_on(module, _ROOT).items()):
        digest.update(f"{name}\0".encode() + source.digest)
    return cache_place("kernels") / f"{module}-{digest.hexdigest()[:16]}"


class ByContent(UserProvidedCacheLocator):
    """Keeps a kernel in the directory of its module, which its sources name: wherever these lie, whenever written."""

    def __init__(self, kernel: Any, file: str) -> None:
        self._lineno: int = kernel.__code__.co_firstlineno
        self._py_file = file
        self._cache_path: str = _config.CACHE_DIR

    def get_source_stamp(self) -> str:
        """Nothing: the directory of other sources is another."""
        return ""


@contextmanager
def _kept_by_content(module: str) -> Iterator[None]:
    """Let Numba keep what is decorated here with the kernels of a module, and all else where it did."""
    before = _config.CACHE_DIR, _config.CACHE_LOCATOR_CLASSES
    _config.CACHE_DIR = str(_kernel_cache(module))
    _config.CACHE_LOCATOR_CLASSES = f"{__name__}.{ByContent.__name__}"
    try:
        yield
    finally:
        _config.CACHE_DIR, _config.CACHE_LOCATOR_CLASSES = before


class _CompilationNotice(event.Listener):
    """Says, once in a process, why the first start takes longer."""

    said = False

    def on_start(self, _: event.Event) -> None:
        if not self.said:
            self.said = True
            print("rangecast: compiling kernels that this needs for the first time; they are kept", file=sys.stderr)

    def on_end(self, _: event.Event) -> None:
        """Needs nothing: the notice stands."""


_register: Any = event.register
_register("numba:compile", _CompilationNotice())


def compile_silently() -> None:
    """Say nothing when kernels are compiled: whoever started this process does."""
    _CompilationNotice.said = True


def njit(kernel: Kernel) -> Kernel:
    """Compile a function over flat arrays with Numba.

    Kernels of the rooms are cached on disk across processes and source changes; those of others are not.
    While one runs, other threads go on: Spark starts beside the first approach.
    """
    return _compiled(kernel, nogil=True)


def njit_inner(kernel: Kernel) -> Kernel:
    """Compile a kernel that others call often, which makes and returns no arrays: it counts no references to them.

    Numba counts a reference to every array that a kernel is handed, alone or in a tuple, and one more whenever it
    takes an array out of a tuple. In a kernel of a tenth of a microsecond that takes longer than the work. Numba
    refuses to compile an array made here, by `np.empty`, a copy, or a row written to another. What it calls must
    return numbers too, or references that nobody gives back are left.
    """
    return _without_references(kernel, nogil=True)


def njit_within(kernel: Kernel) -> Kernel:
    """Compile such a kernel into the one that calls it.

    A call hands over every number of every array of every tuple: hundreds, for a few tuples of arrays, which takes
    longer than a kernel of a tenth of a microsecond. One that is called at many places is compiled at each.
    """
    return _without_references(kernel, nogil=True, forceinline=True)


def njit_brief(kernel: Kernel) -> Kernel:
    """Compile such a kernel of a microsecond, called from Python.

    Other threads wait for it, since to let them go on takes a tenth of that.
    """
    return _without_references(kernel, nogil=False)


def _without_references(kernel: Kernel, *, nogil: bool, forceinline: bool = False) -> Kernel:
    returned = inspect.signature(kernel).return_annotation
    if not all(one in _NUMBERS for one in get_args(returned) or (returned,)):
        raise TypeError(f"{kernel.__name__} must return numbers to count no references, not {returned}")
    return _compiled(kernel, nogil=nogil, forceinline=forceinline, **WITHOUT_REFERENCES)


def _compiled(kernel: Kernel, *, nogil: bool, _nrt: bool = True, forceinline: bool = False) -> Kernel:
    module = kernel.__module__
    of_a_room = _source(module, _ROOT) is not None
    # Said for every kernel: one that is not told takes over what holds for the first that calls it. Nobody hands
    # kernels to C, and a second entry for that would take as long to compile as that for Python.
    told: dict[str, Any] = {"nogil": nogil, "_nrt": _nrt, "forceinline": forceinline, "no_cfunc_wrapper": True}
    compile_kernel: Any = numba.njit(cache=of_a_room, **told)
    with _kept_by_content(module) if of_a_room else nullcontext():
        return cast("Kernel", compile_kernel(kernel))
