"""What every room's tests share: one Spark session for the whole run."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from pipeline import spark_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = spark_session("local[2]", driver_memory_mb=1024, brief=True)
    yield session
    session.stop()
