"""The growth of cost with n, m and k, drawn log-log from the rows that the benchmarks wrote."""

import csv
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.record import RESULTS

__all__ = ["draw_growth"]

_STYLES = ("o-", "s--", "^-.", "d:")


def draw_growth() -> Path:
    """Draw microseconds per event against n, against m and against k; a panel without rows stays empty."""
    dense, sparse = _rows("object_indexes"), _rows("paint_sparse")
    with mpl.rc_context({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3}):
        figure = Figure(figsize=(12, 3.8), layout="constrained")
        by_n, by_m, by_k = figure.subplots(1, 3)
        indexes = ("tournament", "kd", "range")
        by_index = {f"Paint-Dense, {name}": _points(dense, "n", name, k="20") for name in indexes}
        _draw(by_n, "objects n (k = 20)", by_index)
        aware = [
            row | {"us": str(1e6 / float(row["events_per_s"]))} for row in sparse if row["algorithm"] == "sparse"
        ]
        _draw(by_m, "subscriptions m (n = 10,000, k = 20)", {"Paint-Sparse": _points(aware, "m", "us", k="20")})
        by_length = {
            "Paint-Dense, tournament, n = 10,000": _points(dense, "k", "tournament", n="10000"),
            "Paint-Sparse, n = 10,000, m = 2M": _points(aware, "k", "us", m="2000000"),
        }
        _draw(by_k, "length of the lists k", by_length)
        figure.savefig(RESULTS / "growth.png", dpi=130)
    return RESULTS / "growth.png"


def _rows(name: str) -> list[dict[str, str]]:
    path = RESULTS / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _points(rows: list[dict[str, str]], across: str, up: str, **kept: str) -> list[tuple[float, float]]:
    chosen = [row for row in rows if all(row[key] == value for key, value in kept.items())]
    return sorted((float(row[across]), float(row[up])) for row in chosen)


def _draw(axes: Axes, across: str, lines: dict[str, list[tuple[float, float]]]) -> None:
    for (label, points), style in zip(lines.items(), _STYLES, strict=False):
        if points:
            axes.plot([x for x, _ in points], [y for _, y in points], style, label=label)
            axes.set(xscale="log", yscale="log")
    axes.set(xlabel=across, ylabel="time per event (µs)")
    if any(lines.values()):
        axes.legend(fontsize=8)
