"""The entry of the command: a mistake of the user's ends in one line and exit code 2."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

import typer

from floor.errors import RangecastError, interruption
from floor.files import reason_of
from floor.text import visible
from simulator.cli import ingredients, looking, matching, paper, running, scenarios  # noqa: F401 - they join the app
from simulator.cli.app import app

__all__ = ["main"]

_INTERRUPTED, _TERMINATED = 130, 143
"""Exit codes of what was ended by the user, and by SIGTERM, as shells have them."""


def main() -> None:
    """Run the command; a mistake of the user's ends in one line and exit code 2."""
    ended = _INTERRUPTED

    def terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
        """Leave as little behind as after Ctrl-C."""
        nonlocal ended
        ended = _TERMINATED
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminate)
    try:
        code = app(prog_name="rangecast", standalone_mode=False)
    except typer.TyperException as error:
        context: typer.Context | None = getattr(error, "ctx", None)
        command = context.command_path if context else "rangecast"
        told = error.format_message().rstrip(".") if hasattr(error, "format_message") else str(error)
        if not told:  # no command was given, and the help has been printed
            sys.exit(2)
        _refuse(f"{told}{'' if told.endswith('?') else '.'} See `{command} --help`.")
    except RangecastError as error:
        _refuse(str(error))
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # rich's way to say that nobody reads on
            sys.exit(0)
        _refuse(f"a file given by --with ended the program by sys.exit({error.code!r}); mend that file")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on, and that is no mistake
        code = 0
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        _refuse(f"{where}cannot be read or written: {reason_of(error)}; mend that and start again")
    except MemoryError as error:
        _refuse(f"there is not enough memory ({str(error) or 'none is left'}); lower the counts of the scenario")
    except SystemError as error:
        if interruption(error) is None:
            raise
        code = _INTERRUPTED
    except (typer.Abort, KeyboardInterrupt):
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        code = ended
        resumes = sys.argv[1:2] in (["sweep"], ["paper"])
        print(f"rangecast: interrupted{'; the same command goes on from here' if resumes else ''}", file=sys.stderr)
    sys.exit(code)


def _refuse(told: str) -> NoReturn:
    print(f"rangecast: {visible(told)}", file=sys.stderr)
    sys.exit(2)
