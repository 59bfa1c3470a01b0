"""An archive of the classes that Spark loads, so that its JVM starts with half the work.

The JVM can write the classes of one process to a file when it ends and map that file in later ones (class data
sharing). The first session that is asked to leaves one behind. The archive fits one Java, one Spark and one class
path, which its name tells apart; where it is missing or does not fit, the JVM loads classes one by one as ever.

For every class the JVM goes through the class path until it comes to the jar that has it, and a JVM that is to write
an archive asks the operating system about each jar on the way. Spark has 280 of them in no order, so those with the
most classes that we load are named first: it takes two thirds of the time to write the archive, and less to start.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyspark

from floor.cache import cache_dir, cache_place
from floor.files import clear_leftovers, partial_name
from pipeline.java import find_java

__all__ = ["archive_path", "archiving_classes", "first_jars", "keep_archive", "partial_archive"]

_MOST_LOADED = (
    "spark-catalyst", "scala-library", "spark-core", "spark-sql", "scala-reflect", "log4j-core", "jackson-databind",
    "hadoop-client-api", "parquet-column", "parquet-jackson", "janino", "spark-", "parquet-", "hadoop-client-runtime",
    "arrow-", "netty-", "jackson-",
)  # fmt: skip
"""How names of jars begin, by the number of their classes that a session of ours loads."""

_REHEARSAL = """
import tempfile
from pathlib import Path
from pipeline import ObjectSpec, PopulationSpec, objects, rehearse_summary, spark_session, write_population
spark = spark_session("local[2]", driver_memory_mb=1024, keep_classes=True)
with tempfile.TemporaryDirectory() as scratch:
    write_population(spark, PopulationSpec("uniform", 1000, 1), Path(scratch) / "population")
    objects(spark, ObjectSpec("uniform", 100, 1))
    rehearse_summary(spark, Path(scratch))
spark.stop()
"""

_QUICK = "-XX:TieredStopAtLevel=1"
"""To compile well what is run once takes a third of the rehearsal; the classes are the same."""

_WRITING_SECONDS, _REHEARSAL_SECONDS = 120, 600


def archive_path(java: Path) -> Path:
    """Where the archive of a `java` and the installed Spark is kept, about 180 MB."""
    real = java.resolve()
    about = f"{real} {real.stat().st_mtime_ns} {pyspark.__version__} {first_jars()}"
    return cache_dir() / "spark" / f"classes-{hashlib.sha256(about.encode()).hexdigest()[:16]}.jsa"


def first_jars() -> str:
    """Class path of the jars that classes are looked for in first: those of the Spark that will be started."""
    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    jars = sorted((home / "jars").resolve().glob("*.jar"))
    ordered = (jar for beginning in _MOST_LOADED for jar in jars if jar.name.startswith(beginning))
    return os.pathsep.join(map(str, dict.fromkeys(ordered)))


def partial_archive(archive: Path) -> Path | None:
    """Name for a JVM to write to, which nobody else has; None where the directory cannot be made.

    Removes what processes that were killed have left half-written.
    """
    place = cache_place("spark")
    clear_leftovers(place)
    return partial_name(archive) if place.is_dir() else None


def keep_archive(jvm: "subprocess.Popen[bytes]", partial: Path, archive: Path) -> None:
    """Let a JVM end, wait until it has written its classes, and give the file its name; a few seconds.

    Without a word if it cannot be done: the next session tries again.
    """
    print("rangecast: keeping the classes that Spark loaded, for quicker starts; this happens once", file=sys.stderr)
    try:
        if jvm.stdin is not None:
            jvm.stdin.close()
        if jvm.wait(_WRITING_SECONDS) == 0:
            partial.replace(archive)
    except (OSError, subprocess.TimeoutExpired, KeyboardInterrupt):
        jvm.kill()
        jvm.wait()
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def archiving_classes() -> Iterator[Callable[[], None]]:
    """Make the archive, if there is none and a Java that makes one, while the block goes on.

    It takes half a minute of a processor. Without a word if it cannot be done.

    Yields
    ------
    callable
        Waits until it is made; so does the end of the block, unless that is an error: then it is given up.
    """
    java = find_java()
    if java is None or archive_path(java).exists():
        yield lambda: None
        return
    silent: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    told = os.environ | {"JAVA_TOOL_OPTIONS": f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} {_QUICK}".strip()}
    with subprocess.Popen([sys.executable, "-c", _REHEARSAL], env=told, **silent) as rehearsal:
        finish = partial(_wait, rehearsal, _REHEARSAL_SECONDS)
        try:
            yield finish
            finish()
        except BaseException:
            rehearsal.terminate()
            raise


def _wait(process: "subprocess.Popen[bytes]", seconds: int) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
