"""The error of this room, and how a failed Spark job becomes one line for the user."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from floor.errors import RangecastError, interruption

__all__ = ["PipelineError", "root_cause", "spark_errors"]

_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\] (.*?)(?: SQLSTATE: \w+)?")
"""A line that `raise_error` was given in a job of ours."""


class PipelineError(RangecastError):
    """Java or Spark is missing or failed, or a file is not what it should be; its text is one line for the user."""


def root_cause(error: Exception) -> str:
    """First line of the deepest cause of a Spark failure, without the JVM's stack."""
    if isinstance(error, Py4JJavaError):
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        text = str(cause.getMessage() or cause.getClass().getSimpleName())
    else:
        text = str(error)
    if "Traceback (most recent call last)" in text:
        # A task in Python failed: behind the indented lines of the last traceback stands the error.
        lines = text.rpartition("Traceback (most recent call last)")[2].splitlines()[1:]
        return next((line.strip() for line in lines if line.strip() and not line.startswith(" ")), lines[0])
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # A failed task arrives as text: the JVM keeps no exception object of another process.
    caused = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return (caused or lines or [type(error).__name__])[-1 if caused else 0]


@contextmanager
def spark_errors(doing: str) -> Iterator[None]:
    """Turn any failure of Spark inside the block into a `PipelineError` that says what was being done."""
    try:
        yield
    except (Py4JError, PySparkException) as error:
        if (stopped := interruption(error)) is not None:
            raise stopped from None
        reason = root_cause(error)
        ours = _RAISED.fullmatch(reason)
        raise PipelineError(ours[1] if ours else f"Spark could not {doing}: {reason}") from error
