"""A scenario that names a file with its network."""

import hashlib
from pathlib import Path

import pytest

from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from tests.simulator.one_line import told_in_one_line
from tests.simulator.scenario.test_scenario import SMALL

TRIANGLE = "0 1 5.0 100.0\n1 2 5.0 100.0\n2 0 5.0 100.0\n"


def with_file(tmp_path: Path, more: str = "", *, name: str = "net.edges") -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / name).write_text(TRIANGLE, encoding="utf-8")
    path = tmp_path / "scenario.toml"
    path.write_text(SMALL + f'[topology]\nfile = "data/{name}"\n{more}', encoding="utf-8")
    return path


def test_a_file_is_seen_from_the_scenario_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = with_file(tmp_path)
    file = tmp_path / "data" / "net.edges"
    scenario = load_scenario(path)
    assert scenario.topology.file == str(file)
    assert scenario.topology.sha256 == hashlib.sha256(TRIANGLE.encode()).hexdigest()
    below = tmp_path / "data" / "below.toml"
    below.write_text('extends = "../scenario.toml"\nk = 2\n', encoding="utf-8")
    assert load_scenario(below).topology == scenario.topology
    monkeypatch.chdir(tmp_path / "data")
    plain = tmp_path / "plain.toml"
    plain.write_text(SMALL, encoding="utf-8")
    assert load_scenario(plain, ("topology.file=net.edges",)).topology == scenario.topology
    assert load_scenario(plain, ('topology={file="data/net.edges"}',), beside=tmp_path).topology == scenario.topology


def test_a_scenario_with_a_file_is_written_so_that_it_reads_back(tmp_path: Path) -> None:
    scenario = load_scenario(with_file(tmp_path, 'format = "edges"\nlargest = true\n', name="net.dat"))
    text = scenario_toml(scenario)
    assert "model" not in text
    assert "nodes" not in text
    (tmp_path / "elsewhere").mkdir()
    again = tmp_path / "elsewhere" / "again.toml"
    again.write_text(text, encoding="utf-8")
    assert load_scenario(again) == scenario
    assert Scenario.model_validate(scenario.model_dump(exclude_none=True)) == scenario
    (tmp_path / "data" / "net.dat").write_text(TRIANGLE + "2 3\n", encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"again\.toml:\d+: topology\.file = .* not the one that topology\.sha"):
        load_scenario(again)


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ('model = "inet"\n', "a file and topology.model exclude each other; remove one of them"),
        ("nodes = 4000\n", "a file and topology.nodes exclude each other; remove one of them"),
        ("", "the format does not follow from the file's name; set topology.format to one of caida, edges, gml"),
    ],
)
def test_a_file_that_fits_nothing_else_is_refused(tmp_path: Path, more: str, rule: str) -> None:
    path = with_file(tmp_path, more, name="net.edges" if more else "net.dat")
    named = f"{path}:12: topology.file = '{tmp_path}/data/net."
    told_in_one_line(lambda: load_scenario(path), ScenarioError, named, rule)


def test_a_file_that_cannot_be_read_is_told_with_the_line_that_names_it(tmp_path: Path) -> None:
    path = with_file(tmp_path)
    (tmp_path / "data" / "net.edges").unlink()
    with pytest.raises(ScenarioError, match=r"scenario\.toml:12: topology\.file = '.*net\.edges': cannot be read: "):
        load_scenario(path)
    with pytest.raises(ScenarioError, match=r"^command line: topology\.file = '.*': cannot be read: No such file"):
        load_scenario(path, ("topology.file=missing.gml",))
    with pytest.raises(ScenarioError, match="cannot be read: there is a NUL in the path"):
        load_scenario(path, ('topology.file="a\\u0000.gml"',))
