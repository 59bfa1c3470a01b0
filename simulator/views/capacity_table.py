"""Capacities found, as a table for the terminal."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.markup import escape
from rich.table import Table

from simulator.results.loads import Bottleneck
from simulator.runs.capacity import MOST_EVENTS, Capacity
from simulator.runs.rate_search import Probe
from simulator.runs.statistics import Estimate

__all__ = ["capacity_table"]


def capacity_table(found: Sequence[Capacity], bound_ms: float) -> Table:
    """One row per approach, for the terminal; all numbers are means over the seeds."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("approach", no_wrap=True)
    for title in ("highest rate,\nevents/s", "p99 there,\nms"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("busiest part", no_wrap=True)
    for title in ("busy", "first rate that fails,\nevents/s", "p99 there,\nms", "busy"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("remarks", no_wrap=True)
    for one in found:
        highest = [search.highest for search in one.searches if search.highest is not None]
        failing = [search.failing for search in one.searches if search.failing is not None]
        rate = one.rate_per_s
        if one.problem:
            cells = ["not measured", *["-"] * 6]
        elif rate is None:
            cells = ["none", "-", "-", "-", *_cells(failing)]
        else:
            _, *there = _cells(highest)
            cells = [_estimate(rate), there[0], one.busiest or "-", there[1], *_cells(failing)]
        table.add_row(escape(one.approach), *cells, escape(_remark(one, bound_ms)))
    return table


def _remark(one: Capacity, bound_ms: float) -> str:
    if one.problem:
        return one.problem
    late = [search.failing for search in one.searches if search.highest is None and search.failing is not None]
    if late:
        best = min(late, key=lambda probe: probe.p99_ms)
        seeds = "" if len(late) == len(one.searches) else f" with {len(late)} of {len(one.searches)} seeds"
        rate = f"{_rate(best.rate_per_s)} events/s"
        if best.p99_ms < bound_ms and best.bottleneck is not None:
            behind = f"{best.bottleneck.what} falls behind at {rate}"
            return f"{behind}{seeds}; prolong events.duration to try lower rates"
        found = f"at best {best.p99_ms:,.1f} at {rate}"
        return f"no rate keeps p99 under {bound_ms:g} ms{seeds}; {found}"
    if any(search.failing is None for search in one.searches):
        return f"no rate tried fails; more takes over {MOST_EVENTS:,} events, or a longer trace"
    return ""


def _cells(probes: Sequence[Probe]) -> list[str]:
    """Mean rate, p99 and utilisation."""
    if not probes:
        return ["none tried", "-", "-"]
    busy = [one.bottleneck for one in probes if one.bottleneck is not None]
    return [
        _rate(_mean(one.rate_per_s for one in probes)),
        f"{_mean(one.p99_ms for one in probes):,.1f}",
        _busy(busy),
    ]


def _busy(bottlenecks: Sequence[Bottleneck]) -> str:
    return f"{_mean(one.utilisation for one in bottlenecks):.1%}" if bottlenecks else "-"


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def _estimate(rate: Estimate) -> str:
    within = "" if rate.half_width is None else f" ± {rate.half_width / rate.mean:.0%}"
    return _rate(rate.mean) + within


def _rate(rate_per_s: float) -> str:
    return f"{rate_per_s:,.0f}" if rate_per_s >= 1000 else f"{rate_per_s:.4g}"
