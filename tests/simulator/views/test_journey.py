"""One event followed hop by hop: the text is complete, and adds up to the record."""

import re
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from floor.errors import RangecastError
from simulator.runs.event_journey import EventJourney, follow_event
from simulator.runs.run import run_scenario
from simulator.scenario.scenario import Scenario
from simulator.views import journey_text
from simulator.views.explain_files import explain_to_file
from simulator.views.journey_figure import draw_journey
from simulator.views.journey_files import tell_journey
from simulator.views.journey_text import journey_lines
from simulator.views.output import write_picture
from tests.simulator.results.test_hops import small
from tests.simulator.small import APPROACHES, run_small
from tests.simulator.views.troubled import troubled_scenario

pytestmark = pytest.mark.usefixtures("spark")  # what a run starts must be the session of all tests

HOP = re.compile(
    r" +(\d+) -> (\d+)  (\d+) bytes(  departs ([\d.]+)  (never arrives|arrives ([\d.]+))  waited [\d.]+)?"
)


@pytest.mark.parametrize(("engine", "bundle"), [("des", False), ("tally", False), ("des", True)])
@pytest.mark.parametrize("name", APPROACHES)
def test_the_text_adds_up_to_the_record(name: str, engine: str, bundle: bool) -> None:
    scenario, ingredients = small("can", bundle=bundle)
    scenario = scenario.model_copy(update={"engine": engine})
    records = {row["event"]: row for row in run_small(scenario, ingredients, name)[0].to_pylist()}
    for event in (0, 17, 39):
        record = records[max(first for first in records if first <= event)]
        lines = list(journey_lines(follow_event(scenario, ingredients, name, event), everything=True))
        hops = [match for match in map(HOP.match, lines) if match]
        assert len(hops) == record["overlay_hops"]
        assert sum(int(match[3]) for match in hops) == record["overlay_bytes"] - record["control_bytes"]
        told = re.findall(r"asked before the next event: (\d+) questions of 8 bytes", "\n".join(lines))
        assert [16 + 8 * int(count) for count in told] == ([record["bytes_in"]] if name == "poll(20ms)" else [])
        assert sum(line.startswith("message ") for line in lines) == record["messages"]
        reached = sum(int(count) for count in re.findall(r"delivers to (\d+) subscription", "\n".join(lines)))
        assert reached == record["received_update"] + record["received_exposed"]
        assert all((match[4] is None) == (engine == "tally") for match in hops)
        assert any(", in packets; hops: " in line for line in lines) == bundle


def test_the_whole_text_of_a_message() -> None:
    scenario, ingredients = small("can")
    lines = list(journey_lines(follow_event(scenario, ingredients, "cn-relax", 11)))
    assert lines[:4] == [
        "event 11 of random-3, cn-relax, des",
        "lower of object 7, arose at broker 1 at 0.060000 s",
        "messages: 1 of 24 bytes; hops: 4, 96 bytes; deliveries: 3; notifications: 3",
        "times in ms since the event; waited: at the sender, for the broker and its uplink",
    ]
    assert lines[5] == "message 0: update, object 7 with y = 0.9142, l in (-inf, 0.03004], r in [0.03004, inf)"
    assert lines[6] == "  from broker 1"
    assert lines[7].startswith("    1 -> 7  24 bytes  departs 0.020  arrives ")
    assert lines[8].startswith("      7 -> 2  24 bytes  departs ")


def test_an_object_of_a_history_is_told_by_its_name() -> None:
    scenario, ingredients = small("can")
    names = [f"name {i}" for i in range(len(ingredients.workload.x))]
    lines = list(journey_lines(follow_event(scenario, ingredients._replace(names=names), "paint-dense", 11)))
    assert lines[1].startswith("lower of object 7 (name 7), arose at broker ")
    told = [re.search(r"object (\d+) \(name (\d+)\)", line) for line in lines if line.startswith("message ")]
    assert told
    assert all(match and match[1] == match[2] for match in told)


def test_faults_are_told_transmission_by_transmission() -> None:
    scenario, ingredients = small("can", faults={"loss": 0.3, "crashes": 3, "duplication": 0.2})
    records = {row["event"]: row for row in run_small(scenario, ingredients, "paint-dense")[0].to_pylist()}
    told = list(journey_lines(follow_event(scenario, ingredients, "paint-dense", 11), everything=True))
    assert sum(bool(HOP.match(line)) for line in told) == records[11]["overlay_hops"]
    assert any("never arrives" in line for line in told)


@pytest.fixture(scope="module")
def troubled() -> EventJourney:
    return follow_event(*troubled_scenario(), "paint-dense", 11)


