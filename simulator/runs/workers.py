"""Where the tasks of a sweep run: on processes of this machine, or on the executors of a Spark cluster.

Both hand on every outcome as soon as it is there, so that what is finished survives whatever happens next.
"""

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.synchronize import Event
from typing import TypeVar

from pyspark import SparkContext
from pyspark.sql import SparkSession

from pipeline import PipelineError
from pipeline.errors import spark_errors
from simulator.results.summary import Row
from simulator.runs.task import Failure, Task, run_task

__all__ = ["cores", "each_on_processes", "end_with_parent", "on_processes", "on_spark"]

TaskOutcome = list[Row] | Failure
Job = TypeVar("Job")
Result = TypeVar("Result")

_WATCH_SECONDS = 0.5


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_processes(tasks: Sequence[Task], processes: int) -> Iterator[tuple[Task, TaskOutcome]]:
    """Run tasks on processes of this machine; outcomes in the order in which they end."""
    return each_on_processes(tasks, processes, run_task)


def each_on_processes(
    jobs: Sequence[Job], processes: int, work: Callable[[Job], Result | Failure]
) -> Iterator[tuple[Job, Result | Failure]]:
    """Do some work for each of many on processes of this machine; outcomes in the order in which they end.

    A process that dies (killed, out of memory) breaks the pool and does not say which task it was at. Those that were
    under way are therefore run again one by one, and only one that breaks its pool again has failed.
    """
    waiting = list(reversed(jobs))
    while waiting:
        suspects = yield from _until_broken(waiting, processes, work)
        for job in suspects:
            if (yield from _until_broken([job], 1, work)):
                yield job, Failure("its process died (killed, or out of memory)")


def _until_broken(
    waiting: list[Job], processes: int, work: Callable[[Job], Result | Failure]
) -> Generator[tuple[Job, Result | Failure], None, list[Job]]:
    """Work a list off from its end; what was under way when a process died, or nothing."""
    # Not fork: the JVM's connection and threads of this process must not be copied.
    context = get_context("spawn")
    stop = context.Event()
    running: dict[Future[Result | Failure], Job] = {}
    with ProcessPoolExecutor(processes, context, initializer=end_with_parent, initargs=(stop,)) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < processes:
                    running[pool.submit(work, waiting[-1])] = waiting[-1]
                    waiting.pop()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    outcome = future.result()
                    yield running.pop(future), outcome
        except BrokenProcessPool:
            return list(running.values())
        except BaseException:
            stop.set()
            raise
    return []


def end_with_parent(stop: Event) -> None:
    """Let a worker end when told to or when its parent is gone: a pool leaves it waiting for ever after kill -9."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent, which gets it too, decides
    parent = parent_process()

    def watch() -> None:
        while not stop.wait(_WATCH_SECONDS):
            if parent is not None and not parent.is_alive():
                break
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def on_spark(tasks: Sequence[Task], spark: SparkSession, at_once: int) -> Iterator[tuple[Task, TaskOutcome]]:
    """Run tasks on the executors of a cluster; outcomes in the order in which they end.

    Every task is a job of its own: a job's results arrive together, and a driver that is killed would lose them all.
    """
    context = spark.sparkContext
    pool = ThreadPoolExecutor(at_once)
    try:
        running = {pool.submit(_on_executor, context, task): task for task in tasks}
        for future in as_completed(running):
            yield running[future], future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        context.cancelAllJobs()
        raise
    pool.shutdown()


def _on_executor(context: SparkContext, task: Task) -> TaskOutcome:
    try:
        with spark_errors("run a simulation"):
            (outcome,) = context.parallelize([task], 1).mapPartitions(_run_each).collect()
    except PipelineError as error:
        return Failure.of(error)
    return outcome


def _run_each(tasks: Iterable[Task]) -> Iterable[TaskOutcome]:
    return map(run_task, tasks)
