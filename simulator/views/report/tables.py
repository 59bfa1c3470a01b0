"""Tables of the report, as text; and the values of scenarios and manifests as text."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["Table", "flat", "percent", "plain"]


class Table(NamedTuple):
    """Cells as text; the first of a row is its head."""

    label: str
    """Read aloud."""
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Dotted keys and values as text."""
    told: dict[str, str] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            told |= flat(value, f"{prefix}{key}.")
        else:
            told[f"{prefix}{key}"] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return told


def plain(value: object) -> str:
    """A value as text, numbers with commas; a dash for none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "-" if value is None else str(value)


def percent(value: object) -> str:
    """A share in percent; a dash for none."""
    return f"{value:.1%}" if isinstance(value, int | float) else "-"
