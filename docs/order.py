"""The figure of docs/scenarios.md on order: `python docs/order.py` runs what it shows and draws order.png anew.

One scenario with ever more transmissions lost, and subscribers that act on messages as they come: lists that are
wrong in the end, when everything has arrived. With any other order there is none.
"""

import tempfile
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

import rangecast
from simulator.approaches.colours import colour_of
from simulator.runs.statistics import estimate
from simulator.views.sweep_figure import line_look

LOSSES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)
SEEDS = (1, 2, 3, 4, 5)
APPROACHES = ["paint-dense", "paint-sparse", "unicast", "cn-relax"]
SCENARIO = {
    "name": "order",
    "k": 10,
    "approaches": APPROACHES,
    "engine": "des",
    "verify": "sample:100",
    "topology": {"nodes": 3037},
    "network": {"brokers": 32},
    "objects": {"count": 500},
    "subscriptions": {"count": 5000},
    "events": {"count": 300, "rate": "200/s", "arrival": "poisson"},
}


def ends_wrong(directory: Path, order: str, loss: float, seed: int) -> dict[str, float]:
    """Share of the lists that end wrong, by approach."""
    changes = {"network.order": order, "faults.loss": loss, "seed": seed}
    result = rangecast.run(SCENARIO, directory / f"{order}-{loss}-{seed}", changes=changes)
    return {name: one["ends_wrong"] for name, one in result.manifest["approaches"].items()}


def main() -> None:
    """Print the shares, and draw them."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shares = {loss: [ends_wrong(folder, "none", loss, seed) for seed in SEEDS] for loss in LOSSES}
        for order in ("place", "hold"):
            assert not any(ends_wrong(folder, order, LOSSES[-1], SEEDS[0]).values())
    with mpl.rc_context({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True}):
        figure = Figure(figsize=(6.6, 3.4), layout="constrained")
        axes = figure.subplots()
        for at, name in enumerate(APPROACHES):
            line = [estimate([100 * one[name] for one in shares[loss]]) for loss in LOSSES]
            print(f"{name:14s}", *(f"{point.mean:6.2f} +- {point.half_width:5.2f}%" for point in line))
            look = {**line_look(at), "color": colour_of(name).light}
            means, widths = ([getattr(point, part) for point in line] for part in ("mean", "half_width"))
            axes.errorbar([100 * loss for loss in LOSSES], means, widths, label=name, **look)
        axes.set(xlabel="transmissions lost and repeated, %", ylabel="lists that end wrong, %", ylim=(0, None))
        axes.set_title(f'order = "none": means over {len(SEEDS)} seeds, bars: 95% intervals', fontsize=9)
        axes.legend(fontsize=8)
        figure.savefig(Path(__file__).with_suffix(".png"), dpi=110)


if __name__ == "__main__":
    main()
