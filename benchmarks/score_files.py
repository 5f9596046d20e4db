"""Compare scoring of label files with DuckDB's bare join and group-by, and with pandas +
scikit-learn.

Each method runs in a process of its own, roget as the command `roget score`, with start-up and
imports: CPU seconds of all threads, and peak memory. Ids and labels are text, and the two files are
in different orders.

The cases `dask-*` score folders of eight files on a Dask cluster with one and with two
single-threaded workers on this machine, compared with one process without a cluster and with merge
and group-by of dask.dataframe: wall-clock seconds, the best of several alternating runs, and CPU
seconds of all workers and of the busiest one. Starting the cluster is not included. If other
processes use the cores, compare the CPU time of the busiest worker.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness.measuring import Case, Row, Rows, size, spend
from harness.script import run_script

PEERS = ("duckdb", "pandas", "scikit-learn", "dask")
SLOW = ("dask-parquet", "dask-csv")
SLOW_QUICK = ("csv",)
OPTIONS = {
    "rows": {"type": float, "default": 1e7},
    "runs": {"type": int, "default": 3, "help": "of which the best counts, on a cluster"},
    "memory": {"metavar": "SIZE", "help": "roget with a memory limit of 1GB"},
}
BARS = {"CPU": 1.5, "memory": 1.5}
"""Maximum cost of the whole default report relative to the bare statement, from a million rows on.
"""
SMALL, TIMES = 2_000_000, 5
"""Maximum number of rows that are scored several times, and the number of runs. The best counts."""

BARE = """
import sys, duckdb
gold, system = sys.argv[1:]
connection = duckdb.connect()
connection.execute("SET preserve_insertion_order = false; SET enable_progress_bar = false")
connection.execute(
    f"SELECT g.label, s.label, count(*) FROM '{gold}' g JOIN '{system}' s ON g.item = s.item"
    " GROUP BY ALL"
).fetchall()
"""

RIVAL = """
import sys, pandas
from sklearn.metrics import v_measure_score
read = pandas.read_parquet if sys.argv[1].endswith("parquet") else pandas.read_csv
both = read(sys.argv[1]).merge(read(sys.argv[2]), on="item")
v_measure_score(both["label_x"], both["label_y"])
"""


WRITE = """
import sys, duckdb
gold, system, rows, form = sys.argv[1:]
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
connection.execute(
    "CREATE TABLE t AS SELECT printf('item_%09d', (i * 7919) % 1000000007) AS item,"
    " 'class ' || hash(i) % 50 AS gold, 'cluster ' || CASE WHEN hash(i + 1) % 3 = 0"
    f" THEN hash(i + 2) % 60 ELSE hash(i) % 50 END AS system FROM range({rows}) r(i)"
)
for file, side in ((gold, "gold"), (system, "system")):
    picked = f"SELECT item, {side} AS label FROM t ORDER BY hash(item || '{side}')"
    connection.execute(f"COPY ({picked}) TO '{file}' (FORMAT {form})")
"""


def write_files(folder: Path, rows: int, form: str) -> tuple[str, str]:
    """Write gold and system labels of the same shuffled items: 50 classes, 60 clusters."""
    files = str(folder / f"gold.{form}"), str(folder / f"system.{form}")
    # A new process, because children inherit the memory peak of this one.
    spend(["-c", WRITE, *files, rows, form])
    return files


SPLIT = """
import sys, duckdb
from pathlib import Path
from tempfile import TemporaryDirectory
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
for name in sys.argv[2:]:
    folder = Path(name)
    whole, form, count = folder.with_suffix(""), sys.argv[1], 8
    folder.mkdir()
    source = f"read_csv('{whole}', header=true)" if form != "parquet" else f"'{whole}'"
    connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT * FROM {source}")
    rows = connection.execute("SELECT count(*) FROM t").fetchone()[0]
    for part in range(count):
        chosen = f"rowid >= {rows * part // count} AND rowid < {rows * (part + 1) // count}"
        connection.execute(f"COPY (SELECT * FROM t WHERE {chosen}) TO '{folder}/{part}.{form}'")
