"""The entry of the command: a mistake of the user's ends in one line and exit code 2."""

import sys

import typer

from floor.errors import RangecastError
from simulator.cli import ingredients, looking, paper, running, scenarios  # noqa: F401 - their commands join the app
from simulator.cli.app import app

__all__ = ["main"]

_INTERRUPTED = 130
"""Exit code of what was ended by the user, as shells have it."""


def main() -> None:
    """Run the command; a mistake of the user's ends in one line and exit code 2."""
    try:
        code = app(prog_name="rangecast", standalone_mode=False)
    except typer.TyperException as error:
        context: typer.Context | None = getattr(error, "ctx", None)
        command = context.command_path if context else "rangecast"
        told = error.format_message().rstrip(".") if hasattr(error, "format_message") else str(error)
        print(f"rangecast: {told}. See `{command} --help`.", file=sys.stderr)
        sys.exit(2)
    except RangecastError as error:
        print(f"rangecast: {error}", file=sys.stderr)
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        resumes = sys.argv[1:2] in (["sweep"], ["paper"])
        print(f"rangecast: interrupted{'; the same command goes on from here' if resumes else ''}", file=sys.stderr)
    sys.exit(code)
