"""Tables and figures of papers as data: which sweeps they need, what is drawn, and what the paper claims of them.

Every file `scenarios/paper/NAME.toml` is one table or figure of Section V of the paper. Those of the papers on
matching, `scenarios/matching/NAME.toml`, are made from trials of indexes (`simulator.paper.trials`) in place of
sweeps, and an index stands for an approach; those on several attributes from trials of servers without a network. A
claim is of one of six kinds and carries the tolerance that it is judged by, so that no tolerance can follow from a
result:

    numbers    the paper prints a value: ours may differ by `tolerance`, as a share of it, or by `absolute`; with
               `interval` also by half of its own 95% confidence interval, where that is wider
    bounds     a value lies between `least` and `most` at every point; or the mean of all points, or the highest
    rises      a value does not fall from each value of a key to the next, in the order of `at`
    growths    a value grows like a power of a key, and the power lies between `least` and `most`
    spreads    the largest value along a key over the smallest lies between `least` and `most`
    chains     of a list of approaches each has at least what the next has, at every point

A value is a metric of an approach, or with `over` the quotient of that of two approaches; metrics joined by + are
added, and of approaches joined by | the lowest is taken. `where` picks points by keys of their scenario. `cause`
says, in case that a claim differs, whose doing it is and why; it is shown only then. `apart` says why a claim is
judged and not counted: it is not the paper's, or was not asked before the run. Claims with `small = true` hold
at any size; the others are about the paper's sizes and are judged at the scale `paper` only.
"""

import tomllib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from floor.errors import RangecastError
from scenarios import DIRECTORY
from simulator.runs.index_measures import INDEX_METRICS
from simulator.runs.server_measures import SERVER_METRICS
from simulator.runs.sweep_tables import METRICS

__all__ = [
    "BEYOND",
    "EXTRAS",
    "MATCHING",
    "NAMES",
    "TRIED",
    "VIEWS",
    "Beside",
    "Bound",
    "Cause",
    "Chain",
    "Claim",
    "Exhibit",
    "Growth",
    "Key",
    "Number",
    "Panel",
    "PaperError",
    "Rise",
    "Scale",
    "Spread",
    "Value",
    "grid_path",
    "load_exhibit",
    "views_of",
]

VIEWS = DIRECTORY / "paper"
"""Where the tables and figures of the paper are described."""

MATCHING_VIEWS = DIRECTORY / "matching"
"""Where those of the papers on matching are."""

NAMES = (*(f"table{number}" for number in range(1, 7)), *(f"fig{number}" for number in range(11, 18)))
"""Tables and figures for ranges of one dimension, in the order in which they are shown."""

BEYOND = ("table7", "table8", "fig26", "theorem8")
"""Appendix D and Theorem 8, on ranges of several attributes."""

EXTRAS = ("cuts", "sketch", "theorem3")
"""What the paper says in words or leaves open, made and judged in the same way."""

MATCHING = (
    "000-table2",
    *(f"000-fig{number}" for number in range(6, 10)),
    *(f"001-fig{number}" for number in range(5, 12)),
    *(f"002-fig{number}" for number in range(7, 9)),
    *(f"004-fig{number}" for number in range(7, 10)),
)
"""Tables and figures of the papers that `matching.registry` names by these numbers."""

TRIED = (*BEYOND, *MATCHING)
"""What is made from trials."""

Scale = Literal["small", "paper"]
Key = str | int | float


class PaperError(RangecastError):
    """A table or figure that cannot be made; the text is one line for the user."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Value(_Part):
    """What is looked up in the results of a sweep, or of trials of indexes."""

    metric: str
    sweep: str | None = None
    """The first of the view's, if left out."""
    over: str | None = None
    """An approach to divide by, on the same events."""
    where: dict[str, Key] = Field(default_factory=dict)

    @field_validator("metric")
    @classmethod
    def _known(cls, metric: str, info: ValidationInfo) -> str:
        known = info.context["metrics"] if info.context else METRICS
        for name in metric.split("+"):
            if name not in known:
                raise ValueError(f"must be a metric of a sweep, or several joined by +, got {name!r}")
        return metric


class Cause(_Part):
    """Why a claim differs."""

    whose: Literal["the paper's", "ours", "open"]
    why: str


class Beside(Value):
    """Another value that is printed next to a judged one, and not judged; `where` may name another place."""

    approach: str | None = None
    """The approach that is judged, if left out."""
    title: str
    """Head of its column."""


class Claim(Value):
    """Something that the paper says."""

    claim: str
    cause: Cause | None = None
    apart: str = ""
    """Why it is not counted, for a reader."""
    small: bool = False
    """Whether it is judged at any size."""