"""


def score_on_cluster(rows: int, form: str, runs: int) -> Rows:
    """Return what one and two workers take; parts of each file are distributed by item."""
    import logging

    import dask.dataframe
    import distributed

    import roget

    def merge(gold: str, system: str, client: Any) -> None:
        how = {} if form == "parquet" else {"blocksize": None}
        read = dask.dataframe.read_parquet if form == "parquet" else dask.dataframe.read_csv
        sides = [read(f"{folder}/*", **how) for folder in (gold, system)]
        both = sides[0].merge(sides[1], on="item")
        client.compute(both.groupby(["label_x", "label_y"]).size()).result()

    def ours(gold: str, system: str, client: Any) -> Any:
        return roget.score(gold, system, engine="dask", scheduler=client.scheduler.address)

    def here(gold: str, system: str, client: Any) -> Any:
        return roget.score(gold, system)

    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory()))
        files = write_files(folder, rows, form.removesuffix(".gz"))
        folders = [f"{file}.d" for file in files]
        spend(["-c", SPLIT, form, *folders])
        tiny = []
        for name in ("one.csv", "other.csv"):
            tiny.append(str(folder / name))
            Path(tiny[-1]).write_text("item,label\na,x\nb,x\nc,y\n")
        clients = {}
        for workers in (1, 2):
            cluster = opened.enter_context(
                distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address=":0",
                    silence_logs=logging.CRITICAL,
                )
            )
            clients[workers] = opened.enter_context(distributed.Client(cluster))
            # Workers import modules once.
            ours(tiny[0], tiny[1], clients[workers])
        ways: dict[str, tuple[Callable[..., Any], int]] = {
            "roget, this process alone": (here, 1),
            "roget, one worker": (ours, 1),
            "roget, two workers": (ours, 2),
            "dask.dataframe, one worker": (merge, 1),
            "dask.dataframe, two workers": (merge, 2),
        }
        best: dict[str, tuple[float, list[float]]] = {}
        scores = []
        for _ in range(runs):
            for name, (work, workers) in ways.items():
                client = clients[workers]
                before, begun = client.run(time.process_time), time.perf_counter()
                spent = time.process_time()
                score = work(*folders, client)
                took, spent = time.perf_counter() - begun, time.process_time() - spent
                after = client.run(time.process_time)
                scores += [] if score is None else [score.as_dict()]
                cpu = [spent] if work is here else [after[who] - before[who] for who in after]
                best[name] = min(best.get(name, (math.inf, [])), (took, cpu))
    if any(score != scores[0] for score in scores):
        raise ValueError("the cluster's scores are not the same bits")
    alone = best["roget, this process alone"][0]
    for name, (took, cpu) in best.items():
        said = f"this process; CPU {sum(cpu):.1f} s, busiest {max(cpu):.1f} s"
        yield Row(f"{form}, {size(rows)} rows: {name}", took, alone, said, "s")
    for name in ("roget", "dask.dataframe"):
        one, two = best[f"{name}, one worker"], best[f"{name}, two workers"]
        clock, busiest = one[0] / two[0], max(one[1]) / max(two[1])
        yield (
            f"{form}: {name}: a second worker makes it {clock:.2f} times as fast by the clock; "
            f"the busiest worker has 1/{busiest:.2f} of the CPU seconds."
        )


def score_here(rows: int, form: str, memory: str | None, rival: bool) -> Rows:
    """Compare the whole report with the bare statement, on a tenth of the rows and on all rows."""
    for number in (rows // 10, rows):
        with TemporaryDirectory() as folder:
            files = write_files(Path(folder), number, form)
            limit = ["--set", f"memory={memory}"] if memory else []
            ways = ["-m", "roget", "score", *files, *limit], ["-c", BARE, *files]
            # Alternate the runs, so that a busy machine affects both.
            runs = [list(map(spend, ways)) for _ in range(TIMES if number <= SMALL else 1)]
            ours, bare = (min(of) for of in zip(*runs, strict=True))
            case, name = f"{form}, {size(number)} rows", "DuckDB, bare statement"
            barred = number >= 10**6
            yield Row(
                case, ours.cpu, bare.cpu, name, "s", BARS["CPU"] if barred else math.inf,
                series=f"label files, {form}", axis="rows", size=number,
            )  # fmt: skip
            yield Row(
                f"{case}, peak", ours.memory, bare.memory, name, "MB",
                BARS["memory"] if barred else math.inf,
            )  # fmt: skip
            if rival:
                peer = spend(["-c", RIVAL, *files])
                yield Row(case, ours.cpu, peer.cpu, "pandas + scikit-learn V", "s")


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name; a quick run uses a tenth of the rows."""
    rows = int(asked.rows) // (10 if asked.quick else 1)
    return {
        "parquet": partial(score_here, rows, "parquet", asked.memory, True),
        "csv": partial(score_here, rows, "csv", asked.memory, False),
        "dask-parquet": partial(score_on_cluster, rows, "parquet", asked.runs),
        "dask-csv": partial(score_on_cluster, rows, "csv.gz", asked.runs),
    }


if __name__ == "__main__":
    run_script(__file__)
