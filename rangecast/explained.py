"""One event explained, from Python."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from rangecast.arguments import AnyPath, as_path, in_python_words
from rangecast.results import Result
from rangecast.scenarios import AnyScenario, load_scenario, overrides
from simulator.scenario.scenario import Scenario
from simulator.views.event_explanation import EventExplanation, Step
from simulator.views.explain_figure import draw_side_by_side, draw_steps, panels_of
from simulator.views.explain_files import AnyExplanation, explain_events, write_explanation
from simulator.views.explanation import Explanation
from simulator.views.side_explanation import SideExplanation
from simulator.views.side_figure import draw_sides
from simulator.views.window_explanation import Outcome, WindowExplanation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ExplainedEvent", "explain"]


class ExplainedEvent:
    """An event with all that is worth drawing of it: objects, influence region, sweep, messages.

    An event that a batch approach answers in a window is explained with all events of that.
    """

    def __init__(self, explanation: AnyExplanation) -> None:
        self.explanation = explanation
        """All of it, as `simulator.views.explain` makes it."""

    @property
    def title(self) -> str:
        """The event, or its window, in one line."""
        return self.explanation.title

    @property
    def event(self) -> int:
        """Its number."""
        return self.explanation.event

    @property
    def span(self) -> range:
        """Numbers of the events that are answered with it; its own only, but for batches."""
        return self.explanation.span

    @property
    def object(self) -> int:
        """The object that it is about."""
        explained = self.explanation
        if isinstance(explained, EventExplanation | SideExplanation):
            return explained.object
        return next(step.object for step in self.steps if isinstance(step, Outcome) and self.event in step.events)

    @property
    def messages(self) -> NDArray[np.void]:
        """What the approach sends, in order: rows of `paint.MESSAGE`, or of `paint.UNICAST`."""
        return self.explanation.messages

    @property
    def exposed(self) -> list[int]:
        """Exposed objects in the order of the sweep, or of the messages of a window."""
        return self.explanation.exposed

    @property
    def steps(self) -> "tuple[Step, ...] | tuple[Outcome, ...]":
        """The updated object, and each exposed one, with who must hear of it; of a window what became of each.

        None over several attributes.
        """
        if isinstance(self.explanation, EventExplanation):
            return self.explanation.steps
        return self.explanation.outcomes if isinstance(self.explanation, WindowExplanation) else ()

    @property
    def facts(self) -> list[str]:
        """What is worth printing: the event, the exposed objects, the number of messages."""
        return self.explanation.facts

    def plot(self, *panels: str, beside: "Sequence[ExplainedEvent]" = ()) -> "Figure":
        """Draw the event: panels "events", "levels" and "messages", or those that are named.

        "events" is event space, "levels" the influence region in S before and after, "messages" what is sent. A
        window has "events", "messages" and "objects", the first of its objects one by one. Over several attributes
        there are no panels to choose: the map of objects is drawn beside slices of S.

        Parameters
        ----------
        beside : sequence of ExplainedEvent
            The same event as other approaches answer it, to be drawn side by side.

        Raises
        ------
        ValueError
            There is no such panel, or another event stands beside this one.
        """
        from rangecast.shown import shown

        explained = self.explanation
        known = () if isinstance(explained, SideExplanation) else panels_of(explained)
        unknown = [panel for panel in panels if panel not in known]
        if unknown:
            rule = f"must be among {', '.join(known)}" if known else "are for one attribute; call plot()"
            raise ValueError(f"panels {rule}, got {unknown[0]!r}")
        every = self._with(beside)
        if isinstance(explained, SideExplanation):
            return shown(draw_sides([one for one in every if isinstance(one, SideExplanation)]))
        return shown(draw_side_by_side([one for one in every if isinstance(one, Explanation)], panels or None))

    def plot_steps(self, most: int = 8) -> "Figure":
        """Draw the first steps of the sweep in S, or the first objects of a window, one small picture each."""
        from rangecast.shown import shown

        if isinstance(self.explanation, SideExplanation):
            raise ValueError("plot_steps draws events over one attribute; use plot, or save a page with a slider")
        return shown(draw_steps(self.explanation, most))

    @in_python_words()
    def save(self, out: AnyPath, beside: "Sequence[ExplainedEvent]" = ()) -> Path:
        """Write a picture (.svg, .png, .pdf) or a page with a slider (.html), whole or not at all; its path.

        Parameters
        ----------
        beside : sequence of ExplainedEvent
            The same event as other approaches answer it, to be drawn side by side.

        Raises
        ------
        RangecastError
            It cannot be written there.
        ValueError
            Another event stands beside this one.
        """
        path = as_path(out, "out")
        write_explanation(self._with(beside), path)
        return path

    def _with(self, beside: "Sequence[ExplainedEvent]") -> list[AnyExplanation]:
        other = [one.event for one in beside if one.event != self.event]
        if other:
            raise ValueError(f"beside must be of the same event, {self.event}, got event {other[0]}")
        return [self.explanation, *(one.explanation for one in beside)]

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
        Whose messages; by default the first of the scenario's that answers events one by one, or its first.
    changes : mapping, optional
        Values instead of a scenario's, as `load_scenario` takes them; a run is as it is.
    master : str
        Spark master, for a population that is not in the cache.

    Raises
    ------
    RangecastError
        There is no such event or approach, or the run is not what this version makes.
    """
    if event is not None and (isinstance(event, bool) or not isinstance(event, SupportsIndex)):
        raise TypeError(f"event must be a whole number, got {event!r}")
    source: Path | Scenario
    if isinstance(target, Scenario | Mapping):
        source, changes = load_scenario(target, changes), None
    else:
        kinds = "a Result, a Scenario, a mapping, or the path of a run directory or a scenario file"
        source = as_path(target.directory if isinstance(target, Result) else target, "target", kinds)
    names = [] if approach is None else [approach]
    changed = overrides(changes)
    return ExplainedEvent(*explain_events(source, event=event, approaches=names, changes=changed, master=master))
