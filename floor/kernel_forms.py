"""One name for kernels of several forms of the same data, the form chosen by the shape of an array."""

from collections.abc import Callable, Mapping
from typing import Any

from numba.extending import overload

from floor.kernels import WITHOUT_REFERENCES

__all__ = ["by_ndim"]

Kernel = Callable[..., Any]


def by_ndim(kernels: Mapping[int, Kernel]) -> Kernel:
    """Make one function of kernels with the same parameters, by the dimensions of the first one, an array.

    Compiled code that calls it gets the kernel at compile time, at no cost; Python looks it up. If all are
    `njit_inner`, it counts no references either.
    """

    def form(array: Any, *rest: Any) -> Any:
        return kernels[array.ndim](array, *rest)

    def choose(array: Any, *_: Any) -> Any:
        kernel = kernels[array.ndim]
        return getattr(kernel, "py_func", kernel)

    inner = all(getattr(kernel, "targetoptions", {}).get("_nrt") is False for kernel in kernels.values())
    overload(form, jit_options=WITHOUT_REFERENCES if inner else {}, strict=False)(choose)
    return form
