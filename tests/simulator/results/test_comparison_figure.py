"""The figure of a run: bars are as high as the means, and nothing at all can be drawn too."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from simulator.results.comparison_figure import comparison_figure, draw_comparison

COLUMNS = ("bytes_out", "overlay_bytes", "ip_bytes", "received_update", "received_exposed")


def run_of(
    rows: Mapping[str, tuple[float, ...]],
    latency: float | None = None,
    events: Mapping[str, Sequence[Any]] | None = None,
) -> Any:
    """What the figure asks of a run, made up."""
    summary = [{"approach": name, **dict(zip(COLUMNS, row, strict=True))} for name, row in rows.items()]
    return SimpleNamespace(
        summary=[row | {"latency_p50": latency} for row in summary],
        table=lambda name, columns: {"events": pa.table(events or {})}[name].select(columns),
    )


def test_bars_are_as_high_as_the_means_from_one_on() -> None:
    rows = {"paint-dense": (10.0, 20.0, 40.0, 5.0, 2.0), "unicast": (100.0, 200.0, 0.0, 5.0, 0.0)}
    figure = comparison_figure(run_of(rows), list(rows), "made", 0)
    traffic, received = figure.axes
    assert [bar.get_height() for bars in traffic.containers for bar in bars] == [10, 20, 40, 100, 200, 0]
    assert [bar.get_height() for bars in received.containers for bar in bars] == [5, 5, 2, 0]
    assert [text.get_text() for text in (*traffic.texts, *received.texts)] == ["0", "0"]
    assert [axes.get_yscale() for axes in figure.axes] == ["log", "log"]
    assert all(axes.get_ylim()[0] == pytest.approx(1) for axes in figure.axes)
    assert traffic.get_ylim()[1] > 200


def test_long_names_and_many_leave_room_for_what_is_drawn() -> None:
    names = [f"an-approach-whose-name-has-some-forty-letters-{at}" for at in range(7)]
    approaches = [name for name in names for _ in range(9)]
    events = {"approach": approaches, "event": [*range(9)] * 7, "latency_p50": [1.0, 2.0, 9.0] * 21}
    means = dict.fromkeys(names, (10.0, 200.0, 4000.0, 5.0, 2.0))
    figure = comparison_figure(run_of(means, 3.5, events), names, "made", 0)
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
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_comparison(run_of({"paint-dense": (0.0,) * 5}), ["paint-dense"], "made", 0, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5_000


def test_the_distribution_of_latencies_is_without_the_warm_up() -> None:
    rows = [("unicast", event, wait) for event, wait in enumerate((900.0, 800.0, 7.0, None, 5.0))]
    events = dict(zip(("approach", "event", "latency_p50"), zip(*rows, strict=True), strict=True))
    figure = comparison_figure(run_of({"unicast": (1.0,) * 5}, 7.0, events), ["unicast"], "made", 2)
    (line,) = figure.axes[2].lines
    assert np.array_equal(line.get_xdata(), [5, 7])
    assert np.array_equal(line.get_ydata(), [0.5, 1])
