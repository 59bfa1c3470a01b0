"""Answers of an approach of a user's own that are malformed are told in one line, before they do any harm."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from floor.errors import RangecastError
from paint import MESSAGE, UNICAST
from simulator.approaches.registry import APPROACHES
from simulator.approaches.session import Outgoing, Session, ask
from simulator.cli.entry import main
from simulator.engine.journeys import gateways_of
from simulator.inputs.ingredients import Ingredients
from simulator.results.verify import verifier_of
from simulator.runs.answer import records_of
from simulator.workload.windows import Chunk, chunks_of
from tests.simulator.one_line import told_in_one_line
from tests.simulator.small import random_scenario, small_ingredients


class Wrong(Session):
    """Answers with what it is given, put into the shape of the chunk."""

    def __init__(self, change: Any) -> None:
        self.change = change

    def answer(self, chunk: Chunk) -> Outgoing:
        table = np.zeros(chunk.windows, MESSAGE)
        table["l_in"], table["l_out"], table["r_in"], table["r_out"] = 0.4, 0.2, 0.5, 0.7
        right = Outgoing(table, np.arange(chunk.windows + 1), np.zeros((chunk.windows, 3), np.int64))
        return self.change(right)  # type: ignore[no-any-return]


def inverted(sent: Outgoing, **sides: float) -> Outgoing:
    for name, side in sides.items():
        sent.table[name][1] = side
    return sent


@pytest.fixture(scope="module")
def ingredients() -> Ingredients:
    return small_ingredients(random_scenario(3, events={"count": 9}, approaches=["paint-dense"]))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda sent: sent._replace(offsets=sent.offsets[:-1]), "integer offsets, one more than the"),
        (lambda sent: sent._replace(offsets=sent.offsets * 1.0), "integer offsets, one more than the"),
        (lambda sent: sent._replace(offsets=sent.offsets + 1), "offsets that ascend from 0 to"),
        (lambda sent: sent._replace(offsets=sent.offsets[::-1]), "offsets that ascend from 0 to"),
        (lambda sent: sent._replace(costs=sent.costs[1:]), "integer costs of shape"),
        (lambda sent: sent._replace(costs=sent.costs[:, :2]), "integer costs of shape"),
        (lambda sent: sent._replace(costs=-1 - sent.costs), "costs of at least 0, got ["),
        (lambda sent: sent._replace(costs=sent.costs.tolist()), "an Outgoing of arrays, got ndarray and"),
        (lambda sent: sent._replace(table=np.zeros(len(sent.table))), "a table of paint.MESSAGE or paint.UNICAST"),
        (lambda sent: inverted(sent, l_in=0.2), "rows with l_out < l_in and r_in < r_out"),
        (lambda sent: inverted(sent, r_in=0.9), "in row 1"),
        (lambda sent: inverted(sent, r_out=float("nan")), "in row 1"),
        (
            lambda sent: inverted(sent, l_in=0.9, r_in=0.1, l_out=0.6, r_out=0.6),
            "whose region holds some range l <= r",
        ),
        (lambda _: sys.exit(3), "ends the program; mend the approach"),
    ],
)
def test_a_malformed_answer_is_told_in_one_line(ingredients: Ingredients, change: Any, rule: str) -> None:
    chunk = next(iter(chunks_of(ingredients.events)))
    told_in_one_line(lambda: ask(Wrong(change), chunk), RangecastError, "Wrong.answer ", rule)


def other(column: str, change: Any) -> Any:
    """Lets one column of what was asked be another."""

    def changed(sent: Outgoing) -> Outgoing:
        assert sent.asked is not None
        return sent._replace(asked=sent.asked._replace(**{column: change(getattr(sent.asked, column))}))

    return changed


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (other("time_s", lambda times: times[::-1].copy()), "questions in the order of time"),
        (other("time_s", lambda times: times - 10), "each with the last window that is there by then"),
        (other("window", lambda windows: windows * 0), "each with the last window that is there by then"),
        (other("starts", lambda starts: starts + 1), "rows that are all of an answer"),
        (other("starts", lambda starts: starts[:-1]), "starts one longer"),
        (other("costs", lambda costs: costs[:, :2]), "costs in threes"),
        (other("since_s", lambda since: since.tolist()), "an Outgoing of arrays, got ndarray and"),
        (other("subscription", lambda ids: ids + 1), "rows to those who asked"),
        (lambda sent: sent._replace(table=np.zeros(0, MESSAGE), offsets=sent.offsets * 0), "paint.UNICAST rows"),
    ],
)
def test_malformed_answers_to_questions_are_told_in_one_line(
    ingredients: Ingredients, change: Any, rule: str
) -> None:
    chunk, approach = next(iter(chunks_of(ingredients.events))), APPROACHES["poll"]

    class Asked(Session):
        def answer(self, chunk: Chunk) -> Outgoing:
            return change(approach.open(ingredients.workload, approach).answer(chunk))  # type: ignore[no-any-return]

    told_in_one_line(lambda: ask(Asked(), chunk), RangecastError, "Asked.answer must return ", rule)


def test_a_question_of_the_next_chunk_is_told(ingredients: Ingredients) -> None:
    chunk, approach = next(iter(chunks_of(ingredients.events))), APPROACHES["poll"]
    session = approach.open(ingredients.workload, approach)

    class Late(Session):
        def answer(self, chunk: Chunk) -> Outgoing:
            return session.answer(chunk._replace(until_s=np.inf))

    until = chunk._replace(until_s=float(chunk.closes_s[-1]))
    start = "Late.answer must return questions before "
    told_in_one_line(lambda: ask(Late(), until), RangecastError, start, "when the next chunk begins")


@pytest.mark.parametrize("fields", [{"asked": False}, {"serverless": True}])
def test_who_is_asked_must_say_so(ingredients: Ingredients, fields: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(APPROACHES, "asked", replace(APPROACHES["poll"], **fields))
    scenario = random_scenario(3, events={"count": 9}, faults={})
    start = "an approach with asked=True has a server, no window"
    told_in_one_line(lambda: records_of(scenario, ingredients, "asked"), RangecastError, start, "mend the approach")


def test_a_well_formed_answer_passes(ingredients: Ingredients) -> None:
    chunk = next(iter(chunks_of(ingredients.events)))
    assert len(ask(Wrong(lambda sent: sent), chunk).table) == chunk.windows
    wide = ask(Wrong(lambda sent: inverted(sent, l_in=np.inf, r_in=-np.inf, l_out=-np.inf, r_out=np.inf)), chunk)
    assert wide.table["l_in"][1] == np.inf


def test_a_subscription_that_there_is_none_of_is_told(ingredients: Ingredients) -> None:
    table = np.zeros(2, UNICAST)
    table["subscription"] = 0, 10**9
    sent = Outgoing(table, np.array((0, 2)), np.zeros((1, 3), np.int64))
    rule = "mend the approach"
    told_in_one_line(lambda: gateways_of(ingredients, sent), RangecastError, "subscription 1000000000 of a", rule)


class Broadcast(Session):
    """Tells everybody of every update."""

    def __init__(self, workload: object, approach: object) -> None:
        del workload, approach

    def answer(self, chunk: Chunk) -> Outgoing:
        events, count = chunk.events, chunk.windows
        table = np.zeros(count, MESSAGE)
        table["l_in"], table["r_in"], table["l_out"], table["r_out"] = np.inf, -np.inf, -np.inf, np.inf
        table["object"], table["x"], table["y"] = events.object, events.x, events.y
        return Outgoing(table, np.arange(count + 1), np.zeros((count, 3), np.int64))


@pytest.mark.parametrize("engine", ["tally", "des"])
@pytest.mark.parametrize("network", ["can", "prefix", "tree"])
def test_an_approach_of_ones_own_can_broadcast(engine: str, network: str, monkeypatch: pytest.MonkeyPatch) -> None:
    approach = APPROACHES["cn-relax"]
    monkeypatch.setitem(APPROACHES, "broadcast", type(approach)(Broadcast, exact=False, serverless=True))
    scenario = random_scenario(
        3, approaches=["broadcast"], engine=engine, network={"kind": network, "brokers": 8}, verify="none"
    )
    shared = small_ingredients(scenario)
    assert verifier_of(scenario, shared, "broadcast") is None
    received = records_of(scenario, shared, "broadcast")["received_update"].to_pylist()
    assert set(received) == {scenario.subscriptions.count}


@pytest.mark.parametrize("where", ["", "def answer(*_):\n    "])
def test_a_plugin_that_ends_the_program_is_told(
    spark: SparkSession,
    where: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("simulator.inputs.plugins._LOADED", {})
    monkeypatch.setitem(APPROACHES, "ends", APPROACHES["unicast"])
    (tmp_path / "ends.py").write_text(
        f"import sys\nfrom simulator.approaches import APPROACHES, Approach\n{where}sys.exit(0)\n"
        "APPROACHES['ends'] = Approach(answer, exact=True)\n"
    )
    text = 'name = "s"\napproaches = ["ends"]\nk = 2\nobjects.count = 9\nsubscriptions.count = 9\nevents.count = 3\n'
    (tmp_path / "s.toml").write_text(f'{text}topology = {{model = "waxman", nodes = 20}}\nnetwork.brokers = 2\n')
    monkeypatch.chdir(tmp_path)
    arguments = ["explain", "s.toml", "--event", "0", "--approach", "ends", "--with", "ends.py"]
    monkeypatch.setattr(sys, "argv", ["rangecast", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code == 2
    assert "fails with SystemExit: 0; mend the file" in told or "ended the program by sys.exit(0); mend" in told