class Number(Claim):
    """Printed values, one for each value of a key."""

    claim: str = ""
    row: str
    approach: str
    along: str
    at: list[Key]
    paper: list[float]
    tolerance: float | None = Field(default=None, ge=0)
    absolute: float | None = Field(default=None, ge=0)
    interval: bool = False
    """Whether half of the confidence interval of ours is allowed too."""
    derived: bool = False
    """Whether the row follows from other numbers, or the workload was made to fit it: shown, and no evidence."""
    beside: list[Beside] = Field(default_factory=list)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.at) != len(self.paper):
            raise ValueError(f"{self.row}: at and paper must be of the same length")
        if (self.tolerance is None) == (self.absolute is None):
            raise ValueError(f"{self.row}: one of tolerance and absolute is needed")
        return self


class Bound(Claim):
    """A value between two limits at every point, or what `of` names of all points."""

    approach: str
    of: Literal["each", "mean", "highest"] = "each"
    least: float | None = None
    most: float | None = None


class Rise(Claim):
    """A value that does not fall along a key."""

    approach: str
    along: str
    at: list[Key] | None = None


class Growth(Claim):
    """A value that grows like a power of a key; a power of 0 is no growth."""

    approach: str
    along: str
    least: float
    most: float


class Spread(Claim):
    """A value whose largest is so many times its smallest along a key; 1 is no change."""

    approach: str
    along: str
    least: float | None = None
    most: float | None = None


class Chain(Claim):
    """Approaches from the one that has most to the one that has least."""

    falling: list[str] = Field(min_length=2)


class Panel(Value):
    """One part of a figure: a curve for each approach and value of the key `split`."""

    title: str
    approaches: list[str]
    along: str
    split: str | None = None
    split_name: str | None = None
    """What the legend calls that key, if not by its own name."""
    xlabel: str
    ylabel: str
    log: bool = False
    curves: dict[str, list[str]] = Field(default_factory=dict)
    """In place of a curve for each approach along a key: curves by name, whose points are approaches ..."""
    across: str | None = None
    """... at the mean of this metric, ..."""
    places: list[int | float] = Field(default_factory=list)
    """... or at these places."""


class Exhibit(_Part):
    """A table or figure of the paper."""

    name: str
    title: str
    sweeps: list[str] = Field(min_length=1)
    """Grids that it is made from, or trials."""
    account: str
    """What must be known to read it, and why our numbers differ where they do."""
    numbers: list[Number] = Field(default_factory=list)
    bounds: list[Bound] = Field(default_factory=list)
    rises: list[Rise] = Field(default_factory=list)
    growths: list[Growth] = Field(default_factory=list)
    spreads: list[Spread] = Field(default_factory=list)
    chains: list[Chain] = Field(default_factory=list)
    panels: list[Panel] = Field(default_factory=list)

    @property
    def claims(self) -> list[Claim]:
        """Everything that is judged, printed numbers first."""
        return [*self.numbers, *self.bounds, *self.rises, *self.growths, *self.spreads, *self.chains]

    @model_validator(mode="after")
    def _sweeps_are_named(self) -> Self:
        for part in (*self.claims, *self.panels, *(one for row in self.numbers for one in row.beside)):
            if part.sweep not in (None, *self.sweeps):
                raise ValueError(f"sweep = {part.sweep!r} must be one of sweeps, {', '.join(self.sweeps)}")
        return self


def views_of(name: str) -> Path:
    """Where a table or figure is described."""
    return MATCHING_VIEWS if name in MATCHING else VIEWS


def load_exhibit(name: str, directory: Path | None = None) -> Exhibit:
    """Read what the paper says of a table or figure, in its own directory unless another one is given.

    Raises
    ------
    PaperError
        There is no such table or figure, or its file is missing or wrong.
    """
    if name not in (*NAMES, *BEYOND, *EXTRAS, *MATCHING):
        every = ", ".join((*NAMES, *BEYOND, *EXTRAS, "matching", *MATCHING))
        raise PaperError(f"{name}: must be all or one of {every}; choose one of them")
    path = (directory or views_of(name)) / f"{name}.toml"
    metrics = INDEX_METRICS if name in MATCHING else SERVER_METRICS if name in BEYOND else METRICS
    try:
        values: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return Exhibit.model_validate({"name": name, **values}, context={"metrics": metrics})
    except OSError as error:
        raise PaperError(f"{path}: cannot be read: {error.strerror}; install Rangecast again") from error
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise PaperError(f"{path}: {' '.join(str(error).split())}") from error


def grid_path(sweep: str, scale: Scale, directory: Path = VIEWS) -> Path:
    """The grid file of a sweep at a scale."""
    return directory / "grids" / scale / f"{sweep}.toml"
