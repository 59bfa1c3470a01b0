"""Commands about scenario files, and those that come with Rangecast."""

import json
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from floor.errors import RangecastError
from floor.files import reason_of, whole
from floor.text import visible
from scenarios import Packaged, packaged
from simulator.cli.app import app
from simulator.cli.options import Plugins, print_lines

__all__ = ["check", "list_packaged", "new", "schema", "show"]

_REFERENCE = re.compile(r"""^(extends|scenario|file)(\s*=\s*)["']([^"']+)["']""", re.MULTILINE)
"""A line by which a file of ours names another one."""

commands = typer.Typer(
    help="See and copy the scenarios that come with Rangecast, check scenario files, or describe what they may hold.",
    no_args_is_help=True,
)
app.add_typer(commands, name="scenario")


@commands.command(name="list")
def list_packaged() -> None:
    """List the scenarios, and the grids for sweeps, that come with Rangecast."""
    found = packaged().values()
    width = max(len(one.name) for one in found)
    print_lines(f"{one.name:{width}}  {one.kind:8}  {one.description}" for one in found)


@commands.command()
def show(
    name: Annotated[str, typer.Argument(help="A name that `rangecast scenario list` shows.", show_default=False)],
) -> None:
    """Print a scenario or grid that comes with Rangecast."""
    print(_named(name).path.read_text(encoding="utf-8"), end="")


@commands.command()
def new(
    file: Annotated[
        Path | None, typer.Argument(help="File to make (default: NAME.toml).", show_default=False)
    ] = None,
    name: Annotated[
        str, typer.Option("--from", metavar="NAME", help="What to copy, by its name in `rangecast scenario list`.")
    ] = "starter",
) -> None:
    """Write a scenario to start from, or a copy of another one or of a grid, to a new file."""
    source = _named(name)
    target = Path(f"{source.path.stem}.toml") if file is None else file
    _write_new(target, _copied(source))
    command = "run" if source.kind == "scenario" else "sweep"
    print_lines([f"{source.kind:8} {target}", f"next     rangecast {command} {target}"])


def _named(name: str) -> Packaged:
    found = packaged()
    if name not in found:
        raise RangecastError(f"{name}: nothing of that name comes with Rangecast; choose one of {', '.join(found)}")
    return found[name]


def _copied(source: Packaged) -> str:
    """The text of a file, in which paths of other files of ours lead to them from anywhere."""

    def placed(line: re.Match[str]) -> str:
        path = (source.path.parent / line[3]).resolve()
        return f"{line[1]}{line[2]}{json.dumps(str(path), ensure_ascii=False)}"

    return _REFERENCE.sub(placed, source.path.read_text(encoding="utf-8"))


def _write_new(target: Path, text: str) -> None:
    try:
        if target.exists():
            raise FileExistsError
        if not target.parent.is_dir():
            raise RangecastError(f"{target}: there is no directory {target.parent}; make it or choose another path")
        with whole(target, replace=False) as partial:
            partial.write_text(text, encoding="utf-8")
    except FileExistsError as error:
        raise RangecastError(f"{target}: exists already; choose another path or remove it") from error
    except OSError as error:
        raise RangecastError(f"{target}: cannot be written: {reason_of(error)}; choose another path") from error


@commands.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Scenario files in TOML.", show_default=False)],
    plugins: Plugins = None,
) -> None:
    """Say of each file that it is ok, or what is wrong with it, one line for each mistake; exit code 2 if any is."""
    from simulator.inputs.plugins import load_plugins
    from simulator.scenario.loading import load_scenario
    from simulator.scenario.mistakes import ScenarioError

    load_plugins(plugins or ())
    right = True
    for file in files:
        try:
            load_scenario(file)
        except ScenarioError as error:
            right = False
            print("\n".join(map(visible, error.mistakes)), file=sys.stderr)
        else:
            print_lines([f"{file}: ok"])
    if not right:
        raise typer.Exit(2)


@commands.command()
def schema() -> None:
    """Print the JSON schema of scenario files, for editors."""
    from simulator.scenario.schema import scenario_schema

    print(json.dumps(scenario_schema(), indent=2, ensure_ascii=False))
