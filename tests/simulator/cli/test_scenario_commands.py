"""What comes with Rangecast: listed, shown, copied to where it still works, and run as the demo."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from floor.errors import RangecastError
from scenarios import DIRECTORY, Packaged, packaged
from simulator.cli.entry import main
from simulator.scenario.grid import load_grid
from simulator.scenario.loading import load_scenario


def rangecast(*arguments: str) -> int:
    """Exit code of the command, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["rangecast", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_scenario_and_grid_is_listed_with_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert rangecast("scenario", "list") == 0
    listed = {words[0]: words[1:] for words in (line.split() for line in capsys.readouterr().out.splitlines())}
    for path in DIRECTORY.rglob("*.toml"):
        name = path.relative_to(DIRECTORY).with_suffix("").as_posix()
        of_a_paper = path.parent == DIRECTORY / "paper" or "trials" in path.parts or "matching" in path.parts
        assert (name in listed) != of_a_paper
    assert all(words[0] in ("scenario", "grid") and len(words) > 5 for words in listed.values())
    assert listed["demo"][0] == "scenario"
    assert listed["grids/epsilon"][0] == "grid"


def test_every_description_is_a_sentence_of_a_first_line_without_its_stop() -> None:
    for one in packaged().values():
        first, *_ = one.path.read_text(encoding="utf-8").splitlines()
        assert first.startswith(f"# {one.description}")
        assert one.description[0].isupper()
        assert not one.description.endswith(".")


def test_what_is_shown_is_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert rangecast("scenario", "show", "grids/epsilon") == 0
    assert capsys.readouterr().out == (DIRECTORY / "grids" / "epsilon.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", packaged())
def test_a_copy_is_read_as_the_file_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = packaged()[name]
    assert rangecast("scenario", "new", "mine.toml", "--from", name) == 0
    command = "run" if source.kind == "scenario" else "sweep"
    assert capsys.readouterr().out == f"{source.kind:8} mine.toml\nnext     rangecast {command} mine.toml\n"
    copy = Path("mine.toml")
    if source.kind == "scenario":
        assert load_scenario(copy) == load_scenario(source.path)
    else:
        assert load_grid(copy).points == load_grid(source.path).points


@pytest.mark.parametrize("name", packaged())
def test_a_name_stands_for_its_file_where_there_is_no_other(name: str, elsewhere: Path) -> None:
    source = packaged()[name]
    if source.kind == "scenario":
        assert load_scenario(Path(name)) == load_scenario(source.path)
    else:
        assert load_grid(Path(name)).points == load_grid(source.path).points
    own = elsewhere / name
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("x = 1", encoding="utf-8")
    with pytest.raises(RangecastError, match=f"^{name}"):
        (load_scenario if source.kind == "scenario" else load_grid)(Path(name))


def test_names_do_for_commands_too(capsys: pytest.CaptureFixture[str]) -> None:
    """As far as the first thing that is refused, which is after the file is read."""
    for command in (
        ("run", "demo", "--set", "k=0"),
        ("explain", "demo", "--set", "k=0"),
        ("topology", "demo", "--set", "k=0"),
    ):
        assert rangecast(*command) == 2
        assert "k = 0" in capsys.readouterr().err
    assert rangecast("sweep", "grids/rate", "--metric", "speed") == 2
    assert "speed" in capsys.readouterr().err


def test_left_to_itself_new_makes_a_scenario_that_check_accepts(capsys: pytest.CaptureFixture[str]) -> None:
    assert rangecast("scenario", "new") == 0
    assert [path.name for path in Path().iterdir()] == ["starter.toml"]
    capsys.readouterr()
    assert rangecast("scenario", "check", "starter.toml") == 0
    assert capsys.readouterr().out == "starter.toml: ok\n"


def test_a_copy_finds_the_files_that_its_source_names(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = elsewhere / "ours" / "grids"
    ours.mkdir(parents=True)
    (elsewhere / "ours" / "base.toml").write_text('name = "base"\napproaches = ["unicast"]\nk = 3\n')
    (elsewhere / "ours" / "longer.toml").write_text('extends = "base.toml"    # and more\nevents = {count = 7}\n')
    (ours / "some.toml").write_text("scenario = '../longer.toml'\ngrid = {k = [1, 2]}\n")
    monkeypatch.setattr("simulator.cli.scenarios.packaged", lambda: packaged(elsewhere / "ours"))
    (elsewhere / "far").mkdir()
    monkeypatch.chdir(elsewhere / "far")
    assert rangecast("scenario", "new", "--from", "longer") == 0
    assert rangecast("scenario", "new", "--from", "grids/some") == 0
    copy = load_scenario(Path("longer.toml"))
    assert (copy.name, copy.k, copy.events.count) == ("base", 3, 7)
    assert [point.scenario.events.count for point in load_grid(Path("some.toml")).points] == [7, 7]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ("scenario", "show", "demos"),
            "demos: nothing of that name comes with Rangecast; choose one of demo, faults",
        ),
        (("scenario", "new", "--from", "paper/fig12"), "paper/fig12: nothing of that name comes with Rangecast"),
        (("scenario", "new", "there.toml"), "there.toml: exists already; choose another path or remove it"),
        (("scenario", "new", "."), ".: exists already; choose another path or remove it"),
        (("scenario", "new", "none/x.toml"), "none/x.toml: there is no directory none; make it"),
        (("scenario", "new", "there.toml/x.toml"), "there.toml/x.toml: there is no directory there.toml"),
        (("scenario", "new", f"{'x' * 300}.toml"), "x.toml: cannot be written: File name too long; choose another"),
        (
            ("run", "demos"),
            "demos: cannot be read: No such file or directory; give the path of a scenario file in TOML, or ",
        ),
        (("capacity", "demos"), "`rangecast scenario list` shows them"),
        (("sweep", "epsilon"), "`rangecast scenario new` copies one"),
        (("explain", "demos"), "demos: there is no such run or scenario; "),
        (("demo", "--out", "there.toml"), "--out there.toml: exists already"),
        (("demo", "--master", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(
    arguments: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("there.toml").write_text("mine", encoding="utf-8")
    assert rangecast(*arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert line in told.err
    assert told.err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["there.toml"]
    assert Path("there.toml").read_text(encoding="utf-8") == "mine"


def test_a_copy_that_cannot_be_finished_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, text: str, encoding: str) -> None:
        path.write_bytes(text.encode(encoding)[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    assert rangecast("scenario", "new") == 2
    assert capsys.readouterr().err == (
        "rangecast: starter.toml: cannot be written: No space left on device; choose another path\n"
    )
    assert list(Path().iterdir()) == []


def test_the_demo_runs_the_scenario_of_that_name_and_says_what_is_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: dict[str, object] = {}

    def run_scenario(scenario: object, out: Path | None, **options: object) -> SimpleNamespace:
        given.update(scenario=scenario, out=out, master=options["master"])
        return SimpleNamespace(
            directory=Path("there"), figure=Path("there/f.png"), verdicts=["right"], notes=[], right=True
        )

    monkeypatch.setattr("simulator.runs.run.run_scenario", run_scenario)
    monkeypatch.setattr("simulator.views.tables.comparison_table", lambda directories: str(directories[0]))
    monkeypatch.setattr("simulator.cli.running.print_table", print)
    assert rangecast("demo", "--out", "there", "--master", "local[1]") == 0
    assert given == {"scenario": load_scenario(DIRECTORY / "demo.toml"), "out": Path("there"), "master": "local[1]"}
    table, verdict, figure, results, *following = capsys.readouterr().out.splitlines()
    assert (table, verdict, figure, results) == ("there", "right", "figure   there/f.png", "results  there")
    starts = ("next     rangecast explain there --out event.html ", "next     rangecast scenario new mine.toml ")
    assert all(line.startswith(start) for line, start in zip(following, starts, strict=True))


def test_a_name_is_the_path_below_the_package() -> None:
    found = packaged()
    assert found["demo"] == Packaged("demo", "scenario", DIRECTORY / "demo.toml")
    assert found["paper/grids/small/stocks"].path == DIRECTORY / "paper" / "grids" / "small" / "stocks.toml"
