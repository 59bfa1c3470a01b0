"""Range indexes that find all ranges that hold a point (seed 002), and windows, their form of linear space."""

from matching.intervals.windows import Windows

__all__ = ["Windows"]
