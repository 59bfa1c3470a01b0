"""Trials of indexes: points of a file, what is measured and not measured again, and verdicts by it."""

import csv
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from rich.progress import Progress

from floor.errors import RangecastError
from matching.registry import EVENT_INDEXES, PLACE_INDEXES, RANGE_INDEXES, RangeIndexEntry
from simulator.paper import trials
from simulator.paper.exhibits import (
    BEYOND,
    MATCHING,
    TRIED,
    Exhibit,
    Number,
    PaperError,
    Rise,
    load_exhibit,
    views_of,
)
from simulator.paper.figures import _bars, _Curve
from simulator.paper.make import make_paper
from simulator.paper.matching_reproduction import write_matching_reproduction
from simulator.paper.trials import REHEARSED, Trial, load_trial, measured_trial, run_trial, trial_csv, trial_path
from simulator.paper.verdicts import DIFFERS, HOLDS, NEEDS_PAPER, NOT_RUN, Measured, Verdict, judge
from simulator.runs import index_measures
from simulator.runs.server_measures import DENSE, FORMULAS, SPARSE
from simulator.runs.statistics import Estimate

TRIAL = """
kind = "boxes"
indexes = ["scored-r-tree", "sopt-r-tree"]
replications = 2
seed = 5
few = { "sopt-r-tree" = 3 }

[population]
dimensions = 1

[ask]
events = 6
runs = 1

[grid]
"population.subscriptions" = [100, 200]
"ask.k" = [1, 5]
"""
VIEW = """
title = "Figure 6: tiny"
sweeps = ["tiny"]
account = "It is tiny."

[[numbers]]
row = "hits"
approach = "sopt-r-tree"
metric = "hits"
along = "ask.k"
at = [1, 5]
paper = [1, 7]
tolerance = 0.1
cause = { whose = "the paper's", why = "nobody finds 7 of 5" }

[[growths]]
claim = "bytes grow with the ranges"
approach = "scored-r-tree"
metric = "megabytes"
along = "population.subscriptions"
least = 0.5
most = 1.5
small = true

[[panels]]
title = "hits"
metric = "hits"
approaches = ["scored-r-tree", "sopt-r-tree"]
along = "ask.k"
split = "population.subscriptions"
xlabel = "k"
ylabel = "hits"
"""


