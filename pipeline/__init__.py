"""Spark jobs and the schemas of every file: populations, traffic tables."""
