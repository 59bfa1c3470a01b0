"""One event explained, from Python."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rangecast.arguments import AnyPath, as_path, in_python_words
from rangecast.results import Result
from rangecast.scenarios import AnyScenario, load_scenario, overrides
from simulator.scenario.scenario import Scenario
from simulator.views.explain_figure import PANELS, draw_explanation, draw_steps
from simulator.views.explain_files import explain_event, facts_of, write_explanation
from simulator.views.explanation import Explanation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ExplainedEvent", "explain"]


class ExplainedEvent(Explanation):
    """An event with all that is worth drawing of it: objects, influence region, sweep, messages.

    Attributes
    ----------
    title : str
        The event in one line.
    messages : ndarray
        What the approach sends, in order: rows of `paint.MESSAGE`, or of `paint.UNICAST`.
    exposed : list of int
        Exposed objects in the order of the sweep.
    steps : tuple
        The updated object, and each exposed one, with who must hear of it.
    """

    __slots__ = ()

    @property
    def facts(self) -> list[str]:
        """What is worth printing: the event, the exposed objects, the number of messages."""
        return facts_of(self)

    def plot(self, *panels: str) -> "Figure":
        """Draw the event: panels "events", "levels" and "messages", or those that are named.

        "events" is event space, "levels" the influence region in S before and after, "messages" what is sent.

        Raises
        ------
        ValueError
            There is no such panel.
        """
        from rangecast.shown import shown

        unknown = [panel for panel in panels if panel not in PANELS]
        if unknown:
            raise ValueError(f"panels must be among {', '.join(PANELS)}, got {unknown[0]!r}")
        return shown(draw_explanation(self, panels or PANELS))

    def plot_steps(self, most: int = 8) -> "Figure":
        """Draw the first steps of the sweep in S, one small picture each."""
        from rangecast.shown import shown

        return shown(draw_steps(self, most))

    @in_python_words()
    def save(self, out: AnyPath) -> Path:
        """Write a picture (.svg, .png, .pdf) or a page with a slider (.html), whole or not at all; its path.

        Raises
        ------
        RangecastError
            It cannot be written there.
        """
        path = as_path(out, "out")
        write_explanation(self, path)
        return path

    def __repr__(self) -> str:
        return "\n".join(self.facts)


@in_python_words()
def explain(
    target: Result | AnyScenario,
    event: int | None = None,
    approach: str | None = None,
    *,
    changes: Mapping[str, Any] | None = None,
    master: str = "local[*]",
) -> ExplainedEvent:
    """Lay out one event of a run or of a scenario.

    Parameters
    ----------
    target : Result, path, Scenario or mapping
        A run, or its directory; or a scenario as `load_scenario` takes it.
    event : int, optional
        Its number, from 0; by default one that exposes a few objects.
    approach : str, optional
        Whose messages; by default the first of the scenario's that answers events one by one.
    changes : mapping, optional
        Values instead of a scenario's, as `load_scenario` takes them; a run is as it is.
    master : str
        Spark master, for a population that is not in the cache.

    Raises
    ------
    RangecastError
        There is no such event or approach, or the run is not what this version makes.
    """
    source: Path | Scenario
    if isinstance(target, Scenario | Mapping):
        source, changes = load_scenario(target, changes), None
    else:
        kinds = "a Result, a Scenario, a mapping, or the path of a run directory or a scenario file"
        source = as_path(target.directory if isinstance(target, Result) else target, "target", kinds)
    changed = overrides(changes)
    return ExplainedEvent(*explain_event(source, event=event, approach=approach, changes=changed, master=master))
