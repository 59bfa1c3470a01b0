"""Keys of a scenario that only one value of another key uses, as `events.skew` is of `origin = "skewed"`.

Where another value is chosen they would be read, and then forgotten: who sets one there is told so. One that a file
sets which another extends, or that a grid's scenario sets, gives way to the choice that comes later.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from simulator.scenario.table import Table

__all__ = ["idle_beside", "idle_keys"]


class _Use(NamedTuple):
    """Which choice a key is for."""

    chooser: str
    """The key that chooses."""
    choice: str
    """The value of it that uses the key."""
    others: tuple[str, ...]
    """Values of it that do not; of one that a file given by --with brings nothing is known."""


_USES: dict[str, dict[str, _Use]] = {
    "events": {
        "skew": _Use("origin", "skewed", ("regional", "uniform")),
        "spread": _Use("origin", "regional", ("skewed", "uniform")),
    },
    "network": {
        "base": _Use("kind", "prefix", ("can", "tree")),
        "contacts": _Use("kind", "prefix", ("can", "tree")),
    },
}
"""By table and key."""


def idle_keys(name: str, table: Table) -> Iterator[tuple[str, object, str]]:
    """Keys of a table that nothing uses and that are not as they are by default: key, value, and rule with remedy.

    Parameters
    ----------
    name : str
        Key of the table in the scenario.
    """
    given, default = table.model_dump(), type(table).model_construct().model_dump()
    for key in idle_beside(name, given):
        if given[key] != default[key]:
            use = _USES[name][key]
            yield key, given[key], f'only {use.chooser} = "{use.choice}" uses it; set that or remove this key'


def idle_beside(name: str, values: Mapping[str, Any]) -> list[str]:
    """Keys of a table that the choices among these values leave without a use."""
    return [key for key, use in _USES.get(name, {}).items() if values.get(use.chooser) in use.others]
