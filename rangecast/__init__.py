"""Rangecast from Python: the door for scripts and notebooks.

    import rangecast

    result = rangecast.run("scenarios/demo.toml")
    result                        # the comparison table
    result.events.to_pandas()     # one row per approach and event
    result.plot()

Importing it is cheap: what stands behind a name (Spark, compiled kernels, matplotlib) is loaded at its first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from floor.errors import RangecastError
    from rangecast.explained import ExplainedEvent, explain
    from rangecast.results import Comparison, Result, compare, run
    from rangecast.scenarios import load_plugins, load_scenario
    from rangecast.sweeps import SweepComparison, SweepResult, sweep
    from simulator.scenario.scenario import Scenario

    __version__: str
else:
    _HOMES = {
        "Comparison": "rangecast.results",
        "ExplainedEvent": "rangecast.explained",
        "RangecastError": "floor.errors",
        "Result": "rangecast.results",
        "Scenario": "simulator.scenario.scenario",
        "SweepComparison": "rangecast.sweeps",
        "SweepResult": "rangecast.sweeps",
        "compare": "rangecast.results",
        "explain": "rangecast.explained",
        "load_plugins": "rangecast.scenarios",
        "load_scenario": "rangecast.scenarios",
        "run": "rangecast.results",
        "sweep": "rangecast.sweeps",
    }

    def __getattr__(name):
        if name == "__version__":
            value = import_module("floor.version").VERSION
        elif name in _HOMES:
            value = getattr(import_module(_HOMES[name]), name)
        else:
            raise AttributeError(f"module 'rangecast' has no attribute {name!r}")
        globals()[name] = value
        return value


__all__ = [
    "Comparison",
    "ExplainedEvent",
    "RangecastError",
    "Result",
    "Scenario",
    "SweepComparison",
    "SweepResult",
    "__version__",
    "compare",
    "explain",
    "load_plugins",
    "load_scenario",
    "run",
    "sweep",
]


def __dir__() -> list[str]:
    return __all__
