"""Warming up: rehearse on a handful of objects, so that kernels are compiled and kept.

Two processes share the work. One opens the servers of the approaches and has them answer events (the kernels of
`paint`), the other carries the messages of an approach without a server over the networks (those of `topologies` and
`cn`): they have next to nothing in common. When both are done, what is left of each approach is little. Without a
scenario the first takes the indexes of `matching` too, and servers over other object indexes and dimensions follow.
"""

import math
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import product
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from rich.progress import Progress

from cn import Subscribers
from cn.holding import OF_SHAPE
from floor.kernels import compile_silently
from paint.shapes import count_held
from simulator.approaches.registry import APPROACHES, parse_approach
from simulator.approaches.session import ask
from simulator.inputs.event_stream import make_events
from simulator.inputs.ingredients import Ingredients, assemble, generator
from simulator.results.needed import Needed, count_needed
from simulator.runs.answer import verified_records
from simulator.runs.index_rehearsal import INDEXES, SERVERS, rehearse_index, rehearse_server
from simulator.runs.workers import end_with_parent
from simulator.scenario.scenario import Scenario
from simulator.scenario.tables import Events, Objects, Server, Subscriptions, Topology
from simulator.workload.traces import broken_rule
from simulator.workload.windows import chunks_of
from simulator.workload.workload import Workload

__all__ = ["warm_up"]

_SERVERLESS = "cn-relax"
_DRAWN = {"boxes": "uniform", "halfspaces": "halfspaces", "disks": "disks"}
"""A distribution of subscriptions of each shape."""
_OBJECTS, _SUBSCRIPTIONS, _BROKERS, _EVENTS = 20, 50, 4, 20


class Rehearsal(NamedTuple):
    """An approach of a scenario, run whole or, without `whole`, its server alone."""

    scenario: Scenario
    approach: str
    whole: bool

    def __str__(self) -> str:
        about = self.scenario
        where = f"{about.network.kind}, {about.engine}" if self.whole else "server"
        return f"{self.approach}, {where}" + ("" if about.dimensions == 1 else f", {about.dimensions} dimensions")


def warm_up(scenario: Scenario | None = None, progress: Progress | None = None) -> None:
    """Compile the kernels that a scenario uses, or all that runs and indexes use, without Spark.

    The scenario of the demo takes 100 s of processor time, which two cores share; all take more. It is seconds where
    they are compiled already.

    Parameters
    ----------
    scenario : Scenario, optional
        What is to be run. Kernels that depend on its files are left to their first use.
    progress : rich.progress.Progress, optional
        Where the steps are shown.
    """
    scenarios = list(_all_kinds()) if scenario is None else [_in_small(scenario)]
    # The network's process finds the kernels of its approach's server compiled by the time it comes to them.
    first = sorted(((one, name) for one in scenarios for name in one.approaches), key=lambda at: at[1] != _SERVERLESS)
    servers = {(one.dimensions, name): Rehearsal(one, name, whole=False) for one, name in first}
    networks = [Rehearsal(one, _SERVERLESS, whole=True) for one in scenarios]
    # Networks take less time than servers: their process takes the servers of further dimensions as well, and the
    # other one the indexes, which have nothing in common with either.
    served = [step for at, step in servers.items() if at[0] == scenarios[0].dimensions]
    further = [step for at, step in servers.items() if at[0] != scenarios[0].dimensions]
    rest = [Rehearsal(one, name, whole=True) for one in scenarios for name in one.approaches if name != _SERVERLESS]
    indexes, others, called = (INDEXES, SERVERS, scenarios) if scenario is None else ((), (), [])
    with progress or Progress(disable=True) as shown, _two_workers() as (one, other):
        steps = (servers, networks, rest, indexes, others, others[:1], called)
        bar = shown.add_task("compiling kernels", total=sum(map(len, steps)))
        done = partial(_show, shown, bar)
        matching = [*_each(one, served), *(one.submit(_rehearse_index, name) for name in indexes)]
        done([*matching, *_each(other, networks + further)])
        done([*_each(one, rest[::2]), *_each(other, rest[1::2])])
        last = [(one if about[1] == 1 else other).submit(_rehearse_server, *about) for about in others]
        last += [other.submit(_rehearse_calls, about) for about in called]
        done([*last, *(other.submit(_rehearse_deliveries) for _ in others[:1])])


