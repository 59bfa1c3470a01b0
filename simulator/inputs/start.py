"""What a run starts from: subscriptions and objects, made or brought, the range of x, and events that were brought.

Subscriptions and objects that are made lie in the cache under a hash of what they follow from, those of a file under
the digest of its content. Ends of a population are shares of a range of x, over which it is laid: [0, 1], that of a
trace or that of the objects. Ends that somebody brings are values of x. Halfspaces and disks likewise, but for where
they lie in S: that follows from the lowest and highest value of each of their columns.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import pipeline
from floor.cache import cache_dir, cache_place
from paint.shapes import LARGEST
from pipeline import UNIT
from simulator.scenario.file_values import pairs_of
from simulator.scenario.scenario import Scenario
from simulator.workload.event_list import read_event_list
from simulator.workload.traces import Trace, Updates, read_trace
from simulator.workload.workload import Workload

__all__ = [
    "Ranges",
    "Start",
    "XRange",
    "little_to_make",
    "objects_of",
    "population_of",
    "population_place",
    "ranges_of",
    "start_of",
    "trace_file",
    "trace_of",
    "workload_of",
]

_FEW = 100_000
"""So many subscriptions, or objects, a JVM makes before it would have compiled its code well."""

Floats = NDArray[np.float64]
Range = tuple[float, float]
XRange = Range | Sequence[Range]
"""Lowest and highest x; over several attributes of all alike, or a pair for each."""


class Ranges(NamedTuple):
    """Where subscriptions lie."""

    x: XRange = (0.0, 1.0)
    """The lowest and highest x to expect: what zones cover. Of halfspaces and disks, a pair for each side of S."""
    laid: XRange = (0.0, 1.0)
    """Over which ends are laid, as they are in the files: [0, 1] leaves them as they are."""


class Start(NamedTuple):
    """The objects before the first event, and what is known of the rest before anything is drawn."""

    x: Floats
    y: Floats
    ranges: Ranges = Ranges()
    names: Sequence[str] = ()
    """Names of objects by id, where they have any; of a trace or list, of those that are inserted too."""
    brought: Updates | None = None
    """Events of a trace or list."""


def start_of(scenario: Scenario, make: Callable[[], tuple[Floats, Floats]]) -> Start:
    """Read what a scenario brings, and make the rest.

    Parameters
    ----------
    make : callable
        Gives x and y of the objects, if neither a trace nor a file has them.

    Raises
    ------
    TraceError, PipelineError
        A file cannot be used, or changed since the scenario was read.
    """
    start = _read_start(scenario, make)
    if scenario.form.shape != "boxes":
        _refuse_large(scenario, start)
    return start


def _read_start(scenario: Scenario, make: Callable[[], tuple[Floats, Floats]]) -> Start:
    trace, about = trace_of(scenario), scenario.objects
    if trace is not None:
        return Start(trace.x, trace.y, _ranges(scenario, trace.ranges), trace.names, trace.updates)
    ranges, names = ranges_of(scenario), list[str]()
    if about.file is None:
        x, y = make()
    else:
        x, y, names = pipeline.read_own_objects(Path(about.file), about.sha256, scenario.dimensions)
    if scenario.events.file is None:
        return Start(x, y, ranges, names)
    path = Path(scenario.events.file)
    digest, dimensions = scenario.events.sha256, scenario.dimensions
    brought = read_event_list(path, (x, y), names, _count(scenario), digest, dimensions)
    return Start(x, y, ranges, brought.names, brought.updates)


def _refuse_large(scenario: Scenario, start: Start) -> None:
    """Refuse places of objects that halfspaces and disks cannot do with, wherever they come from."""
    events, attributes = scenario.events.file, start.x.shape[1]
    moves = np.empty((0, attributes)) if start.brought is None else start.brought.x
    for file, what, x in (
        (trace_file(scenario) or scenario.objects.file, "object", start.x),
        (events, "event", moves),
    ):
        rows, columns = np.nonzero(np.abs(x) > LARGEST)
        if len(rows):
            name = pipeline.x_names(attributes)[columns[0]]
            told = f"{file}: {what} {rows[0]}: {name} = {float(x[rows[0], columns[0]])!r}"
            raise pipeline.PipelineError(f"{told}: {_size_rule(scenario)}; mend or remove the row")


def _refuse_wide(scenario: Scenario, where: object, names: Sequence[str], ranges: Sequence[Range]) -> None:
    """Refuse what lies further out than halfspaces and disks can do with, by the ranges of some columns."""
    for name, pair in zip(names, ranges, strict=True):
        end = max(pair, key=abs)
        if abs(end) > LARGEST:
            raise pipeline.PipelineError(f"{where}: {name} = {end!r}: {_size_rule(scenario)}; mend or remove it")


def _size_rule(scenario: Scenario) -> str:
    return f"{scenario.form.shape} want every number of subscriptions and objects to be at most {LARGEST:g} in size"


def trace_of(scenario: Scenario) -> Trace | None:
    """Read the trace of a scenario, if it has one.

    Raises
    ------
    TraceError, PipelineError
        It cannot be run, or changed since the scenario was read.
    """
    path = trace_file(scenario)
    if path is None:
        return None
    return read_trace(path, _count(scenario), scenario.events.sha256, scenario.dimensions)


def _count(scenario: Scenario) -> int | None:
    """Events to read; None for all."""
    return scenario.events.count if scenario.events.duration_s is None else None


def ranges_of(scenario: Scenario) -> Ranges:
    """Where subscriptions lie, by what can be told of files without reading their rows again.

    Raises
    ------
    PipelineError
        A file cannot be used, or changed since the scenario was read.
    """
    return _ranges(scenario, _object_ranges(scenario))


def _ranges(scenario: Scenario, of_objects: Sequence[Range]) -> Ranges:
    """Where subscriptions lie, from the range of x that objects have in each attribute."""
    facts = None if scenario.subscriptions.file is None else _subscription_facts(scenario)
    if scenario.form.shape != "boxes":
        return _shape_ranges(scenario, of_objects, facts)
    if facts is None or facts.made:
        return Ranges(_of_all(of_objects), _of_all(of_objects))
    both = zip(of_objects, facts.ranges, strict=True)
    wide = [(min(one[0], other[0]), max(one[1], other[1])) for one, other in both]
    return Ranges(_of_all([(low, high if low < high else low + 1.0) for low, high in wide]))


def _shape_ranges(
    scenario: Scenario, of_objects: Sequence[Range], facts: pipeline.SubscriptionFacts | None
) -> Ranges:
    """Where halfspaces or disks lie."""
    form, laid = scenario.form, of_objects if facts is None or facts.made else (UNIT,) * len(of_objects)
    columns = pipeline.curve_frames(form, _population_spec(scenario).parameters) if facts is None else facts.ranges
    about, names = scenario.objects, pipeline.x_names(form.attributes)
    where = "objects.range" if about.range is not None else trace_file(scenario) or about.file
    _refuse_wide(scenario, scenario.subscriptions.file, form.columns, columns)
    _refuse_wide(scenario, where, names, of_objects)
    sides = pipeline.side_ranges(form, columns, tuple(laid))
    return Ranges(tuple((low, high if low < high else low + 1.0) for low, high in sides), tuple(laid))


def _of_all(ranges: Sequence[Range]) -> XRange:
    """Ranges of all attributes; of one it is a pair."""
    return ranges[0] if len(ranges) == 1 else tuple(ranges)


def _object_ranges(scenario: Scenario) -> Sequence[Range]:
    """Lowest and highest x in each attribute."""
    trace, objects, attributes = trace_file(scenario), scenario.objects, pipeline.attributes_of(scenario.dimensions)
    if trace is not None:
        return pipeline.trace_facts(trace).ranges
    if objects.file is None:
        return ((0.0, 1.0),) * attributes
    if objects.range is not None:
        return pairs_of(objects.range, attributes)
    return pipeline.object_facts(Path(objects.file)).ranges


def workload_of(scenario: Scenario, start: Start, population: Path | None) -> tuple[Workload, Floats]:
    """Workload of the objects of a start and of the subscriptions in a directory; and the places of these.

    Without a directory there are none, in arrays of the right shape.
    """
    form = scenario.form
    if population is None:
        ends = form.attributes if form.shape == "boxes" else len(form.columns)
        l = r = np.empty(0 if form.dimensions == 1 else (0, ends))
        location = np.empty(0)
    else:
        held = pipeline.read_population(population, x_range=start.ranges.laid)
        l, r, location = held.l, held.r, held.location
    return Workload(scenario.k, start.x, start.y, l, r, dimensions=form.dimensions, shape=form.shape), location


def _all_cached(scenario: Scenario) -> bool:
    """Whether the subscriptions and objects of a scenario are there, so that `gather` needs no Spark."""
    brought = scenario.objects.file is not None or trace_file(scenario) is not None
    objects = brought or pipeline.object_path(_object_spec(scenario), cache_dir() / "objects").exists()
    return objects and population_place(scenario).exists()


def little_to_make(scenario: Scenario) -> bool:
    """Whether `gather` needs Spark for few subscriptions and objects at most, so that a brief session makes them."""
    return _all_cached(scenario) or max(scenario.subscriptions.count, scenario.objects.count) <= _FEW


def trace_file(scenario: Scenario) -> Path | None:
    """Directory of a scenario's trace, if it has one."""
    file = scenario.events.file
    return None if file is None or pipeline.is_event_list(Path(file)) else Path(file)


