"""One Spark session per process, set up so that a laptop and a cluster behave alike and the terminal stays quiet.

The JVM writes to a temporary log file instead of the user's terminal: some of its start-up warnings are printed
before any logging setting is read. If Spark does not start, the reason is taken from that log.
"""

import atexit
import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from floor.files import clear_leftovers, partial_name
from floor.machine import memory_bytes
from pipeline.class_archive import archive_path, first_jars, keep_archive, partial_archive
from pipeline.errors import PipelineError, spark_errors
from pipeline.java import require_java

__all__ = ["SparkSource", "check_master", "check_spark", "spark_runs", "spark_session", "spark_source"]

SparkSource = Callable[[], SparkSession]
"""Gives the session when it is needed, and starts it if it does not run: what is in a cache needs none."""

LARGEST_DRIVER_MB = 4096
CONNECT_SECONDS = 5.0

_BRIEF_JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_BRIEF = {
    # For a few thousand rows, code of their own for every query takes longer to compile than to do without.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # To plan anew after every stage, and to send one side of a join around in a job of its own, pays for many rows.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}

_LOCAL = re.compile(r"local(\[(\*|[1-9]\d*)(\s*,\s*[1-9]\d*)?\])?")
_LOCAL_CLUSTER = re.compile(r"local-cluster\[\s*[1-9]\d*\s*,\s*[1-9]\d*\s*,\s*([1-9]\d*)\s*\]")
_STANDALONE = re.compile(r"spark://([^\s:/,]+:\d+)(,[^\s:/,]+:\d+)*")
_LOOPBACK = re.compile(r"spark://(127\.0\.0\.1|localhost):\d+")
_OTHER = re.compile(r"yarn|k8s://\S+")
_MASTERS = "local[*], local[N], local-cluster[N,CORES,MB], spark://HOST:PORT, yarn or k8s://URL"


def spark_session(
    master: str = "local[*]",
    *,
    driver_memory_mb: int | None = None,
    config: dict[str, str] | None = None,
    brief: bool = False,
    keep_classes: bool = False,
) -> SparkSession:
    """
    Session on `master`: the one that runs already in this process, or a new one.

    Populations and tables do not depend on the number of cores, so a running local session serves every local master.

    Parameters
    ----------
    master
        Any Spark master URL.
    driver_memory_mb
        Heap of the driver; by default a quarter of the machine's memory, at most 4 GB.
    config
        More Spark settings; they override the ones chosen here.
    brief
        Whether only small jobs are to come. The JVM then compiles quickly instead of well: it starts with half the
        work, and makes large populations at half the speed.
    keep_classes
        Whether the process, if there is no archive of classes yet, leaves one for later starts when it ends, which
        takes a few seconds more.

    Raises
    ------
    PipelineError
        If Java is missing, the master is malformed or does not answer, Spark does not start, or a session on
        another master is running.
    """
    check_master(master)
    if spark_runs():
        # The session may have been started in another thread, where alone it is the active one.
        running: SparkSession = SparkSession.builder.getOrCreate()
        present = str(running.sparkContext.master)
        if present == master or (_LOCAL.fullmatch(present) and _LOCAL.fullmatch(master)):
            return running
        raise PipelineError(f"a Spark session on {present} is running in this process; stop it before using {master}")
    check_spark(master)
    settings = _settings(master, driver_memory_mb or _driver_memory_mb()) | (config or {})
    options = list(_BRIEF_JVM) if brief else []
    if brief:
        settings = _BRIEF | settings
    # A JVM that is killed leaves its work files behind; here the next start finds them.
    work = _scratch() / "work"
    work.mkdir(exist_ok=True)
    options.append(f'"-Djava.io.tmpdir={work}"')
    context = _start(master, settings, options, keep_classes=keep_classes)
    session = SparkSession(context)
    if "spark.sql.shuffle.partitions" not in settings:
        session.conf.set("spark.sql.shuffle.partitions", str(max(2, context.defaultParallelism)))
    return session


def spark_source(master: str = "local[*]") -> SparkSource:
    """
    Source of a session on `master`, which is started only when it is asked for.

    Raises
    ------
    PipelineError
        If the master is malformed.
    """
    check_master(master)
    return partial(spark_session, master)


def check_master(master: str) -> None:
    """Refuse a master URL that Spark cannot read, before a JVM is started for it."""
    if not any(form.fullmatch(master) for form in (_LOCAL, _LOCAL_CLUSTER, _STANDALONE, _OTHER)):
        raise PipelineError(f"--master {master}: the master must be {_MASTERS}; choose one of these forms")


def check_spark(master: str) -> None:
    """Refuse, without starting it, what Spark would need seconds to fail at: no Java, no such master."""
    check_master(master)
    require_java()
    check_reachable(master)


def spark_runs() -> bool:
    """Whether this process has a session."""
    return SparkContext._active_spark_context is not None


def check_reachable(master: str) -> None:
    """Ask a standalone master for a connection: Spark itself would retry for a minute and then give no reason."""
    if not _STANDALONE.fullmatch(master):
        return
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        host, port = address.split(":")
        try:
            socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
        except (OSError, OverflowError) as error:
            reasons.append(str(error))
        else:
            return
    raise PipelineError(f"no Spark master answers at {master} ({reasons[0]}); start it or choose another master")


def _driver_memory_mb() -> int:
    """A quarter of the memory this process may use, between 512 MB and 4 GB."""
    return max(512, min(LARGEST_DRIVER_MB, memory_bytes() // 4 // 2**20))


def _settings(master: str, driver_memory_mb: int) -> dict[str, str]:
    settings = {
        "spark.app.name": "rangecast",
        "spark.driver.memory": f"{driver_memory_mb}m",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(_scratch() / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if _is_on_this_machine(master):
        # Without these Spark looks the host's name up, which may fail or bind to an address others can reach.
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if cluster := _LOCAL_CLUSTER.fullmatch(master):
        # Executors ask for 1 GB by default and are not started by workers that have less.
        settings["spark.executor.memory"] = f"{cluster[1]}m"
    return settings


def _is_on_this_machine(master: str) -> bool:
    return any(form.fullmatch(master) for form in (_LOCAL, _LOCAL_CLUSTER, _LOOPBACK))


_scratch_dir: Path | None = None


def _scratch() -> Path:
    """Directory of this process for Spark's log and work files, removed when the process ends.

    What processes that were killed have left of theirs is removed first.
    """
    global _scratch_dir
    if _scratch_dir is None:
        place = Path(tempfile.gettempdir())
        clear_leftovers(place)
        _scratch_dir = partial_name(place / "rangecast-spark")
        _scratch_dir.mkdir(0o700)
        atexit.register(shutil.rmtree, _scratch_dir, ignore_errors=True)
    return _scratch_dir


def _prepare_environment(master: str) -> Path:
    """Set what Spark takes from the environment; the `java` that it will run on."""
    java = require_java()
    home = os.environ.get("JAVA_HOME")
    if home is not None and java != Path(home) / "bin" / "java":
        # Spark would take JAVA_HOME without looking at its version.
        del os.environ["JAVA_HOME"]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if _is_on_this_machine(master):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if _LOCAL_CLUSTER.fullmatch(master) and "SPARK_HOME" not in os.environ:
        os.environ["SPARK_HOME"] = str(_spark_home())
    return java


def _spark_home() -> Path:
    """Links to the installed Spark: workers of local-cluster write below SPARK_HOME, which may be read-only."""
    home = _scratch() / "spark"
    if not home.is_dir():
        home.mkdir()
        for entry in Path(pyspark.__file__).parent.iterdir():
            (home / entry.name).symlink_to(entry)
    return home


def _start(
    master: str, settings: dict[str, str], jvm_options: list[str], *, keep_classes: bool = False
) -> SparkContext:
    archive = archive_path(_prepare_environment(master))
    partial = partial_archive(archive) if keep_classes and not archive.exists() else None
    if archive.exists():
        jvm_options.append(f'"-XX:SharedArchiveFile={archive}"')
    elif partial is not None:
        jvm_options.append(f'"-XX:ArchiveClassesAtExit={partial}"')
    settings.setdefault("spark.driver.extraJavaOptions", " ".join(jvm_options))
    settings.setdefault("spark.driver.extraClassPath", first_jars())
    conf = SparkConf(loadDefaults=False).setMaster(master).setAll(list(settings.items()))
    log = _scratch() / "spark.log"
    with spark_errors(f"start on {master}"):
        # The JVM outlives a stopped session; a second session of the process runs in the first one's.
        if SparkContext._gateway is not None:
            return SparkContext(conf=conf)
        with log.open("ab") as stream:
            try:
                gateway = launch_gateway(conf, {"stdout": stream, "stderr": stream})  # type: ignore[no-untyped-call]
            except PySparkRuntimeError as error:
                raise PipelineError(f"Spark could not start on {master}: {_reason(log)}") from error
        if partial is not None:
            atexit.register(keep_archive, gateway.proc, partial, archive)
            atexit.register(_stop)  # comes first: what listens to the JVM would print that it has gone
        return SparkContext(conf=conf, gateway=gateway)


def _stop() -> None:
    """Stop the session of this process, if there is one."""
    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()


def _reason(log: Path) -> str:
    """Find the line of the JVM's log that says why it ended."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"exception|error", line, flags=re.IGNORECASE)]
    reason = (telling or lines or ["the JVM ended without a word"])[0]
    return re.sub(r'^Exception in thread "\S+" (\S+: )?', "", reason)
