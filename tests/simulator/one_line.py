"""A mistake is told in one line, which begins with where it is and holds the rule."""

from collections.abc import Callable

import pytest


def told_in_one_line(act: Callable[[], object], error: type[Exception], start: str, rule: str) -> None:
    """Check what an act that must fail says."""
    with pytest.raises(error) as caught:
        act()
    assert str(caught.value).startswith(start)
    assert rule in str(caught.value)
    assert "\n" not in str(caught.value)
