"""Scenarios: every mistake gets one line with file, key, value, rule and remedy."""

from pathlib import Path

import pytest

from simulator.scenario import ScenarioError, load_scenario

DEMO = Path(__file__).parents[2] / "scenarios" / "demo.toml"

SMALL = """
name = "small"
k = 3
approaches = ["paint-dense", "unicast"]

[objects]
count = 10

[network]
brokers = 4
"""


def message_for(tmp_path: Path, text: str, *overrides: str) -> str:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path, overrides)
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix(f"{path}")


def test_the_demo_is_the_documented_one() -> None:
    demo = load_scenario(DEMO)
    assert (demo.k, demo.engine, demo.verify) == (5, "des", "all")
    assert (demo.topology.nodes, demo.network.brokers) == (3037, 64)
    assert (demo.objects.count, demo.subscriptions.count, demo.events.count) == (1000, 20_000, 200)
    assert demo.approaches == ["paint-dense", "unicast", "cn-relax"]


@pytest.mark.parametrize(
    ("change", "start", "rule"),
    [
        (("k = 3", "k = 0"), ":3: k = 0: ", "at least 1"),
        (("k = 3", "k = 11"), ":3: k = 11: ", "objects.count, which is 10; lower k or add objects"),
        (("k = 3", 'k = "3"'), ":3: k = '3': ", "whole number"),
        (("k = 3", "k = true"), ":3: k = true: ", "whole number"),
        (("k = 3", "kk = 3"), ":3: kk", "did you mean 'k'?"),
        (("count = 10", "cuont = 10"), ":7: objects.cuont", "did you mean 'count'?"),
        (("count = 10", 'distribution = "zipf"'), ":7: objects.distribution = 'zipf': ", "one of clustered, uniform"),
        (("brokers = 4", "brokers = 4000"), ":10: network.brokers = 4000: ", "topology.nodes is 3037"),
        (('"unicast"', '"unicorn"'), ":4: approaches = 'unicorn': ", "one of paint-dense"),
        (('"unicast"', '"paint-dense(0)"'), ":4: approaches = 'paint-dense(0)': ", "(0, 1]"),
        (('"unicast"', '"paint-dense(1.5)"'), ":4: approaches = 'paint-dense(1.5)': ", "(0, 1]"),
        (('"unicast"', '"paint-dense(nan)"'), ":4: approaches = 'paint-dense(nan)': ", "(0, 1]"),
        (('"unicast"', '"unicast(0.5)"'), ":4: approaches = 'unicast(0.5)': ", "takes no ε"),
        (('"unicast"', '"paint-dense"'), ":4: approaches = 'paint-dense': ", "remove the repetition"),
        (('["paint-dense", "unicast"]', "[]"), ":4: approaches = []: ", "at least one approach"),
        (("[network]\nbrokers = 4", "[topology]\nnodes = 100"), ":10: topology.nodes = 100: ", "at least 3037 nodes"),
        (('name = "small"', ""), ": name: ", "needed"),
        (('name = "small"', 'name = "../x"'), ":2: name = '../x': ", "rename it"),
    ],
)  # fmt: skip
def test_a_mistake_names_key_value_rule_and_remedy(
    tmp_path: Path, change: tuple[str, str], start: str, rule: str
) -> None:
    assert change[0] in SMALL
    message = message_for(tmp_path, SMALL.replace(*change))
    assert message.startswith(start)
    assert rule in message


def test_more_than_one_mistake_is_counted(tmp_path: Path) -> None:
    text = SMALL.replace("k = 3", "k = 0").replace("count = 10", "count = 0")
    assert message_for(tmp_path, text).endswith("(and 1 more)")


def test_invalid_toml_names_the_line(tmp_path: Path) -> None:
    assert "at line 3" in message_for(tmp_path, SMALL.replace("k = 3", "k = = 3"))


def test_an_unreadable_file_says_why(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read: No such file"):
        load_scenario(tmp_path / "missing.toml")
    with pytest.raises(ScenarioError, match="cannot be read: Is a directory"):
        load_scenario(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(ScenarioError, match="not UTF-8"):
        load_scenario(binary)


def test_overrides_replace_and_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    scenario = load_scenario(path, ("engine=des", "objects.count=50", "events.count = 7"))
    assert (scenario.engine, scenario.objects.count, scenario.events.count) == ("des", 50, 7)
    assert "k = 0" in message_for(tmp_path, SMALL, "k=0")
    assert "key=value" in message_for(tmp_path, SMALL, "k")
    assert "not a table" in message_for(tmp_path, SMALL, "k.x=1")
