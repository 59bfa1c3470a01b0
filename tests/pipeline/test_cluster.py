"""The same populations and deliveries on clusters: `local-cluster`, and a standalone master with two workers."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

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


def environment(directory: Path) -> dict[str, str]:
    """Executors find this checkout by PYTHONPATH, as they would find an installed one."""
    (directory / "conf").mkdir(exist_ok=True)
    (directory / "conf" / "spark-defaults.conf").write_text("spark.rangecast.note from-the-defaults\n")
    changed = {
        "PYTHONPATH": str(Path.cwd()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(directory / "conf"),
    }
    return {name: value for name, value in os.environ.items() if name != "SPARK_HOME"} | changed


def result_on(master: str, directory: Path) -> list[object]:
    command = [sys.executable, "-c", JOB, master, str(directory / "populations")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=directory, env=environment(directory), timeout=400
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


@pytest.fixture(scope="module")
def here(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    names: dict[str, object] = {"__name__": "job"}
    exec(JOB, names)
    return list(names["job"](spark, tmp_path_factory.mktemp("here")))  # type: ignore[operator]


@contextmanager
def spark_process(kind: str, arguments: list[str], directory: Path, started: str) -> Iterator[str]:
    """A master or worker of Spark's standalone cluster; yields what `started` matches in its log."""
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments]
    log = directory / f"{kind}-{time.monotonic_ns()}.log"
    variables = environment(directory) | {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"}
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, cwd=directory, env=variables)
    try:
        deadline = time.monotonic() + 120
        while not (found := re.search(started, log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
        yield found[0]
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_local_cluster(here: list[object], tmp_path: Path) -> None:
    assert result_on("local-cluster[2,1,900]", tmp_path) == ["from-the-defaults", 2, *here]


@pytest.mark.slow
def test_standalone_master_and_two_workers(here: list[object], tmp_path: Path) -> None:
    free = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    with spark_process("master.Master", free, tmp_path, r"spark://127\.0\.0\.1:\d+") as master:
        worker = [*free, "--cores", "1", "--memory", "900m", "--work-dir", str(tmp_path / "work"), master]
        ready = "Successfully registered with master"
        with (
            spark_process("worker.Worker", worker, tmp_path, ready),
            spark_process("worker.Worker", worker, tmp_path, ready),
        ):
            assert result_on(master, tmp_path) == ["from-the-defaults", 2, *here]
            assert len(list((tmp_path / "work").glob("app-*/*/stderr"))) == 2
