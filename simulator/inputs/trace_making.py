"""`rangecast events`: turn a price history, or the synthetic stock history, into a trace on disk."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pipeline
from simulator.inputs.out_directory import new_directory
from simulator.workload.traces import TraceError
from simulator.workload.units import Dimension

__all__ = ["make_stock_trace", "make_trace", "trace_spec"]

_SILENCE = Dimension(
    "duration",
    {"s": Fraction(1), "min": Fraction(60), "h": Fraction(3600), "d": Fraction(86_400)},
    example="3d",
    least="1s",
    most="36500d",
)
"""In seconds; scenarios have no use for days, histories do."""


def trace_spec(
    source: Path | None,
    columns: Mapping[str, str | tuple[str, ...] | None],
    *,
    fixed_x: bool,
    gone_after: str | None,
    x_range: Sequence[str],
    stocks: bool,
) -> pipeline.TraceSpec | None:
    """How the command line wants a history read; None for the synthetic one.

    Raises
    ------
    TraceError
        Options that are missing, wrong, or do not go together: one line.
    """
    if stocks == (source is not None):
        raise TraceError("give either a history or --stocks; see `rangecast events --help`")
    if stocks:
        others = {**columns, "gone-after": gone_after, "x-range": x_range or None, "fixed-x": fixed_x or None}
        given = [f"--{name}" for name, value in others.items() if value is not None]
        if given:
            raise TraceError(f"--stocks has columns and a range of its own; remove {', '.join(given)}")
        return None
    missing = [f"--{name}" for name, value in columns.items() if not value or not all(value)]
    if missing:
        raise TraceError(f"{', '.join(missing)} must name a column of {source}; add what is missing")
    silence = None if gone_after is None else _silence(gone_after)
    ranges = [_range(text) for text in x_range]
    named: dict[str, Any] = dict(columns)
    try:
        within = None if not ranges else ranges[0] if len(ranges) == 1 else tuple(ranges)
        return pipeline.TraceSpec(**named, fixed_x=fixed_x, gone_after_s=silence, x_range=within)
    except (TypeError, ValueError) as error:
        raise TraceError(f"--{str(error).replace('x_range', 'x-range')}; mend the options") from error


def _silence(text: str) -> float:
    try:
        return _SILENCE.parse(text)
    except ValueError as error:
        raise TraceError(f"--gone-after {text}: {error}") from error


def _range(text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    try:
        ends = float(low), float(high)
    except ValueError:
        ends = (0.0, 0.0)
    if not -float("inf") < ends[0] < ends[1] < float("inf"):
        raise TraceError(f"--x-range {text}: must be LOW:HIGH, two finite numbers in ascending order, as in 0:0.1")
    return ends


def make_trace(source: Path, spec: pipeline.TraceSpec, out: Path, *, master: str) -> list[str]:
    """Make a trace of a CSV or Parquet history in a new directory; the lines worth printing.

    Raises
    ------
    pipeline.PipelineError
        When the history cannot be read or used, or `out` exists or cannot be written.
    """
    pipeline.check_master(master)
    pipeline.check_history(source)
    with new_directory(out, TraceError) as made:
        spark = pipeline.spark_session(master)
        pipeline.write_trace(pipeline.read_history(spark, source, spec), spec, made)
    return _described(out)


def make_stock_trace(seed: int, out: Path, *, master: str) -> list[str]:
    """Make the synthetic stock trace in the shape of the paper's (Section V); the lines worth printing.

    Raises
    ------
    pipeline.PipelineError
        When `out` exists or cannot be written.
    """
    pipeline.check_master(master)
    with new_directory(out, TraceError) as made:
        history = pipeline.stock_history(pipeline.spark_session(master), seed)
        pipeline.write_trace(history, pipeline.STOCK_SPEC, made)
    return _described(out)


def _described(out: Path) -> list[str]:
    trace = pipeline.read_trace(out)
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in Counter(trace.kind.tolist()).most_common())
    names = pipeline.x_names(len(trace.ranges))
    spans = ", ".join(f"{x} from {low:g} to {high:g}" for x, (low, high) in zip(names, trace.ranges, strict=True))
    lines = [
        f"trace      {out}",
        f"objects    {trace.initial:,} at the start, {len(trace.names):,} in all, {spans}",
        f"events     {len(trace.kind):,}: {kinds}",
        f"rows       {sum(trace.report.values()):,} read",
    ]
    return lines + [f"           {rows:,} {outcome}" for outcome, rows in trace.report.items()]
