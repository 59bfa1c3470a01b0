"""The command as a newcomer meets it: in a process of its own, one of each kind, the rest in this one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from simulator.cli.entry import main
from tests.simulator.cli.conftest import Command

ROOT = Path(__file__).parents[3]


def rangecast(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    command = [sys.executable, "-m", "simulator.cli", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("k = 0", "k = 0: must be at least 1"),
        ("k = 2000", "k = 2000: k must be at most objects.count, which is 1000"),
        ('typo = "x"', "typo"),
        ('approaches = ["paint-dense(2)"]', "ε must be a number in (0, 1]"),
        ("network = {brokers = 9999}", "network.brokers = 9999"),
        ('subscriptions = {distribution = "zipf"}', "subscriptions.distribution = 'zipf'"),
        ("k = ", "not valid TOML"),
        (None, "cannot be read"),
    ],
)
def test_a_bad_scenario_ends_in_one_line_and_exit_2(
    tmp_path: Path, command: Command, text: str | None, line: str
) -> None:
    given = 'name = "bad"\n' + ("" if text and "approaches" in text else 'approaches = ["unicast"]\n')
    if text is not None:
        (tmp_path / "bad.toml").write_text(f"{given}{text}\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    arguments = ("run", "bad.toml", "--out", "results")
    ended = command(*arguments)
    if text == "k = 0":
        started = rangecast(*arguments, cwd=tmp_path)
        assert (started.returncode, started.stdout, started.stderr) == (2, ended.stdout, ended.stderr)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("rangecast: bad.toml")
    assert line in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("k", "line"),
    [("[]", "grid.k = []: must hold at least one value"), ("[2]", "--processes 0: must be at least 1")],
)
def test_a_mistake_in_a_sweep_ends_in_one_line_and_exit_2(
    tmp_path: Path, command: Command, k: str, line: str
) -> None:
    text = f'replications = 3\nseed = 5\n[scenario]\nname = "small"\napproaches = ["unicast"]\n[grid]\nk = {k}\n'
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    ended = command("sweep", "bad.toml", "--out", "out", "--processes", "0")
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert ended.stderr.startswith("rangecast: ")
    assert line in ended.stderr
    assert not (tmp_path / "out").exists()


def test_run_and_compare(spark: SparkSession, tmp_path: Path, command: Command) -> None:
    (tmp_path / "small.toml").write_text(
        'name = "small"\nk = 3\napproaches = ["paint-dense", "cn-relax"]\nengine = "des"\nverify = "all"\n'
        '[topology]\nmodel = "barabasi-albert"\nnodes = 100\n[network]\nbrokers = 8\n'
        "[objects]\ncount = 30\n[subscriptions]\ncount = 200\n[events]\ncount = 20\n",
        encoding="utf-8",
    )
    ran = command("run", "small.toml")
    assert ran.returncode == 0, ran.stderr
    assert "verified paint-dense: every subscription, 20 events, all right" in ran.stdout
    assert "figure   runs/small/comparison.png" in ran.stdout
    assert (tmp_path / "runs/small/comparison.png").stat().st_size > 10_000
    assert "Traceback" not in ran.stderr
    again = command("run", "small.toml", "--engine", "tally", "--master", "local[2]")
    assert "results  runs/small-2" in again.stdout
    compared = command("compare", "runs/small", "runs/small-2")
    assert compared.returncode == 0, compared.stderr
    assert "overlay traffic" in compared.stdout
    assert "small-2" in compared.stdout
    reported = command("report", "runs/small", "runs/small-2")
    assert reported.returncode == 0, reported.stderr
    assert reported.stdout == "report  report.html\n"
    assert ": compared with brute force" in (tmp_path / "report.html").read_text(encoding="utf-8")
    explained = command("explain", "runs/small", "--event", "3", "--out", "event.html")
    assert explained.returncode == 0, explained.stderr
    assert explained.stdout.startswith("Event 3: object ")
    assert "drawing  event.html" in explained.stdout
    assert 'type="range"' in (tmp_path / "event.html").read_text(encoding="utf-8")
    missing = command("compare", "runs/nowhere")
    assert missing.returncode == 2
    assert missing.stderr.count("\n") == 1
    assert "not a finished run" in missing.stderr


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("report", "nowhere"), "nowhere: not a finished run"),
        (("report", "nowhere", "--out", "report.txt"), "--out report.txt: must end in .html"),
        (("explain", "nowhere.toml"), "nowhere.toml: there is no such run or scenario"),
        (("explain", "."), "not a finished run"),
        (
            ("topology", "good.toml", "--set", 'topology.model="x"'),
            "choose one of them, or bring your own by --with FILE",
        ),
        (
            ("paper", "fig12", "--reproduction", "none/page.md"),
            "--reproduction none/page.md: there is no directory none",
        ),
        (("paper", "fig12", "--reproduction", "page.txt"), "--reproduction page.txt: must end in .md"),
        (("paper", "table9"), "table9: must be all or one of table1"),
        (
            ("events", "nofile.csv", "--object", "a", "--time", "b", "--x", "c", "--y", "d", "--out", "t"),
            "no such file",
        ),
        (("explain", ".", "--set", "k=3"), "--set k=3: . is a finished run"),
        (("explain", "good.toml", "--set", "k=0"), "k = 0: must be at least 1"),
        (("explain", "good.toml", "--event", "99"), "--event 99: must be between 0 and 9"),
        (
            ("explain", "good.toml", "--approach", "unicast", "--approach", "unicast"),
            "--approach unicast: named twice; name each approach once",
        ),
        (
            ("explain", "good.toml", "--out", "event.gif"),
            "must end in .svg or .png or .pdf or .html",
        ),
        (("explain", "good.toml", "--out", "none/event.svg"), "there is no directory none"),
    ],
)
def test_bad_input_of_report_and_explain_ends_in_one_line_and_exit_2(
    tmp_path: Path, command: Command, arguments: tuple[str, ...], line: str
) -> None:
    text = 'name = "good"\napproaches = ["unicast"]\nevents = {count = 10}\n'
    (tmp_path / "good.toml").write_text(text, encoding="utf-8")
    ended = command(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert line in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["good.toml"]


def test_scenario_check_tells_every_mistake_and_leaves_nothing(tmp_path: Path, command: Command) -> None:
    (tmp_path / "good.toml").write_text('name = "good"\napproaches = ["unicast"]\n', encoding="utf-8")
    (tmp_path / "bad.toml").write_text('extends = "good.toml"\nk = 0\n[events]\nrate = 100\n', encoding="utf-8")
    checked = command("scenario", "check", "bad.toml", "good.toml", "missing.toml")
    assert checked.returncode == 2
    assert checked.stdout == "good.toml: ok\n"
    assert [line[:25] for line in checked.stderr.splitlines()] == [
        "bad.toml:2: k = 0: must b",
        "bad.toml:4: events.rate =",
        "missing.toml: cannot be r",
    ]
    assert command("scenario", "check", "good.toml").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.toml", "good.toml"]


def test_scenario_schema_is_json(command: Command) -> None:
    printed = command("scenario", "schema")
    assert printed.returncode == 0, printed.stderr
    assert json.loads(printed.stdout)["properties"]["k"]["default"] == 20


def test_help_lists_the_commands(tmp_path: Path, command: Command) -> None:
    shown = rangecast("--help", cwd=tmp_path)
    assert shown.returncode == 0
    assert "compare" in shown.stdout
    assert command("--version").stdout.startswith("rangecast ")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["run"], "rangecast: Missing argument 'scenario'. See `rangecast run --help`.\n"),
        (["fly"], "rangecast: No such command 'fly'. See `rangecast --help`.\n"),
        (
            ["run", "x.toml", "--fast"],
            "rangecast: No such option: --fast (Possible options: --master, --set). See `rangecast run --help`.\n",
        ),
    ],
)
def test_a_wrong_command_line_ends_in_one_line_and_exit_2(command: Command, arguments: list[str], line: str) -> None:
    ended = command(*arguments)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", line)


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("paper", "rangecast: interrupted; the same command goes on from here\n"),
        ("run", "rangecast: interrupted\n"),
    ],
)
@pytest.mark.parametrize("in_kernel", [False, True])
def test_an_interrupted_command_says_whether_it_can_go_on(
    command: str, line: str, in_kernel: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**_: object) -> None:
        stopped = KeyboardInterrupt()
        if in_kernel:  # as Numba tells it
            raise SystemError("CPUDispatcher returned a result with an exception set") from stopped
        raise stopped

    monkeypatch.setattr(sys, "argv", ["rangecast", command])
    monkeypatch.setattr("simulator.cli.entry.app", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == line


@pytest.mark.parametrize("arguments", [(), ("scenario",)])
def test_no_command_is_told_by_the_help_alone(command: Command, arguments: tuple[str, ...]) -> None:
    told = command(*arguments)
    assert (told.returncode, told.stderr) == (2, "")
    assert "Usage: rangecast" in told.stdout


def test_a_misspelt_command_is_asked_about(command: Command) -> None:
    told = command("rum")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == "rangecast: No such command 'rum'. Did you mean 'run'? See `rangecast --help`.\n"
