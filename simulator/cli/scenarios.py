"""Commands about scenario files."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from simulator.cli.app import app
from simulator.cli.options import Plugins

__all__ = ["check", "schema"]

scenarios = typer.Typer(help="Check scenario files, or describe what they may hold.", no_args_is_help=True)
app.add_typer(scenarios, name="scenario")


@scenarios.command()
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
            print("\n".join(error.mistakes), file=sys.stderr)
        else:
            print(f"{file}: ok")
    if not right:
        raise typer.Exit(2)


@scenarios.command()
def schema() -> None:
    """Print the JSON schema of scenario files, for editors."""
    from simulator.scenario.schema import scenario_schema

    print(json.dumps(scenario_schema(), indent=2, ensure_ascii=False))
