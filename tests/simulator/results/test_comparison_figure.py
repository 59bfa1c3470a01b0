"""The figure of a run: bars are as high as the means, and nothing at all can be drawn too."""

import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from simulator.results.comparison_figure import comparison_figure, draw_comparison

COLUMNS = ("bytes_out", "overlay_bytes", "ip_bytes", "received_update", "received_exposed")


def summary_of(path: Path, rows: Mapping[str, tuple[float, ...]], latency: str = "") -> Path:
    lines = [f"approach,{','.join(COLUMNS)},latency_p50"]
    lines += [f"{name},{','.join(map(str, means))},{latency}" for name, means in rows.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_bars_are_as_high_as_the_means_from_one_on(tmp_path: Path) -> None:
    rows = {"paint-dense": (10.0, 20.0, 40.0, 5.0, 2.0), "unicast": (100.0, 200.0, 0.0, 5.0, 0.0)}
    summary = summary_of(tmp_path / "summary.csv", rows)
    figure = comparison_figure(tmp_path / "none", summary, list(rows), "made", 0)
    traffic, received = figure.axes
    assert [bar.get_height() for bars in traffic.containers for bar in bars] == [10, 20, 40, 100, 200, 0]
    assert [bar.get_height() for bars in received.containers for bar in bars] == [5, 5, 2, 0]
    assert [text.get_text() for text in (*traffic.texts, *received.texts)] == ["0", "0"]
    assert [axes.get_yscale() for axes in figure.axes] == ["log", "log"]
    assert all(axes.get_ylim()[0] == pytest.approx(1) for axes in figure.axes)
    assert traffic.get_ylim()[1] > 200


def test_long_names_and_many_leave_room_for_what_is_drawn(tmp_path: Path) -> None:
    names = [f"an-approach-whose-name-has-some-forty-letters-{at}" for at in range(7)]
    summary = summary_of(tmp_path / "summary.csv", dict.fromkeys(names, (10.0, 200.0, 4000.0, 5.0, 2.0)), "3.5")
    approaches = [name for name in names for _ in range(9)]
    rows = {"approach": approaches, "event": [*range(9)] * 7, "latency_p50": [1.0, 2.0, 9.0] * 21}
    pq.write_table(pa.table(rows), tmp_path / "events.parquet")
    figure = comparison_figure(tmp_path / "events.parquet", summary, names, "made", 0)
    figure.draw_without_rendering()
    whole = figure.bbox
    for axes in figure.axes:
        legend, panel = axes.get_legend(), axes.get_window_extent()
        assert legend is not None
        told = legend.get_window_extent()
        assert panel.width > 0.2 * whole.width
        assert panel.height > 0.5 * whole.height
        assert whole.x0 <= told.x0
        assert told.x1 <= whole.x1
        drawn = axes.get_lines() or [bar for bars in axes.containers for bar in bars]
        assert not any(told.overlaps(one.get_window_extent()) for one in drawn)
    legend = figure.axes[0].get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert len(set(labels)) == 7


def test_a_run_in_which_nothing_was_sent_is_drawn_without_complaint(tmp_path: Path) -> None:
    summary = summary_of(tmp_path / "summary.csv", {"paint-dense": (0.0,) * 5})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_comparison(tmp_path / "none", summary, ["paint-dense"], "made", 0, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5_000


def test_the_distribution_of_latencies_is_without_the_warm_up(tmp_path: Path) -> None:
    summary = summary_of(tmp_path / "summary.csv", {"unicast": (1.0,) * 5}, "7.0")
    rows = [("unicast", event, wait) for event, wait in enumerate((900.0, 800.0, 7.0, None, 5.0))]
    columns = dict(zip(("approach", "event", "latency_p50"), zip(*rows, strict=True), strict=True))
    pq.write_table(pa.table(columns), tmp_path / "events.parquet")
    figure = comparison_figure(tmp_path / "events.parquet", summary, ["unicast"], "made", 2)
    (line,) = figure.axes[2].lines
    assert np.array_equal(line.get_xdata(), [5, 7])
    assert np.array_equal(line.get_ydata(), [0.5, 1])
