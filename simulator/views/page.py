"""Pages that stand alone: one HTML file with style and script inside, nothing fetched.

Readable in light and dark, on a phone and on paper; colours are variables of the style, so that drawings follow.
What a page looks like stands in the templates beside this module. They escape whatever they are given, control
characters too, and a name that they use and were not given is an error.
"""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from floor.text import visible

__all__ = ["environment", "render"]


def render(template: str, **values: object) -> str:
    """A template of `simulator/views/templates`, filled in."""
    return visible(environment().get_template(template).render(values), page=True)


@cache
def environment() -> Environment:
    """Where templates come from, and how they are read."""
    return Environment(
        loader=PackageLoader("simulator.views"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
