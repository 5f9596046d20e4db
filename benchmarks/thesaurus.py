"""Measure classes, neighbours and tree of a thesaurus, and compare them with other methods.

Run `python benchmarks/thesaurus.py [--part PATTERN] [--corpus PATTERN] [--seeds N] [--counts DIR]`.
AMALGUM is counted with the relations `nouns` unless --counts has these counts, the BNC's triples
are counts. The other methods use the same counts: k-means, Ward, average linkage and spectral
clustering of PPMI-SVD(200), PPMI cosine, and word2vec if gensim is installed (on AMALGUM's lemmas
in windows of 5, and on the BNC's pairs). V is computed with jackknife entropies.

`--sizes` measures corpora of several sizes and genres instead, with and without background counts
and prior vectors. `--domain` prints the neighbours of 40 words that special texts use in a sense of
their own.
"""

from __future__ import annotations

import fnmatch
import gzip
import math
import random
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

import numpy as np
from gold import CATEGORIES, SIMILARITIES, WordNet, bnc, categories, similarities
from harness.measuring import data_folder, progress
from harness.script import parse_options
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import spearmanr
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.utils.extmath import randomized_svd
from soft import planted

import roget
import roget.data
from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.core.intervals import interval
from roget.learn.clustering.spherical.estimator import COMMON, SphericalTree
from roget.learn.clustering.spherical.moves import move, start
from roget.learn.clustering.spherical.rule import smooth_new_vectors, smooth_vectors
from roget.learn.representation.background import add_background
from roget.learn.thesaurus.neighbours import Neighbours

try:
    from gensim.models import Word2Vec
except ImportError:
    Word2Vec = None

TRIAL = "hours; amalgum, bnc-verb-noun, word-categories, word-similarity and wordnet30"
CUTS = (64, 128)
FREQUENT = 2000
"""Number of frequent words whose neighbours are measured separately."""

PAIRS = 20_000
OURS = "roget"


class Shape(NamedTuple):
    """A tree of words: the parent of each node (−1 of the root), and the node of each word."""

    parent: np.ndarray[Any, Any]
    place: np.ndarray[Any, Any]

    def ways(self) -> list[tuple[int, ...]]:
        """Of each node, the nodes from the root down to it."""
        found: dict[int, tuple[int, ...]] = {}

        def way(node: int) -> tuple[int, ...]:
            if node not in found:
                up = int(self.parent[node])
                found[node] = (*(way(up) if up >= 0 else ()), node)
            return found[node]

        return [way(node) for node in range(self.parent.size)]


