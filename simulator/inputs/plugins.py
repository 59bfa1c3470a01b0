"""Plugins: Python files of a user's own, named on the command line, that register approaches or kinds of events.

A scenario names what a plugin registers but never the plugin itself: scenario files run no code.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from floor.errors import RangecastError

__all__ = ["Plugin", "load_again", "load_plugins", "loaded_plugins"]

_PREFIX = "rangecast_plugin_"
_LOADED: dict[Path, str] = {}
"""Digest of each file that was loaded."""


class PluginError(RangecastError):
    """A plugin that cannot be loaded; the text is one line for the user."""


class Plugin(NamedTuple):
    """A file that was loaded, and the digest of what it held then."""

    path: Path
    sha256: str


def load_plugins(paths: Iterable[Path]) -> None:
    """Run Python files, each once in a process.

    Raises
    ------
    PluginError
        A file that cannot be read, or that fails.
    """
    for path in paths:
        file = path.absolute()
        if file in _LOADED:
            continue
        name = f"{_PREFIX}{len(_LOADED)}_{file.stem}"
        spec = importlib.util.spec_from_file_location(name, file)
        if not file.is_file() or spec is None or spec.loader is None:
            raise PluginError(f"--with {path}: must be a Python file that exists, ending in .py; mend the path")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            reason = " ".join(str(error).split()) or "no reason given"
            raise PluginError(f"--with {path}: fails with {type(error).__name__}: {reason}; mend the file") from error
        _LOADED[file] = digest


def loaded_plugins() -> tuple[Plugin, ...]:
    """Files that were loaded, in their order, so that other processes can load them too."""
    return tuple(Plugin(*one) for one in _LOADED.items())


def load_again(plugins: Iterable[Plugin]) -> None:
    """Load what another process has loaded.

    Raises
    ------
    PluginError
        A file that has changed meanwhile, cannot be read, or fails.
    """
    for plugin in plugins:
        load_plugins([plugin.path])
        if _LOADED[plugin.path] != plugin.sha256:
            raise PluginError(f"--with {plugin.path}: changed while it was in use; start again")
