"""The same populations and deliveries on clusters: `local-cluster`, and a standalone master with two workers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.standalone import environment, standalone_cluster

JOB = """
import hashlib, json, sys
from pathlib import Path
import numpy as np
from paint import Server
from pipeline import PopulationSpec, count_deliveries, population, read_population, spark_session

def job(spark, directory):
    path = population(lambda: spark, PopulationSpec("clustered", 20_000, 5), directory)
    rng = np.random.default_rng(1)
    x, y = rng.random((2, 500))
    messages = Server(x, y, k=5).replay(rng.integers(500, size=30), rng.random(30))
    zones = np.array([[-np.inf, 0.4, -np.inf, np.inf], [0.4, np.inf, -np.inf, np.inf]])
    counted = count_deliveries(spark, path, messages.table, messages.offsets, zones)
    held = read_population(path)
    digest = hashlib.sha256(b"".join(a.tobytes() for a in (held.id, held.l, held.r, held.location))).hexdigest()
    return [digest, counted.per_event.tolist(), counted.per_zone.tolist()]

if __name__ == "__main__":
    spark = spark_session(sys.argv[1], driver_memory_mb=600, config={"spark.executor.memory": "600m"})
    note = spark.sparkContext.getConf().get("spark.rangecast.note", "")
    print(json.dumps([note, spark.sparkContext.defaultParallelism, *job(spark, Path(sys.argv[2]))]))
    spark.stop()
"""


NOTE = {"spark.rangecast.note": "from-the-defaults"}


def result_on(master: str, directory: Path) -> list[object]:
    command = [sys.executable, "-c", JOB, master, str(directory / "populations")]
    variables = environment(directory, NOTE)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=directory, env=variables, timeout=400
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.fixture(scope="module")
def here(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    names: dict[str, object] = {"__name__": "job"}
    exec(JOB, names)
    return list(names["job"](spark, tmp_path_factory.mktemp("here")))  # type: ignore[operator]


@pytest.mark.slow
def test_local_cluster(here: list[object], tmp_path: Path) -> None:
    assert result_on("local-cluster[2,1,900]", tmp_path) == ["from-the-defaults", 2, *here]


@pytest.mark.slow
def test_standalone_master_and_two_workers(here: list[object], tmp_path: Path) -> None:
    with standalone_cluster(tmp_path, environment(tmp_path, NOTE), memory="900m") as master:
        assert result_on(master, tmp_path) == ["from-the-defaults", 2, *here]
        assert len(list((tmp_path / "work").glob("app-*/*/stderr"))) == 2
