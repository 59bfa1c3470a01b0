"""Moving maps: everything that was sent flies, on the way it took, over zones as they were then."""

import io
import json
from itertools import combinations, pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from simulator.engine import carry
from simulator.inputs.ingredients import Ingredients, with_fresh_network
from simulator.runs.arrangements import arrangements
from simulator.runs.event_journey import EventJourney, follow_event
from simulator.scenario.scenario import Scenario
from simulator.views import journey_film as film
from simulator.views import journey_map
from simulator.views.journey_film import journey_film, journey_still
from simulator.views.journey_map import JourneyMap, map_journeys
from simulator.views.journey_page import journey_page
from simulator.views.journey_tree import tree_places
from tests.simulator.results.test_hops import small
from tests.simulator.small import APPROACHES, run_small
from tests.simulator.views.hand_made_run import HOSTILE
from tests.simulator.views.test_escaping import TAGS, Reader
from tests.simulator.views.troubled import troubled_scenario


def mapped(scenario: Scenario, ingredients: Ingredients, *names: str, event: int = 11) -> JourneyMap:
    return map_journeys([follow_event(scenario, ingredients, name, event) for name in names], ingredients)


@pytest.mark.parametrize("engine", ["des", "tally"])
@pytest.mark.parametrize(("kind", "bundle"), [("can", False), ("prefix", False), ("tree", False), ("can", True)])
def test_maps_add_up_to_the_records(kind: str, bundle: bool, engine: str) -> None:
    scenario, ingredients = small(kind, bundle=bundle)
    scenario = scenario.model_copy(update={"engine": engine})
    shown = mapped(scenario, ingredients, *APPROACHES)
    assert (shown.zones is None) == (kind == "tree")
    for trip in shown.trips:
        name = trip.followed.name
        records = {row["event"]: row for row in run_small(scenario, ingredients, name)[0].to_pylist()}
        record = records[max(first for first in records if first <= 11)]
        links = [len(shown.ways[way].nodes) - 1 for way in trip.flights.way.tolist()]
        assert trip.flights.weight.sum() == record["overlay_hops"], name
        assert (trip.flights.weight * links).sum() == record["ip_hops"], name
        assert sum(times for _, times in trip.crossed.values()) == record["ip_hops"], name
        assert trip.told.received.sum() == record["received_update"] + record["received_exposed"], name
        gateways = set(trip.followed.carried.traffic.broker[trip.followed.deliveries].tolist())
        assert set(trip.reached) == gateways, name
        assert {area.broker for area in trip.areas} == (set() if kind == "tree" else gateways), name
        if engine == "des" and not trip.followed.approach.serverless:
            first = min(trip.flights.ends[:, 0], default=np.inf)
            assert len(trip.events.way)
            assert trip.events.ends[:, 1].max() <= min([first, *trip.reached.values()])


def test_windows_stand_on_the_clock_of_the_event_asked_for() -> None:
    scenario, ingredients = small("can")
    shown = mapped(scenario, ingredients, "paint-batch(7)", "cn-relax")
    batch, single = (trip.followed for trip in shown.trips)
    assert (batch.first, single.first) == (7, 11)
    assert shown.start == pytest.approx((batch.arose_s - single.arose_s) * 1e3) == pytest.approx(-20.0)
    sent = single.sent
    assert sent.depart_s is not None
    departed = (sent.depart_s[single.hops] - single.arose_s) * 1e3
    assert shown.trips[1].flights.ends[:, 0].min() == pytest.approx(departed.min())


