"""The fast twin of lists, for many subscriptions at once, against their definition, for one."""

from functools import partial

import numpy as np
import pytest

from tests.oracles import boxes, topk
from tests.oracles.shapes import contains


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape", ["boxes", "halfspaces", "disks"])
def test_many_lists_are_those_of_each(shape: str, *, descending: bool) -> None:
    rng = np.random.default_rng(5)
    for n in (0, 1, 12):
        x, y = rng.integers(0, 6, (n, 2)) * 1.0, rng.integers(0, 4, n) * 1.0
        objects: boxes.Objects = {i: (tuple(x[i].tolist()), float(y[i])) for i in range(n)}
        placed = {i: (list(at), value) for i, (at, value) in objects.items()}
        l = rng.integers(0, 6, (60, 2)).astype(np.float64)
        r: boxes.Floats = l + rng.integers(0, 4, (60, 2))
        if shape == "boxes":
            within, ends = partial(boxes.holds, l, r), list(zip(l.tolist(), r.tolist(), strict=True))
        else:
            rows: boxes.Floats = l if shape == "halfspaces" else np.column_stack((l, r[:, 0] - l[:, 0]))
            within = partial(contains, shape, rows)
            lifted = rows if shape == "halfspaces" else np.column_stack((l, (l**2).sum(axis=1) - rows[:, 2] ** 2))
            ends = [(shape, row) for row in lifted.tolist()]
        found = boxes.holders(within, objects, 3, -1.0 if descending else 1.0)
        lists = [[i for i in found if found[i][s]] for s in range(60)]
        assert lists == [list(topk.top_k(placed, one, 3, descending)) for one in ends]
        assert n < 12 or {len(one) for one in lists} >= {1, 3}


def test_a_box_over_several_attributes_reaches_whom_it_reaches_in_each() -> None:
    rng = np.random.default_rng(6)
    l, r = rng.integers(0, 4, (2, 50, 2)) * 1.0
    message = {"l_in": np.array([2.0, 3.0]), "l_out": np.array([-1.0, 0.0])}
    message |= {"r_in": np.array([1.0, 0.0]), "r_out": np.array([3.0, 3.0])}
    each = [topk.reaches({name: ends[j] for name, ends in message.items()}, l[:, j], r[:, j]) for j in (0, 1)]
    told = topk.reaches(message, l, r)
    assert (
        told.tolist()
        == (each[0] & each[1]).tolist()
        == [bool(topk.reaches(message, *s)) for s in zip(l, r, strict=True)]
    )
    assert 0 < told.sum() < min(one.sum() for one in each)
