"""How objects and ranges are told to a reader."""

from collections.abc import Sequence

from floor.text import visible

__all__ = ["apart", "object_name", "short"]


def object_name(i: int, names: Sequence[str]) -> str:
    """An object by its id, and by the name it has in a history, whatever that is made of."""
    return f"object {i} ({visible(names[i])})" if i < len(names) else f"object {i}"


def apart(low: float, high: float) -> tuple[str, str]:
    """Two values with four digits, or as many as it takes to tell them apart."""
    for digits in range(4, 17):
        told = f"{low:.{digits}g}", f"{high:.{digits}g}"
        if told[0] != told[1]:
            return told
    return repr(float(low)), repr(float(high))


def short(value: float | None) -> str:
    """A value with four digits, or all before the point; nothing for none."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