def test_many_hops_fly_together_and_none_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario, ingredients = troubled_scenario()
    whole = mapped(scenario, ingredients, "paint-batch(7)").trips[0].flights
    monkeypatch.setattr(journey_map, "_FLIGHTS", len(whole.way) // 2)
    fewer = mapped(scenario, ingredients, "paint-batch(7)").trips[0].flights
    assert len(fewer.way) <= len(whole.way) // 2
    for some in (slice(None), "lost", "again"):
        counts = [
            flights.weight[some if isinstance(some, slice) else getattr(flights, some)] for flights in (whole, fewer)
        ]
        assert counts[0].sum() == counts[1].sum() > 0


@pytest.mark.parametrize("kind", ["can", "prefix", "tree"])
@pytest.mark.parametrize("seed", range(4))
def test_arrangements_are_those_that_the_clock_made(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"crashes": 6, "detection": "20ms", "downtime": "30ms", "loss": 0.1}
    scenario, ingredients = small(kind, faults=faults)
    scenario = scenario.model_copy(update={"seed": seed})
    met: list[Ingredients] = []

    def noted(scenario: Scenario, ingredients: Ingredients) -> Ingredients:
        met.append(with_fresh_network(scenario, ingredients))
        return met[-1]

    monkeypatch.setattr(carry, "with_fresh_network", noted)
    followed = follow_event(scenario, ingredients, "paint-dense", 39)
    phases = arrangements(scenario, ingredients, followed.faults, journey_map._overlay)
    then = journey_map._overlay(met[0].network)
    assert len(phases) > 3
    for one, other in zip(phases[-1].seen, then, strict=True):
        assert np.array_equal(one, other)  # type: ignore[arg-type]
    if kind != "tree":
        assert len({np.asarray(phase.seen.extents).tobytes() for phase in phases}) > 3


def test_messages_light_the_zone_that_the_broker_holds_then() -> None:
    """Of a message to a region: the zone lit meets the region."""
    scenario, ingredients = troubled_scenario()
    moved = 0
    for event in range(5, 30):
        followed = follow_event(scenario, ingredients, "paint-dense", event)
        trip = map_journeys([followed], ingredients).trips[0]
        table, traffic = followed.carried.outgoing.table, followed.carried.traffic
        extents = ingredients.network.zones.table.extents.clip(0, 1)  # type: ignore[attr-defined]
        for area in trip.areas:
            l_lo, l_hi, r_lo, r_hi = area.extent
            rows = [traffic.message[row] for row in followed.deliveries if traffic.broker[row] == area.broker]
            meets = [
                max(l_lo, row["l_out"]) < min(l_hi, row["l_in"]) and max(r_lo, row["r_in"]) < min(r_hi, row["r_out"])
                for row in table[rows]
            ]
            assert any(meets)
            moved += not np.array_equal(extents[area.broker], area.extent)
    assert moved  # some were not what the scenario begins with


def test_outages_are_the_same_for_all_but_the_server_s() -> None:
    shown = mapped(*troubled_scenario(), "paint-dense", "cn-relax")
    for trip in shown.trips:
        spans = {(one.what, one.broker): (one.start, one.end) for one in trip.outages}
        assert spans["apart", 2] == spans["apart", 5] == pytest.approx((30.0, 70.0))
        assert spans["down", 5] == pytest.approx((138.0, min(200.0, shown.end)))


def test_a_server_that_crashes_is_told_and_shown() -> None:
    faults = {"at": [{"time": "61ms", "what": "crash", "whom": "server"}], "server_downtime": "40ms"}
    scenario, ingredients = small("can", faults=faults)
    shown = mapped(scenario, ingredients, "paint-dense", "cn-relax")
    server, none = ([one for one in trip.outages if one.what == "server"] for trip in shown.trips)
    assert [one.broker for one in server] == [ingredients.server]
    assert server[0].start == pytest.approx(1.0)
    assert server[0].end >= 41.0
    assert none == []


@settings(deadline=None)
@given(st.integers(1, 25), st.randoms(use_true_random=False))
def test_a_tree_is_laid_out_without_crossings(brokers: int, random: Any) -> None:
    links = [(random.randrange(at), at) for at in range(1, brokers)]
    random.shuffle(links)
    root = random.randrange(brokers)
    places = tree_places(brokers, np.array(links, np.int64).reshape(-1, 2), root)
    assert places.min() >= 0
    assert places.max() <= 1
    assert len({tuple(place) for place in places.tolist()}) == brokers
    far = nx.single_source_shortest_path_length(nx.Graph([*links, (root, root)]), root)
    order = sorted(range(brokers), key=far.__getitem__)
    assert all(places[a, 0] <= places[b, 0] for a, b in pairwise(order))
    for one, other in combinations(links, 2):
        if {*one} & {*other} or {far[one[0]], far[one[1]]} != {far[other[0]], far[other[1]]}:
            continue
        (a, b), (c, d) = (sorted(link, key=far.__getitem__) for link in (one, other))
        assert (places[a, 1] - places[c, 1]) * (places[b, 1] - places[d, 1]) >= 0


def test_brokers_without_links_have_places_too() -> None:
    places = tree_places(4, np.array([[0, 1]], np.int64), 0)
    assert len({tuple(place) for place in places.tolist()}) == 4
    assert places[2:, 0].tolist() == [1.0, 1.0]


def frames(content: bytes) -> list[bytes]:
    picture, seen = Image.open(io.BytesIO(content)), []
    for at in range(picture.n_frames):  # type: ignore[attr-defined]
        picture.seek(at)
        seen.append(picture.convert("RGB").tobytes())
    return seen


@pytest.mark.parametrize("kind", ["can", "tree"])
def test_films_move_and_are_the_same_each_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film, "_FRAMES", 6)
    shown = mapped(*troubled_scenario(kind), "paint-dense", "cn-relax")
    content = journey_film(shown)
    assert content.startswith(b"GIF89a")
    assert len(set(frames(content))) == 6
    assert journey_film(shown) == content


