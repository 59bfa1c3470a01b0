"""Progress bars for the terminal."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

__all__ = ["step_progress", "sweep_progress"]

# A task may take minutes: a shorter memory, such as rich's 30 seconds, would hold none.
_PACE_SECONDS = 86_400.0


def step_progress() -> Progress:
    """Progress through the steps of a run."""
    return _progress()


def sweep_progress() -> Progress:
    """Progress over the tasks of a sweep, with the time left at the pace of this start so far."""
    return _progress(TextColumn("left"), TimeRemainingColumn())


def _progress(*more: ProgressColumn) -> Progress:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, *more, console=Console(stderr=True), speed_estimate_period=_PACE_SECONDS)