class Material:
    """Counts of one corpus, and what systems make of them; seed by seed, once each."""

    def __init__(
        self, name: str, counts: Counts, background: Counts | None = None, prior: str | None = None
    ) -> None:
        self.name, self.counts, self.background, self.prior = name, counts, background, prior
        self.words = [str(word) for word in counts.words]
        self.ids = {word: row for row, word in enumerate(self.words)}
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.svd, self.fit, self.ward = cache(self._svd), cache(self._fit), cache(self._ward)
        self.average = cache(self._average)

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        """What the work gives; its CPU seconds are written down."""
        progress(f"{self.name}: {name}")
        began = time.process_time()
        made = work()
        self.seconds[name].append(time.process_time() - began)
        return made

    def _fit(self, seed: int) -> SphericalTree:
        model = SphericalTree(random_state=seed, set_aside=False)
        return self.timed(f"{OURS}, the default build", lambda: model.fit(self.counts))

    def fit_levels(self, seed: int) -> SphericalTree:
        """Fit a tree that has exactly the cuts as its levels, with the background if any."""
        levels = ",".join(map(str, CUTS))
        model = SphericalTree(
            CUTS[-1], levels=levels, random_state=seed, set_aside=False,
            background=self.background, vectors=self.prior,
        )  # fmt: skip
        return self.timed(OURS, lambda: model.fit(self.counts))

    @cached_property
    def table(self) -> Any:
        """PPMI of the counts, including the background if there is one."""
        if self.background is None:
            return self.counts.ppmi()
        whole = self.counts.matrix.astype(np.float64)
        names = self.counts.words, self.counts.contexts
        whole, contexts = add_background(whole, *names, self.background)
        return Counts(whole, self.counts.words, contexts).ppmi()

    def _svd(self, seed: int) -> np.ndarray[Any, Any]:
        def work() -> Any:
            left, values, _ = randomized_svd(self.table, 200, n_iter=4, random_state=seed)
            return unit(left * values)

        return self.timed("PPMI-SVD(200)", work)

    def _ward(self, seed: int) -> Any:
        return self.timed("Ward", lambda: linkage(self.svd(seed), "ward"))

    def _average(self, seed: int) -> Any:
        return self.timed("average link", lambda: linkage(self.svd(seed), "average", "cosine"))

    @cached_property
    def drawn(self) -> Callable[[int], Any]:
        """The vectors that our classes are made of, seed by seed."""

        def work(seed: int) -> Any:
            known = self.fit(seed).clustering_.representation
            learnt = known.rows >= 0
            order = np.argsort(-self.counts.word_totals[learnt], kind="stable")
            common = np.sort(order[:COMMON])
            drawn = smooth_vectors(known, common)
            whole = np.zeros((len(self.words), drawn.shape[1]), dtype=np.float32)
            whole[learnt] = drawn[known.rows[learnt]]
            # Words in too few contexts to learn from get the vectors that new words get.
            whole[~learnt] = smooth_new_vectors(known, common, self.counts.matrix[~learnt])
            return whole

        return cache(work)

    @cached_property
    def wordnet(self) -> WordNet:
        """WordNet, with the information of these counts."""
        return WordNet(self.words, self.counts.word_totals.tolist())

    @cached_property
    def word2vec(self) -> Any:
        """Vectors of skip-grams with negative samples; None without gensim."""
        return None if Word2Vec is None else self.timed("word2vec", self._skip_grams)

    def _skip_grams(self) -> Any:
        table = self.counts.matrix.tocoo()
        if self.name == "amalgum":
            told, window, epochs = list(lemmas()), 5, 5
        else:
            # As often as the root of a count, or the commonest pairs would be most of the text.
            often = np.ceil(np.sqrt(table.data)).astype(int)
            pairs = np.random.default_rng(0).permutation(
                np.stack([np.repeat(table.row, often), np.repeat(table.col, often)], 1)
            )
            words, contexts = self.words, self.counts.contexts
            told = [[words[a], f"{contexts[b]} "] for a, b in pairs.tolist()]
            window, epochs = 1, 10
        model = Word2Vec(
            told, vector_size=200, window=window, sg=1, negative=10, min_count=2, epochs=epochs,
            workers=1, seed=0,
        )  # fmt: skip
        known = {word: model.wv[word] for word in self.words if word in model.wv}
        return unit(np.stack([known.get(word, np.zeros(200)) for word in self.words]))


def lemmas() -> Iterator[list[str]]:
    """The sentences of AMALGUM as lemmas."""
    for path in sorted((data_folder() / "amalgum").glob("*.conllu.gz")):
        sentence: list[str] = []
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                fields = line.split("\t")
                if len(fields) == 10 and fields[0].isdigit():
                    sentence.append(fields[2].lower())
                elif sentence and not line.strip():
                    yield sentence
                    sentence = []


def amalgum(made: str | None) -> Counts:
    """Nouns of AMALGUM, by the relations of the preset."""
    if made:
        return Counts.read(made)
    paths = sorted((data_folder() / "amalgum").glob("*.conllu.gz"))
    if not paths:
        raise FileNotFoundError(f"no *.conllu.gz in {data_folder() / 'amalgum'}")
    return roget.count(paths, relation=["nouns"], min_count=5, min_context=2)


# Classes ---------------------------------------------------------------------------------------


