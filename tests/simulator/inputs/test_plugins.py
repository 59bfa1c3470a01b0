"""Files of a user's own: loaded once, refused in one line, known to the workers of a sweep."""

import hashlib
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from floor.errors import RangecastError
from pipeline import DISTRIBUTIONS
from simulator.approaches.registry import APPROACHES, parse_approach
from simulator.approaches.session import Outgoing, Session, ask
from simulator.cli.entry import main
from simulator.inputs.plugins import Plugin, PluginError, load_plugins, loaded_plugins
from simulator.results.errors import RunError
from simulator.results.finished_run import FinishedRun
from simulator.runs.run import run_scenario
from simulator.workload.windows import Chunk, chunks_of
from tests.simulator.small import random_scenario, small_ingredients

MINE = """
from simulator.approaches import APPROACHES, Approach

assert "MINE" not in APPROACHES  # a second load would be found out
APPROACHES["MINE"] = APPROACHES["paint-dense"]
"""


def test_a_plugin_registers_an_approach_and_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
    file = tmp_path / "mine.py"
    file.write_text(MINE.replace("MINE", "from-a-file"))
    try:
        load_plugins([file, file])
        assert parse_approach("from-a-file(0.5)").epsilon == 0.5
        assert loaded_plugins() == (Plugin(file, hashlib.sha256(file.read_bytes()).hexdigest()),)
    finally:
        APPROACHES.pop("from-a-file", None)


def test_a_scenario_with_an_approach_of_ones_own_can_be_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
    file, scenario = tmp_path / "mine.py", tmp_path / "mine.toml"
    file.write_text(MINE.replace("MINE", "checked"))
    scenario.write_text('name = "mine"\napproaches = ["checked"]\n')
    command = ["rangecast", "scenario", "check", str(scenario)]
    try:
        for arguments, code in ((command, 2), ([*command, "--with", str(file)], 0)):
            monkeypatch.setattr(sys, "argv", arguments)
            with pytest.raises(SystemExit) as ended:
                main()
            assert (ended.value.code or 0) == code
    finally:
        APPROACHES.pop("checked", None)
    told = capsys.readouterr()
    assert "bring your own by --with FILE" in told.err
    assert told.out == f"{scenario}: ok\n"


class Silent(Session):
    """Forgets to answer."""

    def answer(self, chunk: Chunk) -> Outgoing:
        del chunk
        return None  # type: ignore[return-value]


def test_a_session_that_does_not_answer_is_told_in_one_line() -> None:
    scenario = random_scenario(0)
    chunk = next(iter(chunks_of(small_ingredients(scenario).events, None)))
    with pytest.raises(RangecastError, match=r"Silent\.answer must return an Outgoing, got None; mend the approach"):
        ask(Silent(), chunk)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("none.py", None, "must be a Python file that exists"),
        ("words.txt", "hello", "must be a Python file that exists"),
        ("broken.py", "1 / 0", "fails with ZeroDivisionError: division by zero; mend the file"),
        ("syntax.py", "def", "fails with SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_told_in_one_line(
    tmp_path: Path, name: str, text: str | None, line: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(PluginError) as error:
        load_plugins([tmp_path / name])
    assert line in str(error.value)
    assert "\n" not in str(error.value)


CROWD = """
from pyspark.sql import functions as sf
from pipeline import DISTRIBUTIONS

DISTRIBUTIONS["CROWD"] = lambda rows, seed: rows.withColumns({"l": sf.lit(0.25), "r": sf.lit(0.5)})
"""


def test_a_run_with_a_distribution_of_ones_own_tells_of_another_file(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The population can be made by itself and used without the scenario's naming it; a changed file is refused."""
    del spark  # one is running
    monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "cache"))
    file, name = tmp_path / "crowd.py", "crowd-of-a-test"
    file.write_text(CROWD.replace("CROWD", name))
    load_plugins([file])
    scenario = random_scenario(3, approaches=["cn-relax"], subscriptions={"count": 9, "distribution": name})
    try:
        run_scenario(scenario, tmp_path / "run", master="local[2]")
        assert FinishedRun(tmp_path / "run").scenario == scenario
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        assert FinishedRun(tmp_path / "run").manifest["plugins"] == [{"file": str(file), "sha256": digest}]
        monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
        file.write_text(CROWD.replace("CROWD", name).replace("0.25", "0.125"))
        load_plugins([file])
        with pytest.raises(RunError, match=r"crowd\.py: changed since .*run was run; bring back what it was"):
            FinishedRun(tmp_path / "run").scenario  # noqa: B018
    finally:
        DISTRIBUTIONS.pop(name, None)
    monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
    with pytest.raises(RangecastError, match="or bring your own by --with FILE"):
        FinishedRun(tmp_path / "run").scenario  # noqa: B018
