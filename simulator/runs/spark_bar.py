"""How far Spark has come, shown beside what asked it: its jobs may take minutes and tell nothing by themselves."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from rich.progress import Progress

__all__ = ["spark_bar"]

_SECONDS = 0.5


@contextmanager
def spark_bar(progress: Progress, session: "Future[SparkSession]") -> Iterator[None]:
    """Show, as long as the block runs, how many tasks of Spark's stages under way are done, while there are any."""
    if progress.disable:
        yield
        return
    bar, ended = progress.add_task("on Spark: tasks under way", visible=False), threading.Event()

    def watch() -> None:
        while not ended.wait(_SECONDS):
            done, total = _tasks(session)
            progress.update(bar, visible=total > 0, completed=done, total=total)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()
        progress.update(bar, visible=False)


def _tasks(session: "Future[SparkSession]") -> tuple[int, int]:
    """Tasks of the stages under way that are done, and all of them; none if Spark does not run."""
    if not session.done() or session.cancelled() or session.exception() is not None:
        return 0, 0
    try:
        tracker = session.result().sparkContext.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    except (Py4JError, OSError):  # it is being stopped
        return 0, 0
    under_way = [stage for stage in stages if stage is not None]
    return sum(stage.numCompletedTasks for stage in under_way), sum(stage.numTasks for stage in under_way)
