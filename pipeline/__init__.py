"""Spark jobs and the schemas of every file: populations, traffic tables."""

from pipeline.distributions import DISTRIBUTIONS, OBJECT_DISTRIBUTIONS, standard_normals, uniform_column
from pipeline.errors import PipelineError
from pipeline.java import require_java
from pipeline.populations import (
    ObjectSpec,
    Population,
    PopulationSpec,
    objects,
    population,
    population_frame,
    read_population,
    write_population,
)
from pipeline.schemas import EVENTS, POPULATION, SUMMARY, spark_schema
from pipeline.session import check_master, spark_session
from pipeline.traffic import read_events, summarise, write_summary

__all__ = [
    "DISTRIBUTIONS",
    "EVENTS",
    "OBJECT_DISTRIBUTIONS",
    "POPULATION",
    "SUMMARY",
    "ObjectSpec",
    "PipelineError",
    "Population",
    "PopulationSpec",
    "check_master",
    "objects",
    "population",
    "population_frame",
    "read_events",
    "read_population",
    "require_java",
    "spark_schema",
    "spark_session",
    "standard_normals",
    "summarise",
    "uniform_column",
    "write_population",
    "write_summary",
]
