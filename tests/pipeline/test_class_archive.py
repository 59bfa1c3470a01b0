"""The archive of Spark's classes: named after what it fits, made once, and never a reason not to start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline import class_archive
from pipeline.class_archive import archive_path, archiving_classes, first_jars
from pipeline.java import find_java, require_java

COUNT = """
from pipeline import spark_session
spark = spark_session("local[1]", driver_memory_mb=600)
options = list(spark._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments())
print([option for option in options if "SharedArchiveFile" in option], spark.range(3).count())
"""


def test_a_damaged_archive_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path / "a cache"))
    archive = archive_path(require_java())
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"no classes")
    code = COUNT.replace(", spark.range(3).count()", "")  # to start is enough; a query would load much more
    told = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True)
    assert told.stdout == f"['-XX:SharedArchiveFile={archive}']\n"


@pytest.mark.slow
def test_the_rehearsal_leaves_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path))
    with archiving_classes() as finish:
        finish()
        assert list((tmp_path / "spark").iterdir()) == [archive_path(require_java())]


@pytest.mark.slow  # the JVM takes half a minute to write one
def test_a_session_leaves_an_archive_that_the_next_one_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path))
    code = COUNT.replace("driver_memory_mb=600", "driver_memory_mb=600, keep_classes=True, brief=True")
    # Tasks in Python tell the driver how they went, through a connection that the JVM's end cuts.
    code += "spark.sparkContext.parallelize([1], 1).foreach(abs)\n"
    first = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True)
    assert (first.stdout, first.stderr.count("\n")) == ("[] 3\n", 1), first.stderr
    assert "keeping the classes" in first.stderr
    archive = archive_path(require_java())
    with archiving_classes():  # there is one
        assert list((tmp_path / "spark").iterdir()) == [archive]
    # With -Xshare:on a JVM that cannot map the archive does not start.
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xshare:on")
    again = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True)
    assert (again.stdout, again.stderr) == (f"['-XX:SharedArchiveFile={archive}'] 3\n", "")
    archive.unlink()  # not written over: a JVM that is about to end may still have it mapped
    archive.write_bytes(b"no classes")
    broken = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=False)
    assert broken.returncode != 0
    assert "could not start" in broken.stderr


def test_every_java_has_its_own(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for java in (one, other):
        java.touch()
    assert archive_path(one) == archive_path(one) != archive_path(other)


def test_without_java_or_where_it_fails_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path))
    assert find_java() is not None
    monkeypatch.setattr(class_archive, "_REHEARSAL", "raise SystemExit(1)")
    with archiving_classes() as finish:
        finish()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with archiving_classes() as finish:
        finish()
    assert list(tmp_path.iterdir()) == []


def test_it_is_made_beside_other_work_and_given_up_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANGECAST_CACHE", str(tmp_path))
    made = tmp_path / "made"
    monkeypatch.setattr(class_archive, "_REHEARSAL", f"import pathlib; pathlib.Path({str(made)!r}).touch()")
    with archiving_classes() as finish:
        finish()
        assert made.exists()
    monkeypatch.setattr(class_archive, "_REHEARSAL", "import time; time.sleep(600)")
    with pytest.raises(KeyboardInterrupt), archiving_classes():  # ends at once
        raise KeyboardInterrupt


def test_jars_that_come_first_are_those_of_the_spark_that_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own" / "jars").mkdir(parents=True)
    for name in ("zinc-1.jar", "spark-net-1.jar", "scala-library-2.jar", "spark-catalyst_2.jar", "spark-core.txt"):
        (tmp_path / "own" / "jars" / name).touch()
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "jars").symlink_to(tmp_path / "own" / "jars")
    ordered = ["spark-catalyst_2.jar", "scala-library-2.jar", "spark-net-1.jar"]
    for home in ("own", "links"):
        monkeypatch.setenv("SPARK_HOME", str(tmp_path / home))
        assert first_jars().split(os.pathsep) == [str((tmp_path / "own" / "jars").resolve() / one) for one in ordered]
