"""The colour of an approach: the same in every figure, page and map, whatever stands beside it.

A family has a hue, from a palette that stays apart for colour-blind readers; what stands in parentheses takes it
towards the paper, a larger ε, a longer window or interval further. Approaches of others get, by their name, one of
the hues that no family has. Figures must not rest on colour alone: give lines a mark or a label too.
"""

import math
import re
import zlib
from typing import NamedTuple

from simulator.approaches.registry import parse_approach
from simulator.workload.windows import Window

__all__ = ["Colour", "colour_of"]


class Colour(NamedTuple):
    """A colour as #rrggbb, on white and on black."""

    light: str
    dark: str


_FAMILIES = {
    "paint-dense": Colour("#0072b2", "#56b4e9"),
    "paint-sparse": Colour("#007a59", "#4fd0a5"),
    "paint-batch": Colour("#4f2a8f", "#9f7ef0"),
    "paint-batch-sparse": Colour("#a8527f", "#e79ac0"),
    "paint-batch-printed": Colour("#6b6f9c", "#a9add6"),
    "coalesce": Colour("#6d5a4b", "#c7b3a3"),
    "unicast": Colour("#d55e00", "#ff9d57"),
    "cn-relax": Colour("#8a6100", "#e6b800"),
    "flood": Colour("#333333", "#f2f2f2"),
    "rendezvous": Colour("#b3261e", "#ff8a80"),
    "poll": Colour("#5f7d00", "#b5d64a"),
}
_OTHERS = (
    Colour("#00758a", "#5fd3e6"),
    Colour("#8f1d6b", "#f07fce"),
    Colour("#3d5a99", "#93b3f5"),
    Colour("#7a4f00", "#f0c070"),
    Colour("#2f6b2f", "#8fdc8f"),
)
_PALER = {"tiles": 2.0, "strips": 1.4}
"""By how much less approaches with an ε go from their family's colour where they cut otherwise than by levels."""
_FURTHEST = 0.27
"""So little that the palest has a contrast of 3 to the paper, which thin lines need."""


def colour_of(name: str) -> Colour:
    """Colour of an approach by the name that a scenario gives it, known or not."""
    family, _, argument = name.partition("(")
    colour = _FAMILIES.get(family) or _OTHERS[zlib.crc32(family.encode()) % len(_OTHERS)]
    share = _FURTHEST * _strength(name) if argument else 0.0
    return Colour(_mixed(colour.light, 255, share), _mixed(colour.dark, 0, share))


def _strength(name: str) -> float:
    """How far from its family's colour an approach goes, from 0 to 1."""
    try:
        approach = parse_approach(name)
    except ValueError:
        return 0.5
    if approach.epsilon is not None:
        return math.sqrt(approach.epsilon) / _PALER.get(approach.cut or "levels", 1.0)
    window, interval_s = approach.window or Window(), approach.interval_s or 0.0
    size = window.events or 1e3 * (window.seconds or interval_s)
    return math.log1p(size) / (2.0 + math.log1p(size)) if size else 0.5


def _mixed(colour: str, other: int, share: float) -> str:
    """A colour with a share of a grey in it."""
    parts = (int(part, 16) for part in re.findall("..", colour[1:]))
    return "#" + "".join(f"{round(part + (other - part) * share):02x}" for part in parts)
