"""Distributed work: bit-identical results locally, on two workers, and after a killed worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from typer.testing import CliRunner

import roget
from engines import jobs
from roget import Counts, SoftAnnealing
from roget.cli import app
from roget.engines import base
from roget.engines.compress import CompressedArrays, shrink
from roget.engines.dask import Dask, PendingResults
from roget.errors import FormatError
from roget.learn.clustering import result
from roget.learn.clustering.annealing import states
from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.annealing.states import ThreadPool
from roget.learn.clustering.soft import distributed
from roget.learn.clustering.soft.em import SoftMixture
from roget.scoring.steps import bootstrap
from support.errors import refused


@pytest.fixture(scope="module")
def cluster() -> Iterator[Dask]:
    made = Dask(None, 2)
    yield made
    made.close()


def table(words: int = 400, contexts: int = 300, seed: int = 0) -> sparse.csr_array:
    random = np.random.default_rng(seed)
    counts = random.poisson(random.gamma(0.3, 1.0, (words, contexts)) * 0.5)
    counts[np.arange(words), np.arange(words) % contexts] += 1
    return sparse.csr_array(counts)


def settle(steps: int = 3) -> list[np.ndarray]:
    """What some E- and M-steps come to, also among listed clusters."""
    data = prepare(table(), "empirical", np.float32)
    mixture = SoftMixture(data, True, ThreadPool(1))
    mixture.reserve(6)
    mixture.k = 6
    shares = np.random.default_rng(1).dirichlet(np.full(6, 0.05), data.n_words)
    mixture.q[:, :6] = shares
    energy = mixture.run(3.0, steps * 9, 0.0)
    lists = mixture._lists()
    assert lists is not None
    mixture.m_step(lists)
    listed = mixture.e_step(3.0, lists)
    energies = np.array([energy.free, energy.entropy, listed.free, listed.entropy])
    return [mixture.q, mixture.logs, mixture.mass, lists.shares, energies]


def place() -> list[np.ndarray]:
    """Where new words belong, whole and without the least."""
    random = np.random.default_rng(2)
    centroids = random.dirichlet(np.full(300, 0.1), 8)
    made = result.Clustering(roget.core.tree.Tree.flat(8), np.eye(8), centroids, np.full(8, 1 / 8))
    kept = made.place(table(seed=3), least=1e-3)
    return [made.place(table(seed=3)), kept.toarray(), kept.indptr]


def draw(average: str | None) -> list[np.ndarray]:
    """Draws and ends of intervals, of items or of pooled documents."""
    random = np.random.default_rng(4)
    gold = random.integers(0, 6, 900)
    system = np.where(random.random(900) < 0.6, gold, random.integers(0, 6, 900))
    group = np.repeat(np.arange(30), 30)
    names = pl.DataFrame({"item": np.arange(900), **({"group": group} if average else {})})
    found = roget.compare(
        names.with_columns(label=gold),
        {"a": names.with_columns(label=system)},
        measures=["v", "ari"],
        average=average,
        ci=40,
        interval="bca",
        seed=5,
    )
    return [np.array([[row.value, row.low, row.high] for row in found.rows if row.low is not None])]


WORK: dict[str, Callable[[], list[np.ndarray]]] = {
    "soft": settle,
    "place": place,
    "items": lambda: draw(None),
    "pooled": lambda: draw("pooled"),
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is small is spread out as well, in several blocks."""
    monkeypatch.setattr(distributed, "LEAST", 0)
    monkeypatch.setattr(distributed, "DENSE", 0)
    monkeypatch.setattr(states, "CHUNK", 256)
    monkeypatch.setattr(result, "CELLS", 400)
    monkeypatch.setattr(bootstrap, "_BATCH_ITEMS", 100)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", WORK)
def test_results_are_bit_identical_on_all_engines(name: str, cluster: Dask) -> None:
    here = WORK[name]()
    tasks = 0
    submit = cluster.submit

    def count(*given: Any) -> Any:
        nonlocal tasks
        left = submit(*given)
        tasks += sum(map(len, left.places))
        return left

    cluster.submit = count  # type: ignore[method-assign]
    try:
        with base.using(cluster):
            there = WORK[name]()
    finally:
        cluster.submit = submit  # type: ignore[method-assign]
    assert tasks > 3
    assert [one.dtype for one in there] == [one.dtype for one in here]
    assert all(a.tobytes() == b.tobytes() for a, b in zip(here, there, strict=True))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("name", "die"), [*((name, jobs.die_spread) for name in WORK), ("soft", jobs.die_expecting)]
)
def test_killed_worker_changes_no_result(
    name: str, die: Any, cluster: Dask, tmp_path: Path
) -> None:
    here = WORK[name]()
    with base.using(Dying(cluster, str(tmp_path / "died"), die)):
        there = WORK[name]()
    assert (tmp_path / "died").exists()
    assert all(a.tobytes() == b.tobytes() for a, b in zip(here, there, strict=True))


