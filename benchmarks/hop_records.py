"""How long it takes to aggregate 10 million hop records to loads of links and zones, against one pass of numpy.

Run as `python -m benchmarks.hop_records [ROWS]`. Records are of 5 approaches over 1,000 brokers
with 8 neighbours each.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.record import best_of, write_rows
from pipeline import HOPS, link_load, read_hops, spark_session, zone_load

ROWS = 10_000_000
SEED = 1
BROKERS = 1000


def write_records(rows: int, path: Path) -> None:
    rng = np.random.default_rng(SEED)
    names = pa.array(["paint-dense", "paint-sparse", "paint-dense(1)", "unicast", "cn-relax"])
    start = rng.integers(BROKERS, size=rows)
    depart = rng.random(rows) * 1e6
    columns = {
        "approach": pa.DictionaryArray.from_arrays(rng.integers(5, size=rows), names).cast(pa.string()),
        "event": np.arange(rows) // 500,
        "message": np.arange(rows) // 5,
        "from": start,
        "to": (start + rng.integers(1, 9, rows)) % BROKERS,
        "bytes": np.full(rows, 24),
        "depart": depart,
        "arrive": depart + rng.random(rows),
    }
    pq.write_table(pa.table(columns, schema=HOPS), path)


def sums_with_numpy(path: Path) -> None:
    table = pq.read_table(path)
    approach = table["approach"].combine_chunks().dictionary_encode().indices.to_numpy()
    link = (approach * BROKERS + table["from"].to_numpy()) * BROKERS + table["to"].to_numpy()
    np.bincount(link, weights=table["bytes"].to_numpy())
    np.bincount(link, weights=table["arrive"].to_numpy() - table["depart"].to_numpy())


def main(rows: int = ROWS) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "hops.parquet"
        write_records(rows, path)
        spark = spark_session()
        link_load(read_hops(spark, path).limit(1000)).collect()
        seconds = {
            "numpy": best_of(3, lambda: sums_with_numpy(path), time.perf_counter),
            "links": best_of(3, lambda: link_load(read_hops(spark, path)).toArrow(), time.perf_counter),
            "zones": best_of(3, lambda: zone_load(read_hops(spark, path)).toArrow(), time.perf_counter),
        }
        spark.stop()
    for name, value in seconds.items():
        print(f"{name:8} {value:7.2f} s {value / seconds['numpy']:6.1f} x numpy")
    write_rows("hop_records", [{"rows": rows, "task": name, "seconds": s} for name, s in seconds.items()], SEED)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
