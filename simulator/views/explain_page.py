"""An event or a window as a page: step by step, under a slider, for keyboard and mouse; nothing is fetched.

All steps are drawn once; what belongs to some of them says from which to which it is shown, and a few lines of script
show and hide. Without a script the last step is seen. What is drawn, by `templates/explain`, has its place in the
drawing here and, as `first` and `last`, the positions of the slider at which it is to be seen.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from simulator.approaches.colours import colour_of
from simulator.views.event_explanation import EventExplanation
from simulator.views.explain_event_page import event_part
from simulator.views.explain_shapes import SAMPLE, grouped
from simulator.views.explain_window_page import window_part
from simulator.views.explanation import Explanation
from simulator.views.labels import interval
from simulator.views.page import render
from simulator.views.window_explanation import WindowExplanation

__all__ = ["explain_page"]

_UNICAST = ("message", "subscription", "takes out", "puts in")
_REGIONS = ("message", "object", "y", "l", "r", "subscriptions")


def explain_page(*explanations: Explanation) -> str:
    """One event, or its window, as an HTML page that stands alone, with a slider over its steps.

    Several explanations are those of several approaches to the same event, and stand side by side.
    """
    parts = [_part(group) for group in grouped(explanations)]
    return render("explain.html", title=parts[0]["title"], parts=parts)


def _part(group: Sequence[Explanation]) -> dict[str, Any]:
    """What every part of a page has: drawings, a title, and of each approach its name, colour and messages."""
    first = group[0]
    windows = [one for one in group if isinstance(one, WindowExplanation)]
    drawn = (
        window_part(windows) if windows else event_part([one for one in group if isinstance(one, EventExplanation)])
    )
    title = first.title
    if len(group) > 1:
        title = title.replace(f"({first.approach}, k = ", f"({', '.join(one.approach for one in group)}, k = ")
    approaches = [
        {
            "name": one.approach,
            "colour": colour_of(one.approach),
            "heads": _UNICAST if one.unicast else _REGIONS,
            "messages": list(_messages(one)),
            "count": f"{len(one.messages):,} message{'' if len(one.messages) == 1 else 's'}",
        }
        for one in group
    ]
    dots = {"sampled": f"{len(first.sample(SAMPLE, first.view())):,}", "known": f"{first.subscriptions:,}"}
    return {"kind": "window" if windows else "event", "title": title, "approaches": approaches, **dots, **drawn}


def _messages(explained: Explanation) -> Iterator[dict[str, Any]]:
    """Rows of the table of messages, which are numbered from 0 as in `hops.parquet` and by `rangecast trace`."""
    for at, row in enumerate(explained.messages):
        step = int(explained.step_of[at])
        if explained.unicast:
            cells = [row["subscription"], *(_known(explained, row[key]) for key in ("dropped", "object"))]
        else:
            cells = [
                f"{_known(explained, row['object'])} {explained.letter(step)}",
                f"{row['y']:.4g}",
                interval(row["l_out"], row["l_in"], "(]"),
                interval(row["r_in"], row["r_out"], "[)"),
                f"{int(explained.reached(at).sum()):,}",
            ]
        yield {"step": step + 1, "cells": [at, *cells]}


def _known(explained: Explanation, i: int) -> str:
    return "-" if i < 0 else explained.called(int(i)).removeprefix("object ")
