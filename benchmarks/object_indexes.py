"""Paint-Dense over the tournament index, the kd-tree and the range tree; `python -m benchmarks.object_indexes`.

All three run the same stream in turns, piece by piece, and send the same messages; each figure is the mean of the
whole stream, since what an event costs is heavy-tailed.
"""

import time

import paint
from benchmarks.record import uniform_workload, write_rows

SEED = 1
SIZES = (1_000, 10_000, 100_000, 1_000_000)
LENGTHS = (1, 5, 20)
NAMES = ("tournament", "kd", "range")
EVENTS, PIECES = 500, 8


def measure(n: int, k: int) -> dict[str, float]:
    """Microseconds per event over each index, by replay."""
    x, y, events = uniform_workload(n, EVENTS * PIECES, SEED)
    ids, new = events.object, events.y
    servers = {name: paint.Server(x, y, k=k, index=name) for name in NAMES}
    taken_s = dict.fromkeys(NAMES, 0.0)
    for server in servers.values():
        server.replay([0], [y[0]])
    for start in range(0, len(ids), EVENTS):
        piece = slice(start, start + EVENTS)
        sent = set()
        for name, server in servers.items():
            begin = time.process_time()
            messages = server.replay(ids[piece], new[piece])
            taken_s[name] += time.process_time() - begin
            sent.add(messages.table.tobytes())
        if len(sent) > 1:
            raise RuntimeError(f"the indexes disagree in the piece from event {start}, n = {n}, k = {k}")
    return {name: 1e6 * seconds / len(ids) for name, seconds in taken_s.items()}


def main() -> None:
    """Print the table and write it, with machine, commit and seed, to benchmarks/results/object_indexes.csv."""
    print("microseconds per event of Paint-Dense, and how many times that of the tournament index")
    print(f"{'n':>10}{'k':>4}" + "".join(f"{name:>12}" for name in NAMES) + f"{'kd/t':>8}{'range/t':>9}")
    rows = []
    for n in SIZES:
        for k in LENGTHS:
            figures = measure(n, k)
            least = figures["tournament"]
            kd, tree = figures["kd"] / least, figures["range"] / least
            print(
                f"{n:>10}{k:>4}" + "".join(f"{figures[name]:>12.2f}" for name in NAMES) + f"{kd:>8.1f}{tree:>9.1f}",
                flush=True,
            )
            rows.append({"n": n, "k": k, **figures, "kd_ratio": kd, "range_ratio": tree})
    write_rows("object_indexes", rows, SEED)


if __name__ == "__main__":
    main()