def of_gold(data: Material, rows: Any, k: int, seed: int) -> Iterator[tuple[str, Any]]:
    """Some words in k classes, by vectors that all words have helped to make."""
    drawn, svd = data.drawn(seed)[rows], data.svd(seed)[rows]
    yield OURS, move(drawn, start(drawn, k, np.arange(rows.size)), lambda: None)
    yield "k-means", KMeans(k, n_init=10, random_state=seed).fit_predict(svd)
    yield "Ward", fcluster(linkage(svd, "ward"), k, "maxclust")
    yield "average link", fcluster(linkage(svd, "average", "cosine"), k, "maxclust")
    near = np.maximum(svd @ svd.T, 0)
    model = SpectralClustering(k, affinity="precomputed", random_state=seed)
    yield "spectral", model.fit_predict(near)
    if data.word2vec is not None:
        yield "word2vec, Ward", fcluster(linkage(data.word2vec[rows], "ward"), k, "maxclust")


def of_all(data: Material, k: int, seed: int) -> Iterator[tuple[str, Any]]:
    """All words in k classes; spectral clustering would take too long."""
    yield OURS, data.fit(seed).cut(k)
    yield "k-means", KMeans(k, n_init=1, random_state=seed).fit_predict(data.svd(seed))
    yield "Ward", fcluster(data.ward(seed), k, "maxclust")
    yield "average link", fcluster(data.average(seed), k, "maxclust")
    if data.word2vec is not None and not seed:
        yield "word2vec, k-means", KMeans(k, n_init=1, random_state=0).fit_predict(data.word2vec)


def classes(data: Material, seeds: int) -> None:
    """V(jk) and B-cubed F against the gold sets."""
    gold = {name: categories(name, data.ids) for name in CATEGORIES}
    found: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)

    def score(name: str, at: str, system: str, labels: Any) -> None:
        right = gold[name][1]
        found[f"{name}, {at}", "V(jk)", system].append(
            roget.measure("v", right, labels, entropy="jk")
        )
        found[f"{name}, {at}", "B³ F", system].append(roget.measure("b3-f", right, labels))

    for seed in range(seeds):
        for name, (rows, right) in gold.items():
            for system, labels in of_gold(data, rows, len(set(right)), seed):
                score(name, f"{rows.size} words alone", system, labels)
        for k in CUTS:
            for system, labels in of_all(data, k, seed):
                for name, (rows, _) in gold.items():
                    score(name, f"all cut at {k}", system, np.asarray(labels)[rows])
    show(f"{data.name}: classes, {seeds} seed(s)", found)


# Neighbours ------------------------------------------------------------------------------------


def cosines(vectors: Any) -> Callable[[Any], Any]:
    """Cosines of some rows with all, of rows of length 1."""
    back = vectors.T.tocsr() if hasattr(vectors, "tocsr") else vectors.T

    def work(rows: Any) -> Any:
        near = vectors[rows] @ back
        return near.toarray() if hasattr(near, "toarray") else near

    return work


def ours(data: Material) -> Callable[[Any], Any]:
    """Return the similarity used by `Thesaurus.neighbours`, of a word with all others."""
    near, size = Neighbours(data.counts, data.fit(0).clustering_), len(data.words)

    def work(rows: Any) -> Any:
        table = np.full((rows.size, size), np.inf)
        for line, (found, alike) in zip(table, near.nearest(rows, size - 1), strict=True):
            line[found] = alike
        return table

    return work


