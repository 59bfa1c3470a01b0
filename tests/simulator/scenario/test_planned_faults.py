"""Planned faults: what does not go together is told in one line, and what is written reads back equal."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.inputs.fault_plan import plan_faults
from simulator.inputs.link_plan import LinkPlan
from simulator.scenario.fault_tables import PlannedFault
from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.mistakes import ScenarioError
from simulator.scenario.scenario import Scenario
from tests.simulator.one_line import told_in_one_line
from tests.simulator.small import random_scenario, small_ingredients

SMALL = """name = "small"
approaches = ["unicast"]
engine = "des"
[network]
brokers = 6
"""


def planned(time: str, what: str, whom: object, value: object = None) -> str:
    shown = "" if value is None else f"value = {value!r}\n"
    return f"[[faults.at]]\ntime = {time!r}\nwhat = {what!r}\nwhom = {whom!r}\n{shown}"


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def write(*faults: str) -> Path:
        path = tmp_path / "small.toml"
        path.write_text(SMALL + "".join(faults), encoding="utf-8")
        return path

    return write


CRASH, RESTORE = planned("1s", "crash", [1]), planned("2s", "restore", [1])
PARTITION, HEAL = planned("1s", "partition", [1, 2]), planned("2s", "heal", [2, 1])
DELAY, LOSS = planned("1s", "delay", [1, 2], "5ms"), planned("1s", "loss", [1, 2], 0.5)


@pytest.mark.parametrize(
    ("faults", "blamed", "rule"),
    [
        ([planned("1", "crash", [1])], ":7: faults.at[0].time = '1': ", 'write for example "10ms"'),
        ([planned("2000h", "crash", [1])], ":7: faults.at[0].time = '2000h': ", "at most 1000h; lower it"),
        ([planned("1s", "explode", [1])], ":8: faults.at[0].what = 'explode': ", "choose one of them"),
        ([CRASH, planned("1s", "crash", [1, 6])], ":13: faults.at[1].whom = [1, 6]: ", "they are 0 to 5"),
        ([planned("1s", "crash", [])], ":9: faults.at[0].whom = []: ", "write for example [3, 4]"),
        ([planned("1s", "crash", [2, 2])], ":9: faults.at[0].whom = [2, 2]: ", "each once"),
        ([planned("1s", "crash", "all")], ":9: faults.at[0].whom = 'all': ", 'or "server"'),
        ([planned("1s", "crash", "TRUE").replace("'TRUE'", "true")], ":9: faults.at[0].whom = true: ", 'or "server"'),
        ([CRASH, CRASH], ":13: faults.at[1].whom = [1]: ", "is down already; restore it before"),
        ([planned("1s", "crash", [0, 1, 2, 3, 4, 5])], ":9: faults.at[0].whom = [0, 1", "no broker would be left"),
        ([RESTORE], ":9: faults.at[0].whom = [1]: ", "broker 1 is up then"),
        ([planned("3s", "crash", [1]), RESTORE], ":13: faults.at[1].whom = [1]: ", "broker 1 is up then"),
        ([CRASH, RESTORE, RESTORE], ":17: faults.at[2].whom = [1]: ", "broker 1 is up then"),
        ([planned("1s", "restore", "server")], ":9: faults.at[0].whom = 'server': ", "returns by itself"),
        ([planned("1s", "partition", "server")], ":9: faults.at[0].whom = 'server': ", "can only crash"),
        ([PARTITION], ":9: faults.at[0].whom = [1, 2]: ", 'for ever; add a "heal" of the same brokers'),
        ([PARTITION, PARTITION, HEAL], ":13: faults.at[1].whom = [1, 2]: ", "are apart from the rest already"),
        ([HEAL], ":9: faults.at[0].whom = [2, 1]: ", "no partition of exactly these brokers precedes"),
        ([PARTITION, planned("2s", "heal", [1])], ":13: faults.at[1].whom = [1]: ", "no partition of exactly"),
        ([planned("1s", "partition", [0, 1, 2, 3, 4, 5])], ":9: faults.at[0].whom = [0, 1", "name some of them only"),
        ([planned("1s", "loss", [1, 2])], ":6: faults.at[0].value: ", "write for example value = 0.3"),
        ([planned("1s", "loss", [1, 2], "5ms")], ":10: faults.at[0].value = '5ms': ", "value = 0.3"),
        ([planned("1s", "delay", [1, 2], 0.5)], ":10: faults.at[0].value = 0.5: ", 'value = "50ms"'),
        ([planned("1s", "delay", [1], "5ms")], ":9: faults.at[0].whom = [1]: ", "the two brokers at its ends"),
        ([planned("1s", "loss", [1, 2], 0.95)], ":10: faults.at[0].value = 0.95: ", "a share from 0 to 0.9"),
        ([planned("1s", "loss", [1, 2], float("nan"))], ":10: faults.at[0].value = nan: ", "a share from 0 to 0.9"),
        ([planned("1s", "crash", [1], 0.5)], ":10: faults.at[0].value = 0.5: ", "remove this key"),
        (
            ["[server]\nat = 1\n", CRASH],
            ":11: faults.at[0].whom = [1]: ",
            "the server is at broker 1, which cannot crash",
        ),
        ([CRASH + "who = 1\n"], ":10: faults.at[0].who = 1: ", "did you mean 'whom'?"),
        (["[[faults.at]]\ntime = '1s'\n"], ":6: faults.at[0].what: ", "this key is needed"),
        (["[faults]\nat = 3\n"], ":7: faults.at = 3: ", "must be a list"),
        (["[faults]\nat = [3]\n"], ":7: faults.at = 3: ", "write [[faults.at]]"),
        (["[faults.at]\ntime = '1s'\n"], ":6: faults.at", "must be a list"),
    ],
)
def test_what_does_not_go_together_is_told_in_one_line(
    file: Callable[..., Path], faults: list[str], blamed: str, rule: str
) -> None:
    path = file(*faults)
    told_in_one_line(lambda: load_scenario(path), ScenarioError, f"{path}{blamed}", rule)


def test_what_is_written_reads_back_equal(file: Callable[..., Path], tmp_path: Path) -> None:
    scenario = load_scenario(file(HEAL, CRASH, RESTORE, PARTITION, DELAY, LOSS, planned("1s", "crash", "server")))
    assert scenario.faults.any
    assert [fault.whom for fault in scenario.faults.at][:2] == [(2, 1), (1,)]
    again = tmp_path / "again.toml"
    again.write_text(scenario_toml(scenario), encoding="utf-8")
    assert load_scenario(again) == scenario


def test_the_engine_without_a_clock_has_no_planned_faults(file: Callable[..., Path]) -> None:
    path = file(CRASH)
    start = "command line: engine = 'tally'"
    told_in_one_line(lambda: load_scenario(path, ("engine=tally",)), ScenarioError, start, "clock")


def run_with(*faults: dict[str, object]) -> Scenario:
    events = {"count": 10, "rate": "100/s"}
    return random_scenario(
        3, approaches=["unicast"], network={"brokers": 5}, events=events, faults={"at": list(faults)}
    )


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        (
            {"time": "101ms", "what": "crash", "whom": 3},
            'faults.at[0].time = "101ms": nothing goes wrong after the last',
        ),
        ({"time": "1h", "what": "loss", "whom": [1, 3], "value": 0.5}, 'faults.at[0].time = "1h": nothing goes'),
    ],
)
def test_what_would_come_too_late_is_refused(fault: dict[str, object], rule: str) -> None:
    scenario = run_with(fault)
    told_in_one_line(lambda: plan_faults(scenario, small_ingredients(scenario)), ScenarioError, rule, "at 0.1 s")


def test_a_restore_may_come_after_the_last_event_and_the_servers_broker_stays() -> None:
    server = small_ingredients(run_with()).server
    other = (server + 1) % 5
    crash = {"time": "10ms", "what": "crash", "whom": other}
    scenario = run_with({"time": "1h", "what": "restore", "whom": other}, crash)
    plan = plan_faults(scenario, small_ingredients(scenario))
    assert [fault.what for fault in plan.planned] == ["crash", "restore"]
    scenario = run_with(crash | {"whom": [other, server]})
    rule = f"the server is at broker {server}, which cannot crash; leave it out"
    blamed = f"faults.at[0].whom = {[other, server]}: "
    told_in_one_line(lambda: plan_faults(scenario, small_ingredients(scenario)), ScenarioError, blamed, rule)


def test_links_are_as_planned_from_each_moment_on() -> None:
    def fault(time: str, what: str, whom: list[int], value: object = None) -> PlannedFault:
        return PlannedFault.model_validate({"time": time, "what": what, "whom": whom, "value": value})

    plan = LinkPlan(
        [
            fault("5s", "loss", [4, 2], 0.0),
            fault("1s", "partition", [1, 2]),
            fault("2s", "loss", [2, 4], 0.5),
            fault("3s", "heal", [2, 1]),
            fault("2s", "delay", [0, 1], "20ms"),
        ]
    )
    assert [plan.apart(2, 4, time) for time in (0.9, 1.0, 2.9, 3.0)] == [False, True, True, False]
    assert not plan.apart(1, 2, 2.0)
    assert not plan.apart(3, 4, 2.0)
    assert [plan.loss(4, 2, time, 0.1) for time in (1.9, 2.0, 4.9, 5.0)] == [0.1, 0.5, 0.5, 0.0]
    assert plan.loss(1, 2, 3.0, 0.1) == 0.1
    assert [plan.delay_s(1, 0, time) for time in (1.9, 2.0, 1e6)] == [0.0, 0.02, 0.02]
    assert not LinkPlan([fault("1s", "crash", [1])])
