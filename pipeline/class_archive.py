"""An archive of the classes that Spark loads, so that its JVM starts with half the work.

The JVM can write the classes of one process to a file when it ends and map that file in later ones (class data
sharing). The archive fits one Java and one Spark, which its name tells apart; where it is missing or does not fit,
the JVM loads classes one by one as ever.
"""

import hashlib
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pyspark

from floor.cache import cache_dir
from pipeline.java import find_java

__all__ = ["archive_classes", "archive_path"]

_REHEARSAL = """
import sys, tempfile
from pathlib import Path
from pyspark import SparkContext
from pipeline import ObjectSpec, PopulationSpec, objects, rehearse_summary, spark_session, write_population
spark = spark_session("local[2]", driver_memory_mb=1024, config={"spark.driver.extraJavaOptions": sys.argv[1]})
with tempfile.TemporaryDirectory() as scratch:
    write_population(spark, PopulationSpec("uniform", 1000, 1), Path(scratch) / "population")
    objects(spark, ObjectSpec("uniform", 100, 1))
    rehearse_summary(spark, Path(scratch))
spark.stop()
jvm = SparkContext._gateway.proc
jvm.stdin.close()  # the JVM ends, and writes the archive
jvm.wait()
"""


def archive_path(java: Path) -> Path:
    """Where the archive of a `java` and the installed Spark is kept, about 180 MB."""
    real = java.resolve()
    about = f"{real} {real.stat().st_mtime_ns} {pyspark.__version__} {Path(pyspark.__file__).parent}"
    return cache_dir() / "spark" / f"classes-{hashlib.sha256(about.encode()).hexdigest()[:16]}.jsa"


def archive_classes() -> Path | None:
    """Make the archive if it is not there: its path, or None without a Java that makes one; about half a minute."""
    java = find_java()
    if java is None:
        return None
    path = archive_path(java)
    if path.exists():
        return path
    partial = path.with_name(f".{uuid.uuid4().hex}.jsa")
    try:
        partial.parent.mkdir(parents=True, exist_ok=True)
        option = f"-XX:ArchiveClassesAtExit={partial}"
        subprocess.run(
            [sys.executable, "-c", _REHEARSAL, option], env=os.environ, capture_output=True, check=True, timeout=600
        )
        partial.replace(path)
    except (OSError, subprocess.SubprocessError):
        return None
    finally:
        partial.unlink(missing_ok=True)
    return path
