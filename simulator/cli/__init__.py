"""The command `rangecast`, one module per group of commands."""

from simulator.cli.app import app
from simulator.cli.entry import main

__all__ = ["app", "main"]
