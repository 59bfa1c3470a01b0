"""Every subscription a message concerns gets it from its gateway, also after zones changed hands."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cn import Can, Gateways, Zones
from tests.cn.drawing import draw_rectangles, edge_values, seeds, spaces


@settings(deadline=None, max_examples=20)
@given(brokers=st.integers(2, 20), m=st.integers(0, 80), seed=seeds, space=spaces)
def test_the_network_hands_messages_to_the_right_subscriptions(brokers: int, m: int, seed: int, space: str) -> None:
    zones = Zones(brokers, seed=seed, space=space)  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    l, r = np.sort(edge_values(zones, rng, 2 * m).reshape(2, m), axis=0)
    can = Can(zones)
    gateways = Gateways(can, l, r)
    here = np.ones(m, np.bool_)
    for step in range(4):
        table = draw_rectangles(zones, rng, 15)
        sources = rng.choice(np.flatnonzero(zones.present), len(table))
        deliveries = can.multicast(table, sources)
        offsets, found = gateways.match(table, deliveries)
        for i, row in enumerate(table):
            want = here & (row["l_out"] < l) & (l <= row["l_in"]) & (row["r_in"] <= r) & (r < row["r_out"])
            assert sorted(found[offsets[i] : offsets[i + 1]]) == np.flatnonzero(want).tolist()
            locally = [
                s
                for broker in deliveries.zones[deliveries.offsets[i] : deliveries.offsets[i + 1]]
                for s in gateways.local(int(broker), table[i : i + 1]).tolist()
            ]
            assert sorted(locally) == np.flatnonzero(want).tolist()
        assert gateways.count(table, deliveries).tolist() == np.diff(offsets).tolist()
        if step % 2 and zones.present.sum() > 1:
            zones.leave(int(rng.choice(np.flatnonzero(zones.present))))
        else:
            zones.join()
        before = gateways.home.copy()
        moved = gateways.rehome()
        assert moved.tolist() == np.flatnonzero(before != gateways.home).tolist()
        assert (gateways.home[here] == zones.home(l[here], r[here])).all()
        gone = np.flatnonzero(here)[:2]
        gateways.leave(gone)
        here[gone] = False
        newcomers = np.arange(len(l), len(l) + 3)
        ends = np.sort(rng.random((2, 3)), axis=0)
        assert gateways.join(newcomers, *ends).tolist() == zones.home(*ends).tolist()
        l, r, here = np.append(l, ends[0]), np.append(r, ends[1]), np.append(here, [True] * 3)
