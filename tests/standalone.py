"""A standalone Spark cluster on this machine, bound to the loopback address; benchmarks start it too."""

import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

__all__ = ["environment", "standalone_cluster"]

_FREE = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")


def environment(directory: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """Variables for a driver, and for masters and workers: `settings` are the cluster's, kept in the directory.

    Executors find this checkout by PYTHONPATH, as they would find an installed one.
    """
    conf = directory / "conf"
    conf.mkdir(exist_ok=True)
    lines = "".join(f"{name} {value}\n" for name, value in settings.items())
    (conf / "spark-defaults.conf").write_text(lines, encoding="utf-8")
    checkout = str(Path(__file__).parents[1])
    changed = {"PYTHONPATH": checkout, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_CONF_DIR": str(conf)}
    return {name: value for name, value in os.environ.items() if name != "SPARK_HOME"} | changed


@contextmanager
def standalone_cluster(directory: Path, variables: Mapping[str, str], *, memory: str) -> Iterator[str]:
    """A master and two workers of one core and so much memory each; yields the master's URL and ends them all.

    Logs, and what executors write, are kept in the directory.
    """
    with ExitStack() as started:
        master = started.enter_context(
            _process("master.Master", [*_FREE], directory, variables, r"spark://127\.0\.0\.1:\d+")
        )
        worker = [*_FREE, "--cores", "1", "--memory", memory, "--work-dir", str(directory / "work"), master]
        for _ in range(2):
            ready = "Successfully registered with master"
            started.enter_context(_process("worker.Worker", worker, directory, variables, ready))
        yield master


@contextmanager
def _process(
    kind: str, arguments: list[str], directory: Path, variables: Mapping[str, str], started: str
) -> Iterator[str]:
    """A master or worker; yields what `started` matches in its log."""
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments]
    log = directory / f"{kind}-{time.monotonic_ns()}.log"
    own = {**variables, "SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"}
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, cwd=directory, env=own)
    try:
        deadline = time.monotonic() + 600
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
