"""Kernels that are written once and compiled for several kinds of arrays, each with parts of its own.

Numba keeps no kernel on disk that closes over others or takes them as arguments. A shared function therefore calls
its parts by global names of its module, and `with_parts` compiles it anew with kernels in the place of these names.
What is made counts as a kernel of the module that brings the parts, and is kept with its others.
"""

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from floor.kernels import njit

__all__ = ["by_name", "with_parts"]

Kernel = Callable[..., Any]


def by_name(parts: Iterable[Kernel]) -> dict[str, Kernel]:
    """Parts by their names, without the underscore of those that are a module's own."""
    return {part.__name__.lstrip("_"): part for part in parts}


def with_parts(module: str, *shared: Kernel, **parts: Kernel) -> list[Kernel]:
    """Compile functions of one module, which may call each other, with these parts for its global names.

    Parameters
    ----------
    module
        Name of the module that the kernels are for, which must import that of the functions.
    shared
        The functions; as they stand in their module they are never called, so never compiled.
    parts
        Kernels by the names that the functions call them by.
    """
    plain = [getattr(one, "py_func", one) for one in shared]  # as they are where Numba is switched off
    names = {**plain[0].__globals__, "__name__": module, **parts}
    for one in plain:
        names[one.__name__] = njit(FunctionType(one.__code__, names, one.__name__))
    return [names[one.__name__] for one in plain]
