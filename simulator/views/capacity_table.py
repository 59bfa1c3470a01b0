"""Capacities found, as a table for the terminal."""

from collections.abc import Sequence

from rich import box
from rich.table import Table

from simulator.results.loads import Bottleneck
from simulator.runs.capacity import Capacity, Probe

__all__ = ["capacity_notes", "capacity_table"]


def capacity_table(found: Sequence[Capacity]) -> Table:
    """One row per approach, for the terminal."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("approach", no_wrap=True)
    for title in ("highest rate,\nevents/s", "p99 there,\nms"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("busiest part", no_wrap=True)
    for title in ("busy", "first rate that fails,\nevents/s", "p99 there,\nms", "busy"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, highest, failing in found:
        failed = ("none tried", "-", "-")
        if failing is not None:
            failed = (_rate(failing), f"{failing.p99_ms:,.1f}", _busy(failing.bottleneck))
        if highest is None:
            table.add_row(name, "none", "-", "-", "-", *failed)
            continue
        part = "-" if highest.bottleneck is None else highest.bottleneck.what
        busy = _busy(highest.bottleneck)
        table.add_row(name, _rate(highest), f"{highest.p99_ms:,.1f}", part, busy, *failed)
    return table


def capacity_notes(found: Sequence[Capacity], bound_ms: float) -> list[str]:
    """A line for each approach that no rate is low enough for."""
    return [
        f"{name}: no rate keeps p99 under {bound_ms:g} ms; it is {failing.p99_ms:,.1f} at {_rate(failing)} events/s"
        for name, highest, failing in found
        if highest is None and failing is not None
    ]


def _busy(bottleneck: Bottleneck | None) -> str:
    return "-" if bottleneck is None else f"{bottleneck.utilisation:.1%}"


def _rate(measured: Probe) -> str:
    return f"{measured.rate_per_s:,.0f}" if measured.rate_per_s >= 1000 else f"{measured.rate_per_s:.4g}"
