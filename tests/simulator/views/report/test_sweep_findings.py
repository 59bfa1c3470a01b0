"""Sentences of a sweep against its tables, on sweeps whose numbers are chosen."""

import math
import re
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from simulator.runs.finished_sweep import FinishedSweep
from simulator.runs.metric_choice import MetricError
from simulator.views.report.sweep_charts import sweep_panels
from simulator.views.report.sweep_findings import sweep_findings
from simulator.views.report.sweep_rows import read_sweep_rows
from simulator.views.report.sweep_sections import sweep_sections
from tests.simulator.hand_made_sweep import make_sweep

RATES = ["50/s", "100/s", "200/s"]
SCENARIO = {"name": "made", "k": 3, "approaches": ["paint-dense", "unicast", "cn-relax"], "engine": "des"}


def value(point: int, replication: int, approach: str, metric: str) -> float | None:
    """Unicast ten times Paint-Dense; all grow with the rate, and by a share with the loss; seeds differ a lot."""
    rate, loss = divmod(point, 2)
    if metric == "offered_load":
        return 1.1 if approach == "cn-relax" and rate == 2 else 0.2
    if metric == "bytes_out" and approach == "cn-relax":
        return 0.0
    own = {"paint-dense": 1.0, "unicast": 10.0, "cn-relax": 5.0}[approach] * (1 + 0.001 * replication)
    scale = {"wrong_share": 0.01, "bytes_out": 80.0}.get(metric, 100.0)
    return scale * own * (1 + replication) * (1 + rate) * (1 + 0.2 * loss * (1 + 0.01 * replication))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> FinishedSweep:
    grid = {"events.rate": RATES, "faults.loss": [0.0, 0.01]}
    place: Path = tmp_path_factory.mktemp("sweep") / "made"
    return make_sweep(place, grid, value, scenario=SCENARIO | {"objects": {"count": 50}, "events": {"count": 20}})


def told(sweep: FinishedSweep) -> list[str]:
    return [text for one in sweep_findings(read_sweep_rows(sweep)) for text in (one.text, *one.details)]


def test_the_best_are_counted_by_points(sweep: FinishedSweep) -> None:
    assert told(sweep)[0] == (
        "Paint-Dense has the fewest bytes out of the server, the fewest bytes in the overlay and the freshest lists "
        "at every point."
    )


def test_metrics_of_the_page_are_those_asked_for_and_by_default_all_that_is_told_of(sweep: FinishedSweep) -> None:
    assert read_sweep_rows(sweep).shown[:4] == ("bytes_out", "overlay_bytes", "stale", "wrong_share")
    chosen = read_sweep_rows(sweep, "resent_bytes,latency_max")
    assert chosen.shown == ("resent_bytes", "latency_max")
    assert sweep_findings(chosen) == sweep_findings(read_sweep_rows(sweep))
    cells = [table["rows"][-1].cells for table in sweep_sections(sweep, chosen)[2].content["tables"]]
    # CN-Relax, which has more than Paint-Dense, is not steady there; that is told of times only.
    assert [cell.best for cell in cells[1]] == [True, False, False]
    assert [cell.text.endswith("not steady") for row in cells for cell in row] == [False] * 5 + [True]
    with pytest.raises(MetricError, match="no_such: no such metric; choose among "):
        read_sweep_rows(sweep, "stale,no_such")


def test_ratios_are_those_of_the_paired_table(sweep: FinishedSweep) -> None:
    text = next(one for one in told(sweep) if one.startswith("Paint-Dense sends"))
    found = re.match(
        r"Paint-Dense sends ([\d.]+) times fewer bytes out of the server than Unicast(?: \(.*?\))? at every", text
    )
    assert found is not None, text
    rows = sweep.paired.filter((pc.field("metric") == "bytes_out") & (pc.field("approach") == "unicast"))
    ratios = [row["ratio"] for row in rows.to_pylist() if row["against"] == "paint-dense"]
    assert len(ratios) == 6
    assert ratios == pytest.approx([float(found[1])] * 6, rel=0.01)
    assert "it sends 10 times fewer bytes in the overlay" in text
    assert "its lists are wrong for 10 times less time" in text


def test_what_is_not_steady_is_told_and_left_out_of_times(sweep: FinishedSweep) -> None:
    texts = told(sweep)
    assert (
        "CN-Relax is not steady at 2 of 6 points (events.rate = 200/s, faults.loss = 0.0; events.rate = 200/s, "
        "faults.loss = 0.01): its times there depend on the length of the run and are not compared."
    ) in texts
    relax = next(one for one in texts if one.startswith("CN-Relax needs"))
    assert relax.startswith("CN-Relax needs no server; it sends 2.0 times fewer bytes in the overlay than Unicast")
    assert "its lists are wrong for 2.0 times less time at 4 of 6 points" in relax


def test_trends_are_on_the_same_seeds(sweep: FinishedSweep) -> None:
    """Seeds differ by a factor of three, which would hide that the loss adds 20%; on each of them it does."""
    texts = told(sweep)
    assert "As events.rate goes from 50/s to 200/s (faults.loss = 0.0):" in texts
    assert "As faults.loss goes from 0.0 to 0.01 (events.rate = 50/s):" in texts
    rate, loss = (one for one in texts if one.startswith("The server sends"))
    assert (
        rate == "The server sends 3.0 times as many bytes with Paint-Dense and 3.0 times as many bytes with Unicast."
    )
    assert re.fullmatch(
        r"The server sends 20% more bytes with Paint-Dense \(20% to 21%\) and 20% more bytes with Unicast \(.*\)\.",
        loss,
    )
    stale = next(one for one in texts if one.startswith("Lists are stale"))
    assert "CN-Relax" not in stale