def silent() -> Progress:
    return Progress(disable=True)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Directory of a description of one figure, made from one trial."""
    for scale in ("small", "paper"):
        path = trial_path("tiny", scale, tmp_path)
        path.parent.mkdir(parents=True)
        path.write_text(TRIAL, encoding="utf-8")
    (tmp_path / "000-fig6.toml").write_text(VIEW, encoding="utf-8")
    return tmp_path


def test_points_are_all_combinations(tiny: Path) -> None:
    trial = load_trial(trial_path("tiny", "small", tiny))
    found = [(one.population.subscriptions, one.ask.k) for one in trial.points]
    assert found == [(100, 1), (100, 5), (200, 1), (200, 5)]
    assert trial.seeds == (5, 6)
    assert trial.points[0].settings()["population"]["skew_length"] == 0.75
    assert trial.asked("sopt-r-tree", trial.points[0].ask).events == 3
    assert trial.asked("scored-r-tree", trial.points[0].ask).events == 6


def test_what_is_measured_is_not_measured_again(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = load_trial(trial_path("tiny", "small", tiny))
    out = tiny / "out"
    run_trial(trial._replace(points=trial.points[:2]), out, silent())
    assert list(measured_trial(trial, out).replications) == [0, 1]
    made: list[Any] = []
    own = index_measures.KINDS["boxes"]

    def noted(spec: Any, *more: Any) -> Any:
        made.append(spec)
        return own.make(spec, *more)

    monkeypatch.setitem(
        index_measures.KINDS,
        "boxes",
        own._replace(make=noted),
    )
    run_trial(trial, out, silent())
    assert [spec.subscriptions for spec in made] == [REHEARSED, 200, 200]
    measured = measured_trial(trial, out)
    assert list(measured.replications) == [0, 1, 2, 3]
    for rows in measured.replications[1]:
        assert [row["approach"] for row in rows] == ["scored-r-tree", "sopt-r-tree"]
        assert [row["hits"] for row in rows] == [5.0, 5.0]
        assert [row["leaves"] for row in rows] == [None, None]
    lines = trial_csv(trial, measured).splitlines()
    assert lines[0].startswith("population.subscriptions,ask.k,seed,approach,us,build_s,megabytes,evaluations")
    assert len(lines) == 1 + 4 * 2 * 2
    assert lines[3].startswith("100,1,6,scored-r-tree,")
    damaged = next((out / "measured").iterdir())
    for text in ("", "approach,us\nscored-r-tree,1\n"):
        damaged.write_text(text)
        with pytest.raises(RangecastError, match=rf"{damaged.name}: is damaged, or of another version; remove it"):
            measured_trial(trial, out)


def test_two_indexes_that_disagree_end_a_trial(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Turned(RANGE_INDEXES["sopt-r-tree"].kind):  # type: ignore[misc]
        def tops(self, xs: Any, k: int) -> Any:
            offsets, ids = super().tops(xs, k)
            return offsets, ids[::-1].copy()

    entry = RangeIndexEntry(Turned, "a planted defect", ranked=True, changes=False)
    monkeypatch.setitem(RANGE_INDEXES, "sopt-r-tree", entry)
    trial = load_trial(trial_path("tiny", "small", tiny))
    with pytest.raises(RangecastError, match="sopt-r-tree and scored-r-tree disagree on the answers"):
        run_trial(trial, tiny / "out", silent())
    assert not measured_trial(trial, tiny / "out").replications


def test_a_figure_is_made_from_trials(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (small,) = make_paper("000-fig6", out=tiny / "out", directory=tiny)
    assert [one.verdict for one in small.verdicts] == [NEEDS_PAPER, NEEDS_PAPER, HOLDS]
    (made,) = make_paper("000-fig6", scale="paper", out=tiny / "out", directory=tiny)
    assert [one.verdict for one in made.verdicts] == [HOLDS, DIFFERS, HOLDS]
    assert made.verdicts[1].ours == 5.0
    assert {path.name for path in made.directory.iterdir()} == {
        "000-fig6.csv",
        "000-fig6.png",
        "000-fig6.svg",
        "results.csv",
        "verdicts.csv",
    }
    with (made.directory / "000-fig6.csv").open(encoding="utf-8", newline="") as stream:
        assert [float(row["mean"]) for row in csv.DictReader(stream)] == [1.0, 5.0] * 4

    def cut_off(_: Figure, path: Path, **__: object) -> None:
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    before = {path.name: path.read_bytes() for path in made.directory.iterdir()}
    monkeypatch.setattr(Figure, "savefig", cut_off)
    with pytest.raises(KeyboardInterrupt):
        make_paper("000-fig6", scale="paper", out=tiny / "out", directory=tiny)
    assert {path.name: path.read_bytes() for path in made.directory.iterdir()} == before


def test_the_page_tells_what_was_run_and_what_was_not(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.paper.matching_reproduction.MATCHING", ("000-fig6",))
    make_paper("000-fig6", scale="paper", out=tiny / "out", directory=tiny)
    page = tiny / "page.md"
    write_matching_reproduction(tiny / "out", page, tiny)
    text = page.read_text(encoding="utf-8")
    assert "**2 of the 3 numbers and claims that are judged at the papers' sizes hold, 1 differ" in text
    assert "| 000-fig6 | small | 0 | 0 | 1 |" in text
    assert "| 000-fig6 | paper | 2 | 1 | 0 |" in text
    assert text.count("the paper's: nobody finds 7 of 5") == 1
    assert "Trial `tiny`: 4 points, 2 seeds of 6 events each." in text
    assert "![Figure 6: tiny](page/000-fig6.png)" in text
    assert (tiny / "page" / "000-fig6.png").read_bytes().startswith(b"\x89PNG")


def judged(tiny: Path, claim: str, values: list[tuple[float, float]]) -> Verdict:
    """Verdict on a claim about `us`: of each point that of the R-tree and of the SOPT-R-tree."""
    (tiny / "000-fig7.toml").write_text(f'title = "t"\nsweeps = ["tiny"]\naccount = "a"\n{claim}', encoding="utf-8")
    trial = load_trial(trial_path("tiny", "paper", tiny))
    rows: list[Any] = [
        [{"approach": "scored-r-tree", "us": one}, {"approach": "sopt-r-tree", "us": other}] for one, other in values
    ]
    found = Measured(trial, {at: [both, both] for at, both in enumerate(rows)})
    (verdict,) = judge(load_exhibit("000-fig7", tiny), {"tiny": found}, "paper")
    return verdict


@pytest.mark.parametrize(
    ("claim", "verdict", "ours", "highest"),
    [
        ('[[bounds]]\nof = "mean"\nleast = 2.5\nmost = 2.5', HOLDS, 2.5, None),
        ('[[bounds]]\nof = "mean"\nleast = 2.6', DIFFERS, 2.5, None),
        ('[[bounds]]\nof = "highest"\nleast = 4\nmost = 4', HOLDS, 4, None),
        ('[[bounds]]\nof = "highest"\nmost = 3.9', DIFFERS, 4, None),
        ("[[bounds]]\nleast = 1", HOLDS, 1, 4),
        ('[[spreads]]\nalong = "ask.k"\nleast = 1.3\nmost = 2', HOLDS, 4 / 3, 2),
        ('[[spreads]]\nalong = "ask.k"\nmost = 1.9', DIFFERS, 4 / 3, 2),
        (
            '[[spreads]]\nalong = "ask.k"\nwhere = { "population.subscriptions" = 200 }\nmost = 1.4',
            HOLDS,
            4 / 3,
            None,
        ),
    ],
)
def test_claims_over_all_points(tiny: Path, claim: str, verdict: str, ours: float, highest: float | None) -> None:
    head, _, rest = claim.partition("\n")
    text = f'{head}\nclaim = "c"\nmetric = "us"\napproach = "scored-r-tree"\n{rest}\n'
    values = [(1.0, 9.0), (2.0, 9.0), (3.0, 9.0), (4.0, 9.0)]
    one = judged(tiny, text, values)
    assert one.verdict == verdict
    assert one.ours == pytest.approx(ours)
    assert one.highest == (highest and pytest.approx(highest))
    if "where" not in claim:
        assert judged(tiny, text, values[:2]).verdict == NOT_RUN


def test_of_several_indexes_the_best_is_taken(tiny: Path) -> None:
    text = '[[bounds]]\nclaim = "c"\nmetric = "us"\napproach = "scored-r-tree|sopt-r-tree"\nmost = 2\n'
    one = judged(tiny, text, [(1.0, 9.0), (9.0, 2.0), (2.0, 2.0), (1.5, 8.0)])
    assert (one.verdict, one.ours, one.highest) == (HOLDS, 1.0, 2.0)


@pytest.mark.parametrize("name", TRIED)
def test_descriptions_fit_their_trials(name: str) -> None:
    """Every index, key and place that a claim or a curve names is in the trial of a scale that it is judged at."""
    view: Exhibit = load_exhibit(name)
    for scale in ("small", "paper"):
        for part in (*view.claims, *view.panels):
            path = trial_path(part.sweep or view.sweeps[0], scale, views_of(name))
            trial = load_trial(path)
            named = {getattr(part, "approach", None), part.over, *getattr(part, "falling", ())}
            named |= set(getattr(part, "approaches", ()))
            assert {one for text in named - {None} for one in text.split("|")} <= set(trial.indexes)
            if scale == "paper" or getattr(part, "small", True):
                assert_places(trial, part)
    assert view.claims
    assert bool(view.panels) != ("table" in name)


def assert_places(trial: Trial, part: Any) -> None:
    known = Measured(trial, dict.fromkeys(range(len(trial.points)), ()))
    assert known.points(part.where)
    if hasattr(part, "along"):
        assert part.along in trial.keys
    if isinstance(part, Number | Rise):
        for at in part.at or ():
            assert known.points({**part.where, part.along: at})


INDEXES = {*RANGE_INDEXES, *PLACE_INDEXES, *EVENT_INDEXES}
SERVERS = {DENSE, *SPARSE, *FORMULAS}


@pytest.mark.parametrize(("names", "known"), [(MATCHING, INDEXES), (BEYOND, SERVERS)])
def test_trials_are_those_that_are_needed_and_name_who_is_known(names: tuple[str, ...], known: set[str]) -> None:
    needed = {one for name in names for one in load_exhibit(name).sweeps}
    for scale in ("small", "paper"):
        folder = trial_path("x", scale, views_of(names[0])).parent
        assert {path.stem for path in folder.glob("*.toml")} == needed
        for path in folder.glob("*.toml"):
            trial = load_trial(path)
            assert set(trial.indexes) <= known
            assert set(trial.few) <= set(trial.indexes)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (('kind = "boxes"', 'kind = "spheres"'), "spheres"),
        (("dimensions = 1", "dimension = 1"), "unexpected keyword argument 'dimension'"),
        (("seed = 5", ""), "seed Field required"),
        (('"ask.k" = [1, 5]', '"asked.k" = [1, 5]'), "asked"),
        (("[grid]", "[grid"), "tiny.toml"),
    ],
)
def test_mistakes_in_a_trial_are_told_in_one_line(tiny: Path, change: tuple[str, str], text: str) -> None:
    path = trial_path("tiny", "small", tiny)
    path.write_text(TRIAL.replace(*change), encoding="utf-8")
    with pytest.raises(PaperError) as caught:
        load_trial(path)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_metric_of_sweeps_is_none_of_trials(tiny: Path) -> None:
    (tiny / "000-fig6.toml").write_text(VIEW.replace('"hits"', '"messages"'), encoding="utf-8")
    with pytest.raises(PaperError, match="must be a metric of"):
        load_exhibit("000-fig6", tiny)


DIFFERING = {
    "000-fig6": {"the R-tree meets holes that the SOPT-R-tree does not"},
    "001-fig11": {
        "the R^I-tree tests less at N(0.1, 0.05) than at U(0, 1)",
        "the R^I-tree tests less at N(0.5, 0.05) than at U(0, 1)",
    },
    "002-fig8": {
        "the hybrid index has not overtaken the cluster index at 70%",
        "the hybrid index has not overtaken the cluster index at 90%",
        "the interval index is always the best",
    },
}
"""Claims that do not hold at small sizes, up to a colon; what is judged there is counted, and so the same always."""


@pytest.mark.parametrize("name", ["002-fig7", "002-fig8", pytest.param("matching", marks=pytest.mark.slow)])
def test_other_claims_hold_at_small_scale(name: str, tmp_path: Path) -> None:
    made = make_paper(name, out=tmp_path)
    assert [one.view.name for one in made] == (list(MATCHING) if name == "matching" else [name])
    for one in made:
        assert {verdict.verdict for verdict in one.verdicts} <= {HOLDS, DIFFERS, NEEDS_PAPER}
        found = {verdict.claim.split(":")[0] for verdict in one.verdicts if verdict.verdict == DIFFERS}
        assert found == DIFFERING.get(one.view.name, set())


@pytest.mark.parametrize(("log", "bottom"), [(True, 50.0), (False, 0.0)])
def test_bars_on_a_log_axis_begin_below_the_lowest(log: bool, bottom: float) -> None:
    axes = Figure().subplots()
    values = [Estimate(mean, None, 1) for mean in (100.0, 9000.0)]
    _bars(axes, [_Curve("a", ["N(0.1, 0.05)", "even, few"], values)], log=log)
    if log:
        axes.set_yscale("log")
    assert axes.get_ylim()[0] == bottom
    assert axes.get_ylim()[1] > 9000
    assert [label.get_text() for label in axes.get_xticklabels()] == ["N(0.1, 0.05)", "even\nfew"]


def test_servers_are_asked_on_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their answers are those of this very process."""
    path = trial_path("servers", "small", tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(
        """
kind = "servers"
indexes = ["paint-dense", "paint-sparse, dataset 1", "formula"]
replications = 2
seed = 1
[population]
objects = 100
subscriptions = 300
[ask]
events = 20
[grid]
"ask.k" = [1, 2]
""",
        encoding="utf-8",
    )
    trial = load_trial(path)
    found = []
    for processes in (1, 2):
        out = tmp_path / str(processes)
        with monkeypatch.context() as patch:
            if processes == 1:
                patch.setattr(trials, "each_on_processes", lambda jobs, _, work: ((job, work(job)) for job in jobs))
            run_trial(trial, out, silent(), processes)
        found.append(trial_csv(trial, measured_trial(trial, out)))
    assert found[0] == found[1]
    assert len(found[0].splitlines()) == 1 + 2 * 2 * 3
