"""Progress bars for the terminal."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

__all__ = ["step_progress", "sweep_progress"]


# A task may take minutes: a shorter memory, such as rich's 30 seconds, would hold none.
_PACE_SECONDS = 86_400.0


def sweep_progress() -> Progress:
    """Progress over the tasks of a sweep, with the time left at the pace of this start so far."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        speed_estimate_period=_PACE_SECONDS,
    )


def step_progress() -> Progress:
    """Progress through the steps of a run."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