def test_what_may_be_chance_is_called_so(tmp_path: Path) -> None:
    def noisy(point: int, replication: int, approach: str, metric: str) -> float | None:
        swing = (1.0, 3.0, 0.5)[(replication + (approach == "unicast") + point) % 3]
        return None if metric in ("stale", "wrong_share", "offered_load") else 100 * swing

    texts = told(make_sweep(tmp_path / "noisy", {"k": [1, 2]}, noisy))
    assert any("no clear difference in bytes out of the server at any point" in text for text in texts)
    assert "There is no clear change in bytes out of the server with Paint-Dense and Unicast." in texts


def test_what_may_be_chance_at_one_point_is_not_called_so_at_all(tmp_path: Path) -> None:
    """Paint-Dense sends 0.4 times the bytes of Unicast: clearly at two points, not at the one between."""

    def mostly_clear(point: int, replication: int, approach: str, metric: str) -> float | None:
        if metric != "bytes_out" or approach == "unicast":
            return 100.0 if metric == "bytes_out" else None
        return 100 * 0.4 * ((0.5, 1.0, 2.0)[replication] if point == 1 else (0.95, 1.0, 1 / 0.95)[replication])

    sweep = make_sweep(tmp_path / "mostly", {"k": [1, 2, 3]}, mostly_clear)
    holds_one = [row["ratio_low"] <= 1 <= row["ratio_high"] for row in sweep.paired.to_pylist()]
    assert holds_one == [False, True, False]
    # Student's t of 2 degrees is 4.303; logarithms of the ratios there are ln 2 apart.
    reach = math.exp(4.303 * math.log(2) / math.sqrt(3))
    assert (round(2.5 / reach, 2), round(2.5 * reach)) == (0.45, 14)
    assert told(sweep)[1] == (
        "Paint-Dense sends 2.5 times fewer bytes out of the server than Unicast "
        "(0.45 to 14, which may be chance at 1 of 3 points) at every point."
    )


@pytest.mark.parametrize("number", [2, 3])
def test_ratios_that_differ_are_told_with_where_they_are(tmp_path: Path, number: int) -> None:
    """Paint-Dense has 1, 0.4 and 0.25 times the bytes of Unicast, and 2, 0.8 and 0.5 times its wrong lists."""

    def differing(point: int, replication: int, approach: str, metric: str) -> float | None:
        times = {"bytes_out": (1.0, 0.4, 0.25), "wrong_share": (2.0, 0.8, 0.5)}.get(metric)
        return times and 0.3 * (1 + replication) * (times[point] if approach == "paint-dense" else 1.0)

    texts = told(make_sweep(tmp_path / "differing", {"k": [1, 2, 3][:number]}, differing))
    sent = "Paint-Dense sends {} times fewer bytes out of the server than Unicast at k = {}"
    wrong = "its lists are wrong for {} less time at k = {}"
    if number == 2:
        parts = [
            f"{sent.format(2.5, 2)} and exactly as many bytes",
            f"{wrong.format('20%', 2)} and 2.0 times as long",
        ]
        assert texts[1] == f"{parts[0]} at k = 1; {parts[1]} at k = 1."
    else:
        parts = [f"{sent.format(4.0, 3)}, exactly as many", f"{wrong.format('2.0 times', 3)}, 2.0 times as long"]
        elsewhere = "at k = 1, and between these elsewhere"
        assert texts[1] == f"{parts[0]} bytes {elsewhere}; {parts[1]} {elsewhere}."


def test_one_seed_has_no_interval_and_one_point_no_trend(tmp_path: Path) -> None:
    def plain(point: int, replication: int, approach: str, metric: str) -> float | None:
        return {"paint-dense": 50.0, "unicast": 100.0}[approach] if metric.endswith("bytes") else None

    texts = told(make_sweep(tmp_path / "one", {"k": [2]}, plain, replications=1))
    assert texts == [
        "Paint-Dense has the fewest bytes in the overlay at the point.",
        "Paint-Dense sends 2.0 times fewer bytes in the overlay than Unicast.",
    ]


def test_panels_draw_the_means_where_they_are(sweep: FinishedSweep) -> None:
    rows = read_sweep_rows(sweep)
    panels, missing = sweep_panels(rows, "stale")
    assert missing == 0
    assert [panel.title for panel in panels] == ["faults.loss = 0.0", "faults.loss = 0.01"]
    for panel in panels:
        assert len(panel.curves) == 3
        axis = panel.frame.x_axis
        assert [name for _, name in axis.named] == RATES
        assert [at for at, _ in axis.named] == [50, 100, 200]
        for curve in panel.curves:
            heights = [point.spot.y for point in curve.points]
            assert heights == sorted(heights, reverse=True)
            for point in curve.points:
                assert point.high <= point.spot.y <= point.low
    assert panels[0].curves[1].points[2].tip.startswith("unicast at events.rate = 200/s, faults.loss = 0.0: 6,0")
    assert panels[0].curves[2].points[2].tip.endswith("not steady")


def test_tables_mark_the_least_of_those_who_compete(sweep: FinishedSweep) -> None:
    rows = read_sweep_rows(sweep)
    sections = {section.name: section.content for section in sweep_sections(sweep, rows)}
    tables: list[dict[str, Any]] = sections["tables"]["tables"]
    out = next(table for table in tables if table["title"] == "bytes out of the server")
    assert [[cell.best for cell in row.cells] for row in out["rows"]] == [[True, False, False]] * 6
    assert out["against"].head == ["times that of unicast", "paint-dense", "cn-relax"]
    assert all(row[1].startswith("0.100") and row[2] == "-" for row in out["against"].rows)
