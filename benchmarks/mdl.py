"""Measure MDLTree: the optimum of small problems, figure 3, the gain of back-off, and a large
table.

`large` takes several minutes, `gain` and `figure-3` minutes: they run only when named.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from harness.measuring import MB, Case, Row, Rows, most_memory, progress, timed
from harness.script import run_script
from scipy import sparse
from sklearn.metrics import v_measure_score
from soft import planted
from soft_quality import Split, interval, tables

from roget.core.information import bits
from roget.data import sample
from roget.learn.clustering.mdl import criteria
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.clustering.mdl.grow import Bisector
from roget.papers.mdl import figure_3 as paper

PEERS = ("scikit-learn", "numba")
SLOW = ("large", "gain", "figure-3", "nouns")

Floats = npt.NDArray[np.float64]

BARS = {
    "missed": 0.01,  # share of small problems whose optimum is not found
    "leaves": 0.0,  # distance of the mean number of leaves from the truth, from 3000 pairs on
    "mle leaves": 1 / 30,
    "distance": 1 / 7,  # about a tenth
    "per entry and level": 1.5,
}

GAINS = {"vo-bench top 1000": 0.087, "AMALGUM top 3000": 0.138}
"""Minimum gain in bits of back-off to clusters, compared with back-off to the unigram."""

CODES: dict[str, dict[str, Any]] = {
    "auto": {},
    "fine": {"concentration": "fine"},
    "dirichlet, μ=100": {"criterion": "dirichlet", "concentration": 100.0},
    "dirichlet, μ=300": {"criterion": "dirichlet", "concentration": 300.0},
    "dirichlet, μ=1000": {"criterion": "dirichlet", "concentration": 1000.0},
    "dirichlet, μ=3000": {"criterion": "dirichlet", "concentration": 3000.0},
    "nml": {"criterion": "nml"},
    "corrected": {"criterion": "corrected"},
    "li-abe": {"criterion": "li-abe"},
}


def shortest(counts: Floats, uniform: bool) -> float:
    """Return the least data length of all 2^(N−1) − 1 splits in nats, without constant terms."""
    n = counts.shape[0]
    totals, every, best = counts.sum(axis=1), counts.sum(axis=0), np.inf

    def xlogx(x: Floats) -> Floats:
        return np.asarray(x * np.log(np.maximum(x, 1.0)))

    for begin in range(1, 2 ** (n - 1), 4096):
        numbers = np.arange(begin, min(begin + 4096, 2 ** (n - 1)))
        taken = ((numbers[:, None] >> np.arange(n)) & 1).astype(np.float64)
        length = np.zeros(numbers.size)
        for part, tokens, size in (
            (taken @ counts, taken @ totals, taken.sum(axis=1)),
            (every - taken @ counts, totals.sum() - taken @ totals, n - taken.sum(axis=1)),
        ):
            length += tokens * np.log(size) if uniform else xlogx(tokens)
            length -= xlogx(part).sum(axis=1)
        best = min(best, float(length.min()))
    return best


def problems(number: int) -> Iterator[Any]:
    """Yield tables of 8 to 16 words, alternately planted ones and nouns of the sample."""
    rng, nouns = np.random.default_rng(7), sample("verb_object").top(1000).matrix
    for turn in range(number):
        n = int(rng.integers(8, 17))
        if turn % 2:
            rows = nouns[rng.choice(1000 if turn % 4 == 1 else 100, n, replace=False)].toarray()
        else:
            shares = rng.dirichlet(np.full(30, 0.5), size=int(rng.integers(2, 5)))
            labels = rng.integers(shares.shape[0], size=n)
            rows = np.array([rng.multinomial(rng.integers(5, 200), shares[z]) for z in labels])
        yield rows[:, rows.any(axis=0)].astype(np.float64)


def optimal(number: int) -> Rows:
    """Measure how often the best partition is found, and how often by the search of the paper.

    The best split is the same under MDL and MLE, where the charge for two clusters is the same for
    all splits; under MDL not to split may be better still.
    """
    hits: dict[tuple[str, str], list[bool]] = {}
    for turn, counts in enumerate(problems(number)):
        whole, matrix = np.arange(counts.shape[0]), sparse.csr_array(counts)
        for criterion in ("li-abe", "corrected"):
            least = shortest(counts, criterion == "li-abe")
            for estimator, search in itertools.product(("mdl", "mle"), ("auto", "paper")):
                code = criteria.make_code(matrix, criterion, estimator, 1.0)
                cut = Bisector(matrix, code, search, turn).split(whole)
                assert cut is not None
                charge = code.penalty(float(counts.sum()), whole.size)
                found = cut.after.total
                if search == "auto":
                    found = min(found, cut.before.total)
                hit = found <= min(least + charge, cut.before.total) + 1e-6
                hits.setdefault((f"{criterion}, {estimator}", search), []).append(hit)
    for (code_name, search), right in hits.items():
        if search == "auto":
            printed = float(np.mean(hits[code_name, "paper"]))
            bar, said = BARS["missed"], f"the search as printed finds {printed:.0%}"
            yield Row(f"missed, {code_name}", 1 - float(np.mean(right)), None, said, "", bar)
    yield f"missed: of {number} tables of 8–16 words, half planted, half nouns of the sample."


def figure_3(trials: int) -> Rows:
    """Return leaves and distances of the simulation."""
    rows = {(row.way, row.size): row for row in paper.simulation(trials=trials)}
    for size in (3000, 10_000, 30_000):
        mdl, mle, printed = (rows[w, size] for w in ("MDL", "MLE", "MDL, as printed"))
        off = abs(mdl.leaves - paper.CLUSTERS)
        said = f"as printed {printed.leaves:.1f} leaves"
        yield Row(f"leaves − 4 at {size}", off, None, said, "", BARS["leaves"])
        yield Row(
            f"distance at {size}", mdl.distance, mle.distance, "MLE", "bits", BARS["distance"]
        )
        yield Row(
            f"1 / MLE's leaves at {size}", 1 / mle.leaves, None, f"{mle.leaves:.1f} leaves", "",
            BARS["mle leaves"],
        )  # fmt: skip


def gain(splits: int) -> Rows:
    """Yield the gain in bits of back-off from a word's own counts to clusters instead of the
    unigram.
    """
    for name, _, counts in tables():
        won: dict[str, list[float]] = {}
        sizes: dict[str, list[int]] = {}
        for seed in range(splits):
            split = Split(counts, seed)
            plain = split.backoff()[1]
            for kind, how in CODES.items():
                model = MDLTree(random_state=seed, **how).fit(split.train)
                classes = model.membership_, model.centroids_
                won.setdefault(kind, []).append(plain - split.backoff(classes)[1])
                sizes.setdefault(kind, []).append(model.n_clusters_)
                if kind == "auto":
                    cuts = [levels(split.train, model, k) for k in (5, 15, 50)]
                    every = plain - split.backoff(classes, *cuts)[1]
                    won.setdefault("auto, with 5, 15, 50 of its clusters", []).append(every)
        if name in GAINS:
            mean = float(np.mean(won["auto"]))
            said = f"{mean:.3f} bits over word → unigram"
            yield Row(f"bar ÷ gain, {name}", GAINS[name] / mean, None, said, "", 1.0)
        for kind, values in won.items():
            found = f", {np.mean(sizes[kind]):.0f} clusters" if kind in sizes else ""
            yield f"gain, {name}: {kind}: {interval(values)} bits{found}."


def levels(train: Any, model: MDLTree, k: int) -> tuple[Any, Floats]:
    """Return the first k clusters of a tree as classes."""
    labels = model.cut(min(k, model.n_clusters_))
    n = labels.size
    belongs = sparse.csr_array((np.ones(n), labels, np.arange(n + 1)))
    held = (belongs.T @ train).toarray() + model.parent_weight_ * model.background_
    return belongs, held / held.sum(axis=1, keepdims=True)


def nouns() -> Rows:
    """Print the tree of the twenty most frequent nouns (Experiment 2)."""
    counts = sample("verb_object").top(20)
    model = MDLTree(random_state=0).fit(counts)
    tree = model.tree_
    yield f"nouns: {model.n_clusters_} clusters, in brackets what a split saves, bits:"
    waiting = [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        inside = np.isin(model.labels_, tree.cluster[tree.leaves(node)])
        saved = "" if np.isnan(tree.value[node]) else f"  ({bits(tree.value[node]):.0f})"
        yield "  " * depth + " ".join(counts.words[inside]) + saved
        waiting += [(child, depth + 1) for child in reversed(tree.children(node))]


def growth(base: int) -> Rows:
    """Yield the CPU time per entry and level as the table grows."""
    spent = {}
    for words in (base, 4 * base):
        counts, _ = planted(words, words // 2, words // 100, 100)
        # This code chooses nothing; the tree is only grown.
        model, took = timed(partial(MDLTree(criterion="nml", random_state=0).fit, counts))
        depth = np.mean([model.tree_.depth(int(leaf)) for leaf in model.tree_.leaves()])
        spent[words] = took / counts.nnz / max(float(depth), 1.0)
        yield (
            f"growth: {counts.nnz:,} entries, {model.n_clusters_} clusters, depth {depth:.1f}: "
            f"{took:.1f} s, {1e6 * spent[words]:.2f} µs per entry and level."
        )
    yield Row(
        "growth, per entry and level", 1e6 * spent[4 * base], 1e6 * spent[base],
        "a quarter of the words", "µs", BARS["per entry and level"],
    )  # fmt: skip


def large(n: int, m: int, k: int, tokens: int) -> Rows:
    """Yield the cost of the whole tree of a large table."""
    counts, labels = planted(n, m, k, tokens)
    told = [time.perf_counter()]

    def tell(news: dict[str, Any]) -> None:
        if time.perf_counter() - told[-1] > 30:
            told.append(time.perf_counter())
            progress(f"{news['n_clusters']} clusters, {news['fraction']:.0%}")

    clock, spent = time.perf_counter(), time.process_time()
    model = MDLTree(random_state=0, progress=tell).fit(counts)
    clock, spent = time.perf_counter() - clock, time.process_time() - spent
    yield (
        f"large: {n} × {m}, {counts.nnz:,} entries: {model.n_clusters_} clusters ({k} were "
        f"planted), V {v_measure_score(labels, model.labels_):.4f}, {model.tree_!r}; {spent:.0f} s "
        f"of CPU, {clock:.0f} s of the clock, most memory {most_memory() / MB:,.0f} MB."
    )


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name."""
    less = 10 if asked.quick else 1
    return {
        "optimal": partial(optimal, 200 // less),
        "figure-3": partial(figure_3, 10),
        "nouns": nouns,
        "gain": partial(gain, 2 if asked.quick else 5),
        "growth": partial(growth, 8000 // less),
        "large": partial(large, 100_000 // less, 50_000 // less, 1000 // less, 560),
    }


def warm_up() -> None:
    """Compile the kernels before the first case."""
    MDLTree(random_state=0).fit(planted(300, 100, 5, 60)[0])


if __name__ == "__main__":
    run_script(__file__)
