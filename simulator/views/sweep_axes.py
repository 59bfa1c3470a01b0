"""Axes of a figure of a sweep: which key goes along, which ones make panels, where values and ticks stand."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from floor.text import visible
from simulator.workload.units import BANDWIDTH, DURATION, RATE, SIZE

__all__ = ["Layout", "Places", "lay_out", "name_of", "places_of", "scale_values", "told"]

_LOG = 50
"""Largest over smallest value from which an axis is logarithmic."""
_FINE = 2.5
"""Decades below which a logarithmic axis has ticks between the powers of ten too."""
_LETTER = 0.075
"""Width of a letter of a tick's label, in inches."""
_APPROACHES = ("approaches",)
"""Lists of approaches make no panels: what lists share was run on the same events and has the same numbers."""

Row = Mapping[str, Any]
Keys = tuple[str, ...]


class Layout(NamedTuple):
    """Which keys of a sweep go where."""

    along: Keys
    """On the horizontal axis; several if they change together."""
    across: Keys
    """One panel beside the other for each of their values."""
    down: tuple[Keys, ...]
    """One below the other for each combination of theirs."""


class Places(NamedTuple):
    """Where the values of the key along stand."""

    name: str
    at: dict[tuple[Any, ...], float]
    counted: bool
    """Whether these are numbers, so that distances mean something."""

    @property
    def spread(self) -> bool:
        """Whether they span decades, so that the axis is logarithmic."""
        least, most = min(self.at.values()), max(self.at.values())
        return self.counted and least > 0 and most >= _LOG * least

    def label(self, axes: Axes, inches: float) -> None:
        """Mark the values on the horizontal axis, as many as there is room for."""
        if not self.counted:
            labels = [told(value) for value in self.at]
            steep = sum(map(len, labels)) * _LETTER > inches
            axes.set_xticks(
                list(self.at.values()), labels, rotation=30 if steep else 0, ha="right" if steep else "center"
            )
            axes.set_xlim(-0.5, len(labels) - 0.5)
            return
        if self.spread:
            axes.set_xscale("log")
        kept = _with_room(
            {math.log(at) if self.spread else at: (at, told(value)) for value, at in self.at.items()}, inches
        )
        axes.set_xticks([at for at, _ in kept], [label for _, label in kept])
        axes.xaxis.set_minor_locator(NullLocator())


def lay_out(rows: Sequence[Row], axes: Sequence[Keys], along: str | None) -> Layout:
    """Choose what goes where: by default the first numbers that the grid changes along, then a panel per other value.

    Parameters
    ----------
    rows : sequence of mapping
        All of `results.csv`.
    axes : sequence of tuple of str
        Keys of the grid, those that change together in one tuple.
    along : str, optional
        One of these keys, or "point", which makes no panels.

    Raises
    ------
    ValueError
        `along` is none of them.
    """
    every = [key for keys in axes for key in keys]
    if along not in (None, "point", *every):
        raise ValueError(f"along must be one of {', '.join((*every, 'point'))}, got {along!r}")
    if along == "point" or not every:
        return Layout(("point",), (), ())
    varied = [tuple(key for key in keys if _several(rows, (key,))) for keys in axes]
    varied = [keys for keys in varied if keys]
    if along is None:
        numbers = [keys for keys in varied if places_of(rows, keys).counted]
        first = (*numbers, *varied, (every[0],))[0]
        panels = [keys for keys in varied if keys != first and keys != _APPROACHES]
    else:
        first = (along,)
        panels = [_beside(rows, keys, along) for keys in varied if keys != _APPROACHES]
        panels = [keys for keys in panels if keys]
    return Layout(first, panels[0] if panels else (), tuple(panels[1:]))


def places_of(rows: Sequence[Row], keys: Keys) -> Places:
    """Where the values of keys stand on an axis: numbers and quantities at their size, words in turn."""
    values = list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows))
    numbers = _numbers([value[0] for value in values]) if len(keys) == 1 else None
    at = dict(zip(values, map(float, range(len(values))) if numbers is None else numbers, strict=True))
    return Places(name_of(keys), at, numbers is not None)


def scale_values(axes: Axes, rows: Sequence[Row]) -> None:
    """Let a vertical axis begin at 0, or be logarithmic where the means span decades; 0 has a place there too."""
    plain = FuncFormatter(lambda value, _: f"{value:,.6g}")
    axes.yaxis.set_major_formatter(plain)
    means = [row["mean"] for row in rows]
    least, most = min((mean for mean in means if mean > 0), default=0.0), max(means)
    if min(means) < 0:
        return
    if not least or most < _LOG * least:
        axes.set_ylim(0, None if most else 1)
        return
    lowest, highest = math.floor(math.log10(least)), math.ceil(math.log10(most))
    if min(means) == 0:
        axes.set_yscale("symlog", linthresh=10.0**lowest, linscale=0.4)
        axes.yaxis.set_major_locator(FixedLocator([0, *(10.0**power for power in range(lowest, highest + 1))]))
        axes.set_ylim(bottom=0)
    else:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if math.log10(most / least) < _FINE else (1,)))
        ends = (row["mean"] - (row["half_width"] or 0) for row in rows)
        axes.set_ylim(bottom=0.8 * min(least, *(end for end in ends if end > 0.1 * least)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(plain)  # a change of scale has brought another one


def told(value: tuple[Any, ...]) -> str:
    """Values of keys as a reader writes them."""
    return ", ".join(_word(part) for part in value)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return "none" if value in (None, "") else visible(str(value))


def _numbers(values: Sequence[Any]) -> list[float] | None:
    """Numbers, or quantities of one dimension, as numbers; None if they are words."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values]
    for dimension in (RATE, DURATION, SIZE, BANDWIDTH):
        try:
            return [float(dimension.parse(value)) for value in values]
        except ValueError:
            continue
    return None


def _several(rows: Sequence[Row], keys: Keys) -> bool:
    return len({tuple(row[key] for key in keys) for row in rows}) > 1


def _beside(rows: Sequence[Row], keys: Keys, along: str) -> Keys:
    """What of a group of keys makes panels: nothing if the key along is among them and tells the others."""
    if along not in keys:
        return keys
    rest = tuple(key for key in keys if key != along)
    by_value: dict[Any, set[tuple[Any, ...]]] = {}
    for row in rows:
        by_value.setdefault(row[along], set()).add(tuple(row[key] for key in rest))
    return rest if any(len(found) > 1 for found in by_value.values()) else ()


def name_of(keys: Keys) -> str:
    """One name for keys that change together: the table they are in, if they are in one."""
    if len(keys) == 1:
        return keys[0]
    tables = {key.rpartition(".")[0] for key in keys}
    return tables.pop() if len(tables) == 1 else ", ".join(keys)


def _with_room(ticks: Mapping[float, tuple[float, str]], inches: float) -> list[tuple[float, str]]:
    """Of ticks at these distances those whose labels do not touch, from the left."""
    low, high = min(ticks), max(ticks)
    kept: list[tuple[float, str]] = []
    end = -math.inf
    for place in sorted(ticks):
        at, label = ticks[place]
        centre = inches * (place - low) / (high - low or 1.0)
        half = (len(label) + 1) * _LETTER / 2
        if centre - half >= end:
            kept.append((at, label))
            end = centre + half
    return kept
