"""Specs: a few values from which all rows of a population, or all objects, follow."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from pyspark.sql import DataFrame

from pipeline.attributes import Form, attributes_of, form_of
from pipeline.drawing import distributions_of, object_distributions_of
from pipeline.side_distributions import check_parameters, distribution_shape

__all__ = ["FileSpec", "ObjectSpec", "PopulationSpec", "stored_form", "stored_spec"]


def _check_spec(registry: Mapping[str, object], dimensions: float, distribution: str, count: int, seed: int) -> None:
    """Refuse a distribution that is not registered, and counts and seeds out of range."""
    if distribution not in registry:
        where = "" if dimensions == 1 else f" in {dimensions:g} dimensions"
        raise ValueError(f"distribution must be one of {', '.join(sorted(registry))}{where}, got {distribution!r}")
    for name, value, least, bits in (("count", count, 1, 40), ("seed", seed, 0, 63)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} must be an integer, got {value!r}")
        if not least <= value < 2**bits:
            raise ValueError(f"{name} must be between {least} and 2^{bits} - 1, got {value}")


@dataclass(frozen=True)
class PopulationSpec:
    """
    What a population is: the same spec gives the same rows, on any machine of one kind and any cluster.

    Parameters
    ----------
    distribution
        A name in `pipeline.distributions_of(dimensions)`.
    count
        Number of subscriptions, below 2^40.
    seed
        Any integer from 0 to 2^63 - 1.
    parameters
        Values above 0 for the parameters of the distribution, for instance `{"spread": 0.1}` for "clustered".
    dimensions
        One of `paint.sides.DIMENSIONS`.
    """

    distribution: str
    count: int
    seed: int
    parameters: Mapping[str, float] = field(default_factory=dict)
    dimensions: float = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimensions", form_of(self.dimensions).dimensions)
        offered = distributions_of(self.dimensions)
        _check_spec(offered, self.dimensions, self.distribution, self.count, self.seed)
        known = _parameters(offered[self.distribution])
        for name, value in self.parameters.items():
            if name not in known:
                takes = f"takes {', '.join(known)}" if known else "takes no parameters"
                raise ValueError(f"distribution {self.distribution} {takes}, got {name!r}")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(f"{name} must be a number, got {value!r}")
            if not (isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a finite number above 0, got {value}")
        given = {**known, **{n: float(v) for n, v in self.parameters.items()}}
        check_parameters(self.distribution, given)
        object.__setattr__(self, "parameters", given)

    def __hash__(self) -> int:
        return hash(self.as_json())

    @property
    def form(self) -> Form:
        """What its subscriptions are."""
        return Form(self.dimensions, distribution_shape(self.distribution))

    def as_json(self) -> str:
        """Canonical text of the spec, defaults filled in."""
        content = {
            "distribution": self.distribution,
            "count": self.count,
            "seed": self.seed,
            "parameters": self.parameters,
        }
        return json.dumps(_with_form(content, self.form), sort_keys=True)


@dataclass(frozen=True)
class FileSpec:
    """
    What a population is that follows from a file somebody brought, whose ends are values of x, not shares of a range.

    Parameters
    ----------
    sha256
        Digest of the file.
    count
        Number of subscriptions.
    seed
        Of the places of subscriptions; 0 where the file has them.
    dimensions, shape
        What they are, as in `pipeline.attributes.Form`.
    """

    sha256: str
    count: int
    seed: int
    dimensions: float = 1
    shape: str = "boxes"

    @property
    def form(self) -> Form:
        """What its subscriptions are."""
        return Form(self.dimensions, self.shape)

    def as_json(self) -> str:
        """Canonical text of the spec."""
        content = {name: value for name, value in asdict(self).items() if name not in Form._fields}
        content |= {} if self.shape == "boxes" else {"shape": self.shape}
        return json.dumps(_with_form(content, self.form), sort_keys=True)


@dataclass(frozen=True)
class ObjectSpec:
    """
    What a set of objects is.

    Parameters
    ----------
    distribution
        A name in `pipeline.object_distributions_of(dimensions)`.
    count, seed
        As of a population.
    dimensions
        One of `paint.sides.DIMENSIONS`; objects have as many attributes, rounded up.
    """

    distribution: str
    count: int
    seed: int
    dimensions: float = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimensions", form_of(self.dimensions).dimensions)
        _check_spec(
            object_distributions_of(self.dimensions), self.dimensions, self.distribution, self.count, self.seed
        )

    def __str__(self) -> str:
        """Give what the objects follow from: 1.5 and 2 dimensions have the same; the words are older than both."""
        more = "" if self.dimensions == 1 else f", attributes={attributes_of(self.dimensions)}"
        return f"ObjectSpec(distribution={self.distribution!r}, count={self.count}, seed={self.seed}{more})"


def _parameters(distribution: Callable[..., DataFrame]) -> dict[str, float]:
    """Keyword-only arguments of a distribution, with their defaults."""
    arguments = inspect.signature(distribution).parameters.values()
    return {argument.name: argument.default for argument in arguments if argument.kind is argument.KEYWORD_ONLY}


def _with_form(content: dict[str, Any], form: Form) -> dict[str, Any]:
    """Add the dimensions; one is what a spec without them has."""
    return content if form.dimensions == 1 else content | {"dimensions": form.dimensions}


def stored_spec(**content: Any) -> PopulationSpec | FileSpec:
    """Make a spec of what is in a file.

    Raises
    ------
    TypeError, ValueError
        It is none, or the distribution is unknown here.
    """
    if "sha256" in content:
        return FileSpec(**content)
    name = content.get("distribution")
    if name not in distributions_of(content.get("dimensions", 1)):
        raise ValueError(f"made by the distribution {name!r}; bring that by --with FILE")
    return PopulationSpec(**content)


def stored_form(spec_json: str) -> Form:
    """Form of the subscriptions in a file, by the text of its spec; that of one dimension if it does not say.

    The distribution need not be known here.
    """
    try:
        content = json.loads(spec_json)
        shape = content.get("shape") or distribution_shape(content.get("distribution", ""))
        return form_of(content.get("dimensions", 1), shape)
    except (AttributeError, TypeError, ValueError):
        return Form()