def neighbours(data: Material, seeds: int) -> None:
    """The five nearest by WordNet, and similarities by people's."""
    systems: dict[str, Callable[[Any], Any]] = {
        OURS: ours(data),
        "PPMI(.75) cosine": cosines(unit(data.counts.ppmi(smoothing=0.75))),
        "PPMI-SVD cosine": cosines(data.svd(0)),
    }
    pairs = {
        name: [
            (data.ids[a], data.ids[b], value)
            for a, b, value in similarities(name)
            if a in data.ids and b in data.ids
        ]
        for name in SIMILARITIES
    }
    if data.word2vec is not None:
        systems["word2vec"] = cosines(data.word2vec)
        lost = int((~data.word2vec.any(axis=1)).sum())
        print(f"{data.name}: {lost} of {len(data.words)} words are unknown to word2vec")
    wordnet = data.wordnet
    frequent = np.intersect1d(np.argsort(-data.counts.word_totals)[:FREQUENT], wordnet.rows)
    close, lin = cache(lambda a, b: wordnet.steps(a, b) <= 2), cache(wordnet.lin)
    found: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for system, measure in systems.items():
        hits, told = np.zeros(len(data.words)), np.zeros(len(data.words))
        for begin in range(0, wordnet.rows.size, 500):
            rows = wordnet.rows[begin : begin + 500]
            for row, line in zip(rows.tolist(), measure(rows), strict=True):
                line[row] = -np.inf
                best = np.argpartition(-line, 5)[:5].tolist()
                hits[row] = np.mean([close(row, other) for other in best])
                told[row] = np.mean([lin(row, other) for other in best])
        for at, rows in (("all words", wordnet.rows), (f"{FREQUENT} frequent", frequent)):
            found[at, "wn5", system].append(float(hits[rows].mean()))
            found[at, "lin5", system].append(float(told[rows].mean()))
        for name, known in pairs.items():
            left, right, value = (np.array(part) for part in zip(*known, strict=True))
            alike = measure(left)[np.arange(left.size), right]
            rho = float(spearmanr(alike, value)[0])
            found[f"{name}, {left.size} pairs", "Spearman", system].append(rho)
    show(f"{data.name}: neighbours", found)


# Trees -----------------------------------------------------------------------------------------


def our_tree(data: Material, seed: int) -> Shape:
    """Our tree, with words in its leaves."""
    model = data.fit(seed)
    leaves = np.array([model.tree_.leaf(c) for c in range(model.n_clusters_)])
    parent = np.array(model.tree_.parent)
    parent[0] = -1
    return Shape(parent, leaves[model.labels_])


def ward_tree(data: Material, seed: int, leaves: int) -> Shape:
    """Ward's tree, cut off at as many leaves."""
    merges, n = data.ward(seed), len(data.words)
    parent = np.full(2 * n - 1, -1)
    for at, (a, b, *_) in enumerate(merges):
        parent[[int(a), int(b)]] = n + at
    place, last = np.arange(n), 2 * n - leaves
    while (low := (parent[place] < last) & (parent[place] >= 0)).any():
        place[low] = parent[place[low]]
    kept = np.unique(np.concatenate([place, np.arange(last, 2 * n - 1)]))
    number = np.full(2 * n, -1)
    number[kept] = np.arange(kept.size)
    return Shape(number[parent[kept]], number[place])


