"""Run each job that supports Dask on one worker and on two: seconds, CPU of workers, bytes moved.

It needs a quiet machine with at least two cores and about five minutes, and runs only if it is
named. A row compares the seconds of two workers with one, each the better of two runs; the bar is
1/1.6. The notes have figures that other processes disturb less: CPU seconds of the single worker
and of the busier of two, whose ratio is the speed-up on free cores, and all bytes that went through
the loopback device. Results must be identical.

For comparison, the same job is run once by one process without a cluster, and by two processes at
the same time, which share caches and memory as two workers do.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from harness.measuring import PATIENCE, Case, Row, Rows
from harness.script import run_script
from scipy import sparse

from roget.core.tree import Tree
from roget.engines import base
from roget.engines.base import Engine
from roget.engines.dask import Dask
from roget.engines.local import Local
from roget.learn.clustering import result
from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.annealing.states import ThreadPool
from roget.learn.clustering.soft.em import SoftMixture
from roget.learn.counting.extract import Extract
from roget.learn.counting.options import CountOptions
from roget.learn.counting.scheduler import Workspace, count_tasks
from roget.scoring.labels import as_labels
from roget.scoring.labels.align import align
from roget.scoring.labels.dask_join import DaskJoin, partition_rows
from roget.scoring.measures.base import list_requests
from roget.scoring.steps import bootstrap

PEERS = ("distributed", "duckdb")
SLOW = ("count", "score", "draws", "soft", "place")
OPTIONS = {"scale": {"type": float, "default": 1.0, "help": "of the data"}}
ABOUT = "Seconds of two workers relative to one worker, after a warm-up; see the notes."
BAR = 1 / 1.6
TIMES = 2
Work = Callable[[Engine], bytes]
"""Runs a job with an engine, and returns its result as bytes."""


class Kept(Dask):
    """A cluster that stays open when a job closes it."""

    def close(self) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Close the cluster."""
        super().close()


def spent(cluster: Dask) -> dict[int, float]:
    """Return the CPU seconds of each worker."""
    pids = cluster._client.run(os.getpid).values()
    return {pid: sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids}


def moved() -> int:
    """Return the number of bytes sent through the loopback device."""
    return int(psutil.net_io_counters(pernic=True)["lo"].bytes_sent)


def measure(name: str, folder: Path, scale: float) -> Rows:
    """Compare one job on one worker and on two, after a warm-up run on each."""
    work = prepare_job(name, folder, scale)
    results: list[bytes] = []
    best: list[tuple[float, float, int, float]] = []
    for workers in (1, 2):
        cluster = Kept(None, workers)
        try:
            cluster._client.run(os.getpid)
            get_warm(cluster)
            tried = []
            for _ in range(TIMES):
                before, bytes_before, began = spent(cluster), moved(), time.perf_counter()
                own = time.process_time()
                results.append(work(cluster))
                took, sent = time.perf_counter() - began, moved() - bytes_before
                own = time.process_time() - own
                after = spent(cluster)
                busiest = max(after[pid] - before.get(pid, 0.0) for pid in after)
                tried.append((took, busiest, sent, own))
            best.append(min(tried))
        finally:
            cluster.end()
    if len({*results}) > 1:
        raise ValueError(f"{name}: two workers give other bits than one")
    (one, alone, sent, own), (two, shared, sent_by_two, own_of_two) = best
    yield Row(name, two, one, "one worker", "s", BAR)
    yield (
        f"{name}: {one:.1f} s on one worker, {two:.1f} s on two: {one / two:.2f} times as fast. "
        f"CPU of the busiest worker {alone:.1f} and {shared:.1f} s: "
        f"{alone / max(shared, 1e-9):.2f}. Moved {sent / 1e6:.0f} and {sent_by_two / 1e6:.0f} MB; "
        f"client and scheduler, in this process, spent {own:.1f} and {own_of_two:.1f} CPU s on it."
    )
    yield (
        f"{name}, where the time of two workers goes: the busiest worker computes, sends and "
        f"receives for {shared:.1f} s, and waits {max(two - shared, 0):.1f} s for client, "
        "scheduler and the other worker."
    )
    one, two = (run_processes(name, folder, scale, number) for number in (1, 2))
    yield Row(f"{name}, no cluster", two / 2, one, "one process", "s")
    yield (
        f"{name} without a cluster: {one:.1f} s in one process, {two:.1f} s twice at once in two. "
        f"So this machine allows {2 * one / two:.2f} times as fast."
    )


