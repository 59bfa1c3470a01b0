"""Histories to events, one object and one row after the other."""

import math
from collections import Counter

Row = tuple[str | None, float | None, float | None, float | None]
"""Name, seconds, x, y, in the order of the file; None where blank."""
Event = tuple[int, float, str, float, float]


Place = tuple[float, float]
Step = tuple[float, str, int, str, float, float]
"""Seconds, name, place among the steps of one time, kind, x, y."""


def trace(
    rows: list[Row], *, fixed_x: bool = False, gone_after: float | None = None
) -> tuple[list[Event], list[tuple[str, float, float, float]], Counter[str]]:
    """Events (object, time, kind, x, y), objects (name, x, y, time) by id, and rows by outcome."""
    outcomes: Counter[str] = Counter()
    used = _places_by_time(rows, outcomes, fixed_x=fixed_x)
    steps = _steps(used, outcomes, gone_after=gone_after)
    start = min(step[0] for step in steps if step[3] == "insert")
    entries = sorted(step for step in steps if step[3] == "insert")
    ids: dict[str, list[int]] = {}
    for i, entry in enumerate(entries):
        ids.setdefault(entry[1], []).append(i)
    events = []
    for seconds, name, place, kind, x, y in steps:
        entered = [i for i in ids[name] if entries[i][0] <= seconds]
        if kind != "insert" or seconds > start:
            events.append((seconds - start, entered[-1], place, kind, x, y))
    ordered = [(i, seconds, kind, x, y) for seconds, i, _, kind, x, y in sorted(events)]
    objects = [(name, x, y, seconds - start) for seconds, name, _, _, x, y in entries]
    return ordered, objects, +outcomes


def _places_by_time(rows: list[Row], outcomes: Counter[str], *, fixed_x: bool) -> dict[str, dict[float, Place]]:
    """Where each object was told to be, by time; the last row of a time counts."""
    histories: dict[str, list[tuple[float, float | None, float | None]]] = {}
    for name, seconds, x, y in rows:
        if name is None:
            outcomes["no object"] += 1
        elif seconds is None:
            outcomes["no time"] += 1
        else:
            histories.setdefault(name, []).append((seconds, x, y))
    used: dict[str, dict[float, Place]] = {}
    for name, history in histories.items():
        known = None
        for seconds, x, y in sorted(history, key=lambda row: row[0]):
            if x is not None and math.isfinite(x) and (known is None or not fixed_x):
                known = x
            if y is None:
                outcomes["no y"] += 1
            elif known is None:
                outcomes["no x yet"] += 1
            else:
                at = used.setdefault(name, {})
                outcomes["replaced by a later row of the same object and time"] += seconds in at
                at[seconds] = (known, y)
    return used


def _steps(used: dict[str, dict[float, Place]], outcomes: Counter[str], *, gone_after: float | None) -> list[Step]:
    """What happens to each object, one time after the other."""
    end = max(seconds for at in used.values() for seconds in at)
    steps: list[Step] = []
    for name, at in used.items():
        here: Place | None = None
        times = sorted(at)
        for i, seconds in enumerate(times):
            x, y = at[seconds]
            made: list[Step] = []
            if not 0 <= y < math.inf:
                if here is None:
                    outcomes[f"{'negative' if y < 0 else 'infinite'} y of an absent object"] += 1
                    continue
                made.append((seconds, name, 3, "delete", *here))
                here = None
            else:
                if here is None:
                    made.append((seconds, name, 0, "insert", x, y))
                else:
                    if x != here[0]:
                        made.append((seconds, name, 1, "move", x, here[1]))
                    if y != here[1]:
                        made.append((seconds, name, 2, "raise" if y < here[1] else "lower", x, y))
                here = (x, y)
                following = times[i + 1] if i + 1 < len(times) else end
                if gone_after is not None and following - seconds > gone_after:
                    made.append((seconds + gone_after, name, 4, "delete", x, y))
                    here = None
            outcomes["kept" if made else "unchanged"] += 1
            steps += made
    return steps
