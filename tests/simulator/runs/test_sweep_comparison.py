"""Sweeps compared: differences and quotients on the same seeds, in either direction and between sweeps."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.results.errors import RunError
from simulator.runs.finished_sweep import FinishedSweep
from simulator.runs.metric_choice import MetricError, choose_metrics, metrics_of_grid
from simulator.runs.statistics import estimate
from simulator.runs.sweep import SweepError
from simulator.runs.sweep_comparison import choose_against, compare_sweeps, metrics_of_all
from simulator.runs.sweep_tables import METRICS
from simulator.scenario.grid import make_grid
from simulator.views.compared import compared
from tests.simulator.hand_made_sweep import SCENARIO, make_sweep

COSTS = {"paint-dense": 1.0, "unicast": 8.0, "cn-relax": 0.0}


def value(point: int, replication: int, approach: str, metric: str) -> float | None:
    """What a replication costs it costs for all approaches; without a clock there is no staleness."""
    if metric == "stale":
        return None
    return (point + 1) * COSTS[approach] * (100.0 + 30 * replication + (replication == 1))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> FinishedSweep:
    return make_sweep(tmp_path_factory.mktemp("made") / "one", {"k": [1, 2]}, value)


def test_quotients_in_the_table_are_those_of_logarithms(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    drawn = {
        (seed, approach, metric): float(rng.lognormal(3, 1)) * (metric != "snap")
        for seed in range(3)
        for approach in COSTS
        for metric in METRICS
    }
    made = make_sweep(tmp_path / "sweep", {"k": [1]}, lambda _, *at: drawn[at])
    for row in made.paired.to_pylist():
        told = (row["ratio"], row["ratio_low"], row["ratio_high"])
        if row["metric"] == "snap":
            assert told == (None, None, None), "nobody is a multiple of 0"
        elif row["metric"] not in ("bytes_in_max", "bytes_out_max"):  # whole numbers
            one, other = (
                np.log([drawn[seed, row[name], row["metric"]] for seed in range(3)])
                for name in ("approach", "against")
            )
            # 4.302653 is the 97.5% quantile of Student's t with 2 degrees of freedom, from a printed table.
            half = 4.302653 * (one - other).std(ddof=1) / np.sqrt(3)
            assert np.log(told) == pytest.approx((one - other).mean() + np.array([0, -half, half]), rel=1e-5)


def rows_of(table: Any, **wanted: Any) -> list[dict[str, Any]]:
    return [row for row in table.to_pylist() if all(row[key] == at for key, at in wanted.items())]


def test_one_sweep_holds_approaches_against_one(sweep: FinishedSweep) -> None:
    found = compare_sweeps([("one", sweep)], ["bytes_out", "messages"], "unicast")
    assert (found.keys, found.against, found.seeds) == (("k",), "unicast", 3)
    assert [(row["metric"], row["k"], row["approach"]) for row in found.table.to_pylist()] == [
        (metric, k, approach)
        for metric in ("bytes_out", "messages")
        for k in (1, 2)
        for approach in ("paint-dense", "unicast")
    ]
    (row,) = rows_of(found.table, metric="bytes_out", k=2, approach="paint-dense")
    base = np.array([100.0, 131.0, 160.0])
    right = estimate(list(-14 * base))
    assert (row["difference"], row["difference_half_width"]) == pytest.approx(right[:2])
    assert (row["ratio"], row["ratio_low"], row["ratio_high"]) == pytest.approx((1 / 8,) * 3)
    assert row["mean"] == pytest.approx(2 * base.mean())
    (own,) = rows_of(found.table, metric="bytes_out", k=2, approach="unicast")
    assert (own["difference"], own["ratio"], own["change_ratio"]) == (None, None, None)
    turned = compare_sweeps([("one", sweep)], ["bytes_out"], "paint-dense")
    (row,) = rows_of(turned.table, k=2, approach="unicast")
    assert (row["difference"], row["ratio"]) == pytest.approx((-right.mean, 8.0))


def test_sweeps_meet_where_their_keys_are_equal(sweep: FinishedSweep, tmp_path: Path) -> None:
    """The other one has k = 2 in its scenario, sweeps something else, and runs an approach more."""
    other = make_sweep(
        tmp_path / "two",
        {"network.brokers": [64, 4]},
        lambda *at: None if (cost := value(*at)) is None else 3 * cost,
        scenario=SCENARIO | {"k": 2, "approaches": ["unicast", "cn-relax"]},
    )
    found = compare_sweeps([("one", sweep), ("two", other)], ["bytes_out"], "unicast")
    assert found.keys == ("k", "network.brokers")
    assert [(row["k"], row["network.brokers"], row["approach"], row["sweep"]) for row in found.table.to_pylist()] == [
        (1, 64, "paint-dense", "one"),
        (1, 64, "unicast", "one"),
        (2, 64, "paint-dense", "one"),
        (2, 64, "unicast", "one"),
        (2, 64, "unicast", "two"),
        (2, 64, "cn-relax", "two"),
        (2, 4, "unicast", "two"),
        (2, 4, "cn-relax", "two"),
    ]
    (row,) = rows_of(found.table, sweep="two", approach="unicast", **{"network.brokers": 64})
    base = np.array([100.0, 131.0, 160.0]) * 8  # k = 2 is the second point of one, the first of the other
    assert row["change_difference"] == pytest.approx((3 * base - 2 * base).mean())
    assert row["change_ratio"] == pytest.approx(1.5)
    (alone,) = rows_of(found.table, sweep="two", approach="unicast", **{"network.brokers": 4})
    assert (alone["change_difference"], alone["mean"]) == (None, pytest.approx(6 * base.mean()))
    (zero,) = rows_of(found.table, sweep="two", approach="cn-relax", **{"network.brokers": 4})
    assert (zero["ratio"], zero["difference"]) == (None, pytest.approx(-6 * base.mean()))


def test_sweeps_of_other_seeds_are_not_held_against_each_other(sweep: FinishedSweep, tmp_path: Path) -> None:
    other = make_sweep(tmp_path / "two", {"k": [1, 2]}, value, seed=2)
    found = compare_sweeps([("one", sweep), ("two", other)], ["bytes_out"], "unicast")
    assert found.seeds == 0
    assert set(found.table["change_ratio"].to_pylist()) == {None}
    _, lines = compared([sweep.directory, other.directory], None, None, 100)
    assert lines == ["seeds    these sweeps share none, so changes from one to the other are not taken"]
    longer = make_sweep(tmp_path / "three", {"k": [1, 2]}, value, replications=5)
    found = compare_sweeps([("one", sweep), ("three", longer)], ["bytes_out"], "unicast")
    assert found.seeds == 3, "more replications begin with the same ones"
    assert rows_of(found.table, sweep="three", k=1, approach="unicast")[0]["change_difference"] == 0


def test_sweeps_that_do_not_meet_say_so_instead_of_dashes(sweep: FinishedSweep, tmp_path: Path) -> None:
    apart = make_sweep(tmp_path / "apart", {"k": [3, 4]}, value)
    tables, lines = compared([sweep.directory, apart.directory], "bytes_out", "unicast", 100)
    assert [str(table.title).partition(":")[2] for table in tables] == [
        " mean ± 95% interval",
        " minus unicast, on the same seeds",
        " over unicast, on the same seeds",
    ]
    seeds = "seeds    3, the same for all approaches and sweeps"
    name = sweep.directory.name
    told = f"points   apart has no approach at a point of {name}, so changes from that are not taken"
    assert lines == [seeds, told]
    near = make_sweep(tmp_path / "near", {"k": [2, 3]}, value)
    tables, lines = compared([sweep.directory, apart.directory, near.directory], "bytes_out", "unicast", 100)
    (changes,) = (table for table in tables if "change from" in str(table.title))
    headings = [" ".join(str(column.header).split()) for column in changes.columns[2:]]
    assert headings == [f"near minus {name}", f"near over {name}"]
    assert list(map(str, changes.columns[0].cells)) == ["2", "2"], "no rows of dashes"
    assert lines == [seeds, told]


def test_one_approach_is_held_against_nothing(tmp_path: Path) -> None:
    alone = make_sweep(tmp_path / "alone", {"k": [1, 2]}, value, scenario=SCENARIO | {"approaches": ["unicast"]})
    (table,), _ = compared([alone.directory], "bytes_out", None, 100)
    assert [str(column.header) for column in table.columns] == ["k", "approach", "mean"]
    assert str(table.title).endswith(": mean ± 95% interval")


def test_lists_of_approaches_make_no_rows_of_their_own(tmp_path: Path) -> None:
    lists = {"approaches": [["paint-dense", "unicast"], ["unicast"]], "k": [1, 2]}
    sweep = make_sweep(tmp_path / "lists", lists, lambda point, *at: value(point % 2, *at))
    found = compare_sweeps([("lists", sweep)], ["bytes_out"], "unicast")
    assert found.keys == ("k",)
    assert [(row["k"], row["approach"]) for row in found.table.to_pylist()] == [
        (1, "paint-dense"),
        (1, "unicast"),
        (2, "paint-dense"),
        (2, "unicast"),
    ]


def test_a_sweep_without_a_point_is_told(tmp_path: Path, sweep: FinishedSweep) -> None:
    made = make_sweep(tmp_path / "failed", {"k": [1]}, value).directory
    for name in ("results.csv", "paired.csv"):
        (made / name).write_text((made / name).read_text().splitlines()[0] + "\n")
    with pytest.raises(SweepError, match=r"failed: every point failed; mend that and sweep again$"):
        metrics_of_all([sweep, FinishedSweep(made)])


def test_metrics_are_chosen(sweep: FinishedSweep) -> None:
    there = metrics_of_all([sweep])
    assert set(METRICS) - set(there) == {"stale"}
    assert choose_metrics("ip_bytes, bytes_out,ip_bytes", there) == ("ip_bytes", "bytes_out")
    assert choose_metrics(None, there)[:2] == ("bytes_out", "ip_bytes")
    assert choose_metrics(None, there, 1) == ("bytes_out",)
    with pytest.raises(
        MetricError, match=r"^--metric price: no such metric; choose among messages, .*, offered_load$"
    ):
        choose_metrics("bytes_out,price", there)
    with pytest.raises(MetricError, match=r"^--metric '': no such metric; choose among messages"):
        choose_metrics("", there)
    with pytest.raises(
        MetricError, match=r'^--metric stale: it takes a clock, engine = "des"; choose among messages'
    ):
        choose_metrics("stale", there)
    with pytest.raises(MetricError, match=r"^--against mine: no such approach; choose among paint-dense, unicast$"):
        choose_against("mine", [sweep])


def test_a_grid_has_the_metrics_of_a_clock_where_a_point_has_one() -> None:
    def of(**axes: list[Any]) -> tuple[str, ...]:
        return metrics_of_grid(make_grid({"scenario": SCENARIO, "grid": axes}, path=Path("grid")))

    assert of(engine=["tally", "des"]) == METRICS
    assert set(METRICS) - set(of()) == {
        *("latency_p50", "latency_p95", "latency_p99", "latency_max", "stale", "wrong_share", "offered_load")
    }


def test_runs_and_sweeps_do_not_mix(sweep: FinishedSweep, tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        compared([tmp_path, sweep.directory], None, None, 100)
    assert str(caught.value) == (
        f"{tmp_path}: not a sweep, and {sweep.directory} is one; compare runs with runs and sweeps with sweeps"
    )
    with pytest.raises(
        MetricError, match=r"^--against x: only a sweep has approaches held against one; leave it out$"
    ):
        compared([tmp_path], None, "x", 100)
