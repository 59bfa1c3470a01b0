"""The error of a run that cannot be made or read."""

from floor.errors import RangecastError

__all__ = ["RunError"]


class RunError(RangecastError):
    """A run that cannot be made or read; the text is one line for the user."""