class Dying:
    """A cluster that loses a worker in its first task, or its first of a kind."""

    shares_disk = False

    def __init__(self, cluster: Dask, place: str, die: Any) -> None:
        self.persist, self.run, self.close = cluster.persist, cluster.run, cluster.close
        self.cluster, self.place, self.die = cluster, place, die

    def map(self, job: Any, common: Any, tasks: Any) -> list[Any]:
        return self.submit(job, common, tasks).fetch()

    def submit(self, job: Any, *given: Any) -> PendingResults:
        return self.cluster.submit(partial(self.die, self.place, job), *given)


def test_errors_of_jobs_are_raised_unchanged(cluster: Dask) -> None:
    with base.using(cluster), pytest.raises(FormatError, match="broken too"):
        list(base.map_tasks(jobs.fail_spread, None, [1, 3]))
    with base.using(cluster):
        assert list(base.map_tasks(jobs.fail_spread, None, [1, 2])) == [1, 2]


def test_local_execution_is_the_default() -> None:
    assert base.current() is None
    assert list(base.map_tasks(jobs.fail_spread, None, [1, 2])) == [1, 2]
    with refused("conflicting-options", "scheduler x"):
        base.working_on("local", "x").__enter__()


def test_commands_accept_an_engine(cluster: Dask, tmp_path: Path) -> None:
    counts = Counts(table(60, 40), [f"w{i}" for i in range(60)], [f"c{i}" for i in range(40)])
    counts.write(tmp_path / "c")
    address = cluster._cluster.scheduler_address
    made = []
    for name in ("here", "there"):
        build = [
            "build",
            tmp_path / "c",
            "-o",
            tmp_path / name,
            "--method",
            "soft",
            "--clusters",
            5,
        ]
        classify = ["classify", tmp_path / name, tmp_path / "c", "--format", "json"]
        if name == "there":
            build += ["--engine", "dask", "--set", f"scheduler={address}"]
            classify += ["--engine", "dask", "--scheduler", address]
        for command in (build, classify):
            done = CliRunner().invoke(app, list(map(str, command)))
            assert done.exit_code == 0, (done.output, done.exception)
        made.append(done.stdout.replace(name, ""))
    assert made[0] == made[1]
    assert SoftAnnealing.spreads


def test_workers_read_remote_addresses(cluster: Dask, tmp_path: Path) -> None:
    for side in ("gold", "system"):
        rows = "".join(f"d{i}\t{i % (3 if side == 'gold' else 4)}\n" for i in range(50))
        (tmp_path / f"{side}.tsv").write_text(f"item\tlabel\n{rows}")
    (tmp_path / "pairs.tsv").write_text("word\tcontext\tcount\ntea\tdrink\t3\nbook\tread\t2\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    where = {"engine": "dask", "scheduler": cluster._cluster.scheduler_address}
    try:
        there = f"http://127.0.0.1:{server.server_port}"
        found = roget.score(f"{there}/gold.tsv", f"{there}/system.tsv", **where)
        counts = roget.count(f"{there}/pairs.tsv", **where)
    finally:
        server.shutdown()
        server.server_close()
    assert found.rows == roget.score(tmp_path / "gold.tsv", tmp_path / "system.tsv").rows
    assert counts.total == 5


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_centroids_stay_on_workers_until_requested(
    cluster: Dask, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The E-step uses them there; reading them, or the end of a run, fetches them."""
    data = prepare(table(), "empirical", np.float64)
    fetched = []
    fetch = PendingResults.fetch
    monkeypatch.setattr(
        PendingResults, "fetch", lambda left: fetched.append(len(left.futures)) or fetch(left)
    )
    with base.using(cluster):
        mixture = SoftMixture(data, True, ThreadPool(1))
        mixture.m_step()
        assert not fetched
        mixture.e_step(2.0)
        assert len(fetched) == 1, "memberships"
        there = mixture.logs.copy()
        assert len(fetched) == 2
        assert mixture.logs.tobytes() == there.tobytes()
        assert len(fetched) == 2, "once"
        mixture.run(2.0, 1, 0.0)
        assert len(fetched) == 4
    other = SoftMixture(data, True, ThreadPool(1))
    other.m_step()
    assert other.logs.tobytes() == there.tobytes()


@pytest.mark.parametrize("kind", ["u1", "i4", "i8", "f4", "f8"])
def test_compressed_arrays_are_smaller_and_restored_exactly(kind: str) -> None:
    sent = table().astype(kind)
    packed = CompressedArrays.from_csr(sent)
    assert (packed.data.itemsize, packed.indices.itemsize) == (1, 2)
    back = packed.unpack()
    assert (back.dtype, back.indices.dtype) == (sent.dtype, sent.indices.dtype)
    assert (back != sent).nnz == 0
    assert back.shape == sent.shape


@pytest.mark.parametrize(
    "numbers", [[], [-1, 2], [0.5, 3.0], [1e300], [2.0**40], [np.nan, 1.0], [np.inf]]
)
def test_values_without_narrower_type_are_sent_unchanged(numbers: list[float]) -> None:
    given = np.array(numbers, dtype=np.float64)
    assert shrink(given) is given
