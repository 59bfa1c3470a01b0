"""What the tests of the simulator share: sweeps whose tasks run where a test can reach into them."""

from collections.abc import Iterator, Sequence

import pytest
from pyspark.sql import SparkSession

from simulator.results.summary import Row
from simulator.runs import sweep
from simulator.runs.task import Failure, Task, run_task


@pytest.fixture
def in_this_process(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sweeps run their tasks in this very process."""

    def on_this_process(tasks: Sequence[Task], processes: int) -> Iterator[tuple[Task, list[Row] | Failure]]:
        return ((task, run_task(task)) for task in tasks)

    monkeypatch.setattr(sweep, "on_processes", on_this_process)
