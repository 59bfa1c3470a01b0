"""The root of the error tree."""

__all__ = ["RangecastError"]


class RangecastError(Exception):
    """Root of the errors that are not about an argument's type or value; its text is one line for the user."""
