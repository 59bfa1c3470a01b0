"""Figures of sweeps: what goes along, what makes panels, and axes that tell the truth."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from simulator.approaches.colours import colour_of
from simulator.runs.finished_sweep import FinishedSweep, read_estimates
from simulator.views.sweep_figure import draw_sweep, write_figures
from tests.simulator.hand_made_sweep import Values, make_sweep


def flat(point: int, replication: int, approach: str, metric: str) -> float:
    return 10.0 + point + replication


def drawn(sweep: FinishedSweep, metric: str = "bytes_out", **more: Any) -> Figure:
    figure = draw_sweep(sweep.results, sweep.facts.axes, metric, **more)
    figure.draw_without_rendering()  # lays out, places ticks
    return figure


def titles(figure: Figure) -> list[str]:
    return [axes.get_title() for axes in figure.axes]


def ticks(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[-1].get_xticklabels()]


@pytest.fixture(scope="module")
def grouped(tmp_path_factory: pytest.TempPathFactory) -> FinishedSweep:
    topology = [
        {"model": "waxman", "nodes": 100},
        {"model": "barabasi-albert", "nodes": 200},
        {"model": "transit-stub", "nodes": 400},
    ]
    grid = {"topology": topology, "k": [2, 4], "network.brokers": [4, 8], "network.space": ["triangle", "square"]}
    return make_sweep(tmp_path_factory.mktemp("grouped") / "grouped", grid, flat)


def test_numbers_go_along_and_the_others_make_panels(grouped: FinishedSweep) -> None:
    figure = drawn(grouped)
    assert {axes.get_xlabel() for axes in figure.axes} == {"k", ""}
    names = ("waxman, 100", "barabasi-albert, 200", "transit-stub, 400")
    assert titles(figure) == [
        f"network.brokers = {brokers}\nnetwork.space = {space}\ntopology = {name}"
        for brokers in (4, 8)
        for space in ("triangle", "square")
        for name in names
    ]
    line: Any = figure.axes[0].containers[0]
    assert line[0].get_xydata().tolist() == [[2.0, 11.0], [4.0, 15.0]]  # points 1 and 5, in the mean of three seeds
    assert (line[0].get_color(), line[0].get_marker()) == (colour_of("paint-dense").light, "o")
    other: Any = figure.axes[0].containers[1]
    assert (other[0].get_color(), other[0].get_marker()) == (colour_of("unicast").light, "s")


def test_keys_that_change_together_are_one_axis(grouped: FinishedSweep) -> None:
    where = {"network.brokers": 4, "network.space": "square"}
    by_nodes = drawn(grouped, along="topology.nodes", where=where)
    assert titles(by_nodes) == ["k = 2", "k = 4"]
    assert ticks(by_nodes) == ["100", "200", "400"]
    by_model = drawn(grouped, along="topology.model", where=where)
    assert ticks(by_model) == ["waxman", "barabasi-albert", "transit-stub"]
    line: Any = by_model.axes[0].containers[0]
    assert line[0].get_linestyle() == "None", "there is nothing between two words"
    assert line[0].get_xdata()[0] < 0 < by_model.axes[0].containers[1][0].get_xdata()[0]


def test_a_key_that_does_not_tell_the_others_of_its_group_leaves_them_to_panels(tmp_path: Path) -> None:
    topology = [{"model": model, "nodes": nodes} for model in ("waxman", "barabasi-albert") for nodes in (100, 200)]
    sweep = make_sweep(tmp_path / "sweep", {"topology": topology}, flat)
    figure = drawn(sweep, along="topology.nodes")
    assert titles(figure) == ["topology.model = waxman", "topology.model = barabasi-albert"]
    assert ticks(drawn(sweep)) == ["waxman, 100", "waxman, 200", "barabasi-albert, 100", "barabasi-albert, 200"]
    assert drawn(sweep).axes[0].get_xlabel() == "topology"


def test_quantities_are_numbers_with_their_unit(tmp_path: Path) -> None:
    sweep = make_sweep(tmp_path / "rates", {"events.rate": ["100/s", "20/s", "6000/min", "2000/s"]}, flat)
    figure = drawn(sweep)
    (axes,) = figure.axes
    assert (axes.get_xscale(), axes.get_xlabel()) == ("log", "events.rate, logarithmic")
    assert ticks(figure) == ["20/s", "6000/min", "2000/s"]  # 100/s is the same place
    line: Any = axes.containers[0]
    assert line[0].get_xdata().tolist() == [20, 100, 2000]
    units = make_sweep(tmp_path / "mixed", {"faults.timeout": ["10ms", "0.02s", "30ms"]}, flat)
    assert (drawn(units).axes[0].get_xscale(), ticks(drawn(units))) == ("linear", ["10ms", "0.02s", "30ms"])


def spanning(low: float, high: float, zero: bool = False) -> Values:
    def value(point: int, replication: int, approach: str, metric: str) -> float:
        return (0.0 if zero else low) if approach == "unicast" else (low, high)[point] + replication * 1e-3

    return value


@pytest.mark.parametrize(
    ("values", "scale", "bottom"),
    [
        (spanning(10, 400), "linear", 0.0),
        (spanning(10, 600), "log", None),
        (spanning(3, 1e6), "log", None),
        (spanning(3, 1e6, zero=True), "symlog", 0.0),
        (spanning(3, 9, zero=True), "linear", 0.0),
        (spanning(-1, 1e6), "linear", None),
        (lambda *_: 0.0, "linear", 0.0),
    ],
)
def test_a_value_axis_is_logarithmic_only_where_values_span_decades(
    tmp_path: Path, values: Values, scale: str, bottom: float | None
) -> None:
    figure = drawn(make_sweep(tmp_path / "sweep", {"k": [1, 2]}, values))
    (axes,) = figure.axes
    assert axes.get_yscale() == scale
    low, high = axes.get_ylim()
    assert bottom is None or low == bottom
    for line in axes.containers:
        assert all(low <= y <= high for y in line[0].get_ydata())
    seen = [text.get_text() for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high]
    assert len(seen) >= 2
    assert all(float(text.replace(",", "").replace("−", "-")) is not None for text in seen), (
        "plain numbers, no powers"
    )


def test_lists_of_approaches_are_lines_not_panels(tmp_path: Path) -> None:
    grid = {"approaches": [["paint-dense"], ["unicast"], ["cn-relax", "unicast"]], "k": [1, 2, 3]}
    sweep = make_sweep(tmp_path / "lists", grid, lambda point, *_: 5.0 + point % 3)
    (axes,) = drawn(sweep).axes
    assert [line.get_label() for line in axes.containers] == ["paint-dense", "unicast", "cn-relax"]
    assert all(len(line[0].get_xdata()) == 3 for line in axes.containers)
    assert ticks(drawn(sweep, along="approaches")) == ["paint-dense", "unicast", "cn-relax; unicast"]


def test_many_panels_are_cut_and_it_is_said(tmp_path: Path) -> None:
    grid = {"k": [1, 2], "network.brokers": [2, 4, 8], "objects.count": [10, 20, 30], "events.count": [5, 6, 7, 8]}
    sweep = make_sweep(tmp_path / "many", grid, flat, replications=1)
    figure = draw_sweep(sweep.results, sweep.facts.axes, "bytes_out")
    assert len(figure.axes) == 24
    assert "the first 24 of 36 panels" in figure.get_suptitle()
    assert len(draw_sweep(sweep.results, sweep.facts.axes, "bytes_out", where={"events.count": 5}).axes) == 9


def test_labels_of_ticks_do_not_touch(tmp_path: Path) -> None:
    values = [1, 2, 3, 4, 8, 16, 32, 40]
    sweep = make_sweep(tmp_path / "sweep", {"network.brokers": values, "k": [1, 2, 3, 4, 5]}, flat)
    figure = drawn(sweep, along="network.brokers")
    boxes = [text.get_window_extent() for text in figure.axes[-1].get_xticklabels()]
    assert len(boxes) >= 4
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


def test_figures_are_files_and_the_same_each_time(tmp_path: Path) -> None:
    sweep = make_sweep(tmp_path / "sweep", {"k": [1, 2]}, flat)
    paths = write_figures(sweep, ["bytes_out", "stale", "price"])
    assert [path.name for path in paths] == ["bytes_out.png", "stale.png"]
    before = [path.read_bytes() for path in paths]
    assert [path.read_bytes() for path in write_figures(sweep, ["bytes_out", "stale"])] == before
    assert {path.name for path in (sweep.directory / "figures").iterdir()} == {"bytes_out.png", "stale.png"}


def test_names_are_drawn_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    rows = "".join(f"{at},{name},$mine$\x1b,stale,5,1,3\n" for at, name in enumerate(("a$b", "$x_$")))
    path.write_text(f"point,topology.file,approach,metric,mean,half_width,replications\n{rows}", encoding="utf-8")
    figure = draw_sweep(read_estimates(path), [("topology.file",)], "stale")
    figure.draw_without_rendering()
    assert ticks(figure) == ["a$b", "$x_$"]
    (legend,) = figure.legends
    texts = [*legend.get_texts(), *figure.axes[0].get_xticklabels()]
    assert legend.get_texts()[0].get_text() == r"$mine$\x1b"
    assert not any(text.get_parse_math() for text in texts), "a dollar is a dollar"


def test_a_value_that_is_not_there_is_told(grouped: FinishedSweep) -> None:
    with pytest.raises(ValueError, match=r"^where\['k'\] must be one of 2, 4, got 3$"):
        drawn(grouped, where={"k": 3})
    with pytest.raises(ValueError, match=r"^where must name one of topology.model, .*, got 'topology'$"):
        drawn(grouped, where={"topology": 3})


def test_the_legend_leaves_the_title_alone_and_intervals_stand_beside_each_other(tmp_path: Path) -> None:
    figure = drawn(make_sweep(tmp_path / "sweep", {"k": [2, 4, 8]}, flat), "resent_bytes")
    assert figure.axes[0].get_ylabel() == "sent again, bytes"
    legend, title = figure.legends[0].get_window_extent(), figure.texts[0].get_window_extent()
    assert title.x0 < title.x1
    assert title.y0 >= legend.y1 or title.x1 <= legend.x0
    places = []
    for line in figure.axes[0].containers:
        values, (interval,) = line[0], line[2]
        assert values.get_xdata().tolist() == [2, 4, 8]
        (low, _), (high, _) = interval.get_transform().transform(interval.get_segments()[1])
        assert low == pytest.approx(high)
        assert values.get_transform().transform(values.get_xydata())[1, 0] == pytest.approx(low)
        places.append(low)
    assert places[1] - places[0] == pytest.approx(2.5 * figure.dpi / 72)
    assert figure.axes[0].get_xlim()[0] < 2 < 8 < figure.axes[0].get_xlim()[1]
