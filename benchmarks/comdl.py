"""Compare CoMDL with Khiops: description length, loss and time; verb decisions; BNC; planted
classes.

--khiops names the interpreter that runs Khiops, whose dependencies conflict with roget's. Without
it, recorded figures of Khiops are used and marked. Khiops is stopped after --limit CPU seconds,
with the best classes found so far.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from harness.measuring import Case, LeftOut, Row, Rows, find_data, timed
from harness.script import run_script
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.metrics import v_measure_score

from roget.core.counts import Counts
from roget.learn.clustering.comdl.criterion import length, prepare
from roget.learn.clustering.comdl.estimator import CoMDL
from roget.learn.evaluation.decision import DecisionTask

PEERS = ("scikit-learn", "numba")
SLOW = ("decisions",)
SLOW_QUICK = ("bnc", "planted")
OPTIONS = {
    "khiops": {"metavar": "PYTHON", "help": "an interpreter with khiops installed"},
    "limit": {"metavar": "SECONDS", "type": int, "default": 300},
    "draws": {"metavar": "N", "type": int, "default": 5, "help": "of verb decisions"},
}
ABOUT = "CPU seconds, one thread."
Floats = npt.NDArray[np.float64]

SEED = 1996
BARS = {
    "flat": 7.60,  # bits; a = b = 1, and relative frequencies of blocks and words
    "own": 7.43,  # bits; a and b are chosen, and the model predicts
    "length": 1_026_900.0,  # nats
    "khiops": 1 / 20,
    "all": 0.187,
    "exceptional": 0.38,
    "minute": 60.0,
    "missed": 0.01,
}
PRINTED = {"bits": 7.587, "seconds": 130.0}
"""Recorded figures of Khiops 11.0.1, which took 130 to 279 CPU seconds."""

KHIOPS = """
import sys
from khiops import core
folder = sys.argv[1]
core.build_dictionary_from_data_table(
    f"{folder}/pairs.txt", "pairs", f"{folder}/pairs.kdic", header_line=True, field_separator="\\t"
)
core.train_coclustering(
    f"{folder}/pairs.kdic", "pairs", f"{folder}/pairs.txt", ["verb", "noun"],
    f"{folder}/out.khcj", frequency_variable="count", field_separator="\\t", max_cores=1,
)
"""


class VerbObject:
    """Nouns × verbs of vo-bench, and its test pairs with their unigram probabilities."""

    def __init__(self) -> None:
        place = find_data("vo-bench")
        self.file = place / "train.tsv"
        self.train = Counts.read(self.file, columns=(2, 1, 3))
        test = Counts.read(place / "test.tsv", columns=(2, 1, 3))
        cells = test.matrix.tocoo()
        verbs = {verb: at for at, verb in enumerate(self.train.contexts.tolist())}
        found = np.array([verbs.get(verb, -1) for verb in test.contexts.tolist()])
        nouns = np.array([self.train.word_id(noun) for noun in test.words.tolist()])
        self.rows, self.columns, self.counts = nouns[cells.row], found[cells.col], cells.data
        unseen = int((found < 0).sum())
        totals = np.append(self.train.context_totals, 0) + 0.5
        self.unigram = (totals / (totals[:-1].sum() + 0.5 * unseen))[self.columns]

    def bits(self, predicted: Callable[[Any, Any], Floats]) -> float:
        """Return the loss per pair of .95 · prediction + .05 · unigram; unseen verbs are predicted
        with 0.
        """
        known = self.columns >= 0
        share = np.zeros(known.size)
        share[known] = predicted(self.rows[known], self.columns[known])
        logs = np.log2(0.95 * share + 0.05 * self.unigram)
        return -float(np.sum(self.counts * logs) / np.sum(self.counts))

    def plain(self, rows: Any, columns: Any) -> float:
        """Return the loss of classes by relative frequencies: N_ij/R_i · f_v/C_j."""
        k, m = int(rows.max()) + 1, int(columns.max()) + 1
        cells = self.train.matrix.tocoo()
        blocks = np.zeros((k, m))
        np.add.at(blocks, (rows[cells.row], columns[cells.col]), cells.data)
        totals = self.train.context_totals
        shares = blocks / blocks.sum(axis=1, keepdims=True)
        within = totals / np.bincount(columns, totals)[columns]
        return self.bits(lambda i, j: shares[rows[i], columns[j]] * within[j])


def khiops(data: VerbObject, python: str, limit: int) -> tuple[float, float, Any, Any]:
    """Return CPU seconds, bits by relative frequencies, and the classes that Khiops finds."""
    with tempfile.TemporaryDirectory() as place:
        pairs = "verb\tnoun\tcount\n" + data.file.read_text(encoding="utf-8")
        Path(place, "pairs.txt").write_text(pairs, encoding="utf-8")
        bin_folder = str(Path(python).parent)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [python, "-W", "ignore", "-c", KHIOPS, place],
            env={**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
            capture_output=True,
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        reports = sorted(Path(place).glob("out*.khcj"), key=lambda path: path.stat().st_mtime)
        if not reports:
            raise LeftOut(
                f"Khiops left no result in {spent:.0f} s of CPU: is the package in {python}?"
            )
        parts = json.loads(reports[-1].read_text())["coclusteringReport"]["dimensionPartitions"]
    labels = {}
    for part in parts:
        groups = enumerate(part["valueGroups"])
        labels[part["name"]] = {value: at for at, group in groups for value in group["values"]}
    rows = np.array([labels["noun"][word] for word in data.train.words.tolist()])
    columns = np.array([labels["verb"][verb] for verb in data.train.contexts.tolist()])
    return spent, data.plain(rows, columns), rows, columns


def fit(counts: Any, **options: Any) -> tuple[CoMDL, float]:
    """Return a fitted model and its CPU seconds."""
    return timed(partial(CoMDL(random_state=SEED, **options).fit, counts))


def verb_object(python: str | None, limit: int) -> Rows:
    """Yield length, losses and time on vo-bench."""
    data = VerbObject()
    flat, flat_time = fit(data.train, a=1.0, b=1.0)
    model, spent = fit(data.train)
    plain = data.plain(flat.labels_, flat.column_labels_)
    if python is None:
        seconds, bits = PRINTED["seconds"], PRINTED["bits"]
        source = "Khiops, printed"
        yield "vo-bench: Khiops was not run (--khiops); its figures are those once printed."
    else:
        seconds, bits, rows, columns = khiops(data, python, limit)
        source = "Khiops"
        lengths = [
            length(prepare(data.train.matrix), (rows, columns), *ab).total
            for ab in ((1.0, 1.0), (model.a_, model.b_))
        ]
        yield (
            f"vo-bench: Khiops {rows.max() + 1} × {columns.max() + 1} classes in {seconds:.0f} s "
            f"of CPU{' (stopped)' if seconds > limit - 5 else ''}, {lengths[0]:,.0f} nats with "
            f"a = b = 1, {lengths[1]:,.0f} with ours."
        )
    yield Row(
        "a = b = 1, plain shares", plain, None, f"bits; {source} {bits:.3f}", "", BARS["flat"]
    )
    own = data.bits(model.predictive)
    yield Row("own prediction", own, None, "bits; a and b chosen", "", BARS["own"])
    yield Row("description length", model.description_length_, None, "nats", "", BARS["length"])
    yield Row("time, a and b chosen", spent, seconds, source, "s", BARS["khiops"])
    yield Row("time, a = b = 1", flat_time, seconds, source, "s", BARS["khiops"])
    several = data.bits(partial(model.predictive, every=True))
    ones = data.bits(flat.predictive)
    yield (
        f"vo-bench: plain shares {plain:.4f} bits, own prediction {own:.4f}, mean of the "
        f"{len(model.starts_)} starts {several:.4f}, with levels {data.bits(model.smoothed):.4f}; "
        f"classes with a = b = 1 predict {ones:.4f}."
    )
    for name, one, took in (("a = b = 1", flat, flat_time), ("a, b chosen", model, spent)):
        yield (
            f"vo-bench, {name}: {one.n_clusters_} × {one.n_column_clusters_} classes, a "
            f"{one.a_:.3g}, b {one.b_:.3g}, {one.description_length_:,.1f} nats, {took:.2f} s."
        )


def decisions(draws: int) -> Rows:
    """Yield the errors of verb decisions by the mean of levels, and by NMF on the same triples."""
    counts = VerbObject().train.matrix
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in range(draws):
        task = DecisionTask.draw(counts, [seed, 0])
        triples = task.word, task.band[task.context], task.band[task.rival]
        model, _ = fit(task.train)
        totals = np.asarray(task.train.sum(axis=0)).ravel()
        nmf = NMF(
            10, beta_loss="kullback-leibler", solver="mu", max_iter=200, init="random",
            random_state=SEED,
        )  # fmt: skip
        soft = nmf.fit_transform(task.train) @ nmf.components_
        for name, predicted in (
            ("unigram", lambda i, j, p=totals: p[j]),
            ("NMF-KL, K = 10", lambda i, j, p=soft: p[i, j]),
            ("classes alone", model.predictive),
            ("mean of starts", partial(model.predictive, every=True)),
            ("mean of levels", model.smoothed),
        ):
            first, second = (predicted(triples[0], verbs) for verbs in triples[1:])
            found.setdefault(name, []).append(task.judge(first - second))
    means = {name: np.mean(values, axis=0) for name, values in found.items()}
    ours, peer = means["mean of levels"], means["NMF-KL, K = 10"]
    yield Row("decisions, all", ours[0], None, f"NMF, same triples {peer[0]:.3f}", "", BARS["all"])
    yield Row(
        "decisions, exceptional", ours[1], None, f"NMF, same triples {peer[1]:.3f}", "",
        BARS["exceptional"],
    )  # fmt: skip
    for name, (every, exceptional) in means.items():
        yield f"decisions, {draws} draws: {name} {every:.3f} / {exceptional:.3f}."


def bnc() -> Rows:
    """Yield the results on all verb–object pairs of the BNC counts."""
    place = find_data("bnc-verb-noun", "verb_object.tsv")
    counts = Counts.read(place, columns=(2, 1, 3))
    model, spent = fit(counts)
    yield Row("BNC", spent, None, f"{counts.total:,} tokens", "s", BARS["minute"])
    yield (
        f"BNC: {counts.shape[0]} × {counts.shape[1]}, {counts.entries:,} entries: "
        f"{model.n_clusters_} × {model.n_column_clusters_} classes, "
        f"{model.description_length_:,.0f} nats, a {model.a_:.3g}, b {model.b_:.3g}."
    )


def planted() -> Rows:
    """Yield the results on 200 × 100 planted classes in a table of 20,000 × 10,000, with 60 tokens
    per row.
    """
    n, m, k, j, tokens = 20_000, 10_000, 200, 100, 60
    rng = np.random.default_rng(SEED)
    rows, columns = rng.integers(k, size=n), rng.integers(j, size=m)
    members = [np.flatnonzero(columns == c) for c in range(j)]
    shares = rng.dirichlet(np.full(j, 0.1), size=k)
    at, to = np.repeat(np.arange(n), tokens), np.empty(n * tokens, dtype=np.int64)
    for c in range(k):
        mine = np.flatnonzero(rows[at] == c)
        drawn = rng.choice(j, size=mine.size, p=shares[c])
        for other in range(j):
            here = mine[drawn == other]
            to[here] = rng.choice(members[other], size=here.size)
    counts = sparse.coo_array((np.ones(at.size), (at, to)), shape=(n, m)).tocsr()
    model, spent = fit(counts)
    missed = [
        1 - float(v_measure_score(right, found))
        for right, found in ((rows, model.labels_), (columns, model.column_labels_))
    ]
    yield Row(
        "planted, rows, 1 − V", missed[0], None, f"{counts.nnz:,} entries", "", BARS["missed"]
    )
    yield Row("planted, columns, 1 − V", missed[1], None, "", "", BARS["missed"])
    yield Row("planted, time", spent, None, "", "s", BARS["minute"])
    yield f"planted: {model.n_clusters_} × {model.n_column_clusters_} classes in {spent:.1f} s."


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name."""
    return {
        "vo-bench": partial(verb_object, asked.khiops, asked.limit),
        "decisions": partial(decisions, asked.draws),
        "bnc": bnc,
        "planted": planted,
    }


def warm_up() -> None:
    """Compile the kernels before the first case."""
    CoMDL(random_state=0).fit(np.eye(20, dtype=int) * 9 + 1)


if __name__ == "__main__":
    run_script(__file__)
