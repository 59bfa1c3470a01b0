"""Tables inside the page, as files to save: CSV, compressed where that is long, and left out where it is too long."""

import base64
import gzip
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.csv as csv

__all__ = ["Download", "csv_of", "downloads_of"]

_ROOM = 1_000_000
"""Bytes of the page that all files together may take."""
_LONG = 100_000
"""Bytes from which a file is compressed."""


class Download(NamedTuple):
    """A file of the page, or why it is none."""

    name: str
    size: str
    """Bytes of it when saved."""
    link: str | None
    """Its content as an address; None where there was no room."""
    source: str
    """Where else it is."""


def downloads_of(contents: Sequence[tuple[str, bytes, Path]]) -> list[Download]:
    """Files by name, content as CSV and the file that has the same; the first come first while there is room.

    Compression is that of gzip without a time, so that the same run is the same page.
    """
    room, files = _ROOM, []
    for name, content, source in contents:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name)
        short = len(content) < _LONG
        packed = content if short else gzip.compress(content, mtime=0)
        data = base64.b64encode(packed).decode()
        kind = "text/csv;charset=utf-8" if short else "application/gzip"
        fits = len(data) <= room
        room -= len(data) if fits else 0
        link = f"data:{kind};base64,{data}" if fits else None
        files.append(Download(plain if short else f"{plain}.gz", f"{len(packed):,}", link, str(source)))
    return files


def csv_of(tables: Mapping[str, pa.Table], prefix: str, directory: Path) -> list[tuple[str, bytes, Path]]:
    """Tables as `downloads_of` takes them; empty ones are left out."""
    told = []
    for name, table in tables.items():
        if len(table):
            stream = io.BytesIO()
            csv.write_csv(table, stream)
            told.append((f"{prefix}-{name}.csv", stream.getvalue(), directory / f"{name}.parquet"))
    return told
