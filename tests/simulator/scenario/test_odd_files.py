"""Files that are not quite what they should be: accepted where the meaning is plain, otherwise told in one line."""

from pathlib import Path

import pytest

from simulator.scenario.grid import GridError, load_grid
from simulator.scenario.loading import load_scenario
from simulator.scenario.mistakes import ScenarioError
from tests.simulator.one_line import told_in_one_line

SCENARIO = 'name = "odd"\napproaches = ["unicast"]\n'


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "plain.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "marked.toml").write_bytes(b"\xef\xbb\xbf" + SCENARIO.replace("\n", "\r\n").encode())
    assert load_scenario(tmp_path / "marked.toml") == load_scenario(tmp_path / "plain.toml")
    (tmp_path / "grid.toml").write_bytes(b'\xef\xbb\xbfscenario = "marked.toml"\n')
    assert len(load_grid(tmp_path / "grid.toml").points) == 1
    (tmp_path / "wrong.toml").write_bytes(b"\xef\xbb\xbf" + f"{SCENARIO}k = 0\n".encode())
    told_in_one_line(
        lambda: load_scenario(tmp_path / "wrong.toml"),
        ScenarioError,
        f"{tmp_path / 'wrong.toml'}:3: k = 0",
        "least 1",
    )


@pytest.mark.parametrize("text", ["loss = nan", "loss = inf", "duplication = nan", "delayed = nan", "delayed = -nan"])
def test_what_is_no_number_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.toml").write_text(f'{SCENARIO}engine = "des"\n[faults]\n{text}\n')
    start = f"{tmp_path / 's.toml'}:5: faults.{text.replace('-nan', 'nan')}: must be a"
    told_in_one_line(lambda: load_scenario(tmp_path / "s.toml"), ScenarioError, start, "must be")


def test_a_name_must_fit_a_directory(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO.replace("odd", "n" * 300))
    rule = "must have at most 100 letters; shorten it"
    told_in_one_line(
        lambda: load_scenario(tmp_path / "s.toml"), ScenarioError, f"{tmp_path / 's.toml'}:1: name", rule
    )


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("events.burst = 1180591620717411303424", "must be below 1099511627776; lower it"),
        ('approaches = ["paint-batch(9999999999999)"]', "a number of events (of at most 12 digits)"),
    ],
)
def test_numbers_that_no_array_holds_are_refused(tmp_path: Path, key: str, rule: str) -> None:
    text = 'name = "odd"\n' if "approaches" in key else SCENARIO
    (tmp_path / "s.toml").write_text(f"{text}{key}\n")
    told_in_one_line(lambda: load_scenario(tmp_path / "s.toml"), ScenarioError, str(tmp_path), rule)


def test_what_has_no_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    told_in_one_line(lambda: load_scenario(Path("/dev/zero")), ScenarioError, "/dev/zero: ", "longer than 10 MB")
    told_in_one_line(lambda: load_grid(Path("/dev/zero")), GridError, "/dev/zero: ", "longer than 10 MB")
    (tmp_path / "base.toml").write_text(f'extends = "/dev/zero"\n{SCENARIO}')
    told_in_one_line(lambda: load_scenario(tmp_path / "base.toml"), ScenarioError, str(tmp_path), "longer than 10 MB")
    (tmp_path / "s.toml").write_text(f'{SCENARIO}topology = {{file = "/dev/zero", format = "edges"}}\n')
    start = f"{tmp_path / 's.toml'}:3: topology.file = '/dev/zero': must be a file, and is a device or pipe"
    told_in_one_line(lambda: load_scenario(tmp_path / "s.toml"), ScenarioError, start, "mend the path")
