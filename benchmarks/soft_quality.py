"""Measure the quality of soft classes: as back-off for sparse counts, and against word categories.

Run `python benchmarks/soft_quality.py [--only backoff|loss|categories] [--table PATTERN] [--splits
N] [--json FILE]`; the pattern, e.g. 'AMALGUM*', selects tables for back-off. The test data are in
ROGET_TEST_DATA (by default ../shared/data); missing data are left out with a message.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import json
import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from harness.measuring import data_folder
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF, LatentDirichletAllocation, TruncatedSVD
from sklearn.metrics import v_measure_score
from sklearn.preprocessing import normalize

from roget import SoftAnnealing, SymmetricAnnealing
from roget.core.counts import Counts
from roget.data import sample
from roget.learn.classmodel import ClassModel
from roget.learn.clustering import tokens as heldout
from roget.learn.clustering.annealing.choose import choose
from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.annealing.states import AnnealingPath, AnnealingSettings
from roget.learn.clustering.soft.anneal import Annealer
from roget.learn.clustering.symmetric.annealer import SymmetricAnnealer
from roget.learn.clustering.symmetric.estimator import fold_in
from roget.learn.evaluation import heldout as compare

try:
    from sib import SIB
except ImportError:
    SIB = None

TRIAL = "hours; vo-bench, word-categories, and the bundled sample"
Floats = npt.NDArray[np.float64]
Classes = tuple[Any, Floats]
"""p(c|n) and p(v|c)."""

BARS = {1000: 0.09, 3000: 0.15, "Kneser–Ney": 0.06}
"""Bars in bits: gain over word → unigram by number of words, and gain over Kneser–Ney."""

TABLES = "*"
"""Tables on which back-off is measured."""

BITS = 1 / math.log(2)
STUDENT = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}


def interval(values: Sequence[float]) -> str:
    """Return the mean and half the width of its 95 % interval."""
    spread = np.std(values, ddof=1) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{np.mean(values):.3f} ± {STUDENT.get(len(values), 1.96) * spread:.3f}"


# ---- classes of each kind, at several sizes


def asymmetric(train: Any, seed: int) -> Iterator[tuple[str, Classes]]:
    """Yield roget's clusters of words at each size of the annealing path."""
    for _, found in AnnealingPath(train, SoftAnnealing().method, seed=seed).points(
        (8, 16, 32, 64, 128)
    ):
        yield f"K={found.n_clusters}", (found.memberships, found.centroids)


def by_weights(train: Any, seed: int) -> Iterator[tuple[str, Classes]]:
    """Yield the same clusters, with memberships fitted to each word's counts by tempered EM."""
    for size, (_, centroids) in asymmetric(train, seed):
        known = 0.98 * centroids + 0.02 * heldout.unigram(train)
        for beta in (0.9, 0.8):
            yield f"{size} β={beta}", (fold_in(train, known, beta), centroids)


def symmetric(train: Any, seed: int) -> Iterator[tuple[str, Classes]]:
    """Yield roget's symmetric clusters of word–context pairs."""
    walker = AnnealingPath(train, SymmetricAnnealing().method, seed=seed, max_iter=50)
    for _, found in walker.points((50, 100, 200)):
        yield f"K={found.n_clusters}", (found.memberships, found.centroids)


def chosen(train: Any, seed: int) -> Iterator[tuple[str, Classes]]:
    """Yield symmetric clusters with K and β chosen on training tokens."""
    best = choose(train, SymmetricAnnealing(random_state=seed))
    settings = AnnealingSettings(n_clusters=best.n_clusters, beta=best.beta, seed=seed)
    *_, state = SymmetricAnnealer(prepare(train), settings).states()
    yield f"K={state.n_clusters} β={state.beta:.3g}", (state.membership, state.centroids)


def nmf(train: Any, seed: int) -> Iterator[tuple[str, Classes]]:
    """Yield scikit-learn's NMF with Kullback–Leibler divergence, which equals PLSA."""
    for k in (10, 20, 50, 100):
        model = NMF(
            k, beta_loss="kullback-leibler", solver="mu", init="random", max_iter=200,
            random_state=seed,
        )  # fmt: skip
        rows = model.fit_transform(train)
        yield f"K={k}", _normalised(rows, model.components_)


def lda(train: Any, seed: int) -> Iterator[tuple[str, Classes]]:
    """Yield scikit-learn's latent Dirichlet allocation."""
    for k in (20, 50, 100, 200):
        model = LatentDirichletAllocation(k, random_state=seed)
        rows = model.fit_transform(train)
        yield f"K={k}", _normalised(rows, model.components_)


