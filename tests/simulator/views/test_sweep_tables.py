"""Tables of sweeps in a terminal of 100 columns: every number whole, on a line of its own row."""

import re
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from simulator.runs.finished_sweep import FinishedSweep
from simulator.runs.metric_choice import choose_metrics
from simulator.runs.sweep_tables import METRICS
from simulator.views.compared import compared
from simulator.views.sweep_table import mean_cell, shown_keys, sweep_tables
from simulator.views.wide_table import Column, tables_within
from tests.simulator.hand_made_sweep import SCENARIO, make_sweep

WIDTH = 100


def lines_of(table: Table) -> list[str]:
    console = Console(width=WIDTH)
    with console.capture() as capture:
        console.print(table)
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> FinishedSweep:
    """Six keys, words and numbers, two of them together; values from 0 to ten digits."""
    return make_sweep(
        tmp_path_factory.mktemp("wide") / "wide",
        {
            "topology": [{"model": "transit-stub", "nodes": 3037}, {"model": "barabasi-albert", "nodes": 10_000}],
            "network.brokers": [16, 64],
            "network.zones": ["even", "balanced"],
            "events.rate": ["50/s", "100000/s"],
            "subscriptions.count": [20_000, 1_000_000],
            "objects.count": [1000],
        },
        lambda point, replication, *_: 7.0 ** (point % 12) * (100 + replication) - 100,
        scenario=SCENARIO | {"approaches": ["paint-dense(0.125)", "paint-batch-sparse(1000)"], "engine": "des"},
    )


def test_a_wide_sweep_has_several_tables_and_whole_numbers(wide: FinishedSweep) -> None:
    keys = shown_keys(wide)
    assert "objects.count" not in keys, "it has one value throughout"
    metrics = ["bytes_out", "latency_p99", "received_update", "redundancy"]
    tables = sweep_tables(wide.results, keys, metrics, WIDTH)
    assert len(tables) > 1
    rows = wide.results.to_pylist()
    for table in tables:
        lines = lines_of(table)
        assert max(map(cell_len, lines)) <= WIDTH
        heads = [str(column.header).replace("\n", "").partition(",")[0] for column in table.columns]
        for metric in set(metrics).intersection(heads):
            cells = {mean_cell(row) for row in rows if row["metric"] == metric}
            assert all(any(f" {cell}" in line for line in lines) for cell in cells), metric
        assert any("1,000,000" in line for line in lines)
    shown = [str(column.header).replace("\n", "") for table in tables for column in table.columns]
    assert [name for name in shown if name.partition(",")[0] in metrics] == [
        *("bytes_out", "latency_p99, ms", "received_update", "redundancy")
    ]


def test_the_usual_metrics_of_a_small_grid_fit_side_by_side(tmp_path: Path) -> None:
    sweep = make_sweep(
        tmp_path / "small", {"k": [5, 20], "network.brokers": [16, 64]}, lambda *at: 12345.0 + at[0] + at[1]
    )
    first, *_ = sweep_tables(sweep.results, shown_keys(sweep), choose_metrics(None, sweep.metrics), WIDTH)
    lines = lines_of(first)
    assert lines[0] == "mean over 3 seeds ± 95% interval"
    assert len(first.columns) >= 3 + 4
    assert re.fullmatch(
        r" +5 +16 +paint-dense( +12,346 ± +0%)+", lines[lines.index(next(l for l in lines if "─" in l)) + 1]
    )


def test_a_comparison_fits_too(wide: FinishedSweep, tmp_path: Path) -> None:
    grid = {"k": [1, 2, 4], "network.brokers": [16, 64]}
    one = make_sweep(tmp_path / "one", grid, lambda p, r, a, _: 1e9 * (p + 1) + r * r + 5e8 * (a == "unicast"))
    two = make_sweep(tmp_path / "two", grid, lambda p, r, a, _: 2e9 * (p + 1) + r + 4e8 * (a == "unicast"))
    for directories in ([wide.directory], [one.directory], [one.directory, two.directory]):
        tables, lines = compared(directories, "bytes_out", None, WIDTH)
        text = [line for table in tables for line in lines_of(table)]
        assert max(map(cell_len, [*text, *lines])) <= WIDTH
    assert any("2,000,000,001 ±" in line for line in text)
    assert any("1.2 (1.2 to 1.2)" in line for line in text)
    titles = [str(table.title) for table in tables]
    assert [title for at, title in enumerate(titles) if title not in titles[:at]] == [
        "bytes_out: mean ± 95% interval",
        "bytes_out: change from one, on the same seeds",
        "bytes_out: minus paint-dense, on the same seeds",
        "bytes_out: over paint-dense, on the same seeds",
    ]
    assert lines == ["seeds    3, the same for all approaches and sweeps"]


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (0.0, 0.0, "0 ±  0%"),
        (0.0, 0.5, "0 ± 0.5"),
        (1234.5, 61.7, "1,234 ±  5%"),
        (-2.0, 1.0, "-2 ± 50%"),
        (0.03126, None, "0.0313"),
    ],
)
def test_a_mean_is_told_with_its_interval(mean: float, half: float | None, text: str) -> None:
    assert mean_cell({"mean": mean, "half_width": half}) == text


def test_no_mean_is_a_dash() -> None:
    assert mean_cell(None) == "-"


WORDS = st.text("abcdefgh-._()0123456789", min_size=1, max_size=70)
NUMBERS = st.integers(0, 10**9).map(lambda value: f"{value:,} ± 10%")


@settings(deadline=None, max_examples=60)
@given(st.data(), st.integers(1, 4), st.integers(0, 3), st.integers(1, 6))
def test_any_columns_fit_and_no_number_is_broken(data: st.DataObject, rows: int, words: int, numbers: int) -> None:
    keys = [
        Column(data.draw(WORDS), data.draw(st.lists(WORDS, min_size=rows, max_size=rows)), True) for _ in range(words)
    ]
    values = [
        Column(f"metric_{at}", data.draw(st.lists(NUMBERS, min_size=rows, max_size=rows))) for at in range(numbers)
    ]
    tables = tables_within(WIDTH, keys, values, "a title")
    lines = [lines_of(table) for table in tables]
    assert max(cell_len(line) for one in lines for line in one) <= WIDTH
    for row in range(rows):
        told = [column.cells[row] for column in values]
        found = [cell for one in lines for cell in re.findall(r"[\d,]+ ± 10%", "\n".join(one))]
        assert all(cell in found for cell in told)
    assert sum(len(table.columns) - words for table in tables) == numbers
    for table in tables:  # what is folded is all there
        for at in range(words):
            assert [str(cell) for cell in table.columns[at].cells] == list(keys[at].cells)


def test_an_empty_table_shows_nothing() -> None:
    names = ("point", "approach", "metric", "mean", "half_width", "replications")
    empty = pa.table({name: pa.array([], pa.string()) for name in names})
    assert sweep_tables(empty, (), METRICS, WIDTH) == []
