"""What every room's tests share: one Spark session for the whole run, small whoever starts it."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import pipeline.session
from pipeline import spark_session

_MEMORY_MB = 1024


@pytest.fixture(scope="session", autouse=True)
def _small_sessions() -> Iterator[None]:
    """Let a session that a test starts by what it tests be like the one that tests share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline.session, "_driver_memory_mb", lambda: _MEMORY_MB)
        yield


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = spark_session("local[2]", driver_memory_mb=_MEMORY_MB, brief=True)
    yield session
    session.stop()