def run_processes(name: str, folder: Path, scale: float, number: int) -> float:
    """Return the seconds of a job in each of several simultaneous processes without a cluster."""
    context = multiprocessing.get_context("spawn")
    together, found = context.Barrier(number), context.SimpleQueue()
    processes = [
        context.Process(target=run_alone, args=(name, place, scale, together, found))
        for place in (folder / f"{number}-{one}" for one in range(number))
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise ValueError(f"{name}: a process without a cluster failed")
    return float(max(found.get() for _ in processes))


def run_alone(name: str, folder: Path, scale: float, together: Any, found: Any) -> None:
    """Run a job in this process; report the better run after a warm-up."""
    work, took = prepare_job(name, folder, scale), []
    for _ in range(1 + TIMES):
        together.wait(PATIENCE)
        began = time.perf_counter()
        work(Local(1))
        took.append(time.perf_counter() - began)
    found.put(min(took[1:]))


def get_warm(cluster: Dask) -> None:
    """Let workers import what they need, and load compiled kernels."""
    assert all(work(None, 0.002)(cluster) for work in (prepare_soft, prepare_places))
    # Workers import the modules of functions that are sent to them.
    cluster._client.run(repr, (Extract, partition_rows, bootstrap.ItemResampler))


def prepare_count(folder: Path, scale: float) -> Work:
    """Write CoNLL-U of a synthetic corpus, in files of the size of a task."""
    random = np.random.default_rng(0)
    verbs, nouns = random.zipf(1.3, 30_000) % 2_000, random.zipf(1.2, 30_000) % 20_000
    text = "".join(
        f"1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\tn{m}\tn{m}\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
        f"3\tv{v}\tv{v}\tVERB\t_\t_\t0\troot\t_\t_\n4\tn{n}\tn{n}\tNOUN\t_\t_\t3\tobj\t_\t_\n\n"
        for v, n, m in zip(verbs, nouns, np.roll(nouns, 1), strict=True)
    )
    for number in range(8):
        (folder / f"{number}.conllu").write_text(text * max(1, round(20 * scale)))

    def work(engine: Engine) -> bytes:
        from roget.learn.counting.count import plan_inputs

        planned = plan_inputs(folder, CountOptions())
        with (
            tempfile.TemporaryDirectory() as made,
            base.using(engine),
            Workspace(Path(made) / "c", planned.tasks) as workspace,
        ):
            from roget import catalogue

            known = catalogue.load
            catalogue.load = lambda kind, name: (  # type: ignore[assignment]
                (lambda *_: engine) if kind == "engines" else known(kind, name)
            )
            try:
                asked = CountOptions(engine="dask")
                parts = count_tasks(workspace, planned, asked, None)
            finally:
                catalogue.load = known
            return b"".join(
                file.read_bytes() for part in parts for file in sorted(part.folder.glob("pairs*"))
            )

    return work


def prepare_score(folder: Path, scale: float) -> Work:
    """Write label files in Parquet, 16 each for gold and system."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random, rows = np.random.default_rng(1), max(1000, round(400_000 * scale))
    for number in range(16):
        items = np.char.add("item", (np.arange(rows) + number * rows).astype(str))
        for side, classes in (("gold", 50), ("system", 60)):
            (folder / side).mkdir(exist_ok=True)
            labels = np.char.add("c", random.integers(0, classes, rows).astype(str))
            table = pa.table({"item": items, "label": labels})
            pq.write_table(table, folder / side / f"{number:02}.parquet")

    def work(engine: Engine) -> bytes:
        with DaskJoin(lambda: engine, str(folder / "gold"), None, None, None) as spread:
            sides = spread.count(str(folder / "system"), "cluster", "drop")
        assert sides is not None
        return np.asarray(sides.counts).tobytes() + sides.gold.codes.tobytes()

    return work


def prepare_draws(folder: Path, scale: float) -> Work:
    """Prepare the work of --ci 1000 on a large table: bootstrap and jackknife over items."""
    random, items = np.random.default_rng(2), max(2000, round(2_000_000 * scale))
    gold = random.integers(0, 100, items)
    system = np.where(random.random(items) < 0.5, gold, random.integers(0, 150, items))
    sides = align(as_labels(gold), as_labels(system), "cluster", None, "drop")
    asked = list_requests(["v", "nvi", "ari", "b3-f"], ["ml", "jk"])
    draws = bootstrap.ItemResampler([sides], asked)
    estimates = np.zeros((1, len(asked)))

    def work(engine: Engine) -> bytes:
        with base.using(engine):
            drawn = draws.bootstrap(max(16, round(1000 * scale)), 0, estimates, lambda done: None)
            return drawn.tobytes() + draws.jackknife(0).without.tobytes()

    return work


def prepare_soft(folder: Path | None, scale: float) -> Work:
    """Prepare EM at a fixed β, from random memberships: some of the many steps of a search."""
    from roget.learn.clustering.soft import distributed

    random, k = np.random.default_rng(3), 256
    words, each = max(200, round(6_000 * scale)), 1500
    cells = random.integers(0, 6_000, (words, each))
    counts = sparse.csr_array(
        (np.ones(cells.size), cells.ravel(), np.arange(0, cells.size + 1, each)), (words, 6_000)
    )
    counts.sum_duplicates()
    data = prepare(counts, "empirical", np.float32)
    begin = random.dirichlet(np.full(k, 0.3), words)

    def work(engine: Engine) -> bytes:
        mixture = SoftMixture(data, True, ThreadPool(1))
        mixture.reserve(k)
        mixture.k = k
        mixture.q[:, :k] = begin
        before, distributed.DENSE = distributed.DENSE, 0
        try:
            with base.using(engine):
                for _ in range(20 if scale > 0.01 else 1):
                    mixture.m_step()
                    mixture.e_step(2.0)
        finally:
            distributed.DENSE = before
        return mixture.q.tobytes()

    return work


def prepare_places(folder: Path | None, scale: float) -> Work:
    """Prepare the assignment of new words to classes."""
    random, k = np.random.default_rng(4), 300
    words = max(200, round(600_000 * scale))
    cells = random.zipf(1.4, (words, 40)) % 10_000
    counts = sparse.csr_array(
        (np.ones(cells.size), cells.ravel(), np.arange(0, cells.size + 1, 40)), (words, 10_000)
    )
    counts.sum_duplicates()  # tables of counts have no duplicates
    centroids = random.dirichlet(np.full(10_000, 0.05), k)
    made = result.Clustering(Tree.flat(k), np.eye(k), centroids, np.full(k, 1 / k))

    def work(engine: Engine) -> bytes:
        with base.using(engine):
            placed = made.place(counts, least=1e-3)
        return bytes(placed.data.tobytes() + placed.indices.tobytes())

    return work


JOBS: dict[str, Callable[[Path, float], Work]] = {
    "count": prepare_count,
    "score": prepare_score,
    "draws": prepare_draws,
    "soft": prepare_soft,
    "place": prepare_places,
}


def prepare_job(name: str, folder: Path, scale: float) -> Work:
    """Prepare a job with its data in a new folder."""
    place = folder / "data"
    place.mkdir(parents=True, exist_ok=True)  # an apparent slowdown is measured again
    return JOBS[name](place, scale)


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all jobs by name."""
    return {name: partial(measure, name, asked.folder / name, asked.scale) for name in JOBS}


if __name__ == "__main__":
    run_script(__file__)
