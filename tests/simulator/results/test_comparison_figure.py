"""The figure of a run: bars are as high as the means, and nothing at all can be drawn too."""

import warnings
from collections.abc import Mapping
from pathlib import Path

import pytest

from simulator.results.comparison_figure import comparison_figure, draw_comparison

COLUMNS = ("bytes_out", "overlay_bytes", "ip_bytes", "received_update", "received_exposed")


def summary_of(path: Path, rows: Mapping[str, tuple[float, ...]]) -> Path:
    lines = [f"approach,{','.join(COLUMNS)},latency_p50"]
    lines += [f"{name},{','.join(map(str, means))}," for name, means in rows.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_bars_are_as_high_as_the_means_from_one_on(tmp_path: Path) -> None:
    rows = {"paint-dense": (10.0, 20.0, 40.0, 5.0, 2.0), "unicast": (100.0, 200.0, 0.0, 5.0, 0.0)}
    summary = summary_of(tmp_path / "summary.csv", rows)
    figure = comparison_figure(tmp_path / "none", summary, list(rows), "made")
    traffic, received = figure.axes
    assert [bar.get_height() for bars in traffic.containers for bar in bars] == [10, 20, 40, 100, 200, 0]
    assert [bar.get_height() for bars in received.containers for bar in bars] == [5, 5, 2, 0]
    assert [text.get_text() for text in (*traffic.texts, *received.texts)] == ["0", "0"]
    assert [axes.get_yscale() for axes in figure.axes] == ["log", "log"]
    assert all(axes.get_ylim()[0] == pytest.approx(1) for axes in figure.axes)
    assert traffic.get_ylim()[1] > 200


def test_a_run_in_which_nothing_was_sent_is_drawn_without_complaint(tmp_path: Path) -> None:
    summary = summary_of(tmp_path / "summary.csv", {"paint-dense": (0.0,) * 5})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_comparison(tmp_path / "none", summary, ["paint-dense"], "made", tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5_000
