"""How what networks take grows with their brokers, drawn log-log for docs/networks.md."""

import math
from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

__all__ = ["draw_growth"]

FIGURE = Path(__file__).parents[1] / "docs" / "networks.png"
_PANELS = {
    "overlay_hops": "overlay hops per message",
    "ip_hops": "IP hops per message",
    "delay_over_direct": "delay to a gateway, over direct",
    "known": "brokers known per broker",
    "return": "contacts and summaries,\nmade new by a join",
    "crash": "contacts and summaries,\nmade new by a crash",
}
_STYLES = {
    "can": ("C0", "o-"),
    "prefix, base 2, near": ("C2", "^--"),
    "prefix, base 16, near": ("C2", "s-"),
    "tree": ("C1", "D-"),
    "tree, regional": ("C1", "v--"),
    "straight": ("0.5", ":"),
}


def draw_growth(found: Mapping[int, Mapping[str, Mapping[str, float]]]) -> Path:
    """Draw means by number of brokers, network and column to docs/networks.png."""
    with mpl.rc_context({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3}):
        figure = Figure(figsize=(10, 6.4), layout="constrained")
        panels = figure.subplots(2, 3).flat
        for axes, (column, title) in zip(panels, _PANELS.items(), strict=True):
            for name, (colour, style) in _STYLES.items():
                drawn = [(brokers, _value(means[name], column)) for brokers, means in found.items()]
                axes.plot(*zip(*drawn, strict=True), style, color=colour, label=name, ms=4)
            axes.set(xscale="log", yscale="log", title=title, xlabel="brokers")
            for axis, steps in ((axes.xaxis, (1,)), (axes.yaxis, (1, 2, 5))):
                axis.set_major_locator(LogLocator(subs=steps))
                axis.set_major_formatter("{x:,g}")
                axis.set_minor_formatter(NullFormatter())
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=len(_STYLES), fontsize=8)
        figure.savefig(FIGURE, dpi=110)
    return FIGURE


def _value(means: Mapping[str, float], column: str) -> float:
    """A column, or the sum of what a change makes new; straight ways have neither contacts nor summaries."""
    added = [f"{what}_by_{column}" for what in ("learnt", "summaries")] if column in ("crash", "return") else [column]
    return sum(means.get(name, math.nan) for name in added)