def look_at(data: Material, shape: Shape) -> Iterator[tuple[str, float]]:
    """What a tree is like, and how far it agrees with gold and with WordNet."""
    full = shape.ways()
    ways = [frozenset(way) for way in full]
    sizes = np.zeros(shape.parent.size)
    for leaf, n in zip(*np.unique(shape.place, return_counts=True), strict=True):
        sizes[list(full[leaf])] += n
    rows, right = categories("AP", data.ids)
    yield (
        "dendrogram purity, AP",
        dendrogram_purity([ways[shape.place[row]] for row in rows], right),
    )
    chance = np.random.default_rng(0)
    frequent = np.argsort(-data.counts.word_totals)[:FREQUENT]
    known = np.intersect1d(frequent, data.wordnet.rows)
    pairs = chance.choice(known, (PAIRS, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    near = [
        -min(sizes[list(ways[shape.place[a]] & ways[shape.place[b]])]) for a, b in pairs.tolist()
    ]
    lin = [data.wordnet.lin(a, b) for a, b in pairs.tolist()]
    yield "Spearman with Lin", float(spearmanr(near, lin)[0])
    used = np.unique(shape.place)
    depth = np.mean([len(full[leaf]) - 1 for leaf in used])
    yield "mean depth / log₂ leaves", float(depth / math.log2(used.size))
    for level in (1, 2, 3):
        at = [node for node, way in enumerate(full) if len(way) == level + 1]
        yield f"largest at depth {level}", float(sizes[at].max() / sizes.max())


def dendrogram_purity(ways: Sequence[frozenset[int]], right: Sequence[str]) -> float:
    """Of pairs of one class, the mean share of that class below the smallest node of both."""
    inside: defaultdict[int, list[int]] = defaultdict(list)
    for item, way in enumerate(ways):
        for node in way:
            inside[node].append(item)
    shares, names = [], np.array(right)
    pure = cache(lambda node, label: float(np.mean(names[inside[node]] == label)))
    for a in range(len(ways)):
        for b in range(a):
            if right[a] == right[b]:
                lowest = min(ways[a] & ways[b], key=lambda node: len(inside[node]))
                shares.append(pure(lowest, right[a]))
    return float(np.mean(shares))


def tree(data: Material, seeds: int) -> None:
    """Our tree and Ward's, with as many leaves."""
    found: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for seed in range(seeds):
        mine = our_tree(data, seed)
        leaves = int(np.unique(mine.place).size)
        for system, shape in ((OURS, mine), ("Ward", ward_tree(data, seed, leaves))):
            for name, value in look_at(data, shape):
                found[name, "", system].append(value)
    show(f"{data.name}: trees, {seeds} seed(s)", found)


# Size ------------------------------------------------------------------------------------------


def large() -> None:
    """A hundred thousand words of a thousand planted kinds: are these found, and at what cost?"""
    counts, kinds = planted(100_000, 50_000, 1000, 200)
    began = time.process_time()
    model = SphericalTree(1000, random_state=0, set_aside=False).fit(counts)
    spent, most = time.process_time() - began, getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    found = roget.measure("v", kinds, model.labels_)
    shape = " × ".join(f"{n:,}" for n in counts.shape)
    print(f"\nplanted, {shape}, {counts.nnz:,} entries:", end=" ")
    print(f"V {found:.3f}, {spent:.0f} CPU s, {most:.1f} GB")


# Sizes and genres -------------------------------------------------------------------------------

SIZES: Mapping[str, tuple[str, int]] = {
    "m50": ("", 50_000), "m150": ("", 150_000), "m500": ("", 500_000), "m1000": ("", 1_000_000),
    "fiction": ("fiction", 151_000), "news": ("news", 500_000), "five": ("", 10**9),
}  # fmt: skip
"""Corpora of AMALGUM: genre (all if empty) and number of tokens. The background is the rest of
AMALGUM, or its other genres; "five" is all of AMALGUM, without background."""

PLAIN = "bbc"

SOME = 600
"""Number of words whose neighbours are compared with WordNet, evenly spaced by frequency."""

DOMAIN: Mapping[str, str] = {
    "sport": "pitch match cap side goal cross penalty draw wing try leg title coach club",
    "business": "share stock bond bid plant arm chain giant stake interest",
    "tech": "virus memory network worm net patch chip file player",
    "academic": "cell culture expression sample subject administration factor",
}
"""Words that special texts use in a sense of their own, chosen before any neighbours were seen:
categories of the BBC's news, and a genre of AMALGUM."""


def read_documents() -> dict[tuple[str, str], list[str]]:
    """Return the sentences of AMALGUM by genre and document."""
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sorted((data_folder() / "amalgum").glob("*.conllu.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for sentence in lines.read().split("\n\n"):
                for line in sentence.splitlines():
                    if line.startswith("# sent_id"):
                        name = line.partition("=")[2].strip().rpartition("-")[0]
                        found[path.name.partition(".")[0], name].append(sentence)
                        break
    return dict(found)


def count_sentences(sentences: Iterable[str]) -> Counts:
    """Count the nouns of CoNLL-U sentences."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "part.conllu"
        path.write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")
        return roget.count(path, relation=["nouns"])


def count_plain(category: str = "") -> Counts:
    """Count the nouns of the BBC's plain text, or of one of its categories."""
    with tempfile.TemporaryDirectory() as place:
        lines = (data_folder() / "bbc-news/bbc.tsv").read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            kind, _, text = line.split("\t", 2)
            if category not in ("", kind):
                continue
            text = text.replace("\\n", "\n")
            (Path(place) / f"{number}.txt").write_text(text, encoding="utf-8")
        return roget.count(place)


def corpora_by_size(pattern: str) -> Iterator[tuple[str, Counts, Counts | None]]:
    """Yield corpora with background counts of other documents."""
    documents = read_documents() if any(fnmatch.fnmatch(name, pattern) for name in SIZES) else {}
    order = sorted(documents)
    random.Random(0).shuffle(order)
    for name, (genre, most) in SIZES.items():
        if not fnmatch.fnmatch(name, pattern):
            continue
        chosen, tokens = [], 0
        for one in order:
            if genre in ("", one[0]) and tokens < most:
                chosen.append(one)
                tokens += sum(sum(map(is_token, s.splitlines())) for s in documents[one])
        others = [one for one in order if one not in set(chosen) and one[0] != genre]
        counts, background = (
            count_sentences(s for one in some for s in documents[one]) if some else None
            for some in (chosen, others)
        )
        assert counts is not None
        yield f"{name}, {tokens:,} tokens", counts, background
    if fnmatch.fnmatch(PLAIN, pattern):
        yield f"{PLAIN}, plain text", count_plain(), roget.data.background("english-nouns")


def is_token(line: str) -> bool:
    """Return True if a line of CoNLL-U is a token."""
    return line[:1].isdigit() and line.partition("\t")[0].isdigit()


def by_size(pattern: str, seeds: int) -> None:
    """Print V(jk) over AP and WordNet at both cuts, similarities, and the agreement of seeds."""
    for name, whole, background in corpora_by_size(pattern):
        counts = whole.min_count(5).ranked().largest_component()
        middle = float(np.median(counts.word_totals))
        print(f"\n{name}: {len(counts):,} words, {middle:.0f} occurrences per word", flush=True)
        measure_size(Material(name, counts), "own counts", seeds)
        if background is not None:
            measure_size(Material(name, counts, background), "with background", seeds)
        made = Material(name, counts, background, "bundled")
        measure_size(made, "with prior" if background is None else "with both", seeds)


def measure_size(data: Material, called: str, seeds: int) -> None:
    """Print the figures of one corpus with one kind of counts."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    labels = []
    for seed in range(seeds):
        model = data.fit_levels(seed)
        labels.append(model.cut(CUTS[0]))
        svd = data.svd(seed)
        for k in CUTS:
            systems = {
                OURS: model.cut(k),
                "Ward": fcluster(data.ward(seed), k, "maxclust"),
                "k-means": KMeans(k, n_init=1, random_state=seed).fit_predict(svd),
            }
            for system, classes in systems.items():
                scores = []
                for gold in ("AP", "WordNet"):
                    rows, right = categories(gold, data.ids)
                    scores.append(
                        roget.measure("v", right, np.asarray(classes)[rows], entropy="jk")
                    )
                found[f"V(jk) {k} {system}"].append(float(np.mean(scores)))
        if not seed:
            near = Neighbours(data.counts, model.clustering_)
            for which in SIMILARITIES:
                known = [(a, b, v) for a, b, v in similarities(which) if {a, b} <= data.ids.keys()]
                left, right = ([data.ids[one[at]] for one in known] for at in (0, 1))
                alike = near.compare(np.array(left), np.array(right))
                found[which].append(float(spearmanr(alike, [one[2] for one in known])[0]))
            rows, wordnet = data.wordnet.rows, data.wordnet
            rows = rows[np.linspace(0, rows.size - 1, min(SOME, rows.size)).astype(np.int64)]
            close = [
                np.mean([wordnet.steps(row, other) <= 2 for other in best.tolist()])
                for row, (best, _) in zip(rows.tolist(), near.nearest(rows, 5), strict=True)
            ]
            found["wn5"].append(float(np.mean(close)))
    for a, b in pairwise(labels):
        found["ARI of two seeds"].append(roget.measure("ari", a.tolist(), b.tolist()))
    told = ", ".join(f"{what} {np.mean(values):.3f}" for what, values in found.items())
    print(f"  {called}: {told}", flush=True)


def domain_counts(name: str) -> tuple[Counts, Counts]:
    """Return the counts of a special text, and background counts of other texts."""
    if name == "academic":
        documents = read_documents()
        parts = ([s for one, some in documents.items() if (one[0] == name) is own for s in some]
                 for own in (True, False))  # fmt: skip
        counts, background = map(count_sentences, parts)
        return counts, background
    return count_plain(name), roget.data.background("english-nouns")


def by_domain() -> None:
    """Print the five nearest neighbours of the words of `DOMAIN`, by three builds."""
    for name, listed in DOMAIN.items():
        whole, background = domain_counts(name)
        counts = whole.min_count(5).ranked().largest_component()
        ids = {str(word): row for row, word in enumerate(counts.words)}
        builds = {}
        for called, more, prior in (
            ("text", None, None), ("background", background, None), ("both", background, "bundled")
        ):  # fmt: skip
            model = SphericalTree(
                random_state=0, set_aside=False, background=more, vectors=prior
            ).fit(counts)
            builds[called] = Neighbours(counts, model.clustering_)
        for word in listed.split():
            if word not in ids:
                print(f"{name}, {word}: fewer than 5 occurrences")
                continue
            row = ids[word]
            print(f"{name}, {word}, {counts.word_totals[row]:.0f} occurrences")
            for called, near in builds.items():
                best, _ = next(near.nearest(np.array([row]), 5))
                print(f"    {called}: {', '.join(counts.words[best])}", flush=True)


# Showing ---------------------------------------------------------------------------------------


def show(title: str, found: Mapping[tuple[str, str, str], Sequence[float]]) -> None:
    """A line for each figure: systems' means, half their intervals, how far we are ahead."""
    print(f"\n{title}")
    by: defaultdict[tuple[str, str], dict[str, Sequence[float]]] = defaultdict(dict)
    for (case, measure, system), values in found.items():
        by[case, measure][system] = values
    for (case, measure), systems in by.items():
        means = {system: float(np.mean(values)) for system, values in systems.items()}
        rivals = {system: value for system, value in means.items() if system != OURS}
        usual = [rivals[one] for one in ("k-means", "Ward") if one in rivals]
        ahead = {"the best": max(rivals.values())} | (
            {"k-means and Ward": max(usual)} if usual else {}
        )
        over = ", ".join(f"{means[OURS] - value:+.3f} over {one}" for one, value in ahead.items())
        told = "; ".join(f"{system} {_told(values)}" for system, values in systems.items())
        print(f"  {case} {measure}: {told} | {over}", flush=True)


def _told(values: Sequence[float]) -> str:
    found = interval(values)
    half = "" if found.high is None else f" ± {found.high - (found.mean or 0):.3f}"
    return f"{found.mean:.3f}{half}"


PARTS: dict[str, Callable[[Material, int], None]] = {
    "classes": classes, "neighbours": neighbours, "tree": tree,
}  # fmt: skip


def measure_all(asked: Any, corpora: Iterable[tuple[str, Callable[[], Counts]]]) -> None:
    """All parts asked for, of all corpora asked for."""
    if Word2Vec is None:
        print("word2vec was left out: gensim is not installed")
    for name, read in corpora:
        if not fnmatch.fnmatch(name, asked.corpus):
            continue
        try:
            data = Material(name, read())
        except FileNotFoundError as error:
            print(f"{name} was left out: {error}")
            continue
        print(f"\n{name}: {data.counts!r}")
        for part, work in PARTS.items():
            if fnmatch.fnmatch(part, asked.part):
                work(data, asked.seeds)
        for what, seconds in data.seconds.items():
            print(f"  {what}: {np.mean(seconds):.1f} CPU s")


def main() -> None:
    """Run the requested measurements."""
    asked = parse_options(
        __doc__,
        part={"default": "*", "help": "classes, neighbours, tree, large, or a pattern"},
        corpus={"default": "*", "help": "amalgum, bnc, or a pattern"},
        seeds={"type": int, "default": 5, "help": "how many"},
        counts={"default": None, "help": "AMALGUM's counts, if they are made"},
        sizes={"action": "store_true", "help": "corpora by size and genre, with a background"},
        domain={"action": "store_true", "help": "words that special texts use differently"},
    )
    warnings.simplefilter("ignore")
    if asked.domain:
        by_domain()
        return
    if asked.sizes:
        by_size(asked.corpus, min(asked.seeds, 2))
        return
    if fnmatch.fnmatch("large", asked.part):
        large()
    measure_all(asked, [("amalgum", lambda: amalgum(asked.counts)), ("bnc", bnc)])


if __name__ == "__main__":
    main()
