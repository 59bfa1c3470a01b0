"""How objects and ranges are told to a reader."""

from collections.abc import Sequence

from floor.text import visible

__all__ = ["apart", "interval", "object_name", "short"]

_MANY = 12
"""Letters of a value that is told apart from another only by its last digits."""


def object_name(i: int, names: Sequence[str], letters: int | None = None) -> str:
    """An object by its id, and by the name it has in a history, whatever that is made of, cut to so many letters."""
    if i >= len(names):
        return f"object {i}"
    name = visible(names[i])
    cut = letters is not None and len(name) > letters
    return f"object {i} ({name[: letters or 0].rstrip()}…)" if cut else f"object {i} ({name})"


def apart(low: float, high: float) -> tuple[str, str]:
    """Two values with four digits, or as many as it takes to tell them apart."""
    for digits in range(4, 17):
        told = f"{low:.{digits}g}", f"{high:.{digits}g}"
        if told[0] != told[1]:
            return told
    return repr(float(low)), repr(float(high))


def interval(low: float, high: float, ends: str) -> str:
    """An interval such as "(0.1, 0.2]" by its ends, "(]" for that one; a single value that is as good as one."""
    told = apart(low, high)
    return f"{ends[0]}{told[0]}, {told[1]}{ends[1]}" if max(map(len, told)) < _MANY else f"= {low:.4g}"


def short(value: float | None) -> str:
    """A value with four digits, or all before the point; nothing for none."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
