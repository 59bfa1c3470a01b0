"""Scenarios: every mistake gets one line with file, key, value, rule and remedy."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.scenario.loading import load_scenario, scenario_toml
from simulator.scenario.mistakes import ScenarioError, key_lines
from simulator.scenario.scenario import Scenario
from tests.simulator.one_line import told_in_one_line
from topologies import MODELS

DEMO = Path(__file__).parents[3] / "scenarios" / "demo.toml"

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
        (("k = 3", "k = 1000001"), ":3: k = 1000001: ", "at most 1000000"),
        (("k = 3", "k = 11"), ":3: k = 11: ", "objects.count, which is 10; lower k or add objects"),
        (("k = 3", 'k = "3"'), ":3: k = '3': ", "whole number"),
        (("k = 3", "k = true"), ":3: k = true: ", "whole number"),
        (("k = 3", "kk = 3"), ":3: kk", "did you mean 'k'?"),
        (("count = 10", "count = 2000000000000"), ":7: objects.count = 2000000000000: ", "below 1099511627776"),
        (("count = 10", "cuont = 10"), ":7: objects.cuont", "did you mean 'count'?"),
        (("count = 10", 'distribution = "zipf"'), ":7: objects.distribution = 'zipf': ", "one of clustered, single-"),
        (("brokers = 4", "brokers = 4000"), ":10: network.brokers = 4000: ", "topology.nodes is 3037"),
        (('"unicast"', '"unicorn"'), ":4: approaches = 'unicorn': ", "one of paint-dense"),
        (('"unicast"', '"paint-dense(0)"'), ":4: approaches = 'paint-dense(0)': ", "(0, 1]"),
        (('"unicast"', '"paint-dense(1.5)"'), ":4: approaches = 'paint-dense(1.5)': ", "(0, 1]"),
        (('"unicast"', '"paint-dense(nan)"'), ":4: approaches = 'paint-dense(nan)': ", "(0, 1]"),
        (('"unicast"', '"unicast(0.5)"'), ":4: approaches = 'unicast(0.5)': ", "takes no ε"),
        (('"unicast"', '"cn-relax()"'), ":4: approaches = 'cn-relax()': ", "takes no ε"),
        (('"unicast"', '"paint-sparse()"'), ":4: approaches = 'paint-sparse()': ", "(0, 1]"),
        (('"unicast"', '"paint-batch(0)"'), ":4: approaches = 'paint-batch(0)': ", "paint-batch(100)"),
        (('"unicast"', '"paint-batch(1.5)"'), ":4: approaches = 'paint-batch(1.5)': ", "paint-batch(50ms)"),
        (('"unicast"', '"paint-batch(0ms)"'), ":4: approaches = 'paint-batch(0ms)': ", "a time above 0"),
        (('"unicast"', '"paint-batch(5kB)"'), ":4: approaches = 'paint-batch(5kB)': ", "a number of events"),
        (('"unicast"', '"paint-batch()"'), ":4: approaches = 'paint-batch()': ", "or a time above 0"),
        (('"unicast"', '"paint-batch(3"'), ":4: approaches = 'paint-batch(3': ", "one of paint-dense"),
        (('"unicast"', '"paint-batch((3))"'), ":4: approaches = 'paint-batch((3))': ", "one of paint-dense"),
        (('"unicast"', '"paint-dense"'), ":4: approaches = 'paint-dense': ", "remove the repetition"),
        (('["paint-dense", "unicast"]', "[]"), ":4: approaches = []: ", "at least one approach"),
        (("[network]\nbrokers = 4", "[topology]\nnodes = 100"), ":10: topology.nodes = 100: ", "at least 3037 nodes"),
        (("[network]\nbrokers = 4", "network = 4"), ":9: objects.network = 4: ", "no such key"),
        (("[network]\nbrokers = 4", "[events]\nrate = 4"), ":10: events.rate = 4: ", 'write for example "50/s"'),
        (("[network]\nbrokers = 4", '[events]\nrate = "4ms"'), ":10: events.rate = '4ms': ", "one of /h, /min, /s"),
        (("[network]\nbrokers = 4", '[sizes]\nevent = "0B"'), ":10: sizes.event = '0B': ", "at least 1B; raise it"),
        (("[network]\nbrokers = 4", '[costs]\nsnap = "-1us"'), ":10: costs.snap = '-1us': ", "must be a duration"),
        (("[network]\nbrokers = 4", "[events]\nmove = 1.5"), ":10: events.move = 1.5: ", "at most 1.0; lower it"),
        (("[network]\nbrokers = 4", "[events]\nmove = '1'"), ":10: events.move = '1': ", "must be a number"),
        (("[network]\nbrokers = 4", "[events]\nwarm_up = 200"), ":10: events.warm_up = 200: ", "below events.count"),
        (("[network]\nbrokers = 4", '[events]\nduration = "0s"'), ":10: events.duration = '0s': ", "raise it"),
        (("[network]\nbrokers = 4", '[events]\ncount = 9\nduration = "1s"'), ":10: events.count = 9: ", "exclude"),
        (("[network]\nbrokers = 4", '[events]\nduration = "1s"\narrival = "at-once"'), ":10: events.duration = '1s'",
         "no duration; set events.count instead"),
        (("[network]\nbrokers = 4", "[events]\nspeed = 0"), ":10: events.speed = 0: ", "above 0.0; raise it"),
        (("[network]\nbrokers = 4", "[events]\nspeed = inf"), ":10: events.speed = inf: ", "must be a finite number"),
        (("[network]\nbrokers = 4", '[events]\nkind = "zipf"'), ":10: events.kind = 'zipf': ", "one of gaussian"),
        (("[network]\nbrokers = 4", '[events]\narrival = "x"'), ":10: events.arrival = 'x': ", "one of at-once"),
        (("[network]\nbrokers = 4", "[events]\ninsert = 0.6\nmove = 1"), ":10: events.insert = 0.6: ", "at most 1"),
        (("[network]\nbrokers = 4", '[events]\narrival = "trace"'), ":10: events.arrival = 'trace': ", "of its own"),
        (("[network]\nbrokers = 4", '[events]\nkind = "trace"'), ":9: events.file: ", "name it"),
        (("count = 10", 'count = 10\nfile = "x.parquet"'), ":8: objects.file = ", "cannot be read: No such file"),
        (("brokers = 4", 'last_hop = "yes"'), ":10: network.last_hop = 'yes': ", "true or false"),
        (("brokers = 4", "kind = 1"), ":10: network.kind = 1: ", "one of 'can', 'prefix' or 'tree'"),
        (("brokers = 4", 'kind = "prefix"\nbase = 3'), ":11: network.base = 3: ", "one of 2, 4, 8 or 16"),
        (("brokers = 4", 'kind = "prefix"\nbase = "2"'), ":11: network.base = '2': ", "one of 2, 4, 8 or 16"),
        (("brokers = 4", 'kind = "prefix"\ncontacts = "far"'), ":11: network.contacts = 'far': ", "'near' or 'rand"),
        (("brokers = 4", "base = 16"), ":10: network.base = 16: ", 'only kind = "prefix" uses it; set that or'),
        (("brokers = 4", 'kind = "tree"\ncontacts = "near"'), ":11: network.contacts = 'near': ", "remove this key"),
        (("brokers = 4", "bundle = true"), ":10: network.bundle = true: ", 'set sizes.header, for example to "20B"'),
        (("brokers = 4", 'bundle = true\n[sizes]\nheader = "9B"\nmessage = "25B"'), ":13: sizes.message = '25B': ",
         "with network.bundle it is 6 values of equal size; make it a multiple of 6 B"),
        (("brokers = 4", 'bundle = true\n[sizes]\nheader = "9B"\nunicast = "9B"'), ":13: sizes.unicast = '9B': ",
         "4 values of equal size"),
        (("brokers = 4", 'bundle = "yes"'), ":10: network.bundle = 'yes': ", "true or false"),
        (("[network]\nbrokers = 4", '[sizes]\nheader = "0B"'), ":10: sizes.header = '0B': ", "at least 1B; raise it"),
        (("brokers = 4", 'zones = "zipf"'), ":10: network.zones = 'zipf': ", "one of 'even' or 'balanced'"),
        (("brokers = 4", 'placement = "far"'), ":10: network.placement = 'far': ", "one of 'random' or 'near'"),
        (("[network]\nbrokers = 4", "[topology]\nlargest = true"), ":10: topology.largest = true: ", "add that, or"),
        (("[network]\nbrokers = 4", '[topology]\nformat = "gml"'), ":10: topology.format = 'gml': ", "topology.file"),
        (("count = 10", "distribution = 1"), ":7: objects.distribution = 1: ", "in quotes"),
        (('["paint-dense", "unicast"]', '"unicast"'), ":4: approaches = 'unicast': ", "in brackets"),
        (('name = "small"', 'name = "small"\nsizes = 1'), ":3: sizes = 1: ", "write [sizes]"),
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


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("foo.bar=1", "command line: foo: "),
        ("events.insert=nan", "command line: events.insert = nan: must be a finite number; choose one"),
        (
            'events.kind="trace"',
            'events.file: kind = "trace" reads the events from a directory or a file; name it',
        ),
        ("k=3\nseed=9", "--set 'k=3\\nseed=9': must be one key=value on one line; give --set several times"),
        ("faults.leaves=20000", "somebody must stay: it must be below subscriptions.count; lower it"),
    ],
)
def test_a_mistake_in_an_override_is_told_in_one_line(tmp_path: Path, override: str, line: str) -> None:
    overrides = ("engine=des", override) if override.startswith("faults") else (override,)
    assert line in message_for(tmp_path, SMALL, *overrides)


def test_more_than_one_mistake_is_counted(tmp_path: Path) -> None:
    text = SMALL.replace("k = 3", "k = 0").replace("count = 10", "count = 0")
    assert message_for(tmp_path, text).endswith("(and 1 more)")


def test_every_approach_that_does_not_exist_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(SMALL.replace('"unicast"', '"unicorn", "paint-dense(2)"'), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert [line.split(": ")[1] for line in caught.value.mistakes] == [
        "approaches = 'unicorn'",
        "approaches = 'paint-dense(2)'",
    ]


def test_invalid_toml_names_the_line(tmp_path: Path) -> None:
    message = message_for(tmp_path, SMALL.replace("k = 3", "k = = 3"))
    assert message.startswith(":3: not valid TOML: Invalid value in column 5")
    assert message_for(tmp_path, "k = [").startswith(": not valid TOML: ")
    assert "nested too deeply" in message_for(tmp_path, "k = " + "[" * 100_000)
    assert "not valid TOML" in message_for(tmp_path, "k = " + "9" * 10_000)


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
    with pytest.raises(ScenarioError, match="only a scenario file can extend"):
        load_scenario(path, ("extends=base.toml",))


def test_an_override_is_blamed_for_its_own_value_only(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace("brokers = 4", "brokers = 0"), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path, ("objects={count=0}", "events.rate=5"))
    assert [line.partition(": ")[0] for line in caught.value.mistakes] == [
        f"{path}:10",
        "command line",
        "command line",
    ]
    assert load_scenario(path, ("network.brokers=4", "events.rate=50/min")).events.rate_per_s == 50 / 60


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., Path]:
    def write(**texts: str) -> Path:
        for name, text in texts.items():
            (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        return tmp_path / f"{next(iter(texts))}.toml"

    return write


def test_a_file_extends_another(files: Callable[..., Path]) -> None:
    top = files(
        top='extends = "middle.toml"\nname = "top"\n[objects]\ncount = 30\n',
        middle='extends = "base.toml"\napproaches = ["cn-relax"]\nnetwork = {space = "square"}\n',
        base=SMALL,
    )
    scenario = load_scenario(top, ("k=4",))
    assert (scenario.name, scenario.k, scenario.objects.count) == ("top", 4, 30)
    assert scenario.approaches == ["cn-relax"]
    assert (scenario.network.brokers, scenario.network.space) == (4, "square")


def test_a_base_is_seen_from_its_own_file(tmp_path: Path, files: Callable[..., Path]) -> None:
    files(base=SMALL)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "top.toml").write_text('extends = "../base.toml"\nk = 2\n', encoding="utf-8")
    assert load_scenario(inner / "top.toml").k == 2


@pytest.mark.parametrize(
    ("top", "base", "blamed", "rule"),
    [
        ("k = 2", SMALL.replace("brokers = 4", "brokers = 0"), "base.toml:10: network.brokers = 0: ", "at least 1"),
        ("k = 0", SMALL, "top.toml:2: k = 0: ", "at least 1"),
        ("k = 2", SMALL.replace("k = 3", "k = 0\nkk = 1"), "base.toml:4: kk = 1: ", "no such key"),
        ("[objects]\ncount = 2", SMALL, "base.toml:3: k = 3: ", "objects.count, which is 2"),
        ("objects = 2", SMALL, "top.toml:2: objects = 2: ", "must be a table"),
        ("k = 2", SMALL.replace("k = 3", "k = = 3"), "base.toml:3: not valid TOML: ", "mend that line"),
        ("k = 2", 'extends = "top.toml"', "base.toml:1: extends = 'top.toml': ", "in a circle; remove"),
        ("k = 2", 'extends = "base.toml"', "base.toml:1: extends = 'base.toml': ", "in a circle; remove"),
        ("k = 2", 'k = 1\nextends = "no.toml"', "base.toml:2: extends = 'no.toml': ", "cannot be read: No such file"),
        ("k = 2", 'extends = "."', "base.toml:1: extends = '.': ", "cannot be read: Is a directory"),
        ("k = 2", 'extends = "\\u0000"', "base.toml:1: extends = '\\x00': ", "cannot be read: "),
        ("k = 2", "extends = 3", "base.toml:1: extends = 3: ", "write it in quotes"),
        ("k = 2", "[extends]", "base.toml:1: extends = {}: ", "write it in quotes"),
        ("", "k = 2", "top.toml: name: ", "needed"),
    ],
)  # fmt: skip
def test_a_mistake_is_found_in_the_file_where_it_stands(
    tmp_path: Path, files: Callable[..., Path], top: str, base: str, blamed: str, rule: str
) -> None:
    path = files(top=f'extends = "base.toml"\n{top}\n', base=base)
    told_in_one_line(lambda: load_scenario(path), ScenarioError, f"{tmp_path}/{blamed}", rule)


def test_lines_are_found_however_keys_are_written() -> None:
    text = (
        '# k = 0\nk = 1\na."b c".d = 2\n\n[t] # [u]\nlist = [\n  1,\n  # ]\n  2,\n]\ntext = """\nk = 3\n[v]\n"""\n'
        "inline = {x = 1, y = {z = 2}}\n[t.below]\nk = 4\n[[many]]\nk = 5\n[[many]]\nk = 6\n"
    )
    tomllib.loads(text)
    assert key_lines(text) == {
        ("k",): 2,
        ("a",): 3,
        ("a", "b c"): 3,
        ("a", "b c", "d"): 3,
        ("t",): 5,
        ("t", "list"): 6,
        ("t", "text"): 11,
        ("t", "inline"): 15,
        ("t", "inline", "x"): 15,
        ("t", "inline", "y"): 15,
        ("t", "inline", "y", "z"): 15,
        ("t", "below"): 16,
        ("t", "below", "k"): 17,
        ("many",): 18,
        ("many", "0"): 18,
        ("many", "0", "k"): 19,
        ("many", "1"): 20,
        ("many", "1", "k"): 21,
    }


@given(
    rate=st.floats(1e-6, 1e9),
    cost=st.floats(0, 1e6),
    size=st.integers(1, 10**9),
    bandwidth=st.none() | st.floats(1e-6, 1e9),
)
@settings(deadline=None, max_examples=100)
def test_what_is_written_reads_back_equal(rate: float, cost: float, size: int, bandwidth: float | None) -> None:
    demo = load_scenario(DEMO)
    scenario = demo.model_copy(
        update={
            "approaches": ["paint-dense(0.5)", "unicast"],
            "events": demo.events.model_copy(update={"rate_per_s": rate}),
            "costs": demo.costs.model_copy(update={"broker_s": cost, "snap_s": cost / 3}),
            "sizes": demo.sizes.model_copy(update={"message_bytes": size}),
            "topology": demo.topology.model_copy(update={"bandwidth_mbps": bandwidth}),
        }
    )
    text = scenario_toml(scenario)
    assert Scenario.model_validate(tomllib.loads(text)) == scenario
    assert scenario_toml(Scenario.model_validate(tomllib.loads(text))) == text


def test_a_written_scenario_has_units_and_stands_alone(tmp_path: Path, files: Callable[..., Path]) -> None:
    top = files(top='extends = "base.toml"\n[costs]\nbroker = "0.5 ms"\n[sizes]\nmessage = "2kB"\n', base=SMALL)
    scenario = load_scenario(top)
    assert (scenario.costs.broker_s, scenario.sizes.message_bytes) == (0.0005, 2000)
    text = scenario_toml(scenario)
    assert "extends" not in text
    for line in ('broker = "500us"', 'snap = "2us"', 'message = "2kB"', 'unicast = "16B"', 'rate = "100/s"'):
        assert line in text.splitlines()
    (tmp_path / "alone.toml").write_text(text, encoding="utf-8")
    assert load_scenario(tmp_path / "alone.toml") == scenario


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_scenario_takes_the_sizes_that_its_model_takes(tmp_path: Path, model: str) -> None:
    def sizes(nodes: int) -> str:
        return f'{SMALL.replace("brokers = 4", "brokers = 1")}[topology]\nmodel = "{model}"\nnodes = {nodes}\n'

    least = {"barabasi-albert": 3, "inet": 3037, "transit-stub": 128, "waxman": 2}[model]
    (tmp_path / "good.toml").write_text(sizes(least), encoding="utf-8")
    assert len(MODELS[model](load_scenario(tmp_path / "good.toml").topology.nodes, 1)) == least
    with pytest.raises(ValueError, match="nodes must be at least"):
        MODELS[model](least - 1, 1)
    message = message_for(tmp_path, sizes(least - 1))
    assert message.startswith(f":13: topology.nodes = {least - 1}: ")
    assert "at least" in message
