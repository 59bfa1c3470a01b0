"""Tables that somebody brings: CSV with a header, a Parquet file, or a directory of Parquet files.

What a file is, its first bytes tell, not its name. Rows are read a batch at a time, so that a file may be larger than
any memory; only the columns asked for are read, others are passed over. A value that cannot be is told in one line
with its place: the line of a CSV file, the row of Parquet, counted from 0.
"""

import codecs
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, wraps
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq

from floor.files import reason_of
from floor.text import first_line
from pipeline.errors import PipelineError

__all__ = ["Batch", "OwnTable", "files_digest", "finite", "looked_up", "open_table"]

Facts = TypeVar("Facts")

_ROWS = 65_536
_MOST_NAMES, _LONGEST_NAME = 20, 40
"""Columns that are listed, and letters of each."""
_KINDS = {pa.float64(): "a number", pa.int64(): "a whole number", pa.string(): "text"}
_BAD_VALUE = re.compile(
    r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to (\w+): invalid value '(.*)", re.S
)

_UNEVEN = re.compile(r"CSV parse error: Row #(\d+): Expected (\d+) columns, got (\d+)")


class Batch(NamedTuple):
    """Some rows of a table, one after the other."""

    first: int
    """Number of the first row."""
    columns: dict[str, pa.Array]
    """By name; of the types that were asked for."""


class OwnTable(NamedTuple):
    """A table that is there and has named columns; its rows have not been looked at."""

    path: Path
    files: list[Path]
    is_csv: bool
    names: dict[str, str]
    """Columns: the name without space around it, and as it is in the file."""

    def refuse(self, row: int, column: str, value: object, rule: str) -> None:
        """Refuse a value.

        Raises
        ------
        PipelineError
            One line: path, place, column, value, rule and remedy.
        """
        place = f"line {row + 2}" if self.is_csv else f"row {row}"
        told = f"{column} is blank" if value is None else f"{column} = {value!r}"
        raise PipelineError(f"{self.path}: {place}: {told}: {rule}")

    def refuse_any(self, first: int, column: str, values: pa.Array, wrong: npt.NDArray[np.bool_], rule: str) -> None:
        """Refuse the first value of a batch that is wrong, if there is one."""
        if wrong.any():
            at = int(np.argmax(wrong))
            self.refuse(first + at, column, values[at].as_py(), rule)

    def require(self, columns: Iterable[str]) -> None:
        """Refuse a table that lacks columns.

        Raises
        ------
        PipelineError
            One line with those that are missing and those that are there.
        """
        missing = [name for name in columns if name not in self.names]
        if missing:
            there = [name[:_LONGEST_NAME] for name in list(self.names)[:_MOST_NAMES]]
            more = ", ..." if len(self.names) > _MOST_NAMES else ""
            remedy = f"add {'them' if len(missing) > 1 else 'it'}, or mend a name"
            raise PipelineError(
                f"{self.path}: lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}; it has "
                f"{', '.join(there) or 'none'}{more}; {remedy}"
            )

    def batches(self, types: Mapping[str, pa.DataType]) -> Iterator[Batch]:
        """Read columns that are there, as numbers (float64), whole numbers (int64) or text (string); blanks are null.

        Space O(1) in the rows.

        Raises
        ------
        PipelineError
            The file is broken, or a value is not of its type.
        """
        row = 0
        for batch in self._raw({self.names[name]: kind for name, kind in types.items()}):
            columns = {name: self._cast(row, name, batch[self.names[name]], kind) for name, kind in types.items()}
            yield Batch(row, columns)
            row += batch.num_rows

    def _raw(self, types: Mapping[str, pa.DataType]) -> Iterator[pa.RecordBatch]:
        try:
            if self.is_csv:
                yield from _open_csv(self.files[0], types)
                return
            for file in self.files:
                with pq.ParquetFile(file, pre_buffer=False, page_checksum_verification=True) as opened:
                    yield from opened.iter_batches(_ROWS, columns=list(types))
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(self.path, list(self.names), error) from error

    def _cast(self, first: int, name: str, values: pa.Array, kind: pa.DataType) -> pa.Array:
        there = values.type
        numbers = pa.types.is_integer(there) or pa.types.is_floating(there) or pa.types.is_decimal(there)
        texts = pa.types.is_string(there) or pa.types.is_large_string(there) or pa.types.is_dictionary(there)
        if there == kind or pa.types.is_null(there):
            return values.cast(kind)
        if not (numbers or (texts and kind == pa.string())):
            raise PipelineError(
                f"{self.path}: column {name}: must hold {_KINDS[kind]} in every row, is of type {there}; convert it"
            )
        if kind == pa.int64() and not pa.types.is_integer(there):
            exact = np.asarray(pc.fill_null(values.cast(pa.float64()), 0.0))
            broken = ~(np.isfinite(exact) & (exact == np.floor(exact)) & (np.abs(exact) < 2.0**53))
            self.refuse_any(first, name, values, broken, "must be a whole number; mend it")
        try:
            return values.cast(kind)
        except pa.ArrowException as error:
            raise PipelineError(f"{self.path}: column {name}: {first_line(error)}; mend it") from error