def test_every_lost_hop_says_why_and_every_repeated_one_that_it_is(troubled: EventJourney) -> None:
    sent, lines = troubled.sent, list(journey_lines(troubled, everything=True))
    assert sent.arrive_s is not None
    assert sent.again is not None
    lost = np.isnan(sent.arrive_s[troubled.hops])
    reasons = Counter(row.why for row in troubled.losses.values())
    assert set(reasons) == {"link", "partition", "anew"}
    told = [line for line in lines if HOP.match(line)]
    never = [line for line in told if "never arrives" in line]
    assert len(never) == lost.sum() == sum(reasons.values())
    assert all(re.search("lost on the way|lost in a partition|lost to a crash|in vain", line) for line in never)
    assert sum("lost in a partition" in line for line in lines) == reasons["partition"]
    assert sum("sent again" in line for line in told) == sent.again[troubled.hops].sum() > 0
    assert "down: broker 5 from 138.000 to 200.000" in lines
    assert "apart from the rest: broker 2 from 30.000 to 70.000, broker 5 from 30.000 to 70.000" in lines
    anew = [row for row in troubled.faults if row.what == "anew" and row.event == 11]
    assert sum(line.startswith("  started anew at ") for line in lines) == len(anew) > 0


def test_every_message_of_a_lost_packet_is_told_with_the_reason() -> None:
    followed = follow_event(*troubled_scenario(bundle=True), "paint-dense", 11)
    sent, told = followed.sent, [line for line in journey_lines(followed, everything=True) if HOP.match(line)]
    never = [line for line in told if "never arrives" in line]
    assert sent.arrive_s is not None
    assert len(never) == np.isnan(sent.arrive_s[followed.hops]).sum() == len(followed.losses) > 0
    assert all(re.search("lost on the way|lost in a partition|lost to a crash|in vain", line) for line in never)
    departures = Counter(row.time_s for row in followed.losses.values())
    assert max(departures.values()) > 1


def test_what_was_lost_is_drawn_up_to_there(troubled: EventJourney) -> None:
    axes = draw_journey(troubled).axes[0]
    drawn = {one.get_label(): one for one in axes.collections}
    losses = troubled.losses.values()
    crosses = np.asarray(drawn["lost"].get_offsets())
    assert len(crosses) == len(losses)
    ends = sorted((row.time_s + (row.seconds or 0.0) - troubled.arose_s) * 1e3 for row in losses)
    assert np.allclose(sorted(crosses[:, 0]), ends)
    half_way = sum(row.why in ("link", "partition") for row in losses)
    ranks = crosses[:, 1]
    assert 0 < np.sum(ranks != np.floor(ranks)) <= half_way
    assert "sent again" in drawn
    bars = [line for line in axes.lines if line.get_linewidth() == 5]
    assert [np.asarray(bar.get_xdata()).tolist() for bar in bars] == [pytest.approx([138.0, 200.0])]


def test_without_faults_nothing_is_marked() -> None:
    axes = draw_journey(follow_event(*small("can"), "paint-dense", 11)).axes[0]
    assert {one.get_label() for one in axes.collections} == {"hop", "delivery, by subscriptions reached"}
    assert not axes.lines


def test_what_is_left_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journey_text, "_MESSAGES", 2)
    monkeypatch.setattr(journey_text, "_HOPS", 1)
    scenario, ingredients = small("can")
    followed = follow_event(scenario, ingredients, "paint-dense", 11)
    lines, whole = list(journey_lines(followed)), list(journey_lines(followed, everything=True))
    assert lines[-1] == "... 4 more messages; --all shows them"
    assert "  ... 3 more lines; --all shows them" in lines
    assert not any("more" in line for line in whole)
    assert len(whole) > len(lines)