def _normalised(rows: Floats, columns: Floats) -> Classes:
    scale = columns.sum(axis=1)
    weights = rows * scale
    totals = weights.sum(axis=1, keepdims=True)
    return weights / np.where(totals > 0, totals, 1), columns / scale[:, None]


KINDS: dict[str, Callable[[Any, int], Iterator[tuple[str, Classes]]]] = {
    "asymmetric": asymmetric,
    "asymmetric, EM weights": by_weights,
    "symmetric": symmetric,
    "symmetric, chosen": chosen,
    "NMF-KL": nmf,
    "LDA": lda,
}


# ---- (a) back-off


def tables() -> Iterator[tuple[str, int, Counts]]:
    """Yield counts to be split, with the number of words that selects the bar."""
    try:
        yield "vo-bench top 1000", 1000, vo_bench("train").merge(vo_bench("test"))
    except FileNotFoundError as error:
        print(f"left out: {error.filename} is absent")
    for most in (1000, 3000):
        yield f"AMALGUM top {most}", most, sample("verb_object").top(most)


def vo_bench(part: str) -> Counts:
    """Return nouns × verbs of the benchmark's training or test part."""
    with (data_folder() / "vo-bench" / f"{part}.tsv").open(encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    return of_triples((noun, verb, int(count)) for verb, noun, count in rows)


def of_triples(rows: Any) -> Counts:
    """Return counts of (word, context, count)."""
    totals: Counter[tuple[str, str]] = Counter()
    for word, context, count in rows:
        totals[word, context] += count
    words, row = np.unique([word for word, _ in totals], return_inverse=True)
    contexts, column = np.unique([context for _, context in totals], return_inverse=True)
    return Counts(sparse.coo_array((list(totals.values()), (row, column))), words, contexts)


class Split:
    """Training, development and test tokens, and losses of models on the test tokens."""

    def __init__(self, counts: Counts, seed: int) -> None:
        self.parts = compare.TokenSplit.draw(counts, None, seed)
        self.train = self.parts.train
        self.dev, self.test = (
            heldout.tabulate_tokens(self.train, part) for part in (self.parts.dev, self.parts.test)
        )

    def tuned(self, build: Callable[[heldout.TokenCells], list[Floats]]) -> tuple[float, float]:
        """Return losses in bits on dev and test, of components mixed with weights tuned on dev."""
        dev, test = np.stack(build(self.dev)), np.stack(build(self.test))
        weights = heldout.fit_weights(dev, self.dev.counts)
        return self.dev.loss(weights @ dev) * BITS, self.test.loss(weights @ test) * BITS

    def backoff(self, *classes: Classes) -> tuple[float, float]:
        """Return the losses of word → classes → unigram."""
        return self.tuned(lambda t: [t.word, *(t.predicted(*c) for c in classes), t.unigram])

    def discounted(self, *classes: Classes) -> float:
        """Return the losses of discounted counts → classes → continuation counts; without classes,
        Kneser–Ney.
        """
        model = ClassModel(list(classes) or "kneser-ney").fit(self.train, dev=self.parts.dev)
        return -model.score(self.parts.test) * BITS


def backoff(splits: int) -> Iterator[dict[str, Any]]:
    """Print the gain of every kind of classes; the size is chosen on dev."""
    for name, most, counts in tables():
        if not fnmatch.fnmatch(name, TABLES):
            continue
        gains: dict[str, list[float]] = defaultdict(list)
        below: dict[str, list[float]] = defaultdict(list)
        picks: dict[str, list[str]] = defaultdict(list)
        for seed in range(splits):
            split = Split(counts, seed)
            plain, kneser_ney = split.backoff()[1], split.discount()
            for kind, make in KINDS.items():
                found = dict(make(split.train, seed))
                every = list(found.values())
                tried = {size: split.backoff(classes) for size, classes in found.items()}
                best = min(tried, key=lambda size: tried[size][0])
                gains[kind].append(plain - tried[best][1])
                picks[kind].append(best)
                below[kind].append(kneser_ney - split.discount(found[best]))
                if len(every) > 1:
                    gains[f"{kind}, all sizes"].append(plain - split.backoff(*every)[1])
                    below[f"{kind}, all sizes"].append(kneser_ney - split.discount(*every))
        print(f"\n{name}: word → unigram {plain:.3f}, Kneser–Ney {kneser_ney:.3f} (last split)")
        print(f"{'classes':24} {'gain, bits':>16} {'below Kneser–Ney':>18}  size")
        for kind in gains:
            row = {"table": name, "classes": kind, "gain": gains[kind], "kneser_ney": below[kind]}
            size = Counter(picks[kind]).most_common(1)[0][0] if kind in picks else ""
            print(f"{kind:24} {interval(gains[kind]):>16} {interval(below[kind]):>18}  {size}")
            yield row
        print(f"bars: {BARS[most]} and {BARS['Kneser–Ney']}")


# ---- log-loss of the class model alone


def loss(splits: int) -> Iterator[dict[str, Any]]:
    """Print losses of .95 · class model + .05 · unigram on the given split of vo-bench, at fixed
    sizes.
    """
    train, test = vo_bench("train"), vo_bench("test")
    both = train.merge(test)
    parts = []
    for part in (train, test):
        cells, places = part.matrix.tocoo(), {v: i for i, v in enumerate(both.contexts.tolist())}
        rows = [both.word_id(word) for word in part.words.tolist()]
        columns = np.array([places[context] for context in part.contexts.tolist()])
        at = (np.array(rows)[cells.row], columns[cells.col])
        parts.append(sparse.csr_array((cells.data, at), shape=both.shape))
    tokens = heldout.tabulate_tokens(*parts)
    print(f"\n{'vo-bench, bits per pair':24}" + "".join(f"{k:>8}" for k in (10, 50, 100, 200)))
    for kind in ("asymmetric", "symmetric", "NMF-KL"):
        row = []
        for k in (10, 50, 100, 200):
            values = []
            for seed in range(splits if kind != "NMF-KL" else 1):
                classes = _fixed(kind, parts[0], k, seed)
                predicted = 0.95 * tokens.predicted(*classes) + 0.05 * tokens.unigram
                values.append(tokens.loss(predicted) * BITS)
            row.append(float(np.mean(values)))
        print(f"{kind:24}" + "".join(f"{value:8.3f}" for value in row))
        yield {"classes": kind, "loss": row}
    print("published results: NMF-KL 7.875 7.533 7.517 7.565, LDA (tomotopy) 7.331 at 200")


def _fixed(kind: str, train: Any, k: int, seed: int) -> Classes:
    if kind == "NMF-KL":
        model = NMF(
            k, beta_loss="kullback-leibler", solver="mu", init="random", max_iter=200,
            random_state=seed,
        )  # fmt: skip
        return _normalised(model.fit_transform(train), model.components_)
    search = Annealer if kind == "asymmetric" else SymmetricAnnealer
    *_, state = search(prepare(train), AnnealingSettings(n_clusters=k, seed=seed)).states()
    return state.membership, state.centroids


# ---- (b) word categories


STARTS = 5
"""Number of runs, of which the one with the lowest free energy is kept."""

NEAREST, OWN, SEEN = 30, 0.5, 50
"""A listed noun gets half of its associations from its 30 nearest nouns with 50 occurrences."""


def bnc() -> Counts:
    """Return nouns of the BNC in contexts "slot:verb"."""
    with (data_folder() / "bnc-verb-noun" / "triples.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return of_triples((noun, f"{slot}:{verb}", int(count)) for noun, slot, verb, count, _ in rows)


def gold(name: str, counts: Counts) -> dict[str, str]:
    """Return words of one category with ten occurrences or more, in categories of at least three
    such words.
    """
    listed: dict[str, set[str]] = defaultdict(set)
    place, comma, word, category = {
        "AP": ("ap.csv", ",", 2, 1),
        "ESSLLI": ("esslli2008-nouns.tsv", "\t", 0, 1),
    }[name]
    with (data_folder() / "word-categories" / place).open(encoding="utf-8") as lines:
        for row in list(csv.reader(lines, delimiter=comma))[1:]:
            listed[row[word]].add(row[category])
    seen = dict(zip(counts.words.tolist(), counts.word_totals.tolist(), strict=True))
    single = {w: min(c) for w, c in listed.items() if len(c) == 1 and seen.get(w, 0) >= 10}
    sizes = Counter(single.values())
    return {w: c for w, c in single.items() if sizes[c] >= 3}


def categories(seeds: int) -> Iterator[dict[str, Any]]:
    """Yield purity and V of as many classes as there are categories.

    Other representations were tried for roget (5 seeds, AP and ESSLLI, purity / V): memberships in
    50, 100 and 200 symmetric clusters of all nouns (.49 / .58, .74 / .69); the same with .3 of PPMI
    (.54 / .62, .74 / .68); 10 nearest nouns, or .3 to .6 of a word's own associations (.54 to .56 /
    .61 to .63, .77 / .68 to .71); rows rebuilt from 100 singular vectors (.21 / .32, .60 / .60).
    """
    counts = bnc()
    matrix, ppmi = sparse.csr_array(counts.matrix, dtype=np.float64), counts.ppmi()
    sets = {name: gold(name, counts) for name in ("AP", "ESSLLI")}
    scores: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for seed in range(seeds):
        space = normalize(TruncatedSVD(100, random_state=seed).fit_transform(ppmi))
        for name, words in sets.items():
            rows, truth = [counts.word_id(word) for word in words], list(words.values())
            k, own = len(set(truth)), matrix[rows]
            labels = {
                "ours: counts": annealed(own, k, seed),
                "ours: PPMI": annealed(ppmi[rows], k, seed),
                "ours: PPMI, nearest nouns' too": annealed(
                    lent(ppmi, space, rows, np.flatnonzero(counts.word_totals >= SEEN)), k, seed),
                "k-means on PPMI-SVD": KMeans(k, n_init=10, random_state=seed).fit_predict(
                    space[rows]),
                "NMF-KL": _single(NMF(
                    k, beta_loss="kullback-leibler", solver="mu", init="random", max_iter=200,
                    random_state=seed), own),
                "LDA": _single(LatentDirichletAllocation(k, random_state=seed), own),
            }  # fmt: skip
            if SIB is not None:
                labels["sib"] = SIB(k, random_state=seed).fit(sparse.csr_matrix(own)).labels_
            for kind, found in labels.items():
                scores[kind, name].append((purity(truth, found), v_measure_score(truth, found)))
    if SIB is None:
        print("left out: sib, because the package sib-clustering is not installed")
    heads = [f"{name} ({len(words)})" for name, words in sets.items()]
    print(f"\n{'purity / V':34}" + "".join(f"{head:>16}" for head in heads))
    for kind in dict.fromkeys(kind for kind, _ in scores):
        means = [np.mean(scores[kind, name], axis=0) for name in sets]
        print(f"{kind:34}" + "".join(f"{p:>9.3f} / {v:.3f}" for p, v in means))
        yield {"method": kind, **{n: scores[kind, n] for n in sets}}


def lent(ppmi: Any, space: Floats, rows: Sequence[int], common: npt.NDArray[Any]) -> Any:
    """Return each row's associations, mixed with its nearest neighbours' by squared cosine."""
    near = space[rows] @ space[common].T
    best = np.argsort(-near, axis=1)[:, :NEAREST]
    weights = np.maximum(np.take_along_axis(near, best, axis=1), 0) ** 2
    weights /= weights.sum(axis=1, keepdims=True)
    at = np.repeat(np.arange(len(rows)), NEAREST), common[best.ravel()]
    lending = sparse.csr_array((weights.ravel(), at), shape=(len(rows), ppmi.shape[0]))
    shares = normalize(ppmi, "l1")
    return OWN * shares[rows] + (1 - OWN) * (lending @ shares)


def annealed(rows: Any, k: int, seed: int) -> npt.NDArray[Any]:
    """Return the most probable of k clusters of each row, in the best of several runs."""
    table = sparse.csr_array(rows)
    table.data[table.data < 1e-9] = 0
    table.eliminate_zeros()
    data, found = prepare(table, "uniform"), []
    for start in range(STARTS):
        settings = AnnealingSettings(n_clusters=k, beta=6.0, seed=STARTS * seed + start)
        *_, state = Annealer(data, settings).states()
        found.append((state.energy.free, np.asarray(state.membership.toarray().argmax(axis=1))))
    return min(found, key=lambda pair: pair[0])[1]


def _single(model: Any, rows: Any) -> npt.NDArray[Any]:
    return _normalised(model.fit_transform(rows), model.components_)[0].argmax(axis=1)


def purity(truth: Sequence[str], found: npt.NDArray[Any]) -> float:
    """Return the share of the words that belong to the most frequent category of their cluster."""
    table: dict[int, Counter[str]] = defaultdict(Counter)
    for category, cluster in zip(truth, found.tolist(), strict=True):
        table[cluster][category] += 1
    return sum(max(counter.values()) for counter in table.values()) / len(truth)


PARTS = {"loss": loss, "backoff": backoff, "categories": categories}


def main() -> None:
    """Run the requested parts."""
    global TABLES
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--table", metavar="PATTERN", default=TABLES, help="such as 'AMALGUM*'")
    parser.add_argument("--splits", type=int, default=5, help="splits or seeds (5)")
    parser.add_argument("--json", type=Path, help="write every number here as well")
    given = parser.parse_args()
    TABLES = given.table
    warnings.simplefilter("ignore")  # scikit-learn's, on iterations that did not converge
    results: dict[str, list[dict[str, Any]]] = {}
    for name in given.only or PARTS:
        try:
            results[name] = list(PARTS[name](given.splits))
        except FileNotFoundError as error:
            print(f"left out: {name}, because {error.filename} is absent")
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
