"""How long a scenario's events go on: a count or a duration, whichever is said last."""

from pathlib import Path

from simulator.scenario.loading import load_scenario, scenario_toml
from tests.simulator.scenario.test_scenario import SMALL


def test_a_duration_takes_the_place_of_a_count_and_the_other_way_round(tmp_path: Path) -> None:
    path = tmp_path / "base.toml"
    path.write_text(f"{SMALL}\n[events]\ncount = 9\nrate = '10/s'\n", encoding="utf-8")
    lasting = load_scenario(path, ("events.duration=3s",))
    assert lasting.events.duration_s == 3
    assert "count" not in scenario_toml(lasting).partition("[events]")[2].partition("[")[0]
    below = tmp_path / "below.toml"
    below.write_text('extends = "base.toml"\nevents.duration = "2s"\n', encoding="utf-8")
    assert load_scenario(below).events.duration_s == 2
    again = load_scenario(below, ("events.count=5",)).events
    assert (again.count, again.duration_s) == (5, None)
    written = tmp_path / "written.toml"
    written.write_text(scenario_toml(lasting), encoding="utf-8")
    assert load_scenario(written) == lasting
