"""Measure soft annealing: planted clusters, the path compared with NMF, growth, and a large table.

`large-path` takes most of an hour and runs only when named. Verb–object counts are
`vo-bench` if it is available, otherwise 1000 nouns of the bundled sample.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from harness.measuring import (
    MB,
    Case,
    Row,
    Rows,
    cpu,
    data_folder,
    most_memory,
    point,
    progress,
)
from harness.script import run_script
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.metrics import v_measure_score

from roget.core.counts import Counts
from roget.data import sample
from roget.learn.clustering.annealing.data import Data, prepare
from roget.learn.clustering.annealing.states import AnnealingSettings, ThreadPool
from roget.learn.clustering.soft.anneal import Annealer
from roget.learn.clustering.soft.em import SoftMixture

PEERS = ("scikit-learn", "numba")
SLOW = ("large-path",)
SLOW_QUICK = ("planted-200", "path")

SEED = 1993
NOISE = 0.2

MISSED = {4: 1e-9, 50: 1e-9, 200: 0.05}
"""Maximum of 1 − V by the number of planted clusters."""

BARS = {
    "planted": 60.0,  # wall-clock seconds for 200 clusters (aim)
    "nmf": 1 / 4,
    "twice the clusters": 3.0,
    "per entry": 1.3,  # time per entry with four times as many entries
    "per cluster": 1.0,  # time for 4 K clusters over 4 times the time for K
    "large path": 45 * 60.0,
}


def planted(n: int, m: int, k: int, tokens: int) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return words of k clusters. Each cluster has 2m/k contexts (at least 20); a fifth of the
    tokens is noise.
    """
    rng = np.random.default_rng(SEED)
    labels = rng.integers(k, size=n)
    columns = np.empty((n, tokens), dtype=np.int64)
    for cluster in range(k):
        words = np.flatnonzero(labels == cluster)
        contexts = rng.choice(m, size=max(20, 2 * m // k), replace=False)
        shares = rng.dirichlet(np.ones(contexts.size))
        columns[words] = rng.choice(contexts, size=(words.size, tokens), p=shares)
    noisy = rng.random(columns.shape) < NOISE
    columns[noisy] = rng.integers(m, size=int(noisy.sum()))
    rows = np.repeat(np.arange(n), tokens)
    counts = sparse.coo_array((np.ones(rows.size), (rows, columns.ravel())), shape=(n, m)).tocsr()
    return counts, labels


def verb_object() -> tuple[str, Any]:
    """Return counts of 1000 nouns by verb, and their description."""
    file = data_folder() / "vo-bench" / "train.tsv"
    if not file.is_file():
        return "the bundled sample", sample("verb_object").top(1000).matrix.astype(float)
    return "vo-bench", Counts.read(file, columns=(2, 1, 3)).matrix.astype(float)


def path(data: Data, k: int, **options: Any) -> Any:
    """Return the state at the end of the path to k clusters."""
    return deque(
        Annealer(data, AnnealingSettings(n_clusters=k, seed=SEED, **options)).states(), maxlen=1
    ).pop()


def recovery(n: int, m: int, k: int, tokens: int) -> Rows:
    """Measure whether planted clusters are found, and the time."""
    counts, labels = planted(n, m, k, tokens)
    data = prepare(counts)
    clock, spent = time.perf_counter(), time.process_time()
    state = path(data, k)
    clock, spent = time.perf_counter() - clock, time.process_time() - spent
    found = np.asarray(state.membership.argmax(axis=1)).ravel()
    missed = max(0.0, 1 - float(v_measure_score(labels, found)))
    case = f"planted {k}"
    yield Row(f"{case}, 1 − V", missed, None, f"{n} × {m}, {counts.nnz:.2g} entries", "", MISSED[k])
    if k == 200:
        yield Row(f"{case}, clock", clock, None, f"{spent:.1f} s of CPU", "s", BARS["planted"])
    yield f"{case}: β {state.beta:.2f}, {clock:.1f} s of the clock, {spent:.1f} s of CPU."


def beside_nmf(k: int) -> Rows:
    """Compare the whole path to k clusters with 200 updates of NMF with k components."""
    name, counts = verb_object()
    data = prepare(counts)
    ours = cpu(partial(path, data, k))
    twice = cpu(partial(path, data, 2 * k))
    nmf = NMF(
        k, beta_loss="kullback-leibler", solver="mu", max_iter=200, init="random",
        random_state=SEED,
    )  # fmt: skip
    peer = cpu(partial(nmf.fit_transform, counts), times=1)
    yield Row(f"path to {k}", ours, peer, f"NMF-KL, {nmf.n_iter_} updates", "s", BARS["nmf"])
    yield Row(f"path to {2 * k}", twice, ours, f"path to {k}", "s", BARS["twice the clusters"])
    yield f"path: {name}, {counts.shape[0]} × {counts.shape[1]}, {counts.nnz:,} entries."


def growth(base: int) -> Rows:
    """Measure time per entry as words grow, and per cluster as clusters grow."""
    words, clusters = [base, 2 * base, 4 * base], [32, 64, 128, 256]
    tables = {n: prepare(planted(n, base // 2, 256, 60)[0]) for n in words}
    by_words = [cpu(partial(path, tables[n], 32), times=2) for n in words]
    by_clusters = [by_words[0]]
    by_clusters += [cpu(partial(path, tables[base], k), times=2) for k in clusters[1:]]
    entries = [tables[n].rows.values.size for n in words]
    for n, took in zip(entries, by_words, strict=True):
        yield point("soft, path to 32", "nnz", n, took)
    for k, took in zip(clusters, by_clusters, strict=True):
        yield point(f"soft, path, {entries[0]:,} entries", "K", k, took)
    ratio, times = entries[-1] / entries[0], clusters[-1] / clusters[0]
    name = "growth, per entry"
    yield Row(
        name, by_words[-1] / ratio, by_words[0], f"{ratio:.1f}× fewer entries", "s",
        BARS["per entry"],
    )  # fmt: skip
    name = "growth, per cluster"
    yield Row(
        name, by_clusters[-1] / times, by_clusters[0], f"{times:.0f}× fewer clusters", "s",
        BARS["per cluster"],
    )  # fmt: skip


def bandwidth() -> float:
    """Return the bytes per second that one core reads and writes in a = b/2, beyond the caches."""
    given, result = np.ones(1 << 25), np.empty(1 << 25)
    return 2 * given.nbytes / cpu(partial(np.multiply, given, 0.5, out=result))


def large(n: int, m: int, k: int, tokens: int) -> Rows:
    """Measure an EM step over all clusters, and over listed clusters, at the end of a path."""
    counts, labels = planted(n, m, k, tokens)
    data = prepare(counts, dtype="float32")
    del counts
    mixture = SoftMixture(data, False, ThreadPool(None), room=k)
    mixture.k = k
    mixture.q[:] = 0.05 / k
    mixture.q[np.arange(n), labels] += 0.95
    mixture.mass[:k] = np.sum(data.prior[:, None] * mixture.q[:, :k], axis=0)
    spent, clock = time.process_time(), time.perf_counter()
    mixture.m_step()
    mixture.e_step(3.0)
    spent, clock = time.process_time() - spent, time.perf_counter() - clock
    moved = 2 * data.rows.values.size * k * data.rows.values.itemsize
    rate = bandwidth()
    yield (
        f"large: {n} × {m}, {data.rows.values.size:,} entries, K={k}, float32: a step over all "
        f"clusters takes {clock:.1f} s ({spent:.1f} CPU), moves {moved / 1e9:.0f} GB: "
        f"{moved / spent / 1e9:.1f} GB per CPU s; plain copying: {rate / 1e9:.1f} GB/s."
    )
    lists = mixture._lists()
    if lists is not None:
        spent, clock = time.process_time(), time.perf_counter()
        mixture.m_step(lists)
        mixture.e_step(3.0, lists)
        spent, clock = time.process_time() - spent, time.perf_counter() - clock
        yield (
            f"large: a step over listed clusters ({lists[1].size / n:.1f} for each word) takes "
            f"{clock:.1f} s ({spent:.1f} CPU)."
        )
    yield f"large: most memory of the process so far {most_memory() / MB:,.0f} MB."


def large_path(n: int, m: int, k: int, tokens: int) -> Rows:
    """Measure the whole path of the large table."""
    counts, labels = planted(n, m, k, tokens)
    data = prepare(counts, dtype="float32")
    del counts
    clock, spent = time.perf_counter(), time.process_time()
    state = None
    for state in Annealer(data, AnnealingSettings(n_clusters=k, seed=SEED)).states():
        if state.settled:
            taken = time.perf_counter() - clock
            progress(f"{state.n_clusters} clusters, β {state.beta:.3f}, {taken:.0f} s")
    assert state is not None
    clock, spent = time.perf_counter() - clock, time.process_time() - spent
    found = state.mixture.q[:, : state.n_clusters].argmax(axis=1)
    yield Row("large path, clock", clock, None, f"{spent:.0f} s of CPU", "s", BARS["large path"])
    yield (
        f"large path: V {v_measure_score(labels, found):.4f}, {state.n_clusters} clusters, most "
        f"memory {most_memory() / MB:,.0f} MB."
    )


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name."""
    less = 10 if asked.quick else 1
    huge = (100_000 // less, 50_000 // less, 1000 // less, 560)
    return {
        "planted-4": partial(recovery, 200, 100, 4, 60),
        "planted-50": partial(recovery, 2000, 1000, 50, 60),
        "planted-200": partial(recovery, 20_000, 10_000, 200, 95),
        "path": partial(beside_nmf, 200),
        "growth": partial(growth, 8000 // less),
        "large": partial(large, *huge),
        "large-path": partial(large_path, *huge),
    }


def warm_up() -> None:
    """Compile the kernels before the first case."""
    for dtype in ("float64", "float32"):
        path(prepare(planted(300, 200, 40, 60)[0], dtype=dtype), 60, beta=12.0)


if __name__ == "__main__":
    run_script(__file__)
