"""Which metrics of a sweep to show: those that `--metric` names, or a few that say most."""

from collections.abc import Sequence

from floor.errors import RangecastError
from pipeline.schemas import TIMES
from simulator.runs.sweep_tables import METRICS
from simulator.scenario.grid import Grid

__all__ = ["MetricError", "choose_metrics", "metrics_of_grid"]

_USUAL = ("bytes_out", "ip_bytes", "stale", "wrong_share", "received_update", "redundancy", "latency_p99")
"""Those shown if none is named, the one that says most first."""

_CLOCKED = {*TIMES, "wrong_share", "offered_load"}


class MetricError(RangecastError):
    """A metric that cannot be shown; the text is one line for the user."""


def metrics_of_grid(grid: Grid) -> tuple[str, ...]:
    """Metrics that a sweep will have: those of a clock where a point has one."""
    clock = any(point.scenario.engine == "des" for point in grid.points)
    return tuple(metric for metric in METRICS if clock or metric not in _CLOCKED)


def choose_metrics(text: str | None, there: Sequence[str], most: int = len(_USUAL)) -> tuple[str, ...]:
    """Take apart what `--metric` says.

    Parameters
    ----------
    text : str, optional
        Names with commas between them; without it, the usual ones of those that there are.
    there : sequence of str
        Metrics that can be shown.
    most : int
        How many of the usual ones.

    Raises
    ------
    MetricError
        One line: a name that is none of them, and those that are.
    """
    if text is None:
        return tuple(metric for metric in _USUAL if metric in there)[:most]
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    wrong = next((name for name in names if name not in there), None)
    if wrong is None:
        return names
    clock = 'it takes a clock, engine = "des"' if wrong in _CLOCKED.intersection(METRICS) else "no such metric"
    raise MetricError(f"--metric {wrong or repr(text)}: {clock}; choose among {', '.join(there)}")
