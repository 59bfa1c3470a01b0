"""Sweeps whose numbers a test chooses: the files of tasks are written, the rest is what `run_sweep` makes of them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.progress import Progress

from pipeline import SUMMARY
from simulator.results.summary import Row
from simulator.runs.finished_sweep import FinishedSweep
from simulator.runs.sweep import _points, run_sweep
from simulator.runs.sweep_tables import METRICS, rows_csv, task_file
from simulator.scenario.grid import make_grid

SCENARIO: dict[str, Any] = {
    "name": "made",
    "k": 3,
    "approaches": ["paint-dense", "unicast"],
    "objects": {"count": 50},
    "events": {"count": 20},
}

Values = Callable[[int, int, str, str], float | None]
"""Value of a metric by point and replication, from 0, and approach."""


def make_sweep(directory: Path, grid: Mapping[str, Any], values: Values, **keys: Any) -> FinishedSweep:
    """Make a finished sweep; `keys` are those of the grid file beside `grid`, with a scenario of ours by default."""
    wanted = make_grid({"scenario": SCENARIO, "replications": 3, "grid": dict(grid), **keys}, path=Path("made.toml"))
    directory.mkdir(parents=True)
    (directory / "grid.toml").write_text(wanted.text, encoding="utf-8")
    (directory / "points.json").write_text(json.dumps(_points(wanted)), encoding="utf-8")
    (directory / "tasks").mkdir()
    for point, one in enumerate(wanted.points):
        for replication in range(len(wanted.seeds)):
            rows = [_row(name, values, point, replication) for name in one.scenario.approaches]
            task_file(directory, point, replication).write_text(rows_csv(rows), encoding="utf-8")
    result = run_sweep(wanted, directory, master=None, processes=1, progress=Progress(disable=True))
    assert result.found == result.tasks
    return FinishedSweep(directory)


def _row(approach: str, values: Values, point: int, replication: int) -> Row:
    row: Row = dict.fromkeys(SUMMARY.names) | {"approach": approach, "events": 20}
    for metric in METRICS:
        found = values(point, replication, approach, metric)
        row[metric] = int(found) if metric in ("bytes_in_max", "bytes_out_max") and found is not None else found
    return row