def open_table(path: Path) -> OwnTable:
    """Look at a table somebody brings, without reading its rows.

    Raises
    ------
    PipelineError
        One line: there is no such file, it is no table, or two columns have one name.
    """
    try:
        files = _files_of(path)
        with files[0].open("rb") as stream:
            start = stream.read(4)
        if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise PipelineError(f"{path}: cannot be read: it is text in UTF-16; save it in UTF-8")
        is_csv = start != b"PAR1"
        if is_csv and len(files) > 1:
            raise PipelineError(f"{files[0]}: not a Parquet file; remove it or mend the path")
        names = _open_csv(files[0], {}).schema.names if is_csv else _common_names(path, files)
    except (OSError, ValueError) as error:  # Arrow's are among these, and a NUL in the path
        raise _unreadable(path, [], error) from error
    stripped = [name.strip() for name in names]
    twice = next((name for name in stripped if stripped.count(name) > 1), None)
    if twice is not None:
        raise PipelineError(f"{path}: has the column {twice!r} twice; rename or remove one")
    return OwnTable(path, files, is_csv, dict(zip(stripped, names, strict=True)))


def _files_of(path: Path) -> list[Path]:
    if path.is_dir():
        files = sorted(file for file in path.glob("*.parquet") if file.is_file())
        if not files:
            raise PipelineError(
                f"{path}: cannot be read: it is a directory without Parquet files; give a file in CSV or Parquet"
            )
        return files
    if path.exists() and not path.is_file():
        raise PipelineError(f"{path}: cannot be read: it is a device or pipe, which may have no end; give a file")
    return [path]


def _common_names(path: Path, files: list[Path]) -> list[str]:
    every = [pq.read_schema(file).names for file in files]
    if any(sorted(names) != sorted(every[0]) for names in every):
        raise PipelineError(f"{path}: its Parquet files have different columns; keep those that belong together")
    return list(every[0])


def _open_csv(file: Path, types: Mapping[str, pa.DataType]) -> csv.CSVStreamingReader:
    """Rows of some columns; without any, all of them. A byte order mark and line ends of any kind are accepted."""
    with file.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    # A blank is null; `nan` is a value, and a wrong one.
    convert = csv.ConvertOptions(
        column_types=dict(types), include_columns=list(types), null_values=[""], strings_can_be_null=True
    )
    read = csv.ReadOptions(use_threads=False)
    source = pa.input_stream(str(file), compression="gzip" if packed else None)
    return csv.open_csv(source, read_options=read, convert_options=convert)


def finite(values: pa.Array) -> npt.NDArray[np.bool_]:
    """Which values are numbers, neither missing nor NaN nor infinite."""
    right: npt.NDArray[np.bool_] = np.isfinite(np.asarray(pc.fill_null(values, float("nan"))))
    return right


def files_digest(files: Iterable[Path]) -> str:
    """Digest of files, whatever they are called; of one file, that of its content. Reads every byte.

    Raises
    ------
    OSError
        One cannot be read.
    """
    digests = []
    for file in files:
        with file.open("rb") as stream:
            digests.append(hashlib.file_digest(stream, "sha256"))
    if len(digests) == 1:
        return digests[0].hexdigest()
    return hashlib.sha256(b"".join(one.digest() for one in digests)).hexdigest()


def looked_up(look: Callable[[OwnTable], Facts]) -> Callable[[Path], Facts]:
    """Remember what a table was found to hold for as long as nobody writes to it; a run asks for it several times."""

    @lru_cache(maxsize=64)
    def remembered(path: Path, _: tuple[tuple[str, int, int], ...]) -> Facts:
        return look(open_table(path))

    @wraps(look)
    def facts(path: Path) -> Facts:
        states = [(str(file), file.stat()) for file in (path, *open_table(path).files)]
        return remembered(path, tuple((file, state.st_mtime_ns, state.st_size) for file, state in states))

    return facts


def _unreadable(path: Path, names: list[str], error: Exception) -> PipelineError:
    """What is wrong with a file, in our words as far as they go; `names` are its columns."""
    text = str(error)
    bad, uneven = _BAD_VALUE.search(text), _UNEVEN.search(text)
    if bad is not None:
        line = f"line {bad[2]}: " if bad[2] else ""
        value, kind = bad[4].splitlines()[0].removesuffix("'"), "a whole number" if bad[3] == "int64" else "a number"
        return PipelineError(f"{path}: {line}{names[int(bad[1])]} = '{value}': must be {kind}; mend or remove it")
    if uneven is not None:
        return PipelineError(f"{path}: line {uneven[1]}: must have {uneven[2]} columns, has {uneven[3]}; mend it")
    if isinstance(error, OSError) and error.errno:
        return PipelineError(f"{path}: cannot be read: {reason_of(error)}; mend the path")
    reason = "it is empty" if "Empty CSV" in text else first_line(error)
    return PipelineError(f"{path}: cannot be read: {reason}; give CSV with a header, or Parquet")