def _in_small(scenario: Scenario) -> Scenario:
    """Find a scenario that needs the same kernels, no files, and next to no time."""
    events, faults = scenario.events, scenario.faults
    if events.file is not None:
        events = Events(insert=0.1, delete=0.1, move=0.1)
    few: dict[str, object] = {name: min(getattr(faults, name), 5) for name in ("joins", "leaves")}
    if faults.at:  # their times and brokers are those of the whole scenario
        few |= {"at": [], "crashes": max(faults.crashes, 1)}
    smaller = {
        "k": 3,
        "verify": "none" if scenario.verify == "none" else "all",
        "topology": Topology(),
        "network": scenario.network.model_copy(update={"brokers": _BROKERS, "nodes": None}),
        "server": Server(),
        "objects": Objects(count=_OBJECTS),
        "subscriptions": Subscriptions(count=_SUBSCRIPTIONS, distribution=_DRAWN[scenario.form.shape]),
        "events": events.model_copy(update={"count": _EVENTS, "duration_s": None, "warm_up": 0}),
        "faults": faults.model_copy(update=few),
    }
    return scenario.model_copy(update=smaller)


def _all_kinds() -> Iterator[Scenario]:
    """Every network and engine with every approach, and with faults, over one attribute and several; every shape.

    Kernels know no number of sides: what is compiled in 1.5 dimensions is what there is in 2, 2.5 and 3.
    """
    networks = (("can", "uniform"), ("prefix", "uniform"), ("tree", "gaussian"))
    orders = {"can": "place", "prefix": "place", "tree": "hold"}
    for dimensions, (kind, steps) in product((1, 1.5), networks):
        for engine in ("tally", "des"):
            shares = {"delete": 0.1} if engine == "tally" else {"delete": 0.1, "insert": 0.1, "move": 0.1}
            about = {
                "name": "warm-up",
                "dimensions": dimensions,
                "approaches": [*_approaches(dimensions, engine), "paint-dense(0.5)", "paint-sparse(0.5)"],
                "engine": engine,
                "verify": "all",
                "network": {"kind": kind, "last_hop": True},
                "events": {"kind": steps, **shares},
            }
            yield _in_small(Scenario.model_validate(about))
        few = {
            "network": {"kind": kind, "placement": "near", "bundle": True, "order": orders[kind]},
            "approaches": ["paint-sparse", "paint-sparse(sketch=3)", "unicast"],
        }
        faults = {"faults": {"crashes": 1, "joins": 5, "leaves": 5}, "sizes": {"header": "20B"}}
        yield _in_small(Scenario.model_validate({**about, **few, **faults}))
    for shape in ("halfspaces", "disks"):
        drawn = {"network": {}, "dimensions": 2, "subscriptions": {"distribution": _DRAWN[shape]}}
        several = {"approaches": ["paint-sparse", "unicast", "poll(20ms)"]}
        yield _in_small(Scenario.model_validate({**about, **faults, **drawn, **several}))


def _approaches(dimensions: float, engine: str) -> list[str]:
    """Approaches there are in so many dimensions that take the events rehearsed with an engine."""
    return [
        name
        for name, one in APPROACHES.items()
        if (engine == "tally" or not one.updates_only) and (dimensions == 1 or not one.line_only)
    ]


@contextmanager
def _two_workers() -> Iterator[tuple[ProcessPoolExecutor, ProcessPoolExecutor]]:
    """Two processes that end with this one; each does its tasks one after the other."""
    context = get_context("spawn")
    stop = context.Event()
    with ExitStack() as pools:
        try:
            one, other = (
                pools.enter_context(ProcessPoolExecutor(1, context, initializer=_start_worker, initargs=(stop,)))
                for _ in range(2)
            )
            yield one, other
        except BaseException:
            stop.set()
            raise


def _start_worker(stop: Any) -> None:
    end_with_parent(stop)
    compile_silently()


def _each(pool: ProcessPoolExecutor, steps: list[Rehearsal]) -> "list[Future[str]]":
    return [pool.submit(_rehearse, step) for step in steps]


def _show(progress: Progress, bar: Any, steps: "list[Future[str]]") -> None:
    for step in as_completed(steps):
        progress.update(bar, advance=1, description=f"compiling kernels: {step.result()} done")


