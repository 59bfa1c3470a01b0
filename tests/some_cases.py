"""Cases of tests of which the ordinary suite runs some, and `make test-all` every one."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["some"]


def some(cases: Iterable[Any], ordinary: Callable[[Any], bool]) -> list[Any]:
    """Mark as slow what is not ordinary; plain tuples are values of several arguments."""
    return [
        case if ordinary(case) else pytest.param(*(case if type(case) is tuple else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]
