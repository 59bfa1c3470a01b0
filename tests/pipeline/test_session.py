"""Sessions: settings, reuse, refusals, and a silent terminal."""

import hashlib
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from floor.files import partial_name
from pipeline import PipelineError, PopulationSpec, population_frame, spark_session
from pipeline.errors import spark_errors

SPEC = PopulationSpec("clustered", 3000, 5)
CHECKSUM = """
import hashlib, sys
from pipeline import PopulationSpec, population_frame, spark_session
spark = spark_session(sys.argv[1], driver_memory_mb=600)
table = population_frame(spark, PopulationSpec("clustered", 3000, 5), 3).toArrow().sort_by("id")
print(hashlib.sha256(b"".join(column.to_numpy().tobytes() for column in table.columns)).hexdigest())
"""


def checksum(spark: SparkSession, partitions: int) -> str:
    table = population_frame(spark, SPEC, partitions).toArrow().sort_by("id")
    return hashlib.sha256(b"".join(column.to_numpy().tobytes() for column in table.columns)).hexdigest()


FULL_DISK = """
import resource, sys
from pathlib import Path
from floor.files import partial_name
from pipeline import PipelineError, PopulationSpec, spark_session, write_population
# No file may grow beyond this, as if the disk were full; the JVM inherits the limit.
resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))
spark = spark_session("local[2]", driver_memory_mb=600)
try:
    write_population(spark, PopulationSpec("uniform", 1_000_000, 1), Path(sys.argv[1]) / "population")
except PipelineError as error:
    print(error)
"""


def run_elsewhere(master: str, directory: Path) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONPATH": str(Path.cwd()), "TMPDIR": str(directory)}
    environment.pop("SPARK_HOME", None)
    command = [sys.executable, "-c", CHECKSUM, master]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=directory, env=environment)


def test_rows_are_the_same_whatever_the_partitions(spark: SparkSession) -> None:
    assert checksum(spark, 3) == checksum(spark, 7)


def test_on_one_core_rows_are_the_same_the_terminal_is_quiet_and_what_killed_sessions_left_is_removed(
    spark: SparkSession, tmp_path: Path
) -> None:
    """All of it seen at one start, which takes seconds."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    own = partial_name(tmp_path / "rangecast-spark")
    left = own.with_name(own.name.replace(f"-{os.getpid()}-", f"-{gone.pid}-"))
    (left / "work" / "blockmgr").mkdir(parents=True)
    alive = own.with_name(own.name.replace(f"-{os.getpid()}-", f"-{os.getppid()}-"))
    alive.mkdir()
    done = run_elsewhere("local[1]", tmp_path)
    assert (done.stdout.strip(), done.stderr, done.returncode) == (checksum(spark, 7), "", 0)
    assert list(tmp_path.iterdir()) == [alive]


@pytest.mark.slow
def test_rows_are_the_same_on_a_cluster(spark: SparkSession, tmp_path: Path) -> None:
    done = run_elsewhere("local-cluster[2,1,600]", tmp_path)
    assert (done.stdout.strip(), done.stderr, done.returncode) == (checksum(spark, 7), "", 0)


def test_a_running_session_serves_every_local_master(spark: SparkSession) -> None:
    assert spark_session("local[2]") is spark
    assert spark_session() is spark


def test_another_kind_of_master_is_refused_while_one_runs(spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match=r"session on local\[2\] is running .* stop it before using yarn"):
        spark_session("yarn")


@pytest.mark.parametrize(
    "master", ["", "locl[2]", "local[0]", "local[2", "local-cluster[2,1]", "spark://host", "http://a"]
)
def test_malformed_master(master: str) -> None:
    with pytest.raises(PipelineError, match="the master must be local") as caught:
        spark_session(master)
    assert str(caught.value).startswith(f"--master {master}: ")


def test_unreachable_master(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{unused.getsockname()[1]}"
        done = run_elsewhere(master, tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        f"pipeline.errors.PipelineError: no Spark master answers at {master}"
    )


def test_settings(spark: SparkSession) -> None:
    conf = spark.sparkContext.getConf()
    assert conf.get("spark.ui.enabled") == "false"
    assert conf.get("spark.driver.host") == conf.get("spark.driver.bindAddress") == "127.0.0.1"
    assert conf.get("spark.driver.memory") == "1024m"
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert not str(conf.get("spark.sql.warehouse.dir")).startswith(str(Path.cwd()))


def test_spark_failures_become_one_line(spark: SparkSession) -> None:
    with pytest.raises(PipelineError, match=r"^Spark could not count: [^\n]*absent[^\n]*$"), spark_errors("count"):
        spark.read.parquet("/absent").count()
    with pytest.raises(PipelineError, match=r"^Spark could not divide: [^\n]*$"), spark_errors("divide"):
        spark.range(10).selectExpr("1 / (id - 5)").collect()


def test_what_fails_after_an_interruption_is_the_interruption() -> None:
    def stopped() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise Py4JError("py4j does not exist in the JVM")

    with pytest.raises(KeyboardInterrupt), spark_errors("count"):
        stopped()


@pytest.mark.slow
def test_a_full_disk_is_told_in_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "out")]
    environment = os.environ | {"PYTHONPATH": str(Path.cwd()), "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.stderr == ""
    assert done.stdout.startswith(f"Spark could not write {tmp_path / 'out' / 'population'}: ")
    assert "File too large" in done.stdout
    assert done.stdout.count("\n") == 1
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.slow
def test_a_start_that_fails_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    done = run_elsewhere("yarn", tmp_path)
    assert "Error: Spark could not start on yarn: When running with master 'yarn'" in done.stderr.splitlines()[-1]