def _rehearse(step: Rehearsal) -> str:
    if step.whole:
        ingredients = _ingredients(step.scenario)
        # What is needed takes a server: that is left to the process which compiles servers.
        nothing = Needed(*np.zeros((2, len(ingredients.events.object)), np.int64))
        needed = nothing if step.approach == _SERVERLESS else None
        verified_records(step.scenario, ingredients, step.approach, needed=needed)
        ingredients.routes.crossings()
    else:
        _serve(step.scenario, step.approach)
    return str(step)


def _rehearse_calls(scenario: Scenario) -> str:
    """Call what only users of the rooms do from Python, and no run."""
    ingredients = _ingredients(scenario)
    _ask_network(ingredients)
    _hand_over(ingredients.workload)
    return f"calls from Python, {scenario.network.kind}"


def _ask_network(ingredients: Ingredients) -> None:
    """Ask what a caller from Python may: whom a broker hands a message to, and the way between two."""
    network, workload = ingredients.network, ingredients.workload
    network.path(network.centre, (network.centre + 1) % _BROKERS)
    if workload.shape == "boxes":
        l, r = workload.l[0], workload.r[0]
        network.next_hops(network.centre, -1, l, r, l - 1, r + 1)
        network.next_hops(network.centre, -1, r + 1, l - 1, l - 1, r + 1)  # across the diagonal


def _hand_over(workload: Workload) -> None:
    """Hand subscriptions what a caller from Python may, who has no engine; follow events as those of a file are."""
    own = Subscribers(workload.l, workload.r, workload.k, OF_SHAPE[workload.shape])
    nobody, nothing = np.empty(0, np.int64), np.empty(0)
    own.apply_each(nobody, nobody, workload.x[:0], nothing)
    own.apply_unicast(nobody, nobody, nobody, nothing)
    own.wrong(workload.x, workload.y)
    broken_rule(np.empty(0, np.int8), nobody, workload.x[:0], nothing, (workload.x, workload.y))
    if workload.shape != "boxes":
        count_held(workload.shape, workload.r, workload.x)


def _rehearse_index(name: str) -> str:
    rehearse_index(name)
    return name


def _rehearse_server(index: str, dimensions: float, algorithm: str) -> str:
    rehearse_server(index, dimensions, algorithm)
    return f"{algorithm}, {index}, {dimensions} dimensions"


def _rehearse_deliveries() -> str:
    from pipeline.delivery_rehearsal import rehearse_deliveries  # its module needs Spark, which a scenario's do not

    rehearse_deliveries()
    return "deliveries counted on Spark"


def _serve(scenario: Scenario, name: str) -> None:
    workload, approach = _workload(scenario)[0], parse_approach(name)
    purposes, near = partial(generator, scenario), np.zeros((_BROKERS, _BROKERS))
    events = make_events(scenario.events, workload.x, workload.y, workload.k, near, purposes)
    count_needed(workload, events)
    session = approach.open(workload, approach)
    for chunk in chunks_of(events, approach.window, None):
        ask(session, chunk, workload.ends)


_made: dict[str, Ingredients] = {}


def _ingredients(scenario: Scenario) -> Ingredients:
    """Ingredients of a scenario, made once in a process."""
    about = scenario.model_dump_json()
    if about not in _made:
        _made[about] = assemble(scenario, *_workload(scenario))
    return _made[about]


def _workload(scenario: Scenario) -> tuple[Workload, np.ndarray[Any, np.dtype[np.float64]]]:
    """Objects and subscriptions, and places of these."""
    rng, attributes = np.random.default_rng(0), math.ceil(scenario.dimensions)
    several = (attributes,) if scenario.dimensions != 1 else ()
    form = scenario.form
    if form.shape == "boxes":
        l, r = np.sort(rng.random((2, _SUBSCRIPTIONS, *several)), axis=0)
    else:
        l, r = form.laid({name: rng.random(_SUBSCRIPTIONS) for name in form.columns})
    if scenario.dimensions < attributes:
        l[:, -1] = -np.finfo(np.float64).max
    x, y = rng.random((_OBJECTS, *several)), rng.random(_OBJECTS)
    workload = Workload(scenario.k, x, y, l.copy(), r.copy(), **form._asdict())
    return workload, rng.random(_SUBSCRIPTIONS)
