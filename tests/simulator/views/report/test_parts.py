"""Parts of a report: what was down when, measures over time, the best of a row, and files inside the page."""

import base64
import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from pipeline import EVENTS, FAULTS
from simulator.views.report.charts import exceedance
from simulator.views.report.downloads import downloads_of
from simulator.views.report.fault_spans import Span, fault_spans, within
from simulator.views.report.loads import pens_of
from simulator.views.report.over_time import measures_of, when_table
from simulator.views.report.runs import Side, read_runs, sides_of
from simulator.views.report.sections import _distributions
from simulator.views.report.side_by_side import charts_of, groups_of
from tests.simulator.views.hand_made_run import FAULTS_HAPPENED, make_run


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> list[Side]:
    return sides_of(read_runs([make_run(tmp_path_factory.mktemp("runs") / "run")]))


def happened(rows: tuple[tuple[float, str, int | None], ...]) -> pa.Table:
    told = [
        {"approach": "a", "time": time, "what": what, "broker": broker, "seconds": 0.5} for time, what, broker in rows
    ]
    return pa.Table.from_pylist(told, FAULTS)


def test_spans_begin_and_end_with_their_rows() -> None:
    spans = fault_spans(happened(FAULTS_HAPPENED), 5.0)
    assert spans == [
        Span(0.5, 1.0, "crash", (2,)),
        Span(1.5, 2.0, "partition", (3, 4)),
        Span(3.0, 3.5, "server crash", ()),
        Span(4.0, 5.0, "crash", (5,)),
    ]
    assert [span.told for span in spans] == [
        "broker 2 is down",
        "brokers 3 and 4 are cut off",
        "the server is down",
        "broker 5 is down",
    ]
    starts = np.linspace(0.0, 4.5, 10)
    assert within(spans, starts, np.full(10, 0.5)).tolist() == [at in (1, 3, 6, 8, 9) for at in range(10)]
    assert fault_spans(happened(((1.0, "return", 2), (2.0, "loss", None))), 5.0) == []


def test_what_was_down_is_told_once_for_all(sides: list[Side]) -> None:
    found = when_table(sides)
    assert found is not None
    table, more = found
    assert more == 0
    assert [row[:4] for row in table.rows] == [
        ["0.5 s", "broker down", "2", "0.5 s"],
        ["1.5 s", "brokers cut off", "3, 4", "0.5 s"],
        ["3 s", "server down", "server", "0.5 s"],
        ["4 s", "broker down", "5", "to the end"],
    ]
    assert {row[4] for row in table.rows} == {"all"}


def test_measures_over_time_are_those_of_the_tables(sides: list[Side]) -> None:
    measures = {measure.title: measure for measure in measures_of(sides)}
    assert list(measures) == ["Wrong lists", "Staleness", "Queues", "Bytes", "Losses"]
    panel = measures["Wrong lists"].rows[0][0]
    # Fifty slices of 0.1 s, of which the fourth has no value and is bridged: two more points end the outline below.
    (area,) = panel.areas
    points = [tuple(map(float, point.split(","))) for point in area.split()]
    frame = panel.frame
    assert len(points) == 49 + 2
    expected = [frame.spot(0.1 * at + 0.05, at / 50) for at in range(50) if at != 3]
    assert np.array(points[1:-1]) == pytest.approx(np.array(expected), abs=0.02)
    assert panel.most == "0.98"
    assert [mark.kind for mark in panel.marks] == ["crash", "partition", "server-crash", "crash"]
    assert panel.marks[0].box.x == frame.x(0.5)
    assert panel.marks[0].box.width == pytest.approx(frame.x(1.0) - frame.x(0.5), abs=0.01)
    # 450 bytes in the last slices of 0.1 s, and 9 in the second.
    assert measures["Bytes"].rows[0][0].most == "4.41k"
    assert measures["Losses"].rows[0][0].most == "10"


