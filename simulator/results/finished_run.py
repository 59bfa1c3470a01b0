"""Finished runs: every file of a run directory is read here, and checked as it is read."""

import json
import tomllib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq

from floor.text import first_line
from pipeline import BROKERS, EVENTS, FAULTS, HOPS, LINKS, SERIES, SUMMARY
from simulator.inputs.plugins import Plugin, loaded_plugins
from simulator.results.errors import RunError
from simulator.scenario.loading import load_scenario
from simulator.scenario.scenario import Scenario

__all__ = ["TABLES", "FinishedRun"]

TABLES = {"events": EVENTS, "brokers": BROKERS, "links": LINKS, "hops": HOPS, "faults": FAULTS, "series": SERIES}
"""Schema of every Parquet file, by its name without the ending."""
_SOME_ONLY = {
    "hops": 'run the scenario with record = ["hops"]',
    "faults": "only a run with faults has them",
    "series": 'run the scenario with engine = "des"',
}
"""Files that not every run has, and what makes a run have them."""
_MANIFEST = ("scenario", "versions", "verified", "faults", "approaches", "seconds")
"""Tables that a manifest must hold."""


class FinishedRun:
    """A directory that `rangecast run` made; a file is read when it is first asked for.

    Raises
    ------
    RunError
        Here and below: something is missing or broken, in one line that names it.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        for name in ("scenario.toml", "events.parquet", "summary.csv"):
            if not (directory / name).is_file():
                reason = f"it has no {name}" if directory.is_dir() else "there is no such directory"
                raise RunError(
                    f"{directory}: not a finished run: {reason}; give a directory that `rangecast run` made"
                )

    @cached_property
    def summary(self) -> list[dict[str, object]]:
        """Rows of `summary.csv`, one for each approach."""
        path = self.directory / "summary.csv"
        try:
            rows = csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=SUMMARY)).to_pylist()
        except (OSError, ValueError) as error:
            raise RunError(
                f"{self.directory}: not a finished run ({first_line(error)}); give a directory that `run` made"
            ) from error
        if not rows:
            raise RunError(f"{path}: holds no approach; run the scenario again")
        _refuse_lack(path, SUMMARY.names, rows[0])
        return list(rows)

    @cached_property
    def summary_csv(self) -> bytes:
        """`summary.csv` as it stands."""
        path = self.directory / "summary.csv"
        try:
            return path.read_bytes()
        except OSError as error:
            raise RunError(f"{path}: cannot be read: {error.strerror}; run the scenario again") from error

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """`manifest.json`: the tables scenario, versions, verified, faults, approaches and seconds hold anything."""
        path = self.directory / "manifest.json"
        try:
            manifest = json.loads(_text(path))
        except (ValueError, RecursionError) as error:
            raise RunError(f"{path}: not valid JSON ({first_line(error)}); run the scenario again") from error
        if not isinstance(manifest, dict):
            raise RunError(f"{path}: must hold a table, not {type(manifest).__name__}; run the scenario again")
        missing = [name for name in _MANIFEST if not isinstance(manifest.get(name), dict)]
        if missing:
            raise RunError(f"{path}: lacks the tables {', '.join(missing)}; run the scenario again with this version")
        return manifest

    @cached_property
    def scenario(self) -> Scenario:
        """What was run; a file given by `--with` that is not the one of its name which was in use then is refused."""
        for plugin in loaded_plugins():
            self._check_plugin(plugin)
        return load_scenario(self.directory / "scenario.toml")

    def _check_plugin(self, plugin: Plugin) -> None:
        told = self.manifest.get("plugins")
        used = [one for one in told if isinstance(one, dict)] if isinstance(told, list) else []
        digests = [one.get("sha256") for one in used if Path(str(one.get("file"))).name == plugin.path.name]
        if digests and plugin.sha256 not in digests:
            raise RunError(
                f"--with {plugin.path}: changed since {self.directory} was run; bring back what it was, or run again"
            )

    @cached_property
    def scenario_text(self) -> str:
        """The scenario file, with all that ran: of one that was cut off, defaults would stand in for the rest."""
        path = self.directory / "scenario.toml"
        text = _text(path)
        try:
            values = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise RunError(f"{path}: not valid TOML ({first_line(error)}); run the scenario again") from error
        missing = _missing(self.manifest["scenario"], values)
        if missing:
            raise RunError(f"{path}: lacks {', '.join(missing)}, which manifest.json has; run the scenario again")
        return text

    def has(self, name: str) -> bool:
        """Whether the run has one of `TABLES`: some have only those of which there was something to tell."""
        return (self.directory / f"{name}.parquet").exists()

    def table(self, name: str, columns: Sequence[str] | None = None, approach: str | None = None) -> pa.Table:
        """Read one of `TABLES`, all of it or some columns of it, for all approaches or one. O(rows).

        Raises
        ------
        RunError
            Also if `name` is none of them.
        """
        if name not in TABLES:
            raise RunError(f"table = {name!r}: a run has the tables {', '.join(TABLES)}; choose one of them")
        path, schema = self.directory / f"{name}.parquet", TABLES[name]
        if name in _SOME_ONLY and not self.has(name):
            raise RunError(f"{self.directory}: has no {path.name}; {_SOME_ONLY[name]}")
        wanted = schema if columns is None else pa.schema([schema.field(column) for column in columns])
        needed = wanted.names if approach is None else list(dict.fromkeys([*wanted.names, "approach"]))
        try:
            with pq.ParquetFile(path) as opened:  # `read_table` loads pandas
                _refuse_lack(path, needed, opened.schema_arrow.names)
                table = opened.read(needed)
            if approach is not None:
                table = table.filter(pc.equal(table["approach"], approach))
            return table.select(wanted.names).cast(wanted)
        except (OSError, ValueError) as error:  # Arrow's errors are among these
            reason = first_line(error) if path.exists() else "there is no such file"
            raise RunError(f"{path}: cannot be read: {reason}; run the scenario again with this version") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}; run the scenario again") from error
    except ValueError as error:
        raise RunError(f"{path}: cannot be read: it is not UTF-8 text; run the scenario again") from error


def _refuse_lack(path: Path, wanted: Sequence[str], present: Sequence[str] | dict[str, object]) -> None:
    missing = [column for column in wanted if column not in present]
    if missing:
        raise RunError(f"{path}: lacks the columns {', '.join(missing)}; run the scenario again with this version")


def _missing(wanted: dict[str, Any], values: dict[str, Any]) -> list[str]:
    """Keys, dotted, that are in `wanted` only."""
    missing = []
    for key, value in wanted.items():
        if key not in values:
            missing.append(key)
        elif isinstance(value, dict) and isinstance(values[key], dict):
            missing += [f"{key}.{inner}" for inner in _missing(value, values[key])]
    return missing
