"""The root of the error tree, and which errors come from an interruption."""

__all__ = ["RangecastError", "interruption"]


class RangecastError(Exception):
    """Root of the errors that are not about an argument's type or value; its text is one line for the user."""


def interruption(error: BaseException) -> KeyboardInterrupt | None:
    """Find the interruption that an error comes from: of Spark, which could not be told to clean up after it, or of a
    kernel, whose end Numba turns into an error of the system.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause
