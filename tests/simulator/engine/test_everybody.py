"""Subscriptions counted without gateways, held against every one of them asked by itself."""

import numpy as np
import pytest

from paint import MESSAGE
from simulator.engine.everybody import Everybody
from simulator.workload.workload import Workload
from tests.oracles.topk import reaches


def workload_of(seed: int, count: int) -> Workload:
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.integers(0, 9, (count, 2)).astype(float), axis=1)
    return Workload(2, np.arange(3.0), np.arange(3.0), *ends.T.copy())


def messages_of(seed: int, count: int, *, points: bool) -> np.ndarray:
    rng = np.random.default_rng(seed)
    table = np.zeros(count, MESSAGE)
    table["l_in"] = table["r_in"] = rng.integers(0, 9, count)
    table["l_out"], table["r_out"] = -np.inf, np.inf
    if not points:
        table["r_in"] += rng.integers(0, 3, count)
        table["l_out"][::2] = table["l_in"][::2] - rng.integers(0, 4, len(table[::2]))
        table["r_out"][::3] = table["r_in"][::3] + rng.integers(0, 4, len(table[::3]))
    return table


@pytest.mark.parametrize("points", [True, False])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("count", [0, 40])
def test_everyone_that_a_message_reaches_is_counted(*, points: bool, known: bool, count: int) -> None:
    workload = workload_of(3, count)
    if known:
        workload = workload._replace(known=workload.made_index())
    table = messages_of(5, 30, points=points)
    expected = [int(reaches(row, workload.l, workload.r).sum()) for row in table]
    assert Everybody(workload).count(table).tolist() == expected
    assert count == 0 or 0 < sum(expected) < count * len(table)
