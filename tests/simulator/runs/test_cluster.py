"""Runs and sweeps on a standalone Spark cluster leave the bytes that they leave on one machine."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.standalone import environment, standalone_cluster

SCENARIO = """
name = "across"
k = 5
approaches = ["paint-dense", "paint-dense(0.5)", "paint-batch(10)", "cn-relax"]

[topology]
nodes = 3037

[network]
brokers = 40

[objects]
count = 400

[subscriptions]
distribution = "clustered"
count = 30000

[events]
count = 60
"""
GRID = """
scenario = "across.toml"
replications = 2

[grid]
k = [3, 6]
network.kind = ["can", "tree"]
"""
SETTINGS = {"spark.executor.memory": "600m"}
MEANS = ("events.parquet", "brokers.parquet", "links.parquet", "summary.csv")


def rangecast(words: list[str], place: Path, variables: Mapping[str, str]) -> None:
    command = [sys.executable, "-m", "simulator.cli", *words]
    own = {**variables, "RANGECAST_CACHE": str(place / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place, env=own, timeout=600)
    assert done.returncode == 0, done.stderr


def everything(place: Path, variables: Mapping[str, str], master: str, sweep: list[str]) -> dict[str, bytes]:
    """Run, with the population left on disk, and sweep, from an empty cache on; what is left of both."""
    place.mkdir()
    (place / "across.toml").write_text(SCENARIO, encoding="utf-8")
    (place / "grid.toml").write_text(GRID, encoding="utf-8")
    rangecast(["run", "across.toml", "--deliveries", "spark", "--master", master, "--out", "run"], place, variables)
    rangecast(["sweep", "grid.toml", "--out", "sweep", *sweep], place, variables)
    files = [*(place / "run" / name for name in MEANS), *sorted((place / "sweep").glob("tasks/*"))]
    files += [place / "sweep" / name for name in ("results.csv", "paired.csv")]
    return {str(file.relative_to(place)): file.read_bytes() for file in files}


@pytest.mark.slow
def test_a_run_and_a_sweep_on_a_cluster_leave_the_same_bytes(tmp_path: Path) -> None:
    here = everything(tmp_path / "here", os.environ, "local[2]", ["--processes", "2"])
    variables = environment(tmp_path, SETTINGS)
    with standalone_cluster(tmp_path, variables, memory="900m") as master:
        there = everything(tmp_path / "there", variables, master, ["--master", master])
        for used in ("run", "sweep"):
            assert (tmp_path / "there" / used).is_dir()
        applications = {log.parents[1] for log in (tmp_path / "work").glob("app-*/*/stderr")}
    assert len(applications) == 2, "both must have used the cluster's executors"
    assert len(here) == len(MEANS) + 8 + 2
    assert here == there
    rangecast(["run", "across.toml", "--out", "memory"], tmp_path / "here", os.environ)
    for name in MEANS:
        assert (tmp_path / "here" / "memory" / name).read_bytes() == here[f"run/{name}"], name