def objects_of(scenario: Scenario, spark: pipeline.SparkSource) -> Path:
    """Path of the objects of a scenario: its trace or file, or an array as `pipeline.object_file` makes it."""
    brought = trace_file(scenario) or scenario.objects.file
    if brought is not None:
        return Path(brought)
    return pipeline.object_file(spark, _object_spec(scenario), cache_place("objects")).absolute()


def population_of(scenario: Scenario, spark: pipeline.SparkSource) -> Path:
    """Path of the subscriptions of a scenario, made by Spark if they are not there.

    Raises
    ------
    PipelineError
        A file cannot be used, or changed since the scenario was read.
    """
    file, cache = scenario.subscriptions.file, cache_place("populations")
    if file is None:
        return pipeline.population(spark, _population_spec(scenario), cache).absolute()
    return pipeline.own_population(spark, Path(file), _subscription_facts(scenario), scenario.seed, cache).absolute()


def population_place(scenario: Scenario) -> Path:
    """Where the subscriptions of a scenario are, or will be once they are made."""
    file, cache = scenario.subscriptions.file, cache_dir() / "populations"
    if file is None:
        return pipeline.population_path(_population_spec(scenario), cache)
    facts = _subscription_facts(scenario)
    return Path(file) if facts.made else pipeline.own_population_path(facts, scenario.seed, cache)


def _subscription_facts(scenario: Scenario) -> pipeline.SubscriptionFacts:
    path, sha256 = Path(str(scenario.subscriptions.file)), scenario.subscriptions.sha256
    facts = pipeline.subscription_facts(path)
    if sha256 not in (None, facts.sha256):
        raise pipeline.PipelineError(f"{path}: changed since the scenario was read; start again")
    return facts


def _object_spec(scenario: Scenario) -> pipeline.ObjectSpec:
    about = scenario.objects
    return pipeline.ObjectSpec(about.distribution, about.count, scenario.seed, scenario.dimensions)


def _population_spec(scenario: Scenario) -> pipeline.PopulationSpec:
    about = scenario.subscriptions
    follows = pipeline.objects_covered(about.distribution) > 0
    parameters = {"objects": scenario.objects.count} if follows else {}
    return pipeline.PopulationSpec(about.distribution, about.count, scenario.seed, parameters, scenario.dimensions)
