"""Failing clusters: losses are reported, finished parts are kept, and runs can resume."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import pytest

from engines import jobs
from roget.core.counts import Counts
from roget.engines import base, dask
from roget.engines.dask import Dask, SchedulerLost
from roget.errors import RogetError
from support.errors import refused

FILES = 40


def start(*arguments: str) -> subprocess.Popen[bytes]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}  # where engines.jobs is
    return subprocess.Popen([sys.executable, "-m", *arguments], env=here, **quiet)  # type: ignore[call-overload, no-any-return]


class Cluster:
    """A scheduler and a worker in processes of their own."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        where = ("--host", "127.0.0.1", "--no-dashboard")
        self.scheduler = start("distributed.cli.dask_scheduler", *where, "--port", str(port))
        self.worker = start(
            "distributed.cli.dask_worker", self.address, *where, "--nthreads", "1", "--no-nanny"
        )
        for _ in range(600):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)

    def end(self) -> None:
        for process in (self.scheduler, self.worker):
            process.kill()
            process.wait()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    yield made
    made.end()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    for number in range(FILES):
        rows = (f"w{number + i % 5}\tc{i % 7}\t{1 + i % 3}\n" for i in range(200))
        (folder / f"{number:02}.tsv").write_text("word\tcontext\tcount\n" + "".join(rows))
    return folder


def roget(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "roget", *map(str, arguments)]
    # As from a terminal, where Ctrl-C goes to the whole group, whatever started these tests.
    return subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, _raise),
    )  # fmt: skip


def _raise(*_: object) -> None:
    raise KeyboardInterrupt


def wait_for_parts(output: Path, process: subprocess.Popen[str], least: int = 1) -> None:
    """Until some, not all, is counted."""
    parts = output.with_name(f"{output.name}.partial") / "parts"
    while process.poll() is None and len([*parts.glob("[!.]*")]) < least:
        time.sleep(0.01)


@pytest.mark.slow
def test_count_resumes_after_the_scheduler_is_lost(
    cluster: Cluster, tables: Path, tmp_path: Path
) -> None:
    """The loss must not end in a traceback and "No such file … part.json"."""
    output = tmp_path / "c"
    process = roget(
        "count", tables, "-o", output, "--engine", "dask", "--set", f"scheduler={cluster.address}"
    )
    wait_for_parts(output, process)
    cluster.scheduler.send_signal(signal.SIGKILL)
    lines = [line for line in process.communicate(timeout=120)[1].splitlines() if line]
    assert process.returncode == 1
    assert len(lines) == 2, lines
    assert cluster.address in lines[0]
    assert lines[0].endswith("[scheduler-lost]")
    assert f"of {FILES} files counted; " in lines[1]
    again = roget("count", tables, "-o", output)
    assert re.search(rf"\d+ of {FILES} files", again.communicate(timeout=120)[1])
    assert again.returncode == 0
    whole = roget("count", tables, "-o", tmp_path / "whole")
    whole.communicate(timeout=120)
    for name in ("words.parquet", "contexts.parquet", "entries.parquet"):
        assert (output / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert Counts.read(output).total == Counts.read(tmp_path / "whole").total


def score_on(engine: Dask) -> None:
    """As label files are joined: dealt first, then joined."""
    base.join(engine, jobs.report_forever, base.partition(engine, jobs.report_forever, [1, 2]), 2)


def spread_on(engine: Dask) -> None:
    """As draws are scored and words are placed."""
    with base.using(engine):
        list(base.map_tasks(jobs.spread_forever, None, [1, 2]))


def hold_on(engine: Dask) -> None:
    """As the steps of soft clustering are done: what workers hold is worked on."""
    with base.using(engine):
        list(base.map_tasks(jobs.spread_forever, None, [engine.persist(1), engine.persist(2)]))


@pytest.mark.slow
def test_lost_scheduler_is_reported_in_every_operation(cluster: Cluster) -> None:
    engines = [Dask(cluster.address) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        found = [
            pool.submit(way, engine)
            for way, engine in zip((score_on, spread_on, hold_on), engines, strict=True)
        ]
        while not any(engines[0]._client.processing().values()):
            time.sleep(0.05)
        assert not any(one.done() for one in found)
        cluster.scheduler.send_signal(signal.SIGKILL)
        for one in found:
            with pytest.raises(SchedulerLost, match=cluster.address):
                one.result(timeout=120)
    for engine in engines:
        engine.close()


@pytest.mark.slow
def test_ctrl_c_closes_a_local_cluster_with_one_message(tables: Path, tmp_path: Path) -> None:
    output = tmp_path / "c"
    process = roget("count", tables, "-o", output, "--engine", "dask", "--processes", 1)
    wait_for_parts(output, process)
    os.killpg(process.pid, signal.SIGINT)
    lines = [line for line in process.communicate(timeout=120)[1].splitlines() if line]
    assert process.returncode == 130
    assert lines[0] == "roget: interrupted"
    assert f"of {FILES} files counted; " in lines[1]
    assert len(lines) == 2, lines
    assert is_over(process.pid)


def is_over(group: int) -> bool:
    """Whether no process of a group is left, soon."""
    for _ in range(300):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def local() -> Iterator[Dask]:
    made = Dask(None, 1)
    yield made
    made.close()


@pytest.mark.slow
def test_task_that_kills_every_worker_is_reported(
    local: Dask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local._cluster.scheduler, "allowed_failures", 0)
    with refused("worker-died", "1 Dask workers"):
        dict(local.run(jobs.die_on_three, [3], lambda *_: None))
    dealt = local.partition(jobs.die_on_three, [3])
    with refused("worker-died", "1 Dask workers"):
        local.join(jobs.square, dealt, 1)
    assert dict(local.run(jobs.square, [3], lambda *_: None)) == {0: 9}


def test_workers_with_another_roget_are_refused(
    local: Dask, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = local._cluster.scheduler_address
    Dask(there).close()
    monkeypatch.setattr(dask.metadata, "version", lambda name: "0.0")
    theirs = {"tcp://10.0.0.1:1": "0.1", "tcp://10.0.0.2:1": metadata.PackageNotFoundError("roget")}
    for place, found in theirs.items():
        engine = object.__new__(Dask)
        engine.name, engine._client, engine._distributed = there, Asked({place: found}), None
        with pytest.raises(RogetError) as caught:
            engine._check_workers()
        assert place in str(caught.value)
        assert "pip install" in str(caught.value)


class Asked:
    """A client whose workers answer so."""

    def __init__(self, answers: dict[str, object]) -> None:
        self.answers = answers

    def run(self, *_: object, on_error: str) -> dict[str, object]:
        return dict(self.answers)

    def run_on_scheduler(self, *_: object) -> str:
        return "0.0"