def test_windows_of_a_batch_are_one_line_over_time_and_a_long_silence_is_none(sides: list[Side]) -> None:
    """Staleness of every tenth slice of 50, then of the first and the last three only."""

    def outlines(wanted: list[int]) -> list[int]:
        rows = sides[0].events.to_pylist()
        events = [row | {"time": 0.1 * at, "stale": 5.0 if at in wanted else None} for at, row in enumerate(rows)]
        side = sides[0]._replace(events=pa.Table.from_pylist(events, EVENTS))
        staleness = next(one for one in measures_of([side]) if one.title == "Staleness")
        return [len(area.split()) - 2 for area in staleness.rows[0][0].areas]

    assert outlines([0, 10, 20, 30]) == [4]
    assert outlines([0, 1, 4, 7, 30, 33]) == [4, 2]
    assert outlines([12]) == [1]


def test_distributions_are_of_events_and_leave_out_those_that_warm_up(sides: list[Side]) -> None:
    """Two windows of three events that send 30 and 90 bytes are three events of 10 and three of 30."""
    run = sides[0].run
    rows = sides[0].events.to_pylist()[:3]
    told = [(0, 1, 500), (1, 3, 30), (4, 3, 90)]
    events = [
        row | dict(zip(("event", "events", "bytes_out"), one, strict=True))
        for row, one in zip(rows, told, strict=True)
    ]
    scenario = run.manifest["scenario"] | {"events": {"warm_up": 1}}
    side = sides[0]._replace(
        events=pa.Table.from_pylist(events, EVENTS), run=run._replace(manifest=run.manifest | {"scenario": scenario})
    )
    chart = next(one for one in _distributions([side])["charts"] if one.title == "Out of the server")
    expected = exceedance("", "bytes out of the server", [np.repeat([10.0, 30.0], 3)], pens_of([side]), "events")
    assert expected is not None
    assert chart.lines == expected.lines


def test_without_a_clock_there_is_nothing_over_time(tmp_path: Path) -> None:
    assert measures_of(sides_of(read_runs([make_run(tmp_path / "run", timed=False)]))) == []


def test_the_best_of_a_row_is_marked_among_those_who_compete(sides: list[Side]) -> None:
    one, other = sides
    one.summary.update(stale=20.0, bytes_out=5.0, messages=3.0, snap=0.0)
    other.summary.update(stale=10.0, bytes_out=5.0, messages=2.0, snap=0.0)
    rows = {row.name: row for group in groups_of(sides) for row in group.rows}

    def best(name: str) -> list[bool]:
        return [cell.best for cell in rows[name].cells]

    assert best("messages sent") == [False, True]
    assert best("bytes out of the server") == [False, False]  # all the same: nobody is better
    assert best("lists stale for, ms") == [False, False]  # the other is not steady, which leaves nobody to beat
    assert "server calls: snap" not in rows  # 0 for all
    one.summary.update(received_update=124.11, redundancy=0.001)
    other.summary.update(received_update=124.14, redundancy=0.3)
    rows = {row.name: row for group in groups_of(sides) for row in group.rows}
    assert best("received, updated object") == [False, False]  # shown as 124.1 both
    third = other._replace(summary=other.summary | {"received_update": 130.0, "redundancy": 0.002})
    rows = {row.name: row for group in groups_of([*sides, third]) for row in group.rows}
    assert best("received, updated object") == [True, True, False]
    assert best("redundancy") == [True, False, True]
    served = [one, other._replace(name="cn-relax")]
    rows = {row.name: row for group in groups_of(served) for row in group.rows}
    assert best("bytes out of the server") == [False, False]
    charts = {chart.title: chart for chart in charts_of(served)}
    assert charts["Bytes out of the server, per event"].bars[1].value == "5.0 (no server)"


def test_downloads_are_packed_when_long_and_left_out_when_there_is_no_room() -> None:
    rng = np.random.default_rng(1)
    short, long = b"a,b\n1,2\n", b"1,2\n" * 50_000
    heavy = rng.bytes(2_000_000)
    files = downloads_of([("run <1>.csv", short, Path("x")), ("l.csv", long, Path("y")), ("h.csv", heavy, Path("z"))])
    assert [file.name for file in files] == ["run_1_.csv", "l.csv.gz", "h.csv.gz"]
    plain, packed, none = (file.link for file in files)
    assert plain == f"data:text/csv;charset=utf-8;base64,{base64.b64encode(short).decode()}"
    assert packed is not None
    assert gzip.decompress(base64.b64decode(packed.partition(",")[2])) == long
    assert none is None
    assert files[2].source == "z"
    assert downloads_of([("l.csv", long, Path("y"))])[0] == files[1]