@pytest.mark.parametrize("kind", ["can", "tree"])
def test_a_still_is_a_frame_of_the_film(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last frame and the last moment are the same pixels, but for the few colours of a film."""
    monkeypatch.setattr(film, "_FRAMES", 2)
    shown = mapped(*troubled_scenario(kind), "paint-dense", "cn-relax")
    still = io.BytesIO()
    journey_still(shown, shown.end).savefig(still, format="png", dpi="figure")
    one = np.frombuffer(Image.open(still).convert("RGB").tobytes(), np.uint8).astype(int)
    other = np.frombuffer(frames(journey_film(shown))[-1], np.uint8).astype(int)
    assert one.shape == other.shape
    assert np.abs(one - other).max() < 60
    assert np.abs(one - other).mean() < 4
    first = np.frombuffer(frames(journey_film(shown))[0], np.uint8).astype(int)
    assert np.abs(one - first).max() > 100


@pytest.mark.parametrize("kind", ["can", "tree"])
def test_hostile_names_are_text_in_a_map(kind: str) -> None:
    scenario, ingredients = troubled_scenario(kind)
    ingredients = ingredients._replace(names=[HOSTILE] * 100)
    scenario = scenario.model_copy(update={"name": HOSTILE})
    followed = follow_event(scenario, ingredients, "paint-dense", 11)
    page = journey_page(map_journeys([followed, followed._replace(name="cn-relax")], ingredients))
    read = Reader(page)
    added = {"script", "input", "button", "select", "option", "label", "strong", "dl", "path", "use"}
    assert read.tags <= TAGS | added
    assert {"script", "input", "path", "use"} <= read.tags
    assert not [name for _, name, _ in read.attributes if name.startswith("on")]
    assert f"Event 11 of {HOSTILE} on its way" in read.text
    assert any(HOSTILE in text and text.startswith("Lower of object") for text in read.text)
    assert json.loads(next(text for text in read.text if text.startswith("{")))["trips"]


def test_an_event_that_nobody_is_told_of_has_a_map(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario, ingredients = small("can")
    silent = [
        followed
        for followed in (follow_event(scenario, ingredients, "paint-sparse", event) for event in range(40))
        if not len(followed.messages)
    ]
    assert silent
    monkeypatch.setattr(film, "_FRAMES", 2)
    followed: EventJourney = silent[0]
    shown = map_journeys([followed], ingredients)
    assert "<td>0</td><td>-</td></tr>" in journey_page(shown)
    assert len(frames(journey_film(shown))) == 2