@pytest.mark.parametrize("engine", ["des", "tally"])
@pytest.mark.parametrize("name", ["paint-dense", "unicast"])
def test_drawings(tmp_path: Path, name: str, engine: str) -> None:
    scenario, ingredients = small("tree")
    scenario = scenario.model_copy(update={"engine": engine})
    path = tmp_path / "journey.svg"
    write_picture(draw_journey(follow_event(scenario, ingredients, name, 11)), path)
    assert "<svg" in path.read_text(encoding="utf-8")
    assert [file.name for file in tmp_path.iterdir()] == ["journey.svg"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    content = {
        "name": "tiny",
        "k": 2,
        "approaches": ["paint-dense", "paint-batch(4)"],
        "engine": "des",
        "record": ["hops"],
        "topology": {"model": "barabasi-albert", "nodes": 30},
        "network": {"brokers": 6},
        "objects": {"count": 20},
        "subscriptions": {"count": 60},
        "events": {"count": 10},
    }
    directory = tmp_path_factory.mktemp("runs") / "tiny"
    run_scenario(Scenario.model_validate(content), directory)
    return directory


def test_a_finished_run_is_followed(run: Path, tmp_path: Path) -> None:
    lines = tell_journey(run, 5, out=tmp_path / "drawing.png")
    assert lines[0] == "event 5 of tiny, paint-dense, des"
    assert (tmp_path / "drawing.png").stat().st_size > 5_000
    assert "answered with events 4 to 7 in one window" in tell_journey(run, 5, ["paint-batch(4)"])
    assert (run / "hops.parquet").is_file()


def test_a_map_has_all_approaches_and_a_picture_those_asked_for(run: Path, tmp_path: Path) -> None:
    page, film, picture = (tmp_path / f"event.{ending}" for ending in ("html", "gif", "svg"))
    lines = tell_journey(run, 5, out=page)
    headings = [line for line in lines if line.startswith("event 5 of tiny, ")]
    assert headings == ["event 5 of tiny, paint-dense, des", "event 5 of tiny, paint-batch(4), des"]
    assert not any(HOP.match(line) for line in lines)
    assert any(HOP.match(line) for line in tell_journey(run, 5, ["paint-dense", "paint-batch(4)"], everything=True))
    assert page.read_text(encoding="utf-8").count('<section class="panel"') == 2
    tell_journey(run, 5, ["paint-batch(4)"], film)
    assert film.read_bytes().startswith(b"GIF89a")
    still = tmp_path / "still.svg"
    tell_journey(run, 5, out=still, at=30.0)
    assert "event 5 of tiny: 30.0 ms after the event" in still.read_text(encoding="utf-8")
    for at, out, told in (
        (1e9, still, "--at 1e+09: must be between "),
        (float("nan"), still, "--at nan: must be between "),
        (30.0, page, "--at 30: a still is a picture; let --out end in .svg or .png or .pdf"),
        (30.0, None, "--at 30: a still is a picture"),
    ):
        with pytest.raises(RangecastError, match=re.escape(told)):
            tell_journey(run, 5, out=out, at=at)
    tell_journey(run, 5, ["paint-batch(4)", "paint-dense"], picture)
    titles = re.findall("tiny, (.*): event 5", picture.read_text(encoding="utf-8"))
    assert titles == ["paint-batch(4)", "paint-dense"]


@pytest.mark.parametrize(
    ("directory", "event", "approach", "out", "told"),
    [
        ("nowhere", 0, None, None, "not a finished run: there is no such directory"),
        (".", 0, None, None, "not a finished run: it has no scenario.toml"),
        (None, 10, None, None, "--event 10: must be between 0 and 9"),
        (None, -1, None, None, "--event -1: must be between 0 and 9"),
        (None, 0, "unicast", None, "--approach unicast: the run has paint-dense, paint-batch(4)"),
        (None, 0, "paint-dense paint-dense", None, "--approach paint-dense: named twice; name each approach once"),
        (None, 0, None, "journey.mp4", "must end in .svg or .png or .pdf or .html or .gif"),
        (None, 0, None, "missing/journey.svg", "there is no directory "),
        (None, 0, None, "taken.svg", "is a directory"),
    ],
)
def test_mistakes_are_told_in_one_line(
    run: Path, tmp_path: Path, directory: str | None, event: int, approach: str | None, out: str | None, told: str
) -> None:
    (tmp_path / "taken.svg").mkdir()
    where = run if directory is None else tmp_path / directory
    with pytest.raises(RangecastError) as caught:
        tell_journey(where, event, (approach or "").split(), None if out is None else tmp_path / out)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["taken.svg"]


def test_a_run_that_its_scenario_does_not_explain_is_refused(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(run, other)
    text = (run / "scenario.toml").read_text(encoding="utf-8")
    (other / "scenario.toml").write_text(text.replace("seed = 1", "seed = 2"), encoding="utf-8")
    with pytest.raises(RangecastError, match="its record says"):
        tell_journey(other, 5)


def test_a_window_of_a_run_is_explained_as_it_was_recorded(run: Path, tmp_path: Path) -> None:
    approaches = ["paint-batch(4)", "paint-dense"]
    facts = explain_to_file(run, tmp_path / "event.html", event=5, approaches=approaches)
    assert [fact.partition(":")[0] for fact in facts if fact.startswith("Event")] == [
        "Events 4 to 7 in one window",
        "Event 5",
    ]
    other = tmp_path / "other"
    shutil.copytree(run, other)
    text = (run / "scenario.toml").read_text(encoding="utf-8")
    (other / "scenario.toml").write_text(text.replace("seed = 1", "seed = 2"), encoding="utf-8")
    for approach, rule in (
        ("paint-batch(4)", r"event 4 was recorded with \d+ messages, this version makes \d+; run again$"),
        ("paint-dense", r"event 5 was recorded with \d+ messages about object \d+, this version makes \d+ about"),
    ):
        with pytest.raises(RangecastError, match=rule):
            explain_to_file(other, tmp_path / "other.svg", event=5, approaches=[approach])
    assert not (tmp_path / "other.svg").exists()


def test_a_damaged_record_is_told_in_one_line(run: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(run, damaged)
    (damaged / "events.parquet").write_bytes((damaged / "events.parquet").read_bytes()[:200])
    rule = r"events.parquet: cannot be read: .*; run the scenario again with this version$"
    with pytest.raises(RangecastError, match=rule):
        tell_journey(damaged, 5)
    with pytest.raises(RangecastError, match=rule):
        explain_to_file(damaged, tmp_path / "event.svg", event=5)
    assert not (tmp_path / "event.svg").exists()
