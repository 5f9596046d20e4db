"""Engines: every task runs once, errors are complete, no process is left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from engines import jobs
from roget.engines import dask
from roget.engines.base import Engine
from roget.engines.dask import Dask
from roget.engines.local import Local, cores
from roget.errors import FormatError, InputError
from support.errors import refused


@pytest.fixture(scope="module")
def cluster() -> Iterator[Dask]:
    made = Dask(None, 2)
    yield made
    made.close()
    made.close()


@pytest.fixture(params=["here", "pool", "dask"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "dask":
        made: Engine = request.getfixturevalue("cluster")
        return made
    return Local(1 if request.param == "here" else 2)


class Sums:
    def __init__(self) -> None:
        self.read = self.tokens = 0

    def __call__(self, read: int, tokens: int) -> None:
        self.read += read
        self.tokens += tokens


def test_every_task_runs_once(engine: Engine) -> None:
    sums = Sums()
    found = dict(engine.run(jobs.square, range(20), sums))
    assert found == {index: index * index for index in range(20)}
    assert (sums.read, sums.tokens) == (200, sum(range(20)))
    assert list(engine.run(jobs.square, [], sums)) == []


def test_error_is_raised_completely_after_finished_results(engine: Engine) -> None:
    found: dict[int, int] = {}
    with pytest.raises(FormatError) as caught:
        found.update(engine.run(jobs.fail_on_three, range(5), Sums()))
    assert caught.value.problems == ("a.tsv:1: broken", "a.tsv:2: broken too")
    assert "may be more" in str(caught.value)
    assert {0, 1} <= found.keys() | {3}
    assert all(index == result != 3 for index, result in found.items())


def test_pool_uses_other_processes() -> None:
    pids = set(dict(Local(2).run(jobs.whoami, range(6), Sums())).values())
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert set(dict(Local().run(jobs.whoami, [0], Sums())).values()) == {os.getpid()}
    assert cores() >= 1


@pytest.mark.parametrize("kind", [Local, partial(Dask, None)])
def test_workers_run_blas_on_one_thread(
    kind: Callable[[int], Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    engine = kind(2)
    try:
        found = list(engine.run(jobs.count_blas_threads, range(4), Sums()))
    finally:
        engine.close()
    assert all(threads and set(threads) == {1} for _, threads in found)


def test_dead_worker_is_reported_immediately() -> None:
    with refused("worker-died") as caught:
        dict(Local(2).run(jobs.die_on_three, range(8), Sums()))
    assert not isinstance(caught.value, InputError)


def test_closing_stops_running_workers() -> None:
    before, reported = set(multiprocessing.active_children()), Sums()
    run = Local(2).run(jobs.report_forever, range(4), lambda *update: stop(reported, *update))
    with pytest.raises(KeyboardInterrupt):
        next(run)
    assert reported.tokens > 3
    for _ in range(100):
        if set(multiprocessing.active_children()) == before:
            break
        time.sleep(0.1)
    assert set(multiprocessing.active_children()) == before


def stop(sums: Sums, read: int, tokens: int) -> None:
    sums(read, tokens)
    if sums.tokens > 3:
        raise KeyboardInterrupt


def test_task_of_a_killed_dask_worker_is_repeated(tmp_path: Path, cluster: Dask) -> None:
    sums = Sums()
    tasks = [(number, str(tmp_path / "died")) for number in range(6)]
    found = dict(cluster.run(jobs.die_once, tasks, sums))
    assert (tmp_path / "died").exists()
    assert found == {number: number for number in range(6)}
    assert sums.tokens == sum(range(6))


def test_results_lost_with_their_worker_are_recomputed(cluster: Dask) -> None:
    """Finished results that were not fetched must not be skipped."""
    run = cluster.run(jobs.square, range(20), Sums())
    found = dict([next(run)])
    time.sleep(1.0)  # by now all are done
    for worker in multiprocessing.active_children():
        if "Dask" in worker.name:
            os.kill(worker.pid or 0, signal.SIGKILL)
    time.sleep(1.0)  # by now the scheduler knows
    found.update(run)
    assert found == {number: number * number for number in range(20)}


def test_missing_scheduler_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "_TIMEOUT", 1)
    with refused("scheduler-lost", "tcp://127.0.0.1:9"):
        Dask("tcp://127.0.0.1:9")
    with refused("scheduler-lost", "nonsense://what"):
        Dask("nonsense://what")


def test_missing_dask_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with refused("missing-extra", "roget[dask]"):
        Dask()


def test_script_without_main_guard_gets_an_explanation(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from roget.engines.local import Local\nfrom operator import add\n"
        "print(dict(Local(2).run(add, range(4), print)))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.returncode
    assert 'if __name__ == "__main__":' in done.stderr
