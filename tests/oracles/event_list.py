"""What a list of events means, row by row, with a dictionary of the objects that are there."""

Row = tuple[str, str | None, float | None, float | None]
"""Object, kind, x, y; None where the row is blank."""


def meant(rows: list[Row], start: dict[str, tuple[float, float]]) -> list[tuple[int, str, float, float]]:
    """Id, kind, x and y after each event; objects at the start have their ids in their order."""
    there = {name: (i, *place) for i, (name, place) in enumerate(start.items())}
    following, events = len(start), []
    for name, kind, x, y in rows:
        if kind == "insert":
            assert name not in there
            assert x is not None
            assert y is not None
            there[name] = (following, x, y)
            following += 1
            events.append((there[name][0], "insert", x, y))
            continue
        i, old_x, old_y = there[name]
        if kind == "delete":
            del there[name]
            events.append((i, "delete", old_x, float("inf")))
            continue
        new_x, new_y = old_x if x is None else x, old_y if y is None else y
        assert new_x == old_x or new_y == old_y
        if kind is None:
            kind = "move" if new_x != old_x or y is None else "lower" if new_y > old_y else "raise"
        there[name] = (i, new_x, new_y)
        events.append((i, kind, new_x, new_y))
    return events
